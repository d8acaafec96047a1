//! What becomes of records when the types that they were made with change from one release of a broker to the next.

mod parameters;
mod plans;
mod state;

use std::time::Duration;

use osb_lab::{
    releases::{
        Heard,
        first::{FirstBroker, Stores as FirstStores},
        ids::{BASIC, STORES},
        second::{SecondBroker, Stores as SecondStores},
    },
    requests::{binding, instance},
    wire::{Reply, Wire},
};
use osb_runtime::{
    http::{BrokerService, Credentials, HttpSettings},
    lifecycle::Settings,
    service::Broker,
    store::Records,
};
use osb_store::Redb;
use serde_json::{Value, json};
use tokio::sync::Mutex;

/// Every test, with each kind of records.
macro_rules! tests {
    ($($story:ident: $($name:ident)*;)*) => {
        tests!(in_memory $($($story $name)*)*);
        tests!(in_a_file $($($story $name)*)*);
    };
    ($place:ident $($story:ident $name:ident)*) => {
        mod $place {
            $(
                #[tokio::test]
                async fn $name() {
                    crate::$story::$name(crate::Kept::$place()).await;
                }
            )*
        }
    };
}

tests! {
    parameters:
        a_parameter_that_has_another_name_now_keeps_its_value
        a_name_of_old_can_be_sent_but_not_beside_the_new_one
        what_a_tighter_schema_refuses_goes_on_working_until_it_is_changed
        a_parameter_that_is_demanded_now_can_be_given_by_an_update;
    plans:
        a_retired_plan_lives_on_for_what_has_it
        a_live_plan_that_is_not_known_stops_the_start
        a_live_service_that_is_not_known_stops_the_start
        an_instance_that_is_being_moved_is_of_two_plans;
    state:
        a_state_of_another_version_is_migrated
        after_a_rollback_everything_can_still_be_deleted
        an_operation_that_another_release_began_goes_on_from_its_checkpoint;
}

/// Two releases at work at once share what no file can be shared by.
#[tokio::test]
async fn a_binding_that_only_another_release_can_unbind_is_not_forgotten() {
    plans::a_binding_that_only_another_release_can_unbind_is_not_forgotten(Kept::in_memory()).await;
}

/// Records that outlive a release: each opens them anew.
struct Kept {
    /// The ones that were opened last.
    records: Mutex<Records>,
    file: Option<tempfile::TempDir>,
    lease: Duration,
}

impl Kept {
    fn in_memory() -> Self {
        Self { records: Mutex::new(Records::in_memory()), file: None, lease: Duration::from_secs(30) }
    }

    fn in_a_file() -> Self {
        Self { file: Some(tempfile::tempdir().expect("a folder")), ..Self::in_memory() }
    }

    async fn open(&self) -> Settings {
        let mut records = self.records.lock().await;
        if let Some(folder) = &self.file {
            records.close().await;
            *records = Redb::open(folder.path().join("records.redb"), None).expect("it opens").into();
        }
        let mut settings = Settings::default();
        settings.store = records.clone();
        settings.lease = self.lease;
        settings
    }

    async fn serve<B: Broker>(&self, broker: B) -> Wire {
        Wire::serve_with(broker, self.open().await).await
    }

    /// Why a broker does not start with these records.
    async fn refused<B: Broker>(&self, broker: B) -> Vec<String> {
        let credentials = Credentials::basic("user", "pass").expect("a user without colon");
        match BrokerService::start_with(broker, credentials, HttpSettings::default(), self.open().await).await {
            Ok(_) => Vec::new(),
            Err(error) => error.problems().to_vec(),
        }
    }
}

const I: &str = "/v2/service_instances/i";
const B: &str = "/v2/service_instances/i/service_bindings/b";

/// A release, and what its handlers were given.
struct Release {
    wire: Wire,
    heard: Heard,
}

impl Release {
    async fn first(kept: &Kept) -> Self {
        let stores = FirstStores::default();
        Self { heard: stores.heard.clone(), wire: kept.serve(FirstBroker { stores }).await }
    }

    async fn second(kept: &Kept) -> Self {
        let stores = SecondStores::default();
        Self { heard: stores.heard.clone(), wire: kept.serve(SecondBroker { stores }).await }
    }

    async fn provision(&self, id: &str, plan: &str, parameters: Value) -> Reply {
        let ids = json!({ "service_id": STORES, "plan_id": plan, "organization_guid": "o", "space_guid": "s" });
        self.wire.put(&instance(id), with(ids, parameters)).await
    }

    async fn update(&self, id: &str, parameters: Value) -> Reply {
        self.wire.patch(&instance(id), with(json!({ "service_id": STORES }), parameters)).await
    }

    async fn bind(&self, id: &str, plan: &str, parameters: Value) -> Reply {
        let ids = json!({ "service_id": STORES, "plan_id": plan });
        self.wire.put(&binding(id, "b"), with(ids, parameters)).await
    }

    async fn delete(&self, path: &str) -> Reply {
        self.wire.delete(&format!("{path}?service_id={STORES}&plan_id={BASIC}")).await
    }

    async fn parameters(&self, path: &str) -> Value {
        self.wire.get(path).await.body["parameters"].take()
    }

    async fn end(self) {
        self.wire.end().await;
    }

    /// What the only handler that ran since this was asked last was given.
    fn heard(&self) -> String {
        self.heard.take().join("; ")
    }
}

fn with(mut body: Value, parameters: Value) -> Value {
    body["parameters"] = parameters;
    body
}

fn is(reply: &Reply, status: u16) {
    assert_eq!(reply.status, status, "{reply:?}");
}
