//! The running of handlers: on tasks of their own, with a deadline, and with an answer that several can wait for.

use std::{
    collections::HashMap,
    future::Future,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use http::StatusCode;
use tokio::{
    sync::watch,
    time::{Instant, timeout, timeout_at},
};
use tokio_util::task::TaskTracker;

use super::{Lifecycle, Limits, answers};
use crate::{
    protocol::{Answer, InstanceId, RequestMeta},
    service::{Failure, Handler, WorkHandle},
    store::{InstanceRecord, Phase},
};

/// The operations that run in this process, by id.
#[derive(Debug, Default)]
pub(super) struct Operations {
    running: Arc<Running>,
    tasks: TaskTracker,
}

type Running = Mutex<HashMap<String, watch::Receiver<Option<Answer>>>>;

/// How often a request looks at a record before it gives up: each time but the last, another operation has ended.
const LOOKS: usize = 16;

/// What a look at the record decides.
pub(super) enum Step<T> {
    Answer(Answer),
    /// Wait for an operation that is running already.
    Join(String),
    /// The claim is in the record now: run the handler.
    Run(T),
}

/// An operation that is about to run: known before the record says so, and until the record says how it ended, so
/// that whoever finds its id in the record finds it here, or looks at the record again.
#[derive(Debug)]
pub(super) struct Claim {
    id: String,
    sender: watch::Sender<Option<Answer>>,
    running: Arc<Running>,
}

impl Claim {
    /// The operation's id.
    pub(super) fn id(&self) -> String {
        self.id.clone()
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        lock(&self.running).remove(&self.id);
    }
}

fn lock(running: &Running) -> std::sync::MutexGuard<'_, HashMap<String, watch::Receiver<Option<Answer>>>> {
    running.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Operations {
    pub(super) async fn idle(&self) {
        self.tasks.close();
        self.tasks.wait().await;
        self.tasks.reopen();
    }

    pub(super) fn claim(&self) -> Claim {
        let (sender, receiver) = watch::channel(None);
        let id = new_id();
        lock(&self.running).insert(id.clone(), receiver);
        Claim { id, sender, running: Arc::clone(&self.running) }
    }

    /// What the record says is going on, and nobody does, has died with its task: it failed, or it would be in the way
    /// for ever.
    fn bury(&self, record: &mut InstanceRecord) {
        let phases = record.bindings.values_mut().map(|binding| &mut binding.phase);
        for phase in phases.chain([&mut record.phase]) {
            let (operation, failed) = match phase {
                Phase::Creating(operation) => (operation, Phase::CreateFailed),
                Phase::Updating(operation, _) => (operation, Phase::Ready),
                Phase::Deleting(operation) => (operation, Phase::DeleteFailed),
                Phase::Ready | Phase::CreateFailed | Phase::DeleteFailed => continue,
            };
            if !lock(&self.running).contains_key(operation) {
                *phase = failed;
            }
        }
    }
}

/// An operation's id: 128 random bits in unreserved characters (URL-02).
fn new_id() -> String {
    let mut bytes = [0; 16];
    // Without randomness there is still time; ids have to differ, not to be secret.
    if getrandom::fill(&mut bytes).is_err() {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        bytes = now.as_nanos().to_be_bytes();
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Lifecycle {
    /// Runs `work`, which ends with an answer, on a task of its own, and waits for it. Whoever calls may go away.
    pub(super) async fn run<F>(&self, claim: Claim, work: F) -> Answer
    where
        F: Future<Output = Answer> + Send + 'static,
    {
        finished(&mut self.start(claim, work)).await
    }

    /// The same, without waiting.
    pub(super) fn start<F>(&self, claim: Claim, work: F) -> watch::Receiver<Option<Answer>>
    where
        F: Future<Output = Answer> + Send + 'static,
    {
        let receiver = claim.sender.subscribe();
        self.operations.tasks.spawn(async move {
            let answer = work.await;
            claim.sender.send_replace(Some(answer));
        });
        receiver
    }

    /// Lets `look` see and change the record of an instance, without what has died in it.
    pub(super) async fn see<R>(
        &self,
        instance: &InstanceId,
        mut look: impl FnMut(&mut Option<InstanceRecord>) -> R,
    ) -> R {
        self.store
            .transact(instance, |record| {
                if let Some(record) = record {
                    self.operations.bury(record);
                }
                look(record)
            })
            .await
    }

    /// Lets `look` decide about the record of an instance until it has an answer, or a claim whose handler is to run.
    pub(super) async fn decide<T>(
        &self,
        instance: &InstanceId,
        mut look: impl FnMut(&mut Option<InstanceRecord>, &Claim) -> Step<T>,
    ) -> Result<(Claim, T), Answer> {
        for _ in 0..LOOKS {
            let claim = self.operations.claim();
            match self.see(instance, |record| look(record, &claim)).await {
                Step::Answer(answer) => return Err(answer),
                Step::Join(running) => {
                    if let Some(answer) = self.join(&running).await {
                        return Err(answer);
                    }
                }
                Step::Run(work) => return Ok((claim, work)),
            }
        }
        Err(answers::concurrency())
    }

    /// Waits for an operation that an equal request has started, and gives its answer; but what the other request
    /// has created was there already for this one (PROV-11, BIND-08). `None`: it has ended, look at the record again.
    async fn join(&self, operation: &str) -> Option<Answer> {
        let mut receiver = lock(&self.operations.running).get(operation).cloned()?;
        let mut answer =
            timeout(self.limits.deadline, finished(&mut receiver)).await.unwrap_or_else(|_| answers::concurrency());
        if answer.status == StatusCode::CREATED {
            answer.status = StatusCode::OK;
        }
        Some(answer)
    }
}

pub(super) async fn finished(receiver: &mut watch::Receiver<Option<Answer>>) -> Answer {
    match receiver.wait_for(Option::is_some).await {
        Ok(answer) => answer.clone().unwrap_or_else(answers::unexpected),
        // The task died before it could answer, which it says in the log.
        Err(_) => answers::unexpected(),
    }
}

/// How a handler ended.
pub(super) enum Outcome<T> {
    Done(T),
    Failed(Failure),
    /// It panicked.
    Panicked,
    /// The deadline passed; what it made afterwards, if it came to an end.
    TooSlow(Option<T>),
}

/// What a handler works for: the words of the log.
pub(super) struct Job<'a> {
    pub(super) what: &'static str,
    pub(super) instance: &'a InstanceId,
    pub(super) meta: &'a RequestMeta,
}

impl<T> Outcome<T> {
    /// The answer if it failed. What the author did not foresee goes to the log, with the request's identity.
    pub(super) fn failure(&self, job: &Job<'_>) -> Option<Answer> {
        let identity = job.meta.request_identity.as_ref().map_or("", |identity| identity.as_str());
        let (what, instance) = (job.what, job.instance.as_str());
        match self {
            Self::Done(_) => None,
            Self::Failed(Failure::Refused(refusal)) => Some(refusal.answer()),
            Self::Failed(Failure::Unexpected(error)) => {
                let error = with_sources(error.as_ref());
                tracing::error!(request_identity = identity, instance, error, "{what} failed");
                Some(answers::unexpected())
            }
            Self::Panicked => {
                tracing::error!(request_identity = identity, instance, "{what} panicked");
                Some(answers::unexpected())
            }
            Self::TooSlow(_) => {
                tracing::error!(request_identity = identity, instance, "{what} did not finish in time");
                Some(answers::too_slow())
            }
        }
    }
}

/// An error and what caused it, in one line.
fn with_sources(error: &dyn std::error::Error) -> String {
    // Nothing keeps an error from being its own cause.
    const MOST: usize = 16;
    let causes = std::iter::successors(Some(error), |error| error.source()).take(MOST);
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// Runs a handler until it ends, panics, or the deadline and the grace period after it have passed.
pub(super) async fn attend<T: Send + 'static>(
    handler: Handler<'static, T>,
    work: &WorkHandle,
    grace: Duration,
) -> Outcome<T> {
    // A task of its own: a panic ends that task and no more.
    let mut task = tokio::spawn(handler);
    match timeout_at(work.deadline, &mut task).await {
        Ok(ended) => outcome(ended),
        Err(_) => {
            work.cancelled.cancel();
            match timeout(grace, &mut task).await {
                Ok(Ok(Ok(made))) => Outcome::TooSlow(Some(made)),
                Ok(_) => Outcome::TooSlow(None),
                Err(_) => {
                    task.abort();
                    // Dropped for certain before anything is cleaned up.
                    let _ = task.await;
                    Outcome::TooSlow(None)
                }
            }
        }
    }
}

fn outcome<T>(ended: Result<Result<T, Failure>, tokio::task::JoinError>) -> Outcome<T> {
    match ended {
        Ok(Ok(made)) => Outcome::Done(made),
        Ok(Err(failure)) => Outcome::Failed(failure),
        Err(_) => Outcome::Panicked,
    }
}

impl Limits {
    /// The handle of a new piece of work.
    pub(super) fn work(&self, operation: String) -> Arc<WorkHandle> {
        WorkHandle::new(operation, self.until())
    }

    /// When work that begins now has to be done.
    pub(super) fn until(&self) -> Instant {
        // An instant has an end, a duration has none.
        const LONGEST: Duration = Duration::from_hours(24 * 365);
        Instant::now() + self.deadline.min(LONGEST)
    }
}
