//! The options of `serve`.

use std::{path::PathBuf, time::Duration};

use clap::Args;
use osb_runtime::{
    http::{DocsPage, HttpSettings},
    protocol::{ApiVersion, MalformedIdentity},
};

#[cfg(feature = "tls")]
use super::tls::TlsArgs;
use super::{
    admin::AdminArgs,
    cli::{PROTOCOL, number, one_of},
    compatibility::CompatibilityArgs,
    duration::{self, parse_positive as positive},
    log::LogArgs,
    operations::OperationArgs,
    overrides::OverrideArgs,
    store::StoreArgs,
};

/// The options of `serve`, except the author's. A field has the name of its variable in lower case, which the author's options
/// can't have.
#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Server")]
pub(super) struct ServeArgs {
    /// Address to listen at, as HOST:PORT [default: 127.0.0.1:8080, or 0.0.0.0:$PORT if PORT is set]
    #[arg(long = "listen", value_name = "HOST:PORT", env, value_parser = address)]
    pub(super) osb_listen: Option<String>,

    /// Username with which the platform authenticates
    #[arg(long = "username", value_name = "USER", env)]
    pub(super) osb_username: Option<String>,

    /// Password of that user; prefer the environment, because other users can see command lines
    #[arg(long = "password", value_name = "PASSWORD", env)]
    pub(super) osb_password: Option<String>,

    /// Pairs of username and password, separated by white space; all are valid, so you can rotate them
    // Not parsed by clap, which would show an invalid value in its message.
    #[arg(long = "credentials", value_name = "USER:PASSWORD ...", env)]
    pub(super) osb_credentials: Option<String>,

    /// File with pairs as in --credentials; it is reloaded every minute and on SIGHUP
    #[arg(long = "credentials-file", value_name = "FILE", env)]
    pub(super) osb_credentials_file: Option<PathBuf>,

    /// Bearer tokens that are valid as well, separated by white space; prefer the environment
    #[arg(long = "bearer-tokens", value_name = "TOKEN ...", env)]
    pub(super) osb_bearer_tokens: Option<String>,

    /// File with tokens as in --bearer-tokens; it is reloaded as well
    #[arg(long = "bearer-tokens-file", value_name = "FILE", env)]
    pub(super) osb_bearer_tokens_file: Option<PathBuf>,

    /// Platform with a path prefix of its own, which sees only its own instances; repeat it for several platforms,
    /// or separate them by white space
    ///
    /// Set its credentials in OSB_PLATFORM_<NAME>_CREDENTIALS (pairs) or OSB_PLATFORM_<NAME>_BEARER_TOKENS, or in files named
    /// by these variables with the suffix _FILE. <NAME> is in upper case, with `_` in place of anything but letters and
    /// digits: cf-prod has OSB_PLATFORM_CF_PROD_CREDENTIALS
    #[arg(id = "osb_platform", long = "platform", value_name = "NAME=/PREFIX", env = "OSB_PLATFORMS")]
    pub(super) platforms: Vec<String>,

