//! Responses stay valid when an author returns careless values. The test client validates each response by its schema.

use osb_lab::prelude::*;
use std::collections::BTreeMap;

use osb_runtime::{
    prelude::*,
    service::{Endpoint, Endpoints},
};
use serde_json::Map;

use crate::logged;

/// A service with a careless author.
#[service(id = "0b8f7a52-54a5-4a3c-9e0a-6b1c4f6f5b01", name = "careless", plans(Plain))]
#[derive(Debug)]
struct Careless;

/// The only plan.
#[plan(
    id = "0b8f7a52-54a5-4a3c-9e0a-6b1c4f6f5b02",
    name = "plain",
    create = Input,
    update = InputChanges,
    bind = Input
)]
#[derive(Debug)]
struct Plain;

/// The mistake to make.
#[parameters(partial = InputChanges)]
#[derive(Debug, Clone)]
struct Input {
    /// The name of the mistake.
    #[param(default = "not at all")]
    how: String,
}

/// Credentials without any field.
#[credentials]
struct Anything {
    /// Fields by name.
    any: BTreeMap<String, String>,
}

const BROKEN: ErrorCode = ErrorCode::from_static("Broken");

type Given = (Credentials<Anything>, LogDrain, VolumeMounts, Endpoints);

impl Provision<Plain> for Careless {
    type State = ();

    async fn provision(
        &self,
        request: ProvisionRequest<Plain>,
        _: &Operation<()>,
    ) -> Result<Provisioned<()>, ProvisionError> {
        match request.parameters.how.as_str() {
            "no reason" => Err(ProvisionError::refused("")),
            "a code of 422" => Err(ProvisionError::refused("No.").code(ErrorCode::new("AsyncRequired")?)),
            "a code of an error" => Err(ProvisionError::unexpected("it broke").code(BROKEN)),
            "no dashboard" => Ok(Provisioned::new(()).dashboard(DashboardUrl::new("")?)),
            "half a dashboard" => Ok(Provisioned::new(()).dashboard(DashboardUrl::new("/stores/1")?)),
            "a long dashboard" => {
                Ok(Provisioned::new(()).dashboard(DashboardUrl::new(format!("https://a/{}", "x".repeat(16_000)))?))
            }
            "a blocked thread" => {
                std::thread::sleep(Duration::from_secs(1));
                Ok(Provisioned::new(()))
            }
            "a late dashboard" => {
                Ok(Provisioned::new(()).dashboard(DashboardUrl::from_static("https://stores.example.com/1")))
            }
            "null" => Ok(Provisioned::new(()).attribute("nothing", Value::Null)),
            _ => Ok(Provisioned::new(())),
        }
    }

    fn dashboard_url(&self, _: &Tenant, instance: &str) -> Result<Option<DashboardUrl>, BoxError> {
        Ok((instance != "i").then(|| DashboardUrl::new(instance)).transpose()?)
    }

    async fn deprovision(
        &self,
        request: DeprovisionRequest<Plain, ()>,
        _: &Operation<()>,
    ) -> Result<(), DeprovisionError> {
        match request.parameters.decoded().as_ref().map(|input| input.how.as_str()) {
            Some("no reason to stay") => Err(DeprovisionError::refused("")),
            Some("a code to stay") => {
                Err(DeprovisionError::refused("No.").code(ErrorCode::new("MaintenanceInfoConflict")?))
            }
            _ => Ok(()),
        }
    }
}

impl Update<Plain> for Careless {
    async fn update(
        &self,
        request: UpdateRequest<Plain, Plain, ()>,
        _: &Operation<()>,
    ) -> Result<Updated<()>, UpdateError> {
        match request.parameters.how.as_str() {
            "no reason" => Err(UpdateError::refused("")),
            "a code of 422" => Err(UpdateError::refused("No.").code(ErrorCode::new("ConcurrencyError")?)),
            "another code of 422" => Err(UpdateError::concurrency().code(BROKEN)),
            _ => Ok(Updated::new(())),
        }
    }
}

impl Bind<Plain> for Careless {
    type Output = Given;
    type BindingState = ();

