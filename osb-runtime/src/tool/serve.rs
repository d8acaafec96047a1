//! The command `serve`: from options to a listening broker, and to its end.

use std::{
    fmt::Write,
    io::{self, IsTerminal},
    net::{SocketAddr, TcpListener, ToSocketAddrs},
    time::Duration,
};

use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

use super::{
    Failure,
    cli::ServeArgs,
    platforms::{Made, platforms},
};
use crate::{
    catalog::{Offering, Served},
    http::{self, BoxError, BrokerService, DocsPage, Platforms},
    lifecycle::{Settings, check_records},
    service::Broker,
};

/// How long what is in the middle of something that can't be dropped is waited for.
const CUT_OFF: Duration = Duration::from_secs(1);

/// Opens the broker and serves it until the process is asked to end.
pub(super) fn serve<C, B: Broker>(
    open: impl AsyncFnOnce(C) -> Result<B, BoxError>,
    config: C,
    options: &ServeArgs,
    program: &str,
) -> Result<(), Failure> {
    log_to_stderr(&options.log)?;
    // Everything that can be wrong without the broker comes first: opening it may change things elsewhere.
    let listen = listen_address(options);
    let addresses = resolve(&listen)?;
    let local = addresses.iter().all(|address| address.ip().is_loopback());
    let (platforms, made) = platforms(options, local, |name| std::env::var(name).ok())?;
    Served::new::<B>(|name| std::env::var(name).ok()).map_err(|error| cannot_start(error.problems()))?;
    let listener = bind(&listen, &addresses)?;
    let (records, state) = options.store.open(program)?;
    let at = listener.local_addr().map_err(|error| Failure::Broken(error.to_string()))?;

    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Broken(format!("threads cannot be started: {error}")))?;
    let ended = runtime.block_on(async {
        let signals = Signals::listen();
        check_records(B::OFFERINGS, &records).await.map_err(|error| cannot_start(error.problems()))?;
        let opened = tokio::select! {
            opened = open(config) => opened,
            () = signals.first.cancelled() => {
                eprintln!("{program}: asked to end while the broker was being opened");
                return Ok(());
            }
        };
        let broker =
            opened.map_err(|error| Failure::Broken(format!("the broker cannot be opened: {}", chain(&*error))))?;
        let banner = banner(program, at, B::OFFERINGS, &platforms, options.docs, made.as_ref(), &state);
        let operations = Settings { store: records.clone(), ..options.operations.settings() };
        let service = BrokerService::start_with(broker, platforms, options.settings(), operations)
            .await
            .map_err(|error| cannot_start(error.problems()))?;
        let listener =
            tokio::net::TcpListener::from_std(listener).map_err(|error| Failure::Broken(error.to_string()))?;
        eprint!("{banner}");
        until_asked_to_end(listener, service, signals, program).await
    });
    // What still runs by now had its time. It ends before the records are let go of: whoever opens them next takes over
    // at once what was being worked on.
    runtime.shutdown_timeout(CUT_OFF);
    let closing = tokio::runtime::Builder::new_current_thread().build();
    let closing = closing.map_err(|error| Failure::Broken(format!("the records cannot be closed: {error}")))?;
    closing.block_on(records.close());
    ended
}

/// What the process was asked: to end, and then not to wait any more.
struct Signals {
    first: CancellationToken,
    second: CancellationToken,
}

impl Signals {
    /// From here on no signal is missed.
    fn listen() -> Self {
        let (first, second) = (CancellationToken::new(), CancellationToken::new());
        let seen = (first.clone(), second.clone());
        tokio::spawn(async move {
            http::shutdown_signal().await;
            seen.0.cancel();
            http::shutdown_signal().await;
            seen.1.cancel();
        });
        Self { first, second }
    }
}

async fn until_asked_to_end(
    listener: tokio::net::TcpListener,
    service: BrokerService,
    signals: Signals,
    program: &str,
) -> Result<(), Failure> {
    let grace = service.settings().shutdown_grace.as_secs();
    let asked = async {
        signals.first.cancelled().await;
        eprintln!("{program}: asked to end; what is running has {grace} s (ask again to end at once)");
    };
    tokio::select! {
        () = http::serve(listener, service, asked) => eprintln!("{program}: ended"),
        () = signals.second.cancelled() => {
            return Err(Failure::Broken("asked again to end: what was running was cut off".to_owned()));
        }
    }
    Ok(())
}

