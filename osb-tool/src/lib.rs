//! The command line of a broker: [`run`] makes a program of it, with the commands `serve`, `catalog`, `docs`, `lock`,
//! `client`, `check` and those of operators.
//!
//! The program `osb` has `client`, `check` and `catalog` for brokers that other programs serve, `new`, which writes the project
//! of a broker, and `completions`: `cargo install osb-tool --features check,tls` installs it.
//!
//! The [`guide`] goes through everything that authors and operators do, chapter by chapter.
//!
//! # Features
//!
//! | feature | default | addition |
//! | --- | --- | --- |
//! | `check` | no | the command `check` |
//! | `tls` | no | `serve --tls-cert`, and brokers at `https://` for `client` and `check` |
//! | `postgres` | no | records on PostgreSQL: `--store postgres://…` |
//! | `otel` | no | `--otlp-endpoint`: spans for an OpenTelemetry collector |
//! | `guide` | no | nothing for programs: the guide's links to the attributes in the documentation |
//! | `failpoints` | no | `OSB_FAILPOINT` lets the process die at a chosen place, for crash tests of this project |

// They panic if the output can't be written: `tell` and `print` take their place.
#![deny(clippy::print_stderr, clippy::print_stdout)]

mod admin;
mod banner;
mod broker_args;
#[cfg(feature = "check")]
mod catalog;
#[cfg(feature = "check")]
mod check;
mod cli;
mod client;
mod client_args;
#[cfg(feature = "tls")]
mod client_tls;
mod compatibility;
mod completions;
mod config;
mod credentials;
#[cfg(unix)]
mod descriptors;
mod docs;
mod duration;
mod extension;
mod failure;
mod features;
mod frontend;
mod guesses;
// Its snippets need every feature.
#[cfg(all(any(doc, doctest), feature = "check", feature = "tls"))]
pub mod guide;
mod invocation;
mod listen;
mod lock;
mod log;
mod look_up;
mod metrics;
mod mistakes;
mod new;
mod operate;
mod operations;
mod osb;
#[cfg(feature = "otel")]
mod otel;
mod overrides;
mod overview;
mod own_store;
mod platforms;
mod program;
mod progress;
mod reload;
mod renamed;
mod secret;
mod serve;
mod serve_args;
mod signals;
mod start;
mod stopped;
mod store;
#[cfg(feature = "tls")]
mod tls;
mod transfer;
mod unserved;
mod variables;

#[cfg(test)]
#[path = "../../osb-catalog/tests/unit/catalog_fixture.rs"]
mod fixture;

use std::{io::Write, process::ExitCode};

use clap::ArgMatches;

pub use clap;
pub use duration::parse as duration;
pub use failure::ConfigError;
pub use invocation::Invocation;
pub use metrics::Metrics;
pub use osb::osb;
pub use osb_docs::lock::assert_locked;
use osb_runtime::service::Broker;
pub use own_store::StoreLocation;
pub use program::{ChangeSettings, FromBroker, MountService, OpenBroker, Options, Program, RunCommand};
pub use prometheus_client;
pub use secret::{Secret, SecretParser};

use cli::SchemaKind;
use failure::Failure;

/// Runs a broker as a program with a command line; `main` returns its exit code.
///
/// ```no_run
/// use osb_tool::clap;
/// # use osb_runtime::service::Broker;
/// # fn example<Kv: Broker>(open: impl Fn(&str) -> Result<Kv, std::io::Error>) -> std::process::ExitCode {
/// #[derive(clap::Args)]
/// struct Config {
///     /// Where the stores are
///     #[arg(long, env = "KV_DIRECTORY", default_value = "/var/lib/kv")]
///     directory: String,
/// }
///
/// osb_tool::run(async |config: Config| Ok(open(&config.directory)?))
/// # }
/// ```
///
/// `open` creates the broker from the author's own configuration, whose options appear beside the runtime's; use `()` if
/// there is none. It runs on a multi-threaded tokio runtime, and only if handlers are needed: for `serve`, and for `retry`
/// and `purge` on a stopped broker. `?` accepts any error. A [`Program`] also has hooks, settings, commands and more.
///
/// Secrets among the author's options are a [`Secret`], and times a [`Duration`](std::time::Duration) with
/// `value_parser = osb_tool::duration`, for values such as `200ms`. `main` needs no runtime: within `#[tokio::main]` `run` starts a
/// second one, and with the flavor `current_thread` it refuses to.
///
/// | Command | Purpose |
/// | --- | --- |
/// | `serve` | Serves the broker until SIGTERM or SIGINT. The default command. |
/// | `catalog` | Shows services and plans, or with `--json` the whole catalog; both with the operator's [overrides](osb_runtime::catalog::Overrides). |
/// | `schema SERVICE PLAN OPERATION` | Shows the JSON Schema of the parameters of `create`, `update` or `bind`. |
/// | `lock` | Records the parts of the catalog that platforms and users [rely on](osb_docs::lock) in `catalog.lock`; with `--check`, fails if the catalog would break them. |
/// | `config` | Prints a configuration file with the default of every setting of `serve`. |
/// | `reseal` | Re-encrypts all records with the first key. |
/// | `records check` | Tells whether this release can serve all records, such as those of a backup. |
/// | `records copy` | Copies the records of a stopped broker to another store: from a file to PostgreSQL, or back. |
/// | `import FILE`, `export` | Takes over the instances of another broker, with their ids; writes the instances of this one. |
/// | `instances`, `bindings`, `operations` | Lists them, from the admin address of a running broker or from the file of a stopped one. |
/// | `retry`, `abandon`, `purge`, `cancel` | Retries a failed deletion or rollback, forgets the instance, deletes an instance that its platform has lost, or ends a running operation. |
/// | `docs` | Writes the documentation of the services as Markdown, HTML or OpenAPI. |
/// | `check URL` | Checks any broker for conformance with the specification; with the feature `check`. |
/// | `client` | Sends any broker the requests that a platform would send: `provision`, `bind` and so on. |
/// | `completions SHELL` | Writes a completion script for bash, elvish, fish, powershell or zsh. |
///
/// The exit code is 0 after a success, 1 if the broker failed and a restart may help, 2 if a restart does not help (a wrong command
/// line or configuration, or records that this release or these keys can't read), and 101 if `open` panicked. The guide [lists the
/// causes](https://docs.rs/osb-tool/latest/osb_tool/guide/operating/#shutdown-and-exit-codes).
#[must_use = "`main` returns it as the exit code of the program"]
pub fn run<C: Options, B: Broker>(open: impl OpenBroker<C, B>) -> ExitCode {
    Program::new(open).run()
}

