//! The commands and options of a broker's program.

use std::{path::PathBuf, time::Duration};

use clap::{
    Arg, ArgAction, ArgMatches, Args, Command, ValueEnum,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
    value_parser,
};

#[cfg(feature = "tls")]
use super::tls::TlsArgs;
use super::{
    Failure, admin::AdminArgs, compatibility::CompatibilityArgs, config, duration, log::LogArgs,
    operations::OperationArgs, overrides::OverrideArgs, store::StoreArgs,
};
use osb_runtime::{
    catalog::Offering,
    http::{DocsPage, HttpSettings},
    protocol::{ApiVersion, MalformedOrigin},
};

/// The options of `serve`, except the author's.
#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Server")]
pub(super) struct ServeArgs {
    /// Address to listen at, as HOST:PORT [default: 127.0.0.1:8080, or 0.0.0.0:$PORT if PORT is set]
    #[arg(id = "osb_listen", long = "listen", value_name = "HOST:PORT", env = "OSB_LISTEN", value_parser = address)]
    pub(super) listen: Option<String>,

    /// Username with which the platform authenticates
    #[arg(id = "osb_username", long = "username", value_name = "USER", env = "OSB_USERNAME")]
    pub(super) username: Option<String>,

    /// Password of that user; prefer the environment, because other users can see command lines
    #[arg(id = "osb_password", long = "password", value_name = "PASSWORD", env = "OSB_PASSWORD")]
    pub(super) password: Option<String>,

    /// Pairs of username and password, separated by white space; all are valid, so that you can rotate them
    // Not parsed by clap, which would show an invalid value in its message.
    #[arg(id = "osb_credentials", long = "credentials", value_name = "USER:PASSWORD ...", env = "OSB_CREDENTIALS")]
    pub(super) credentials: Option<String>,

    /// File with pairs as in --credentials
    #[arg(id = "osb_credentials_file", long = "credentials-file", value_name = "FILE", env = "OSB_CREDENTIALS_FILE")]
    pub(super) credentials_file: Option<PathBuf>,

    /// Bearer tokens that are valid as well, separated by white space; prefer the environment
    #[arg(id = "osb_bearer_tokens", long = "bearer-tokens", value_name = "TOKEN ...", env = "OSB_BEARER_TOKENS")]
    pub(super) bearer_tokens: Option<String>,

