//! The command `serve`: starts the broker, and shuts it down.

use std::{net::TcpListener, time::Duration};

use clap::Args;
use tokio_util::sync::CancellationToken;

#[cfg(unix)]
use super::descriptors;
use super::{
    Failure,
    banner::{Banner, prefixes},
    blocking, duration,
    extension::Serve,
    frontend::Frontend,
    listen::Listen,
    log::{Format, LogArgs},
    multi_threaded,
    operate::{OR_ADMIN, Pending},
    operations::OperationArgs,
    overrides::OverrideArgs,
    own_store::Place,
    platforms::{self, GeneratedCredentials, platforms},
    serve_args::ServeArgs,
    start::Start,
    store::StoreArgs,
    unserved,
};
use osb_client::Client;
use osb_runtime::{
    catalog::{EffectiveCatalog, Overrides, StartError},
    http::{self, AcceptedCredentials, BoxError, BrokerService, HttpSettings, Listener, Platforms},
    lifecycle::check_records,
    store::Records,
};

/// Time to wait for blocking tasks, which can't be cancelled.
const CUT_OFF: Duration = Duration::from_secs(1);

/// Opens the broker and serves it until the process is asked to end. Logs `warnings` first.
pub(super) fn serve(
    start: Start<'_>,
    options: &ServeArgs,
    at: &Place,
    warnings: &[String],
    shutdown: CancellationToken,
) -> Result<(), Failure> {
    let log = options.log.start(start.version)?;
    for warning in warnings {
        tracing::warn!("{warning}");
    }
    let served = serve_logged(start, options, at, shutdown, log.format);
    log.end();
    served.map_err(|failure| log.fail(failure))
}

/// The valid settings of a broker, and its open ports.
struct Prepared {
    platforms: Platforms,
    generated: Option<GeneratedCredentials>,
    overrides: Overrides,
    catalog: EffectiveCatalog,
    frontend: Frontend,
    listener: TcpListener,
    monitor: Option<TcpListener>,
    /// The port for operators, with their credentials.
    admin: Option<(TcpListener, AcceptedCredentials, Frontend)>,
}

impl Prepared {
    /// Validates all settings and opens the ports: a mistake is reported before the broker is opened, which may have side effects.
    fn new(start: &Start<'_>, options: &ServeArgs) -> Result<Self, Failure> {
        options.operations.validate()?;
        let address = listen_address(options)?;
        let listen = Listen::resolve(&address, "--listen (OSB_LISTEN)")?;
        let (platforms, generated) =
            platforms(options, start.credentials.as_ref(), listen.is_local(), |name| std::env::var(name).ok())?;
        let frontend = Frontend::new(options)?;
        let overrides = options.overrides.read()?;
        let catalog = overrides.apply(start.offerings).map_err(cannot_start)?;
        catalog.json(start.catalog, start.is_dynamic, |name| std::env::var(name).ok()).map_err(cannot_start)?;
        let listener = listen.bind()?;
        let monitor = match &options.osb_monitor_listen {
            Some(address) => Some(Listen::resolve(address, "--monitor-listen (OSB_MONITOR_LISTEN)")?.bind()?),
            None => None,
        };
        let admin = match options.admin.open()? {
            Some((_, credentials)) if platforms.share(&credentials) => {
                return Err(Failure::Usage(
                    "the credentials of an operator are also those of a platform\n  set OSB_ADMIN_CREDENTIALS to \
                     USER:PASSWORD pairs that no platform has"
                        .to_owned(),
                ));
            }
            Some((listener, credentials)) => {
                let frontend = frontend.for_admin(options, &listener)?;
                Some((listener, credentials, frontend))
            }
            None => None,
        };
        Ok(Self { platforms, generated, overrides, catalog, frontend, listener, monitor, admin })
    }
}

