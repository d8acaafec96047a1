//! The author's broker without its type, so that the commands that start it are compiled with this crate, not with each
//! program.

use std::{pin::Pin, time::Duration};

use osb_runtime::{
    catalog::{Offering, Overrides, StartError},
    http::{AcceptedCredentials, BoxError, BrokerService, HttpSettings, Platforms, Starting},
    lifecycle::Settings,
    service::Broker,
    store::Records,
};

use super::{
    Failure, blocking,
    extension::{Extension, Serve},
    program::Open,
};

/// A broker that can be opened.
pub(super) struct Start<'a> {
    pub(super) version: &'static str,
    pub(super) offerings: &'static [&'static Offering],
    pub(super) catalog: &'static [u8],
    pub(super) is_dynamic: bool,
    /// The author's methods of authentication.
    pub(super) credentials: Option<AcceptedCredentials>,
    /// Opens the broker, and applies the author's additions to the settings from the command line.
    open: Box<dyn FnOnce(Settings, HttpSettings) -> Opening<'a> + 'a>,
}

type Opening<'a> = Pin<Box<dyn Future<Output = Result<Opened<'a>, BoxError>> + 'a>>;

/// An opened broker, with its settings.
pub(super) struct Opened<'a> {
    pub(super) settings: Settings,
    pub(super) http_settings: HttpSettings,
    pub(super) serve: Serve<'a>,
    pub(super) start: Box<dyn FnOnce(Platforms, HttpSettings, Settings) -> Starting + 'a>,
}

impl<'a> Start<'a> {
    pub(super) fn new<C: 'a, B: Broker>(open: Open<'a, C, B>, config: C, mut extension: Extension<'a, B>) -> Self {
        Self {
            version: B::VERSION,
            offerings: B::OFFERINGS,
            catalog: B::CATALOG,
            is_dynamic: B::DYNAMIC,
            credentials: extension.credentials().cloned(),
            open: Box::new(|mut settings, mut http_settings| {
                Box::pin(async move {
                    let broker = open(config).await?;
                    let serve = extension.take_serve(&broker);
                    extension.apply(&broker, B::VERSION, &mut settings, &mut http_settings);
                    let start = |platforms: Platforms, http_settings, settings| {
                        BrokerService::start_with(broker, platforms, http_settings, settings)
                    };
                    Ok(Opened { settings, http_settings, serve, start: Box::new(start) })
                })
            }),
        }
    }

    /// Opens the broker with records and settings.
    pub(super) async fn open(
        self,
        overrides: Overrides,
        records: &Records,
        mut settings: Settings,
        http_settings: HttpSettings,
    ) -> Result<Opened<'a>, Failure> {
        (settings.store, settings.overrides) = (records.clone(), overrides);
        let opened = (self.open)(settings, http_settings).await;
        opened.map_err(|error| Failure::of_author("the broker cannot be opened: ", &error))
    }
}

pub(super) fn cannot_start(error: StartError) -> Failure {
    let text = format!("the broker cannot start:\n  {}", error.problems().join("\n  "));
    if error.is_temporary() { Failure::Broken(text) } else { Failure::Usage(text) }
}

/// Time to wait for blocking tasks, which can't be cancelled.
pub(super) const CUT_OFF: Duration = Duration::from_secs(1);

/// Stops the remaining tasks and then closes the records: the next process that opens them takes over unfinished operations
/// at once.
pub(super) fn shut_down(runtime: tokio::runtime::Runtime, records: &Records) -> Result<(), Failure> {
    runtime.shutdown_timeout(CUT_OFF);
    blocking(records.close())
}
