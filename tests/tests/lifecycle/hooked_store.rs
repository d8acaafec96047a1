//! A store in memory whose requests a test delays, or lets fail.

use std::{
    future::ready,
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use osb_runtime::store::{
    Decision, Due, Key, Look, Memory, Pending, PlanUsage, Record, Records, Store, StoreError, Timestamp,
};

/// A kind of request to a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Request {
    Transact,
    Read,
    Due,
    Count,
}

/// The records of a commit that takes effect later.
pub(crate) type Written = Mutex<Vec<(Key, Option<Record>)>>;

/// Hooks around the requests to a store. A hook that waits delays the request, and the error of a hook is the answer.
pub(crate) trait Around: Send + Sync + 'static {
    /// Before a request.
    fn before(&self, _: Request) -> Pending<'_, ()> {
        Box::pin(ready(Ok(())))
    }

    /// After a request, which has had its effect.
    fn after(&self, _: Request) -> Pending<'_, ()> {
        Box::pin(ready(Ok(())))
    }

    /// Before a list of all records.
    fn before_list(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Returns true if a list has an error in the place of this record.
    fn damages(&self, _: &Key) -> bool {
        false
    }

    /// Returns the place for the records of commits that take effect later, and whose requests fail meanwhile.
    fn delayed(&self) -> Option<&Written> {
        None
    }

    /// Returns true if each decision runs twice, as after a conflict.
    fn conflicts(&self) -> bool {
        false
    }

    /// Returns true if the process that used the store before has died.
    fn recovers(&self) -> bool {
        false
    }

    /// Returns the store's time.
    fn now(&self) -> Option<Timestamp> {
        None
    }

    /// Completes when a record may have changed since this call.
    fn changed(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(tokio::time::sleep(Duration::from_millis(250)))
    }
}

/// Commits slowly as long as this is true.
pub(crate) struct SlowCommits(pub(crate) Arc<AtomicBool>);

impl Around for SlowCommits {
    fn before(&self, request: Request) -> Pending<'_, ()> {
        let is_slow = request == Request::Transact && self.0.load(Ordering::SeqCst);
        Box::pin(async move {
            if is_slow {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            Ok(())
        })
    }
}

/// Fails to list the records as long as this is true.
pub(crate) struct FailsLists(pub(crate) Arc<AtomicBool>);

impl Around for FailsLists {
    fn before_list(&self) -> Result<(), StoreError> {
        if self.0.load(Ordering::SeqCst) { Err(StoreError::new("the connection was closed")) } else { Ok(()) }
    }
}

/// A store in memory.
pub(crate) struct Hooked {
    memory: Arc<Memory>,
    around: Box<dyn Around>,
}

impl Hooked {
    pub(crate) fn new(memory: Arc<Memory>, around: impl Around) -> Self {
        Self { memory, around: Box::new(around) }
    }

    /// Returns records in a store of its own.
    pub(crate) fn records(around: impl Around) -> Records {
        Records::new(Self::new(Arc::default(), around))
    }

    async fn with<T>(&self, request: Request, done: Pending<'_, T>) -> Result<T, StoreError> {
        self.around.before(request).await?;
        let done = done.await?;
        self.around.after(request).await?;
        Ok(done)
    }
}

impl Store for Hooked {
    fn transact<'a>(&'a self, keys: &'a [Key], decide: Decision<'a>) -> Pending<'a, ()> {
        let done = Box::pin(async move {
            if self.around.conflicts() {
                let mut records = vec![None; keys.len()];
                for (key, found) in keys.iter().zip(&mut records) {
                    self.memory.read(key, &mut |record| *found = record.cloned()).await?;
                }
                decide(&mut records);
            }
            let Some(delayed) = self.around.delayed() else { return self.memory.transact(keys, decide).await };
            let mut delay = |records: &mut [Option<Record>]| {
                let before = records.to_vec();
                decide(records);
                let written = keys.iter().cloned().zip(records.iter().cloned());
                *delayed.lock().expect("no panic") = written.collect();
                records.clone_from_slice(&before);
            };
            self.memory.transact(keys, &mut delay).await?;
            Err(StoreError::new("no answer in time"))
        });
        Box::pin(self.with(Request::Transact, done))
    }

    fn read<'a>(&'a self, key: &'a Key, look: Look<'a>) -> Pending<'a, ()> {
        let done = Box::pin(async move { self.memory.read(key, look).await });
        Box::pin(self.with(Request::Read, done))
    }

    fn due<'a>(&'a self, now: Timestamp, after: Option<&'a Due>, limit: usize) -> Pending<'a, Vec<Due>> {
        let done = Box::pin(async move { self.memory.due(now, after, limit).await });
        Box::pin(self.with(Request::Due, done))
    }

    fn list<'a>(&'a self, after: Option<&'a Key>, limit: usize) -> Pending<'a, Vec<(Key, Result<Record, StoreError>)>> {
        Box::pin(async move {
            self.around.before_list()?;
            let mut found = self.memory.list(after, limit).await?;
            for (_, record) in found.iter_mut().filter(|(key, _)| self.around.damages(key)) {
                *record = Err(StoreError::new("it is damaged"));
            }
            Ok(found)
        })
    }

    fn plan_usage(&self) -> Pending<'_, Vec<PlanUsage>> {
        Box::pin(self.with(Request::Count, self.memory.plan_usage()))
    }

    fn forget(&self, now: Timestamp) -> Pending<'_, ()> {
        self.memory.forget(now)
    }

    fn take_recovery(&self) -> bool {
        self.around.recovers()
    }

    fn now(&self) -> Option<Timestamp> {
        self.around.now()
    }

    fn changed<'a>(&'a self, _: &'a Key) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        self.around.changed()
    }
}