fn serve_logged(
    start: Start<'_>,
    options: &ServeArgs,
    at: &Place,
    shutdown: CancellationToken,
    log: Format,
) -> Result<(), Failure> {
    let Prepared { platforms, generated, overrides, catalog, frontend, listener, monitor, admin } =
        Prepared::new(&start, options)?;
    let runtime = multi_threaded()?;
    #[cfg(unix)]
    ignore_hangups(&runtime);
    // Before the records are opened, which can take long: the first process of a container ignores a signal without a handler.
    let signals = runtime.block_on(async { Signals::listen(shutdown) });
    let opening = async {
        tokio::select! {
            opened = options.store.open(at) => opened.map(Some),
            () = signals.first.cancelled() => Ok(None),
        }
    };
    let Some((records, state)) = runtime.block_on(opening)? else {
        log.report(&at.program, "stopped while the records were being opened");
        runtime.shutdown_timeout(CUT_OFF);
        return Ok(());
    };
    let address_of = |listener: &TcpListener| listener.local_addr().map_err(Failure::broken);
    let banner = Banner {
        program: &at.program,
        version: start.version,
        url: frontend.url(address_of(&listener)?),
        offerings: &catalog.in_catalog(),
        docs: options.osb_docs,
        has_root: platforms.has_root(),
        platforms: prefixes(&platforms),
        generated: generated.as_ref(),
        admin: match &admin {
            Some((listener, _, frontend)) => Some(frontend.url(address_of(listener)?)),
            None => None,
        },
        state: &state,
        monitor: monitor.as_ref().map(address_of).transpose()?.map(|at| format!("http://{at}")),
    };

    let ended = runtime.block_on(async {
        let starting = async {
            check_records(catalog.offerings, &records).await.map_err(cannot_start)?;
            let mut settings = options.operations.settings();
            options.compatibility.apply_to_lifecycle(&mut settings);
            (settings.store, settings.overrides) = (records.clone(), overrides);
            let opened = (start.open)(settings, options.settings()).await.map_err(cannot_open)?;
            #[cfg(unix)]
            descriptors::suffice_for(opened.http_settings.max_connections);
            let service = (opened.start)(platforms, opened.http_settings, opened.settings).await;
            Ok::<_, Failure>((service.map_err(cannot_start)?, opened.serve))
        };
        let (service, serve) = tokio::select! {
            started = starting => started?,
            () = signals.first.cancelled() => {
                log.report(&at.program, "stopped while the broker was being opened");
                return Ok(());
            }
        };
        let registered = |listener| tokio::net::TcpListener::from_std(listener).map_err(Failure::broken);
        if let Some(monitor) = monitor {
            // It ends with the runtime, so that `/readyz` reports the shutdown until the end.
            tokio::spawn(http::serve_monitor(registered(monitor)?, service.monitor(), std::future::pending()));
        }
        if let Some((listener, credentials, frontend)) = admin {
            // Operators can connect until the end as well.
            let listener = frontend.listener(registered(listener)?);
            tokio::spawn(http::serve_admin(listener, service.admin(credentials), std::future::pending()));
        }
        let listener = frontend.listener(registered(listener)?);
        #[cfg(feature = "tls")]
        tokio::spawn(frontend.keep_fresh());
        banner.print(log);
        let served = banner.platforms.iter().map(|(name, _)| name.clone());
        let served = served.chain(banner.has_root.then(String::new)).collect();
        tokio::spawn(unserved::warn(records.clone(), served));
        serve_until_shutdown(listener, serve, service, signals, &|text| log.report(banner.program, text)).await
    });
    shut_down(runtime, &records)?;
    ended
}

/// The options of a command that starts a stopped broker.
#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct StoppedArgs {
    #[command(flatten)]
    overrides: OverrideArgs,

    #[command(flatten)]
    operations: OperationArgs,

    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    log: LogArgs,
}

/// Starts a broker without a listener, handles one request of an operator, and stops the broker.
pub(super) fn run_pending(
    start: Start<'_>,
    options: &StoppedArgs,
    at: &Place,
    pending: &Pending,
) -> Result<(), Failure> {
    let log = options.log.start(start.version)?;
    let done = run_pending_logged(start, options, at, pending);
    log.end();
    done
}

fn run_pending_logged(start: Start<'_>, options: &StoppedArgs, at: &Place, pending: &Pending) -> Result<(), Failure> {
    options.operations.validate()?;
    let overrides = options.overrides.read()?;
    let catalog = overrides.apply(start.offerings).map_err(cannot_start)?;
    let runtime = multi_threaded()?;
    let records = runtime.block_on(options.store.open_existing(at));
    let records = records.map_err(|failure| failure.with_advice(OR_ADMIN))?;
    let ended = runtime.block_on(async {
        check_records(catalog.offerings, &records).await.map_err(cannot_start)?;
        let mut settings = options.operations.settings();
        (settings.store, settings.overrides) = (records.clone(), overrides);
        let opened = (start.open)(settings, HttpSettings::default()).await.map_err(cannot_open)?;
        let mut settings = opened.settings;
        // The operator may be about to repair them.
        settings.allow_unreadable_state = true;
        // The command takes as long as the operation, and tells whether it has succeeded.
        settings.sync_wait = settings.max_operation_time;
        let generated = platforms::generate()?;
        let credentials = || {
            let credentials = AcceptedCredentials::basic(&generated.username, &generated.password);
            credentials.map_err(Failure::broken)
        };
        let service =
            (opened.start)(credentials()?.into(), opened.http_settings, settings).await.map_err(cannot_start)?;
        let client = Client::over(service.admin(credentials()?)).basic(&generated.username, &generated.password);
        // The operation has a deadline of its own.
        let client = client.timeout(Duration::MAX);
        let has_ended = pending.send(&client).await;
        service.idle().await;
        // A plan that is always asynchronous has no other answer than 202.
        if has_ended? { Ok(()) } else { pending.check_end(&client).await }
    });
    shut_down(runtime, &records)?;
    ended?;
    pending.report("done")
}

