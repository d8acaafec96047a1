//! The broker of [`osb_faults::files`].

use std::{path::PathBuf, process::ExitCode};

use osb_faults::files::service::{Broker, Files};
use osb_tool::clap;
use tokio::runtime::Builder;

/// The author's settings.
#[derive(Debug, clap::Args)]
struct Config {
    /// Directory for the files
    #[arg(long, env = "FILES_FOLDER", value_name = "DIR", default_value = "files")]
    folder: PathBuf,
}

fn main() -> ExitCode {
    let run = || osb_tool::run(async |config: Config| Ok(Broker { files: Files::open(&config.folder)? }));
    // As `#[tokio::main]` does.
    let mut around = match std::env::var("FILES_RUNTIME").as_deref() {
        Ok("multi_thread") => Builder::new_multi_thread(),
        Ok("current_thread") => Builder::new_current_thread(),
        _ => return run(),
    };
    around.enable_all().build().expect("a runtime").block_on(async { run() })
}
