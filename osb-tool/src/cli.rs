//! The commands and options of a broker's program.

use std::path::PathBuf;

use clap::{
    Arg, ArgAction, ArgMatches, Args, Command, ValueEnum,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
    value_parser,
};
use osb_runtime::{catalog::Offering, protocol::ApiVersion};

use super::{Failure, config, counted, overrides::OverrideArgs, serve_args::ServeArgs};

/// Heading of the options for reading requests.
pub(super) const PROTOCOL: &str = "Protocol";

/// Parses one of several words, each with a line of help.
pub(super) fn one_of<T: Copy + Send + Sync + 'static>(
    values: &'static [(&'static str, &'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let words = values.iter().map(|(word, help, _)| PossibleValue::new(*word).help(*help));
    PossibleValuesParser::new(words).try_map(|given| {
        let found = values.iter().find(|(word, ..)| *word == given);
        found.map(|(.., value)| *value).ok_or("not one of the possible values")
    })
}

/// Parses a number of things.
pub(super) fn number<T: std::str::FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|_| "write a whole number, such as 64")
}

/// Parses a number of things of which there has to be one.
pub(super) fn positive(text: &str) -> Result<u32, &'static str> {
    number(text).ok().filter(|number| *number > 0).ok_or("write a whole number of at least 1, such as 64")
}

/// The operation whose parameters a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SchemaKind {
    /// A new instance
    Create,
    /// An update of an instance
    Update,
    /// A new binding
    Bind,
}

/// Builds the whole command line; `C` contains the author's options.
pub(super) fn command<C: Args>(program: &str, version: &str, offerings: &[&Offering]) -> Command {
    let serving = |command: Command| {
        C::augment_args(ServeArgs::augment_args(command.arg(config::arg())).next_help_heading("Broker"))
    };
    // `augment_args` would take the doc comment of `OverrideArgs` for that of the command.
    let showing = |command: Command, about: &'static str| {
        OverrideArgs::augment_args(command.arg(config::arg())).about(about).long_about(None)
    };
    let arg = |name: &'static str, help: &'static str| Arg::new(name).help(help).required(true);
    serving(Command::new(program.to_owned()))
        .about(about(offerings))
        .version(format!("{version} {}", self::version()).trim_start().to_owned())
        .args_conflicts_with_subcommands(true)
        .subcommand_negates_reqs(true)
        .disable_help_subcommand(true)
        .max_term_width(100)
        .after_help(after_help(program, offerings))
        .subcommand(serving(Command::new("serve")).about("Serve the broker; the default command").after_help(SERVING))
        .subcommand(showing(
            Command::new("catalog").arg(
                Arg::new("json")
                    .long("json")
                    .action(ArgAction::SetTrue)
                    .help("Print the whole catalog as platforms see it, indented"),
            ),
            "Show services and plans",
        ))
        .subcommand(showing(
            Command::new("schema")
                .arg(arg("service", "Name or id of the service").value_name("SERVICE"))
                .arg(arg("plan", "Name or id of the plan").value_name("PLAN"))
                .arg(
                    arg("operation", "Operation that takes the parameters")
                        .value_name("OPERATION")
                        .value_parser(value_parser!(SchemaKind)),
                ),
            "Show the JSON Schema of a plan's parameters",
        ))
        .subcommand(super::lock::command().arg(config::arg_without_settings()))
        .subcommand(
            Command::new("config")
                .about("Print a configuration file with the default of every setting")
                .arg(config::arg_without_settings()),
        )
        .subcommands(super::operate::commands::<C>())
        .subcommands(super::transfer::commands())
        .subcommand(showing(super::docs::command(), super::docs::ABOUT))
        .subcommand(super::client_args::command(program))
        .subcommands(super::check(program))
        .subcommand(super::completions::command(program).arg(config::arg_without_settings()))
}

