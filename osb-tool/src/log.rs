//! The log of `serve` on standard error: text on a terminal, JSON elsewhere.

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
    /// Events to log to standard error: a level, or filters such as `info,my_broker=debug`
    #[arg(long = "log", value_name = "FILTER", env, default_value = "info", value_parser = filter)]
    osb_log: String,

    /// Format of the log
    #[arg(
        long = "log-format",
        value_name = "FORMAT",
        env,
        default_value = "auto",
        value_parser = one_of(&[
            ("auto", "Text on a terminal, JSON elsewhere", FormatChoice::Auto),
            ("text", "Human-readable lines", FormatChoice::Fixed(Format::Text)),
            ("json", "One JSON object per line", FormatChoice::Fixed(Format::Json)),
        ])
    )]
    osb_log_format: FormatChoice,

    #[cfg(feature = "otel")]
    #[command(flatten)]
    otel: super::otel::OtelArgs,
}

/// The log, which has been started.
#[derive(Clone)]
pub(super) struct Log {
    pub(super) format: Format,
    #[cfg(feature = "otel")]
    exporter: Option<super::otel::Exporter>,
}

impl Log {
    /// Sends the spans that are left.
    #[cfg_attr(not(feature = "otel"), expect(clippy::unused_self, reason = "with the feature it has an exporter"))]
    pub(super) fn end(&self) {
        #[cfg(feature = "otel")]
        if let Some(exporter) = &self.exporter {
            exporter.flush();
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum FormatChoice {
    Auto,
    Fixed(Format),
}

/// The format of the log.
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
    /// Starts logging.
    pub(super) fn start(&self) -> Result<Log, Failure> {
        // `EnvFilter` can also filter by span, but needs a regex engine.
        let filter: Targets = self.osb_log.parse().map_err(|error| Failure::Usage(format!("--log: {error}")))?;
        let is_terminal = io::stderr().is_terminal();
        let format = match self.osb_log_format {
            FormatChoice::Fixed(format) => format,
            FormatChoice::Auto if is_terminal => Format::Text,
            FormatChoice::Auto => Format::Json,
        };
        let colours = is_terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let layer = tracing_subscriber::fmt::layer().with_writer(io::stderr);
        let layer = match format {
            Format::Text => layer.with_ansi(colours).boxed(),
            Format::Json => layer.json().flatten_event(true).with_current_span(false).boxed(),
        };
        let registry = tracing_subscriber::registry();
        #[cfg(feature = "otel")]
        let exporter = self.otel.start()?;
        #[cfg(feature = "otel")]
        let registry = registry.with(exporter.clone().map(|exporter| exporter.with_filter(filter.clone())));
        // Fails if the author's `main` has set up logging already; that setup then remains.
        let _ = registry.with(layer.with_filter(filter)).try_init();
        if format == Format::Json {
            panic::set_hook(Box::new(|panic| {
                let at = panic.location().map(ToString::to_string);
                tracing::error!(at, "panicked: {}", panic.payload_as_str().unwrap_or("without a message"));
            }));
        }
        Ok(Log {
            format,
            #[cfg(feature = "otel")]
            exporter,
        })
    }
}

impl Format {
    /// Reports an event to the operator; as text, it ignores the log filter.
    pub(super) fn report(self, program: &str, text: &str) {
        match self {
            Self::Text => super::tell(&format!("{program}: {text}\n")),
            Self::Json => tracing::info!("{text}"),
        }
    }

    /// Logs why the program fails, if the log is JSON.
    pub(super) fn fail(self, failure: Failure) -> Failure {
        match self {
            Self::Text => failure,
            Self::Json => {
                tracing::error!("{failure}");
                Failure::Logged(failure.exit_code())
            }
        }
    }
}
