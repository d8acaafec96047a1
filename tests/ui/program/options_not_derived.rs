//! The broker's own options have no derive of clap, or the struct that a program opens lacks `#[broker]`.

use std::process::ExitCode;

use osb_runtime::lifecycle::Hooks;

include!("../case.rs");

broker!();

/// The options.
#[derive(Debug)]
pub struct Config {
    /// The directory of the stores.
    pub directory: String,
}

/// Refuses nothing.
pub struct Freely;

impl Hooks for Freely {}

// Mistake: The broker's own options have no derive of clap.
pub fn a_broker() -> ExitCode {
    osb_tool::run(async |_: Config| Ok(Broker { kv: Kv }))
}

// Mistake: The options lack clap's derive, and the program has more than a broker.
pub fn a_program() -> ExitCode {
    osb_tool::Program::new(async |_: Config| Ok(Broker { kv: Kv }))
        .hooks(|_| Freely)
        .command(osb_tool::clap::Command::new("usage"), async |invocation| {
            println!("{:?} {:?}", invocation.matches(), invocation.records().await?.store().plan_usage().await?.len());
            Ok(())
        })
        .run()
}

/// Not a broker yet.
pub struct Plain {
    kv: Kv,
}

// Mistake: The struct that a program opens lacks `#[broker]`, and the program has more than a broker.
pub fn no_broker() -> ExitCode {
    osb_tool::Program::new(async |()| Ok(Plain { kv: Kv }))
        .settings(|_, settings| settings.concurrency = 8)
        .hooks(|_| Freely)
        .run()
}
