//! What the command line takes.

use std::{path::PathBuf, time::Duration};

use clap::{
    Arg, ArgAction, Args, Command, ValueEnum,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
    value_parser,
};

#[cfg(feature = "tls")]
use super::tls::TlsArgs;
use super::{
    admin::AdminArgs,
    config,
    log::LogArgs,
    operations::{OperationArgs, seconds},
    overrides::OverrideArgs,
    store::StoreArgs,
};
use osb_runtime::catalog::Offering;
use osb_runtime::http::{DocsPage, HttpSettings, MissingVersion};
use osb_runtime::protocol::{ApiVersion, DeleteOrder, Guids, MalformedOrigin};

/// The runtime's own options for serving.
#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Server")]
pub(super) struct ServeArgs {
    /// Where to listen, as HOST:PORT [default: 127.0.0.1:8080, or 0.0.0.0:$PORT where a platform sets PORT]
    #[arg(id = "osb_listen", long = "listen", value_name = "HOST:PORT", env = "OSB_LISTEN", value_parser = address)]
    pub(super) listen: Option<String>,

    /// The username that the platform authenticates with
    #[arg(id = "osb_username", long = "username", value_name = "USER", env = "OSB_USERNAME")]
    pub(super) username: Option<String>,

    /// The password that goes with it; better in the environment, as command lines are visible to others
    #[arg(
        id = "osb_password",
        long = "password",
        value_name = "PASSWORD",
        env = "OSB_PASSWORD",
        hide_env_values = true
    )]
    pub(super) password: Option<String>,

    /// Usernames with passwords, separated by spaces or line ends; each is good, so that one can replace another
    // Read later: of a value that it can't use the parser of arguments shows what it is.
    #[arg(
        id = "osb_credentials",
        long = "credentials",
        value_name = "USER:PASSWORD ...",
        env = "OSB_CREDENTIALS",
        hide_env_values = true
    )]
    pub(super) credentials: Option<String>,

    /// A file with such pairs, as for --credentials
    #[arg(id = "osb_credentials_file", long = "credentials-file", value_name = "FILE", env = "OSB_CREDENTIALS_FILE")]
    pub(super) credentials_file: Option<PathBuf>,

    /// Bearer tokens that are good too, separated by spaces or line ends; better in the environment
    #[arg(
        id = "osb_bearer_tokens",
        long = "bearer-tokens",
        value_name = "TOKEN ...",
        env = "OSB_BEARER_TOKENS",
        hide_env_values = true
    )]
    pub(super) bearer_tokens: Option<String>,

    /// A file with such tokens, as for --bearer-tokens
    #[arg(
        id = "osb_bearer_tokens_file",
        long = "bearer-tokens-file",
        value_name = "FILE",
        env = "OSB_BEARER_TOKENS_FILE"
    )]
    pub(super) bearer_tokens_file: Option<PathBuf>,

    /// A platform that is served at a path prefix of its own, and sees its own instances only; can be given several times
    ///
    /// Its credentials are in OSB_PLATFORM_<NAME>_CREDENTIALS (pairs) and OSB_PLATFORM_<NAME>_BEARER_TOKENS, or in the files
    /// that these variables name with _FILE behind. NAME is in capitals there, with `_` for what is no letter or digit:
    /// cf-prod has OSB_PLATFORM_CF_PROD_CREDENTIALS
    #[arg(id = "osb_platform", long = "platform", value_name = "NAME=/PREFIX", env = "OSB_PLATFORMS")]
    pub(super) platforms: Vec<String>,

    /// Who gets the documentation, at /docs
    #[arg(
        id = "osb_docs",
        long = "docs",
        value_name = "WHO",
        env = "OSB_DOCS",
        default_value = "credentials",
        value_parser = one_of(&[
            ("off", "Nobody", DocsPage::Off),
            ("credentials", "Whoever has credentials; browsers ask for them", DocsPage::WithCredentials),
            ("everybody", "Everybody; behind the prefix of a platform only with its credentials", DocsPage::Public),
        ])
    )]
    pub(super) docs: DocsPage,

    /// Where `/healthz`, `/readyz` and `/metrics` are, as HOST:PORT, without credentials [default: where the broker
    /// listens]
    #[arg(
        id = "osb_monitor_listen",
        long = "monitor-listen",
        value_name = "HOST:PORT",
        env = "OSB_MONITOR_LISTEN",
        value_parser = address
    )]
    pub(super) monitor_listen: Option<String>,

    /// The largest request body, in bytes
    #[arg(
        id = "osb_max_body",
        long = "max-body",
        value_name = "BYTES",
        env = "OSB_MAX_BODY",
        default_value_t = HttpSettings::default().max_body
    )]
    max_body: usize,

    /// The largest request line and headers, in bytes
    #[arg(
        id = "osb_max_head",
        long = "max-head",
        value_name = "BYTES",
        env = "OSB_MAX_HEAD",
        default_value_t = HttpSettings::default().max_head
    )]
    max_head: usize,

    /// How long a client may take for the headers of a request, and for the time between two
    #[arg(
        id = "osb_head_timeout",
        long = "head-timeout",
        value_name = "SECONDS",
        env = "OSB_HEAD_TIMEOUT",
        default_value = "10",
        value_parser = seconds
    )]
    head_timeout: Duration,

    /// How long a client may take to send a body
    #[arg(
        id = "osb_body_timeout",
        long = "body-timeout",
        value_name = "SECONDS",
        env = "OSB_BODY_TIMEOUT",
        default_value = "10",
        value_parser = seconds
    )]
    body_timeout: Duration,

    /// How long a client may take none of the bytes of an answer
    #[arg(
        id = "osb_write_timeout",
        long = "write-timeout",
        value_name = "SECONDS",
        env = "OSB_WRITE_TIMEOUT",
        default_value = "30",
        value_parser = seconds
    )]
    write_timeout: Duration,

    /// The most connections at a time; more wait
    #[arg(
        id = "osb_max_connections",
        long = "max-connections",
        value_name = "NUMBER",
        env = "OSB_MAX_CONNECTIONS",
        default_value_t = HttpSettings::default().max_connections
    )]
    max_connections: usize,

    /// How long requests and operations may go on after the signal to end; what is left of operations is done by the next
    /// process that opens the records
    #[arg(
        id = "osb_shutdown_grace",
        long = "shutdown-grace",
        value_name = "SECONDS",
        env = "OSB_SHUTDOWN_GRACE",
        default_value_t = HttpSettings::default().shutdown_grace.as_secs()
    )]
    shutdown_grace: u64,

    /// The oldest version of the API that is served, as MAJOR.MINOR; older ones are answered 412
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

    /// What a request gets that says no version
    #[arg(
        id = "osb_missing_version",
        long = "missing-version",
        value_name = "WHAT",
        env = "OSB_MISSING_VERSION",
        default_value = "400",
        value_parser = one_of(&[
            ("400", "Bad Request, as the specification says since 2.16", MissingVersion::Refuse400),
            ("412", "Precondition Failed, as conformance checkers expect", MissingVersion::Refuse412),
            ("oldest", "What the oldest version served would get", MissingVersion::AssumeOldest),
        ]),
        help_heading = PROTOCOL
    )]
    missing_version: MissingVersion,

    /// Whether a new instance needs `organization_guid` and `space_guid`
    #[arg(
        id = "osb_guids",
        long = "guids",
        value_name = "WHETHER",
        env = "OSB_GUIDS",
        default_value = "required",
        value_parser = one_of(&[
            ("required", "Without them it is answered 400, as the specification says", Guids::Required),
            ("optional", "For platforms that have no organisations and spaces", Guids::Optional),
        ]),
        help_heading = PROTOCOL
    )]
    guids: Guids,

    /// What a request gets whose X-Broker-API-Originating-Identity cannot be read
    #[arg(
        id = "osb_malformed_identity",
        long = "malformed-identity",
        value_name = "WHAT",
        env = "OSB_MALFORMED_IDENTITY",
        default_value = "ignore",
        value_parser = one_of(&[
            ("ignore", "What it would get without; the log has a warning", MalformedOrigin::Ignore),
            ("400", "Bad Request, for brokers that have to know who does what", MalformedOrigin::Refuse400),
        ]),
        help_heading = PROTOCOL
    )]
    malformed_identity: MalformedOrigin,

    /// What a malformed DELETE of an unknown instance gets
    #[arg(
        id = "osb_malformed_deprovision",
        long = "malformed-deprovision",
        value_name = "WHAT",
        env = "OSB_MALFORMED_DEPROVISION",
        default_value = "400",
        value_parser = one_of(DELETE_ORDERS),
        help_heading = PROTOCOL
    )]
    malformed_deprovision: DeleteOrder,

    /// What a malformed DELETE of an unknown binding gets
    #[arg(
        id = "osb_malformed_unbind",
        long = "malformed-unbind",
        value_name = "WHAT",
        env = "OSB_MALFORMED_UNBIND",
        default_value = "400",
        value_parser = one_of(DELETE_ORDERS),
        help_heading = PROTOCOL
    )]
    malformed_unbind: DeleteOrder,

    #[cfg(feature = "tls")]
    #[command(flatten)]
    pub(super) tls: TlsArgs,

    #[command(flatten)]
    pub(super) overrides: OverrideArgs,

    #[command(flatten)]
    pub(super) operations: OperationArgs,

    #[command(flatten)]
    pub(super) store: StoreArgs,

    #[command(flatten)]
    pub(super) admin: AdminArgs,

    #[command(flatten)]
    pub(super) log: LogArgs,
}

