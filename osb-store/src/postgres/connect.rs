//! Connections to a host of a URL that answers in time.

use std::{
    future::pending,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use deadpool_postgres::Connect;
use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::{
    sync::watch,
    task::JoinHandle,
    time::{sleep, timeout},
};
use tokio_postgres::{
    Client, Config, Connection, Error, Socket,
    config::{Host, LoadBalanceHosts, SslMode},
    error::SqlState,
};

use super::{ConnectError, passfile::Passfile, readable, tls, url};

/// Time after which the next host is tried as well.
const NEXT_HOST: Duration = Duration::from_secs(1);

pub(super) type Connected = (Client, Connection<Socket, tls::Stream>);

/// Hosts, and the way to connect to them. `connect_timeout` is the maximum time for each host, from the first packet to the
/// end of the authentication. The driver would apply it to TCP alone, and wait for ever for a host that accepts and is silent.
#[derive(Clone)]
pub(super) struct Connector {
    hosts: Arc<[Config]>,
    /// The index of the host that answered last, which is tried first: one that is silent delays each connection.
    preferred: Arc<AtomicUsize>,
    passfile: Option<Passfile>,
    tls: tls::Tls,
    per_host: Duration,
    /// Set when a connection of the pool has ended, which may be idle.
    pub(super) some_have_ended: Arc<AtomicBool>,
    /// The time at which all connections were given up.
    pub(super) given_up_at: Arc<watch::Sender<Instant>>,
}

impl Connector {
    pub(super) fn new(config: &Config, passfile: Option<Passfile>, tls: tls::Tls) -> Self {
        let per_host = config.get_connect_timeout().copied().unwrap_or(url::CONNECT_TIMEOUT);
        let mut hosts = each_host(config);
        // A socket in the file system is never encrypted, as with libpq. A `hostaddr` takes its place.
        for host in hosts.iter_mut().filter(|host| host.get_hostaddrs().is_empty()) {
            // On Windows, all hosts have names.
            if matches!(host.get_hosts(), [name] if !matches!(name, Host::Tcp(_))) {
                host.ssl_mode(SslMode::Disable);
            }
        }
        Self {
            hosts: hosts.into(),
            preferred: Arc::default(),
            passfile,
            tls,
            per_host,
            some_have_ended: Arc::default(),
            given_up_at: Arc::new(watch::Sender::new(Instant::now())),
        }
    }

    /// Checks that the file with the password, if there is one, can be used.
    pub(super) async fn check_passfile(&self) -> Result<(), ConnectError> {
        match &self.passfile {
            Some(passfile) => passfile.check(&self.hosts).await,
            None => Ok(()),
        }
    }

    /// Returns the maximum time of a connection attempt: that of the last host, which begins after the delays of the others.
    pub(super) fn limit(&self) -> Duration {
        self.per_host + self.delay() * u32::try_from(self.hosts.len() - 1).unwrap_or(u32::MAX)
    }

    fn delay(&self) -> Duration {
        NEXT_HOST.min(self.per_host)
    }

    /// Returns the hosts with their ports, for people.
    pub(super) fn addresses(&self) -> String {
        self.hosts.iter().flat_map(addresses).collect::<Vec<_>>().join(", ")
    }

    /// Connects, or fails after the limit.
    pub(super) async fn connect(&self) -> Result<Connected, ConnectError> {
        let failed = |why: &str| ConnectError::Database(format!("no connection to {}: {why}", self.addresses()));
        match timeout(self.limit(), self.connect_unlimited()).await {
            Ok(connected) => connected.map_err(|error| failed(&readable(&error))),
            Err(_) => Err(failed(&format!("no answer within {:?}", self.limit()))),
        }
    }

    /// Connects to the first host that answers. Each host begins when one before it has failed, or has been silent for a moment:
    /// requests wait for a shorter time than several silent hosts have. The caller limits the time.
    async fn connect_unlimited(&self) -> Result<Connected, Error> {
        let (first, count) = (self.preferred.load(Ordering::Relaxed), self.hosts.len());
        let mut waiting = (first..first + count).map(|index| index % count);
        let (mut attempts, mut failed) = (FuturesUnordered::new(), None);
        loop {
            attempts.extend(waiting.next().map(|index| timeout(self.per_host, self.connect_to(index))));
            tokio::select! {
                ended = attempts.next() => match ended {
                    Some(Ok(Ok(connected))) => return Ok(connected),
                    // That of the former primary: a standby only says that it allows no writes.
                    Some(Ok(Err(error))) => _ = failed.get_or_insert(error),
                    Some(Err(_silent)) => {}
                    None => return match failed {
                        Some(error) => Err(error),
                        None => pending().await,
                    },
                },
                () = sleep(self.delay()), if waiting.len() > 0 => {}
            }
        }
    }

    async fn connect_to(&self, index: usize) -> Result<Connected, Error> {
        let host = &self.hosts[index];
        let tls = self.tls.reloaded().await;
        let connected = match &self.passfile {
            Some(passfile) => passfile.complete_or_warn(host).await.connect(tls).await?,
            None => host.connect(tls).await?,
        };
        if self.preferred.swap(index, Ordering::Relaxed) != index {
            self.give_up_all();
        }
        Ok(connected)
    }

    /// Gives up all connections, because their server may no longer be the primary. Those in use end after their statements.
    pub(super) fn give_up_all(&self) {
        self.given_up_at.send_replace(Instant::now());
        self.some_have_ended.store(true, Ordering::Relaxed);
    }
}

impl Connect for Connector {
    fn connect(
        &self,
        _: &Config,
    ) -> Pin<Box<dyn Future<Output = Result<(Client, JoinHandle<()>), Error>> + Send + '_>> {
        Box::pin(async {
            // A request may be given up before a host is found. The attempt goes on, so that a later request begins with it.
            let this = self.clone();
            let attempt = tokio::spawn(async move { timeout(this.limit(), this.connect_unlimited()).await });
            // The pool has the same limit, and reports it.
            let Ok(Ok(connected)) = attempt.await else { return pending().await };
            let ((client, connection), some_have_ended) = (connected?, Arc::clone(&self.some_have_ended));
            let connection = tokio::spawn(async move {
                let ended = connection.await;
                some_have_ended.store(true, Ordering::Relaxed);
                match ended {
                    Ok(()) => {}
                    // The database's administrator has set this, and requests don't notice it.
                    Err(error) if error.code() == Some(&SqlState::IDLE_SESSION_TIMEOUT) => {
                        tracing::debug!("the database has ended an idle session");
                    }
                    Err(error) => tracing::warn!(error = readable(&error), "a connection to the database was lost"),
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
                Some(Host::Tcp(name)) => drop(single.host(name)),
                #[cfg(unix)]
                Some(Host::Unix(path)) => drop(single.host_path(path)),
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

/// Returns the hosts with their ports. One without a name has its address.
fn addresses(config: &Config) -> Vec<String> {
    let name = |host: &Host| match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    };
    let mut hosts: Vec<String> = config.get_hosts().iter().map(name).collect();
    if hosts.is_empty() {
        hosts.extend(config.get_hostaddrs().iter().map(ToString::to_string));
    }
    let ports = config.get_ports();
    let port = |index: usize| ports.get(index).or(ports.first()).unwrap_or(&5432);
    let place = |(index, host): (usize, String)| match host {
        socket if socket.starts_with('/') => socket,
        ipv6 if ipv6.contains(':') => format!("[{ipv6}]:{}", port(index)),
        host => format!("{host}:{}", port(index)),
    };
    hosts.into_iter().enumerate().map(place).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(url: &str) -> Config {
        url.parse().expect(url)
    }

    /// Formats the host, the address and the port of a configuration.
    fn place(config: &Config) -> String {
        let hosts = config.get_hosts().iter().map(|host| match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(path) => path.display().to_string(),
        });
        let addresses = config.get_hostaddrs().iter().map(ToString::to_string);
        let ports = config.get_ports().iter().map(|port| format!(":{port}"));
        hosts.chain(addresses).chain(ports).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn each_host_is_tried_with_its_address_and_port() {
        let cases: [(&str, &[&str]); 10] = [
            ("postgres://u@a/d", &["a :5432"]),
            ("postgres://u@a,b:1/d", &["a :5432", "b :1"]),
            ("host=a,b,c user=u port=1,2,3", &["a :1", "b :2", "c :3"]),
            ("host=a,/run user=u port=1", &["a :1", "/run :1"]),
            ("host=a,b hostaddr=10.0.0.1,10.0.0.2 user=u", &["a 10.0.0.1", "b 10.0.0.2"]),
            ("hostaddr=10.0.0.1,10.0.0.2 user=u port=1,2", &["10.0.0.1 :1", "10.0.0.2 :2"]),
            // The driver reports these.
            ("host=a,b hostaddr=10.0.0.1 user=u", &["a b 10.0.0.1"]),
            ("host=a hostaddr=10.0.0.1,10.0.0.2 user=u", &["a 10.0.0.1 10.0.0.2"]),
            ("host=a,b,c user=u port=1,2", &["a b c :1 :2"]),
            // And it picks one of these.
            ("host=a,b user=u load_balance_hosts=random", &["a b"]),
        ];
        for (url, hosts) in cases {
            let (config, places) = (parsed(url), hosts.iter().map(ToString::to_string).collect::<Vec<_>>());
            assert_eq!(each_host(&config).iter().map(place).collect::<Vec<_>>(), places, "{url}");
            let tls = tls::Tls::new(tls::Verification::None, tls::Files::default()).expect("it is set up");
            let limit = Connector::new(&config, None, tls).limit();
            let others = u32::try_from(places.len() - 1).expect("few");
            assert_eq!(limit, url::CONNECT_TIMEOUT + NEXT_HOST * others, "{url}");
        }
    }

    #[test]
    fn hosts_are_named_as_in_a_url() {
        for (url, named) in [
            ("postgres://u@a,b:1/d", "a:5432, b:1"),
            ("postgres://u@[fd00::1],b/d", "[fd00::1]:5432, b:5432"),
            ("postgres://u@/d?hostaddr=10.0.0.1,fd00::1&port=1,2", "10.0.0.1:1, [fd00::1]:2"),
            ("postgres://u@/d?host=/run", "/run"),
            // Not split into one configuration for each host.
            ("postgres://u@a:1,b:2/d?load_balance_hosts=random", "a:1, b:2"),
        ] {
            let tls = tls::Tls::new(tls::Verification::None, tls::Files::default()).expect("it is set up");
            assert_eq!(Connector::new(&parsed(url), None, tls).addresses(), named);
        }
    }

    #[test]
    fn each_host_has_all_other_settings() {
        let settings = "user=u password=p dbname=d options=-cgeqo=off application_name=n sslmode=require \
                        sslnegotiation=direct connect_timeout=3 tcp_user_timeout=4 keepalives=0 keepalives_idle=5 \
                        keepalives_interval=6 keepalives_retries=7 target_session_attrs=read-write \
                        channel_binding=disable";
        for (config, host) in each_host(&parsed(&format!("host=a,b {settings}"))).iter().zip(["a", "b"]) {
            assert_eq!(*config, parsed(&format!("host={host} {settings}")));
        }
    }
}
