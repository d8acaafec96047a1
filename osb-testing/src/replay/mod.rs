//! Replays every handler as after a crash, to test that it is idempotent.

mod plan;
mod run;
mod script;
mod step;

use std::{collections::BTreeSet, fmt, future::Future, sync::Arc, time::Duration};

use serde_json::Value;

use self::{plan::scripts, script::Script, step::HANDLERS};
use super::{Client, IntoGiven, Pending};
use osb_runtime::{
    catalog::{Offering, Overrides, PlanInfo},
    lifecycle::Settings,
    service::Broker,
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
pub fn assert_idempotent<B, F>(make: impl BrokerClosure<F> + Send + Sync + 'static) -> Pending<'static, ()>
where
    B: Broker,
    F: MakeBroker<Output = B> + 'static,
{
    Replay::of(make).run()
}

/// Replays the lifecycle of an instance many times: provision, bind, update, rotate, unbind, deprovision, maintenance, and every
/// change of plan, with and without parameters, as far as the plan supports them. In each run the broker's process crashes at a
/// different point, and another process takes over and calls the handler again, with the next attempt number and the last
/// checkpoint.
///
/// The points are
///
/// * right before and right after each [`checkpoint`](osb_runtime::service::Operation::checkpoint) is saved;
/// * between them, each place where the handler waits for something (an `.await` that is not ready), up to 6 of them;
/// * after the handler has returned, and before its result is recorded.
///
/// The assertions are that
///
/// * the second attempt succeeds;
/// * its results (state, dashboard, labels, credentials) equal those of an undisturbed run. Values that differ between two
///   undisturbed runs, such as passwords, may differ, and so may operation ids;
/// * if the first attempt had returned, the second one returns the same state;
/// * there are as many resources as after an undisturbed run, and none after the deletion, if [`left`](Self::left) lists them;
/// * a provision or bind that is rolled back, because its platform has seen an error, leaves nothing behind;
/// * nor does an instance that is deleted after an update, a maintenance or a change of plan has failed, whose last checkpoint is then
///   the state or the [`unfinished_change`](osb_runtime::service::DeprovisionRequest::unfinished_change).
///
/// The real runtime calls the handlers, with records in memory. Each process is simulated by a thread with its own tokio
/// runtime, whose futures are dropped at the crash, and a new broker. Resources that outlive a process, such as a database
/// or a directory, have to be created outside of `make` and shared by all brokers. A paused clock of tokio has no effect on these
/// runtimes: handlers take their real time.
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
///     .left(async move || taken.lock().unwrap().clone())
///     .run()
///     .await;
/// # });
/// ```
#[must_use = "call `run` to start the replay"]
pub struct Replay {
    offerings: &'static [&'static Offering],
    start: Start,
    only: Option<(String, String)>,
    handlers: Vec<String>,
    parameters: Option<Value>,
    update: Option<Value>,
    bind: Option<Value>,
    changes: Vec<(String, Value)>,
    without: Vec<[String; 2]>,
    may_differ: Vec<String>,
    patience: Duration,
    left: Option<Left>,
    overrides: Overrides,
}

/// The future of a broker, which an async closure returns. Every future is one; the trait exists for the compiler's message about a
/// closure without `async`.
#[diagnostic::on_unimplemented(
    message = "expected an async closure that makes a broker",
    label = "its closure returns `{Self}`",
    note = "write `async || ...`: each simulated process makes a broker of its own"
)]
pub trait MakeBroker: Future {}

#[diagnostic::do_not_recommend]
impl<F: Future> MakeBroker for F {}

/// A closure that makes brokers. Every one without arguments is one; the trait exists for the compiler's message about other values.
#[diagnostic::on_unimplemented(
    message = "expected an async closure that makes a broker, found `{Self}`",
    label = "not a closure",
    note = "write `async || ...`: each simulated process makes a broker of its own"
)]
pub trait BrokerClosure<F>: Fn() -> F {}

#[diagnostic::do_not_recommend]
impl<F, M: Fn() -> F> BrokerClosure<F> for M {}

/// An async closure that lists resources. Every one without arguments is one; the trait exists for the compiler's message about
/// other values.
#[diagnostic::on_unimplemented(
    message = "expected an async closure that lists the resources",
    label = "not an async closure",
    note = "write `async || ...` or `async move || ...`, which returns their names as they are then"
)]
pub trait ListResources<I>: AsyncFn() -> I {}

#[diagnostic::do_not_recommend]
impl<I, F: AsyncFn() -> I> ListResources<I> for F {}

