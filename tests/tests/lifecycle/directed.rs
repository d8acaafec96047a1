//! A service whose handlers do what a test says, step by step, and processes that share records and can be stalled.

use std::time::SystemTime;

use osb_lab::{lab, prelude::*};
use osb_runtime::{
    prelude::*,
    protocol::{InstanceId, Tenant},
    store::{Key, Memory, Store as _, Timestamp},
};
use tokio::{
    sync::{mpsc, oneshot, watch},
    time::{Instant, sleep, timeout},
};

use crate::{
    claims::eager,
    hooked_store::{Hooked, Written},
    stalled_store::Stalls,
};

/// The query of requests that accept a 202.
pub(crate) const LATER: &str = "accepts_incomplete=true&service_id=2b1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01&plan_id=2b1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02";

/// A desk, where a test does the work of the handlers.
#[service(id = "2b1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "desk", plans(Directed))]
#[derive(Clone)]
struct Desk {
    process: &'static str,
    calls: mpsc::UnboundedSender<Call>,
}

/// A plan.
#[plan(id = "2b1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "directed", bindable, rotatable)]
struct Directed;

#[broker]
struct DeskBroker {
    desk: Desk,
}

/// The call of a handler, which waits for orders and ignores its cancellation.
pub(crate) struct Call {
    /// The process, the handler, the id of the instance or binding, and the number of the attempt.
    pub(crate) name: String,
    /// The state that the handler got with its request.
    pub(crate) state: Option<String>,
    /// The checkpoint of earlier attempts.
    pub(crate) earlier: Option<String>,
    /// The path of the instance or binding.
    path: String,
    orders: mpsc::UnboundedSender<Order>,
}

enum Order {
    Say(&'static str),
    Save(String, oneshot::Sender<bool>),
    AwaitCancellation(oneshot::Sender<()>),
    End(Ending),
}

/// The end of a handler.
#[derive(Debug, Clone)]
pub(crate) enum Ending {
    /// It succeeds, with this state if it has one.
    Done(&'static str),
    Refused,
    Temporary,
    Failed,
}

impl Call {
    /// Lets the handler save a checkpoint. Returns false if it is refused.
    pub(crate) async fn save(&self, state: &str) -> bool {
        let (saved, wait) = oneshot::channel();
        self.orders.send(Order::Save(state.to_owned(), saved)).expect("the handler runs");
        wait.await.expect("the handler runs")
    }

    /// Lets the handler report its progress.
    pub(crate) fn say(&self, text: &'static str) {
        self.orders.send(Order::Say(text)).expect("the handler runs");
    }

    /// Waits until the handler is cancelled.
    pub(crate) async fn cancelled(&self) {
        let (cancelled, wait) = oneshot::channel();
        self.orders.send(Order::AwaitCancellation(cancelled)).expect("the handler runs");
        wait.await.expect("the handler is cancelled before it is dropped");
    }

    /// Returns whether the handler has ended or was dropped.
    pub(crate) fn has_ended(&self) -> bool {
        self.orders.is_closed()
    }

    /// Waits until the handler has ended or was dropped.
    pub(crate) async fn ended(&self) {
        self.orders.closed().await;
    }

    /// Ends the handler, and waits until it has ended.
    pub(crate) async fn end(self, ending: Ending) {
        self.orders.send(Order::End(ending)).expect("the handler runs");
        self.orders.closed().await;
    }

    /// Ends the handler of a creation with this state, and polls until the creation has succeeded.
    pub(crate) async fn end_creation(self, state: &'static str, at: &Process) {
        let path = self.path.clone();
        self.end(Ending::Done(state)).await;
        assert_eq!(at.end(&path).await.body["state"], "succeeded");
    }

    /// Ends the handler of a deletion, and polls until there is nothing left.
    pub(crate) async fn end_deletion(self, at: &Process) {
        let path = self.path.clone();
        self.end(Ending::Done("")).await;
        assert_eq!(at.end(&path).await.status, 410);
    }

    /// The same, of a handler that has got this state.
    pub(crate) async fn end_deletion_of(self, state: &str, at: &Process) {
        assert_eq!(self.state.as_deref(), Some(state), "T67: {}", self.name);
        self.end_deletion(at).await;
    }
}

impl Desk {
    async fn call(
        &self,
        handler: &str,
        path: &str,
        state: Option<String>,
        operation: &Operation<String>,
    ) -> Result<String, Ending> {
        let (orders, mut received) = mpsc::unbounded_channel();
        let id = path.rsplit('/').next().unwrap_or_default();
        let name = format!("{} {handler} {id} {}", self.process, operation.attempt());
        let call = Call { name, state, earlier: operation.checkpointed(), path: path.to_owned(), orders };
        self.calls.send(call).expect("the test runs");
        loop {
            match received.recv().await {
                Some(Order::Say(text)) => operation.progress(text),
                Some(Order::Save(state, saved)) => {
                    let _ = saved.send(operation.checkpoint(&state).await.is_ok());
                }
                Some(Order::AwaitCancellation(cancelled)) => {
                    operation.cancelled().await;
                    let _ = cancelled.send(());
                }
                Some(Order::End(Ending::Done(state))) => return Ok(state.to_owned()),
                Some(Order::End(failed)) => return Err(failed),
                None => std::future::pending().await,
            }
        }
    }
}

macro_rules! failure {
    ($ending:expr, $error:ident) => {
        match $ending {
            Ending::Refused => $error::refused("Not now.").code(ErrorCode::from_static("NotNow")),
            Ending::Temporary => $error::temporary("not yet"),
            Ending::Done(_) | Ending::Failed => $error::unexpected("it failed"),
        }
    };
}

/// Returns the path of a binding, which begins with the id of its instance.
fn path_of(instance: &InstanceId, binding: &str) -> String {
    format!("{instance}/service_bindings/{binding}")
}

impl Provision<Directed> for Desk {
    type State = String;

