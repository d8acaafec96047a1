//! Secrets don't leak (T68): lifecycles, failures, panics and a restart, with a mark in each secret. No mark may be in the
//! output of the process at the most verbose log level, or in its records file.

use std::{path::Path, process::Command};

use osb_lab::prelude::*;
use osb_runtime::prelude::*;
use osb_store::{Keys, Redb};
use serde::{Deserialize, Serialize};

/// A service that keeps secrets.
#[service(id = "1c0e5a52-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "vault", plans(Small, Large), changes(Small => Large))]
struct Vault;

/// A small one.
#[plan(id = "1c0e5a52-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "small", create = Setup, update = SetupChanges, bind = Access, rotatable)]
struct Small;

/// A large one.
#[plan(id = "1c0e5a52-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "large", create = Setup, bind = Access)]
struct Large;

/// The parameters of an instance.
#[parameters(partial = SetupChanges)]
struct Setup {
    /// A secret.
    #[param(secret, pattern = "^MARK")]
    secret: String,
    /// A parameter that is not marked as secret, and may still contain one.
    note: Option<String>,
    /// The behaviour of the handler.
    #[param(default = "well")]
    how: String,
}

/// The parameters of a binding.
#[parameters]
struct Access {
    /// A secret.
    #[param(secret)]
    secret: String,
    /// The behaviour of the handler.
    #[param(default = "well")]
    how: String,
}

/// The credentials of a binding.
#[credentials]
struct Opener {
    /// The word.
    word: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    secret: String,
}

/// Behaves as `how` says. Its messages contain no secrets, because an author's messages are logged.
async fn go<T: From<&'static str>>(how: &str, operation: &Operation<Kept>) -> Result<Kept, T> {
    let kept = Kept { secret: "MARK-state".to_owned() };
    _ = operation.checkpoint(&Kept { secret: "MARK-checkpoint".to_owned() }).await;
    operation.progress("going");
    match how {
        "badly" => Err("it went badly".into()),
        "panicking" => panic!("it panicked"),
        "slowly" => {
            tokio::time::sleep(Duration::from_millis(1500)).await;
            Ok(kept)
        }
        _ => Ok(kept),
    }
}

/// Prints what handlers get and return: it has no values that may be secret.
fn show(value: &impl std::fmt::Debug) {
    eprintln!("{value:?}");
}

trait Size: Plan<Create = Setup, Bind = Access> + Bindable {}
impl Size for Small {}
impl Size for Large {}

impl<P: Size> Provision<P> for Vault {
    type State = Kept;
    async fn provision(
        &self,
        request: ProvisionRequest<P>,
        operation: &Operation<Kept>,
    ) -> Result<Provisioned<Kept>, ProvisionError> {
        show(&request);
        let kept = go::<ProvisionError>(&request.parameters.how, operation).await?;
        let provisioned = Provisioned::new(kept)
            .dashboard(DashboardUrl::from_static("https://vault.example.com/MARK-dashboard"))
            .label("kind", "MARK-label")
            .attribute("size", "MARK-attribute");
        show(&provisioned);
        Ok(provisioned)
    }
    async fn deprovision(
        &self,
        request: DeprovisionRequest<P, Kept>,
        _: &Operation<Kept>,
    ) -> Result<(), DeprovisionError> {
        show(&request);
        Ok(())
    }
}

impl Update<Small> for Vault {
    async fn update(
        &self,
        request: UpdateRequest<Small, Small, Kept>,
        operation: &Operation<Kept>,
    ) -> Result<Updated<Kept>, UpdateError> {
        show(&request);
        let updated = Updated::new(go::<UpdateError>(&request.parameters.how, operation).await?);
        show(&updated);
        Ok(updated)
    }
}

impl ChangePlan<Small, Large> for Vault {
    async fn change_plan(
        &self,
        request: UpdateRequest<Small, Large, Kept>,
        operation: &Operation<Kept>,
    ) -> Result<Updated<Kept>, UpdateError> {
        show(&request);
        let updated = Updated::new(go::<UpdateError>(&request.parameters.how, operation).await?);
        show(&updated);
        Ok(updated)
    }
}

