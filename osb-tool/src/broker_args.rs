//! The broker's URL and credentials: the options that `client` and `check` share.

use std::path::PathBuf;

use clap::Args;

#[cfg(feature = "tls")]
use super::client_tls::TlsFiles;
use super::{Failure, config::File};
use osb_client::Client;
use osb_runtime::protocol::ApiVersion;

/// The URL of a broker, and credentials.
#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Broker")]
pub(super) struct BrokerArgs {
    /// URL of the broker, without /v2
    #[arg(long, global = true, value_name = "URL", env = "OSB_CLIENT_URL", default_value = "http://127.0.0.1:8080")]
    pub(super) url: String,

    #[command(flatten)]
    auth: AuthArgs,
}

/// Credentials, and the version of the API.
#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Broker")]
pub(super) struct AuthArgs {
    /// Username that the broker accepts from a platform
    #[arg(long, global = true, value_name = "USER", env = "OSB_CLIENT_USERNAME")]
    username: Option<String>,

    /// Password of that user; prefer the environment, because other users can see command lines
    #[arg(long, global = true, value_name = "PASSWORD", env = "OSB_CLIENT_PASSWORD")]
    password: Option<String>,

    /// Bearer token, in place of username and password
    #[arg(
        long,
        global = true,
        value_name = "TOKEN",
        env = "OSB_CLIENT_TOKEN",
        conflicts_with_all = ["username", "password"]
    )]
    token: Option<String>,

    /// PEM file with the only authorities to trust for https:// [default: those of the operating system]
    #[cfg(feature = "tls")]
    #[arg(long, global = true, value_name = "FILE", env = "OSB_CLIENT_CA")]
    ca: Option<PathBuf>,

    /// PEM file with a certificate to present, for brokers that require one from their clients
    #[cfg(feature = "tls")]
    #[arg(long, global = true, value_name = "FILE", env = "OSB_CLIENT_CERT")]
    cert: Option<PathBuf>,

    /// PEM file with the private key of --cert [default: the same file]
    #[cfg(feature = "tls")]
    #[arg(long, global = true, value_name = "FILE", env = "OSB_CLIENT_KEY")]
    key: Option<PathBuf>,

    /// Configuration file of a broker on this machine, whose username and password are used
    #[arg(id = "osb_client_config", long = "config", global = true, value_name = "FILE", env = "OSB_CONFIG")]
    config: Option<PathBuf>,

    /// Version of the API to send in X-Broker-API-Version, as MAJOR.MINOR
    #[arg(
        long,
        visible_alias = "version",
        global = true,
        value_name = "VERSION",
        default_value_t = ApiVersion::LATEST,
        value_parser = version
    )]
    pub(super) api_version: ApiVersion,
}

impl BrokerArgs {
    pub(super) fn client(&self) -> Result<Client, Failure> {
        self.auth.client_of_machine(&self.url)
    }
}

impl AuthArgs {
    /// Returns a client for the broker at a URL, with the environment and the configuration file of this machine.
    pub(super) fn client_of_machine(&self, url: &str) -> Result<Client, Failure> {
        let file = match self.config.as_deref().filter(|_| is_local(url)) {
            Some(path) => Some(File::read(path)?),
            None => None,
        };
        self.client(url, |name| {
            let setting = name.strip_prefix("OSB_").unwrap_or(name).to_lowercase();
            std::env::var(name).ok().or_else(|| file.as_ref()?.value(&setting).map(str::to_owned))
        })
    }

    /// Returns a client for the broker at a URL. Uses the credentials in the environment of `serve` only for brokers on this
    /// machine, so that no other broker sees them.
    pub(super) fn client(&self, url: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Client, Failure> {
        let client = self.reach(url)?.version(self.api_version);
        if let Some(token) = &self.token {
            return Ok(client.bearer(token));
        }
        let local = |name: &str| if is_local(url) { variable(name) } else { None };
        let given = (self.username.clone(), self.password.clone());
        let pair = match given {
            (None, None) => (local("OSB_USERNAME"), local("OSB_PASSWORD")),
            given => given,
        };
        match pair {
            (Some(user), Some(password)) => Ok(client.basic(&user, &password)),
            (None, None) => Ok(client),
            _ => Err(Failure::Usage(
                "a username without a password, or the reverse; give both --username and --password \
                 (OSB_CLIENT_USERNAME, OSB_CLIENT_PASSWORD)"
                    .to_owned(),
            )),
        }
    }

    #[cfg(feature = "tls")]
    fn reach(&self, url: &str) -> Result<Client, Failure> {
        let Self { ca, cert, key, .. } = self;
        TlsFiles { ca: ca.as_deref(), certificate: cert.as_deref(), key: key.as_deref() }.reach(url)
    }

    #[cfg(not(feature = "tls"))]
    #[expect(clippy::unused_self, reason = "with TLS it names files")]
    fn reach(&self, url: &str) -> Result<Client, Failure> {
        Client::new(url).map_err(Failure::usage)
    }
}

fn is_local(url: &str) -> bool {
    let host = url.parse::<http::Uri>().ok().and_then(|uri| uri.host().map(str::to_owned)).unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

fn version(text: &str) -> Result<ApiVersion, String> {
    text.parse().map_err(|_| format!("write a version such as 2.13; the newest is {}", ApiVersion::LATEST))
}

#[cfg(test)]
mod tests {
    use clap::{Command, FromArgMatches as _};
    use http::header::AUTHORIZATION;

    use super::*;
    use osb_client::Call;

    /// Returns the `Authorization` header of a client, with credentials of `serve` in the environment.
    fn authorization(line: &str) -> Result<String, String> {
        let matches = BrokerArgs::augment_args(Command::new("client")).try_get_matches_from(line.split(' '));
        let at = BrokerArgs::from_arg_matches(&matches.map_err(|error| error.to_string())?)
            .map_err(|error| error.to_string())?;
        let client = at.auth.client(&at.url, |name| Some(name.to_lowercase())).map_err(|error| error.to_string())?;
        let request = client.request(&Call::catalog()).map_err(|error| error.to_string())?;
        let value = request.headers().get(AUTHORIZATION).map(|value| value.to_str().unwrap_or_default());
        Ok(value.unwrap_or("none").to_owned())
    }

    #[test]
    fn credentials_of_serve_are_sent_to_this_machine_only() {
        let serves = "Basic b3NiX3VzZXJuYW1lOm9zYl9wYXNzd29yZA==";
        for (line, expected) in [
            ("client", serves),
            ("client --url http://localhost:1", serves),
            ("client --url http://[::1]:1/prefix", serves),
            ("client --url http://broker.example.com", "none"),
            ("client --url http://localhost.example.com", "none"),
            ("client --url http://127.0.0.1.example.com", "none"),
            ("client --url http://b --username a --password b", "Basic YTpi"),
            ("client --token t", "Bearer t"),
        ] {
            assert_eq!(authorization(line).as_deref(), Ok(expected), "{line}");
        }
        assert!(authorization("client --username a").expect_err("half a pair").contains("give both"));
        assert!(authorization("client --token t --username a").is_err());
    }
}
