//! The struct that a program opens lacks `#[broker]`, and the program has more than a broker.

use osb_runtime::lifecycle::Hooks;
use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

provisions!(Kv);

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
