//! What a broker that serves says, to standard error: in lines for people on a terminal, as JSON for what collects logs.

use std::{
    io::{self, IsTerminal},
    panic,
};

use clap::Args;
use tracing_subscriber::{Layer as _, filter::Targets, layer::SubscriberExt as _, util::SubscriberInitExt as _};

use super::{Failure, cli::one_of};

#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Log")]
pub(super) struct LogArgs {
    /// What to log, to standard error: a level, or filters such as `info,my_broker=debug`
    #[arg(
        id = "osb_log",
        long = "log",
        value_name = "FILTER",
        env = "OSB_LOG",
        default_value = "info",
        value_parser = filter
    )]
    filter: String,

    /// How the log is written
    #[arg(
        id = "osb_log_format",
        long = "log-format",
        value_name = "HOW",
        env = "OSB_LOG_FORMAT",
        default_value = "auto",
        value_parser = one_of(&[
            ("auto", "Text on a terminal, JSON elsewhere", Wanted::Suitable),
            ("text", "Lines for people", Wanted::This(Format::Text)),
            ("json", "An object a line", Wanted::This(Format::Json)),
        ])
    )]
    format: Wanted,
}

#[derive(Debug, Clone, Copy)]
enum Wanted {
    Suitable,
    This(Format),
}

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Text,
    Json,
}

fn filter(text: &str) -> Result<String, String> {
    text.parse::<Targets>().map(|_| text.to_owned()).map_err(|error| {
        format!("{error}; write error, warn, info, debug, trace or off, or filters such as info,my_broker=debug")
    })
}

impl LogArgs {
    /// Begins to log.
    pub(super) fn begin(&self) -> Result<Format, Failure> {
        // Not `EnvFilter`, which can also tell spans apart, for a regex engine of its own.
        let filter: Targets = self.filter.parse().map_err(|error| Failure::Usage(format!("--log: {error}")))?;
        let is_terminal = io::stderr().is_terminal();
        let format = match self.format {
            Wanted::This(format) => format,
            Wanted::Suitable if is_terminal => Format::Text,
            Wanted::Suitable => Format::Json,
        };
        let colours = is_terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let layer = tracing_subscriber::fmt::layer().with_writer(io::stderr);
        let layer = match format {
            Format::Text => layer.with_ansi(colours).boxed(),
            Format::Json => layer.json().flatten_event(true).with_current_span(false).boxed(),
        };
        // An author's `main` may have set up logging of its own, which then holds.
        let _ = tracing_subscriber::registry().with(filter).with(layer).try_init();
        if format == Format::Json {
            panic::set_hook(Box::new(|panic| {
                let at = panic.location().map(ToString::to_string);
                tracing::error!(at, "panicked: {}", panic.payload_as_str().unwrap_or("with no text"));
            }));
        }
        Ok(format)
    }
}

impl Format {
    /// Says what is to be seen whatever is logged, to people.
    pub(super) fn say(self, program: &str, text: &str) {
        match self {
            Self::Text => eprintln!("{program}: {text}"),
            Self::Json => tracing::info!("{text}"),
        }
    }

    /// Says why the program ends, and returns that it is said.
    pub(super) fn end(self, failure: Failure) -> Failure {
        match self {
            Self::Text => failure,
            Self::Json => {
                tracing::error!("{failure}");
                Failure::Said(failure.number())
            }
        }
    }
}
