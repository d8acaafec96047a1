//! The command line of a broker: [`run`] makes a program of it, with the commands `serve`, `catalog`, `docs`, `lock`,
//! `client`, `check` and those of operators.
//!
//! The [`guide`] goes through everything that authors and operators do, chapter by chapter.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `check` | no | the command `check` |
//! | `tls` | no | `serve --tls-cert`, and brokers at `https://` for `client` and `check` |
//! | `failpoints` | no | `OSB_FAILPOINT` lets the process die at a chosen place, for crash tests of this project |

mod admin;
mod banner;
#[cfg(feature = "check")]
mod check;
mod cli;
mod client;
mod client_args;
mod client_at;
mod completions;
mod config;
mod docs;
// Its snippets need every feature.
#[cfg(all(any(doc, doctest), feature = "check", feature = "tls"))]
pub mod guide;
mod listen;
mod lock;
mod log;
mod look_up;
mod metrics;
mod operate;
mod operations;
mod overrides;
mod overview;
mod platforms;
mod serve;
mod store;
#[cfg(feature = "tls")]
mod tls;

#[cfg(test)]
#[path = "../../osb-runtime/tests/unit/catalog.rs"]
mod fixture;

use std::{fmt, io::Write, process::ExitCode};

use clap::{ArgMatches, Args, FromArgMatches};

pub use clap;
pub use metrics::Metrics;
pub use osb_docs::lock::assert_locked;
use osb_runtime::http::BoxError;
use osb_runtime::service::Broker;

use cli::{Operation, ServeArgs};

/// Runs a broker as a program with a command line, as `main` does:
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
/// `open` makes the broker from the author's own configuration, which stands beside the runtime's on the command line
/// and in the environment; `()` if there is none. It runs on a multi-threaded tokio runtime, and only when the broker is
/// to serve. `?` takes any error.
///
/// | Command | What it does |
/// | --- | --- |
/// | `serve` | Serves the broker until SIGTERM or SIGINT. The command that is meant if none is given. |
/// | `catalog` | Shows services and plans, with `--json` the whole catalog; with what an operator [overrides](osb_runtime::catalog::Overrides). |
/// | `schema SERVICE PLAN OPERATION` | Shows the JSON Schema of the parameters of `create`, `update` or `bind`. |
/// | `lock` | Writes what platforms and users [rely on](osb_docs::lock) to `catalog.lock`; with `--check`, fails if the catalog would break them. |
/// | `config` | Shows a configuration file with every setting of `serve`, at its default. |
/// | `reseal` | Seals the records again, with the newest key. |
/// | `instances`, `bindings`, `operations` | Lists them, at the admin address of a running broker or in the file of a stopped one. |
/// | `retry`, `abandon`, `purge` | Removes again what could not be removed, forgets it, or removes what its platform has forgotten. |
/// | `docs` | Writes the documentation of the services, as Markdown, as a page of HTML, or as OpenAPI. |
/// | `check URL` | Holds any broker against the rules of the specification; with the feature `check`. |
/// | `client` | Asks a broker, this one or any other, for what platforms ask it: `provision`, `bind` and so on. |
/// | `completions SHELL` | Writes a script that makes bash, elvish, fish, powershell or zsh complete commands and options. |
///
/// | Exit code | When |
/// | --- | --- |
/// | 0 | All went well. `serve` was asked to end, by SIGTERM or SIGINT, and what was running came to its end, or its time (`--shutdown-grace`) was over. |
/// | 1 | The broker failed: `open` returned an error, an address is taken, the records can't be opened. Or it was asked to end a second time, which cuts off what is running. |
/// | 2 | It was called or configured in a wrong way, or the records have plans that this release doesn't know. To start it again without a change is of no use. |
/// | 101 | `open` panicked. |
///
/// A process that is killed (SIGKILL, which a shell reports as 137) has no say in its exit code, and loses nothing that it
/// has answered if its records are in a file: the next process that opens them goes on with
/// [what was accepted](mod@osb_runtime::store). The same holds for what a second signal, or the end of the grace, cuts off.
#[must_use = "`main` returns it, so that whoever started the program learns how it ended"]
pub fn run<C: Args, B: Broker>(open: impl AsyncFnOnce(C) -> Result<B, BoxError>) -> ExitCode {
    let program = cli::program();
    let matches = match parse(cli::command::<C>(&program, B::OFFERINGS)) {
        Ok(matches) => matches,
        Err(code) => return code,
    };
    let done = match matches.subcommand() {
        Some(("catalog", options)) => catalog::<B>(options),
        Some(("schema", options)) => schema::<B>(options),
        Some(("lock", options)) => lock::lock(B::OFFERINGS, options, &program),
        Some(("config", _)) => print(&config::template(&program, &cli::command::<C>(&program, B::OFFERINGS))),
        Some(("completions", options)) => {
            completions::write(&program, cli::command::<C>(&program, B::OFFERINGS), options)
        }
        Some(("docs", options)) => documentation::<B>(options, &program),
        Some(("reseal", options)) => operate::reseal(options, &program),
        Some(("client", options)) => client::run(options),
        #[cfg(feature = "check")]
        Some(("check", options)) => check::run(options),
        Some((name, options)) if let Some(kind) = operate::is_list(name) => {
            overrides::shown::<B>(options).and_then(|shown| operate::list(kind, options, shown.offerings, &program))
        }
        Some((name, options)) if operate::is_deed(name) => operate(open, name, options, &program),
        Some((_, options)) => serve(open, options, &program),
        None => serve(open, &matches, &program),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => fail(&failure),
    }
}

