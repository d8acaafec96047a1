//! The options lack clap's derive, and the program has more than a broker.

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

/// The broker.
#[broker]
pub struct Broker {
    kv: Kv,
}

/// The options.
pub struct Config;

/// Refuses nothing.
pub struct Freely;

impl Hooks for Freely {}

fn main() -> std::process::ExitCode {
    osb_tool::Program::new(async |_: Config| Ok(Broker { kv: Kv }))
        .hooks(|_| Freely)
        .command(osb_tool::clap::Command::new("usage"), async |invocation| {
            println!("{:?} {:?}", invocation.matches(), invocation.records().await?.store().plan_usage().await?.len());
            Ok(())
        })
        .run()
}
