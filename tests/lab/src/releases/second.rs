//! The second release: a plan is retired, parameters have other names and tighter bounds, one more is
//! required, and the state of instances and bindings has other types.

use osb_runtime::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Notes;

/// A service of stores.
#[service(
    id = "9b0d5c1e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "stores",
    plans(Basic, Plus, Legacy),
    changes(Basic => Plus),
    allow_context_updates
)]
#[derive(Debug, Default, Clone)]
pub struct Stores {
    /// The arguments of its handlers.
    pub heard: Notes,
    /// Creations of instances and bindings don't end after their checkpoints.
    pub stops_at_checkpoints: bool,
}

/// A basic plan.
#[plan(
    id = "9b0d5c1e-54a5-4a3c-9e0a-6b1c4f6f5a02",
    name = "basic",
    create = NewStore,
    update = StoreChanges,
    bind = Access,
    rotatable
)]
#[derive(Debug)]
pub struct Basic;

/// A plan with more features.
#[plan(
    id = "9b0d5c1e-54a5-4a3c-9e0a-6b1c4f6f5a03",
    name = "plus",
    create = NewPlus,
    update = PlusChanges,
    bindable,
    maintenance_info(version = "2.0.0")
)]
#[derive(Debug)]
pub struct Plus;

/// A retired plan.
#[plan(
    id = "9b0d5c1e-54a5-4a3c-9e0a-6b1c4f6f5a04",
    name = "legacy",
    create = NewStore,
    update = StoreChanges,
    bind = Access,
    retired
)]
#[derive(Debug)]
pub struct Legacy;

/// The parameters of a store.
#[parameters(partial = StoreChanges)]
#[derive(Debug, Clone)]
pub struct NewStore {
    /// The size.
    #[param(alias = "size", alias = "mb", range(min = 1, max = 50), default = 10)]
    pub megabytes: u32,
    /// The owner.
    pub owner: Option<String>,
    /// The administrator's password.
    #[param(secret, alias = "password")]
    pub admin_password: Option<String>,
    /// A prefix that cannot be changed.
    #[param(immutable, pattern = "^[a-z]+$")]
    pub prefix: Option<String>,
    /// The schedule of backups.
    pub backup: Option<Backup>,
}

/// A schedule of backups.
#[parameters(partial = BackupChanges)]
#[derive(Debug, Clone)]
pub struct Backup {
    /// The number of hours between two backups.
    #[param(alias = "hours")]
    pub every: Option<u32>,
}

/// The parameters of a store.
#[parameters(partial = PlusChanges)]
#[derive(Debug, Clone)]
pub struct NewPlus {
    /// A note.
    #[param(length(max = 20))]
    pub note: Option<String>,
    /// The team.
    pub team: String,
}

/// The parameters of a binding.
#[parameters]
#[derive(Debug, Clone)]
pub struct Access {
    /// The role.
    #[param(default = "reader", length(max = 8))]
    pub role: String,
}

/// The credentials of a binding.
#[credentials]
pub struct Key {
    /// The user.
    pub user: String,
}

/// The state of a store.
#[derive(Debug, Serialize, Deserialize)]
pub struct Store {
    /// Its name, the whole state in the first release.
    pub name: String,
    /// The shard that contains it.
    pub shard: u32,
}

/// The state of a binding.
#[derive(Debug, Serialize, Deserialize)]
pub struct KeyState {
    /// Its number, the whole state in the first release.
    pub number: u32,
}

/// A plan that can be bound.
pub trait BindablePlan: Bindable {
    /// Returns the parameters as one line.
    fn shown(parameters: &Self::Create) -> String;
}

impl BindablePlan for Basic {
    fn shown(NewStore { megabytes, owner, backup, admin_password, .. }: &NewStore) -> String {
        let every = backup.as_ref().and_then(|backup| backup.every);
        format!("{megabytes} MB, {owner:?}, {every:?}, {}", admin_password.is_some())
    }
}

impl BindablePlan for Plus {
    fn shown(parameters: &NewPlus) -> String {
        format!("team {}", parameters.team)
    }
}

impl BindablePlan for Legacy {
    fn shown(parameters: &NewStore) -> String {
        Basic::shown(parameters)
    }
}

impl<P: BindablePlan> Provision<P> for Stores {
    type State = Store;
    const STATE_VERSION: u32 = 2;

    fn migrate_state(version: u32, state: Value) -> Result<Store, BoxError> {
        let name: String = serde_json::from_value(state)?;
        match (version, name.as_str()) {
            (0, "store broken" | "store stuck" | "store careless") => Err("its shard is not known".into()),
            (0, "store panics") => panic!("as told"),
            (0, _) => Ok(Store { name, shard: 1 }),
            (other, _) => Err(format!("there was no version {other}").into()),
        }
    }