/// Stops the remaining tasks and then closes the records: the next process that opens them takes over unfinished operations
/// at once.
fn shut_down(runtime: tokio::runtime::Runtime, records: &Records) -> Result<(), Failure> {
    runtime.shutdown_timeout(CUT_OFF);
    blocking(records.close())
}

/// The shutdown signals: the first asks the broker to stop, the second, or the first after the author's token, to stop at
/// once.
struct Signals {
    first: CancellationToken,
    second: CancellationToken,
}

impl Signals {
    /// Starts to listen for signals, so that none is missed. `first` is also cancelled by the author.
    fn listen(first: CancellationToken) -> Self {
        let second = CancellationToken::new();
        let received = (first.clone(), second.clone());
        tokio::spawn(async move {
            let mut signal = std::pin::pin!(http::shutdown_signal());
            tokio::select! {
                () = &mut signal => {
                    received.0.cancel();
                    http::shutdown_signal().await;
                }
                // The author asked the broker to stop, so a signal asks again.
                () = received.0.cancelled() => signal.await,
            }
            received.1.cancel();
        });
        Self { first, second }
    }
}

async fn serve_until_shutdown(
    listener: Listener,
    serve: Serve<'_>,
    service: BrokerService,
    signals: Signals,
    say: &(dyn Fn(&str) + Sync),
) -> Result<(), Failure> {
    let (grace, last) = (service.settings().shutdown_grace, service.hand_over_time());
    let asked = async {
        signals.first.cancelled().await;
        say(&format!(
            "stopping: waiting up to {} for running operations, then {} to hand over the rest (send the signal again to stop \
             at once)",
            duration::display(grace.saturating_sub(last)),
            duration::display(last)
        ));
    };
    tokio::select! {
        () = serve(listener, service, Box::pin(asked)) => say("stopped"),
        () = signals.second.cancelled() => {
            return Err(Failure::Broken("second signal: running operations were cut off".to_owned()));
        }
    }
    Ok(())
}

/// Returns the configured address, or the port in `PORT` as on Cloud Foundry, or a loopback address.
fn listen_address(options: &ServeArgs) -> Result<String, Failure> {
    if let Some(given) = &options.osb_listen {
        return Ok(given.clone());
    }
    match std::env::var("PORT").ok().filter(|port| !port.is_empty()) {
        None => Ok("127.0.0.1:8080".to_owned()),
        Some(port) if port.parse::<u16>().is_ok() => Ok(format!("0.0.0.0:{port}")),
        Some(port) => {
            Err(Failure::Usage(format!("PORT is {port:?}, which is not a port; set it to a number, or set OSB_LISTEN")))
        }
    }
}

fn cannot_open(error: BoxError) -> Failure {
    Failure::of_author("the broker cannot be opened: ", &error)
}

fn cannot_start(error: StartError) -> Failure {
    let text = format!("the broker cannot start:\n  {}", error.problems().join("\n  "));
    if error.is_temporary() { Failure::Broken(text) } else { Failure::Usage(text) }
}

/// Logs each SIGHUP, which would otherwise end the process. Certificates are reloaded by [`http::Tls::keep_fresh`].
#[cfg(unix)]
fn ignore_hangups(runtime: &tokio::runtime::Runtime) {
    let _entered = runtime.enter();
    let mut hangups = match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()) {
        Ok(hangups) => hangups,
        Err(error) => return tracing::error!(%error, "installing the handler for SIGHUP failed"),
    };
    runtime.spawn(async move {
        while hangups.recv().await.is_some() {
            tracing::info!(
                "received SIGHUP: the certificate is reloaded if there is one; other settings need a restart"
            );
        }
    });
}
