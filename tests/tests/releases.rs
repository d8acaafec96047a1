//! What becomes of records when the types that they were made with change from one release of a broker to the next.

use osb_lab::{
    lab::{Lab, LabBroker, ids},
    requests::{DELETE, bind, binding, instance, new},
    wire::Wire,
    yesterday::{Lab as YesterdaysLab, YesterdaysBroker},
};
use osb_runtime::{
    http::{BrokerService, Credentials, HttpSettings},
    lifecycle::Settings,
    service::Broker,
    store::Records,
};
use serde_json::json;

/// Records that each release opens anew.
struct Kept(Records);

impl Kept {
    fn new() -> Self {
        Self(Records::in_memory())
    }

    fn open(&self) -> Settings {
        let mut settings = Settings::default();
        settings.store = self.0.clone();
        settings
    }

    async fn serve<B: Broker>(&self, broker: B) -> Wire {
        Wire::serve_with(broker, self.open()).await
    }

    /// Why a broker does not start with these records.
    async fn refused<B: Broker>(&self, broker: B) -> Vec<String> {
        let credentials = Credentials::basic("user", "pass").expect("a user without colon");
        match BrokerService::start_with(broker, credentials, HttpSettings::default(), self.open()).await {
            Ok(_) => Vec::new(),
            Err(error) => error.problems().to_vec(),
        }
    }
}

const I: &str = "/v2/service_instances/i";

#[tokio::test]
async fn a_live_plan_that_is_not_known_stops_the_start() {
    let kept = Kept::new();
    let today = kept.serve(LabBroker { lab: Lab::default() }).await;
    for (id, plan) in [("a", ids::SMALL), ("b", ids::TWIN), ("c", ids::TWIN), ("d", ids::CLOSED)] {
        assert_eq!(today.put(&instance(id), new(plan, json!({}))).await.status, 201);
    }
    assert_eq!(today.put(&binding("a", "x"), bind(ids::SMALL, json!({}))).await.status, 201);
    assert_eq!(today.put(&binding("b", "x"), bind(ids::TWIN, json!({}))).await.status, 201);
    assert_eq!(today.put(&instance("e"), new(ids::QUICK, json!({}))).await.status, 201);
    assert_eq!(today.delete(&format!("{}?{DELETE}", instance("e"))).await.status, 200);
    drop(today);
    let problems = kept.refused(YesterdaysBroker { lab: YesterdaysLab }).await;
    assert_eq!(
        problems,
        [
            "the records have 1 binding of plan \"small\" (6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a02) of service \"lab\", \
             which is no longer bindable, so that nothing could unbind them; make it bindable again, which a `retired` \
             plan can be too, or delete them with the release that could",
            "the records have 1 instance of plan 6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a04 of service \"lab\", which does not \
             have it any more; bring the plan back, as `retired` if it is not to be sold, or delete them with the \
             release that knew it",
            "the records have 2 instances and 1 binding of plan 6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a06 of service \"lab\", \
             which does not have it any more; bring the plan back, as `retired` if it is not to be sold, or delete them \
             with the release that knew it",
        ],
        "what is gone is of no plan"
    );

    let again = kept.serve(LabBroker { lab: Lab::default() }).await;
    for path in [binding("a", "x"), instance("b"), instance("c"), instance("d")] {
        assert_eq!(again.delete(&format!("{path}?{DELETE}")).await.status, 200);
    }
    drop(again);
    assert_eq!(kept.refused(YesterdaysBroker { lab: YesterdaysLab }).await, [""; 0]);
}

#[tokio::test]
async fn an_instance_that_is_being_moved_is_of_two_plans() {
    let (kept, lab) = (Kept::new(), Lab::default());
    let today = kept.serve(LabBroker { lab: lab.clone() }).await;
    assert_eq!(today.put(I, new(ids::SMALL, json!({}))).await.status, 201);
    let change = json!({ "service_id": ids::LAB, "plan_id": ids::LARGE, "parameters": { "mood": "wait" } });
    assert_eq!(today.patch(&format!("{I}?accepts_incomplete=true"), change).await.status, 202);
    let problems = kept.refused(YesterdaysBroker { lab: YesterdaysLab }).await;
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].starts_with(&format!("the records have 1 instance of plan {}", ids::LARGE)), "{problems:?}");
    lab.gate.open();
}
