//! The URL of a store on PostgreSQL: that of libpq, with a few additional parameters.

use std::{fmt, str::FromStr, time::Duration};

use percent_encoding::percent_decode_str;
use tokio_postgres::{
    Config,
    config::{SslMode, TargetSessionAttrs},
};

use super::{ConnectError, passfile::Passfile, tls};

/// Maximum time of a statement, and of waiting for a connection.
pub(super) const STATEMENT_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time to connect to a host.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const KEEPALIVE: Duration = Duration::from_secs(10);

/// PostgreSQL's names have at most 63 bytes, and that of the channel for notifications is the schema's with `osb.` before it.
const MAX_NAME: usize = 59;

/// The error of a parameter whose name may be a part of the password.
const UNCLEAR: &str = "a parameter is invalid, or the password has a character that must be percent-encoded, such as `?` (`%3F`) \
    or `@` (`%40`)";

/// The settings in a URL.
pub(super) struct Options {
    pub(super) config: Config,
    /// The file with the password, if the URL has none.
    pub(super) passfile: Option<Passfile>,
    pub(super) verification: tls::Verification,
    pub(super) files: tls::Files,
    /// The name of the schema, without quotes.
    pub(super) schema: String,
    pub(super) pool_size: usize,
    /// False for poolers in transaction mode, which give each transaction another session.
    pub(super) has_sessions: bool,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl FromStr for Options {
    type Err = ConnectError;

    fn from_str(url: &str) -> Result<Self, ConnectError> {
        if !["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme)) {
            return Err(wrong("it doesn't begin with postgres://"));
        }
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        // With a `?` in a password, the part after it looks like the name of a parameter.
        let wrong_parameter = |reason: String| wrong(if query.contains('@') { UNCLEAR.to_owned() } else { reason });
        let mut mode = None;
        let mut passfile = None;
        let (mut files, mut schema) = (tls::Files::default(), "osb".to_owned());
        let (mut pool_size, mut has_sessions) = (16, true);
        let (mut others, mut is_chosen) = (Vec::new(), false);
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            // The driver decodes it, too: `ssl%6Dode=require` must not be overwritten by the default.
            let name = percent_decode_str(name).decode_utf8_lossy();
            let value = percent_decode_str(value).decode_utf8();
            let value = value.map_err(|_| wrong_parameter(format!("`{name}` is not UTF-8")))?.into_owned();
            match &*name {
                "sslmode" => mode = Some(value),
                "passfile" => passfile = Some(Passfile::new(value)),
                "sslrootcert" => files.roots = Some(value),
                "sslcert" => files.certificate = Some(value),
                "sslkey" => files.key = Some(value),
                "schema" => schema = valid_schema(value)?,
                "pool_size" => pool_size = size(&value)?,
                "pooler" => has_sessions = !is_transaction_pooler(&value)?,
                name => {
                    is_chosen |= name == "target_session_attrs";
                    others.push(pair);
                }
            }
        }
        let (ssl_mode, verification) = ssl(mode.as_deref(), files.roots.as_deref())?;
        let mut config = config(base, &others, wrong_parameter)?;
        config.ssl_mode(ssl_mode);
        // The store writes, and stays with the host that answers: that must not be a standby.
        if config.get_hosts().len().max(config.get_hostaddrs().len()) > 1 && !is_chosen {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        if passfile.is_some() && config.get_password().is_some() {
            return Err(wrong("it has a password and a `passfile`; remove one of them"));
        }
        Ok(Self { config, passfile, verification, files, schema, pool_size, has_sessions })
    }
}

fn wrong(reason: impl Into<String>) -> ConnectError {
    ConnectError::Url(reason.into())
}

/// Returns the innermost cause of an error of the driver, which names the parameter and not its value.
fn reason(error: &tokio_postgres::Error) -> String {
    use std::error::Error as _;
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

/// Returns the configuration of the driver, by the parameters that it knows.
fn config(
    base: &str,
    parameters: &[&str],
    wrong_parameter: impl Fn(String) -> ConnectError,
) -> Result<Config, ConnectError> {
    let url = if parameters.is_empty() { base.to_owned() } else { format!("{base}?{}", parameters.join("&")) };
    // The error of a URL can quote the password.
    let mut config = Config::from_str(&url).map_err(|error| wrong_parameter(reason(&error)))?;
    // The driver takes what follows the first one for a host, and errors name hosts.
    if base.matches('@').count() > 1 {
        return Err(wrong("it has two `@`: percent-encode the one in the password (`%40`)"));
    }
    if config.get_user().is_none() {
        return Err(wrong("it has no user: postgres://USER:PASSWORD@HOST/DATABASE"));
    }
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        return Err(wrong("it has no host: postgres://USER:PASSWORD@HOST/DATABASE"));
    }
    if config.get_application_name().is_none() {
        config.application_name("osb");
    }
    config.keepalives_idle(KEEPALIVE).tcp_user_timeout(STATEMENT_TIMEOUT);
    Ok(config)
}

/// Returns the mode of the driver, and how certificates are verified, as libpq does by `sslmode` and `sslrootcert`.
fn ssl(mode: Option<&str>, roots: Option<&str>) -> Result<(SslMode, tls::Verification), ConnectError> {
    let trusts_system = roots == Some("system");
    let mode = mode.unwrap_or(if trusts_system { "verify-full" } else { "prefer" });
    let (driver, verification) = match mode {
        "disable" => (SslMode::Disable, tls::Verification::None),
        "prefer" => (SslMode::Prefer, tls::Verification::None),
        // A root certificate is there to verify with.
        "require" if roots.is_some() => (SslMode::Require, tls::Verification::Authority),
        "require" => (SslMode::Require, tls::Verification::None),
        "verify-ca" => (SslMode::Require, tls::Verification::Authority),
        "verify-full" => (SslMode::Require, tls::Verification::Full),
        _ => return Err(wrong("`sslmode` must be `disable`, `prefer`, `require`, `verify-ca` or `verify-full`")),
    };
    // A public authority signs for anyone, so that only the name shows whose certificate it is.
    if trusts_system && verification != tls::Verification::Full {
        return Err(wrong(format!("`sslrootcert=system` needs `sslmode=verify-full`, not `{mode}`")));
    }
    if roots.is_none() && verification == tls::Verification::Authority {
        return Err(wrong("`sslmode=verify-ca` needs a file in `sslrootcert`; or write `sslmode=verify-full`"));
    }
    Ok((driver, verification))
}

fn valid_schema(name: String) -> Result<String, ConnectError> {
    if name.is_empty() || name.len() > MAX_NAME || name.starts_with("pg_") || name.contains('\0') {
        return Err(wrong(format!("`schema` must have 1 to {MAX_NAME} bytes, and not begin with `pg_`")));
    }
    Ok(name)
}

fn size(text: &str) -> Result<usize, ConnectError> {
    let size = text.parse().ok().filter(|size| (1..=1000).contains(size));
    size.ok_or_else(|| wrong("`pool_size` is not a number from 1 to 1000"))
}

fn is_transaction_pooler(mode: &str) -> Result<bool, ConnectError> {
    match mode {
        "transaction" => Ok(true),
        "session" | "none" => Ok(false),
        _ => Err(wrong("`pooler` must be `none`, `session` or `transaction`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_the_parameters_of_libpq_and_our_own() {
        let url = "postgres://kv:secret@db.example:5433/broker?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem\
                   &sslcert=kv.pem&sslkey=kv.key&schema=kv-broker&pool_size=8&pooler=transaction&connect_timeout=3";
        let options: Options = url.parse().expect("a URL");
        assert_eq!(options.config.get_dbname(), Some("broker"));
        assert_eq!(options.config.get_ssl_mode(), SslMode::Require);
        assert_eq!(options.config.get_connect_timeout(), Some(&Duration::from_secs(3)));
        assert_eq!(options.verification, tls::Verification::Full);
        assert_eq!(options.files.roots.as_deref(), Some("/etc/ca.pem"));
        assert_eq!(options.files.certificate.as_deref(), Some("kv.pem"));
        assert_eq!(options.files.key.as_deref(), Some("kv.key"));
        assert_eq!(format!("{options:?}"), "Options { schema: \"kv-broker\", .. }");
        assert_eq!((options.schema.as_str(), options.pool_size, options.has_sessions), ("kv-broker", 8, false));
    }

    #[test]
    fn without_a_pooler_or_with_one_for_sessions_the_store_has_sessions() {
        for pooler in ["", "pooler=none", "pooler=session"] {
            let options: Options = format!("postgres://kv@db/broker?{pooler}").parse().expect("a URL");
            assert!(options.has_sessions, "{pooler}");
        }
    }

    #[test]
    fn a_schema_has_1_to_59_bytes() {
        let schema = |name: &str| {
            let parsed = format!("postgres://kv@db/broker?schema={name}").parse::<Options>();
            parsed.map(|options| options.schema).map_err(|error| error.to_string())
        };
        let longest = "s".repeat(59);
        assert_eq!(schema(&longest), Ok(longest.clone()));
        for name in ["", "a%00b", &format!("{longest}s"), &format!("{longest}ss")] {
            let error = schema(name).expect_err("PostgreSQL would refuse or shorten it");
            assert!(error.contains("`schema` must have 1 to 59 bytes"), "{error}");
        }
    }

    #[test]
    fn a_root_certificate_is_verified_with_as_by_libpq() {
        let verification = |query: &str| {
            let options: Options = format!("postgres://kv@db/broker?{query}").parse().expect("a URL");
            options.verification
        };
        assert_eq!(verification("sslmode=disable&sslrootcert=ca.pem"), tls::Verification::None);
        assert_eq!(verification("sslmode=require"), tls::Verification::None);
        assert_eq!(verification("ssl%6Dode=require&sslrootcert=ca.pem"), tls::Verification::Authority);
        assert_eq!(verification("sslrootcert=ca.pem&sslmode=verify-full"), tls::Verification::Full);
    }

    #[test]
    fn a_connection_is_encrypted_as_the_mode_says() {
        for (mode, encryption) in [
            ("disable", SslMode::Disable),
            ("prefer", SslMode::Prefer),
            ("require", SslMode::Require),
            ("verify-ca", SslMode::Require),
            ("verify-full", SslMode::Require),
        ] {
            let url = format!("postgres://kv@db/broker?sslrootcert=ca.pem&sslmode={mode}");
            let options: Options = url.parse().expect("a URL");
            assert_eq!(options.config.get_ssl_mode(), encryption, "{mode}");
        }
    }

    #[test]
    fn a_pool_has_1_to_1000_connections() {
        let size = |size: &str| format!("postgres://kv@db/broker?pool_size={size}").parse::<Options>();
        for accepted in ["1", "1000"] {
            assert_eq!(size(accepted).expect("a URL").pool_size.to_string(), accepted);
        }
        for refused in ["0", "1001", "-1", "many", ""] {
            let error = size(refused).expect_err(refused).to_string();
            assert!(error.contains("`pool_size` is not a number from 1 to 1000"), "{error}");
        }
    }

    /// Neither packets that are lost nor a server that is gone may hold a statement for longer than its limit.
    #[test]
    fn a_broken_connection_is_noticed_in_the_time_of_a_statement() {
        let options: Options = "postgres://kv@db/broker".parse().expect("a URL");
        assert_eq!(options.config.get_keepalives_idle(), KEEPALIVE);
        assert_eq!(options.config.get_tcp_user_timeout(), Some(&STATEMENT_TIMEOUT));
    }

    #[test]
    fn the_authorities_of_the_system_are_trusted_with_the_name_only_as_by_libpq() {
        let parsed = |query: &str| format!("postgres://kv@db/broker?{query}").parse::<Options>();
        for query in ["sslrootcert=system", "sslmode=verify-full&sslrootcert=system"] {
            let options = parsed(query).expect("a URL");
            assert_eq!(options.config.get_ssl_mode(), SslMode::Require, "{query}");
            assert_eq!(options.verification, tls::Verification::Full, "{query}");
        }
        for mode in ["disable", "prefer", "require", "verify-ca"] {
            let error = parsed(&format!("sslrootcert=system&sslmode={mode}")).expect_err(mode).to_string();
            assert!(error.contains("verify-full"), "{error}");
        }
        let error = parsed("sslmode=verify-ca").expect_err("no file").to_string();
        assert!(error.contains("`sslrootcert`"), "{error}");
    }

    #[test]
    fn of_several_hosts_a_standby_is_chosen_only_if_the_url_says_so() {
        let attributes = |rest: &str| {
            let options: Options = format!("postgres://kv@{rest}").parse().expect("a URL");
            options.config.get_target_session_attrs()
        };
        assert_eq!(attributes("a/broker"), TargetSessionAttrs::Any);
        assert_eq!(attributes("a,b/broker"), TargetSessionAttrs::ReadWrite);
        assert_eq!(attributes("/broker?hostaddr=10.0.0.1,10.0.0.2"), TargetSessionAttrs::ReadWrite);
        assert_eq!(attributes("a,b/broker?target_session_attrs=any"), TargetSessionAttrs::Any);
        assert_eq!(attributes("a,b/broker?target%5Fsession%5Fattrs=any&options=-ca"), TargetSessionAttrs::Any);
    }

    #[test]
    fn errors_name_the_parameter_and_show_no_password() {
        let cases = [
            ("mysql://kv:geheim@db/broker", "postgres://"),
            ("postgres://db/broker", "no user"),
            ("postgres://kv:geheim@/broker", "no host"),
            ("postgres://kv:un@geheim@db/broker", "`%40`"),
            ("postgres://kv:geheim@db/broker?sslmode=on", "`sslmode`"),
            ("postgres://kv:geheim@db/broker?pool_size=0", "`pool_size`"),
            ("postgres://kv:geheim@db/broker?schema=pg_catalog", "`schema`"),
            ("postgres://kv:geheim@db/broker?pooler=statement", "`pooler`"),
            ("postgres://kv:geheim@db/broker?schema=%ff", "`schema`"),
            ("postgres://kv:geheim@db/broker?passfile=pgpass", "`passfile`"),
            ("postgres://kv:geheim@db/broker?colour=red", "colour"),
            ("postgres://kv:geheim@db:port/broker", "port"),
            ("postgres://kv:a?x&geheim=%ff@db/broker", "`%3F`"),
            ("postgres://kv:a@b?geheim=c@db/broker", "`%40`"),
        ];
        for (url, part) in cases {
            let error = url.parse::<Options>().expect_err(url).to_string();
            assert!(error.contains(part) && !error.contains("geheim"), "{url}: {error}");
        }
    }
}