    async fn bind(&self, request: BindRequest<Plain, (), ()>, _: &Operation<()>) -> Result<Bound<Given>, BindError> {
        let (mut drain, mut mounts) = ("syslog://a.example", vec![mount("nfs")]);
        let mut endpoints = vec![Endpoint::tcp("a.example", 1)];
        match request.parameters.how.as_str() {
            "no reason" => return Err(BindError::refused("")),
            "a code of 422" => return Err(BindError::refused("No.").code(ErrorCode::new("RequiresApp")?)),
            "no drain" => drain = "",
            "no mounts" => mounts = Vec::new(),
            "no driver" => mounts = vec![mount("")],
            "no endpoints" => endpoints = Vec::new(),
            "no host" => endpoints = vec![Endpoint::tcp("", 1)],
            "port 0" => endpoints = vec![Endpoint::tcp("a.example", 0)],
            "backwards" => {
                let (high, low) = (3, 2);
                endpoints = vec![Endpoint::tcp("a.example", 1).ports(high..=low)];
            }
            _ => {}
        }
        let credentials = Credentials(Anything { any: BTreeMap::new() });
        Ok(Bound::new((credentials, LogDrain::new(drain)?, VolumeMounts(mounts), Endpoints(endpoints)), ()))
    }

    async fn unbind(&self, request: UnbindRequest<Plain, (), ()>, _: &Operation<()>) -> Result<(), UnbindError> {
        match request.parameters.decoded().as_ref().map(|input| input.how.as_str()) {
            Some("no reason to stay") => Err(UnbindError::refused("")),
            Some("a code to stay") => Err(UnbindError::refused("No.").code(ErrorCode::new("RequiresApp")?)),
            _ => Ok(()),
        }
    }
}

fn mount(driver: &str) -> VolumeMount {
    VolumeMount {
        driver: driver.to_owned(),
        container_dir: "/data".to_owned(),
        read_only: true,
        volume_id: "v".to_owned(),
        mount_config: Map::new(),
    }
}

/// The broker.
#[broker]
#[derive(Debug)]
struct CarelessBroker {
    careless: Careless,
}

const DELETE: &str = "service_id=0b8f7a52-54a5-4a3c-9e0a-6b1c4f6f5b01&plan_id=0b8f7a52-54a5-4a3c-9e0a-6b1c4f6f5b02";

fn body(how: &str) -> Value {
    new_of("0b8f7a52-54a5-4a3c-9e0a-6b1c4f6f5b01", "0b8f7a52-54a5-4a3c-9e0a-6b1c4f6f5b02", json!({ "how": how }))
}

/// The handler that makes the mistake.
#[derive(Debug, Clone, Copy, PartialEq)]
enum When {
    Create,
    Update,
    Delete,
    Bind,
    Unbind,
}

/// Returns the response to the request whose handler makes the mistake.
async fn response(when: When, how: &str) -> Reply {
    let wire = Wire::serve(CarelessBroker { careless: Careless }).await;
    let first = if [When::Create, When::Delete].contains(&when) { how } else { "not at all" };
    let created = wire.put(I, body(first)).await;
    match when {
        When::Create => created,
        When::Update => wire.patch(I, body(how)).await,
        When::Delete => wire.delete(&format!("{I}?{DELETE}")).await,
        When::Bind => wire.put(B, body(how)).await,
        When::Unbind => {
            wire.put(B, body(how)).await;
            wire.delete(&format!("{B}?{DELETE}")).await
        }
    }
}

#[tokio::test]
async fn careless_values_break_no_response() {
    for (when, how, status) in [
        (When::Create, "no reason", 400),
        // No platform can use these, so the author has to know.
        (When::Create, "a code of 422", 500),
        (When::Create, "a code of an error", 500),
        (When::Create, "no dashboard", 500),
        (When::Create, "half a dashboard", 500),
        (When::Create, "a long dashboard", 500),
        (When::Create, "null", 201),
        (When::Update, "no reason", 422),
        (When::Update, "a code of 422", 500),
        (When::Update, "another code of 422", 500),
        (When::Delete, "no reason to stay", 422),
        (When::Delete, "a code to stay", 500),
        (When::Bind, "no reason", 400),
        (When::Bind, "a code of 422", 500),
        // An application can't use these, so the author's mistake is an error.
        (When::Bind, "no drain", 500),
        (When::Bind, "no driver", 500),
        (When::Bind, "no host", 500),
        (When::Bind, "port 0", 500),
        (When::Bind, "no mounts", 201),
        (When::Bind, "no endpoints", 201),
        (When::Bind, "backwards", 201),
        (When::Unbind, "no reason to stay", 422),
        (When::Unbind, "a code to stay", 500),
    ] {
        println!("{when:?}: {how}"); // shown if the client refuses the response
        assert_eq!(response(when, how).await.status, status, "{when:?}: {how}");
    }
}

