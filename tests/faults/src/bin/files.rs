//! The broker of [`osb_faults::files`].

use std::{path::PathBuf, process::ExitCode};

use osb_faults::files::service::{Broker, Files};
use osb_tool::clap;

/// The author's settings.
#[derive(Debug, clap::Args)]
struct Config {
    /// Directory for the files
    #[arg(long, env = "FILES_FOLDER", value_name = "DIR", default_value = "files")]
    folder: PathBuf,
}

fn main() -> ExitCode {
    osb_tool::run(async |config: Config| Ok(Broker { files: Files::open(&config.folder)? }))
}