    async fn provision(
        &self,
        request: ProvisionRequest<P>,
        operation: &Operation<Store>,
    ) -> Result<Provisioned<Store>, ProvisionError> {
        let earlier = operation.checkpointed();
        if self.stops_at_checkpoints {
            operation.checkpoint(&Store { name: format!("store {}", request.id()), shard: 2 }).await?;
            self.heard.add("checkpoint".to_owned());
            std::future::pending::<()>().await;
        }
        self.heard.add(format!("provision {}: {} after {earlier:?}", request.id(), P::shown(&request.parameters)));
        Ok(Provisioned::new(earlier.unwrap_or(Store { name: format!("store {}", request.id()), shard: 2 })))
    }

    async fn deprovision(
        &self,
        request: DeprovisionRequest<P, Store>,
        _: &Operation<Store>,
    ) -> Result<(), DeprovisionError> {
        let (id, parameters) = (request.id().to_owned(), request.parameters.decoded().as_ref().map(P::shown));
        let state = match request.state {
            // The saved value is enough to remove it.
            StoredState::Unreadable(unreadable) if unreadable.saved().value == "store panics" => {
                format!("version {} {}", unreadable.saved().version, unreadable.saved().value)
            }
            state if id == "careless" => format!("{:?}", state.decoded().ok().flatten()),
            state => format!("{:?}", state.decoded()?),
        };
        self.heard.add(format!("deprovision {id}: {state} with {parameters:?}"));
        Ok(())
    }
}

impl<P: BindablePlan + Updatable> Update<P> for Stores {
    async fn update(
        &self,
        request: UpdateRequest<P, P, Store>,
        _: &Operation<Store>,
    ) -> Result<Updated<Store>, UpdateError> {
        let (before, after) = (request.old_parameters.decoded().as_ref().map(P::shown), P::shown(&request.parameters));
        self.heard.add(format!("update {}: {before:?} to {after:?} with {:?}", request.id(), request.state));
        Ok(Updated::new(request.state))
    }
}

impl ChangePlan<Basic, Plus> for Stores {
    async fn change_plan(
        &self,
        request: UpdateRequest<Basic, Plus, Store>,
        _: &Operation<Store>,
    ) -> Result<Updated<Store>, UpdateError> {
        let (before, after) =
            (request.old_parameters.decoded().as_ref().map(Basic::shown), Plus::shown(&request.parameters));
        self.heard.add(format!("change {}: {before:?} to {after:?} with {:?}", request.id(), request.state));
        Ok(Updated::new(request.state))
    }
}

impl<P: BindablePlan> Bind<P> for Stores {
    type Output = Credentials<Key>;
    type BindingState = KeyState;
    const STATE_VERSION: u32 = 1;

    fn migrate_state(_: u32, state: Value) -> Result<KeyState, BoxError> {
        Ok(KeyState { number: serde_json::from_value(state)? })
    }

    async fn bind(
        &self,
        request: BindRequest<P, Store, KeyState>,
        operation: &Operation<KeyState>,
    ) -> Result<Bound<Credentials<Key>, KeyState>, BindError> {
        if self.stops_at_checkpoints {
            operation.checkpoint(&KeyState { number: 8 }).await?;
            self.heard.add("checkpoint".to_owned());
            std::future::pending::<()>().await;
        }
        let instance = P::shown(&request.instance_parameters);
        let predecessor = request.predecessor.as_ref().map(|predecessor| (&predecessor.binding_id, &predecessor.state));
        self.heard.add(format!(
            "bind {}: {instance} with {:?} after {predecessor:?}",
            request.id(),
            request.instance_state
        ));
        Ok(Bound::new(Credentials(Key { user: request.id().to_owned() }), KeyState { number: 8 }))
    }

    async fn unbind(
        &self,
        request: UnbindRequest<P, Store, KeyState>,
        _: &Operation<KeyState>,
    ) -> Result<(), UnbindError> {
        let id = request.id().to_owned();
        let instance = match request.instance_state {
            // It isn't needed to remove a key.
            StoredState::Unreadable(unreadable) if id != "careless" => {
                format!("version {}", unreadable.saved().version)
            }
            state if id == "careless" => format!("{:?}", state.decoded().ok().flatten()),
            state => format!("{:?}", state.decoded()?),
        };
        self.heard.add(format!("unbind {id}: {:?} of {instance}", request.state.decoded()?));
        Ok(())
    }
}

/// The second release's broker.
#[broker]
#[derive(Debug, Default, Clone)]
pub struct SecondBroker {
    /// Its only service.
    pub stores: Stores,
}