fn finish(done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => fail(&failure),
    }
}

/// Parses the command line, the environment and the configuration file.
fn parse(command: clap::Command) -> Result<ArgMatches, ExitCode> {
    let read = |command: clap::Command| {
        let command = variables::without_empty(command);
        let Some(given) = config::parse_leniently(&command) else { return Ok((None, command)) };
        let command = variables::without_those_of_others(command, &given);
        let file = config::File::find(&given)?;
        let command = match &file {
            Some(file) => file.apply(command)?,
            None => command,
        };
        Ok((file, secret::read_files(secret::prefer_nearer(command, &given))?))
    };
    let (file, mut command) = read(command).map_err(|failure| fail(&failure))?;
    let matches = command.try_get_matches_from_mut(std::env::args_os());
    let matches = matches.map_err(|error| mistakes::refuse(&error, &command, file.as_ref()))?;
    match renamed::in_environment().filter(|_| config::has_settings(&matches)) {
        Some(advice) => Err(fail(&Failure::Usage(advice))),
        None => Ok(matches),
    }
}

fn fail(failure: &Failure) -> ExitCode {
    if !matches!(failure, Failure::Logged(_)) {
        tell(&format!("error: {failure}\n"));
    }
    ExitCode::from(failure.exit_code())
}

fn show_catalog<B: Broker>(options: &ArgMatches) -> Result<(), Failure> {
    let catalog = overrides::effective_catalog::<B>(options)?;
    if options.get_flag("json") {
        let json = osb_docs::catalog::<B>(&catalog).map_err(Failure::broken)?;
        return print(&json);
    }
    let without_plans = catalog.offerings.iter().copied().filter(|offering| offering.plans.is_empty());
    print(&overview::overview(&catalog.in_catalog().into_iter().chain(without_plans).collect::<Vec<_>>()))
}

fn write_docs<B: Broker>(options: &ArgMatches, program: &str) -> Result<(), Failure> {
    docs::write(&overrides::offerings_to_document::<B>(options)?, options, program)
}

fn show_schema<B: Broker>(matches: &ArgMatches) -> Result<(), Failure> {
    let catalog = overrides::effective_catalog::<B>(matches)?;
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str).unwrap_or_default();
    let operation = matches.get_one::<SchemaKind>("operation").copied().unwrap_or(SchemaKind::Create);
    print(&look_up::schema(catalog.offerings, text("service"), text("plan"), operation)?)
}

/// Returns the command `check`, if its feature is enabled.
#[cfg(feature = "check")]
fn check(program: &str) -> [clap::Command; 1] {
    [check::command(program)]
}

#[cfg(not(feature = "check"))]
fn check(_: &str) -> [clap::Command; 0] {
    []
}

/// Runs a future on a single-threaded runtime.
fn blocking<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    Ok(started(tokio::runtime::Builder::new_current_thread())?.block_on(work))
}

fn multi_threaded() -> Result<tokio::runtime::Runtime, Failure> {
    started(tokio::runtime::Builder::new_multi_thread())
}

fn started(mut runtime: tokio::runtime::Builder) -> Result<tokio::runtime::Runtime, Failure> {
    let started = runtime.enable_all().build();
    started.map_err(|error| Failure::Broken(format!("the asynchronous runtime cannot be started: {error}")))
}

/// Formats a number of things, such as `1 record` or `2 records`.
fn counted<N: From<u8> + PartialEq + std::fmt::Display>(number: N, noun: &str) -> String {
    let plural = if number == N::from(1) { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Prints to standard error. If it is closed, there is no other place to report that; `eprint!` would panic. The characters
/// that steer a terminal are replaced, because the text can be from a file or from the answer of a broker.
fn tell(text: &str) {
    let _ = std::io::stderr().write_all(overview::printable(text).as_bytes());
}

/// Prints to standard output. A reader that closes the pipe early, such as `head`, is not an error.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Broken(format!("the output cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}
