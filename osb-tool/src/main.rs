//! The program `osb`: `client`, `check` and `catalog` for brokers that other programs serve, and `new` for new ones.

use std::process::ExitCode;

fn main() -> ExitCode {
    osb_tool::osb()
}
