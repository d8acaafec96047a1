//! The closure that runs a command of the author's is not `async`.

use std::process::ExitCode;

use osb_tool::{Program, clap};

include!("../case.rs");

broker!();

pub fn with_a_command() -> ExitCode {
    let command = clap::Command::new("sizes");
    Program::new(async |()| Ok(Broker { kv: Kv })).command(command, |_| Ok(())).run()
}
