//! The broker: the catalog, and the handlers that create, change and delete stores.

use osb_runtime::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    import::{Import, ImportError, Imports, Position},
    stores::{Owner, PutError, Stores, Terms, TermsError, TokenId},
};

/// A key-value store, reached over HTTP with a token of its own for each binding.
#[service(
    id = "1f2ef9c1-6d91-4a15-b9e6-ac8df27de029",
    name = "kv",
    tags("kv", "cache"),
    plans(Free, Pro),
    changes(Free => Pro, Pro => Free),
    metadata(display_name = "Key-value store"),
)]
#[derive(Debug)]
pub struct Kv {
    stores: Stores,
    imports: Imports,
    url: String,
}

/// 10 MB, for trying things out.
#[plan(
    id = "1258b846-3a8d-4c2c-bcd0-ba4256905e17",
    name = "free",
    create = NewStore,
    update = StoreChanges,
    bind = Access,
    rotatable,
)]
pub struct Free;

/// 1 GB, billed monthly.
#[plan(
    id = "cd2d157c-d7bc-4361-b3c0-2a9099e9c62e",
    name = "pro",
    free = false,
    create = NewStore,
    update = StoreChanges,
    bind = Access,
    rotatable,
    metadata(costs((eur = 4.90, unit = "MONTHLY"))),
)]
pub struct Pro;

/// The parameters of a new store.
#[parameters(partial = StoreChanges)]
#[derive(Debug)]
pub struct NewStore {
    /// Seconds after which a key expires. A change applies to keys that are written after it.
    #[param(range(min = 1, max = 86_400), default = 3_600)]
    pub ttl: u32,
    /// Prefix that every key of the store must have.
    #[param(pattern = "^[a-z][a-z0-9-]{0,31}$", immutable, example = "shop-")]
    pub prefix: Option<String>,
    /// Name of a file with initial entries, which the broker's operator provides.
    #[param(pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$", immutable, example = "countries.jsonl")]
    pub fill: Option<String>,
}

/// The parameters of a binding.
#[parameters]
#[derive(Debug)]
pub struct Access {
    /// Restricts the token to reading.
    #[param(default = false)]
    pub read_only: bool,
}

/// The credentials of a binding.
#[credentials]
pub struct KvAccess {
    /// URI of the store. Append /keys/KEY to GET, PUT or DELETE a value, and /keys to list the keys.
    #[param(public)]
    pub uri: String,
    /// Bearer token of this binding.
    pub token: String,
    /// Restricts the token to reading.
    #[param(public)]
    pub read_only: bool,
}

/// The difference between the plans. The handlers are implemented once, for every plan with a quota.
pub trait Quota: Plan<Create = NewStore, Update = StoreChanges, Bind = Access> + Bindable + Updatable {
    /// Maximum number of bytes in the keys and values of a store.
    const BYTES: u64;
}

impl Quota for Free {
    const BYTES: u64 = 10_000_000;
}

impl Quota for Pro {
    const BYTES: u64 = 1_000_000_000;
}

fn terms<P: Quota>(ttl: u32) -> Terms {
    Terms { plan: P::SPEC.name.to_owned(), quota: P::BYTES, ttl }
}

fn owner(tenant: &Tenant, instance: &str) -> Owner {
    Owner { platform: tenant.as_str().to_owned(), instance: instance.to_owned() }
}

/// The state of an instance, first saved before its store exists.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StoreState {
    /// The store's id: the operation id, because the instance id may contain any character.
    pub store: String,
    /// The position up to which the file with initial entries has been imported.
    pub filled: Position,
}

impl Kv {
    /// Creates the service over these stores, which applications reach at `url`.
    pub fn new(stores: Stores, imports: Imports, url: impl Into<String>) -> Self {
        Self { stores, imports, url: url.into() }
    }

    /// Returns the dashboard URL of an instance. It can't be guessed from the instance's id.
    fn dashboard(&self, owner: &Owner) -> Result<DashboardUrl, InvalidUrl> {
        DashboardUrl::new(format!("{}/dashboards/{}", self.url, self.stores.page(owner)))
    }

    async fn fill(
        &self,
        import: &Import,
        state: &mut StoreState,
        operation: &Operation<StoreState>,
    ) -> Result<(), ProvisionError> {
        loop {
            let (batch, next) = import.batch(state.filled).await.map_err(refused)?;
            if batch.is_empty() {
                return Ok(());
            }
            // An attempt that resumes from the last checkpoint may repeat a batch, which changes nothing.
            self.stores.put(&state.store, batch).await.map_err(|error| match error {
                PutError::Broken(error) => ProvisionError::unexpected(error),
                error => {
                    ProvisionError::refused(format!("The store can't be filled from `{}`: {error}.", import.name()))
                }
            })?;
            state.filled = next;
            operation.checkpoint(state).await?;
            operation.progress(format!("{} of {} entries", next.entries, import.total()));
            // The instance was deleted, or the time is over. The runtime calls `deprovision` next.
            if operation.is_cancelled() {
                return Err("cancelled".into());
            }
        }
    }