    async fn provision(
        &self,
        request: ProvisionRequest<Directed>,
        operation: &Operation<String>,
    ) -> Result<Provisioned<String>, ProvisionError> {
        let made = self.call("provision", request.id(), None, operation).await;
        made.map(Provisioned::new).map_err(|ending| failure!(ending, ProvisionError))
    }

    async fn deprovision(
        &self,
        request: DeprovisionRequest<Directed, String>,
        operation: &Operation<String>,
    ) -> Result<(), DeprovisionError> {
        let (id, state) = (request.id().to_owned(), request.state.decoded()?);
        let removed = self.call("deprovision", &id, state, operation).await;
        removed.map(drop).map_err(|ending| failure!(ending, DeprovisionError))
    }
}

impl Bind<Directed> for Desk {
    type Output = Credentials<lab::Key>;
    type BindingState = String;

    async fn bind(
        &self,
        request: BindRequest<Directed, String, String>,
        operation: &Operation<String>,
    ) -> Result<Bound<Credentials<lab::Key>, String>, BindError> {
        let path = path_of(&request.instance_id, request.id());
        let made = self.call("bind", &path, Some(request.instance_state), operation).await;
        let key = |password: &String| lab::Key { user: "desk".to_owned(), password: password.clone() };
        made.map(|state| Bound::new(Credentials(key(&state)), state)).map_err(|ending| failure!(ending, BindError))
    }

    async fn unbind(
        &self,
        request: UnbindRequest<Directed, String, String>,
        operation: &Operation<String>,
    ) -> Result<(), UnbindError> {
        let (path, state) = (path_of(&request.instance_id, request.id()), request.state.decoded()?);
        let removed = self.call("unbind", &path, state, operation).await;
        removed.map(drop).map_err(|ending| failure!(ending, UnbindError))
    }
}

/// Processes that share their records, and the calls of their handlers.
pub(crate) struct World {
    memory: Arc<Memory>,
    settings: Settings,
    /// The time at which it began, by both clocks.
    start: (SystemTime, Instant),
    sender: mpsc::UnboundedSender<Call>,
    calls: mpsc::UnboundedReceiver<Call>,
}

/// A process whose store can be stalled, and whose clock can be set.
pub(crate) struct Process {
    name: &'static str,
    broker: Direct,
    stalls: watch::Sender<bool>,
    holds: watch::Sender<bool>,
    refuses: watch::Sender<bool>,
    ahead: watch::Sender<Duration>,
}

impl World {
    /// Makes a world on tokio's clock. A cancelled handler has all the time that its lease allows.
    pub(crate) fn new() -> Self {
        let mut settings = Settings::default();
        settings.clock = Clock::of_runtime();
        settings.cancel_grace = Duration::from_hours(1);
        let (sender, calls) = mpsc::unbounded_channel();
        Self { memory: Arc::default(), settings, start: (SystemTime::now(), Instant::now()), sender, calls }
    }

    /// Makes a world with process `a`.
    pub(crate) async fn of_a_process() -> (Self, Process) {
        Self::with(|_| ()).await
    }

    /// Makes a world with process `a` of other settings.
    pub(crate) async fn with(change: impl FnOnce(&mut Settings)) -> (Self, Process) {
        let world = Self::new();
        let a = world.process_with("a", change).await;
        (world, a)
    }

    /// Makes a world with process `a`, and `b`, which looks for expired leases every second.
    pub(crate) async fn of_two() -> (Self, Process, Process) {
        let (world, a) = Self::of_a_process().await;
        let b = world.process_with("b", eager).await;
        (world, a, b)
    }

    /// Makes a world with process `a` and an instance.
    pub(crate) async fn of_an_instance() -> (Self, Process) {
        let (mut world, a) = Self::of_a_process().await;
        world.create(&a, "made").await;
        (world, a)
    }

    pub(crate) async fn process(&self, name: &'static str) -> Process {
        self.process_with(name, |_| ()).await
    }

    pub(crate) async fn process_with(&self, name: &'static str, change: impl FnOnce(&mut Settings)) -> Process {
        let mut settings = self.settings.clone();
        change(&mut settings);
        self.start(name, settings).await
    }

