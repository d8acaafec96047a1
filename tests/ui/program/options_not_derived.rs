//! The broker's own options have no derive of clap.

include!("../handlers.rs");

broker!();

/// The options.
#[derive(Debug)]
pub struct Config {
    /// The directory of the stores.
    pub directory: String,
}

fn main() -> std::process::ExitCode {
    osb_tool::run(async |_: Config| Ok(Broker { kv: Kv }))
}