    /// Access to the documentation at /docs
    #[arg(
        long = "docs",
        value_name = "ACCESS",
        env,
        default_value = "credentials",
        value_parser = one_of(&[
            ("off", "There is no such page", DocsPage::Off),
            ("credentials", "Clients with credentials; browsers prompt for them", DocsPage::WithCredentials),
            ("public", "All clients; behind the prefix of a platform only those with its credentials", DocsPage::Public),
        ])
    )]
    pub(super) osb_docs: DocsPage,

    /// Separate address for `/healthz`, `/readyz` and `/metrics`, as HOST:PORT; they need no credentials [default: the
    /// broker's address]
    #[arg(long = "monitor-listen", value_name = "HOST:PORT", env, value_parser = address)]
    pub(super) osb_monitor_listen: Option<String>,

    /// Maximum size of a request body, in bytes
    #[arg(
        long = "max-body",
        value_name = "BYTES",
        env,
        default_value_t = HttpSettings::default().max_body,
        value_parser = bytes
    )]
    osb_max_body: usize,

    /// Memory for the bodies of running requests, in bytes; requests beyond it get a 503
    #[arg(
        long = "body-memory",
        value_name = "BYTES",
        env,
        default_value_t = HttpSettings::default().body_memory,
        value_parser = bytes
    )]
    osb_body_memory: usize,

    /// Maximum size of a request line and headers, in bytes
    #[arg(
        long = "max-head",
        value_name = "BYTES",
        env,
        default_value_t = HttpSettings::default().max_head,
        value_parser = head
    )]
    osb_max_head: usize,

    /// Close a connection when a request's headers have not arrived this long after it was opened, or after their first byte
    #[arg(long = "head-timeout", value_name = "DURATION", env, default_value = "10s", value_parser = positive)]
    osb_head_timeout: Duration,

    /// Close a connection that is idle between two requests for this long; a load balancer or router in front has to give up
    /// idle connections earlier (most after 60 to 600 s), or requests fail now and then with 502
    #[arg(long = "idle-timeout", value_name = "DURATION", env, default_value = "620s", value_parser = positive)]
    osb_idle_timeout: Duration,

    /// Close a connection when a request's body has not arrived after this time
    #[arg(long = "body-timeout", value_name = "DURATION", env, default_value = "10s", value_parser = positive)]
    osb_body_timeout: Duration,

    /// Close a connection when the client reads no response data for this long
    #[arg(long = "write-timeout", value_name = "DURATION", env, default_value = "30s", value_parser = positive)]
    osb_write_timeout: Duration,

    /// Maximum number of connections; at the limit, a new one replaces the one that has waited longest for a request, and waits
    /// while a request is running on all of them
    #[arg(
        long = "max-connections",
        value_name = "NUMBER",
        env,
        default_value_t = HttpSettings::default().max_connections,
        value_parser = number::<usize>
    )]
    osb_max_connections: usize,

    /// Time after SIGTERM or SIGINT in which all requests are still served while /readyz fails, for a load balancer to notice
    #[arg(
        long = "shutdown-delay",
        value_name = "DURATION",
        env,
        default_value = duration::display(HttpSettings::default().shutdown_delay),
        value_parser = duration::parse
    )]
    osb_shutdown_delay: Duration,

    /// Time after --shutdown-delay for running requests and operations to finish. At its end, unfinished operations are handed over
    /// to another process, or to the next one that opens the records: this takes the last fifth, or --cancel-grace and half a
    /// second if that is longer
    #[arg(
        long = "shutdown-grace",
        value_name = "DURATION",
        env,
        default_value = duration::display(HttpSettings::default().shutdown_grace),
        value_parser = duration::parse
    )]
    osb_shutdown_grace: Duration,

    /// Oldest API version that is served, as MAJOR.MINOR; requests with an older one get a 412
    #[arg(
        long = "minimum-version",
        value_name = "VERSION",
        env,
        default_value_t = HttpSettings::default().minimum_version,
        value_parser = minimum_version,
        help_heading = PROTOCOL
    )]
    osb_minimum_version: ApiVersion,

    /// Response to a request with a malformed X-Broker-API-Originating-Identity header
    #[arg(
        long = "malformed-identity",
        value_name = "RESPONSE",
        env,
        default_value = "ignore",
        value_parser = one_of(&[
            ("ignore", "Ignores the header and logs a warning", MalformedIdentity::Ignore),
            ("400", "Bad Request, for brokers that need the user's identity", MalformedIdentity::Refuse),
        ]),
        help_heading = PROTOCOL
    )]
    osb_malformed_identity: MalformedIdentity,

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

