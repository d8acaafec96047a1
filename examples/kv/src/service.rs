//! The broker: what there is to be had, and how it is made, changed and removed.

use osb_runtime::{prelude::*, service::Changes, service::Updatable};
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

/// What a user may choose when creating a store.
#[parameters(partial = StoreChanges)]
#[derive(Debug)]
pub struct NewStore {
    /// Seconds after which a key expires. A change holds for what is written from then on.
    #[param(range(min = 1, max = 86_400), default = 3_600)]
    pub ttl: u32,
    /// What every key of the store has to begin with.
    #[param(pattern = "^[a-z][a-z0-9-]{0,31}$", immutable, example = "shop-")]
    pub prefix: Option<String>,
    /// The name of a file to fill the store from, one of those that the operator of the broker has put there for it.
    #[param(pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$", immutable, example = "countries.jsonl")]
    pub fill: Option<String>,
}

/// What a user may choose when binding to a store.
#[parameters]
#[derive(Debug)]
pub struct Access {
    /// Whether the token is good for reading only.
    #[param(default = false)]
    pub read_only: bool,
}

/// What an application gets to reach its store.
#[credentials]
pub struct KvAccess {
    /// Where the store is. Below it are the values, at /keys/KEY for GET, PUT and DELETE, and their list at /keys.
    pub uri: String,
    /// The bearer token for it, of this binding alone.
    #[param(secret)]
    pub token: String,
    /// Whether the token is good for reading only.
    pub read_only: bool,
}

/// What the plans differ in. The handlers are written once, for every plan that has a quota.
pub trait Quota: Plan<Create = NewStore, Update = StoreChanges, Bind = Access> + Bindable + Updatable {
    /// How many bytes the keys and values of a store may have together.
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

/// What is remembered of an instance, from the moment before its store is made.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Kept {
    /// The store's id: that of the operation which makes it, as the platform's may have any character.
    pub store: String,
    /// How far the store has been filled from its file.
    pub filled: Position,
}

impl Kv {
    /// The service over these stores, which its users find at `url`.
    pub fn new(stores: Stores, imports: Imports, url: impl Into<String>) -> Self {
        Self { stores, imports, url: url.into() }
    }

    /// Where the dashboard of an instance is. Only this broker can tell it from the instance's id.
    fn dashboard(&self, owner: &Owner) -> String {
        format!("{}/dashboards/{}", self.url, self.stores.page(owner))
    }

    async fn fill(&self, import: &Import, kept: &mut Kept, work: &Work<Kept>) -> Result<(), ProvisionError> {
        loop {
            let (batch, next) = import.batch(kept.filled).await.map_err(refused)?;
            if batch.is_empty() {
                return Ok(());
            }
            // Whoever goes on from the last checkpoint puts some of it again, which changes nothing.
            self.stores.put(&kept.store, batch).await.map_err(|error| match error {
                PutError::Broken(error) => ProvisionError::unexpected(error),
                error => {
                    ProvisionError::refused(format!("The store can't be filled from `{}`: {error}.", import.name()))
                }
            })?;
            kept.filled = next;
            work.checkpoint(kept).await?;
            work.progress(format!("{} of {} entries", next.entries, import.total()));
            // Somebody has deleted the instance, or there is no more time. The runtime calls `deprovision` next.
            if work.is_cancelled() {
                return Err("the store is no longer wanted".into());
            }
        }
    }

    async fn change(&self, kept: Kept, terms: Terms) -> Result<Updated<Kept>, UpdateError> {
        match self.stores.change(&kept.store, terms).await {
            Ok(()) => Ok(Updated::new(kept)),
            Err(TermsError::Broken(error)) => Err(error.into()),
            Err(error @ TermsError::NoStore) => Err(error.into()),
            Err(error @ TermsError::TooSmall { .. }) => {
                Err(UpdateError::refused(format!("{error}: delete some of it first, or stay on the plan.")))
            }
        }
    }
}

