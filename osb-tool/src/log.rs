//! The log of `serve` on standard error: text on a terminal, JSON elsewhere.

use std::{
    io::{self, IsTerminal},
    panic,
};

use clap::Args;
use tracing::Level;
use tracing_subscriber::{
    Layer as _,
    filter::{LevelFilter, ParseError, Targets},
    layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

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
    /// True if the filter lets the errors of this module through.
    shows_errors: bool,
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

    /// Logs why the program fails, if the log is JSON and shows it.
    pub(super) fn fail(&self, failure: Failure) -> Failure {
        if self.format == Format::Json && self.shows_errors {
            tracing::error!("{failure}");
            Failure::Logged(failure.exit_code())
        } else {
            failure
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
    const HELP: &str = "write error, warn, info, debug, trace or off, or filters such as info,my_broker=debug";
    text.parse::<Targets>().map_err(|error| format!("{error}; {HELP}"))?;
    // `Targets` reads any other word as a target, so a misspelt level would turn off everything else.
    let words = text.split(',').filter(|word| !word.contains('='));
    match words.map(str::trim).find(|word| word.parse::<LevelFilter>().is_err()) {
        Some(word) => Err(format!("`{word}` is not a level; {HELP}")),
        None => Ok(text.to_owned()),
    }
}

/// The parts of the database's driver that write what they send at `debug`, which is records with credentials. They reach the log if
/// a crate of the program turns on `tracing-log`, which is among the default features of `tracing-subscriber`.
const DRIVER: [&str; 3] = ["tokio_postgres", "tokio_postgres::query", "tokio_postgres::simple_query"];

/// Returns the filter of a text, which never lets through what the driver sends.
fn targets(text: &str) -> Result<Targets, ParseError> {
    let given: Targets = text.parse()?;
    let too_open = DRIVER.into_iter().filter(|target| given.would_enable(target, &Level::DEBUG));
    Ok(given.clone().with_targets(too_open.map(|target| (target, LevelFilter::INFO))))
}

impl LogArgs {
    /// Returns whether spans are sent to a collector.
    #[cfg_attr(not(feature = "otel"), expect(clippy::unused_self, reason = "with the feature it has the collector"))]
    pub(super) fn exports_spans(&self) -> bool {
        #[cfg(feature = "otel")]
        return self.otel.has_collector();
        #[cfg(not(feature = "otel"))]
        false
    }

    /// Starts logging for this version of the program.
    #[cfg_attr(not(feature = "otel"), expect(unused_variables, reason = "only spans have the version"))]
    pub(super) fn start(&self, version: &str) -> Result<Log, Failure> {
        // `EnvFilter` can also filter by span, but needs a regex engine.
        let filter = targets(&self.osb_log).map_err(|error| Failure::Usage(format!("--log: {error}")))?;
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
        let exporter = self.otel.start(version)?;
        #[cfg(feature = "otel")]
        let registry = registry.with(exporter.clone().map(|exporter| exporter.with_filter(filter.clone())));
        // With the filter of a layer, `tracing::enabled!` is true for some events that the filter leaves out.
        let would_show = filter.would_enable(module_path!(), &Level::ERROR);
        // Fails if the author's `main` has set up logging already; that setup then remains.
        let shows_errors = registry.with(layer.with_filter(filter)).try_init().is_err() || would_show;
        if format == Format::Json {
            let as_text = panic::take_hook();
            panic::set_hook(Box::new(move |panic| {
                if !shows_errors {
                    return as_text(panic);
                }
                let at = panic.location().map(ToString::to_string);
                tracing::error!(at, "panicked: {}", panic.payload_as_str().unwrap_or("without a message"));
            }));
        }
        Ok(Log {
            format,
            shows_errors,
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
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::{DRIVER, targets};

    #[test]
    fn no_filter_lets_through_what_the_driver_of_the_database_sends() {
        for filter in
            ["trace", "tokio_postgres=debug", "off,tokio_postgres::query=trace,tokio_postgres::simple_query=debug"]
        {
            let filter = targets(filter).expect("a filter");
            for target in DRIVER {
                assert!(!filter.would_enable(target, &Level::DEBUG), "{filter}: {target}");
            }
        }
        let all = targets("trace").expect("a filter");
        assert!(all.would_enable("osb_runtime", &Level::TRACE) && all.would_enable("tokio_postgres", &Level::INFO));
        let few = targets("error").expect("a filter");
        assert!(DRIVER.iter().all(|target| !few.would_enable(target, &Level::WARN)), "{few}");
    }
}
