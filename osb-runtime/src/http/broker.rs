//! A broker made of services, behind the HTTP side.

use std::{
    pin::Pin,
    sync::{Arc, OnceLock},
};

use bytes::Bytes;
use http::{HeaderValue, StatusCode};
use tracing::Instrument;

use super::{
    BrokerService, HttpSettings, Platforms,
    docs::RenderDocs,
    handle::{Handle, Idle, Numbers, Reply},
};
use crate::{
    catalog::{Named, Served, Shown, StartError},
    lifecycle::{Lifecycle, Metrics, Settings, check_records},
    protocol::{Answer, BindRequest, DeleteRequest, FetchRequest, Page, PollRequest, ProvisionRequest, UpdateRequest},
    service::Broker,
};

impl BrokerService {
    /// Starts a broker: its catalog is put together, its state is in memory and ends with the program. It serves the
    /// platform that has these [`Credentials`](super::Credentials), or several [`Platforms`].
    ///
    /// ```no_run
    /// # use osb_runtime::{http::{BrokerService, Credentials, HttpSettings}, service::Broker};
    /// # async fn example<B: Broker>(broker: B) -> Result<BrokerService, Box<dyn std::error::Error>> {
    /// let credentials = Credentials::basic("platform", "a long random password")?;
    /// Ok(BrokerService::start(broker, credentials, HttpSettings::default()).await?)
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the secret of a dashboard client is not in the environment, or if a schema that only the running program
    /// knows is one that platforms refuse.
    pub async fn start<B: Broker>(
        broker: B,
        platforms: impl Into<Platforms>,
        settings: HttpSettings,
    ) -> Result<Self, StartError> {
        Self::start_with(broker, platforms, settings, Settings::default()).await
    }

    /// The same, with settings of one's own for the lifecycle, such as the records of an earlier run.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start); if something is wrong with the [overrides](crate::catalog::Overrides) of the catalog; and
    /// if the records have instances of a plan that the broker doesn't know, or bindings of one that is not bindable: see
    /// [when types change](mod@crate::service#when-types-change).
    pub async fn start_with<B: Broker>(
        broker: B,
        platforms: impl Into<Platforms>,
        settings: HttpSettings,
        lifecycle: Settings,
    ) -> Result<Self, StartError> {
        let (shown, overrides) = match lifecycle.overrides.apply(B::OFFERINGS) {
            Ok(shown) => (shown, None),
            Err(error) => (Shown::unchanged(B::OFFERINGS), Some(error)),
        };
        let catalog = Served::new(&shown, B::CATALOG, B::DYNAMIC, |name| std::env::var(name).ok());
        let known = check_records(shown.offerings, &lifecycle.store).await;
        let catalog = match (overrides, catalog, known) {
            (None, Ok(catalog), Ok(())) => catalog,
            (overrides, catalog, known) => {
                let errors = [overrides, catalog.err(), known.err()].into_iter().flatten();
                return Err(StartError::new(errors.flat_map(|error| error.problems().to_vec()).collect()));
            }
        };
        for warning in &shown.warnings {
            tracing::warn!("{warning}");
        }
        let page = settings.docs_page().map(|render| (render, OnceLock::new()));
        let lifecycle = Lifecycle::new(broker, shown.offerings, lifecycle);
        let running = Running { catalog, shown, page, lifecycle };
        let lifecycle = Arc::clone(&running.lifecycle);
        Ok(Self::over(Arc::new(running), Some(lifecycle), platforms.into(), settings))
    }
}

struct Running {
    catalog: Served,
    shown: Shown,
    /// Written when it is first asked for, and kept; nothing if it is for nobody.
    page: Option<(RenderDocs, OnceLock<Arc<Page>>)>,
    lifecycle: Arc<Lifecycle>,
}

impl Running {
    /// The answer to a request that only looks.
    fn look<F>(&self, answer: impl FnOnce(Arc<Lifecycle>) -> F) -> Reply
    where
        F: Future<Output = Answer> + Send + 'static,
    {
        Box::pin(answer(Arc::clone(&self.lifecycle)))
    }

    /// The answer to a request that changes something, on a task of its own: what a platform that hangs up leaves
    /// behind must not be a claim that nobody works on (T62).
    fn change<F>(&self, answer: impl FnOnce(Arc<Lifecycle>) -> F) -> Reply
    where
        F: Future<Output = Answer> + Send + 'static,
    {
        // Boxed, as it is large and a task moves what it is given several times.
        let task = tokio::spawn(Box::pin(answer(Arc::clone(&self.lifecycle))).in_current_span());
        Box::pin(async move {
            match task.await.map_err(tokio::task::JoinError::try_into_panic) {
                Ok(answer) => answer,
                // The guard around every request answers it.
                Err(Ok(panic)) => std::panic::resume_unwind(panic),
                Err(Err(_)) => Answer::error(StatusCode::SERVICE_UNAVAILABLE, None, "The service broker is ending."),
            }
        })
    }
}

impl Handle for Running {
    fn catalog(&self) -> (Bytes, HeaderValue) {
        (self.catalog.json.clone(), self.catalog.etag.clone())
    }

    fn page(&self) -> Option<Arc<Page>> {
        let (render, page) = self.page.as_ref()?;
        Some(Arc::clone(page.get_or_init(|| Arc::new(render(&self.shown.in_catalog()).into()))))
    }

    fn provision(&self, request: ProvisionRequest) -> Reply {
        self.change(async move |lifecycle| lifecycle.provision(request).await)
    }

    fn fetch_instance(&self, request: FetchRequest) -> Reply {
        self.look(async move |lifecycle| lifecycle.fetch_instance(request).await)
    }

    fn update(&self, request: UpdateRequest) -> Reply {
        self.change(async move |lifecycle| lifecycle.update(request).await)
    }

    fn deprovision(&self, request: DeleteRequest) -> Reply {
        self.change(async move |lifecycle| lifecycle.deprovision(request).await)
    }

    fn bind(&self, request: BindRequest) -> Reply {
        self.change(async move |lifecycle| lifecycle.bind(request).await)
    }

    fn fetch_binding(&self, request: FetchRequest) -> Reply {
        self.look(async move |lifecycle| lifecycle.fetch_binding(request).await)
    }

    fn unbind(&self, request: DeleteRequest) -> Reply {
        self.change(async move |lifecycle| lifecycle.unbind(request).await)
    }

    fn last_operation(&self, request: PollRequest) -> Reply {
        self.look(async move |lifecycle| lifecycle.last_operation(request).await)
    }

    fn names(&self, service_id: Option<&str>, plan_id: Option<&str>) -> Named {
        self.lifecycle.names(service_id, plan_id)
    }

    fn is_ready(&self) -> Pin<Box<dyn Future<Output = bool> + Send>> {
        let lifecycle = Arc::clone(&self.lifecycle);
        Box::pin(async move { lifecycle.is_ready().await })
    }

    fn metrics(&self) -> Option<&dyn Metrics> {
        self.lifecycle.metrics()
    }

    fn export_metrics(&self) -> Numbers {
        let lifecycle = Arc::clone(&self.lifecycle);
        Box::pin(async move { lifecycle.export_metrics().await })
    }

    fn idle(&self) -> Idle {
        let lifecycle = Arc::clone(&self.lifecycle);
        Box::pin(async move { lifecycle.idle().await })
    }
}
