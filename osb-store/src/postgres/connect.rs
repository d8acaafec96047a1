//! Connections to the first host of a URL that answers in time.

use std::{pin::Pin, time::Duration};

use deadpool_postgres::Connect;
use tokio::{task::JoinHandle, time::timeout};
use tokio_postgres::{Client, Config, Connection, Error, Socket, config::LoadBalanceHosts};

use super::{ConnectError, readable, tls, url};

pub(super) type Connected = (Client, Connection<Socket, tls::Stream>);

/// Hosts, and the way to connect to them. `connect_timeout` is the maximum time for each host, from the first packet to the
/// end of the authentication. The driver would apply it to TCP alone, and wait for ever for a host that accepts and is silent.
#[derive(Clone)]
pub(super) struct Connector {
    /// All hosts but the last.
    others: Vec<Config>,
    last: Config,
    tls: tls::Tls,
    per_host: Duration,
}

impl Connector {
    pub(super) fn new(config: &Config, tls: tls::Tls) -> Self {
        let per_host = config.get_connect_timeout().copied().unwrap_or(url::CONNECT_TIMEOUT);
        let mut others = each_host(config);
        let last = others.pop().unwrap_or_else(|| config.clone());
        Self { others, last, tls, per_host }
    }

    /// Returns the maximum time of a connection attempt.
    pub(super) fn limit(&self) -> Duration {
        self.per_host * u32::try_from(self.others.len() + 1).unwrap_or(u32::MAX)
    }

    /// Connects, or fails after the limit.
    pub(super) async fn connect(&self) -> Result<Connected, ConnectError> {
        match timeout(self.limit(), self.connect_unlimited()).await {
            Ok(connected) => Ok(connected?),
            Err(_) => Err(ConnectError::Database(format!("no answer within {:?}", self.limit()))),
        }
    }

    /// Connects. The caller limits the time, and with it the time for the last host.
    async fn connect_unlimited(&self) -> Result<Connected, Error> {
        for host in &self.others {
            if let Ok(Ok(connected)) = timeout(self.per_host, host.connect(self.tls.clone())).await {
                return Ok(connected);
            }
        }
        self.last.connect(self.tls.clone()).await
    }
}

impl Connect for Connector {
    fn connect(
        &self,
        _: &Config,
    ) -> Pin<Box<dyn Future<Output = Result<(Client, JoinHandle<()>), Error>> + Send + '_>> {
        Box::pin(async {
            let (client, connection) = self.connect_unlimited().await?;
            let connection = tokio::spawn(async move {
                if let Err(error) = connection.await {
                    tracing::warn!(error = readable(&error), "a connection to the database broke");
                }
            });
            Ok((client, connection))
        })
    }
}

/// Splits a configuration into one for each host.
fn each_host(config: &Config) -> Vec<Config> {
    let (hosts, addresses, ports) = (config.get_hosts(), config.get_hostaddrs(), config.get_ports());
    let count = hosts.len().max(addresses.len());
    let is_consistent = [hosts.len(), addresses.len(), ports.len()].iter().all(|len| [0, 1, count].contains(len))
        && (hosts.is_empty() || addresses.is_empty() || hosts.len() == addresses.len());
    // The driver reports what is inconsistent, and picks a random host.
    if count < 2 || !is_consistent || config.get_load_balance_hosts() == LoadBalanceHosts::Random {
        return vec![config.clone()];
    }
    (0..count)
        .map(|index| {
            let mut single = without_hosts(config);
            match hosts.get(index) {
                Some(tokio_postgres::config::Host::Tcp(name)) => drop(single.host(name)),
                #[cfg(unix)]
                Some(tokio_postgres::config::Host::Unix(path)) => drop(single.host_path(path)),
                None => {}
            }
            if let Some(address) = addresses.get(index) {
                single.hostaddr(*address);
            }
            if let Some(port) = ports.get(index).or(ports.first()) {
                single.port(*port);
            }
            single
        })
        .collect()
}

fn without_hosts(config: &Config) -> Config {
    let mut other = Config::new();
    if let Some(user) = config.get_user() {
        other.user(user);
    }
    if let Some(password) = config.get_password() {
        other.password(password);
    }
    if let Some(name) = config.get_dbname() {
        other.dbname(name);
    }
    if let Some(options) = config.get_options() {
        other.options(options);
    }
    if let Some(name) = config.get_application_name() {
        other.application_name(name);
    }
    if let Some(timeout) = config.get_connect_timeout() {
        other.connect_timeout(*timeout);
    }
    if let Some(timeout) = config.get_tcp_user_timeout() {
        other.tcp_user_timeout(*timeout);
    }
    if let Some(interval) = config.get_keepalives_interval() {
        other.keepalives_interval(interval);
    }
    if let Some(retries) = config.get_keepalives_retries() {
        other.keepalives_retries(retries);
    }
    other
        .ssl_mode(config.get_ssl_mode())
        .ssl_negotiation(config.get_ssl_negotiation())
        .keepalives(config.get_keepalives())
        .keepalives_idle(config.get_keepalives_idle())
        .target_session_attrs(config.get_target_session_attrs())
        .channel_binding(config.get_channel_binding());
    other
}
