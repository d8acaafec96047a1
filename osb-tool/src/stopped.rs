//! Requests of operators that need the handlers of a stopped broker.

use std::time::Duration;

use clap::Args;
use osb_client::Client;
use osb_runtime::http::{AcceptedCredentials, HttpSettings};

use super::{
    Failure,
    log::LogArgs,
    multi_threaded,
    operate::{OR_ADMIN, Pending},
    operations::OperationArgs,
    overrides::OverrideArgs,
    own_store::OwnStores,
    platforms,
    start::{Start, cannot_start, shut_down},
    store::StoreArgs,
};

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
pub(super) fn run(
    start: Start<'_>,
    options: &StoppedArgs,
    stores: &OwnStores,
    pending: &Pending,
) -> Result<(), Failure> {
    let log = options.log.start(start.version)?;
    let done = run_logged(start, options, stores, pending);
    log.end();
    done
}

fn run_logged(start: Start<'_>, options: &StoppedArgs, stores: &OwnStores, pending: &Pending) -> Result<(), Failure> {
    options.operations.validate()?;
    let overrides = options.overrides.read()?;
    overrides.apply(start.offerings).map_err(cannot_start)?;
    let runtime = multi_threaded()?;
    let records = runtime.block_on(options.store.open_existing(stores));
    let records = records.map_err(|failure| failure.with_advice(OR_ADMIN))?;
    let ended = runtime.block_on(async {
        let (settings, http_settings) = (options.operations.settings(), HttpSettings::default());
        let opened = start.open(overrides, &records, settings, http_settings).await?;
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