/// The heading of options that say how requests are read.
const PROTOCOL: &str = "Protocol";

const DELETE_ORDERS: &[(&str, &str, DeleteOrder)] = &[
    ("400", "Bad Request, as for one that exists", DeleteOrder::MalformedFirst),
    ("410", "Gone, as there is nothing to delete; some conformance checkers expect it", DeleteOrder::GoneFirst),
];

/// One of several values, by the word for it; each has a line of help.
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
        settings.max_head = self.max_head;
        settings.head_timeout = self.head_timeout;
        settings.body_timeout = self.body_timeout;
        settings.write_timeout = self.write_timeout;
        settings.max_connections = self.max_connections;
        settings.shutdown_grace = Duration::from_secs(self.shutdown_grace);
        settings.docs = self.docs;
        settings.render_docs = Some(osb_docs::page);
        settings.minimum_version = self.minimum_version;
        settings.monitor = self.monitor_listen.is_none();
        settings.missing_version = self.missing_version;
        settings.policies.guids = self.guids;
        settings.policies.deprovision_order = self.malformed_deprovision;
        settings.policies.unbind_order = self.malformed_unbind;
        settings.policies.malformed_origin = self.malformed_identity;
        settings
    }
}

/// Whose parameters a schema is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Operation {
    /// A new instance
    Create,
    /// An update of an instance
    Update,
    /// A new binding
    Bind,
}

