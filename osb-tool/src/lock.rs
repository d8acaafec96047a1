//! The command `lock`: compares the catalog with that of the last release.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::{Failure, overrides, overview::printable, print};
use osb_docs::lock::{Differences, Lock, LockError};
use osb_runtime::{catalog::Offering, service::Broker};

const FILE: &str = "catalog.lock";
const OVERRIDES: &str = "catalog-overrides";

pub(super) fn command() -> Command {
    Command::new("lock")
        .about("Record the catalog, or compare it with the last release")
        .long_about(
            "Record the catalog, or compare it with the last release. The lock file contains what platforms and users rely on: \
             ids and names, whether plans are free, capabilities of plans, the schemas of parameters, and the fields of \
             credentials. Commit it with each release. --check compares the catalog with the file and lists breaking \
             changes and who is affected; additions pass.",
        )
        .arg(
            Arg::new("check")
                .long("check")
                .action(ArgAction::SetTrue)
                .help("Fail if the catalog breaks platforms or users that rely on the one in the file"),
        )
        .arg(
            Arg::new("file")
                .long("file")
                .visible_alias("out")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .default_value(FILE)
                .help("Lock file"),
        )
        .arg(
            Arg::new(OVERRIDES)
                .long(OVERRIDES)
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help(
                    "Lock the catalog of a deployment, with its names and the plans of families in this TOML file \
                     [default: the catalog of the program, even if OSB_CATALOG_OVERRIDES is set]",
                ),
        )
}

/// Returns the offerings to lock: those of the program, or those of a deployment. Ignores the environment variables and the
/// configuration file of `serve`.
pub(super) fn offerings<B: Broker>(options: &ArgMatches) -> Result<&'static [&'static Offering], Failure> {
    match options.get_one::<PathBuf>(OVERRIDES) {
        Some(file) => Ok(overrides::apply::<B>(&overrides::read(file)?)?.offerings),
        None => Ok(B::OFFERINGS),
    }
}

pub(super) fn lock(offerings: &[&Offering], options: &ArgMatches, program: &str) -> Result<(), Failure> {
    let path = options.get_one::<PathBuf>("file").cloned().unwrap_or_else(|| FILE.into());
    let shown = path.display();
    let mut write = format!("{program} lock");
    if path.as_os_str() != FILE {
        write += &format!(" --file {shown}");
    }
    if let Some(overrides) = options.get_one::<PathBuf>(OVERRIDES) {
        write += &format!(" --{OVERRIDES} {}", overrides.display());
    }
    let unusable = |error: LockError| Failure::Usage(error.with_help(&write));
    let now = Lock::of(offerings);
    if options.get_flag("check") {
        let differences = Lock::read(&path).map_err(unusable)?.compare(&now);
        if differences.breaks() {
            return Err(Failure::Broken(format!(
                "this release breaks platforms or users that rely on the catalog in {shown}:\n\n{differences}\n\
                 To accept these changes, run `{write}`."
            )));
        }
        return print(&printable(&passed(&differences, &shown.to_string(), &write)));
    }
    let (lock, differences) = match Lock::read(&path) {
        Ok(before) => (now.clone().following(&before), before.compare(&now)),
        Err(LockError::Missing(_)) => (now, Differences::default()),
        Err(error) => return Err(unusable(error)),
    };
    std::fs::write(&path, lock.to_string())
        .map_err(|error| Failure::Broken(format!("{shown} cannot be written: {error}")))?;
    let breaking = if differences.breaks() { " with breaking changes" } else { "" };
    let list = if differences.all().is_empty() { String::new() } else { format!(":\n\n{differences}") };
    print(&printable(&format!("{shown} written{breaking}{}\n", list.trim_end())))
}

fn passed(differences: &Differences, file: &str, write: &str) -> String {
    if differences.all().is_empty() {
        return format!("the catalog is the same as in {file}\n");
    }
    format!(
        "the catalog is compatible with {file}\n\n{differences}\n\
         Run `{write}` with the release, so that later releases are compared with it.\n"
    )
}
