//! The author's broker without its type, so that the commands that start it are compiled with this crate, not with each
//! program.

use std::pin::Pin;

use osb_runtime::{
    catalog::Offering,
    http::{AcceptedCredentials, BoxError, BrokerService, HttpSettings, Platforms, Starting},
    lifecycle::Settings,
    service::Broker,
};

use super::{
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
    pub(super) open: Box<dyn FnOnce(Settings, HttpSettings) -> Opening<'a> + 'a>,
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
}
