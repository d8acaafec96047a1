//! Runs a broker for databases: `cargo run -p postgres-broker -- --postgres URL`.

use std::{error::Error, process::ExitCode};

use osb_tool::{ConfigError, Secret, clap};
use postgres_broker::{Broker, Databases, Server};
use tokio_postgres::config::{Config, Host};

/// The author's setting: the server.
#[derive(Debug, clap::Args)]
struct Settings {
    /// URL of the PostgreSQL server, with a role that can create databases and roles; applications use its host and port
    #[arg(long, env = "POSTGRES_URL", value_name = "URL")]
    postgres: Secret,
}

fn main() -> ExitCode {
    osb_tool::run(async |settings: Settings| open(settings.postgres.expose()).await)
}

/// Checks the server, and starts to enforce the sizes of databases.
async fn open(url: &str) -> Result<Broker, Box<dyn Error + Send + Sync>> {
    // Messages leave the URL out, because it contains a password.
    let cause = |error: &dyn Error| error.source().map_or_else(|| error.to_string(), ToString::to_string);
    let config: Config = url.parse().map_err(|error| {
        let example = "postgres://ROLE:PASSWORD@HOST:5432/postgres";
        ConfigError::new(format!("--postgres (POSTGRES_URL) is not a URL such as {example}: {}", cause(&error)))
    })?;
    let [Host::Tcp(host), ..] = config.get_hosts() else {
        return Err(ConfigError::new(
            "--postgres (POSTGRES_URL) has no host name\n  applications need one; to connect to another address than they, add \
             `?hostaddr=ADDRESS`",
        )
        .into());
    };
    let (host, port) = (host.clone(), config.get_ports().first().copied().unwrap_or(5432));
    let server = Server::open(config).await;
    let server =
        server.map_err(|error| format!("cannot use the server of --postgres (POSTGRES_URL): {}", cause(&*error)))?;
    tokio::spawn(server.clone().keep_sizes());
    Ok(Broker(Databases::new(server, host, port)))
}