/// The names of resources. Every collection of texts has them; the trait exists for the compiler's message about other types.
#[diagnostic::on_unimplemented(
    message = "expected a list of names, found `{Self}`",
    label = "the closure returns `{Self}`",
    note = "return a collection of texts, such as `Vec<String>`, which doesn't borrow them: `names.lock().unwrap().clone()`"
)]
pub trait ResourceNames: IntoIterator<Item: Into<String>> {}

#[diagnostic::do_not_recommend]
impl<I: IntoIterator<Item: Into<String>>> ResourceNames for I {}

type Local<T> = std::pin::Pin<Box<dyn Future<Output = T>>>;

/// Makes a broker, and starts it with these settings.
type Start = Arc<dyn Fn(Settings) -> Local<Client> + Send + Sync>;

/// Lists the existing resources.
type Left = Arc<dyn Fn() -> Local<BTreeSet<String>> + Send + Sync>;

/// If a handler has more checkpoints, only the first and the last of them are tried, this many in total.
const MOST_CHECKPOINTS: usize = 16;

/// If a handler waits more often, this many of these points are tried, at the same distance.
const MOST_WAITS: usize = 6;

/// The maximum number of findings in the message.
const MOST_FINDINGS: usize = 12;

impl Replay {
    /// Replays the handlers of a broker. `make` is called once for each simulated process.
    pub fn of<B, F>(make: impl BrokerClosure<F> + Send + Sync + 'static) -> Self
    where
        B: Broker,
        F: MakeBroker<Output = B> + 'static,
    {
        Self {
            offerings: B::OFFERINGS,
            start: Arc::new(move |settings| {
                let broker = make();
                Box::pin(async move { Client::with(broker.await, settings).await })
            }),
            only: None,
            handlers: Vec::new(),
            parameters: None,
            update: None,
            bind: None,
            changes: Vec::new(),
            without: Vec::new(),
            may_differ: Vec::new(),
            patience: Duration::from_mins(1),
            left: None,
            overrides: Overrides::default(),
        }
    }

    /// Replays only this plan, given by names or ids. Default: all plans that are not retired.
    pub fn plan(mut self, service: &str, plan: &str) -> Self {
        self.only = Some((service.to_owned(), plan.to_owned()));
        self
    }

    /// Interrupts only this handler, such as `bind`, and those of further calls. Default: all. Several tests can divide a slow
    /// replay, each with a backend of its own.
    ///
    /// # Panics
    ///
    /// If there is no such handler; and [`run`](Self::run) panics if no plan calls it.
    #[track_caller]
    pub fn handler(mut self, name: &str) -> Self {
        assert!(HANDLERS.contains(&name), "there is no handler {name:?}; they are {}", HANDLERS.join(", "));
        self.handlers.push(name.to_owned());
        self
    }

    /// Sets the parameters of the provision; `()` stands for none. Default: the required ones, from examples and bounds of
    /// the schema.
    pub fn parameters(mut self, parameters: impl IntoGiven) -> Self {
        self.parameters = Some(parameters.into().object());
        self
    }

    /// Sets the parameters of the update. Default: a change of the first property for which examples, choices or bounds
    /// provide another value.
    pub fn update(mut self, parameters: impl IntoGiven) -> Self {
        self.update = Some(parameters.into().object());
        self
    }

    /// Sets the parameters of the bind. Default: as for [`parameters`](Self::parameters).
    pub fn bind(mut self, parameters: impl IntoGiven) -> Self {
        self.bind = Some(parameters.into().object());
        self
    }

    /// Sets the parameters of the changes to a plan, by name or id. Default: those that the plan requires and the instance lacks, or
    /// as for [`update`](Self::update), if there is such a change; the plan is also changed without parameters, if it accepts
    /// those of the instance.
    pub fn change_plan(mut self, to: &str, parameters: impl IntoGiven) -> Self {
        self.changes.push((to.to_owned(), parameters.into().object()));
        self
    }

    /// Leaves out the change from one plan to another, by their names or ids, such as one to a smaller plan of a family that the
    /// handler refuses.
    pub fn without_change(mut self, from: &str, to: &str) -> Self {
        self.without.push([from, to].map(str::to_owned));
        self
    }

    /// Allows the value at a JSON pointer of a state, or of the output of a `bind`, to differ between attempts: `/token` for a
    /// token in the state that each attempt creates and that is used only after the handler has succeeded, `/credentials/token`
    /// for one in the credentials, or `/created` for the time, which is the same in two runs within a second.
    ///
    /// # Panics
    ///
    /// If it is not a JSON pointer.
    #[track_caller]
    pub fn may_differ(mut self, pointer: &str) -> Self {
        let is_pointer = pointer.is_empty() || pointer.starts_with('/');
        assert!(is_pointer, "{pointer:?} is not a JSON pointer, which begins with `/`");
        self.may_differ.push(pointer.to_owned());
        self
    }

    /// Sets the catalog overrides of the deployment, with the plans of families. Default: none, so families are not
    /// replayed.
    pub fn overrides(mut self, overrides: Overrides) -> Self {
        self.overrides = overrides;
        self
    }

    /// Sets the maximum time for one operation. Default: 1 min.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Sets the function that lists the resources of the service by name, such as databases, files and users: those that really
    /// exist. Without it, leaked resources go unnoticed.
    pub fn left<I: ResourceNames>(mut self, list: impl ListResources<I> + Send + Sync + 'static) -> Self {
        let list = Arc::new(list);
        self.left = Some(Arc::new(move || {
            let list = Arc::clone(&list);
            Box::pin(async move { list().await.into_iter().map(Into::into).collect() })
        }));
        self
    }

    /// Runs the replay.
    ///
    /// # Panics
    ///
    /// If a handler is not idempotent, naming the handler, the point of the interruption, and a remedy; if an undisturbed
    /// run fails; or if the plan is not in the catalog, the overrides are invalid, or no values are found for its required
    /// parameters.
    pub fn run(self) -> Pending<'static, ()> {
        Box::pin(self.replay())
    }

