//! The closures return closures, futures, credentials and pages, which implement none of the traits of hooks or services, or other values stand in their place.

use osb_runtime::{
    http::{AcceptedCredentials, BrokerService},
    lifecycle::{Event, Hooks, Settings},
    service::Broker,
};
use osb_tool::Program;

/// Refuses nothing.
pub struct Freely;

impl Hooks for Freely {}

// Mistake: The closures return closures, futures and credentials, which implement none of the traits of hooks.
pub fn shared_hooks<B: Broker>(program: Program<'_, (), B>) {
    let _ = program.hooks(|_| std::sync::Arc::new(Freely));
}

pub fn audit<B: Broker>(program: Program<'_, (), B>) {
    let _ = program.audit(|_| |event: &Event| println!("{event:?}"));
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

fn main() {}
