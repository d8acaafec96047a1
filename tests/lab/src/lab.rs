//! A broker whose handlers behave as the parameters specify: succeed, refuse, fail, panic, hang.

use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error,
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use osb_runtime::prelude::*;
use tokio::sync::watch;

use crate::Notes;

/// Returns the suffix of ids for a tenant.
fn of(tenant: &Tenant) -> String {
    Some(tenant.as_str()).filter(|name| !name.is_empty()).map_or(String::new(), |name| format!("-of-{name}"))
}

/// A laboratory.
#[service(
    id = "6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "lab",
    plans(Small, Large, Closed, Twin, Slow, Quick, Old),
    changes(Small => Large, Small => Twin),
    allow_context_updates
)]
#[derive(Debug, Default, Clone)]
pub struct Lab {
    /// The existing resources and their contents.
    pub resources: Arc<Mutex<BTreeMap<String, String>>>,
    /// The number of calls of creating and updating handlers.
    pub calls: Arc<watch::Sender<usize>>,
    /// The behaviour of deletions; by default they succeed.
    pub deletions: Arc<Mutex<Option<Behaviour>>>,
    /// The `Debug` output of the requests to deleting handlers.
    pub remains: Notes,
    /// The ids for which a handler is running.
    pub busy: Arc<Mutex<BTreeSet<String>>>,
    /// The number of times that two handlers ran for the same id.
    pub overlaps: Arc<AtomicUsize>,
    /// The gate at which handlers wait.
    pub gate: Arc<Gate>,
    /// The runs of handlers, as `operation attempt checkpoint`.
    pub runs: Notes,
}

/// A gate at which handlers wait until a test opens it.
#[derive(Debug)]
pub struct Gate(watch::Sender<bool>);

impl Default for Gate {
    fn default() -> Self {
        Self(watch::Sender::new(false))
    }
}

impl Gate {
    /// Opens the gate.
    pub fn open(&self) {
        self.0.send_replace(true);
    }

    /// Closes the gate.
    pub fn close(&self) {
        self.0.send_replace(false);
    }

    async fn pass(&self) {
        let _ = self.0.subscribe().wait_for(|open| *open).await;
    }
}

/// A small plan.
#[plan(
    id = "6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a02",
    name = "small",
    create = Setup,
    update = SetupChanges,
    bind = Access,
    rotatable,
    maintenance_info(version = "1.2.0", description = "A restart of a second.")
)]
#[derive(Debug)]
pub struct Small;

/// A large plan.
#[plan(id = "6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "large", create = Setup, update = SetupChanges, bindable, requires_app)]
#[derive(Debug)]
pub struct Large;

/// A plan without parameters and bindings.
#[plan(id = "6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "closed")]
#[derive(Debug)]
pub struct Closed;

/// A plan like the small one, with a different state of its bindings.
#[plan(id = "6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "twin", create = Setup, bindable, rotatable)]
#[derive(Debug)]
pub struct Twin;

/// A plan that is always asynchronous.
#[plan(
    id = "6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a07",
    name = "slow",
    create = Setup,
    update = SetupChanges,
    bind = Access,
    asynchronous(instances = always, bindings = always),
    maximum_polling_duration = 3600
)]
#[derive(Debug)]
pub struct Slow;

/// A plan that is never asynchronous.
#[plan(
    id = "6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a08",
    name = "quick",
    create = Setup,
    update = SetupChanges,
    bind = Access,
    asynchronous(instances = never, bindings = never)
)]
#[derive(Debug)]
pub struct Quick;

/// A retired plan.
#[plan(id = "6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "old", retired)]
#[derive(Debug)]
pub struct Old;

/// The parameters of an instance.
#[parameters(partial = SetupChanges)]
#[derive(Debug, Clone)]
pub struct Setup {
    /// The behaviour of the handler.
    #[param(default = "succeed")]
    pub mood: Behaviour,
    /// The size.
    #[param(range(min = 1, max = 64), default = 1)]
    pub size: u32,
    /// A number with decimals.
    #[param(range(min = 0, max = 8), default = 1)]
    pub ratio: f64,
    /// Its name, fixed once chosen.
    #[param(pattern = "^[a-z]+$", immutable)]
    pub name: Option<String>,
    /// A secret.
    #[param(secret, length(min = 8))]
    pub token: Option<String>,
}