    async fn change(&self, state: StoreState, terms: Terms) -> Result<Updated<StoreState>, UpdateError> {
        match self.stores.change(&state.store, terms).await {
            Ok(()) => Ok(Updated::new(state)),
            Err(TermsError::Broken(error)) => Err(error.into()),
            Err(error @ TermsError::NoStore) => Err(error.into()),
            Err(error @ TermsError::TooSmall { .. }) => {
                Err(UpdateError::refused(format!("{error}: delete some of its data first, or keep the plan.")))
            }
        }
    }
}

/// Reports mistakes in a file to the user, and failures of the disk as unexpected.
fn refused(error: ImportError) -> ProvisionError {
    match error {
        ImportError::Broken(error) => ProvisionError::unexpected(error),
        error => ProvisionError::invalid(format!("{error}.")),
    }
}

impl<P: Quota> Provision<P> for Kv {
    type State = StoreState;

    async fn provision(
        &self,
        request: ProvisionRequest<P>,
        operation: &Operation<StoreState>,
    ) -> Result<Provisioned<StoreState>, ProvisionError> {
        let owner = owner(&request.tenant, request.id());
        let dashboard = self.dashboard(&owner)?;
        let NewStore { ttl, prefix, fill } = request.parameters;
        let prefix = prefix.unwrap_or_default();
        // Reads the whole file first, so that mistakes in it are reported before anything is created.
        let import = match &fill {
            Some(name) => Some(self.imports.open(name, &prefix).await.map_err(refused)?),
            None => None,
        };
        let initial = || StoreState { store: operation.id().to_owned(), filled: Position::default() };
        let mut state = operation.checkpointed().unwrap_or_else(initial);
        // Saved before the store exists, so that `deprovision` knows its id after a crash.
        operation.checkpoint(&state).await?;
        self.stores.create(&state.store, owner, &prefix, terms::<P>(ttl)).await?;
        if let Some(import) = import {
            self.fill(&import, &mut state, operation).await?;
        }
        Ok(Provisioned::new(state).dashboard(dashboard))
    }

    fn dashboard_url(&self, tenant: &Tenant, instance: &str) -> Result<Option<DashboardUrl>, BoxError> {
        Ok(Some(self.dashboard(&owner(tenant, instance))?))
    }

    /// Deletes a store and its tokens. A missing store is not an error, because a handler may run more than once.
    async fn deprovision(
        &self,
        request: DeprovisionRequest<P, StoreState>,
        _: &Operation<StoreState>,
    ) -> Result<(), DeprovisionError> {
        if let Some(state) = request.state.decoded()? {
            self.stores.remove(&state.store).await?;
        }
        Ok(())
    }
}

impl<P: Quota> Update<P> for Kv {
    async fn update(
        &self,
        request: UpdateRequest<P, P, StoreState>,
        _: &Operation<StoreState>,
    ) -> Result<Updated<StoreState>, UpdateError> {
        self.change(request.state, terms::<P>(request.parameters.ttl)).await
    }
}

impl<Old: Quota, New: Quota> ChangePlan<Old, New> for Kv
where
    Kv: Changes<Old, New>,
{
    async fn change_plan(
        &self,
        request: UpdateRequest<Old, New, StoreState>,
        _: &Operation<StoreState>,
    ) -> Result<Updated<StoreState>, UpdateError> {
        self.change(request.state, terms::<New>(request.parameters.ttl)).await
    }
}

impl<P: Quota> Bind<P> for Kv {
    type Output = Credentials<KvAccess>;
    type BindingState = TokenId;

    /// Creates a token, for a rotation as well: the predecessor's token is valid until its binding is deleted.
    async fn bind(
        &self,
        request: BindRequest<P, StoreState, TokenId>,
        operation: &Operation<TokenId>,
    ) -> Result<Bound<Self::Output, TokenId>, BindError> {
        let id = TokenId { store: request.instance_state.store.clone(), token: operation.id().to_owned() };
        operation.checkpoint(&id).await?;
        let read_only = request.parameters.read_only;
        // Only a hash of it is stored, so a second attempt can't return the first one's token: it creates another one,
        // which replaces the first one under the operation id.
        let token = self.stores.grant(&id, request.id(), read_only).await?.ok_or("the store does not exist")?;
        let uri = format!("{}/stores/{}", self.url, id.store);
        Ok(Bound::new(Credentials(KvAccess { uri, token, read_only }), id))
    }

    async fn unbind(
        &self,
        request: UnbindRequest<P, StoreState, TokenId>,
        _: &Operation<TokenId>,
    ) -> Result<(), UnbindError> {
        if let Some(id) = request.state.decoded()? {
            self.stores.revoke(&id).await?;
        }
        Ok(())
    }
}

/// The broker, with one service.
#[broker(lock)]
#[derive(Debug)]
pub struct Broker {
    /// The service.
    pub kv: Kv,
}
