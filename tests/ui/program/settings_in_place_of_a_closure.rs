//! Settings, or hooks, stand in place of the closure that changes or makes them.

use osb_runtime::prelude::*;
use osb_runtime::lifecycle::{Hooks, Settings};

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

provisions!(Kv);

/// The broker.
#[broker]
pub struct Broker {
    kv: Kv,
}

/// Refuses nothing.
pub struct Freely;

impl Hooks for Freely {}

// Mistake: Settings stand in place of the closure that changes them.
pub fn settings() -> std::process::ExitCode {
    osb_tool::Program::new(async |()| Ok(Broker { kv: Kv })).settings(Settings::default()).run()
}

// Mistake: The hooks stand in place of the closure that makes them.
pub fn hooks() -> std::process::ExitCode {
    osb_tool::Program::new(async |()| Ok(Broker { kv: Kv })).hooks(Freely).run()
}

fn main() {}