    async fn replay(self) {
        let plans = self.plans();
        self.check_changes(&plans);
        let mut findings = Vec::new();
        let mut played = Vec::new();
        for (offering, plan) in plans {
            for steps in scripts(&self, offering, plan) {
                played.push(Script { replay: &self, offering, plan, steps: Arc::new(steps) });
            }
        }
        for handler in &self.handlers {
            let is_called = played.iter().any(|script| script.steps.iter().any(|step| step.calls(handler)));
            assert!(is_called, "no request of this replay calls `{handler}`");
        }
        for script in played {
            findings.extend(script.play().await);
        }
        let (number, shown) = (findings.len(), findings.len().min(MOST_FINDINGS));
        if number > 0 {
            let more = if number > shown { format!("\n\nand {} more", number - shown) } else { String::new() };
            let list = findings[..shown].iter().map(ToString::to_string).collect::<Vec<_>>().join("\n\n");
            panic!("some handlers are not idempotent\n\n{list}{more}");
        }
    }

    /// Returns the plans to replay.
    fn plans(&self) -> Vec<(&'static Offering, &'static PlanInfo)> {
        let shown = match self.overrides.apply(self.offerings) {
            Ok(shown) => shown,
            Err(error) => panic!("the overrides are invalid: {error}"),
        };
        let all = shown.offerings.iter().flat_map(|offering| offering.plans.iter().map(move |plan| (*offering, plan)));
        match &self.only {
            None => all.filter(|(_, plan)| !plan.spec.retired).collect(),
            Some((service, name)) => {
                let is_chosen = |(offering, plan): &(&'static Offering, &'static PlanInfo)| {
                    [offering.name, offering.id].contains(&service.as_str()) && is_called(plan, name)
                };
                let plans: Vec<_> = all.filter(is_chosen).collect();
                assert!(!plans.is_empty(), "the catalog has no plan {name:?} of a service {service:?}");
                plans
            }
        }
    }

    /// Panics if the changes that the author has named are not among those of the replayed plans.
    fn check_changes(&self, plans: &[(&Offering, &PlanInfo)]) {
        let leads = |(offering, plan): &(&Offering, &PlanInfo), to: &str| {
            let mut changes = offering.changes.iter().filter(|change| change.from == plan.spec.id);
            changes.any(|change| offering.plan(change.to).is_some_and(|target| is_called(target, to)))
        };
        for (to, _) in &self.changes {
            assert!(plans.iter().any(|plan| leads(plan, to)), "no change of a replayed plan leads to {to:?}");
        }
        for [from, to] in &self.without {
            let is_declared = plans.iter().any(|plan| is_called(plan.1, from) && leads(plan, to));
            assert!(is_declared, "no change of a replayed plan leads from {from:?} to {to:?}");
        }
    }
}

fn is_called(plan: &PlanInfo, name: &str) -> bool {
    [plan.spec.id, plan.spec.name].contains(&name)
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay").field("only", &self.only).finish_non_exhaustive()
    }
}
