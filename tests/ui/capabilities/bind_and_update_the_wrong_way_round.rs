//! `Bind` and `Update` are implemented for the plan, and not for the service.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "kv",
    plans(
        // Mistake: `Bind` is implemented for the plan, and not for the service.
        Free,
        // Mistake: `Update` is implemented for the plan, and not for the service.
        Pro,
    ),
)]
pub struct Kv;

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", bindable)]
pub struct Free;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro", maintenance_info(version = "1.0.0"))]
pub struct Pro;

provisions!(Kv);

impl Bind<Kv> for Free {
    type Output = LogDrain;
    type BindingState = ();
    async fn bind(&self, _: BindRequest<Kv, ()>, _: &Operation) -> Result<Bound<LogDrain>, BindError> {
        Ok(Bound::new(LogDrain::from_static("syslog-tls://logs.example.com:6514"), ()))
    }
    async fn unbind(&self, _: UnbindRequest<Kv, ()>, _: &Operation) -> Result<(), UnbindError> {
        Ok(())
    }
}

impl Update<Kv> for Pro {
    async fn update(&self, _: UpdateRequest<Kv, Kv, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        Ok(Updated::new(()))
    }
}

#[broker]
pub struct Broker(Kv);