/// Reads the command line, the environment and the file of settings.
fn parse(command: clap::Command) -> Result<ArgMatches, ExitCode> {
    let read = |command: clap::Command| {
        let file = config::File::find(&command)?;
        let command = match &file {
            Some(file) => file.apply(command)?,
            None => command,
        };
        Ok((file, command))
    };
    let (file, command) = read(command).map_err(|failure| fail(&failure))?;
    command.try_get_matches().map_err(|error| {
        let code = show(&error);
        if let Some(from) = file.and_then(|file| file.explain(&error)) {
            eprintln!("\n{from}");
        }
        code
    })
}

fn fail(failure: &Failure) -> ExitCode {
    if !matches!(failure, Failure::Said(_)) {
        eprintln!("error: {failure}");
    }
    ExitCode::from(failure.number())
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
    /// The log has it already; what is left is the exit code.
    Said(u8),
}

impl Failure {
    fn number(&self) -> u8 {
        match self {
            Self::Broken(_) => 1,
            Self::Usage(_) => 2,
            Self::Said(number) => *number,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) | Self::Broken(text) => f.write_str(text),
            Self::Said(_) => f.write_str("the log says why"),
        }
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

/// Does something at a running broker, or starts it for that.
fn operate<C: Args, B: Broker>(
    open: impl AsyncFnOnce(C) -> Result<B, BoxError>,
    name: &str,
    options: &ArgMatches,
    program: &str,
) -> Result<(), Failure> {
    match operate::act(name, options, program)? {
        None => Ok(()),
        Some(needed) => {
            let usage = |error: clap::Error| Failure::Usage(error.to_string());
            let store = store::StoreArgs::from_arg_matches(options).map_err(usage)?;
            serve::for_operator(open, C::from_arg_matches(options).map_err(usage)?, &store, program, needed)
        }
    }
}

fn catalog<B: Broker>(options: &ArgMatches) -> Result<(), Failure> {
    let shown = overrides::shown::<B>(options)?;
    if options.get_flag("json") {
        let json = osb_docs::catalog::<B>(&shown).map_err(|error| Failure::Broken(error.to_string()))?;
        return print(&json);
    }
    print(&overview::overview(&shown.in_catalog()))
}

fn documentation<B: Broker>(options: &ArgMatches, program: &str) -> Result<(), Failure> {
    docs::write(&overrides::shown::<B>(options)?.in_catalog(), options, program)
}

fn schema<B: Broker>(matches: &ArgMatches) -> Result<(), Failure> {
    let shown = overrides::shown::<B>(matches)?;
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str).unwrap_or_default();
    let operation = matches.get_one::<Operation>("operation").copied().unwrap_or(Operation::Create);
    print(&look_up::schema(shown.offerings, text("service"), text("plan"), operation)?)
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
