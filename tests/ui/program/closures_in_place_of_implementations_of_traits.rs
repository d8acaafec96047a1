//! The closures return closures, futures and credentials, which implement none of the traits of hooks.

use osb_runtime::{
    http::AcceptedCredentials,
    lifecycle::{Event, Hooks},
    service::Broker,
};
use osb_tool::Program;

/// Refuses nothing.
pub struct Freely;

impl Hooks for Freely {}

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

fn main() {}
