//! Plans that a deployment lists: `#[plan(family = ...)]`.

mod rules;
mod served;
mod services;

use osb_lab::{Notes, requests::new_of, wire};
use osb_runtime::{
    catalog::{Overrides, StartError},
    http::BrokerService,
    lifecycle::Settings,
    prelude::*,
    service::{Changes, InstancePlan},
};
use serde_json::{Value, json};

const DB: &str = "7d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01";
const TRIAL: &str = "7d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02";
const SMALL: &str = "7d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03";
const LARGE: &str = "7d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04";

/// A database.
#[service(
    id = "7d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "db",
    plans(Trial, BySize),
    changes(Trial => BySize, BySize => BySize)
)]
#[derive(Default, Clone)]
struct Databases {
    calls: Notes,
}

/// For trying things out.
#[plan(
    id = "7d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02",
    name = "trial",
    create = NewDatabase,
    update = DatabaseChanges,
    bindable
)]
struct Trial;

/// A database of a size.
#[plan(
    family = Size,
    name = "sized",
    free = false,
    create = NewDatabase,
    update = DatabaseChanges,
    bindable,
    metadata(bullets("Backups"), "vendor": "Example"),
    extensions("acme:zone": "a")
)]
struct BySize;

/// The size of a database.
#[parameters]
struct Size {
    /// Storage in GB.
    #[param(range(min = 1, max = 1_000))]
    gigabytes: u32,
    /// Copies.
    #[param(range(min = 1, max = 5), default = 1)]
    replicas: u8,
}

/// The parameters of both plans.
#[parameters(partial = DatabaseChanges)]
struct NewDatabase {
    /// Connections at once.
    #[param(range(min = 1, max = 100), default = 10, alias = "sessions")]
    connections: u32,
    /// `true` to log queries.
    log: Option<bool>,
}

/// A plan whose values have a storage size.
trait Storage: Plan<Create = NewDatabase, Update = DatabaseChanges> + Bindable {
    fn gigabytes(values: &Self::Family) -> u32;
}

impl Storage for Trial {
    fn gigabytes(_: &NoParameters) -> u32 {
        0
    }
}

impl Storage for BySize {
    fn gigabytes(values: &Size) -> u32 {
        values.gigabytes * u32::from(values.replicas)
    }
}

impl Databases {
    fn called<P: Storage>(&self, handler: &str, plan: InstancePlan<P>) {
        self.calls.add(format!("{handler} {} {}", plan.name, P::gigabytes(plan.values)));
    }
}

impl<P: Storage> Provision<P> for Databases {
    type State = ();
    async fn provision(&self, request: ProvisionRequest<P>, _: &Operation) -> Result<Provisioned, ProvisionError> {
        self.called("provision", request.plan);
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, request: DeprovisionRequest<P>, _: &Operation) -> Result<(), DeprovisionError> {
        self.called("deprovision", request.plan);
        Ok(())
    }
}

impl<P: Storage + Updatable> Update<P> for Databases {
    async fn update(&self, request: UpdateRequest<P, P, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        assert_eq!(request.plan.id, request.old_plan.id);
        self.called("update", request.plan);
        Ok(Updated::new(()))
    }
}

impl<Old: Storage, New: Storage> ChangePlan<Old, New> for Databases
where
    Self: Changes<Old, New>,
{
    async fn change_plan(&self, request: UpdateRequest<Old, New, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        self.called("from", request.old_plan);
        self.called("to", request.plan);
        Ok(Updated::new(()))
    }
}

/// The credentials of a binding.
#[credentials]
struct Access {
    /// The database.
    uri: String,
}

impl<P: Storage> Bind<P> for Databases {
    type Output = Credentials<Access>;
    type BindingState = ();
    async fn bind(&self, request: BindRequest<P, ()>, _: &Operation) -> Result<Bound<Self::Output>, BindError> {
        self.called("bind", request.plan);
        Ok(Bound::new(Credentials(Access { uri: "db://".to_owned() }), ()))
    }
    async fn unbind(&self, request: UnbindRequest<P, ()>, _: &Operation) -> Result<(), UnbindError> {
        self.called("unbind", request.plan);
        Ok(())
    }
}

#[broker]
struct Broker {
    databases: Databases,
}

fn small() -> Value {
    json!({ "family": "sized", "id": SMALL, "values": { "gigabytes": 10 } })
}

fn large() -> Value {
    json!({
        "family": "sized",
        "id": LARGE,
        "description": "For production.",
        "metadata": { "displayName": "Large", "costs": [{ "amount": { "usd": 99 }, "unit": "MONTHLY" }] },
        "values": { "gigabytes": 500, "replicas": 2 },
        "narrow": { "connections": { "min": 5, "max": 50 } },
    })
}

fn plans(plans: Value) -> Settings {
    let mut settings = Settings::default();
    settings.overrides = Overrides::from(json!({ "services": { "db": { "plans": plans } } }));
    settings
}

fn deployment() -> Settings {
    plans(json!({ "small": small(), "large": large() }))
}

fn create(plan: &str, parameters: Value) -> Value {
    new_of(DB, plan, parameters)
}

async fn start(settings: Settings) -> Result<BrokerService, StartError> {
    wire::start(Broker { databases: Databases::default() }, settings).await
}