    async fn start(&self, name: &'static str, mut settings: Settings) -> Process {
        let ((stalls, stalled), (holds, held)) = (watch::channel(false), watch::channel(false));
        let ((refuses, is_refusing), (ahead, is_ahead)) = (watch::channel(false), watch::channel(Duration::ZERO));
        let (start, from) = self.start;
        let now = Box::new(move || Some(Timestamp::from(start + from.elapsed() + *is_ahead.borrow())));
        let around = Stalls { stops: stalled, holds: held, refuses: is_refusing, undone: Written::default(), now };
        settings.store = Records::new(Hooked::new(Arc::clone(&self.memory), around));
        let desk = Desk { process: name, calls: self.sender.clone() };
        Process { name, broker: Direct::start(DeskBroker { desk }, settings).await, stalls, holds, refuses, ahead }
    }

    /// Removes the record of an instance, as a failover to an outdated standby can.
    pub(crate) async fn forget(&self, id: &str) {
        let key = Key { tenant: Tenant::default(), instance: id.into(), binding: None };
        let removed = self.memory.transact(&[key], &mut |records| records.fill(None)).await;
        removed.expect("a store in memory does not fail");
    }

    /// Waits for the next call, which has to be this one.
    pub(crate) async fn call(&mut self, name: &str) -> Call {
        let called = timeout(Duration::from_mins(10), self.calls.recv()).await;
        let call = called.ok().flatten().unwrap_or_else(|| panic!("{name} is not called"));
        assert_eq!(call.name, name);
        call
    }

    /// Checks that no handler is called in the time of several leases.
    pub(crate) async fn is_quiet(&mut self) {
        let called = timeout(self.settings.lease * 10, self.calls.recv()).await;
        assert!(called.is_err(), "{} is called", called.ok().flatten().map(|call| call.name).unwrap_or_default());
    }

    /// Begins the creation of an instance, and returns the call of its handler.
    pub(crate) async fn begin(&mut self, process: &Process, id: &str) -> Call {
        process.put(id).await;
        self.call(&format!("{} provision {id} 1", process.name)).await
    }

    /// Creates an instance with this state.
    pub(crate) async fn create(&mut self, process: &Process, state: &'static str) {
        self.begin(process, "i").await.end_creation(state, process).await;
    }

    /// Creates a binding of the instance with this state.
    pub(crate) async fn bind(&mut self, process: &Process, id: &str, state: &'static str) {
        let path = format!("i/service_bindings/{id}");
        process.put(&path).await;
        self.call(&format!("a bind {id} 1")).await.end_creation(state, process).await;
    }
}

impl Process {
    /// Sends a request; `path` begins with the id of the instance.
    pub(crate) async fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Reply {
        self.broker.send(method, &format!("/v2/service_instances/{path}"), body).await
    }

    /// Returns the answer to a PUT that accepts a 202.
    pub(crate) async fn ask(&self, path: &str) -> Reply {
        self.ask_with(path, LATER).await
    }

    /// Returns the answer to a PUT with this query.
    pub(crate) async fn ask_with(&self, path: &str, query: &str) -> Reply {
        let (service, plan) = ("2b1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", "2b1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02");
        let mut body = json!({ "service_id": service, "plan_id": plan });
        if !path.contains('/') {
            (body["organization_guid"], body["space_guid"]) = (json!("o"), json!("s"));
        }
        self.send("PUT", &format!("{path}?{query}"), Some(&body)).await
    }

    /// Begins a creation.
    pub(crate) async fn put(&self, path: &str) {
        self.ask(path).await.has_status(202);
    }

    /// Begins a deletion.
    pub(crate) async fn delete(&self, path: &str) {
        self.send("DELETE", &format!("{path}?{LATER}"), None).await.has_status(202);
    }

    /// Returns the answer to a poll.
    pub(crate) async fn poll(&self, path: &str) -> Reply {
        self.send("GET", &format!("{path}/last_operation"), None).await
    }

    /// Polls until the operation has ended.
    pub(crate) async fn end(&self, path: &str) -> Reply {
        for _ in 0..1000 {
            let reply = self.poll(path).await;
            if reply.body["state"] != "in progress" {
                return reply;
            }
            sleep(Duration::from_secs(1)).await;
        }
        panic!("{path} does not end");
    }

    /// Stops the answers of the store.
    pub(crate) fn stall(&self) {
        self.stalls.send_replace(true);
    }

    /// Lets the store answer again.
    pub(crate) fn wake(&self) {
        self.stalls.send_replace(false);
    }

    /// Holds the answers to transactions, which have their effect.
    pub(crate) fn hold_answers(&self) {
        self.holds.send_replace(true);
    }

    /// Lets the answers to transactions pass.
    pub(crate) fn release_answers(&self) {
        self.holds.send_replace(false);
    }

    /// Lets transactions fail after their decisions, which then have no effect.
    pub(crate) fn refuse_commits(&self, refuses: bool) {
        self.refuses.send_replace(refuses);
    }

    /// Hands the operations of the process over.
    pub(crate) async fn hand_over(&self) {
        self.broker.hand_over().await;
    }

    /// Sets the clock of the process ahead of the others. It takes over what is not expired to them, before their workers can
    /// know.
    pub(crate) fn set_ahead(&self, by: Duration) {
        self.ahead.send_replace(by);
    }
}
