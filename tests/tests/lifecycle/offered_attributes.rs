//! The attributes of a service for contexts, maintenance, fetching and expiry have their effects.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use osb_lab::{
    direct::Direct,
    requests::{accepting, binding, instance},
    wire::Reply,
};
use osb_runtime::{
    lifecycle::{Clock, Settings},
    prelude::*,
    protocol::Context,
};
use serde_json::{Value, json};
use tokio::time::sleep;

const SERVICE: &str = "5d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01";
const FIRST: &str = "5d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02";
const SECOND: &str = "5d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03";

/// A service that gets no updates of the context alone, and whose bindings can't be fetched and expire after an hour.
#[service(
    id = "5d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "plain",
    plans(First, Second),
    changes(First => Second),
    bindings_retrievable = false
)]
#[derive(Clone, Default)]
struct Plain {
    spaces: Arc<Mutex<Vec<String>>>,
}

/// The first plan.
#[plan(
    id = "5d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02",
    name = "first",
    bindable,
    rotatable,
    maintenance_info(version = "1.0.0", description = "A restart.")
)]
struct First;

/// The second plan.
#[plan(
    id = "5d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03",
    name = "second",
    maintenance_info(version = "2.0.0", description = "A restart.")
)]
struct Second;

#[broker]
struct PlainBroker {
    plain: Plain,
}

impl<P: Plan<Create = NoParameters>> Provision<P> for Plain {
    type State = ();

    async fn provision(&self, _: ProvisionRequest<P>, _: &Operation) -> Result<Provisioned, ProvisionError> {
        Ok(Provisioned::new(()))
    }

    async fn deprovision(&self, request: DeprovisionRequest<P>, _: &Operation) -> Result<(), DeprovisionError> {
        if let Context::CloudFoundry(space) = &*request.context {
            self.spaces.lock().unwrap_or_else(PoisonError::into_inner).push(space.space_guid.clone());
        }
        Ok(())
    }
}

osb_lab::update_nothing!(Plain: First, Second);
osb_lab::change_nothing!(Plain: First => Second);

impl Bind<First> for Plain {
    type Output = Endpoints;
    type BindingState = ();

    async fn bind(&self, _: BindRequest<First, ()>, _: &Operation) -> Result<Bound<Endpoints>, BindError> {
        sleep(Duration::from_secs(10)).await;
        let bound = Bound::new(Endpoints(vec![Endpoint::tcp("plain.example.com", 443)]), ());
        Ok(bound.expires_at(SystemTime::now() + Duration::from_hours(1)))
    }

    async fn unbind(&self, _: UnbindRequest<First, ()>, _: &Operation) -> Result<(), UnbindError> {
        Ok(())
    }
}

struct Platform {
    broker: Direct,
    plain: Plain,
}

impl Platform {
    /// Starts a broker, and creates the instance `i`.
    async fn start() -> Self {
        let (plain, mut settings) = (Plain::default(), Settings::default());
        settings.clock = Clock::of_runtime();
        let broker = Direct::start(PlainBroker { plain: plain.clone() }, settings).await;
        let platform = Self { broker, plain };
        let context = json!({ "platform": "cloudfoundry", "organization_guid": "o", "space_guid": "old" });
        let body = json!({ "plan_id": FIRST, "organization_guid": "o", "space_guid": "old", "context": context });
        assert_eq!(platform.send("PUT", &instance("i"), body).await.status, 201);
        platform
    }

    async fn send(&self, method: &str, path: &str, mut body: Value) -> Reply {
        body["service_id"] = json!(SERVICE);
        self.broker.send(method, &accepting(path), Some(&body)).await
    }

    async fn bind(&self, id: &str, predecessor: Option<&str>) -> Reply {
        let mut body = json!({ "plan_id": FIRST });
        if let Some(predecessor) = predecessor {
            body = json!({ "predecessor_binding_id": predecessor });
        }
        self.send("PUT", &binding("i", id), body).await
    }
}

#[tokio::test(start_paused = true)]
async fn upd_03_a_context_alone_is_not_stored_unless_the_service_allows_it() {
    let platform = Platform::start().await;
    let context = json!({ "platform": "cloudfoundry", "organization_guid": "o", "space_guid": "new" });
    assert_eq!(platform.send("PATCH", &instance("i"), json!({ "context": context })).await.status, 200);
    let deleted = format!("{}?service_id={SERVICE}&plan_id={FIRST}", instance("i"));
    assert_eq!(platform.broker.send("DELETE", &deleted, None).await.status, 200);
    assert_eq!(*platform.plain.spaces.lock().expect("not poisoned"), ["old"]);
}

#[tokio::test(start_paused = true)]
async fn geti_08_a_change_of_plan_brings_the_maintenance_version_of_the_new_plan() {
    let platform = Platform::start().await;
    let fetch = async || platform.broker.send("GET", &instance("i"), None).await.body;
    assert_eq!(fetch().await["maintenance_info"], json!({ "version": "1.0.0" }));
    assert_eq!(platform.send("PATCH", &instance("i"), json!({ "plan_id": SECOND })).await.status, 200);
    let fetched = fetch().await;
    assert_eq!((&fetched["plan_id"], &fetched["maintenance_info"]), (&json!(SECOND), &json!({ "version": "2.0.0" })));
}

#[tokio::test(start_paused = true)]
async fn t44_a_binding_that_cannot_be_fetched_is_not_created_asynchronously() {
    let platform = Platform::start().await;
    let bound = platform.bind("b", None).await;
    assert_eq!(bound.status, 201, "{bound:?}");
    assert_eq!(bound.body["endpoints"][0]["host"], "plain.example.com");
}

#[tokio::test(start_paused = true)]
async fn t34_an_expired_binding_is_no_predecessor() {
    let platform = Platform::start().await;
    assert_eq!(platform.bind("b", None).await.status, 201);
    assert_eq!(platform.bind("c", Some("b")).await.status, 201, "ROT-01: it has not expired");
    sleep(Duration::from_hours(2)).await;
    let late = platform.bind("d", Some("b")).await;
    assert_eq!(late.status, 400, "{late:?}");
    assert!(late.description().contains("has expired"), "{late:?}");
    assert_eq!(platform.bind("d", None).await.status, 201);
}
