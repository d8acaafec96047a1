//! A handler, a hook and a readiness check are no `async fn`, or a handler holds a value that is not `Send` across an await.

use osb_runtime::prelude::*;
use osb_runtime::{
    http::BoxError,
    lifecycle::{Event, HookError, Hooks, Readiness},
};

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Small))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

// Mistake: A handler is no `async fn`.
impl Provision<Free> for Kv {
    type State = ();
    fn provision(&self, _: ProvisionRequest<Free>, _: &Operation<()>) -> Result<Provisioned<()>, ProvisionError> {
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Free, ()>, _: &Operation<()>) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "small")]
pub struct Small;

// Mistake: A handler holds a value that is not `Send` across an await.
impl Provision<Small> for Kv {
    type State = ();
    async fn provision(&self, _: ProvisionRequest<Small>, _: &Operation<()>) -> Result<Provisioned<()>, ProvisionError> {
        let quota = std::rc::Rc::new(10);
        std::future::ready(()).await;
        println!("{quota}");
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Small, ()>, _: &Operation<()>) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

/// Refuses changes on Sundays.
pub struct Freeze;

// Mistake: A hook lacks `async`.
impl Hooks for Freeze {
    fn before(&self, _: &Event) -> Result<(), HookError> {
        Ok(())
    }
}

/// A database.
pub struct IsUp;

// Mistake: A readiness check lacks `async`.
impl Readiness for IsUp {
    fn check(&self) -> Result<(), BoxError> {
        Ok(())
    }
}

fn main() {}