/// The behaviour of a handler.
#[parameters(rename_all = "snake_case")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behaviour {
    /// It succeeds.
    Succeed,
    /// It succeeds after a short time.
    Dawdle,
    /// It refuses the request.
    Refuse,
    /// It fails unexpectedly.
    Fail,
    /// It creates a part, saves a checkpoint, and fails.
    FailHalfWay,
    /// It creates a part, saves a checkpoint, and refuses the request.
    RefuseHalfWay,
    /// It fails with an error that panics when it is displayed.
    Unspeakable,
    /// It panics.
    Panic,
    /// It never ends.
    Hang,
    /// It creates a part, saves a checkpoint, and waits at the gate until it is cancelled.
    Wait,
    /// Like `wait`, but it ignores the cancellation.
    WaitStubbornly,
    /// It creates a part, saves a checkpoint, and fails with a temporary error; the third attempt succeeds.
    Temporary,
}

impl Behaviour {
    /// Returns whether the handler creates a part and saves a checkpoint first.
    fn has_checkpoint(self) -> bool {
        matches!(
            self,
            Self::FailHalfWay | Self::RefuseHalfWay | Self::Hang | Self::Wait | Self::WaitStubbornly | Self::Temporary
        )
    }
}

/// The parameters of a binding.
#[parameters]
#[derive(Debug, Clone)]
pub struct Access {
    /// The behaviour of the handler.
    #[param(default = "succeed")]
    pub mood: Behaviour,
}

/// The credentials of a binding.
#[credentials]
pub struct Key {
    /// The user.
    #[param(public)]
    pub user: String,
    /// The password.
    pub password: String,
}

/// A plan with parameters.
pub trait Configurable: Plan<Create = Setup> {}
impl Configurable for Small {}
impl Configurable for Large {}
impl Configurable for Twin {}
impl Configurable for Slow {}
impl Configurable for Quick {}

/// A plan whose bindings have credentials.
pub trait Keyed: Bindable<Create = Setup, Bind = Access> + Configurable {}
impl Keyed for Small {}
impl Keyed for Slow {}
impl Keyed for Quick {}

