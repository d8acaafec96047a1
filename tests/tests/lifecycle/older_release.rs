//! Two releases that serve the same records, as while replicas are replaced: the older one doesn't know all plans.

use osb_lab::prelude::*;
use osb_runtime::service::Broker;
use tokio::time::timeout;

mod releases {
    use std::sync::Arc;

    use osb_runtime::{prelude::*, service::Plan};
    use tokio::sync::Notify;

    macro_rules! release {
        ($name:ident, [$($plan:ident)+]) => {
            pub(crate) mod $name {
                use super::*;

                /// A service.
                #[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a91", name = "released", plans($($plan),+))]
                pub(crate) struct Released(pub(crate) Arc<Notify>);

                /// The first plan.
                #[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a92", name = "first")]
                pub(crate) struct First;

                release!(@ $($plan)+);

                impl<P: Plan> Provision<P> for Released {
                    type State = ();
                    async fn provision(
                        &self,
                        _: ProvisionRequest<P>,
                        operation: &Operation,
                    ) -> Result<Provisioned, ProvisionError> {
                        if operation.attempt() == 1 {
                            tokio::select! {
                                () = self.0.notified() => {}
                                () = operation.cancelled() => return Err(ProvisionError::unexpected("cancelled")),
                            }
                        }
                        Ok(Provisioned::new(()))
                    }
                    async fn deprovision(
                        &self,
                        _: DeprovisionRequest<P>,
                        _: &Operation,
                    ) -> Result<(), DeprovisionError> {
                        Ok(())
                    }
                }

                #[broker]
                pub(crate) struct Broker(pub(crate) Released);
            }
        };
        (@ First) => {};
        (@ First Second) => {
            /// The second plan.
            #[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a93", name = "second")]
            pub(crate) struct Second;
        };
    }
    release!(older, [First]);
    release!(newer, [First Second]);
}
use releases::{newer, older};

const SERVICE: &str = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a91";
const SECOND: &str = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a93";

async fn serve<B: Broker>(broker: B, records: &Records) -> Wire {
    serve_with(broker, records, |_| ()).await
}

async fn serve_with<B: Broker>(broker: B, records: &Records, change: impl FnOnce(&mut Settings)) -> Wire {
    let mut settings = Settings::default();
    change(&mut settings);
    settings.lease = Duration::from_millis(400);
    settings.sync_wait = Duration::from_millis(20);
    settings.store = records.clone();
    Wire::serve_with(broker, settings).await
}

#[tokio::test]
async fn an_older_release_leaves_operations_of_new_plans_to_the_newer_one() {
    let records = Records::in_memory();
    let old = serve(older::Broker(older::Released(Arc::default())), &records).await;
    let new = || serve(newer::Broker(newer::Released(Arc::default())), &records);
    let first = new().await;
    let body = json!({ "service_id": SERVICE, "plan_id": SECOND, "organization_guid": "o", "space_guid": "s" });
    assert_eq!(first.put(&accepting(I), body).await.status, 202);
    first.end().await;
    // Several sweeps.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let poll = old.get(&format!("{I}/last_operation")).await;
    assert_eq!(poll.body["state"], "in progress", "{poll:?}");
    let second = new().await;
    assert_eq!(second.settled(I).await.body["state"], "succeeded");

    // A platform would take a 404 for the end of the instance.
    let update = old.patch(I, json!({ "service_id": SERVICE, "context": { "platform": "cloudfoundry" } })).await;
    for reply in [old.get(I).await, update] {
        assert_eq!(reply.status, 500, "{reply:?}");
    }
    assert_eq!(second.get(I).await.status, 200);
}

/// The newer release is gone.
#[tokio::test]
async fn an_older_release_ends_operations_of_new_plans_after_their_deadline() {
    let records = Records::in_memory();
    let old = serve(older::Broker(older::Released(Arc::default())), &records).await;
    let short = |settings: &mut Settings| settings.max_operation_time = Duration::from_secs(1);
    let new = serve_with(newer::Broker(newer::Released(Arc::default())), &records, short).await;
    let body = json!({ "service_id": SERVICE, "plan_id": SECOND, "organization_guid": "o", "space_guid": "s" });
    assert_eq!(new.put(&accepting(I), body).await.status, 202);
    new.end().await;
    let ended = timeout(Duration::from_secs(20), old.settled(I)).await;
    assert_eq!(ended.expect("it ends").body["state"], "failed");
}
