//! Pages that are no HTTP service, that don't get the broker, and that stand in place of the closure.

use osb_runtime::{http::BrokerService, service::Broker};
use osb_tool::Program;

/// Pages without the traits of a service.
pub struct Pages(pub Option<BrokerService>);

pub fn not_a_service<B: Broker>(program: Program<'_, (), B>) {
    let _ = program.mount(|_| |broker| Pages(Some(broker)));
}

pub fn without_the_broker<B: Broker>(program: Program<'_, (), B>) {
    let _ = program.mount(|_| Pages(None));
}

pub fn not_a_closure<B: Broker>(program: Program<'_, (), B>) {
    let _ = program.mount(Pages(None));
}

fn main() {}
