//! A probe that makes a process die at a chosen point of a handler.

use std::{
    pin::Pin,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use osb_runtime::lifecycle::{Probe, ProbePoint};
use serde_json::Value;
use tokio::sync::Notify;

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

impl Probe for Cutter {
    fn reached<'a>(&'a self, point: ProbePoint<'a>) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async move {
            match point {
                ProbePoint::Started => self.seen().started += 1,
                ProbePoint::SavingCheckpoint => {
                    let number = self.checkpoints.fetch_add(1, Ordering::SeqCst) + 1;
                    self.pass(Point::Before(number)).await;
                }
                ProbePoint::SavedCheckpoint => self.pass(Point::After(self.checkpoints())).await,
                ProbePoint::Succeeded(state) => {
                    {
                        let mut seen = self.seen();
                        seen.ended += 1;
                        seen.state = Some(state.clone());
                    }
                    self.pass(Point::Returned).await;
                }
                ProbePoint::Failed(error) => {
                    let mut seen = self.seen();
                    seen.ended += 1;
                    seen.error = Some(error.to_owned());
                }
                _ => {}
            }
        })
    }
}