    /// File with tokens as in --bearer-tokens
    #[arg(
        id = "osb_bearer_tokens_file",
        long = "bearer-tokens-file",
        value_name = "FILE",
        env = "OSB_BEARER_TOKENS_FILE"
    )]
    pub(super) bearer_tokens_file: Option<PathBuf>,

    /// Platform with a path prefix of its own, which sees only its own instances; repeat it for several platforms
    ///
    /// Set its credentials in OSB_PLATFORM_<NAME>_CREDENTIALS (pairs) or OSB_PLATFORM_<NAME>_BEARER_TOKENS, or in files named
    /// by these variables with the suffix _FILE. <NAME> is in upper case, with `_` in place of anything but letters and
    /// digits: cf-prod has OSB_PLATFORM_CF_PROD_CREDENTIALS
    #[arg(id = "osb_platform", long = "platform", value_name = "NAME=/PREFIX", env = "OSB_PLATFORMS")]
    pub(super) platforms: Vec<String>,

    /// Access to the documentation at /docs
    #[arg(
        id = "osb_docs",
        long = "docs",
        value_name = "ACCESS",
        env = "OSB_DOCS",
        default_value = "credentials",
        value_parser = one_of(&[
            ("off", "There is no such page", DocsPage::Off),
            ("credentials", "Clients with credentials; browsers prompt for them", DocsPage::WithCredentials),
            ("public", "All clients; behind the prefix of a platform only those with its credentials", DocsPage::Public),
        ])
    )]
    pub(super) docs: DocsPage,

    /// Separate address for `/healthz`, `/readyz` and `/metrics`, as HOST:PORT; they need no credentials [default: the
    /// broker's address]
    #[arg(
        id = "osb_monitor_listen",
        long = "monitor-listen",
        value_name = "HOST:PORT",
        env = "OSB_MONITOR_LISTEN",
        value_parser = address
    )]
    pub(super) monitor_listen: Option<String>,

    /// Maximum size of a request body, in bytes
    #[arg(
        id = "osb_max_body",
        long = "max-body",
        value_name = "BYTES",
        env = "OSB_MAX_BODY",
        default_value_t = HttpSettings::default().max_body
    )]
    max_body: usize,

    /// Memory for the bodies of running requests, in bytes; requests beyond it get a 503
    #[arg(
        id = "osb_body_memory",
        long = "body-memory",
        value_name = "BYTES",
        env = "OSB_BODY_MEMORY",
        default_value_t = HttpSettings::default().body_memory
    )]
    body_memory: usize,

    /// Maximum size of a request line and headers, in bytes
    #[arg(
        id = "osb_max_head",
        long = "max-head",
        value_name = "BYTES",
        env = "OSB_MAX_HEAD",
        default_value_t = HttpSettings::default().max_head
    )]
    max_head: usize,

    /// Close a connection when the next request's headers have not arrived after this time
    #[arg(
        id = "osb_head_timeout",
        long = "head-timeout",
        value_name = "DURATION",
        env = "OSB_HEAD_TIMEOUT",
        default_value = "10s",
        value_parser = duration::parse
    )]
    head_timeout: Duration,

    /// Close a connection when a request's body has not arrived after this time
    #[arg(
        id = "osb_body_timeout",
        long = "body-timeout",
        value_name = "DURATION",
        env = "OSB_BODY_TIMEOUT",
        default_value = "10s",
        value_parser = duration::parse
    )]
    body_timeout: Duration,

    /// Close a connection when the client reads no response data for this long
    #[arg(
        id = "osb_write_timeout",
        long = "write-timeout",
        value_name = "DURATION",
        env = "OSB_WRITE_TIMEOUT",
        default_value = "30s",
        value_parser = duration::parse
    )]
    write_timeout: Duration,

    /// Maximum number of connections; beyond it, those without a complete request are closed, and further ones wait
    #[arg(
        id = "osb_max_connections",
        long = "max-connections",
        value_name = "NUMBER",
        env = "OSB_MAX_CONNECTIONS",
        default_value_t = HttpSettings::default().max_connections
    )]
    max_connections: usize,

    /// Time after SIGTERM or SIGINT in which all requests are still served while /readyz fails, for a load balancer to notice
    #[arg(
        id = "osb_shutdown_delay",
        long = "shutdown-delay",
        value_name = "DURATION",
        env = "OSB_SHUTDOWN_DELAY",
        default_value = duration::display(HttpSettings::default().shutdown_delay),
        value_parser = duration::parse
    )]
    shutdown_delay: Duration,

    /// Time after that for requests and operations to finish; the next process that opens the records resumes
    /// unfinished operations
    #[arg(
        id = "osb_shutdown_grace",
        long = "shutdown-grace",
        value_name = "DURATION",
        env = "OSB_SHUTDOWN_GRACE",
        default_value = duration::display(HttpSettings::default().shutdown_grace),
        value_parser = duration::parse
    )]
    shutdown_grace: Duration,

    /// Oldest API version that is served, as MAJOR.MINOR; requests with an older one get a 412
    #[arg(
        id = "osb_minimum_version",
        long = "minimum-version",
        value_name = "VERSION",
        env = "OSB_MINIMUM_VERSION",
        default_value_t = HttpSettings::default().minimum_version,
        value_parser = minimum_version,
        help_heading = PROTOCOL
    )]
    minimum_version: ApiVersion,

    /// Response to a request with a malformed X-Broker-API-Originating-Identity header
    #[arg(
        id = "osb_malformed_identity",
        long = "malformed-identity",
        value_name = "RESPONSE",
        env = "OSB_MALFORMED_IDENTITY",
        default_value = "ignore",
        value_parser = one_of(&[
            ("ignore", "Ignores the header and logs a warning", MalformedOrigin::Ignore),
            ("400", "Bad Request, for brokers that need the user's identity", MalformedOrigin::Refuse400),
        ]),
        help_heading = PROTOCOL
    )]
    malformed_identity: MalformedOrigin,

    #[cfg(feature = "tls")]
    #[command(flatten)]
    pub(super) tls: TlsArgs,

    #[command(flatten)]
    pub(super) overrides: OverrideArgs,

    #[command(flatten)]
    pub(super) operations: OperationArgs,

    #[command(flatten)]
    pub(super) compatibility: CompatibilityArgs,

    #[command(flatten)]
    pub(super) store: StoreArgs,

    #[command(flatten)]
    pub(super) admin: AdminArgs,

    #[command(flatten)]
    pub(super) log: LogArgs,
}

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

impl ServeArgs {
    pub(super) fn settings(&self) -> HttpSettings {
        let mut settings = HttpSettings::default();
        settings.max_body = self.max_body;
        settings.body_memory = self.body_memory;
        settings.max_head = self.max_head;
        settings.head_timeout = self.head_timeout;
        settings.body_timeout = self.body_timeout;
        settings.write_timeout = self.write_timeout;
        settings.max_connections = self.max_connections;
        settings.shutdown_delay = self.shutdown_delay;
        settings.shutdown_grace = self.shutdown_grace;
        settings.docs = self.docs;
        settings.render_docs = Some(osb_docs::page);
        settings.minimum_version = self.minimum_version;
        settings.monitor = self.monitor_listen.is_none();
        settings.policies.malformed_origin = self.malformed_identity;
        self.compatibility.apply_to_http(&mut settings);
        settings
    }
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
pub(super) fn command<C: Args>(program: &str, offerings: &[&Offering]) -> Command {
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
        .version(version())
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
    C::from_arg_matches(matches).map_err(|error| Failure::Usage(error.to_string()))
}

fn authors<C: Args>() -> Command {
    C::augment_args(Command::new("author"))
}

/// Formats an option with its variable.
fn named(arg: &Arg) -> String {
    let long = arg.get_long().map_or_else(|| arg.get_id().to_string(), |long| format!("--{long}"));
    arg.get_env().map_or(long.clone(), |variable| format!("{long} ({})", variable.to_string_lossy()))
}

/// Hides the values of environment variables in the help of a command and its subcommands, because they can be secret.
pub(super) fn without_values(command: Command) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    let command = command.mut_args(|arg| arg.hide_env_values(true));
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, without_values))
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
            let plural = if more.len() == 1 { "" } else { "s" };
            format!("A service broker for {} and {} more service{plural}", first.name, more.len())
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

