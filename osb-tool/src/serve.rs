//! The command `serve`: starts the broker, and shuts it down.

use std::{net::TcpListener, sync::Arc};

use tokio_util::sync::CancellationToken;

#[cfg(unix)]
use super::descriptors;
use super::{
    Failure,
    banner::Banner,
    credentials::{Credentials, Files},
    duration,
    extension::Serve,
    frontend::Frontend,
    listen::Listen,
    log::Format,
    multi_threaded,
    own_store::OwnStores,
    reload::Reloader,
    serve_args::ServeArgs,
    signals::Signals,
    start::{CUT_OFF, Start, cannot_start, shut_down},
    unserved,
};
use osb_runtime::{
    catalog::{EffectiveCatalog, Overrides},
    http::{self, BrokerService, Listener},
    store::Records,
};

/// Opens the broker and serves it until the process is asked to end. Logs `warnings` first.
pub(super) fn serve(
    start: Start<'_>,
    options: &Arc<ServeArgs>,
    stores: &OwnStores,
    warnings: &[String],
    shutdown: CancellationToken,
) -> Result<(), Failure> {
    let log = options.log.start(start.version)?;
    for warning in warnings {
        tracing::warn!("{warning}");
    }
    let served = serve_logged(start, options, stores, shutdown, log.format);
    log.end();
    served.map_err(|failure| log.fail(failure))
}

fn serve_logged(
    start: Start<'_>,
    options: &Arc<ServeArgs>,
    stores: &OwnStores,
    shutdown: CancellationToken,
    log: Format,
) -> Result<(), Failure> {
    let mut prepared = Prepared::new(&start, options)?;
    let runtime = multi_threaded()?;
    // Before the records are opened, which can take long: the first process of a container ignores a signal without a handler.
    let signals = runtime.block_on(async { Signals::listen(shutdown) });
    let opened = runtime.block_on(signals.unless_stopped(options.store.open(stores)));
    let Some((records, state)) = opened? else {
        log.report(&stores.program, "stopped while the records were being opened");
        runtime.shutdown_timeout(CUT_OFF);
        return Ok(());
    };
    let banner = prepared.banner(options, start.version, &stores.program, &state)?;
    let ended = runtime.block_on(prepared.serve(start, options, &records, signals, &banner, log));
    shut_down(runtime, &records)?;
    ended
}

/// The valid settings of a broker, and its open ports.
struct Prepared {
    credentials: Credentials,
    overrides: Overrides,
    catalog: EffectiveCatalog,
    frontend: Frontend,
    listener: TcpListener,
    monitor: Option<TcpListener>,
    /// The port for operators.
    admin: Option<(TcpListener, Frontend)>,
}

impl Prepared {
    /// Validates all settings and opens the ports: a mistake is reported before the broker is opened, which may have side effects.
    fn new(start: &Start<'_>, options: &ServeArgs) -> Result<Self, Failure> {
        options.operations.validate()?;
        let address = listen_address(options)?;
        let listen = Listen::resolve(&address, "--listen (OSB_LISTEN)")?;
        let credentials = Credentials::read(options, start.credentials.as_ref(), listen.is_local(), Files::default())?;
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
            Some(listener) => {
                let frontend = frontend.for_admin(options, &listener)?;
                Some((listener, frontend))
            }
            None => None,
        };
        Ok(Self { credentials, overrides, catalog, frontend, listener, monitor, admin })
    }

    /// Returns the message about the broker. It takes the generated credentials.
    fn banner<'a>(
        &mut self,
        options: &ServeArgs,
        version: &'a str,
        program: &'a str,
        state: &'a str,
    ) -> Result<Banner<'a>, Failure> {
        let address_of = |listener: &TcpListener| listener.local_addr().map_err(Failure::broken);
        let prefixes = self.credentials.platforms.prefixes().map(|(name, prefix)| (name.to_owned(), prefix.to_owned()));
        Ok(Banner {
            program,
            version,
            url: self.frontend.url(address_of(&self.listener)?),
            offerings: self.catalog.in_catalog(),
            docs: options.osb_docs,
            has_root: self.credentials.platforms.has_root(),
            platforms: prefixes.collect(),
            generated: self.credentials.generated.take(),
            admin: match &self.admin {
                Some((listener, frontend)) => Some(frontend.url(address_of(listener)?)),
                None => None,
            },
            state,
            monitor: self.monitor.as_ref().map(address_of).transpose()?.map(|at| format!("http://{at}")),
        })
    }

    /// Opens the author's broker, and serves it.
    async fn serve(
        self,
        start: Start<'_>,
        options: &Arc<ServeArgs>,
        records: &Records,
        signals: Signals,
        banner: &Banner<'_>,
        log: Format,
    ) -> Result<(), Failure> {
        let Credentials { platforms, own, operators, files, .. } = self.credentials;
        let frontend = self.frontend;
        let starting = async {
            let mut settings = options.operations.settings();
            options.compatibility.apply_to_lifecycle(&mut settings);
            let opened = start.open(self.overrides, records, settings, options.settings()).await?;
            #[cfg(unix)]
            descriptors::suffice_for(opened.http_settings.max_connections);
            let service = (opened.start)(platforms, opened.http_settings, opened.settings).await;
            Ok((service.map_err(cannot_start)?, opened.serve))
        };
        let Some((service, serve)) = signals.unless_stopped(starting).await? else {
            log.report(banner.program, "stopped while the broker was being opened");
            return Ok(());
        };
        let registered = |listener| tokio::net::TcpListener::from_std(listener).map_err(Failure::broken);
        if let Some(monitor) = self.monitor {
            // It ends with the runtime, so that `/readyz` reports the shutdown until the end.
            tokio::spawn(http::serve_monitor(registered(monitor)?, service.monitor(), std::future::pending()));
        }
        let admin = operators.map(|credentials| service.admin(credentials));
        if let (Some((listener, frontend)), Some(admin)) = (self.admin, &admin) {
            // Operators can connect until the end as well.
            let listener = frontend.listener(registered(listener)?);
            tokio::spawn(http::serve_admin(listener, admin.clone(), std::future::pending()));
        }
        let Signals { first, second, hangups } = signals;
        let listener = frontend.listener(registered(self.listener)?);
        banner.print(log);
        let served = banner.platforms.iter().map(|(name, _)| name.clone());
        let served = served.chain(banner.has_root.then(String::new)).collect();
        tokio::spawn(unserved::warn(records.clone(), served));
        let reloader = Reloader { options: Arc::clone(options), frontend, own, files, service: service.clone(), admin };
        // A file system that doesn't answer must not keep connections from being accepted.
        tokio::spawn(reloader.run(hangups));
        serve_until_shutdown(listener, serve, service, [first, second], &|text| log.report(banner.program, text)).await
    }
}

async fn serve_until_shutdown(
    listener: Listener,
    serve: Serve<'_>,
    service: BrokerService,
    [first, second]: [CancellationToken; 2],
    say: &(dyn Fn(&str) + Sync),
) -> Result<(), Failure> {
    let (grace, last) = (service.settings().shutdown_grace, service.hand_over_time());
    let asked = async {
        first.cancelled().await;
        say(&format!(
            "stopping: waiting up to {} for running operations, then {} to hand over the rest (send the signal again to stop \
             at once)",
            duration::display(grace.saturating_sub(last)),
            duration::display(last)
        ));
    };
    tokio::select! {
        () = serve(listener, service, Box::pin(asked)) => say("stopped"),
        () = second.cancelled() => {
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
