//! A broker whose handlers can be interrupted at a given point, as if its process crashed there.

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

/// The point at which a handler is interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Point {
    /// Before the checkpoint with this number is saved; the first is 1.
    Before(usize),
    /// After the checkpoint is saved.
    After(usize),
    /// After the handler has returned, and before its result is recorded.
    Returned,
}

/// The calls of handlers, and their last results.
#[derive(Default)]
struct HandlerLog {
    started: usize,
    ended: usize,
    state: Option<Value>,
    error: Option<String>,
}

/// Interrupts a handler at a point, and observes handlers until then.
#[derive(Default)]
pub(super) struct Interrupter {
    point: Mutex<Option<Point>>,
    checkpoints: AtomicUsize,
    log: Mutex<HandlerLog>,
    /// Notified when the point is reached; the handler then never continues.
    pub(super) reached: Notify,
}

impl Interrupter {
    /// Sets the point of the next interruption, and resets the observations.
    pub(super) fn arm(&self, point: Option<Point>) {
        *self.point.lock().unwrap_or_else(PoisonError::into_inner) = point;
        self.checkpoints.store(0, Ordering::SeqCst);
        *self.log() = HandlerLog::default();
    }

    /// Returns the number of checkpoints since [`arm`](Self::arm).
    pub(super) fn checkpoints(&self) -> usize {
        self.checkpoints.load(Ordering::SeqCst)
    }

    fn log(&self) -> MutexGuard<'_, HandlerLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the last state returned by a handler since [`arm`](Self::arm).
    pub(super) fn state(&self) -> Option<Value> {
        self.log().state.clone()
    }

    /// Returns the last error of a handler since [`arm`](Self::arm).
    pub(super) fn error(&self) -> Option<String> {
        let log = self.log();
        let silent = "the handler did not return; if it panicked, see the log";
        log.error.clone().or_else(|| (log.started > log.ended).then(|| silent.to_owned()))
    }

    async fn pass(&self, point: Point) {
        if *self.point.lock().unwrap_or_else(PoisonError::into_inner) == Some(point) {
            self.reached.notify_one();
            std::future::pending::<()>().await;
        }
    }
}

/// Counts checkpoints, and passes them on.
struct CountingJournal {
    work: Arc<WorkHandle>,
    interrupter: Arc<Interrupter>,
}

impl Journal for CountingJournal {
    fn save(&self, state: Saved) -> Saving<'_> {
        Box::pin(async move {
            let number = self.interrupter.checkpoints.fetch_add(1, Ordering::SeqCst) + 1;
            self.interrupter.pass(Point::Before(number)).await;
            let saved = self.work.journal.save(state).await;
            self.interrupter.pass(Point::After(number)).await;
            saved
        })
    }
}

/// A broker whose handlers are watched by an [`Interrupter`].
pub(super) struct InterruptibleBroker<B> {
    pub(super) broker: Arc<B>,
    pub(super) interrupter: Arc<Interrupter>,
}

impl<B: Broker> Broker for InterruptibleBroker<B> {
    const OFFERINGS: &'static [&'static Offering] = B::OFFERINGS;
    const CATALOG: &'static [u8] = B::CATALOG;
    const DYNAMIC: bool = B::DYNAMIC;

    fn mount(self: Arc<Self>) -> Vec<Vec<Arc<dyn MountedPlan>>> {
        let interruptible = |plan| {
            Arc::new(InterruptiblePlan { plan, interrupter: Arc::clone(&self.interrupter) }) as Arc<dyn MountedPlan>
        };
        let services = Arc::clone(&self.broker).mount().into_iter();
        services.map(|plans| plans.into_iter().map(interruptible).collect()).collect()
    }
}

struct InterruptiblePlan {
    plan: Arc<dyn MountedPlan>,
    interrupter: Arc<Interrupter>,
}

impl InterruptiblePlan {
    fn count(&self, common: &mut Common) {
        let journal = CountingJournal { work: Arc::clone(&common.work), interrupter: Arc::clone(&self.interrupter) };
        common.work = common.work.with_journal(journal);
    }

    fn watch<T: Send + 'static>(&self, handler: Handler<'static, T>, state: fn(&T) -> Value) -> Handler<'static, T> {
        let interrupter = Arc::clone(&self.interrupter);
        Box::pin(async move {
            interrupter.log().started += 1;
            let ended = handler.await;
            {
                let mut log = interrupter.log();
                log.ended += 1;
                match &ended {
                    Ok(made) => log.state = Some(state(made)),
                    Err(failure) => log.error = Some(message(failure)),
                }
            }
            if ended.is_ok() {
                interrupter.pass(Point::Returned).await;
            }
            ended
        })
    }
}

fn instance_state(made: &MadeInstance) -> Value {
    made.state.value.clone()
}

impl MountedPlan for InterruptiblePlan {
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

fn message(failure: &Failure) -> String {
    match failure {
        Failure::Refused(refusal) => format!("the request was refused: {}", refusal.description),
        Failure::Unexpected(error) | Failure::Temporary(error) => with_sources(error.as_ref()),
    }
}
