//! A service has handlers that its catalog does not declare.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

/// 1 GB, billed monthly.
#[plan(id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "pro", free = false)]
pub struct Pro;

/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "queue", plans(Small))]
pub struct Queue;

/// 100 messages.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "small", maintenance_info(version = "1.0.0"))]
pub struct Small;

provisions!(Kv, Queue);

// Mistake: The service binds a plan that the catalog calls not bindable.
impl Bind<Free> for Kv {
    type Output = LogDrain;
    type BindingState = ();
    async fn bind(&self, _: BindRequest<Free, ()>, _: &Operation) -> Result<Bound<LogDrain>, BindError> {
        Ok(Bound::new(LogDrain::from_static("syslog-tls://logs.example.com:6514"), ()))
    }
    async fn unbind(&self, _: UnbindRequest<Free, ()>, _: &Operation) -> Result<(), UnbindError> {
        Ok(())
    }
}

// Mistake: The service updates a plan that has nothing to update.
impl Update<Free> for Kv {
    async fn update(&self, _: UpdateRequest<Free, Free, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        Ok(Updated::new(()))
    }
}

// Mistake: The service implements a plan change that it does not declare.
impl ChangePlan<Free, Pro> for Kv {
    async fn change_plan(&self, _: UpdateRequest<Free, Pro, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        Ok(Updated::new(()))
    }
}

// Mistake: A generic `Update` does not bound its plan.
impl<P: Plan> Update<P> for Queue {
    async fn update(&self, _: UpdateRequest<P, P, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        Ok(Updated::new(()))
    }
}

// Mistake: A generic `ChangePlan` has no bound that the changes are declared.
impl<Old: Plan, New: Plan> ChangePlan<Old, New> for Queue {
    async fn change_plan(&self, _: UpdateRequest<Old, New, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        Ok(Updated::new(()))
    }
}
