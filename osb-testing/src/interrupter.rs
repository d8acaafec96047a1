//! An observer that interrupts a handler at a chosen point, as if its process had died.

use std::{
    pin::Pin,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use osb_runtime::lifecycle::{HandlerObserver, HandlerPoint};
use serde_json::Value;
use tokio::sync::Notify;

/// The point at which a handler is interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Point {
    /// Before the checkpoint with this number is saved; the first is 1.
    Before(usize),
    /// Where the handler waits, for the time with this number; the first is 1.
    Waiting(usize),
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
    waits: AtomicUsize,
    log: Mutex<HandlerLog>,
    /// Notified when the point is reached; the handler then never continues.
    pub(super) reached: Notify,
}

impl Interrupter {
    /// Sets the point of the next interruption, and resets the observations.
    pub(super) fn arm(&self, point: Option<Point>) {
        *self.point.lock().unwrap_or_else(PoisonError::into_inner) = point;
        self.checkpoints.store(0, Ordering::SeqCst);
        self.waits.store(0, Ordering::SeqCst);
        *self.log() = HandlerLog::default();
    }

    /// Returns the number of checkpoints since [`arm`](Self::arm).
    pub(super) fn checkpoints(&self) -> usize {
        self.checkpoints.load(Ordering::SeqCst)
    }

    /// Returns how often handlers have waited since [`arm`](Self::arm).
    pub(super) fn waits(&self) -> usize {
        self.waits.load(Ordering::SeqCst)
    }

    fn is_at(&self, point: Point) -> bool {
        *self.point.lock().unwrap_or_else(PoisonError::into_inner) == Some(point)
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
        if self.is_at(point) {
            self.reached.notify_one();
            std::future::pending::<()>().await;
        }
    }
}

impl HandlerObserver for Interrupter {
    fn waits(&self) -> bool {
        let number = self.waits.fetch_add(1, Ordering::SeqCst) + 1;
        let is_interrupted = self.is_at(Point::Waiting(number));
        if is_interrupted {
            self.reached.notify_one();
        }
        !is_interrupted
    }

    fn reached<'a>(&'a self, point: HandlerPoint<'a>) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async move {
            match point {
                HandlerPoint::Started => self.log().started += 1,
                HandlerPoint::SavingCheckpoint => {
                    let number = self.checkpoints.fetch_add(1, Ordering::SeqCst) + 1;
                    self.pass(Point::Before(number)).await;
                }
                HandlerPoint::SavedCheckpoint => self.pass(Point::After(self.checkpoints())).await,
                HandlerPoint::Succeeded(state) => {
                    {
                        let mut log = self.log();
                        log.ended += 1;
                        log.state = Some(state.clone());
                    }
                    self.pass(Point::Returned).await;
                }
                HandlerPoint::Failed(error) => {
                    let mut log = self.log();
                    log.ended += 1;
                    log.error = Some(error.to_owned());
                }
                _ => {}
            }
        })
    }
}