impl ServeArgs {
    pub(super) fn settings(&self) -> HttpSettings {
        let mut settings = HttpSettings::default();
        settings.max_body = self.osb_max_body;
        settings.body_memory = self.osb_body_memory;
        settings.max_head = self.osb_max_head;
        settings.head_timeout = self.osb_head_timeout;
        settings.idle_timeout = self.osb_idle_timeout;
        settings.body_timeout = self.osb_body_timeout;
        settings.write_timeout = self.osb_write_timeout;
        settings.max_connections = self.osb_max_connections;
        settings.shutdown_delay = self.osb_shutdown_delay;
        settings.shutdown_grace = self.osb_shutdown_grace;
        settings.docs = self.osb_docs;
        settings.render_docs = Some(osb_docs::page);
        settings.minimum_version = self.osb_minimum_version;
        settings.monitor = self.osb_monitor_listen.is_none();
        settings.begins_traces = self.log.exports_spans();
        settings.policies.malformed_identity = self.osb_malformed_identity;
        self.compatibility.apply_to_http(&mut settings);
        settings
    }
}

/// Checks the form HOST:PORT; the host is resolved when it is used.
pub(super) fn address(text: &str) -> Result<String, String> {
    let good = text.rsplit_once(':').is_some_and(|(host, port)| {
        let bracketed = host.starts_with('[') && host.ends_with(']');
        !host.is_empty() && (bracketed || !host.contains(':')) && port.parse::<u16>().is_ok()
    });
    if good { Ok(text.to_owned()) } else { Err("write HOST:PORT, such as 127.0.0.1:8080 or [::]:8080".to_owned()) }
}

fn bytes(text: &str) -> Result<usize, String> {
    let bytes = text.parse().ok().filter(|bytes| *bytes > 0);
    bytes.ok_or_else(|| "write a number of bytes without a unit, such as 1048576".to_owned())
}

/// With a limit below the size of platforms' request heads, the broker would refuse all requests.
fn head(text: &str) -> Result<usize, String> {
    const SMALLEST: usize = 4 << 10;
    let bytes = bytes(text)?;
    if bytes < SMALLEST {
        Err(format!("write at least {SMALLEST}, which requests of platforms need"))
    } else {
        Ok(bytes)
    }
}

fn minimum_version(text: &str) -> Result<ApiVersion, String> {
    let oldest = HttpSettings::default().minimum_version;
    let served = |version: &ApiVersion| (oldest..=ApiVersion::LATEST).contains(version);
    let version = text.parse().ok().filter(served);
    version.ok_or_else(|| format!("write a version between {oldest} and {}, such as 2.13", ApiVersion::LATEST))
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;
    use osb_runtime::{
        http::MissingVersion,
        protocol::{Guids, MalformedDelete},
    };

    use super::*;
    use crate::{cli::command, fixture::KV};

    #[test]
    fn policies_have_words_and_defaults() {
        let parse = |line: &str| {
            let matches = command::<()>("kv", "1.2.3", &[&KV]).try_get_matches_from(line.split_whitespace())?;
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
        assert_eq!(settings.policies.malformed_identity, MalformedIdentity::Refuse);
        assert_eq!(settings.policies.malformed_unbind, MalformedDelete::Gone);
        assert_eq!(settings.policies.malformed_deprovision, MalformedDelete::BadRequest);

        for (line, said) in [
            ("--minimum-version 2.18", "write a version between 2.2 and 2.17"),
            ("--minimum-version 2.1", "write a version between 2.2 and 2.17"),
            ("--minimum-version 3.0", "write a version between 2.2 and 2.17"),
            ("--minimum-version 2", "write a version between 2.2 and 2.17"),
            ("--missing-version 404", "[possible values: 400, 412, oldest]"),
            ("--docs yes", "[possible values: off, credentials, public]"),
            ("--guids no", "[possible values: required, optional]"),
            ("--malformed-unbind 404", "[possible values: 400, 410]"),
            ("--max-head 1", "--max-head <BYTES>': write at least 4096, which requests of platforms need"),
        ] {
            let error = parse(&format!("kv {line}")).expect_err(line).to_string();
            assert!(error.contains(said), "{line}: {error}");
        }
    }

    #[test]
    fn sizes_are_numbers_of_bytes() {
        assert_eq!(bytes("1048576"), Ok(1 << 20));
        for bad in ["1MB", "-1", "", "1e6", "0"] {
            assert_eq!(bytes(bad).unwrap_err(), "write a number of bytes without a unit, such as 1048576", "{bad}");
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
