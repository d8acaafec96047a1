//! The requests of the in-process platform, and files of catalogs and states.

use std::{
    fs, panic,
    sync::{Arc, Mutex, PoisonError},
};

use osb_runtime::prelude::*;
use osb_testing::{Client, assert_catalog, assert_states_decode};
use serde_json::json;

/// Mail boxes, which write down what they are asked for.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "boxes",
    plans(Small, Large),
    changes(Small => Large)
)]
struct Boxes {
    seen: Arc<Mutex<Vec<String>>>,
}

/// For letters.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "small", bindable, requires_app, asynchronous(instances = always))]
struct Small;

/// For parcels.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "large", bindable)]
struct Large;

/// Access to a box.
#[credentials]
struct Key {
    number: u32,
}

impl Boxes {
    fn saw(&self, text: String) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }
}

impl<P: Plan> Provision<P> for Boxes {
    type State = ();

    async fn provision(&self, _: ProvisionRequest<P>, _: &Operation) -> Result<Provisioned, ProvisionError> {
        Ok(Provisioned::new(()))
    }

    async fn deprovision(&self, request: DeprovisionRequest<P>, _: &Operation) -> Result<(), DeprovisionError> {
        self.saw(format!("deprovision {} {}", request.id(), request.plan.name));
        Ok(())
    }
}

impl ChangePlan<Small, Large> for Boxes {
    async fn change_plan(&self, _: UpdateRequest<Small, Large, ()>, _: &Operation) -> Result<Updated<()>, UpdateError> {
        Ok(Updated::new(()))
    }
}

impl<P: Plan + Bindable> Bind<P> for Boxes {
    type Output = Credentials<Key>;
    type BindingState = ();

    async fn bind(&self, request: BindRequest<P, ()>, _: &Operation) -> Result<Bound<Credentials<Key>>, BindError> {
        self.saw(format!("bind {}", request.id()));
        Ok(Bound::new(Credentials(Key { number: 1 }), ()))
    }

    async fn unbind(&self, request: UnbindRequest<P, ()>, _: &Operation) -> Result<(), UnbindError> {
        self.saw(format!("unbind {}", request.id()));
        Ok(())
    }
}

#[broker]
struct Broker(Boxes);

#[tokio::test]
async fn requests_are_those_of_a_platform() {
    let seen = Arc::<Mutex<Vec<String>>>::default();
    let platform = Client::new(Broker(Boxes { seen: Arc::clone(&seen) })).await;
    let bound = platform.bind("box", "app", ()).await;
    assert_eq!(bound.status, 404, "the first plan of the catalog, of an unknown instance: {bound:?}");
    // This plan accepts no requests of platforms that don't poll.
    assert_eq!(platform.provision("box", "boxes", "small", ()).await.status, 202);
    assert_eq!(platform.follow("box", None).await.body["state"], "succeeded");
    // It requires an application; an id may contain anything.
    let bound = platform.bind("box", "a/b ?ü", ()).await;
    assert_eq!(bound.status, 201, "{bound:?}");
    let polled = platform.follow("box", Some("a/b ?ü")).await;
    assert_eq!(polled.status, 200, "{polled:?}");
    assert_eq!(platform.unbind("box", "a/b ?ü").await.status, 200);
    assert_eq!(platform.deprovision("box").await.status, 202);
    assert_eq!(platform.follow("box", None).await.status, 410);
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
    assert_eq!(seen, ["bind a/b ?ü", "unbind a/b ?ü", "deprovision box small"]);
}

#[tokio::test]
async fn the_plan_of_a_refused_instance_is_not_remembered() {
    let platform = Client::new(Broker(Boxes { seen: Arc::default() })).await;
    let refused = platform.provision("box", "boxes", "large", json!({ "size": 1 })).await;
    assert_eq!(refused.status, 400, "it has no parameters: {refused:?}");
    // Another platform creates the instance, with the first plan of the catalog.
    let body = json!({
        "service_id": "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", "plan_id": "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02",
        "organization_guid": "o", "space_guid": "s",
    });
    let path = "/v2/service_instances/box?accepts_incomplete=true";
    assert_eq!(platform.request("PUT", path, Some(body)).await.status, 202);
    assert_eq!(platform.follow("box", None).await.body["state"], "succeeded");
    let bound = platform.bind("box", "app", ()).await;
    assert_eq!(bound.status, 201, "{bound:?}");
}

#[test]
fn a_catalog_that_differs_from_its_file_fails() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("catalog.json");
    let said = |file: &std::path::Path| {
        let failed = panic::catch_unwind(|| assert_catalog::<Broker>(file)).expect_err("it fails");
        failed.downcast_ref::<String>().expect("a message").clone()
    };
    assert!(said(&file).contains("does not exist\n  help: `OSB_UPDATE=1 cargo test` creates it"), "{}", said(&file));
    fs::write(&file, "{}\n").expect("it is written");
    assert!(said(&file).contains("the catalog differs from "), "{}", said(&file));
}

#[test]
fn a_file_without_states_proves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("states.json");
    fs::write(&file, "[]\n").expect("it is written");
    let failed = panic::catch_unwind(|| assert_states_decode::<Broker>(&file)).expect_err("it fails");
    let said = failed.downcast_ref::<String>().expect("a message");
    assert!(said.ends_with("there are no states in it"), "{said}");
}