/// Adds the author's options to a command that can do without them; [`config_of`] reports those that are missing.
pub(super) fn optionally<C: Args>(command: Command, heading: &'static str) -> Command {
    let own: Vec<_> = authors::<C>().get_arguments().map(|arg| arg.get_id().clone()).collect();
    let command = C::augment_args(command.next_help_heading(heading));
    own.into_iter().fold(command, |command, id| command.mut_arg(id, |arg| arg.required(false)))
}

/// Reads the author's options.
pub(super) fn config_of<C: Args>(matches: &ArgMatches) -> Result<C, Failure> {
    let own = authors::<C>();
    let is_missing = |arg: &&Arg| arg.is_required_set() && !matches.contains_id(arg.get_id().as_str());
    let missing: Vec<String> = own.get_arguments().filter(is_missing).map(named).collect();
    if !missing.is_empty() {
        let plural = if missing.len() == 1 { "option is" } else { "options are" };
        return Err(Failure::Usage(format!("the required {plural} missing: {}", missing.join(", "))));
    }
    Ok(C::from_arg_matches(matches)?)
}

fn authors<C: Args>() -> Command {
    C::augment_args(Command::new("author"))
}

/// Returns an option of the author that has the name of another one of a command with both, as text. clap would panic in debug
/// builds, and only in that command.
pub(super) fn taken<C: Args>(program: &str, offerings: &[&Offering]) -> Option<String> {
    let own = command::<()>(program, "", offerings);
    let commands =
        || own.get_subcommands().filter(|command| ["retry", "purge"].contains(&command.get_name())).chain([&own]);
    let is_same = |one: &Arg, other: &Arg| {
        let longs = one.get_long_and_visible_aliases().unwrap_or_default();
        let is_long = other.get_long().is_some_and(|name| longs.contains(&name));
        let is_short = one.get_short().is_some_and(|name| other.get_short() == Some(name));
        let is_variable = one.get_env().is_some_and(|name| other.get_env() == Some(name));
        is_long || is_short || is_variable || one.get_id() == other.get_id()
    };
    let is_taken = |arg: &&Arg| commands().any(|command| command.get_arguments().any(|other| is_same(arg, other)));
    authors::<C>().get_arguments().find(is_taken).map(named)
}

/// Formats an option with its variable.
fn named(arg: &Arg) -> String {
    let long = arg.get_long().map_or_else(|| arg.get_id().to_string(), |long| format!("--{long}"));
    arg.get_env().map_or(long.clone(), |variable| format!("{long} ({})", variable.to_string_lossy()))
}

/// Hides the values of environment variables in the help of a command and its subcommands, because they can be secret.
pub(super) fn without_values(command: Command) -> Command {
    command.mut_args(|arg| arg.hide_env_values(true)).mut_subcommands(without_values)
}

/// Returns the file name of the running program.
pub(super) fn program() -> String {
    let path = std::env::args_os().next().map(PathBuf::from);
    let name = path.as_deref().and_then(|path| path.file_stem()).map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "broker".to_owned())
}

fn about(offerings: &[&Offering]) -> String {
    match offerings {
        [] => "A service broker".to_owned(),
        [one] => format!("A service broker for {}: {}", one.name, one.description),
        [first, more @ ..] => {
            format!("A service broker for {} and {}", first.name, counted(more.len(), "more service"))
        }
    }
}

pub(super) fn version() -> String {
    format!("with osb-runtime {}, Open Service Broker API {}", env!("CARGO_PKG_VERSION"), ApiVersion::LATEST)
}

