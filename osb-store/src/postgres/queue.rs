//! A queue of jobs for the connections of a pool. The job that gets a connection runs the waiting ones in the same batch.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{AcquireError, OwnedSemaphorePermit, Semaphore, oneshot},
    time::{sleep, timeout},
};

use super::{
    connections::{BusyConnection, Connections},
    timed_out,
    transaction::Failure,
    unavailable,
    url::STATEMENT_TIMEOUT,
};

/// Maximum number of jobs in a batch.
const MAX_BATCH: usize = 32;

/// Time after which a job takes one of the connections that are not used otherwise.
const SPARE_CONNECTION_DELAY: Duration = Duration::from_millis(1);

/// The right to use a connection. A quarter of them is enough for a database that answers at once, and keeps batches large.
pub(super) struct ConnectionPermits {
    first: Arc<Semaphore>,
    others: Arc<Semaphore>,
}

impl ConnectionPermits {
    pub(super) fn new(connections: usize) -> Self {
        let first = connections.div_ceil(4);
        Self { first: Arc::new(Semaphore::new(first)), others: Arc::new(Semaphore::new(connections - first)) }
    }

    async fn acquire(&self) -> Result<OwnedSemaphorePermit, AcquireError> {
        if let Ok(permit) = Arc::clone(&self.first).try_acquire_owned() {
            return Ok(permit);
        }
        let other = async {
            sleep(SPARE_CONNECTION_DELAY).await;
            Arc::clone(&self.others).acquire_owned().await
        };
        tokio::select! {
            permit = Arc::clone(&self.first).acquire_owned() => permit,
            permit = other => permit,
        }
    }
}

/// Jobs that wait for a connection, by their order.
pub(super) struct Queue<J, A>(Mutex<Waiting<J, A>>);

struct Waiting<J, A> {
    next: u64,
    jobs: BTreeMap<u64, Job<J, A>>,
}

pub(super) struct Job<J, A> {
    pub(super) input: J,
    answer: oneshot::Sender<Result<A, Failure>>,
}

impl<J, A> Default for Queue<J, A> {
    fn default() -> Self {
        Self(Mutex::new(Waiting { next: 0, jobs: BTreeMap::new() }))
    }
}

/// An entry of a queue, removed on drop.
struct Entry<'a, J, A> {
    queue: &'a Queue<J, A>,
    number: u64,
    answer: oneshot::Receiver<Result<A, Failure>>,
}

impl<J, A> Drop for Entry<'_, J, A> {
    fn drop(&mut self) {
        self.queue.lock().jobs.remove(&self.number);
    }
}

impl<J, A> Queue<J, A> {
    fn lock(&self) -> MutexGuard<'_, Waiting<J, A>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.lock().jobs.len()
    }

    fn join(&self, input: J) -> Entry<'_, J, A> {
        let (sender, answer) = oneshot::channel();
        let mut waiting = self.lock();
        let number = waiting.next;
        waiting.next += 1;
        waiting.jobs.insert(number, Job { input, answer: sender });
        Entry { queue: self, number, answer }
    }

    /// Takes the job with a number and the oldest others, or none if another caller has taken that one.
    fn take(&self, number: u64) -> Vec<Job<J, A>> {
        let jobs = &mut self.lock().jobs;
        let own = jobs.remove(&number);
        let others = if own.is_some() { MAX_BATCH - 1 } else { 0 };
        own.into_iter().chain(std::iter::from_fn(|| Some(jobs.pop_first()?.1)).take(others)).collect()
    }

    /// Runs a job, on a connection of this caller or together with another caller's.
    pub(super) async fn run<F: Future<Output = ()> + Send + 'static>(
        &self,
        permits: &ConnectionPermits,
        connections: &Connections,
        input: J,
        send: impl FnOnce(BusyConnection, Vec<Job<J, A>>) -> F + Send + 'static,
    ) -> Result<A, Failure>
    where
        J: Send + 'static,
        A: Send + 'static,
    {
        let mut entry = self.join(input);
        let permit = tokio::select! {
            biased;
            answer = &mut entry.answer => return received(answer),
            permit = permits.acquire() => permit,
        };
        let (jobs, connections) = (self.take(entry.number), connections.clone());
        let count = jobs.len();
        let work = async move {
            match connections.get().await {
                Ok(connection) => send(connection, jobs).await,
                Err(error) => fail(jobs, &Failure::Other(unavailable(error))),
            }
            drop(permit);
        };
        match count {
            0 => drop(work),
            1 => work.await,
            // The others must not depend on a caller that may give up.
            _ => drop(tokio::spawn(timeout(STATEMENT_TIMEOUT, work))),
        }
        received((&mut entry.answer).await)
    }
}

impl<J, A> Job<J, A> {
    /// Answers the caller, unless it has given up.
    pub(super) fn answer(self, answer: Result<A, Failure>) {
        _ = self.answer.send(answer);
    }
}

fn received<A>(answer: Result<Result<A, Failure>, oneshot::error::RecvError>) -> Result<A, Failure> {
    answer.unwrap_or_else(|_| Err(Failure::Other(timed_out())))
}

/// Answers all of these callers with a failure.
pub(super) fn fail<J, A>(jobs: Vec<Job<J, A>>, failure: &Failure) {
    for job in jobs {
        job.answer(Err(failure.clone()));
    }
}