/// The whole command line; `C` is the author's part of it.
pub(super) fn command<C: Args>(program: &str, offerings: &[&Offering]) -> Command {
    let serving = |command: Command| {
        C::augment_args(ServeArgs::augment_args(command.arg(config::arg())).next_help_heading("Broker"))
    };
    // The words of the options' type would be taken for the command's.
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
        .subcommand(
            serving(Command::new("serve"))
                .about("Serves the broker; also what happens without a command")
                .after_help(SERVING),
        )
        .subcommand(showing(
            Command::new("catalog").arg(
                Arg::new("json")
                    .long("json")
                    .action(ArgAction::SetTrue)
                    .help("The whole catalog as platforms get it, indented"),
            ),
            "Shows services and plans",
        ))
        .subcommand(showing(
            Command::new("schema")
                .arg(arg("service", "Name or id of the service").value_name("SERVICE"))
                .arg(arg("plan", "Name or id of the plan").value_name("PLAN"))
                .arg(
                    arg("operation", "What the parameters are for")
                        .value_name("OPERATION")
                        .value_parser(value_parser!(Operation)),
                ),
            "Shows the JSON Schema of a plan's parameters",
        ))
        .subcommand(super::lock::command())
        .subcommand(Command::new("config").about("Shows a configuration file with every setting, at its default"))
        .subcommands(super::operate::commands::<C>())
        .subcommand(showing(super::docs::command(), super::docs::ABOUT))
        .subcommand(super::client_args::command(program))
        .subcommands(super::check(program))
        .subcommand(super::completions::command(program))
}

/// The name under which the program runs.
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

fn version() -> String {
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
         {program}                                  try it, with credentials of its own\n  \
         OSB_USERNAME=cf OSB_PASSWORD=... {program} --listen 0.0.0.0:8080\n  \
         OSB_PLATFORM_CF_PROD_CREDENTIALS=cf:... {program} --platform cf-prod=/cf-prod\n  \
         {program} catalog --json\n  \
         {program} schema {service} {plan} create\n  \
         {program} docs --format html --out site\n  \
         {program} lock --check                     does this release break anybody?\n  \
         {program} client --help                    try a broker, this one or another\n\n\
         The options above are those of `serve`. {SERVING}"
    )
}

/// What has to be known to serve. Lines of it are wrapped as those of options are.
const SERVING: &str = "Unless the address is one of this machine alone (a loopback address), the broker needs credentials. \
    Without OSB_STORE_KEYS records are NOT sealed: whoever can read their file, or a backup of it, can read parameters and \
    credentials.\n\n\
    Exit codes:\n  \
    0  all went well; serve was asked to end (SIGTERM, SIGINT), and has\n  \
    1  the broker failed, or a second signal cut off what was running\n  \
    2  it was called or configured in a wrong way: to start it again is of no use\n\
    After a kill -9 nothing is lost if the records are in a file: the next start goes on with what was accepted.";

/// HOST:PORT, by its shape; whether the host exists shows when it is used.
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
            "kv --docs everybody --minimum-version 2.13 --missing-version oldest --guids optional --malformed-identity 400 \
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
            ("--docs yes", "[possible values: off, credentials, everybody]"),
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
