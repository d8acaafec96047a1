//! Closures return values that implement none of the traits of hooks or services, or other values stand in their place, or hooks have parts that threads can't share.

use std::rc::Rc;

use osb_runtime::{
    http::{AcceptedCredentials, BoxError, BrokerService},
    lifecycle::{AnyHooks, Event, HookError, Hooks, Readiness, Settings},
    service::Broker,
};
use osb_tool::Program;

/// Refuses nothing.
pub struct Freely;

impl Hooks for Freely {}

// Mistake: The closures return closures, futures, nothing and credentials, which implement none of the traits of hooks.
pub fn shared_hooks<B: Broker>(program: Program<'_, (), B>) {
    let _ = program.hooks(|_| std::sync::Arc::new(Freely));
}

pub fn audit<B: Broker>(program: Program<'_, (), B>) {
    let _ = program.audit(|_| |event: &Event| println!("{event:?}"));
}

pub fn event<B: Broker>(program: Program<'_, (), B>) {
    let _ = program.audit(|_| println!("an event"));
}

pub fn readiness<B: Broker>(program: Program<'_, (), B>) {
    let _ = program.readiness(async |_| Ok(()));
}

pub fn authenticate<B: Broker>(program: Program<'_, (), B>) {
    let _ = program.authenticate(|_| AcceptedCredentials::basic("user", "password"));
}

/// Pages without the traits of a service.
pub struct Pages(pub Option<BrokerService>);

// Mistake: Pages are no HTTP service, or don't get the broker.
pub fn not_a_service<B: Broker>(program: Program<'_, (), B>) {
    let _ = program.mount(|_| |broker| Pages(Some(broker)));
}

pub fn without_the_broker<B: Broker>(program: Program<'_, (), B>) {
    let _ = program.mount(|_| Pages(None));
}

// Mistake: Pages stand in place of the closure that makes them.
pub fn pages<B: Broker>(program: Program<'_, (), B>) {
    let _ = program.mount(Pages(None));
}

// Mistake: Settings stand in place of the closure that changes them.
pub fn settings<B: Broker>(program: Program<'_, (), B>) {
    let _ = program.settings(Settings::default());
}

// Mistake: The hooks stand in place of the closure that makes them.
pub fn hooks<B: Broker>(program: Program<'_, (), B>) {
    let _ = program.hooks(Freely);
}

// Mistake: The closure returns hooks that are wrapped for the settings.
pub fn wrapped<B: Broker>(program: Program<'_, (), B>) {
    let _ = program.hooks(|_| AnyHooks::of(Freely));
}

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
