//! Tests of the in-process platform, with a minimal broker.

use std::time::Duration;

use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};

use super::{Answer, Client, Given};
use osb_runtime::{lifecycle::Settings, prelude::*};

/// For trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free", bindable, create = Size, update = Size)]
struct Free;

/// The size of a collection.
#[parameters]
struct Size {
    /// Megabytes.
    size: Option<u8>,
}

/// For everything else.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "pro")]
struct Pro;

/// Collects logs. Changes of plan take long, and fail for the instance `bad`.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "logs",
    plans(Free, Pro),
    changes(Free => Pro)
)]
struct Logs;

impl<P: Plan> Provision<P> for Logs {
    type State = ();

    async fn provision(&self, _: ProvisionRequest<P>, _: &Operation<()>) -> Result<Provisioned<()>, ProvisionError> {
        Ok(Provisioned::new(()))
    }

    async fn deprovision(&self, _: DeprovisionRequest<P, ()>, _: &Operation<()>) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

impl ChangePlan<Free, Pro> for Logs {
    async fn change_plan(
        &self,
        request: UpdateRequest<Free, Pro, ()>,
        _: &Operation<()>,
    ) -> Result<Updated<()>, UpdateError> {
        tokio::time::sleep(Duration::from_millis(200)).await;
        if request.id() == "bad" {
            return Err(UpdateError::refused("There is no room."));
        }
        Ok(Updated::new(()))
    }
}

impl Update<Free> for Logs {
    async fn update(&self, _: UpdateRequest<Free, Free, ()>, _: &Operation<()>) -> Result<Updated<()>, UpdateError> {
        tokio::time::sleep(Duration::from_millis(200)).await;
        Ok(Updated::new(()))
    }
}

impl Bind<Free> for Logs {
    type Output = LogDrain;
    type BindingState = ();

    async fn bind(&self, _: BindRequest<Free, (), ()>, _: &Operation<()>) -> Result<Bound<LogDrain, ()>, BindError> {
        Ok(Bound::new(LogDrain::from_static("syslog-tls://logs.example:6514"), ()))
    }

    async fn unbind(&self, _: UnbindRequest<Free, (), ()>, _: &Operation<()>) -> Result<(), UnbindError> {
        Ok(())
    }
}

#[broker]
struct Broker {
    logs: Logs,
}

async fn platform() -> Client {
    Client::new(Broker { logs: Logs }).await
}

#[tokio::test]
async fn an_instance_goes_through_its_lifecycle() {
    let platform = platform().await;
    assert_eq!(platform.catalog().await.body["services"][0]["name"], "logs");
    // An id may contain anything.
    let id = "a/b ?ü";
    assert_eq!(platform.provision(id, "logs", "free", ()).await.status, 201);
    assert_eq!(platform.fetch_instance(id).await.body["plan_id"], "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02");
    let bound = platform.bind(id, "app", ()).await;
    assert_eq!(bound.status, 201);
    assert_eq!(bound.body["syslog_drain_url"], "syslog-tls://logs.example:6514");
    assert_eq!(platform.fetch_binding(id, "app").await.body, bound.body);
    assert_eq!(platform.unbind(id, "app").await.status, 200);
    assert_eq!(platform.change_plan(id, "pro", ()).await.status, 200);
    assert_eq!(platform.fetch_instance(id).await.body["plan_id"], "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03");
    assert_eq!(platform.deprovision(id).await.status, 200);
    assert_eq!(platform.deprovision(id).await.status, 410);
}

#[tokio::test]
async fn a_change_of_plan_counts_when_it_has_succeeded() {
    let mut settings = Settings::default();
    settings.sync_wait = Duration::from_millis(1);
    let platform = Client::with(Broker { logs: Logs }, settings).await;
    for (id, end, plan) in [
        ("good", Some("succeeded"), "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03"),
        ("fetched", None, "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03"),
        ("bad", Some("failed"), "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02"),
    ] {
        assert!(platform.provision(id, "logs", "free", ()).await.status.is_success());
        assert_eq!(platform.follow(id, None).await.body["state"], "succeeded");
        assert_eq!(platform.change_plan(id, "pro", ()).await.status, 202);
        assert_eq!(platform.of(id).1, "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", "{id}: it is running");
        match end {
            Some(state) => assert_eq!(platform.follow(id, None).await.body["state"], state),
            None => {
                while platform.fetch_instance(id).await.body["plan_id"] != plan {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            }
        }
        assert_eq!(platform.of(id).1, plan, "{id}");
    }
    assert_eq!(platform.update("bad", json!({ "size": 1 })).await.status, 202);
    assert_eq!(platform.follow("bad", None).await.body["state"], "succeeded");
    assert_eq!(platform.of("bad").1, "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", "the change of the plan has failed");
}

#[test]
fn no_parameters_are_not_an_empty_object() {
    let mut body = json!({});
    Given::from(()).add_to(&mut body);
    Given::from(None).add_to(&mut body);
    assert_eq!(body, json!({}));
    Given::from(Some(json!({}))).add_to(&mut body);
    assert_eq!(body, json!({ "parameters": {} }));
}

#[tokio::test]
async fn a_path_that_cannot_be_sent_is_named() {
    for path in ["v2/catalog", "/v2/service_instances/a b"] {
        let sent = tokio::spawn(async move { platform().await.request("GET", path, None).await });
        let said = sent.await.expect_err("it panics").into_panic().downcast::<String>().expect("a message");
        assert!(said.starts_with(&format!("GET {path:?} can't be sent: ")), "{said}");
    }
}

#[tokio::test]
async fn invalid_requests_are_sent_unchanged() {
    let platform = platform().await;
    let refused = platform.provision("one", "logs", "none", ()).await;
    assert_eq!(refused.status, 400, "{refused:?}");
    let refused = platform.provision("one", "logs", "free", json!({ "colour": 1 })).await;
    assert_eq!(refused.status, 400, "{refused:?}");
    let refused = platform.request("POST", "/v2/catalog", Some(Value::Null)).await;
    assert_eq!(refused.status, 405, "{refused:?}");
    let unknown = platform.send(http::Request::new(http_body_util::Full::default())).await;
    assert_eq!(unknown.status, 401, "{unknown:?}");
}

#[test]
fn debug_output_of_a_catalog_has_no_secret_of_a_dashboard_client() {
    let service = |client: Value| json!({ "name": "logs", "dashboard_client": client });
    let body = json!({ "services": [service(json!({ "id": "logs", "secret": "hidden" })), service(Value::Null)] });
    let catalog = Answer { status: StatusCode::OK, headers: HeaderMap::new(), body };
    let shown = format!("{catalog:?}");
    assert!(
        shown.contains(r#""dashboard_client":{"id":"logs","secret":".."}"#) && !shown.contains("hidden"),
        "{shown}"
    );
}