/// Checks the form HOST:PORT; the host is resolved when it is used.
pub(super) fn address(text: &str) -> Result<String, String> {
    let good = text.rsplit_once(':').is_some_and(|(host, port)| {
        let bracketed = host.starts_with('[') && host.ends_with(']');
        !host.is_empty() && (bracketed || !host.contains(':')) && port.parse::<u16>().is_ok()
    });
    if good { Ok(text.to_owned()) } else { Err("write HOST:PORT, such as 127.0.0.1:8080 or [::]:8080".to_owned()) }
}

fn minimum_version(text: &str) -> Result<ApiVersion, String> {
    let served = |version: &ApiVersion| (ApiVersion::new(2, 0)..=ApiVersion::LATEST).contains(version);
    let version = text.parse().ok().filter(served);
    version.ok_or_else(|| format!("write a version between 2.0 and {}, such as 2.13", ApiVersion::LATEST))
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use osb_runtime::http::MissingVersion;
    use osb_runtime::protocol::{DeleteOrder, Guids};

    use super::*;
    use crate::fixture::KV;

    #[derive(Debug, Args)]
    struct Config {
        #[arg(long)]
        directory: String,
    }

    #[test]
    fn the_commands_are_consistent() {
        command::<()>("kv", &[&KV]).debug_assert();
        command::<Config>("kv", &[&KV]).debug_assert();
    }

    #[test]
    fn only_serving_needs_the_authors_configuration() {
        let parse = |line: &str| command::<Config>("kv", &[&KV]).try_get_matches_from(line.split(' '));
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
        assert_eq!(ServeArgs::from_arg_matches(&matches).expect("ours").listen.as_deref(), Some("127.0.0.1:0"));
    }

    #[test]
    fn policies_have_words_and_defaults() {
        let parse = |line: &str| {
            let matches = command::<()>("kv", &[&KV]).try_get_matches_from(line.split_whitespace())?;
            ServeArgs::from_arg_matches(&matches).map(|options| options.settings())
        };
        let mut defaults = HttpSettings::default();
        defaults.monitor = true;
        defaults.render_docs = Some(osb_docs::page);
        assert_eq!(format!("{:?}", parse("kv").expect("all have defaults")), format!("{defaults:?}"));

        let settings = parse(
            "kv --docs public --minimum-version 2.13 --missing-version oldest --guids optional --malformed-identity 400 \
             --malformed-unbind 410",
        );
        let settings = settings.expect("good words");
        assert_eq!(settings.docs, DocsPage::Public);
        assert_eq!(settings.minimum_version, ApiVersion::new(2, 13));
        assert_eq!(settings.missing_version, MissingVersion::AssumeOldest);
        assert_eq!(settings.policies.guids, Guids::Optional);
        assert_eq!(settings.policies.malformed_origin, MalformedOrigin::Refuse400);
        assert_eq!(settings.policies.unbind_order, DeleteOrder::GoneFirst);
        assert_eq!(settings.policies.deprovision_order, DeleteOrder::MalformedFirst);

        for (line, said) in [
            ("--minimum-version 2.18", "write a version between 2.0 and 2.17"),
            ("--minimum-version 3.0", "write a version between 2.0 and 2.17"),
            ("--minimum-version 2", "write a version between 2.0 and 2.17"),
            ("--missing-version 404", "[possible values: 400, 412, oldest]"),
            ("--docs yes", "[possible values: off, credentials, public]"),
            ("--guids no", "[possible values: required, optional]"),
            ("--malformed-unbind 404", "[possible values: 400, 410]"),
        ] {
            let error = parse(&format!("kv {line}")).expect_err(line).to_string();
            assert!(error.contains(said), "{line}: {error}");
        }
    }

    #[test]
    fn addresses_have_a_host_and_a_port() {
        for good in ["127.0.0.1:8080", "localhost:0", "[::1]:8080", "broker.example:443"] {
            assert!(address(good).is_ok(), "{good}");
        }
        for bad in ["8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:70000", "::1:8080", ""] {
            assert!(address(bad).is_err(), "{bad}");
        }
    }
}
