//! The first release.

use osb_runtime::prelude::*;

use super::Heard;

/// Stores.
#[service(
    id = "9b0d5c1e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "stores",
    plans(Basic, Plus, Legacy),
    changes(Basic => Plus),
    allow_context_updates
)]
#[derive(Debug, Default, Clone)]
pub struct Stores {
    /// What its handlers were given.
    pub heard: Heard,
}

/// A basic one.
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

/// One with more in it.
#[plan(id = "9b0d5c1e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "plus", create = NewPlus, update = PlusChanges, bindable)]
#[derive(Debug)]
pub struct Plus;

/// One that is on its way out.
#[plan(id = "9b0d5c1e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "legacy", create = NewStore, update = StoreChanges, bind = Access)]
#[derive(Debug)]
pub struct Legacy;

/// What to choose.
#[parameters(partial = StoreChanges)]
#[derive(Debug, Clone)]
pub struct NewStore {
    /// How large.
    #[param(range(min = 1, max = 100), default = 10)]
    pub size: u32,
    /// What it looks like.
    pub colour: Option<String>,
    /// Who runs it.
    pub owner: Option<String>,
    /// The administrator's.
    #[param(secret)]
    pub password: Option<String>,
    /// Fixed once chosen.
    #[param(immutable)]
    pub prefix: Option<String>,
    /// When it is saved elsewhere.
    pub backup: Option<Backup>,
}

/// When something is saved elsewhere.
#[parameters(partial = BackupChanges)]
#[derive(Debug, Clone)]
pub struct Backup {
    /// How often.
    pub hours: Option<u32>,
    /// Where to.
    pub zone: Option<String>,
}

/// What to choose.
#[parameters(partial = PlusChanges)]
#[derive(Debug, Clone)]
pub struct NewPlus {
    /// A remark.
    pub note: Option<String>,
}

/// How to bind.
#[parameters]
#[derive(Debug, Clone)]
pub struct Access {
    /// In what role.
    #[param(default = "reader")]
    pub role: String,
}

/// What a binding gives.
#[credentials]
pub struct Key {
    /// Who.
    pub user: String,
}

/// The plans.
pub trait Sold: Bindable {
    /// The parameters in a line.
    fn shown(parameters: &Self::Create) -> String;
}

impl Sold for Basic {
    fn shown(parameters: &NewStore) -> String {
        format!("size {}", parameters.size)
    }
}

impl Sold for Plus {
    fn shown(parameters: &NewPlus) -> String {
        format!("note {:?}", parameters.note)
    }
}

impl Sold for Legacy {
    fn shown(parameters: &NewStore) -> String {
        Basic::shown(parameters)
    }
}

impl<P: Sold> Provision<P> for Stores {
    type State = String;

    async fn provision(
        &self,
        request: ProvisionRequest<P>,
        operation: &Operation<String>,
    ) -> Result<Provisioned<String>, ProvisionError> {
        let name = format!("store {}", request.id());
        self.heard.note(format!("provision {}: {}", request.id(), P::shown(&request.parameters)));
        if request.id() == "slow" {
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
        let raw = request.raw_state.as_ref().map(|saved| format!("{} {}", saved.version, saved.value));
        self.heard.note(format!("deprovision {}: {:?} of {}", request.id(), request.state, raw.unwrap_or_default()));
        Ok(())
    }
}

impl<P: Sold + osb_runtime::service::Updatable> Update<P> for Stores {
    async fn update(
        &self,
        request: UpdateRequest<P, P, String>,
        _: &Operation<String>,
    ) -> Result<Updated<String>, UpdateError> {
        Ok(Updated::new(request.state))
    }
}

impl ChangePlan<Basic, Plus> for Stores {
    async fn change_plan(
        &self,
        request: UpdateRequest<Basic, Plus, String>,
        _: &Operation<String>,
    ) -> Result<Updated<String>, UpdateError> {
        Ok(Updated::new(request.state))
    }
}

impl<P: Sold> Bind<P> for Stores {
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
        self.heard.note(format!("unbind {}: {:?} of {:?}", request.id(), request.state, request.instance_state));
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
