//! The requests of the in-process platform, and files of catalogs and states.

use std::{
    env, fs, panic,
    process::Command,
    sync::{Arc, Mutex, PoisonError},
};

use osb_runtime::{lifecycle::Settings, prelude::*, store::Records};
use osb_testing::{
    Client, assert_catalog, assert_states_decode, save_states,
    store::{key, put},
};
use serde_json::{Value, json};

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
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "large", bindable, rotatable)]
struct Large;

/// Crates, whose plan has the name of another one.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "crates", plans(Crate))]
struct Crates;

/// For bottles.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "small")]
struct Crate;

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

impl Provision<Crate> for Crates {
    type State = ();

    async fn provision(&self, _: ProvisionRequest<Crate>, _: &Operation) -> Result<Provisioned, ProvisionError> {
        Ok(Provisioned::new(()))
    }

    async fn deprovision(&self, _: DeprovisionRequest<Crate>, _: &Operation) -> Result<(), DeprovisionError> {
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
        let after = request.predecessor.as_ref().map(|old| format!(" after {}", old.binding_id.as_str()));
        self.saw(format!("bind {}{}", request.id(), after.unwrap_or_default()));
        Ok(Bound::new(Credentials(Key { number: 1 }), ()))
    }

    async fn unbind(&self, request: UnbindRequest<P, ()>, _: &Operation) -> Result<(), UnbindError> {
        self.saw(format!("unbind {}", request.id()));
        Ok(())
    }
}

#[broker]
struct Broker(Boxes, Crates);

#[tokio::test]
async fn requests_are_those_of_a_platform() {
    let seen = Arc::<Mutex<Vec<String>>>::default();
    let platform = Client::new(Broker(Boxes { seen: Arc::clone(&seen) }, Crates)).await;
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
    assert_eq!(platform.follow("box", Some("none")).await.status, 404, "a binding, not its instance");
    assert_eq!(platform.unbind("box", "a/b ?ü").await.status, 200);
    assert_eq!(platform.deprovision("box").await.status, 202);
    assert_eq!(platform.follow("box", None).await.status, 410);
    assert_eq!(platform.provision("crate", "crates", "small", ()).await.status, 201, "the plan of this service");
    assert_eq!(platform.provision("chest", "boxes", "large", ()).await.status, 201);
    assert_eq!(platform.bind("chest", "old", ()).await.status, 201);
    let rotated = platform.rotate("chest", "new", "old").await;
    assert_eq!(rotated.status, 201);
    assert!(rotated.body["credentials"]["number"].is_u64());
    let shown = format!("{rotated:?}");
    assert!(shown.contains(r#"Answer { status: 201, body: {"credentials":".."}"#), "{shown}");
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
    assert_eq!(seen, ["bind a/b ?ü", "unbind a/b ?ü", "deprovision box small", "bind old", "bind new after old"]);
}

#[tokio::test]
async fn the_plan_of_an_instance_of_another_client_is_known_once_it_is_fetched() {
    let settings = Settings::default(); // with the records of both
    let platform = async || Client::with(Broker(Boxes { seen: Arc::default() }, Crates), settings.clone()).await;
    assert_eq!(platform().await.provision("chest", "boxes", "large", ()).await.status, 201);
    let next = platform().await;
    assert_eq!(next.bind("chest", "app", ()).await.status, 400, "the first plan of the catalog");
    assert_eq!(next.fetch_instance("chest").await.status, 200);
    let bound = next.bind("chest", "app", ()).await;
    assert_eq!(bound.status, 201, "{bound:?}");
}

#[tokio::test]
async fn a_clone_is_the_same_platform() {
    let platform = Client::new(Broker(Boxes { seen: Arc::default() }, Crates)).await;
    let clone = platform.clone();
    let made = tokio::spawn(async move { clone.provision("chest", "boxes", "large", ()).await });
    assert_eq!(made.await.expect("no panic").status, 201);
    let bound = platform.bind("chest", "app", ()).await;
    assert_eq!(bound.status, 201, "not the first plan of the catalog: {bound:?}");
}

#[tokio::test]
async fn the_plan_of_a_refused_instance_is_not_remembered() {
    let platform = Client::new(Broker(Boxes { seen: Arc::default() }, Crates)).await;
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
fn the_catalog_is_compared_or_written() {
    const FILE: &str = "golden/catalog.json";
    if env::var_os("OSB_TEST_OF_GOLDEN_FILE").is_some() {
        return assert_catalog::<Broker>(FILE);
    }
    // The environment is that of a process.
    let folder = tempfile::tempdir().expect("a folder");
    let run = |update: &str| {
        let mut test = Command::new(env::current_exe().expect("the program of this test"));
        test.args(["--exact", "platform::the_catalog_is_compared_or_written"]).current_dir(env::temp_dir());
        test.env("OSB_TEST_OF_GOLDEN_FILE", "1").env("CARGO_MANIFEST_DIR", folder.path()).env("OSB_UPDATE", update);
        let run = test.output().expect("it runs");
        (run.status.success(), String::from_utf8_lossy(&[run.stdout, run.stderr].concat()).into_owned())
    };
    for no in ["0", ""] {
        let (passes, said) = run(no);
        assert!(!passes && said.contains("does not exist\n  help: `OSB_UPDATE=1 cargo test` creates it"), "{said}");
    }
    for update in ["1", "0"] {
        assert!(run(update).0, "{update}");
    }
    fs::write(folder.path().join(FILE), "{}\n").expect("the file is in the folder of the crate");
    let (passes, said) = run("0");
    assert!(!passes && said.contains("the catalog differs from "), "{said}");
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

#[tokio::test]
async fn the_states_of_all_records_are_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("states.json");
    let mut settings = Settings::default();
    settings.store = Records::in_memory();
    // More than a page.
    for number in 0..1000 {
        put(settings.store.store(), &key("", &number.to_string()), Some(("", None))).await;
    }
    save_states(&settings.store, &file).await;
    let saved = fs::read(&file).expect("a file");
    assert_eq!(serde_json::from_slice::<Vec<Value>>(&saved).expect("JSON").len(), 1000);
    save_states(&settings, &file).await;
    assert_eq!(fs::read(&file).expect("a file"), saved);
}
