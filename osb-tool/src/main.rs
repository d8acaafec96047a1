//! The program `osb`: the commands `client` and `check` for brokers that other programs serve.

use std::process::ExitCode;

fn main() -> ExitCode {
    osb_tool::osb()
}
