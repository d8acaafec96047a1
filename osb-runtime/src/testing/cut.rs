//! A broker whose process can be made to die at a certain point of a handler.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::{
    catalog::Offering,
    lifecycle::with_sources,
    protocol::Tenant,
    service::{
        BindCall, Broker, ChangeCall, Common, Failure, Handler, Journal, MadeBinding, MadeInstance, MountedPlan,
        ProvisionCall, RemoveCall, Saved, Saving, UnbindCall, UpdateCall, UpdatedInstance, WorkHandle,
    },
};

/// Where a process dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Point {
    /// Before the checkpoint of this number, from 1, is saved.
    Before(usize),
    /// After it is.
    After(usize),
    /// When the handler has returned, and nobody knows of it yet.
    Returned,
}

/// What handlers have done.
#[derive(Default)]
struct Seen {
    started: usize,
    ended: usize,
    state: Option<Value>,
    error: Option<String>,
}

/// Makes a process die, and sees what its handlers do before.
#[derive(Default)]
pub(super) struct Cutter {
    point: Mutex<Option<Point>>,
    checkpoints: AtomicUsize,
    seen: Mutex<Seen>,
    /// The point has been reached, and nothing goes on.
    pub(super) reached: Notify,
}

impl Cutter {
    /// From now on the process dies at this point, if it comes to it; counting starts again.
    pub(super) fn arm(&self, point: Option<Point>) {
        *self.point.lock().unwrap_or_else(PoisonError::into_inner) = point;
        self.checkpoints.store(0, Ordering::SeqCst);
        *self.seen() = Seen::default();
    }

    /// How many checkpoints there were since.
    pub(super) fn checkpoints(&self) -> usize {
        self.checkpoints.load(Ordering::SeqCst)
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state that a handler has returned since.
    pub(super) fn state(&self) -> Option<Value> {
        self.seen().state.clone()
    }

    /// Why a handler has failed since; nothing if that is not known here.
    pub(super) fn error(&self) -> Option<String> {
        let seen = self.seen();
        let silent = "the handler did not return; if it panicked, the log has it";
        seen.error.clone().or_else(|| (seen.started > seen.ended).then(|| silent.to_owned()))
    }

    async fn pass(&self, point: Point) {
        if *self.point.lock().unwrap_or_else(PoisonError::into_inner) == Some(point) {
            self.reached.notify_one();
            std::future::pending::<()>().await;
        }
    }
}

/// Counts the checkpoints on their way to where they belong.
struct Counted {
    work: Arc<WorkHandle>,
    cutter: Arc<Cutter>,
}

impl Journal for Counted {
    fn save(&self, state: Saved) -> Saving<'_> {
        Box::pin(async move {
            let number = self.cutter.checkpoints.fetch_add(1, Ordering::SeqCst) + 1;
            self.cutter.pass(Point::Before(number)).await;
            let saved = self.work.journal.save(state).await;
            self.cutter.pass(Point::After(number)).await;
            saved
        })
    }
}

/// A broker in such a process.
pub(super) struct Mortal<B> {
    pub(super) broker: Arc<B>,
    pub(super) cutter: Arc<Cutter>,
}

impl<B: Broker> Broker for Mortal<B> {
    const OFFERINGS: &'static [&'static Offering] = B::OFFERINGS;
    const CATALOG: &'static [u8] = B::CATALOG;
    const DYNAMIC: bool = B::DYNAMIC;

    fn mount(self: Arc<Self>) -> Vec<Vec<Arc<dyn MountedPlan>>> {
        let mortal = |plan| Arc::new(MortalPlan { plan, cutter: Arc::clone(&self.cutter) }) as Arc<dyn MountedPlan>;
        let services = Arc::clone(&self.broker).mount().into_iter();
        services.map(|plans| plans.into_iter().map(mortal).collect()).collect()
    }
}

struct MortalPlan {
    plan: Arc<dyn MountedPlan>,
    cutter: Arc<Cutter>,
}

impl MortalPlan {
    fn count(&self, common: &mut Common) {
        let journal = Counted { work: Arc::clone(&common.work), cutter: Arc::clone(&self.cutter) };
        common.work = common.work.with_journal(journal);
    }

    fn watch<T: Send + 'static>(&self, handler: Handler<'static, T>, state: fn(&T) -> Value) -> Handler<'static, T> {
        let cutter = Arc::clone(&self.cutter);
        Box::pin(async move {
            cutter.seen().started += 1;
            let ended = handler.await;
            {
                let mut seen = cutter.seen();
                seen.ended += 1;
                match &ended {
                    Ok(made) => seen.state = Some(state(made)),
                    Err(failure) => seen.error = Some(in_words(failure)),
                }
            }
            if ended.is_ok() {
                cutter.pass(Point::Returned).await;
            }
            ended
        })
    }
}

fn instance_state(made: &MadeInstance) -> Value {
    made.state.value.clone()
}

impl MountedPlan for MortalPlan {
    fn dashboard_url(&self, tenant: &Tenant, instance: &str) -> Option<String> {
        self.plan.dashboard_url(tenant, instance)
    }

    fn provision(&self, mut call: ProvisionCall) -> Handler<'static, MadeInstance> {
        self.count(&mut call.common);
        self.watch(self.plan.provision(call), instance_state)
    }

    fn deprovision(&self, mut call: RemoveCall) -> Handler<'static, ()> {
        self.count(&mut call.common);
        self.watch(self.plan.deprovision(call), |()| json!(null))
    }

    fn update(&self, mut call: UpdateCall) -> Option<Handler<'static, UpdatedInstance>> {
        self.count(&mut call.common);
        Some(self.watch(self.plan.update(call)?, instance_state))
    }

    fn change_plan(&self, to: &str, mut call: ChangeCall) -> Option<Handler<'static, UpdatedInstance>> {
        self.count(&mut call.common);
        Some(self.watch(self.plan.change_plan(to, call)?, instance_state))
    }

    fn bind(&self, mut call: BindCall) -> Option<Handler<'static, MadeBinding>> {
        self.count(&mut call.common);
        Some(self.watch(self.plan.bind(call)?, |made| made.state.value.clone()))
    }

    fn unbind(&self, mut call: UnbindCall) -> Option<Handler<'static, ()>> {
        self.count(&mut call.common);
        Some(self.watch(self.plan.unbind(call)?, |()| json!(null)))
    }
}

fn in_words(failure: &Failure) -> String {
    match failure {
        Failure::Refused(refusal) => format!("it was refused: {}", refusal.description),
        Failure::Unexpected(error) | Failure::Temporary(error) => with_sources(error.as_ref()),
    }
}