fn log_to_stderr(filter: &str) -> Result<(), Failure> {
    let filter = EnvFilter::builder().parse(filter).map_err(|error| Failure::Usage(error.to_string()))?;
    let colours = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).with_ansi(colours);
    // An author's `main` may have set up logging of its own, which then holds.
    let _ = subscriber.try_init();
    Ok(())
}

/// Where to listen: as told, or where Cloud Foundry and its like expect a program, or on this machine only.
fn listen_address(options: &ServeArgs) -> String {
    let port = || std::env::var("PORT").ok().filter(|port| port.parse::<u16>().is_ok());
    let given = options.listen.clone().or_else(|| port().map(|port| format!("0.0.0.0:{port}")));
    given.unwrap_or_else(|| "127.0.0.1:8080".to_owned())
}

fn resolve(listen: &str) -> Result<Vec<SocketAddr>, Failure> {
    let fix = "use another --listen (OSB_LISTEN), such as 0.0.0.0:8080";
    match listen.to_socket_addrs() {
        Ok(addresses) if addresses.len() > 0 => Ok(addresses.collect()),
        Ok(_) => Err(Failure::Usage(format!("the address {listen} does not exist here\n  {fix}"))),
        Err(error) => Err(Failure::Usage(format!("the address {listen} does not exist here: {error}\n  {fix}"))),
    }
}

fn bind(listen: &str, addresses: &[SocketAddr]) -> Result<TcpListener, Failure> {
    let listener = TcpListener::bind(addresses).and_then(|listener| {
        listener.set_nonblocking(true)?;
        Ok(listener)
    });
    listener.map_err(|error| {
        let fix = match error.kind() {
            io::ErrorKind::AddrInUse => "another program listens there; end it, or use another --listen (OSB_LISTEN)",
            io::ErrorKind::PermissionDenied => "ports below 1024 need rights; use another --listen (OSB_LISTEN)",
            _ => "use another --listen (OSB_LISTEN), such as 127.0.0.1:8080",
        };
        Failure::Broken(format!("cannot listen at {listen}: {error}\n  {fix}"))
    })
}

fn cannot_start(problems: &[String]) -> Failure {
    Failure::Usage(format!("the broker cannot start:\n  {}", problems.join("\n  ")))
}

/// An error with all its causes.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// What is said once the broker listens.
fn banner(
    program: &str,
    at: SocketAddr,
    offerings: &[&Offering],
    platforms: &Platforms,
    docs: DocsPage,
    made: Option<&Made>,
    state: &str,
) -> String {
    let plans = offerings.iter().flat_map(|offering| offering.plans).filter(|plan| !plan.spec.retired).count();
    let counted = |n: usize, noun: &str| if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") };
    let (services, plans) = (counted(offerings.len(), "service"), counted(plans, "plan"));
    let documentation = match docs {
        DocsPage::Off => format!("{program} docs"),
        DocsPage::WithCredentials if !platforms.has_root() => {
            let prefixes = platforms.prefixes().map(|(_, prefix)| format!("http://{at}/{prefix}/docs"));
            prefixes.collect::<Vec<_>>().join(" ")
        }
        _ => format!("http://{at}/docs"),
    };
    let mut out = format!(
        "{program}: {services} with {plans} at http://{at}\n  \
         state: {state}\n  \
         documentation: {documentation}\n"
    );
    for (name, prefix) in platforms.prefixes() {
        _ = writeln!(out, "  platform {name}: http://{at}/{prefix}");
    }
    if let Some(Made { username, password }) = made {
        _ = write!(
            out,
            "  credentials: none were given, so these are for this run only; try them in another shell:\n\n    \
             export OSB_USERNAME={username} OSB_PASSWORD={password} BROKER=http://{at}\n    \
             curl -u \"$OSB_USERNAME:$OSB_PASSWORD\" -H \"X-Broker-API-Version: 2.17\" \"$BROKER/v2/catalog\"\n\n"
        );
    }
    out
}
