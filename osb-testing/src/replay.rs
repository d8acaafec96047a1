//! Replays every handler as after a crash, to test that it is idempotent.

use std::{
    fmt,
    future::Future,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use serde_json::{Map, Value, json};
use tokio::time::{Instant, sleep};

use super::{
    Answer, Client,
    compare::{compare, exactly},
    cut::{Interrupter, Point},
    samples,
};
use osb_runtime::{
    catalog::{Offering, PlanInfo},
    lifecycle::{Audit, Event, RetryPolicy, Settings},
    protocol::{BindingId, InstanceId, Tenant},
    service::Broker,
    store::{Key, Record, Records},
};

/// Asserts that every handler of every plan is idempotent, using [`Replay`] with its defaults.
///
/// ```no_run
/// # use osb_testing::assert_idempotent;
/// # use osb_runtime::service::Broker;
/// # async fn example<Kv: Broker>(open: impl Fn() -> Kv + Clone + Send + Sync + 'static) {
/// assert_idempotent(move || { let open = open.clone(); async move { open() } }).await;
/// # }
/// ```
///
/// # Panics
///
/// As [`Replay::run`].
pub async fn assert_idempotent<B, F>(make: impl Fn() -> F + Send + Sync + 'static)
where
    B: Broker,
    F: Future<Output = B> + 'static,
{
    Replay::of(make).run().await;
}

/// Replays the lifecycle of an instance many times: provision, bind, update, rotate, unbind, deprovision, and every change
/// of plan, as far as the plan supports them. In each run the broker's process crashes at a different point, and another
/// process takes over and calls the handler again, with the next attempt number and the last checkpoint. The points are
///
/// * right before and right after each [`checkpoint`](osb_runtime::service::Operation::checkpoint) is saved;
/// * after the handler has returned, and before its result is recorded.
///
/// The assertions are that
///
/// * the second attempt succeeds;
/// * its results (state, dashboard, labels, credentials) equal those of an undisturbed run. Values that differ between two
///   undisturbed runs, such as passwords, may differ, and so may operation ids;
/// * if the first attempt had returned, the second one returns the same state;
/// * the number of resources is the same as after an undisturbed run, and zero after the deletion, if
///   [`left`](Self::left) counts them;
/// * a provision or bind that is rolled back, because its platform has seen an error, leaves nothing behind.
///
/// The real runtime calls the handlers, with records in memory. Each process is simulated by a thread with its own tokio
/// runtime, whose futures are dropped at the crash, and a new broker. Resources that outlive a process, such as a database
/// or a directory, have to be created outside of `make` and shared by all brokers.
///
/// ```
/// # use osb_runtime::prelude::*;
/// # use std::{collections::BTreeSet, sync::{Arc, Mutex}};
/// # #[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "rooms", description = "Rooms.", plans(Small))]
/// # struct Rooms(Arc<Mutex<BTreeSet<String>>>);
/// # /// A small one.
/// # #[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "small")]
/// # struct Small;
/// # impl Provision<Small> for Rooms {
/// #     type State = ();
/// #     async fn provision(&self, request: ProvisionRequest<Small>, _: &Operation) -> Result<Provisioned, ProvisionError> {
/// #         self.0.lock().unwrap().insert(request.id().to_owned());
/// #         Ok(Provisioned::new(()))
/// #     }
/// #     async fn deprovision(&self, request: DeprovisionRequest<Small>, _: &Operation) -> Result<(), DeprovisionError> {
/// #         self.0.lock().unwrap().remove(request.id());
/// #         Ok(())
/// #     }
/// # }
/// # #[broker]
/// # struct Hotel(Rooms);
/// use osb_testing::Replay;
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let rooms = Arc::new(Mutex::new(BTreeSet::new()));
/// let taken = rooms.clone();
/// Replay::of(move || { let rooms = rooms.clone(); async move { Hotel(Rooms(rooms)) } })
///     .left(move || taken.lock().unwrap().len())
///     .run()
///     .await;
/// # });
/// ```
#[must_use = "call `run` to start the replay"]
pub struct Replay<B: Broker> {
    make: Make<B>,
    only: Option<(String, String)>,
    parameters: Option<Value>,
    update: Option<Value>,
    bind: Option<Value>,
    may_differ: Vec<String>,
    patience: Duration,
    left: Option<Arc<dyn Fn() -> usize + Send + Sync>>,
}

type Local<T> = std::pin::Pin<Box<dyn Future<Output = T>>>;
type Make<B> = Arc<dyn Fn() -> Local<B> + Send + Sync>;

/// If a handler has more checkpoints, only the first and the last of them are tried, this many in total.
const MOST_CHECKPOINTS: usize = 16;

/// The maximum number of findings in the message.
const MOST_FINDINGS: usize = 12;

impl<B: Broker> Replay<B> {
    /// Replays the handlers of a broker. `make` is called once for each simulated process.
    pub fn of<F>(make: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = B> + 'static,
    {
        Self {
            make: Arc::new(move || Box::pin(make())),
            only: None,
            parameters: None,
            update: None,
            bind: None,
            may_differ: Vec::new(),
            patience: Duration::from_mins(1),
            left: None,
        }
    }

    /// Replays only this plan, given by names or ids. Default: all plans that are not retired.
    pub fn plan(mut self, service: &str, plan: &str) -> Self {
        self.only = Some((service.to_owned(), plan.to_owned()));
        self
    }

    /// Sets the parameters of the provision. Default: the required ones, from examples and bounds of the schema.
    pub fn parameters(mut self, parameters: Value) -> Self {
        self.parameters = Some(parameters);
        self
    }

    /// Sets the parameters of the update. Default: a change of the first property for which examples, choices or bounds
    /// provide another value.
    pub fn update(mut self, parameters: Value) -> Self {
        self.update = Some(parameters);
        self
    }

    /// Sets the parameters of the bind. Default: as for [`parameters`](Self::parameters).
    pub fn bind(mut self, parameters: Value) -> Self {
        self.bind = Some(parameters);
        self
    }

    /// Allows the value at a JSON pointer of the state to differ between attempts, such as `/token` for a token that each
    /// attempt creates and that is used only after the handler has succeeded.
    pub fn may_differ(mut self, pointer: &str) -> Self {
        self.may_differ.push(pointer.to_owned());
        self
    }

    /// Sets the maximum time for one operation. Default: 1 min.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Sets the function that counts the resources of the service, such as databases, files and users. Without it, leaked
    /// resources go unnoticed.
    pub fn left(mut self, count: impl Fn() -> usize + Send + Sync + 'static) -> Self {
        self.left = Some(Arc::new(count));
        self
    }

    /// Runs the replay.
    ///
    /// # Panics
    ///
    /// If a handler is not idempotent, naming the handler, the point of the interruption, and a remedy; if an undisturbed
    /// run fails; or if the plan is not in the catalog, or no values are found for its required parameters.
    pub async fn run(self) {
        let mut plans = Vec::new();
        for offering in B::OFFERINGS {
            for plan in offering.plans {
                let chosen = self.only.as_ref().map_or(!plan.spec.retired, |(service, name)| {
                    [offering.name, offering.id].contains(&service.as_str())
                        && [plan.spec.name, plan.spec.id].contains(&name.as_str())
                });
                if chosen {
                    plans.push((*offering, plan));
                }
            }
        }
        if let (Some((service, plan)), true) = (&self.only, plans.is_empty()) {
            panic!("the catalog has no plan {plan:?} of a service {service:?}");
        }
        let mut findings = Vec::new();
        for (offering, plan) in plans {
            for steps in self.scripts(offering, plan) {
                let script = Script { replay: &self, offering, plan, steps: Arc::new(steps) };
                findings.extend(script.play().await);
            }
        }
        let (number, shown) = (findings.len(), findings.len().min(MOST_FINDINGS));
        if number > 0 {
            let more = if number > shown { format!("\n\nand {} more", number - shown) } else { String::new() };
            let list = findings[..shown].iter().map(ToString::to_string).collect::<Vec<_>>().join("\n\n");
            panic!("some handlers are not idempotent\n\n{list}{more}");
        }
    }

    fn scripts(&self, offering: &Offering, plan: &'static PlanInfo) -> Vec<Vec<Step>> {
        let name = format!("{}/{}", offering.name, plan.spec.name);
        let given = |given: &Option<Value>, found: Option<Value>, method: &str| match given.clone().or(found) {
            Some(parameters) => parameters,
            None => panic!(
                "no parameters were found for plan `{name}`\n  help: set them with `.{method}(json!({{ ... }}))`, or \
                 add examples to the required ones"
            ),
        };
        let new = given(&self.parameters, samples::create(plan.create.as_ref()), "parameters");
        let mut steps = vec![Step::Provision(new.clone())];
        if plan.spec.bindable {
            let bind = given(&self.bind, samples::create(plan.bind.as_ref()), "bind");
            steps.push(Step::Bind { binding: FIRST, parameters: bind });
        }
        if let (Some(update), Some(create)) = (&plan.update, &plan.create) {
            steps.push(Step::Update(given(&self.update, samples::update(update, create, &new), "update")));
        }
        if plan.spec.bindable {
            let rotations = if plan.spec.rotatable { vec![Step::Rotate, Step::Unbind(SECOND)] } else { Vec::new() };
            steps.extend(rotations.into_iter().chain([Step::Unbind(FIRST)]));
        }
        steps.push(Step::Deprovision);
        let targets = offering.changes.iter().filter(|change| change.from == plan.spec.id).map(|change| change.to);
        let changes = targets.map(|to| vec![Step::Provision(new.clone()), Step::ChangePlan(to), Step::Deprovision]);
        [steps].into_iter().chain(changes).collect()
    }
}

impl<B: Broker> fmt::Debug for Replay<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay").field("only", &self.only).finish_non_exhaustive()
    }
}

const INSTANCE: &str = "replayed";
const FIRST: &str = "first";
const SECOND: &str = "second";

/// A request of the platform.
#[derive(Debug, Clone)]
enum Step {
    Provision(Value),
    Bind { binding: &'static str, parameters: Value },
    Update(Value),
    ChangePlan(&'static str),
    Rotate,
    Unbind(&'static str),
    Deprovision,
}

impl Step {
    fn handler(&self) -> &'static str {
        match self {
            Self::Provision(_) => "provision",
            Self::Bind { .. } => "bind",
            Self::Rotate => "bind (a rotation)",
            Self::Update(_) => "update",
            Self::ChangePlan(_) => "change_plan",
            Self::Unbind(_) => "unbind",
            Self::Deprovision => "deprovision",
        }
    }

    /// Returns the key of the record that the step is about.
    fn key(&self) -> Key {
        let binding = match self {
            Self::Bind { binding, .. } | Self::Unbind(binding) => Some(BindingId::from(*binding)),
            Self::Rotate => Some(BindingId::from(SECOND)),
            _ => None,
        };
        Key { tenant: Tenant::default(), instance: InstanceId::from(INSTANCE), binding }
    }

    fn creates(&self) -> bool {
        matches!(self, Self::Provision(_) | Self::Bind { .. } | Self::Rotate)
    }

    async fn ask(&self, platform: &Client, service: &str, plan: &str) -> Answer {
        match self {
            Self::Provision(parameters) => platform.provision(INSTANCE, service, plan, parameters.clone()).await,
            Self::Bind { binding, parameters } => platform.bind(INSTANCE, binding, parameters.clone()).await,
            Self::Rotate => {
                let path =
                    format!("/v2/service_instances/{INSTANCE}/service_bindings/{SECOND}?accepts_incomplete=true");
                platform.request("PUT", &path, Some(json!({ "predecessor_binding_id": FIRST }))).await
            }
            Self::Update(parameters) => platform.update(INSTANCE, parameters.clone()).await,
            Self::ChangePlan(to) => platform.change_plan(INSTANCE, to, ()).await,
            Self::Unbind(binding) => platform.unbind(INSTANCE, binding).await,
            Self::Deprovision => platform.deprovision(INSTANCE).await,
        }
    }
}

/// A violation, and its remedy.
struct Finding {
    plan: String,
    handler: &'static str,
    point: String,
    what: String,
    help: &'static str,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { plan, handler, point, what, help } = self;
        write!(f, "`{handler}` of plan `{plan}`, {point}: {what}\n  help: {help}")
    }
}

const FAILS_AGAIN: &str = "resources of the first attempt may already exist, or be deleted: continue from \
                           `operation.checkpointed()`, and treat `already exists` and `not found` as success";
const DIFFERS: &str = "derive names of resources from the id of the instance or binding or from \
                       `operation.id()`, or save them with `operation.checkpoint` before the resource is created and \
                       continue from `operation.checkpointed()`; values that may differ can be named with `may_differ`";
const LEFT: &str = "save the name of a resource with `operation.checkpoint` before it is created, or derive it from the id of \
                    the instance or binding; the state may be missing when the resource is deleted";

/// The observed effects of one step.
#[derive(Debug, Clone, Default)]
struct Observation {
    checkpoints: usize,
    /// The recorded instance and its bindings after the step.
    result: Value,
    /// The number of resources, compared to that before the first step.
    left: Option<isize>,
}

struct Script<'a, B: Broker> {
    replay: &'a Replay<B>,
    offering: &'static Offering,
    plan: &'static PlanInfo,
    steps: Arc<Vec<Step>>,
}

/// The records and the operations of one run.
#[derive(Clone)]
struct Run {
    records: Records,
    operations: Operations,
    count: Option<Arc<dyn Fn() -> usize + Send + Sync>>,
    before: usize,
    patience: Duration,
}

/// The ids of the operations, in the order of their start.
#[derive(Clone, Default)]
struct Operations(Arc<Mutex<Vec<String>>>);

impl Audit for Operations {
    fn record(&self, event: &Event) {
        let mut operations = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !operations.contains(&event.operation) {
            operations.push(event.operation.clone());
        }
    }
}

/// The outcome of a simulated process.
enum End<T> {
    Died,
    Done(T),
}

impl<B: Broker> Script<'_, B> {
    async fn play(&self) -> Vec<Finding> {
        let (one, other) = (self.undisturbed().await, self.undisturbed().await);
        let mut findings = Vec::new();
        let changes = self.steps.iter().any(|step| matches!(step, Step::ChangePlan(_)));
        for (index, step) in self.steps.iter().enumerate() {
            // The other steps of this script are covered by the main script.
            if changes && !matches!(step, Step::ChangePlan(_)) {
                continue;
            }
            let number = one[index].checkpoints;
            let tried = (1..=number).filter(|n| {
                number <= MOST_CHECKPOINTS || *n <= MOST_CHECKPOINTS / 2 || number - n < MOST_CHECKPOINTS / 2
            });
            let points = tried.flat_map(|n| [Point::Before(n), Point::After(n)]).chain([Point::Returned]);
            for point in points {
                let found = self.resumed(index, point, [&one, &other]).await;
                let found = match found {
                    None if step.creates() => self.rolled_back(index, point, &one).await,
                    found => found,
                };
                findings.extend(found.map(|(what, help)| Finding {
                    plan: format!("{}/{}", self.offering.name, self.plan.spec.name),
                    handler: step.handler(),
                    point: describe(point),
                    what,
                    help,
                }));
            }
        }
        findings
    }

    fn new_run(&self) -> Run {
        let count = self.replay.left.clone();
        let before = count.as_ref().map_or(0, |count| count());
        let patience = self.replay.patience;
        Run { records: Records::in_memory(), operations: Operations::default(), count, before, patience }
    }

    /// Runs all steps in one process without interruption.
    async fn undisturbed(&self) -> Vec<Observation> {
        let (run, steps, name) = (self.new_run(), Arc::clone(&self.steps), self.plan.spec.name);
        let service = self.offering.name;
        let in_process = run.clone();
        let seen = self.process(&run, move |platform, interrupter| async move {
            let mut seen = Vec::new();
            for step in steps.iter() {
                interrupter.arm(None);
                in_process.step(step, &platform, service, name, &interrupter).await;
                seen.push(in_process.observe(&interrupter).await);
            }
            seen
        });
        match seen.await {
            End::Done(seen) => seen,
            End::Died => panic!("the process ended without an interruption"),
        }
    }

    /// Runs the steps up to `index` in a process that crashes at `point` of the last one. Returns the state that its
    /// handler had returned, if it had, or `None` if the process did not reach the point.
    async fn interrupted(&self, run: &Run, index: usize, point: Point) -> Option<Option<Value>> {
        let (steps, name, service) = (Arc::clone(&self.steps), self.plan.spec.name, self.offering.name);
        let in_process = run.clone();
        let returned = Arc::new(Mutex::new(None));
        let saved = Arc::clone(&returned);
        let end = self.process(run, move |platform, interrupter| async move {
            for step in &steps[..index] {
                interrupter.arm(None);
                in_process.step(step, &platform, service, name, &interrupter).await;
            }
            interrupter.arm(Some(point));
            tokio::select! {
                () = interrupter.reached.notified() => {
                    *saved.lock().unwrap_or_else(PoisonError::into_inner) = interrupter.state();
                    true
                }
                () = in_process.step(&steps[index], &platform, service, name, &interrupter) => false,
            }
        });
        match end.await {
            End::Done(true) => Some(returned.lock().unwrap_or_else(PoisonError::into_inner).take()),
            End::Done(false) | End::Died => None,
        }
    }

    /// Interrupts the handler, and lets another process finish the operation. Returns a violation and its remedy.
    async fn resumed(
        &self,
        index: usize,
        point: Point,
        [one, other]: [&Vec<Observation>; 2],
    ) -> Option<(String, &'static str)> {
        let (run, step) = (self.new_run(), self.steps[index].clone());
        let returned = self.interrupted(&run, index, point).await?;
        run.expire(&step.key(), true).await;
        let (in_process, taken) = (run.clone(), step.clone());
        let seen = self.process(&run, move |_, interrupter| async move {
            let failure = in_process.finished(&taken.key(), &interrupter).await;
            (failure, in_process.observe(&interrupter).await, in_process.state(&taken.key()).await)
        });
        let End::Done((failure, seen, state)) = seen.await else {
            return Some(("the second process ended early".to_owned(), FAILS_AGAIN));
        };
        let removed = self.removed(&run).await;
        if let Some(failure) = failure {
            return Some((format!("the second attempt failed: {failure}"), FAILS_AGAIN));
        }
        if let (Some(first), false) = (returned, matches!(step, Step::Unbind(_) | Step::Deprovision))
            && let Some(difference) = exactly(&first, &state, &self.replay.may_differ)
        {
            return Some((
                format!("the second attempt returned a different state than the first: {difference}"),
                DIFFERS,
            ));
        }
        if let Some(difference) = compare(&one[index].result, &other[index].result, &seen.result) {
            return Some((format!("the result differs from an undisturbed run: {difference}"), DIFFERS));
        }
        if let (Some(expected), Some(left)) = (one[index].left, seen.left)
            && expected != left
        {
            return Some((format!("the number of resources is {left}, but {expected} in an undisturbed run"), LEFT));
        }
        removed.map(|problem| (problem, LEFT))
    }

    /// Interrupts the handler, and lets another process roll back, as if the platform had seen an error.
    async fn rolled_back(&self, index: usize, point: Point, one: &[Observation]) -> Option<(String, &'static str)> {
        let (run, step) = (self.new_run(), self.steps[index].clone());
        self.interrupted(&run, index, point).await?;
        run.expire(&step.key(), false).await;
        let in_process = run.clone();
        let seen = self.process(&run, move |_, interrupter| async move {
            in_process.finished(&step.key(), &interrupter).await;
            let gone = in_process.record(&step.key()).await.get("tombstone").is_some();
            let seen = in_process.observe(&interrupter).await;
            (gone, interrupter.error(), seen.left)
        });
        let End::Done((gone, why, left)) = seen.await else {
            return Some(("the second process ended early".to_owned(), LEFT));
        };
        let removed = self.removed(&run).await;
        if !gone {
            let why = why.unwrap_or_default();
            return Some((format!("the rollback failed: {why}"), LEFT));
        }
        let expected = index.checked_sub(1).map_or(Some(0), |before| one[before].left);
        if let (Some(expected), Some(left)) = (expected, left)
            && expected != left
        {
            return Some((format!("the rollback left {} resources behind", left - expected), LEFT));
        }
        removed.map(|problem| (problem, LEFT))
    }

    /// Deletes everything. Returns a message if that fails, or leaves resources behind.
    async fn removed(&self, run: &Run) -> Option<String> {
        let in_process = run.clone();
        let (name, service) = (self.plan.spec.name, self.offering.name);
        let left = self.process(run, move |platform, interrupter| async move {
            for step in [Step::Unbind(SECOND), Step::Unbind(FIRST), Step::Deprovision] {
                interrupter.arm(None);
                let answer = step.ask(&platform, service, name).await;
                if let Some(failure) = in_process.ended(answer, &step.key(), &interrupter).await {
                    return Some(format!("`{}` failed afterwards: {failure}", step.handler()));
                }
            }
            let left = in_process.observe(&interrupter).await.left.filter(|left| *left != 0);
            left.map(|left| format!("{left} resources are left after everything was deleted"))
        });
        match left.await {
            End::Done(left) => left,
            End::Died => Some("the process that deletes everything ended early".to_owned()),
        }
    }

    /// Simulates a process of the broker by a thread with its own runtime, which ends with `work`.
    async fn process<T, F>(
        &self,
        run: &Run,
        work: impl FnOnce(Arc<Client>, Arc<Interrupter>) -> F + Send + 'static,
    ) -> End<T>
    where
        T: Send + 'static,
        F: Future<Output = T>,
    {
        let (make, mut settings) = (Arc::clone(&self.replay.make), run.settings());
        let (send, result) = tokio::sync::oneshot::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.expect("a runtime");
            let done = runtime.block_on(async {
                let interrupter = Arc::new(Interrupter::default());
                settings.probe = Some(interrupter.clone());
                let platform = Arc::new(Client::with(make().await, settings).await);
                // The second reference keeps the broker running until the process ends.
                work(Arc::clone(&platform), interrupter).await
            });
            // Drops all running futures at their current await.
            runtime.shutdown_background();
            _ = send.send(done);
        });
        match result.await {
            Ok(done) => End::Done(done),
            Err(_) => match thread.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => End::Died,
            },
        }
    }
}

