//! Author error types map each variant to a response and a retry decision.

use std::io;

use osb_lab::prelude::*;
use osb_runtime::prelude::*;

const DISK_FULL: ErrorCode = ErrorCode::from_static("DiskFull");

/// The errors of the backend.
enum StoreError {
    Full,
    Busy,
    Unreachable(io::Error),
    Corrupt,
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Full => Self::refused("The disk is full.").code(DISK_FULL),
            StoreError::Busy => Self::concurrency(),
            StoreError::Unreachable(error) => Self::temporary(error),
            StoreError::Corrupt => Self::unexpected("the index has no root"),
        }
    }
}

/// An error of updates only.
struct Downgrade;

impl From<Downgrade> for UpdateError {
    fn from(_: Downgrade) -> Self {
        Self::refused("The store can't shrink.").instance_usable(true).update_repeatable(false)
    }
}

/// An error that implements `std::error::Error`, so that it can't be converted implicitly into something else.
#[derive(Debug)]
struct QuotaExceeded;

impl std::fmt::Display for QuotaExceeded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the quota is exceeded")
    }
}

impl std::error::Error for QuotaExceeded {}

impl QuotaExceeded {
    fn classify(self) -> Failure {
        Failure::invalid(format!("Not possible: {self}."))
    }
}

/// Stores that fail as their ids say.
#[service(id = "4d0e5a52-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "stores", plans(Any))]
#[derive(Clone, Default)]
struct Stores {
    /// The operation ids of all attempts.
    attempts: Notes,
    /// The ids of the instances that were deprovisioned, once for each attempt.
    deprovisioned: Notes,
}

/// The only plan.
#[plan(id = "4d0e5a52-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "any", create = Size, update = SizeChanges)]
struct Any;

/// The size of a store.
#[parameters(partial = SizeChanges)]
struct Size {
    /// Size in MB.
    #[param(default = 1)]
    size: u32,
}

impl Stores {
    fn create(&self, instance: &str, operation: &Operation) -> Result<(), StoreError> {
        self.attempts.add(operation.id().to_owned());
        match instance {
            "full" => Err(StoreError::Full),
            "busy" => Err(StoreError::Busy),
            "unreachable" => Err(StoreError::Unreachable(io::ErrorKind::ConnectionRefused.into())),
            "restarting" if self.attempts.all().len() < 3 => {
                Err(StoreError::Unreachable(io::ErrorKind::ConnectionReset.into()))
            }
            "corrupt" => Err(StoreError::Corrupt),
            _ => Ok(()),
        }
    }
}

fn check_quota(size: u32) -> Result<(), QuotaExceeded> {
    if size > 100 { Err(QuotaExceeded) } else { Ok(()) }
}

impl Provision<Any> for Stores {
    type State = ();

    async fn provision(
        &self,
        request: ProvisionRequest<Any>,
        operation: &Operation,
    ) -> Result<Provisioned, ProvisionError> {
        self.create(request.id(), operation)?;
        check_quota(request.parameters.size).map_err(QuotaExceeded::classify)?;
        Ok(Provisioned::new(()))
    }

    async fn deprovision(&self, request: DeprovisionRequest<Any>, _: &Operation) -> Result<(), DeprovisionError> {
        self.deprovisioned.add(request.id().to_owned());
        match request.id() {
            "kept" => Err(StoreError::Full)?,
            "unreachable" if self.deprovisioned.all().len() < 4 => {
                Err(StoreError::Unreachable(io::ErrorKind::ConnectionRefused.into()))?
            }
            _ => Ok(()),
        }
    }
}

impl Update<Any> for Stores {
    async fn update(&self, request: UpdateRequest<Any, Any, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        if request.old_parameters.decoded().is_some_and(|before| request.parameters.size < before.size) {
            Err(Downgrade)?;
        }
        Ok(Updated::new(()))
    }
}

#[broker]
struct Broker(Stores);