impl<P: Size> Bind<P> for Vault {
    type Output = Credentials<Opener>;
    type BindingState = Kept;
    async fn bind(
        &self,
        request: BindRequest<P, Kept, Kept>,
        operation: &Operation<Kept>,
    ) -> Result<Bound<Credentials<Opener>, Kept>, BindError> {
        show(&request);
        let kept = go::<BindError>(&request.parameters.how, operation).await?;
        let bound = Bound::new(Credentials(Opener { word: "MARK-credentials".to_owned() }), kept);
        show(&bound);
        Ok(bound)
    }
    async fn unbind(&self, request: UnbindRequest<P, Kept, Kept>, _: &Operation<Kept>) -> Result<(), UnbindError> {
        show(&request);
        Ok(())
    }
}

#[broker]
struct Broker(Vault);

const ONE: &str = "/v2/service_instances/one";
const KEY: &str = "8f5d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea";
const IDS: &str = "service_id=1c0e5a52-54a5-4a3c-9e0a-6b1c4f6f5a01&plan_id=1c0e5a52-54a5-4a3c-9e0a-6b1c4f6f5a02";

fn with_ids(mut fields: Value) -> Value {
    fields["service_id"] = json!("1c0e5a52-54a5-4a3c-9e0a-6b1c4f6f5a01");
    fields["plan_id"] = json!("1c0e5a52-54a5-4a3c-9e0a-6b1c4f6f5a02");
    fields["context"] = json!({
        "platform": "cloudfoundry", "organization_guid": "o", "space_guid": "s", "annotations": { "a": "MARK-context" },
    });
    fields
}

fn new(how: &str) -> Value {
    with_ids(json!({
        "organization_guid": "o", "space_guid": "s",
        "parameters": { "secret": "MARK-create", "note": "MARK-note", "how": how },
    }))
}

fn bound(how: &str) -> Value {
    with_ids(json!({
        "bind_resource": { "app_guid": "a", "credential": "MARK-resource" },
        "parameters": { "secret": "MARK-bind", "how": how },
    }))
}

async fn serve(file: &Path) -> (Wire, Records) {
    let mut settings = Settings::default();
    settings.sync_wait = Duration::from_millis(500);
    settings.store = Redb::open(file, KEY.parse::<Keys>().expect("a key")).expect("it opens").into();
    let records = settings.store.clone();
    (Wire::serve_with(Broker(Vault), settings).await, records)
}

