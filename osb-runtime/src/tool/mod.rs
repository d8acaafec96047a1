//! The command line of a broker.

#[cfg(feature = "check")]
mod check;
mod cli;
mod client;
mod client_args;
mod client_at;
mod look_up;
mod operations;
mod overview;
mod platforms;
mod serve;
mod store;

use std::{fmt, io::Write, path::Path, process::ExitCode};

use clap::{ArgMatches, Args, FromArgMatches};

use crate::{catalog::Offering, docs, http::BoxError, service::Broker};
use cli::{Operation, ServeArgs};

/// Runs a broker as a program with a command line, as `main` does:
///
/// ```no_run
/// # use osb_runtime::{clap, service::Broker};
/// # fn example<Kv: Broker>(open: impl Fn(&str) -> Result<Kv, std::io::Error>) -> std::process::ExitCode {
/// #[derive(clap::Args)]
/// struct Config {
///     /// Where the stores are
///     #[arg(long, env = "KV_DIRECTORY", default_value = "/var/lib/kv")]
///     directory: String,
/// }
///
/// osb_runtime::run(async |config: Config| Ok(open(&config.directory)?))
/// # }
/// ```
///
/// `open` makes the broker from the author's own configuration, which stands beside the runtime's on the command line
/// and in the environment; `()` if there is none. It runs on a multi-threaded tokio runtime, and only when the broker is
/// to serve. `?` takes any error.
///
/// | Command | What it does |
/// | --- | --- |
/// | `serve` | Serves the broker until SIGTERM or SIGINT. The command that is meant if none is given. |
/// | `catalog` | Shows services and plans, with `--json` the whole catalog. |
/// | `schema SERVICE PLAN OPERATION` | Shows the JSON Schema of the parameters of `create`, `update` or `bind`. |
/// | `reseal` | Seals the records of a stopped broker again, with the newest key. |
/// | `docs` | Writes the documentation of the services as Markdown. |
/// | `check URL` | Holds any broker against the rules of the specification; with the feature `check`. |
/// | `client` | Asks a broker, this one or any other, for what platforms ask it: `provision`, `bind` and so on. |
///
/// The exit code is 0 if all went well, 1 if the broker failed, and 2 if it was called or configured in a wrong way.
#[must_use = "`main` returns it, so that whoever started the program learns how it ended"]
pub fn run<C: Args, B: Broker>(open: impl AsyncFnOnce(C) -> Result<B, BoxError>) -> ExitCode {
    let program = cli::program();
    let matches = match cli::command::<C>(&program, B::OFFERINGS).try_get_matches() {
        Ok(matches) => matches,
        Err(error) => return show(&error),
    };
    let done = match matches.subcommand() {
        Some(("catalog", options)) => catalog::<B>(options.get_flag("json")),
        Some(("schema", options)) => schema(B::OFFERINGS, options),
        Some(("docs", options)) => documentation::<B>(options.get_one::<std::path::PathBuf>("out").map(AsRef::as_ref)),
        Some(("reseal", options)) => store::reseal(options, &program),
        Some(("client", options)) => client::run(options),
        #[cfg(feature = "check")]
        Some(("check", options)) => check::run(options),
        Some((_, options)) => serve(open, options, &program),
        None => serve(open, &matches, &program),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            failure.code()
        }
    }
}

/// What clap has to say: help and version too are errors to it.
fn show(error: &clap::Error) -> ExitCode {
    // Nobody is left to hear that nobody listens.
    let _ = error.print();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Why the program ends early: what happened, and what to do.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It was called or configured in a wrong way.
    Usage(String),
    /// It was called all right, and failed.
    Broken(String),
}

impl Failure {
    fn code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Broken(_) => 1,
            Self::Usage(_) => 2,
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Usage(text) | Self::Broken(text)) = self;
        f.write_str(text)
    }
}

fn serve<C: Args, B: Broker>(
    open: impl AsyncFnOnce(C) -> Result<B, BoxError>,
    matches: &ArgMatches,
    program: &str,
) -> Result<(), Failure> {
    let usage = |error: clap::Error| Failure::Usage(error.to_string());
    let config = C::from_arg_matches(matches).map_err(usage)?;
    let options = ServeArgs::from_arg_matches(matches).map_err(usage)?;
    serve::serve(open, config, &options, program)
}

fn catalog<B: Broker>(json: bool) -> Result<(), Failure> {
    if json {
        let json = docs::pretty::catalog::<B>().map_err(|error| Failure::Broken(error.to_string()))?;
        return print(&json);
    }
    print(&overview::overview(B::OFFERINGS))
}

fn schema(offerings: &[&Offering], matches: &ArgMatches) -> Result<(), Failure> {
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str).unwrap_or_default();
    let operation = matches.get_one::<Operation>("operation").copied().unwrap_or(Operation::Create);
    print(&look_up::schema(offerings, text("service"), text("plan"), operation)?)
}

fn documentation<B: Broker>(out: Option<&Path>) -> Result<(), Failure> {
    let markdown = docs::markdown::<B>();
    match out {
        None => print(&markdown),
        Some(path) => std::fs::write(path, markdown)
            .map_err(|error| Failure::Broken(format!("{} cannot be written: {error}", path.display()))),
    }
}

/// The command `check`, if it is built in.
#[cfg(feature = "check")]
fn check(program: &str) -> [clap::Command; 1] {
    [check::command(program)]
}

#[cfg(not(feature = "check"))]
fn check(_: &str) -> [clap::Command; 0] {
    []
}

/// Runs what waits for others.
fn blocking<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Broken(format!("threads cannot be started: {error}")))?;
    Ok(runtime.block_on(work))
}

/// To standard output. A reader that has seen enough, as `head` has, is no failure.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Broken(format!("the output cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}