impl Lab {
    fn create(&self, id: &str, content: &str) {
        self.resources.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned(), content.to_owned());
    }

    fn remove(&self, id: &str) {
        self.resources.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }

    /// Returns the existing resources, as `id=content`.
    pub fn inventory(&self) -> Vec<String> {
        let resources = self.resources.lock().unwrap_or_else(PoisonError::into_inner);
        resources.iter().map(|(id, content)| format!("{id}={content}")).collect()
    }

    /// Returns the number of calls of creating and updating handlers.
    pub fn calls(&self) -> usize {
        *self.calls.borrow()
    }

    /// Waits until creating and updating handlers have been called this number of times.
    pub async fn called(&self, times: usize) {
        let _ = self.calls.subscribe().wait_for(|calls| *calls >= times).await;
    }

    /// Sets the behaviour of deletions from now on.
    pub fn deletions_go(&self, mood: Behaviour) {
        *self.deletions.lock().unwrap_or_else(PoisonError::into_inner) = Some(mood);
    }

    /// Returns the `Debug` output of the requests to deleting handlers, and of their states.
    pub fn remains(&self) -> Vec<String> {
        self.remains.all()
    }

    /// Returns the number of times that two handlers ran for the same id.
    pub fn overlaps(&self) -> usize {
        self.overlaps.load(Ordering::SeqCst)
    }

    /// Returns the runs of handlers, as `operation attempt checkpoint`.
    pub fn runs(&self) -> Vec<String> {
        self.runs.all()
    }

    /// Runs a handler with this behaviour.
    async fn run(&self, id: &str, mood: Behaviour, operation: &Operation<String>) -> Result<(), HandlerFailure> {
        let _running = RunningHandler::with(self, id);
        let earlier = operation.checkpointed().unwrap_or_default();
        let run = format!("{} {} {earlier}", operation.id(), operation.attempt());
        self.runs.add(run);
        self.calls.send_modify(|calls| *calls += 1);
        operation.progress(format!("{mood:?}"));
        self.behave(mood, Some(operation)).await
    }

    async fn behave(&self, mood: Behaviour, operation: Option<&Operation<String>>) -> Result<(), HandlerFailure> {
        match mood {
            Behaviour::Wait => match operation {
                Some(operation) => tokio::select! {
                    () = self.gate.pass() => Ok(()),
                    () = operation.cancelled() => Err(HandlerFailure::Failed("the operation was cancelled".into())),
                },
                None => {
                    self.gate.pass().await;
                    Ok(())
                }
            },
            Behaviour::WaitStubbornly => {
                self.gate.pass().await;
                Ok(())
            }
            Behaviour::Temporary if operation.is_none_or(|operation| operation.attempt() < 3) => {
                Err(HandlerFailure::Temporary)
            }
            Behaviour::Succeed | Behaviour::Temporary => Ok(()),
            Behaviour::Dawdle => {
                tokio::time::sleep(Duration::from_millis(150)).await;
                Ok(())
            }
            Behaviour::Refuse | Behaviour::RefuseHalfWay => Err(HandlerFailure::Refused),
            Behaviour::Fail | Behaviour::FailHalfWay => {
                Err(HandlerFailure::Failed("the secret reason in the log".into()))
            }
            Behaviour::Unspeakable => Err(HandlerFailure::Failed(Box::new(UndisplayableError))),
            Behaviour::Panic => panic!("as requested"),
            Behaviour::Hang => std::future::pending().await,
        }
    }

    /// Runs a deleting handler with the behaviour of deletions.
    async fn delete(&self, id: &str, remains: &impl fmt::Debug) -> Result<(), HandlerFailure> {
        self.remains.add(format!("{remains:?}"));
        let _running = RunningHandler::with(self, id);
        let mood = *self.deletions.lock().unwrap_or_else(PoisonError::into_inner);
        self.behave(mood.unwrap_or(Behaviour::Succeed), None).await?;
        self.remove(id);
        Ok(())
    }
}

/// Registers a running handler, to detect two handlers for the same id.
struct RunningHandler {
    busy: Arc<Mutex<BTreeSet<String>>>,
    id: String,
}

impl RunningHandler {
    fn with(lab: &Lab, id: &str) -> Self {
        if !lab.busy.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned()) {
            lab.overlaps.fetch_add(1, Ordering::SeqCst);
        }
        Self { busy: Arc::clone(&lab.busy), id: id.to_owned() }
    }
}

impl Drop for RunningHandler {
    fn drop(&mut self) {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}

/// The failure of a handler.
enum HandlerFailure {
    Refused,
    Temporary,
    Failed(Box<dyn Error + Send + Sync>),
}

impl HandlerFailure {
    /// Returns the error for the runtime, which is `refused` if the handler refuses the request.
    fn or<E: From<Failure>>(self, refused: E) -> E {
        match self {
            Self::Refused => refused,
            Self::Temporary => Failure::temporary("not yet").into(),
            Self::Failed(error) => Failure::unexpected(error).into(),
        }
    }
}

/// An error that panics when it is displayed.
#[derive(Debug)]
struct UndisplayableError;

impl fmt::Display for UndisplayableError {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("as requested")
    }
}

impl Error for UndisplayableError {}

const LAB_FULL: ErrorCode = ErrorCode::from_static("LabFull");
const LARGE_DASHBOARD: DashboardUrl = DashboardUrl::from_static("https://lab.example.com/large");

impl<P: Configurable> Provision<P> for Lab {
    type State = String;