impl Run {
    fn settings(&self) -> Settings {
        let mut retries = RetryPolicy::default();
        (retries.initial_delay, retries.max_delay) = (Duration::from_millis(1), Duration::from_millis(20));
        let mut settings = Settings::default();
        settings.store = self.records.clone();
        settings.audit = Some(Arc::new(self.operations.clone()));
        (settings.retry, settings.max_operation_time) = (retries, self.patience);
        settings
    }

    /// The record as JSON; `null` if there is none.
    async fn record(&self, key: &Key) -> Value {
        let mut seen = Value::Null;
        let mut see = |record: Option<&Record>| seen = serde_json::to_value(record).expect("records are JSON");
        self.records.store().read(key, &mut see).await.expect("records in memory can be read");
        seen
    }

    /// Expires the lease, so that another process takes over the operation.
    async fn expire(&self, key: &Key, accepted: bool) {
        let mut expire = |records: &mut [Option<Record>]| {
            let mut json = serde_json::to_value(&*records).expect("records are JSON");
            let found = json[0].as_object_mut().and_then(|record| record.values_mut().next());
            if let Some(operation) = found.and_then(|found| found.pointer_mut("/status/operation")) {
                operation["lease"] = 0.into();
                operation["accepted"] = accepted.into();
                records[0] = serde_json::from_value(json[0].take()).expect("it is a record still");
            }
        };
        let keys = std::slice::from_ref(key);
        self.records.store().transact(keys, &mut expire).await.expect("records in memory can be written");
    }

