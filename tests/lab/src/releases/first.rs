//! The first release.

use osb_runtime::prelude::*;

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
#[plan(id = "9b0d5c1e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "plus", create = NewPlus, update = PlusChanges, bindable)]
#[derive(Debug)]
pub struct Plus;

/// A plan that the next release retires.
#[plan(id = "9b0d5c1e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "legacy", create = NewStore, update = StoreChanges, bind = Access)]
#[derive(Debug)]
pub struct Legacy;

/// The parameters of a store.
#[parameters(partial = StoreChanges)]
#[derive(Debug, Clone)]
pub struct NewStore {
    /// The size.
    #[param(range(min = 1, max = 100), default = 10)]
    pub size: u32,
    /// The colour.
    pub colour: Option<String>,
    /// The owner.
    pub owner: Option<String>,
    /// The administrator's password.
    #[param(secret)]
    pub password: Option<String>,
    /// A prefix that cannot be changed.
    #[param(immutable)]
    pub prefix: Option<String>,
    /// The schedule of backups.
    pub backup: Option<Backup>,
}

/// A schedule of backups.
#[parameters(partial = BackupChanges)]
#[derive(Debug, Clone)]
pub struct Backup {
    /// The number of hours between two backups.
    pub hours: Option<u32>,
    /// The zone of the backups.
    pub zone: Option<String>,
}

/// The parameters of a store.
#[parameters(partial = PlusChanges)]
#[derive(Debug, Clone)]
pub struct NewPlus {
    /// A note.
    pub note: Option<String>,
}

/// The parameters of a binding.
#[parameters]
#[derive(Debug, Clone)]
pub struct Access {
    /// The role.
    #[param(default = "reader")]
    pub role: String,
}

/// The credentials of a binding.
#[credentials]
pub struct Key {
    /// The user.
    pub user: String,
}

/// A plan that can be bound.
pub trait BindablePlan: Bindable {
    /// Returns the parameters as one line.
    fn shown(parameters: &Self::Create) -> String;
}

impl BindablePlan for Basic {
    fn shown(parameters: &NewStore) -> String {
        format!("size {}", parameters.size)
    }
}

impl BindablePlan for Plus {
    fn shown(parameters: &NewPlus) -> String {
        format!("note {:?}", parameters.note)
    }
}

impl BindablePlan for Legacy {
    fn shown(parameters: &NewStore) -> String {
        Basic::shown(parameters)
    }
}

impl<P: BindablePlan> Provision<P> for Stores {
    type State = String;

    async fn provision(
        &self,
        request: ProvisionRequest<P>,
        operation: &Operation<String>,
    ) -> Result<Provisioned<String>, ProvisionError> {
        let name = format!("store {}", request.id());
        self.heard.add(format!("provision {}: {}", request.id(), P::shown(&request.parameters)));
        if ["slow", "stuck"].contains(&request.id()) {
            operation.checkpoint(&name).await?;
            std::future::pending::<()>().await;
        }
        Ok(Provisioned::new(name))
    }

    async fn deprovision(
        &self,
        request: DeprovisionRequest<P, String>,
        _: &Operation<String>,
    ) -> Result<(), DeprovisionError> {
        let id = request.id().to_owned();
        let state = request.state.decoded()?;
        self.heard.add(format!("deprovision {id}: {state:?}"));
        Ok(())
    }
}

crate::update_nothing!(Stores: Basic, Plus, Legacy);
crate::change_nothing!(Stores: Basic => Plus);

impl<P: BindablePlan> Bind<P> for Stores {
    type Output = Credentials<Key>;
    type BindingState = u32;

    async fn bind(
        &self,
        request: BindRequest<P, String, u32>,
        _: &Operation<u32>,
    ) -> Result<Bound<Credentials<Key>, u32>, BindError> {
        Ok(Bound::new(Credentials(Key { user: request.id().to_owned() }), 7))
    }

    async fn unbind(&self, request: UnbindRequest<P, String, u32>, _: &Operation<u32>) -> Result<(), UnbindError> {
        let id = request.id().to_owned();
        let (state, instance) = (request.state.decoded()?, request.instance_state.decoded()?);
        self.heard.add(format!("unbind {id}: {state:?} of {instance:?}"));
        Ok(())
    }
}

/// The first release's broker.
#[broker]
#[derive(Debug, Default, Clone)]
pub struct FirstBroker {
    /// Its only service.
    pub stores: Stores,
}