    async fn provision(
        &self,
        request: ProvisionRequest<P>,
        operation: &Operation<String>,
    ) -> Result<Provisioned<String>, ProvisionError> {
        let (id, mood) = (request.id().to_owned(), request.parameters.mood);
        if mood.has_checkpoint() {
            operation.checkpoint(&format!("half {id}")).await?;
            self.create(&id, "half");
        }
        let refused = ProvisionError::refused("The lab is full.").code(LAB_FULL);
        self.run(&id, mood, operation).await.map_err(|failure| failure.or(refused))?;
        self.create(&id, &format!("{}x{}", P::SPEC.name, request.parameters.size));
        Ok(Provisioned::new(format!("whole {id}")).label("kind", format!("lab{}", of(&request.tenant))))
    }

    fn dashboard_url(&self, tenant: &Tenant, instance: &str) -> Result<Option<DashboardUrl>, BoxError> {
        let id = osb_client::encode(instance);
        Ok(Some(DashboardUrl::new(format!("https://lab.example.com/{id}{}", of(tenant)))?))
    }

    async fn deprovision(
        &self,
        request: DeprovisionRequest<P, String>,
        _: &Operation<String>,
    ) -> Result<(), DeprovisionError> {
        if request.parameters.decoded().is_some_and(|setup| setup.name.as_deref() == Some("sticky")) {
            return Err(DeprovisionError::refused("It sticks.").instance_usable(false));
        }
        let refused = DeprovisionError::refused("It sticks.");
        self.delete(request.id(), &(&request, saved(&request.state))).await.map_err(|failure| failure.or(refused))
    }
}

/// Returns the state that a handler saved, to print it.
fn saved(state: &StoredState<String>) -> Option<&String> {
    if let StoredState::Saved(state) = state { Some(state) } else { None }
}

macro_rules! plain {
    ($($plan:ty),+) => {$(
        impl Provision<$plan> for Lab {
            type State = ();

            async fn provision(&self, request: ProvisionRequest<$plan>, _: &Operation<()>) -> Result<Provisioned<()>, ProvisionError> {
                self.create(request.id(), <$plan>::SPEC.name);
                Ok(Provisioned::new(()))
            }

            async fn deprovision(&self, request: DeprovisionRequest<$plan, ()>, _: &Operation<()>) -> Result<(), DeprovisionError> {
                self.remove(request.id());
                Ok(())
            }
        }
    )+};
}

plain!(Closed, Old);

impl<P: Configurable + Updatable<Update = SetupChanges>> Update<P> for Lab {
    async fn update(
        &self,
        request: UpdateRequest<P, P, String>,
        operation: &Operation<String>,
    ) -> Result<Updated<String>, UpdateError> {
        if request.parameters.mood.has_checkpoint() {
            operation.checkpoint(&format!("half changed {}", request.id())).await?;
        }
        let refused = UpdateError::refused("Not now.").update_repeatable(false);
        self.run(request.id(), request.parameters.mood, operation).await.map_err(|failure| failure.or(refused))?;
        let maintained = request.maintenance.as_ref().map_or("", |maintained| maintained.to.version);
        self.create(request.id(), &format!("{}x{}{maintained}", P::SPEC.name, request.parameters.size));
        Ok(Updated::new(request.state))
    }
}

impl ChangePlan<Small, Large> for Lab {
    async fn change_plan(
        &self,
        request: UpdateRequest<Small, Large, String>,
        operation: &Operation<String>,
    ) -> Result<Updated<String>, UpdateError> {
        let mood =
            request.changes.as_ref().and_then(|changes| changes.mood.value().copied()).unwrap_or(Behaviour::Succeed);
        if mood == Behaviour::Temporary {
            operation.checkpoint(&format!("moved {}", operation.attempt())).await?;
        } else if mood.has_checkpoint() {
            operation.checkpoint(&"half moved".to_owned()).await?;
        }
        let refused = UpdateError::refused("Not there.");
        self.run(request.id(), mood, operation).await.map_err(|failure| failure.or(refused))?;
        self.create(request.id(), &format!("largex{}", request.parameters.size));
        Ok(Updated::new(request.state).dashboard(LARGE_DASHBOARD))
    }
}

crate::change_nothing!(Lab: Small => Twin);

impl Bind<Twin> for Lab {
    type Output = Endpoints;
    type BindingState = u64;