    /// Runs a step, which has to succeed.
    async fn step(&self, step: &Step, platform: &Client, service: &str, plan: &str, interrupter: &Interrupter) {
        let answer = step.ask(platform, service, plan).await;
        if let Some(failure) = self.ended(answer, &step.key(), interrupter).await {
            panic!("`{}` of plan `{service}/{plan}` fails even without interruption: {failure}", step.handler());
        }
    }

    /// Waits for the end of a requested operation. Returns the reason if it failed.
    async fn ended(&self, answer: Answer, key: &Key, interrupter: &Interrupter) -> Option<String> {
        match answer.status.as_u16() {
            200 | 201 | 410 => None,
            202 => self.finished(key, interrupter).await,
            // A binding that was never created need not be deleted.
            404 if key.binding.is_some() => None,
            status => Some(interrupter.error().unwrap_or_else(|| format!("{status} {}", answer.body))),
        }
    }

    /// Waits for the end of the latest operation. Returns the reason if it failed.
    async fn finished(&self, key: &Key, interrupter: &Interrupter) -> Option<String> {
        let end = Instant::now() + self.patience;
        while Instant::now() < end {
            let record = self.record(key).await;
            let ended = match record.get("tombstone") {
                Some(tombstone) => Some(&tombstone["f"]),
                None => {
                    content(&record).and_then(|found| found.pointer("/status/operation/end")).map(|end| &end["failure"])
                }
            };
            match ended.map(|failure| failure["description"].as_str()) {
                None => sleep(Duration::from_millis(2)).await,
                Some(None) => return None,
                Some(Some(description)) => return Some(interrupter.error().unwrap_or_else(|| description.to_owned())),
            }
        }
        Some(format!("the operation did not finish within {:?}", self.patience))
    }

