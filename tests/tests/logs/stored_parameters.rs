//! Parameters that a release can't decode are named in the log and in the lists for operators, without their values.

use osb_lab::{bind_nothing, prelude::*, provision_nothing};
use osb_runtime::{
    lifecycle::admin::{Filter, RecordKind, View},
    service::Broker,
};

use crate::logged;

const SERVICE: &str = "2c0e5a52-54a5-4a3c-9e0a-6b1c4f6f5a01";
const PLAN: &str = "2c0e5a52-54a5-4a3c-9e0a-6b1c4f6f5a02";

mod first {
    use osb_runtime::prelude::*;

    /// A service.
    #[service(id = "2c0e5a52-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "shelves", plans(Any))]
    pub(crate) struct Shelves;

    /// The only plan.
    #[plan(id = "2c0e5a52-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "any", create = NewShelf)]
    pub(crate) struct Any;

    /// The parameters of a shelf.
    #[parameters]
    pub(crate) struct NewShelf {
        /// The width, with its unit.
        pub(crate) width: String,
    }

    impl Provision<Any> for Shelves {
        type State = ();
        async fn provision(
            &self,
            request: ProvisionRequest<Any>,
            _: &Operation,
        ) -> Result<Provisioned, ProvisionError> {
            if request.id() == "half" { std::future::pending().await } else { Ok(Provisioned::new(())) }
        }
        async fn deprovision(&self, _: DeprovisionRequest<Any>, _: &Operation) -> Result<(), DeprovisionError> {
            Ok(())
        }
    }

    #[broker]
    pub(crate) struct Broker(pub(crate) Shelves);
}

mod second {
    use osb_runtime::prelude::*;

    /// A service.
    #[service(id = "2c0e5a52-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "shelves", plans(Any))]
    pub(crate) struct Shelves;

    /// The only plan.
    #[plan(id = "2c0e5a52-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "any", create = NewShelf, bindable)]
    pub(crate) struct Any;

    /// The parameters of a shelf.
    #[parameters]
    pub(crate) struct NewShelf {
        /// The width in centimetres.
        pub(crate) width: u32,
        /// The height in centimetres.
        pub(crate) height: u32,
    }

    super::provision_nothing!(Shelves: Any => () = |_new| Provisioned::new(()));
    super::bind_nothing!(Shelves: Any => LogDrain = |_new| LogDrain::from_static("syslog://logs.example.com:514"););

    #[broker]
    pub(crate) struct Broker(pub(crate) Shelves);
}

#[tokio::test]
async fn t68_parameters_that_a_release_cannot_decode_are_named_without_their_values() {
    logged::begin();
    let mut settings = Settings::default();
    settings.allow_unreadable_state = true;
    settings.sync_wait = Duration::from_millis(20);
    // The handler of `half` ignores its cancellation.
    settings.cancel_grace = Duration::from_millis(20);
    let new = new_of(SERVICE, PLAN, json!({ "width": "MARK-width" }));
    let first = Wire::serve_with(first::Broker(first::Shelves), settings.clone()).await;
    assert_eq!(first.put(&instance("whole"), new.clone()).await.status, 201);
    assert_eq!(first.put(&accepting(&instance("half")), new).await.status, 202);
    first.end().await;

    let records = settings.store.clone();
    let second = Wire::serve_with(second::Broker(second::Shelves), settings).await;
    let bind = json!({ "service_id": SERVICE, "plan_id": PLAN, "bind_resource": { "app_guid": "a" } });
    let refused = second.put(&binding("whole", "b"), bind).await;
    let expected = "Some parameters of this service instance are missing or no longer valid; update the instance first: \
                    /width, /height.";
    assert_eq!((refused.status, refused.description()), (400, expected));
    second.settled(&instance("half")).await;
    let view = View { store: records.store(), offerings: second::Broker::OFFERINGS };
    let listed = view.list(RecordKind::Operations, &Filter::default(), None, 10).await.expect("they are read").entries;
    assert_eq!(listed.len(), 3, "with the tombstone of the refused binding");
    let log = logged::text();
    for line in ["stored parameters can't be decoded: /width, /height", "bind failed"] {
        assert!(log.lines().any(|logged| logged.contains(line)), "{line} in {log}");
    }
    let listed = listed.iter().map(ToString::to_string);
    for text in listed.chain([log]) {
        assert!(!text.contains("MARK-width"), "{text}");
    }
}
