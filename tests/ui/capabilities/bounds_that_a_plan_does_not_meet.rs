//! A service binds and updates all plans with certain parameters, but its plans have other ones; or it binds all plans, and provisions one.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "kv",
    plans(
        // Mistake: The `Bind` of a service is for plans with other parameters.
        Free,
        // Mistake: The `Update` of a service is for plans with other parameters.
        Pro,
    ),
)]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", bindable)]
pub struct Free;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro", maintenance_info(version = "1.0.0"))]
pub struct Pro;

/// Changes of a store.
#[parameters]
pub struct StoreChanges {
    /// Seconds after which a key expires.
    pub ttl: Option<u32>,
}

provisions!(Kv);

impl<P: Bindable<Bind = ()>> Bind<P> for Kv {
    type Output = LogDrain;
    type BindingState = ();
    async fn bind(&self, _: BindRequest<P, ()>, _: &Operation) -> Result<Bound<LogDrain>, BindError> {
        Ok(Bound::new(LogDrain::from_static("syslog-tls://logs.example.com:6514"), ()))
    }
    async fn unbind(&self, _: UnbindRequest<P, ()>, _: &Operation) -> Result<(), UnbindError> {
        Ok(())
    }
}

impl<P: Updatable<Update = StoreChanges>> Update<P> for Kv {
    async fn update(&self, _: UpdateRequest<P, P, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        Ok(Updated::new(()))
    }
}

/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "queue", plans(Small))]
pub struct Queue;

/// 10 messages.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "small", bindable)]
pub struct Small;

impl Provision<Small> for Queue {
    provision_items!(Small);
}

// Mistake: `Bind` is for any plan, and `Provision` for one.
impl<P: Bindable> Bind<P> for Queue {
    type Output = LogDrain;
    type BindingState = ();
    async fn bind(&self, _: BindRequest<P, ()>, _: &Operation) -> Result<Bound<LogDrain>, BindError> {
        Ok(Bound::new(LogDrain::from_static("syslog-tls://logs.example.com:6514"), ()))
    }
    async fn unbind(&self, _: UnbindRequest<P, ()>, _: &Operation) -> Result<(), UnbindError> {
        Ok(())
    }
}

#[broker]
pub struct Broker(Queue);