/// What is wrong with a file to fill from is the user's to read, unless it is the disk.
fn refused(error: ImportError) -> ProvisionError {
    match error {
        ImportError::Broken(error) => ProvisionError::unexpected(error),
        error => ProvisionError::invalid(format!("{error}.")),
    }
}

impl<P: Quota> Provision<P> for Kv {
    type State = Kept;

    async fn provision(&self, new: New<P>, work: &Work<Kept>) -> Result<Provisioned<Kept>, ProvisionError> {
        let owner = owner(&new.tenant, new.id());
        let dashboard = self.dashboard(&owner);
        let NewStore { ttl, prefix, fill } = new.parameters;
        let prefix = prefix.unwrap_or_default();
        // Read whole before anything is made: what is wrong with the file is the first answer then.
        let import = match &fill {
            Some(name) => Some(self.imports.open(name, &prefix).await.map_err(refused)?),
            None => None,
        };
        let first = || Kept { store: work.operation_id().to_owned(), filled: Position::default() };
        let mut kept = work.checkpointed().unwrap_or_else(first);
        // Before the store, so that whoever has to remove it knows its id, whatever happens next.
        work.checkpoint(&kept).await?;
        self.stores.create(&kept.store, owner, &prefix, terms::<P>(ttl)).await?;
        if let Some(import) = import {
            self.fill(&import, &mut kept, work).await?;
        }
        Ok(Provisioned::new(kept).dashboard(dashboard))
    }

    fn dashboard_url(&self, tenant: &Tenant, instance: &str) -> Option<String> {
        Some(self.dashboard(&owner(tenant, instance)))
    }

    /// Removes a store, made or not, and its tokens. It may run twice, so one that is gone already is no error.
    async fn deprovision(&self, gone: Remains<P, Kept>, _: &Work<Kept>) -> Result<(), DeprovisionError> {
        if let Some(kept) = gone.state {
            self.stores.remove(&kept.store).await?;
        }
        Ok(())
    }
}

impl<P: Quota> Update<P> for Kv {
    async fn update(&self, update: PlanUpdate<P, P, Kept>, _: &Work<Kept>) -> Result<Updated<Kept>, UpdateError> {
        self.change(update.state, terms::<P>(update.parameters.ttl)).await
    }
}

impl<From: Quota, To: Quota> ChangePlan<From, To> for Kv
where
    Kv: Changes<From, To>,
{
    async fn change_plan(
        &self,
        update: PlanUpdate<From, To, Kept>,
        _: &Work<Kept>,
    ) -> Result<Updated<Kept>, UpdateError> {
        self.change(update.state, terms::<To>(update.parameters.ttl)).await
    }
}

impl<P: Quota> Bind<P> for Kv {
    type Output = Credentials<KvAccess>;
    type State = TokenId;

    /// Makes a token. A rotation is no different: its predecessor's is good until that is unbound.
    async fn bind(
        &self,
        new: NewBinding<P, Kept, TokenId>,
        work: &Work<TokenId>,
    ) -> Result<Bound<Self::Output, TokenId>, BindError> {
        let id = TokenId { store: new.state.store.clone(), token: work.operation_id().to_owned() };
        work.checkpoint(&id).await?;
        let read_only = new.parameters.read_only;
        // Only a hash of it is kept, so a second attempt can't give what the first one made: it makes another token,
        // which takes the place of the first under the operation's id.
        let token = self.stores.grant(&id, new.id(), read_only).await?.ok_or("the store is gone")?;
        let uri = format!("{}/stores/{}", self.url, id.store);
        Ok(Bound::new(Credentials(KvAccess { uri, token, read_only })).state(id))
    }

    async fn unbind(&self, gone: BindingRemains<P, Kept, TokenId>, _: &Work<TokenId>) -> Result<(), UnbindError> {
        if let Some(id) = gone.state {
            self.stores.revoke(&id).await?;
        }
        Ok(())
    }
}

/// The broker of the one service.
#[broker(lock)]
#[derive(Debug)]
pub struct Broker {
    /// The service.
    pub kv: Kv,
}