    async fn state(&self, key: &Key) -> Value {
        content(&self.record(key).await).map(|found| found["state"]["value"].clone()).unwrap_or_default()
    }

    /// Summarizes the records. There is one instance.
    async fn summary(&self) -> Value {
        let records = self.records.store().list(None, usize::MAX).await.expect("records in memory can be read");
        let json = records.iter().map(|(key, record)| {
            let record = serde_json::to_value(record).expect("records are JSON");
            (key.binding.clone(), content(&record).cloned())
        });
        let (bindings, instance): (Vec<_>, Vec<_>) = json.partition(|(binding, _)| binding.is_some());
        let bindings = bindings.into_iter().filter_map(|(id, binding)| Some((id?.to_string(), binding?)));
        let instance = instance.into_iter().find_map(|(_, instance)| instance);
        summary(instance.as_ref(), &bindings.collect::<Vec<_>>())
    }

    async fn observe(&self, interrupter: &Interrupter) -> Observation {
        let result = self.summary().await;
        let mut text = result.to_string();
        let operations = self.operations.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for (number, operation) in operations.iter().enumerate() {
            text = text.replace(operation, &format!("<operation {}>", number + 1));
        }
        let now = self.count.as_ref().map(|count| count().cast_signed() - self.before.cast_signed());
        Observation {
            checkpoints: interrupter.checkpoints(),
            result: osb_runtime::json::from_str(&text).unwrap_or(result),
            left: now,
        }
    }
}

/// The content of a record of an instance or a binding that exists.
fn content(record: &Value) -> Option<&Value> {
    record.get("instance").or_else(|| record.get("binding"))
}

/// Summarizes the records of an instance and its bindings.
fn summary(instance: Option<&Value>, bindings: &[(String, Value)]) -> Value {
    let Some(instance) = instance else { return Value::Null };
    let bindings: Map<String, Value> = bindings
        .iter()
        .map(|(id, binding)| (id.clone(), json!({ "state": binding["state"]["value"], "output": binding["output"] })))
        .collect();
    json!({
        "plan_id": instance["plan_id"],
        "parameters": instance["parameters"],
        "state": instance["state"]["value"],
        "dashboard_url": instance["extras"]["dashboard_url"],
        "labels": instance["extras"]["labels"],
        "attributes": instance["extras"]["attributes"],
        "bindings": bindings,
    })
}

fn describe(point: Point) -> String {
    match point {
        Point::Before(number) => format!("interrupted before checkpoint {number}"),
        Point::After(number) => format!("interrupted after checkpoint {number}"),
        Point::Returned => "interrupted after it had returned".to_owned(),
    }
}