fn after_help(program: &str, offerings: &[&Offering]) -> String {
    let first = offerings.iter().find_map(|offering| {
        let plan = offering.plans.iter().find(|plan| !plan.spec.retired)?;
        Some((offering.name, plan.spec.name))
    });
    let (service, plan) = first.unwrap_or(("SERVICE", "PLAN"));
    format!(
        "Examples:\n  \
         {program}                                  try it with generated credentials\n  \
         OSB_USERNAME=cf OSB_PASSWORD=... {program} --listen 0.0.0.0:8080\n  \
         OSB_PLATFORM_CF_PROD_CREDENTIALS=cf:... {program} --platform cf-prod=/cf-prod\n  \
         {program} catalog --json\n  \
         {program} schema {service} {plan} create\n  \
         {program} docs --format html --out site\n  \
         {program} lock --check                     find breaking changes in this release\n  \
         {program} client --help                    send requests to a broker\n\n\
         The options above are those of `serve`. {SERVING}"
    )
}

/// Help for operators of `serve`. Clap wraps its lines like those of options.
const SERVING: &str = "The broker needs credentials unless it listens at a loopback address. Without OSB_STORE_KEYS records \
    are NOT encrypted: anyone with access to their file or a backup of it can read parameters and credentials.\n\n\
    Exit codes:\n  \
    0  success; for serve: stopped after SIGTERM or SIGINT\n  \
    1  the broker failed, or a second signal cut off running operations\n  \
    2  invalid command line or configuration; a restart does not help\n\
    With records in a file, nothing is lost after a kill -9: the next start resumes accepted operations.";

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::*;
    use crate::fixture::KV;

    #[derive(Debug, Args)]
    struct Config {
        #[arg(long)]
        directory: String,
    }

    #[test]
    fn the_commands_are_consistent() {
        command::<()>("kv", "1.2.3", &[&KV]).debug_assert();
        command::<Config>("kv", "1.2.3", &[&KV]).debug_assert();
    }

    #[test]
    fn an_option_of_the_author_needs_a_name_of_its_own() {
        #[derive(Debug, Args)]
        struct Tenant {
            #[arg(long, env = "TENANT")]
            tenant: Option<String>,
        }
        #[derive(Debug, Args)]
        struct Yes {
            #[arg(long = "always")]
            yes: bool,
        }
        #[derive(Debug, Args)]
        struct Store {
            #[arg(long)]
            store: Option<String>,
        }
        #[derive(Debug, Args)]
        struct Instance {
            instance: Option<String>,
        }
        #[derive(Debug, Args)]
        struct Cache {
            #[arg(long, env = "OSB_STORE")]
            cache: Option<String>,
        }
        assert_eq!(taken::<Tenant>("kv", &[&KV]).as_deref(), Some("--tenant (TENANT)"));
        assert_eq!(taken::<Yes>("kv", &[&KV]).as_deref(), Some("--always"));
        assert_eq!(taken::<Store>("kv", &[&KV]).as_deref(), Some("--store"));
        assert_eq!(taken::<Cache>("kv", &[&KV]).as_deref(), Some("--cache (OSB_STORE)"));
        assert_eq!(taken::<Instance>("kv", &[&KV]).as_deref(), Some("instance"));
        assert_eq!(taken::<Config>("kv", &[&KV]), None);
    }

    #[test]
    fn only_serving_needs_the_authors_configuration() {
        let parse = |line: &str| command::<Config>("kv", "1.2.3", &[&KV]).try_get_matches_from(line.split(' '));
        for line in [
            "kv catalog",
            "kv catalog --json",
            "kv schema kv free create",
            "kv docs --out x.md",
            "kv docs --format html",
            "kv lock --check",
        ] {
            assert!(parse(line).is_ok(), "{line}");
        }
        for line in ["kv", "kv serve", "kv serve --listen 127.0.0.1:1"] {
            let error = parse(line).expect_err(line);
            assert!(error.to_string().contains("--directory"), "{line}: {error}");
        }
        let matches = parse("kv --directory d --listen 127.0.0.1:0").expect("serves");
        assert_eq!(Config::from_arg_matches(&matches).expect("the author's part").directory, "d");
        assert_eq!(ServeArgs::from_arg_matches(&matches).expect("ours").osb_listen.as_deref(), Some("127.0.0.1:0"));
    }
}