#[tokio::test]
async fn fields_without_a_value_are_left_out() {
    assert_eq!(response(When::Create, "null").await.body, json!({}), "META-02");
    for (how, field) in [("no mounts", "volume_mounts"), ("no endpoints", "endpoints")] {
        let mut whole = response(When::Bind, "not at all").await.body;
        whole.as_object_mut().expect("an object").remove(field).expect("it is there with care");
        assert_eq!(response(When::Bind, how).await.body, whole, "BIND-20, BIND-22: {how}");
    }
}

#[tokio::test]
async fn an_early_dashboard_url_that_is_invalid_fails_the_request() {
    logged::begin();
    let wire = Wire::serve(CarelessBroker { careless: Careless }).await;
    let path = "/v2/service_instances/relative";
    assert_eq!(wire.put(path, body("not at all")).await.status, 500);
    let log = logged::text();
    let told = |line: &str| line.contains("a dashboard URL must be absolute") && line.contains("operation=");
    assert!(log.lines().any(told), "{log}");
    assert_eq!(wire.get(path).await.status, 404, "nothing was created");
}

/// A platform reads the URL from its first response only.
#[tokio::test]
async fn the_log_names_a_dashboard_url_that_comes_too_late() {
    logged::begin();
    let mut settings = Settings::default();
    settings.sync_wait = Duration::ZERO;
    let wire = Wire::serve_with(CarelessBroker { careless: Careless }, settings).await;
    let is_it = |line: &str| line.contains("dashboard URL after a 202") && line.contains("instance=\"i\"");
    let warns = || logged::text().lines().any(|line| line.contains(" WARN ") && is_it(line));
    assert_eq!(wire.put(I, body("a late dashboard")).await.status, 201, "not asynchronous");
    assert!(!warns(), "{}", logged::text());
    wire.delete(&format!("{I}?{DELETE}")).await;
    let path = accepting(I);
    assert_eq!(wire.put(&path, body("a late dashboard")).await.status, 202);
    assert_eq!(wire.settled(I).await.body["state"], "succeeded");
    assert!(warns(), "PROV-16: {}", logged::text());
}

#[tokio::test]
async fn the_log_has_the_reason_for_an_invalid_result() {
    logged::begin();
    for (when, how, why) in [
        (When::Create, "a code of 422", "the specification reserves this error code"),
        (
            When::Create,
            "a code of an error",
            "the error code `Broken` on an unexpected error, which can't have it: it broke",
        ),
        (When::Create, "no dashboard", "a dashboard URL must not be empty"),
        (When::Create, "half a dashboard", "a dashboard URL must be absolute"),
        (When::Create, "a long dashboard", "a dashboard URL is longer than Cloud Foundry can store"),
        (When::Update, "another code of 422", "the error code `Broken` on a `ConcurrencyError` refusal"),
        (When::Bind, "no drain", "a log drain URL must not be empty"),
        (When::Bind, "no driver", "the driver of a volume mount is empty"),
        (When::Bind, "no host", "the host of an endpoint is empty"),
        (When::Bind, "port 0", "the endpoint a.example has port 0, which is not a valid port"),
    ] {
        response(when, how).await;
        let log = logged::text();
        assert!(log.lines().any(|line| line.contains(" ERROR ") && line.contains(why)), "{why} in {log}");
    }
}

#[tokio::test]
async fn the_log_names_a_handler_that_blocks_its_thread() {
    logged::begin();
    assert_eq!(response(When::Create, "a blocked thread").await.status, 201);
    let log = logged::text();
    let reports = |line: &&str| line.contains(" WARN ") && line.contains("a handler blocked its thread");
    let reported: Vec<_> = log.lines().filter(reports).collect();
    assert!(
        reported.len() == 1 && reported[0].contains("handler=\"provision\"") && reported[0].contains("instance=\"i\""),
        "{log}"
    );
}