const IDS: &str = "service_id=4d0e5a52-54a5-4a3c-9e0a-6b1c4f6f5a01&plan_id=4d0e5a52-54a5-4a3c-9e0a-6b1c4f6f5a02";

fn body(size: u32) -> Value {
    new_of("4d0e5a52-54a5-4a3c-9e0a-6b1c4f6f5a01", "4d0e5a52-54a5-4a3c-9e0a-6b1c4f6f5a02", json!({ "size": size }))
}

fn path(instance: &str) -> String {
    format!("/v2/service_instances/{instance}")
}

async fn serve(stores: &Stores) -> Wire {
    let mut settings = Settings::default();
    (settings.retry.initial_delay, settings.retry.max_attempts) = (Duration::from_millis(1), 4);
    Wire::serve_with(Broker(stores.clone()), settings).await
}

/// Provisions an instance. Returns the answer, and the operation ids of the attempts.
async fn provision(instance: &str, size: u32) -> (Reply, Vec<String>) {
    let stores = Stores::default();
    let reply = serve(&stores).await.put(&path(instance), body(size)).await;
    (reply, stores.attempts.all())
}

#[tokio::test]
async fn a_refused_variant_is_shown_to_the_user() {
    let (reply, attempts) = provision("full", 1).await;
    assert_eq!(reply.status, 400);
    assert_eq!(reply.body, json!({ "error": "DiskFull", "description": "The disk is full." }));
    assert_eq!(attempts.len(), 1, "a refusal is not retried");
    let (reply, _) = provision("busy", 1).await;
    assert_eq!((reply.status, &reply.body["error"]), (422, &json!("ConcurrencyError")));
    let (reply, _) = provision("large", 101).await;
    assert_eq!((reply.status, reply.description()), (400, "Not possible: the quota is exceeded."));
}

#[tokio::test]
async fn a_refusal_has_the_status_of_its_operation() {
    let wire = serve(&Stores::default()).await;
    assert_eq!(wire.put(&path("kept"), body(2)).await.status, 201);
    let refused = wire.patch(&path("kept"), body(1)).await;
    assert_eq!((refused.status, refused.description()), (422, "The store can't shrink."));
    assert_eq!((&refused.body["instance_usable"], &refused.body["update_repeatable"]), (&json!(true), &json!(false)));
    let refused = wire.delete(&format!("{}?{IDS}", path("kept"))).await;
    assert_eq!((refused.status, &refused.body["error"]), (422, &json!("DiskFull")));
}

#[tokio::test]
async fn a_temporary_variant_is_retried_under_the_same_operation_id() {
    let (reply, attempts) = provision("restarting", 1).await;
    assert_eq!((reply.status, attempts.len()), (201, 3));
    assert!(attempts.iter().all(|id| *id == attempts[0]), "{attempts:?}");
    let id = &attempts[0];
    assert!(id.len() == 32 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')), "{id}");
    let (reply, attempts) = provision("unreachable", 1).await;
    assert_eq!((reply.status, attempts.len()), (500, 4), "the last attempt's error is unexpected");
}

/// The backend is still away when the rollback begins.
#[tokio::test]
async fn a_rollback_has_retries_of_its_own() {
    let stores = Stores::default();
    let wire = serve(&stores).await;
    assert_eq!(wire.put(&path("unreachable"), body(1)).await.status, 500);
    assert_eq!(stores.deprovisioned.all(), ["unreachable"; 4]);
    let reply = wire.delete(&format!("{}?{IDS}", path("unreachable"))).await;
    assert_eq!(reply.status, 410, "ORP-02: nothing is left");
}

#[tokio::test]
async fn an_unexpected_variant_is_shown_in_the_log_only() {
    let (reply, attempts) = provision("corrupt", 1).await;
    assert_eq!((reply.status, attempts.len()), (500, 1));
    assert!(!reply.body.to_string().contains("index"), "{}", reply.body);
}
