//! The author's additions to `serve`.

use std::{
    pin::Pin,
    sync::{Arc, OnceLock},
};

use http::{HeaderValue, request::Parts};
use osb_runtime::{
    http::{
        AcceptedCredentials, Authenticate, BoxError, BrokerService, HttpService, HttpSettings, Listener, Serving,
        serve, serve_mounted,
    },
    lifecycle::Settings,
};
use prometheus_client::{metrics::info::Info, registry::Registry};

use super::Metrics;

/// The author's additions, each a function of the opened broker.
pub(super) struct Extension<'a, B> {
    pub(super) settings: Vec<Change<'a, B, Settings>>,
    pub(super) http_settings: Vec<Change<'a, B, HttpSettings>>,
    pub(super) metrics: Vec<Change<'a, B, Registry>>,
    /// Makes the service that contains the broker's.
    mount: Option<Mount<'a, B>>,
    /// Custom methods of authentication, which work once `prepare` has been called.
    custom: Option<AcceptedCredentials>,
    prepare: Vec<Prepare<'a, B>>,
}

type Prepare<'a, B> = Box<dyn FnOnce(&B) + 'a>;
type Mount<'a, B> = Box<dyn FnOnce(&B) -> Serve<'a> + 'a>;
pub(super) type Change<'a, B, T> = Box<dyn FnOnce(&B, &mut T) + 'a>;

/// Serves a broker until the last argument is ready.
pub(super) type Serve<'a> = Box<dyn for<'s> FnOnce(Listener, BrokerService, Shutdown<'s>) -> Serving<'s> + 'a>;
type Shutdown<'s> = Pin<Box<dyn Future<Output = ()> + Send + 's>>;

impl<B> Default for Extension<'_, B> {
    fn default() -> Self {
        Self {
            settings: Vec::new(),
            http_settings: Vec::new(),
            metrics: Vec::new(),
            mount: None,
            custom: None,
            prepare: Vec::new(),
        }
    }
}

impl<'a, B> Extension<'a, B> {
    pub(super) fn authenticate<A: Authenticate>(&mut self, method: impl FnOnce(&B) -> A + 'a) {
        let late = Late(Arc::new(OnceLock::new()));
        self.custom = Some(match self.custom.take() {
            Some(custom) => custom.or_custom(late.clone()),
            None => AcceptedCredentials::custom(late.clone()),
        });
        self.prepare.push(Box::new(move |broker| _ = late.0.set(method(broker))));
    }

    pub(super) fn mount<M, S>(&mut self, mount: impl FnOnce(&B) -> M + 'a)
    where
        M: FnOnce(BrokerService) -> S + 'a,
        S: HttpService,
    {
        self.mount = Some(Box::new(|broker| {
            let mount = mount(broker);
            Box::new(move |listener, service, shutdown| {
                serve_mounted(listener, mount(service.clone()), service, shutdown)
            })
        }));
    }

    /// Returns the custom methods of authentication.
    pub(super) fn credentials(&self) -> Option<&AcceptedCredentials> {
        self.custom.as_ref()
    }

    /// The additions for a broker that isn't served.
    pub(super) fn without_mount(self) -> Self {
        Self { mount: None, ..self }
    }

    /// Takes the function that serves the broker.
    pub(super) fn take_serve(&mut self, broker: &B) -> Serve<'a> {
        match self.mount.take() {
            Some(mount) => mount(broker),
            None => Box::new(serve_alone),
        }
    }

    /// Applies the additions for this version of the broker to the settings from the command line.
    pub(super) fn apply(self, broker: &B, version: &'static str, settings: &mut Settings, http: &mut HttpSettings) {
        let mut registry = Registry::default();
        let versions = vec![("version", version), ("runtime", env!("CARGO_PKG_VERSION"))];
        registry.register("osb_build", "Versions of the broker and of the framework", Info::new(versions));
        apply_all(self.metrics, broker, &mut registry);
        settings.metrics = Some(Arc::new(Metrics::in_registry(registry)));
        for prepare in self.prepare {
            prepare(broker);
        }
        apply_all(self.settings, broker, settings);
        apply_all(self.http_settings, broker, http);
    }
}

/// Not a closure: that would be compiled for each `B`, and with it the server.
fn serve_alone(listener: Listener, service: BrokerService, shutdown: Shutdown<'_>) -> Serving<'_> {
    serve(listener, service, shutdown)
}

fn apply_all<B, T>(changes: Vec<Change<'_, B, T>>, broker: &B, to: &mut T) {
    for change in changes {
        change(broker, to);
    }
}

/// A method of authentication that is known once the broker has been opened, before it listens.
struct Late<A>(Arc<OnceLock<A>>);

impl<A> Clone for Late<A> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<A: Authenticate> Authenticate for Late<A> {
    async fn admit(&self, request: &Parts) -> Result<bool, BoxError> {
        match self.0.get() {
            Some(method) => method.admit(request).await,
            None => Ok(false),
        }
    }

    fn challenge(&self) -> HeaderValue {
        self.0.get().map_or_else(|| HeaderValue::from_static("Custom realm=\"service broker\""), A::challenge)
    }
}
