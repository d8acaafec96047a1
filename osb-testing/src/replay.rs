//! Every handler run again, as after a crash: a handler runs at least once, and here is where that shows.

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
    cut::{Cutter, Point},
    samples,
};
use osb_runtime::catalog::{Offering, PlanInfo};
use osb_runtime::lifecycle::{Audit, Event, Retries, Settings};
use osb_runtime::protocol::{BindingId, InstanceId, Tenant};
use osb_runtime::service::Broker;
use osb_runtime::store::{Key, Place, Record, Records};

/// Fails unless every handler of every plan can be run again: [`Replay`] with what it finds by itself.
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

/// The life of an instance, played over and over: provision, bind, update, rotate, unbind, deprovision, and every
/// change of plan, as far as a plan has them. Each time the process of the broker dies somewhere else, and another one
/// takes over and calls the handler again, with the next attempt number and the last checkpoint, as after a crash:
///
/// * right before each [`checkpoint`](osb_runtime::service::Work::checkpoint) is saved, and right after;
/// * when the handler has returned, and the result is not known to anybody yet.
///
/// Then it demands that
///
/// * the second attempt succeeds;
/// * what it gives (state, dashboard, labels, credentials) is what an undisturbed run gives. What two undisturbed runs
///   differ in, such as passwords, may differ here too, and ids of operations do;
/// * a second attempt after a first one that had returned gives the same state;
/// * as much is there as after an undisturbed run, and nothing after the deletion, if [`left`](Self::left) can count;
/// * a provision or bind that is not to be finished, because its platform has seen an error, leaves nothing.
///
/// The handlers are called by the real runtime, with records in memory. Each process is a thread with a tokio runtime of
/// its own, which ends as abruptly as a future that is dropped can, and a broker that is made anew: what outlives a
/// process, such as a database or a directory, has to be made before and shared by all of them.
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
/// #     async fn provision(&self, new: New<Small>, _: &Work) -> Result<Provisioned, ProvisionError> {
/// #         self.0.lock().unwrap().insert(new.id().to_owned());
/// #         Ok(Provisioned::new(()))
/// #     }
/// #     async fn deprovision(&self, gone: Remains<Small>, _: &Work) -> Result<(), DeprovisionError> {
/// #         self.0.lock().unwrap().remove(gone.id());
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
#[must_use = "nothing is played before `run`"]
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

/// Of more checkpoints in one handler, only the first and the last half of so many are tried.
const MOST_CHECKPOINTS: usize = 16;

/// Of more findings, only the first are shown.
const MOST_FINDINGS: usize = 12;

impl<B: Broker> Replay<B> {
    /// Replays the handlers of the broker that `make` makes, once for each process.
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

    /// Only this plan, by names or ids. Default: every plan of every service that is not retired.
    pub fn plan(mut self, service: &str, plan: &str) -> Self {
        self.only = Some((service.to_owned(), plan.to_owned()));
        self
    }

    /// The parameters to provision with. Default: the required ones, from the examples and bounds of the schema.
    pub fn parameters(mut self, parameters: Value) -> Self {
        self.parameters = Some(parameters);
        self
    }

    /// The parameters to update with. Default: a change of the first property for which examples, choices or bounds
    /// give another value.
    pub fn update(mut self, parameters: Value) -> Self {
        self.update = Some(parameters);
        self
    }

    /// The parameters to bind with. Default: as for [`parameters`](Self::parameters).
    pub fn bind(mut self, parameters: Value) -> Self {
        self.bind = Some(parameters);
        self
    }

    /// A part of the state, as a JSON pointer, that a second attempt may give another value, such as `/token` for one
    /// that each attempt makes anew and that only counts once the handler has succeeded.
    pub fn may_differ(mut self, pointer: &str) -> Self {
        self.may_differ.push(pointer.to_owned());
        self
    }

