//! The struct that a program opens lacks `#[broker]`, and the program has more than a broker.

use osb_runtime::lifecycle::Hooks;

include!("../handlers.rs");

store!();

/// Not a broker yet.
pub struct Broker {
    kv: Kv,
}

/// Refuses nothing.
pub struct Freely;

impl Hooks for Freely {}

fn main() -> std::process::ExitCode {
    osb_tool::Program::new(async |()| Ok(Broker { kv: Kv }))
        .settings(|_, settings| settings.concurrency = 8)
        .hooks(|_| Freely)
        .run()
}
