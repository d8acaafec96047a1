//! Hooks have parts that only one thread can use: no error about each of their methods.

use std::rc::Rc;

use osb_runtime::{
    http::BoxError,
    lifecycle::{Event, HookError, Hooks, Readiness},
};

/// The quota.
pub struct Quota(Rc<u32>);

// Mistake: Hooks have a part that only one thread can use: no error about each of their methods.
impl Hooks for Quota {
    async fn before(&self, event: &Event) -> Result<(), HookError> {
        println!("{event:?} {}", self.0);
        Ok(())
    }
    async fn after(&self, event: &Event) {
        println!("{event:?} {}", self.0);
    }
}

/// The backend.
pub struct Backend(Rc<String>);

// Mistake: The check of the backend has a part that only one thread can use.
impl Readiness for Backend {
    async fn check(&self) -> Result<(), BoxError> {
        if self.0.is_empty() { Err("no backend".into()) } else { Ok(()) }
    }
}

fn main() {}
