//! The start of a broker, and the connection between HTTP and lifecycle.

use std::{
    pin::Pin,
    sync::{Arc, OnceLock},
};

use bytes::Bytes;
use http::HeaderValue;

use super::{
    BrokerService, DocsPage, HttpSettings, IntoPlatforms, Platforms,
    body::Reservation,
    catalog::Served,
    docs::RenderDocs,
    handle::{Handle, Idle, Reply},
};
use crate::{
    catalog::{EffectiveCatalog, Offering, StartError},
    lifecycle::{Lifecycle, Settings, binding_key, check_records},
    protocol::{HtmlBody, Request},
    service::{Broker, MountedPlan},
};

impl BrokerService {
    /// Starts a broker with default settings, whose records are in memory and are lost at the end of the program. It
    /// serves one platform with these [`AcceptedCredentials`](super::AcceptedCredentials), or several [`Platforms`](super::Platforms).
    ///
    /// ```no_run
    /// # use osb_runtime::{http::{BrokerService, AcceptedCredentials, HttpSettings}, service::Broker};
    /// # async fn example<B: Broker>(broker: B) -> Result<BrokerService, Box<dyn std::error::Error>> {
    /// let credentials = AcceptedCredentials::basic("platform", "a long random password")?;
    /// Ok(BrokerService::start(broker, credentials, HttpSettings::default()).await?)
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the secret of a dashboard client is not in the environment, or if platforms would reject a schema that is
    /// generated at start-up.
    pub fn start<B: Broker>(broker: B, platforms: impl IntoPlatforms, settings: HttpSettings) -> Starting {
        Self::start_with(broker, platforms, settings, Settings::default())
    }

    /// Starts a broker with these lifecycle settings, such as the records of an earlier run.
    ///
    /// # Errors
    ///
    /// The same as for [`start`](Self::start). Also if settings contradict each other, if the [overrides](crate::catalog::Overrides)
    /// of the catalog are invalid, and if the records contain instances of an unknown plan, bindings of a plan that is not bindable,
    /// or (unless [`allow_unreadable_state`](crate::lifecycle::Settings::allow_unreadable_state) is set) states and parameters that
    /// [can't be decoded](mod@crate::service#when-types-change). It is [temporary](StartError::is_temporary) if reading failed.
    pub fn start_with<B: Broker>(
        broker: B,
        platforms: impl IntoPlatforms,
        settings: HttpSettings,
        lifecycle: Settings,
    ) -> Starting {
        let types = Arc::new(broker).mount();
        start(types, B::OFFERINGS, B::CATALOG, B::DYNAMIC, platforms.into(), settings, lifecycle)
    }
}

/// Starts a broker of any type: this is compiled with the crate, and not for each broker.
fn start(
    types: Vec<Vec<Arc<dyn MountedPlan>>>,
    offerings: &'static [&'static Offering],
    catalog: &'static [u8],
    is_dynamic: bool,
    platforms: Platforms,
    settings: HttpSettings,
    lifecycle: Settings,
) -> Starting {
    Box::pin(async move {
        let mut errors = Vec::new();
        let effective = lifecycle.overrides.apply(offerings).unwrap_or_else(|error| {
            errors.push(error);
            EffectiveCatalog::unchanged(offerings)
        });
        let json =
            effective.json(catalog, is_dynamic, |name| std::env::var(name).ok()).map_err(|error| errors.push(error));
        let checked = check_records(effective.offerings, &lifecycle.store, lifecycle.allow_unreadable_state).await;
        errors.extend(checked.err());
        errors.extend(Some(lifecycle.problems()).filter(|problems| !problems.is_empty()).map(StartError::new));
        let (Ok(json), true) = (json, errors.is_empty()) else { return Err(StartError::join(errors)) };
        for warning in &effective.warnings {
            tracing::warn!("{warning}");
        }
        let render = settings.render_docs.filter(|_| settings.docs != DocsPage::Off);
        let page = render.map(|render| (render, OnceLock::new()));
        let lifecycle = Lifecycle::new(&types, effective.offerings, lifecycle);
        let running = Running { catalog: Served::new(json), effective, page, lifecycle: Arc::clone(&lifecycle) };
        Ok(BrokerService::over(Arc::new(running), lifecycle, platforms, settings))
    })
}

/// A broker that is being started. It doesn't name the arguments' types: a wrong one would have an error at `.await` too.
pub type Starting = Pin<Box<dyn Future<Output = Result<BrokerService, StartError>> + Send>>;

struct Running {
    catalog: Served,
    effective: EffectiveCatalog,
    /// The documentation page, rendered on the first request; `None` if it is turned off.
    page: Option<(RenderDocs, OnceLock<Arc<HtmlBody>>)>,
    lifecycle: Arc<Lifecycle>,
}

impl Handle for Running {
    fn catalog(&self) -> (Bytes, HeaderValue) {
        (self.catalog.json.clone(), self.catalog.etag.clone())
    }

    fn page(&self) -> Option<Arc<HtmlBody>> {
        let (render, page) = self.page.as_ref()?;
        Some(Arc::clone(page.get_or_init(|| Arc::new(render(&self.effective.in_catalog()).into()))))
    }

    fn answer(&self, request: Request, memory: Reservation) -> Reply {
        let engine = Arc::clone(&self.lifecycle);
        match request {
            Request::FetchInstance(request) => Reply::new(async move { engine.fetch_instance(&request).await }),
            Request::Provision(request) => Reply::of_change(memory, async move { engine.provision(&request).await }),
            Request::Update(request) => Reply::of_change(memory, async move { engine.update(&request).await }),
            Request::Deprovision(request) => {
                Reply::of_change(memory, async move { engine.deprovision(&request).await })
            }
            Request::FetchBinding(id, request) => Reply::new(async move { engine.fetch_binding(&id, &request).await }),
            Request::Bind(request) => {
                let (key, reader) = (binding_key(&request), Arc::clone(&engine));
                let bound = Reply::of_change(memory, async move { engine.bind(&request).await });
                // Not for a client that has hung up: credentials that can be read only once would be lost.
                Reply::new(async move { reader.take_credentials(&key, bound.await).await })
            }
            Request::Unbind(id, request) => Reply::of_change(memory, async move { engine.unbind(&id, &request).await }),
            Request::Poll(request) => Reply::new(async move { engine.last_operation(&request).await }),
        }
    }

    fn idle(&self) -> Idle {
        let engine = Arc::clone(&self.lifecycle);
        Box::pin(async move { engine.idle().await })
    }

    fn hand_over(&self) -> Idle {
        let engine = Arc::clone(&self.lifecycle);
        Box::pin(async move { engine.hand_over().await })
    }
}