/// Sends all kinds of requests, valid and invalid, with marks.
async fn run(file: &Path) {
    let (wire, records) = serve(file).await;
    for how in ["badly", "panicking"] {
        assert_eq!(wire.put(ONE, new(how)).await.status, 500);
        assert_eq!(wire.put(&accepting(ONE), new(how)).await.status, 500);
    }
    assert_eq!(wire.put(&accepting(ONE), new("slowly")).await.status, 202);
    assert_eq!(wire.settled(ONE).await.body["state"], "succeeded");
    assert_eq!(wire.put(ONE, new("slowly")).await.status, 200);
    assert_eq!(wire.put(ONE, new("well")).await.status, 409);
    for how in ["badly", "panicking", "well"] {
        let parameters = json!({ "secret": "MARK-update", "note": "MARK-changed", "how": how });
        let change = with_ids(json!({ "parameters": parameters, "previous_values": { "org_id": "MARK-previous" } }));
        let expected = if how == "well" { 200 } else { 500 };
        assert_eq!(wire.patch(ONE, change).await.status, expected);
        let path = format!("{ONE}/service_bindings/{how}");
        assert_eq!(wire.put(&path, bound(how)).await.status, if how == "well" { 201 } else { 500 });
    }
    let mut rotated = bound("well");
    rotated["predecessor_binding_id"] = json!("well");
    assert_eq!(wire.put(&format!("{ONE}/service_bindings/next"), rotated).await.status, 201);
    assert_eq!(wire.get(&format!("{ONE}/service_bindings/well")).await.body["credentials"]["word"], "MARK-credentials");
    assert_eq!(wire.get(ONE).await.status, 200);

    // Invalid requests.
    let two = "/v2/service_instances/two";
    for parameters in [
        json!({ "secret": 17, "note": "MARK-wrong" }),
        json!({ "secret": "not MARK-pattern" }),
        json!({ "secret": "MARK", "colour": "MARK-unknown" }),
        json!("MARK-text"),
    ] {
        let mut wrong = new("well");
        wrong["parameters"] = parameters;
        assert_eq!(wire.put(two, wrong).await.status, 400);
    }
    for body in ["{\"parameters\": {\"secret\": \"MARK-cut", "MARK-garbage", "{\"service_id\": {\"MARK-nested\": 1}}"] {
        let headers = [("Authorization", AUTHORIZATION), ("X-Broker-API-Version", "2.17")];
        assert_eq!(wire.exchange_text("PUT", two, &headers, body).await.status, 400);
    }
    for header in ["Basic TUFSSy11c2VyOk1BUkstcGFzc3dvcmQ=", "Bearer MARK-token", "MARK-scheme x", "MARK-alone"] {
        let headers = [("Authorization", header), ("X-Broker-API-Version", "2.17")];
        assert_eq!(wire.exchange("GET", ONE, &headers, None).await.status, 401);
    }
    let identity = [("X-Broker-API-Originating-Identity", "cloudfoundry TUFSSy1pZGVudGl0eQ==")];
    wire.send("GET", &format!("{ONE}?token=MARK-query"), &identity, None).await;

    // A restart with a running operation.
    let three = "/v2/service_instances/three";
    assert_eq!(wire.put(&accepting(three), new("slowly")).await.status, 202);
    records.close().await;
    drop((wire, records));
    let (wire, records) = serve(file).await;
    assert_eq!(wire.settled(three).await.body["state"], "succeeded");
    assert_eq!(wire.get(&format!("{ONE}/service_bindings/next")).await.body["credentials"]["word"], "MARK-credentials");
    for path in [three, &format!("{ONE}/service_bindings/well"), ONE] {
        assert_eq!(wire.delete(&format!("{path}?{IDS}")).await.status, 200);
    }
    records.close().await;
}

const CHILD: &str = "OSB_TEST_SECRETS_FILE";

/// Runs itself in a child process, and reads the whole output.
#[test]
fn no_secret_is_printed_or_readable_on_disk() {
    if let Some(file) = std::env::var_os(CHILD) {
        tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_ansi(false)
            .with_writer(std::io::stderr)
            .init();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        return runtime.expect("a runtime").block_on(run(Path::new(&file)));
    }
    let folder = tempfile::tempdir().expect("a temporary folder is created");
    let file = folder.path().join("records.redb");
    let test = ["--exact", "secrets::no_secret_is_printed_or_readable_on_disk", "--nocapture"];
    let child = Command::new(std::env::current_exe().expect("this test")).args(test).env(CHILD, &file).output();
    let child = child.expect("the program runs");
    let output = [child.stdout, child.stderr].concat();
    let output = String::from_utf8_lossy(&output);
    assert!(child.status.success(), "{output}");
    let shown = [
        "ProvisionRequest {",
        "UpdateRequest {",
        "DeprovisionRequest {",
        "BindRequest {",
        "UnbindRequest {",
        "Predecessor {",
    ];
    for seen in shown.into_iter().chain(["Provisioned {", "Updated {", "Bound {"]) {
        assert!(output.contains(seen), "{seen} is not shown: {output}");
    }
    for seen in ["TRACE", "it went badly", "it panicked", "took over", "osb_runtime::audit"] {
        assert!(output.contains(seen), "{seen} is not in the log: {output}");
    }
    let secrets = ["MARK", "TUFSSy", KEY, "1728394a"];
    let leaks: Vec<&str> = output.lines().filter(|line| secrets.iter().any(|secret| line.contains(secret))).collect();
    assert!(leaks.is_empty(), "{leaks:#?}");
    let stored = std::fs::read(&file).expect("the file is there");
    assert!(!stored.windows(4).any(|bytes| bytes == b"MARK"), "something is readable in the file");
}
