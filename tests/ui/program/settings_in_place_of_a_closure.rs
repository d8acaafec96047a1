//! Settings, or hooks, stand in place of the closure that changes or makes them.

use osb_runtime::lifecycle::{Hooks, Settings};

include!("../case.rs");

broker!();

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
