//! The options lack clap's derive, and the program has more than a broker.

use osb_runtime::lifecycle::Hooks;

include!("../handlers.rs");

broker!();

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