    async fn bind(
        &self,
        request: BindRequest<Twin, String, u64>,
        _: &Operation<u64>,
    ) -> Result<Bound<Endpoints, u64>, BindError> {
        let number = request.predecessor.map_or(0, |old| old.state + 1);
        let endpoints =
            vec![Endpoint::tcp("lab.example.com", 443).port(8443).ports(9000..=9010), Endpoint::udp("10.0.0.1", 53)];
        Ok(Bound::new(Endpoints(endpoints), number))
    }

    async fn unbind(&self, _: UnbindRequest<Twin, String, u64>, _: &Operation<u64>) -> Result<(), UnbindError> {
        Ok(())
    }
}

impl<P: Keyed> Bind<P> for Lab {
    type Output = Credentials<Key>;
    type BindingState = String;

    async fn bind(
        &self,
        request: BindRequest<P, String, String>,
        operation: &Operation<String>,
    ) -> Result<Bound<Credentials<Key>, String>, BindError> {
        if matches!(request.parameters.mood, Behaviour::FailHalfWay | Behaviour::RefuseHalfWay | Behaviour::Hang) {
            operation.checkpoint(&"half".to_owned()).await?;
            self.create(request.id(), "half");
        }
        let refused = BindError::refused("No more keys.");
        self.run(request.id(), request.parameters.mood, operation).await.map_err(|failure| failure.or(refused))?;
        let after = request.predecessor.as_ref().map_or(String::new(), |old| format!(" after {}", old.state));
        self.create(request.id(), &format!("key{after}"));
        let key = Key { user: request.id().to_owned(), password: format!("password of {}", request.id()) };
        Ok(Bound::new(Credentials(key), request.id().to_owned()))
    }

    async fn unbind(
        &self,
        request: UnbindRequest<P, String, String>,
        _: &Operation<String>,
    ) -> Result<(), UnbindError> {
        let refused = UnbindError::refused("It is in use.");
        self.delete(request.id(), &(&request, saved(&request.state))).await.map_err(|failure| failure.or(refused))
    }
}

impl Bind<Large> for Lab {
    type Output = (LogDrain, VolumeMounts);
    type BindingState = ();

    async fn bind(
        &self,
        request: BindRequest<Large, String, ()>,
        _: &Operation<()>,
    ) -> Result<Bound<(LogDrain, VolumeMounts), ()>, BindError> {
        let drain =
            LogDrain::new(format!("syslog://lab.example.com/{}", request.bind_resource.app_guid.unwrap_or_default()))?;
        let mount = |container_dir: &str, read_only, volume_id: &str, mount_config| VolumeMount {
            driver: "nfs".to_owned(),
            container_dir: container_dir.to_owned(),
            read_only,
            volume_id: volume_id.to_owned(),
            mount_config,
        };
        let config = serde_json::Map::from_iter([("x".to_owned(), 1.into())]);
        let mounts = vec![mount("/data", true, "v1", serde_json::Map::new()), mount("/scratch", false, "v2", config)];
        Ok(Bound::new((drain, VolumeMounts(mounts)), ()))
    }

    async fn unbind(&self, _: UnbindRequest<Large, String, ()>, _: &Operation<()>) -> Result<(), UnbindError> {
        Ok(())
    }
}

/// The lab broker.
#[broker]
#[derive(Debug)]
pub struct LabBroker {
    /// Its only service.
    pub lab: Lab,
}

/// The ids, for requests.
pub mod ids {
    /// The service.
    pub const LAB: &str = "6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a01";
    /// With parameters, updates, rotating bindings.
    pub const SMALL: &str = "6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a02";
    /// With bindings that need an application.
    pub const LARGE: &str = "6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a03";
    /// With other state of its bindings.
    pub const TWIN: &str = "6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a06";
    /// Without anything.
    pub const CLOSED: &str = "6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a04";
    /// Always asynchronous.
    pub const SLOW: &str = "6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a07";
    /// Never asynchronous.
    pub const QUICK: &str = "6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a08";
    /// Retired.
    pub const OLD: &str = "6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a05";
}