    /// How long one operation may take. Default: 1 min.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Counts what the service has really made and not removed: databases, files, users. Without it, what is left
    /// behind goes unnoticed.
    pub fn left(mut self, count: impl Fn() -> usize + Send + Sync + 'static) -> Self {
        self.left = Some(Arc::new(count));
        self
    }

    /// Plays it all.
    ///
    /// # Panics
    ///
    /// If a handler can't be run again, with the handler, where the first attempt was cut, and what to do about it; if
    /// an undisturbed run fails; or if the plan is not in the catalog or has parameters for which nothing can be found.
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
            panic!("not every handler can be run again\n\n{list}{more}");
        }
    }

    fn scripts(&self, offering: &Offering, plan: &'static PlanInfo) -> Vec<Vec<Step>> {
        let name = format!("{}/{}", offering.name, plan.spec.name);
        let given = |given: &Option<Value>, found: Option<Value>, method: &str| match given.clone().or(found) {
            Some(parameters) => parameters,
            None => panic!(
                "no parameters were found for plan `{name}`\n  help: give them with `.{method}(json!({{ ... }}))`, or \
                 give the required ones examples"
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

/// One request of a platform.
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

    fn place(&self) -> Place {
        match self {
            Self::Bind { binding, .. } | Self::Unbind(binding) => Place::Binding(BindingId::from(*binding)),
            Self::Rotate => Place::Binding(BindingId::from(SECOND)),
            _ => Place::Instance,
        }
    }

    fn makes(&self) -> bool {
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

/// What was found, and what to do about it.
struct Finding {
    plan: String,
    handler: &'static str,
    cut: String,
    what: String,
    help: &'static str,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { plan, handler, cut, what, help } = self;
        write!(f, "`{handler}` of plan `{plan}`, {cut}: {what}\n  help: {help}")
    }
}

const FAILS_AGAIN: &str = "a handler runs again with what the first attempt made still there, or gone: begin from \
                           `work.checkpointed()`, and take what exists already, or is removed already, for done";
const DIFFERS: &str = "name what is made after the instance's or binding's id or `work.operation_id()`, or keep its \
                       name with `work.checkpoint` before it is made and begin from `work.checkpointed()`; what may \
                       differ in the state can be named with `may_differ`";
const LEFT: &str = "save with `work.checkpoint` what leads to a thing before it is made, or find it by the id of the \
                    instance or binding; the state may be missing when it is removed";

/// What a run has seen of one step.
#[derive(Debug, Clone, Default)]
struct Seen {
    checkpoints: usize,
    /// The things as they are afterwards.
    picture: Value,
    /// How many more real things there are than before the first step.
    left: Option<isize>,
}

struct Script<'a, B: Broker> {
    replay: &'a Replay<B>,
    offering: &'static Offering,
    plan: &'static PlanInfo,
    steps: Arc<Vec<Step>>,
}

/// The records of one run, and the operations in it.
#[derive(Clone)]
struct Run {
    records: Records,
    operations: Operations,
    count: Option<Arc<dyn Fn() -> usize + Send + Sync>>,
    before: usize,
    patience: Duration,
}

/// The ids of the operations, in the order in which they began.
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

/// How a process ended.
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
            // What leads to a change of plan, and away from it, is tried elsewhere.
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
                    None if step.makes() => self.given_up(index, point, &one).await,
                    found => found,
                };
                findings.extend(found.map(|(what, help)| Finding {
                    plan: format!("{}/{}", self.offering.name, self.plan.spec.name),
                    handler: step.handler(),
                    cut: cut_in_words(point),
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

    /// All steps in one process that lives.
    async fn undisturbed(&self) -> Vec<Seen> {
        let (run, steps, name) = (self.new_run(), Arc::clone(&self.steps), self.plan.spec.name);
        let service = self.offering.name;
        let in_process = run.clone();
        let seen = self.process(&run, move |platform, cutter| async move {
            let mut seen = Vec::new();
            for step in steps.iter() {
                cutter.arm(None);
                in_process.step(step, &platform, service, name, &cutter).await;
                seen.push(in_process.seen(&cutter).await);
            }
            seen
        });
        match seen.await {
            End::Done(seen) => seen,
            End::Died => panic!("a process died that nobody has cut"),
        }
    }

    /// The steps before one, in a process that dies in that one. Returns what its handler had returned, if it had, or
    /// `None` if the process did not come to where it was to die.
    async fn cut(&self, run: &Run, index: usize, point: Point) -> Option<Option<Value>> {
        let (steps, name, service) = (Arc::clone(&self.steps), self.plan.spec.name, self.offering.name);
        let in_process = run.clone();
        let returned = Arc::new(Mutex::new(None));
        let kept = Arc::clone(&returned);
        let end = self.process(run, move |platform, cutter| async move {
            for step in &steps[..index] {
                cutter.arm(None);
                in_process.step(step, &platform, service, name, &cutter).await;
            }
            cutter.arm(Some(point));
            tokio::select! {
                () = cutter.reached.notified() => {
                    *kept.lock().unwrap_or_else(PoisonError::into_inner) = cutter.state();
                    true
                }
                () = in_process.step(&steps[index], &platform, service, name, &cutter) => false,
            }
        });
        match end.await {
            End::Done(true) => Some(returned.lock().unwrap_or_else(PoisonError::into_inner).take()),
            End::Done(false) | End::Died => None,
        }
    }

    /// The handler is cut, and another process has to finish what it began. Returns what is wrong, and what to do.
    async fn resumed(
        &self,
        index: usize,
        point: Point,
        [one, other]: [&Vec<Seen>; 2],
    ) -> Option<(String, &'static str)> {
        let (run, step) = (self.new_run(), self.steps[index].clone());
        let returned = self.cut(&run, index, point).await?;
        run.expire(&step.place(), true).await;
        let (in_process, taken) = (run.clone(), step.clone());
        let seen = self.process(&run, move |_, cutter| async move {
            let failure = in_process.finished(&taken.place(), &cutter).await;
            (failure, in_process.seen(&cutter).await, in_process.state(&taken.place()).await)
        });
        let End::Done((failure, seen, state)) = seen.await else { return Some(("it died".to_owned(), FAILS_AGAIN)) };
        let removed = self.removed(&run).await;
        if let Some(failure) = failure {
            return Some((format!("the second attempt failed: {failure}"), FAILS_AGAIN));
        }
        if let (Some(first), false) = (returned, matches!(step, Step::Unbind(_) | Step::Deprovision))
            && let Some(difference) = exactly(&first, &state, &self.replay.may_differ)
        {
            return Some((format!("the second attempt gives another state than the first: {difference}"), DIFFERS));
        }
        if let Some(difference) = compare(&one[index].picture, &other[index].picture, &seen.picture) {
            return Some((format!("the result is not that of an undisturbed run: {difference}"), DIFFERS));
        }
        if let (Some(expected), Some(left)) = (one[index].left, seen.left)
            && expected != left
        {
            return Some((format!("{left} real things are there where an undisturbed run has {expected}"), LEFT));
        }
        removed.map(|problem| (problem, LEFT))
    }

    /// The handler is cut, and what it made is to be removed, because its platform has seen an error.
    async fn given_up(&self, index: usize, point: Point, one: &[Seen]) -> Option<(String, &'static str)> {
        let (run, step) = (self.new_run(), self.steps[index].clone());
        self.cut(&run, index, point).await?;
        run.expire(&step.place(), false).await;
        let in_process = run.clone();
        let seen = self.process(&run, move |_, cutter| async move {
            in_process.finished(&step.place(), &cutter).await;
            let mut record = in_process.record().await;
            let gone = part(&mut record, &step.place()).is_some_and(|part| part["life"]["phase"] == "gone");
            let seen = in_process.seen(&cutter).await;
            (gone, cutter.error(), seen.left)
        });
        let End::Done((gone, why, left)) = seen.await else { return Some(("it died".to_owned(), LEFT)) };
        let removed = self.removed(&run).await;
        if !gone {
            let why = why.unwrap_or_default();
            return Some((format!("what was to be removed then could not be: {why}"), LEFT));
        }
        let expected = index.checked_sub(1).map_or(Some(0), |before| one[before].left);
        if let (Some(expected), Some(left)) = (expected, left)
            && expected != left
        {
            return Some((format!("it was removed then, and left {} real things behind", left - expected), LEFT));
        }
        removed.map(|problem| (problem, LEFT))
    }

    /// Removes what there is. Returns what is wrong if that does not leave nothing.
    async fn removed(&self, run: &Run) -> Option<String> {
        let in_process = run.clone();
        let (name, service) = (self.plan.spec.name, self.offering.name);
        let left = self.process(run, move |platform, cutter| async move {
            for step in [Step::Unbind(SECOND), Step::Unbind(FIRST), Step::Deprovision] {
                cutter.arm(None);
                let answer = step.ask(&platform, service, name).await;
                if let Some(failure) = in_process.ended(answer, &step.place(), &cutter).await {
                    return Some(format!("`{}` failed afterwards: {failure}", step.handler()));
                }
            }
            let left = in_process.seen(&cutter).await.left.filter(|left| *left != 0);
            left.map(|left| format!("{left} real things are left when everything is deleted"))
        });
        match left.await {
            End::Done(left) => left,
            End::Died => Some("the process that was to remove everything died".to_owned()),
        }
    }

    /// A process of the broker: a thread with a runtime of its own, which ends with `work`.
    async fn process<T, F>(
        &self,
        run: &Run,
        work: impl FnOnce(Arc<Client>, Arc<Cutter>) -> F + Send + 'static,
    ) -> End<T>
    where
        T: Send + 'static,
        F: Future<Output = T>,
    {
        let (make, mut settings) = (Arc::clone(&self.replay.make), run.settings());
        let (tell, told) = tokio::sync::oneshot::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.expect("a process can have a runtime");
            let done = runtime.block_on(async {
                let cutter = Arc::new(Cutter::default());
                settings.probe = Some(cutter.clone());
                let platform = Arc::new(Client::with(make().await, settings).await);
                // The broker lives as long as its process, whether or not it is asked anything.
                work(Arc::clone(&platform), cutter).await
            });
            // Whatever still runs there is dropped where it waits.
            runtime.shutdown_background();
            _ = tell.send(done);
        });
        match told.await {
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
        let mut retries = Retries::default();
        (retries.first, retries.most) = (Duration::from_millis(1), Duration::from_millis(20));
        let mut settings = Settings::default();
        settings.store = self.records.clone();
        settings.audit = Some(Arc::new(self.operations.clone()));
        (settings.retries, settings.longest) = (retries, self.patience);
        settings
    }

    fn key() -> Key {
        Key { tenant: Tenant::default(), instance: InstanceId::from(INSTANCE) }
    }

    /// The record as JSON; `null` if there is none.
    async fn record(&self) -> Value {
        let mut seen = Value::Null;
        let mut see = |record: Option<&Record>| seen = serde_json::to_value(record).expect("records are JSON");
        self.records.store().read(&Self::key(), &mut see).await.expect("records in memory can be read");
        seen
    }

    /// Lets another process take over what this one was working on.
    async fn expire(&self, place: &Place, accepted: bool) {
        let mut expire = |record: &mut Option<Record>| {
            let mut json = serde_json::to_value(&*record).expect("records are JSON");
            if let Some(operation) = part(&mut json, place).and_then(|part| part.pointer_mut("/life/operation")) {
                operation["lease"] = 0.into();
                operation["accepted"] = accepted.into();
                *record = serde_json::from_value(json).expect("it is a record still");
            }
        };
        self.records.store().transact(&Self::key(), &mut expire).await.expect("records in memory can be written");
    }

    /// A step, which has to succeed.
    async fn step(&self, step: &Step, platform: &Client, service: &str, plan: &str, cutter: &Cutter) {
        let answer = step.ask(platform, service, plan).await;
        if let Some(failure) = self.ended(answer, &step.place(), cutter).await {
            panic!("`{}` of plan `{service}/{plan}` fails even undisturbed: {failure}", step.handler());
        }
    }

    /// Waits for the end of what was asked for. Returns why it failed, if it did.
    async fn ended(&self, answer: Answer, place: &Place, cutter: &Cutter) -> Option<String> {
        match answer.status.as_u16() {
            200 | 201 | 410 => None,
            202 => self.finished(place, cutter).await,
            // What was never made can't be removed, and need not be.
            404 if matches!(place, Place::Binding(_)) => None,
            status => Some(cutter.error().unwrap_or_else(|| format!("{status} {}", answer.body))),
        }
    }

    /// Waits for the end of the newest operation. Returns why it failed, if it did.
    async fn finished(&self, place: &Place, cutter: &Cutter) -> Option<String> {
        let end = Instant::now() + self.patience;
        while Instant::now() < end {
            let mut record = self.record().await;
            let end = part(&mut record, place).and_then(|part| part.pointer("/life/operation/end"));
            match end.map(|end| end.pointer("/failure/description").and_then(Value::as_str)) {
                None => sleep(Duration::from_millis(2)).await,
                Some(None) => return None,
                Some(Some(description)) => return Some(cutter.error().unwrap_or_else(|| description.to_owned())),
            }
        }
        Some(format!("it was not done within {:?}", self.patience))
    }

    async fn state(&self, place: &Place) -> Value {
        part(&mut self.record().await, place).map(|part| part["state"]["value"].take()).unwrap_or_default()
    }

    /// How it looks now.
    async fn seen(&self, cutter: &Cutter) -> Seen {
        let picture = picture(&self.record().await);
        let mut text = picture.to_string();
        let operations = self.operations.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for (number, operation) in operations.iter().enumerate() {
            text = text.replace(operation, &format!("<operation {}>", number + 1));
        }
        let now = self.count.as_ref().map(|count| count().cast_signed() - self.before.cast_signed());
        Seen {
            checkpoints: cutter.checkpoints(),
            picture: osb_runtime::json::from_str(&text).unwrap_or(picture),
            left: now,
        }
    }
}

/// The instance in a record, or one of its bindings.
fn part<'a>(record: &'a mut Value, place: &Place) -> Option<&'a mut Value> {
    match place {
        Place::Instance => Some(record).filter(|record| record.is_object()),
        Place::Binding(id) => record.get_mut("bindings")?.get_mut(id.as_str()),
    }
}

/// What an instance and its bindings have come to.
fn picture(record: &Value) -> Value {
    let is_gone = |part: &Value| part["life"]["phase"] == "gone";
    if record.is_null() || is_gone(record) {
        return Value::Null;
    }
    let there = record["bindings"].as_object().into_iter().flatten().filter(|(_, binding)| !is_gone(binding));
    let bindings: Map<String, Value> = there
        .map(|(id, binding)| (id.clone(), json!({ "state": binding["state"]["value"], "gives": binding["output"] })))
        .collect();
    json!({
        "plan_id": record["plan_id"],
        "parameters": record["parameters"],
        "state": record["state"]["value"],
        "dashboard_url": record["extras"]["dashboard_url"],
        "labels": record["extras"]["labels"],
        "attributes": record["extras"]["attributes"],
        "bindings": bindings,
    })
}

fn cut_in_words(point: Point) -> String {
    match point {
        Point::Before(number) => format!("cut before checkpoint {number}"),
        Point::After(number) => format!("cut after checkpoint {number}"),
        Point::Returned => "cut when it had returned".to_owned(),
    }
}
