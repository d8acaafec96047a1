//! A store in one file, by redb.
//!
//! Each decision runs inside the write transaction, and redb has only one at a time. Decisions that arrive during a commit
//! wait, and then share the next commit: under load there is one commit for many requests.

mod batch;
mod copy;
#[cfg(feature = "failpoints")]
mod crashing;
mod database;
mod insert;
mod open;
mod open_error;
mod reseal;
mod tables;
#[cfg(test)]
mod tests;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{
        Arc, MutexGuard, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use osb_runtime::store::{Decision, Due, Key, Look, Pending, PlanUsage, Record, Store, StoreError, Timestamp};
use redb::{Database, ReadTransaction, ReadableDatabase, WriteTransaction};
use tokio::{
    sync::{Mutex, Notify, OwnedMutexGuard},
    task::{coop::consume_budget, spawn_blocking},
    time::{Instant, timeout},
};

pub use self::open_error::OpenError;
pub use self::reseal::reseal;
use self::{
    batch::{Batch, BatchError, Commit},
    database::{Access, DatabaseState, OpenPath},
    open::Creation,
};
use crate::{codec::Codec, failpoint, seal::Keys};

/// Interval at which waiters check that the task that will commit their batch still exists: its runtime may have ended.
const ORPHAN_CHECK: Duration = Duration::from_secs(1);

/// Upper limit for delaying a commit: one that took longer does not predict the duration of the next.
const MAX_DELAY: Duration = Duration::from_millis(100);

/// A record store in one file, by redb.
///
/// ```
/// use osb_runtime::{lifecycle::Settings, store::Records};
/// use osb_store::{Keys, Redb};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("kv.redb");
/// let keys: Keys = "8f5d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea".parse()?;
/// let mut settings = Settings::default();
/// settings.store = Records::new(Redb::open(path, keys)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Redb {
    file: Arc<File>,
    codec: Codec,
    recovery_taken: AtomicBool,
    /// The last tombstone that [`Store::forget`] has looked at; it begins again after the last of all.
    forgotten_to: std::sync::Mutex<Option<Vec<u8>>>,
}

fn lock<T>(mutex: &std::sync::Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct File {
    /// The batch that collects decisions. The lock is fair: a commit includes the decisions that queued before it, and no
    /// later ones.
    writer: Arc<Mutex<Option<Batch>>>,
    last: std::sync::Mutex<LastCommit>,
    /// The failure of a file that is slow to reopen, and the time until which writes are not tried again.
    refusal: std::sync::Mutex<Option<(StoreError, Instant)>>,
    /// Never locked during input or output, because tasks that wait for this lock would stop all others.
    state: RwLock<DatabaseState>,
    /// Locked while the database is reopened.
    reopening: Arc<Mutex<()>>,
    /// The path of the file, unless it is in memory.
    path: Option<std::sync::Mutex<OpenPath>>,
    /// Opens the database, for the first time or again.
    source: Box<dyn Fn(Creation) -> Result<Database, OpenError> + Send + Sync>,
}

/// Measurements of the last commit, which time the next one.
#[derive(Debug, Default, Clone, Copy)]
struct LastCommit {
    /// Number of decisions that waited for it.
    expected_waiters: usize,
    /// Its duration: the longest time that the next commit is delayed.
    delay: Duration,
    /// The time that reopening the file has taken since the last commit that succeeded.
    reopening: Duration,
}

impl Redb {
    /// Opens a records file, and creates it if it does not exist. Only one process can have it open. Opening checks the
    /// integrity of the whole file, which takes 2 to 3 s for a GB. With [`Keys`], records are sealed; without, every reader
    /// of the file can read parameters and credentials.
    ///
    /// # Errors
    ///
    /// If the file can't be opened for writing, is in use by another process, isn't a records file, is damaged, was
    /// written by a newer release, is sealed with a key that isn't given, or isn't sealed although keys are given (then
    /// [`reseal()`] it first).
    pub fn open(path: impl AsRef<Path>, keys: impl Into<Option<Keys>>) -> Result<Self, OpenError> {
        Self::open_with(path.as_ref(), Codec { keys: keys.into(), reads_unsealed: false })
    }

    fn open_with(path: &Path, codec: Codec) -> Result<Self, OpenError> {
        let (file, known, is_new) = (path.to_owned(), codec.clone(), !path.exists());
        let opened = Self::from_source(move |creation| open::file(&file, creation, &known), codec, Some(path))?;
        if is_new {
            tracing::warn!(path = %path.display(), "created a new records file, because it did not exist");
        }
        Ok(opened)
    }

    fn from_source(
        source: impl Fn(Creation) -> Result<Database, OpenError> + Send + Sync + 'static,
        codec: Codec,
        path: Option<&Path>,
    ) -> Result<Self, OpenError> {
        let state = RwLock::new(DatabaseState::Open(source(Creation::IfMissing)?));
        let file = Arc::new(File {
            writer: Arc::default(),
            last: std::sync::Mutex::default(),
            refusal: std::sync::Mutex::default(),
            state,
            reopening: Arc::default(),
            source: Box::new(source),
            path: path.map(|path| std::sync::Mutex::new(OpenPath::of(path))),
        });
        Ok(Self { file, codec, recovery_taken: AtomicBool::new(false), forgotten_to: std::sync::Mutex::default() })
    }

    async fn decide(&self, keys: &[Key], decide: Decision<'_>) -> Result<(), StoreError> {
        let mut writer = Arc::clone(&self.file.writer).lock_owned().await;
        writer.take_if(|batch| batch.is_orphaned());
        let batch = match &mut *writer {
            Some(batch) => batch,
            none => {
                let (transaction, expected) = (self.file.begin_write().await?, self.file.last().expected_waiters);
                none.insert(Batch::new(transaction, self.codec.clone(), expected))
            }
        };
        let decided = batch.decide(keys, decide);
        if batch.has_changes() {
            batch.commit_by(|is_full| tokio::spawn(Arc::clone(&self.file).commit_next(is_full)));
        } else {
            *writer = None;
        }
        match decided {
            Ok(None) => Ok(()),
            Ok(Some(commit)) => {
                drop(writer);
                self.file.committed(commit).await
            }
            Err(BatchError::Record(error)) => Err(error),
            Err(BatchError::Broken(error)) => {
                // The transaction keeps the file locked, so it has to end before a request reopens the file.
                let waiters = writer.take().map(|batch| {
                    let (changes, waiters) = batch.close();
                    _ = catch_unwind(AssertUnwindSafe(|| drop(changes)));
                    waiters
                });
                let error = self.file.broken(error);
                if let Some(waiters) = waiters {
                    waiters.notify(Err(error.clone()));
                }
                Err(error)
            }
        }
    }
}

impl File {
    /// Commits the batch, including the decisions that are queued for the writer now.
    ///
    /// Clients return one by one after a commit, and the first would start the next commit while the others have to wait
    /// for it. So this waits until the batch has as many decisions as the last one, for at most the duration of the last
    /// commit. A single client is not delayed.
    async fn commit_next(self: Arc<Self>, is_full: Arc<Notify>) {
        _ = timeout(self.last().delay, is_full.notified()).await;
        let writer = Arc::clone(&self.writer).lock_owned().await;
        self.commit(writer).await;
    }

    fn last(&self) -> LastCommit {
        *lock(&self.last)
    }

    async fn commit(self: &Arc<Self>, mut writer: OwnedMutexGuard<Option<Batch>>) {
        let Some(batch) = writer.take() else { return };
        let (changes, waiters) = batch.close();
        let file = Arc::clone(self);
        let began = Instant::now();
        let committed = spawn_blocking(move || {
            failpoint::reach("store.commit");
            changes.commit().map_err(|error| match error {
                BatchError::Record(error) => error,
                BatchError::Broken(error) => file.broken(error),
            })
        });
        let committed = committed.await.unwrap_or_else(|panic| Err(self.mark_broken(StoreError::new(panic))));
        failpoint::reach("store.committed");
        // Timers count whole ms: a disk that commits in less than 1 ms causes no delay.
        let delay = Duration::from_millis(began.elapsed().min(MAX_DELAY).subsec_millis().into());
        let expected_waiters = waiters.count();
        {
            let mut last = lock(&self.last);
            let reopening = if committed.is_ok() { Duration::ZERO } else { last.reopening };
            *last = LastCommit { expected_waiters, delay, reopening };
        }
        // Notified clients lock the writer next.
        drop(writer);
        waiters.notify(committed);
    }

    /// Waits for a commit, and drops the batch if the task that would commit it has ended.
    async fn committed(&self, mut commit: Commit) -> Result<(), StoreError> {
        loop {
            if let Ok(ended) = timeout(ORPHAN_CHECK, commit.done()).await {
                return ended;
            }
            self.writer.lock().await.take_if(|batch| batch.is_orphaned());
        }
    }

    async fn begin_write(self: &Arc<Self>) -> Result<WriteTransaction, StoreError> {
        if let Some((error, until)) = &*lock(&self.refusal)
            && Instant::now() < *until
        {
            return Err(error.clone());
        }
        self.with(Database::begin_write, Access::Write).await
    }

    async fn begin_read(self: &Arc<Self>) -> Result<ReadTransaction, StoreError> {
        self.with(Database::begin_read, Access::Read).await
    }
}

impl Redb {
    /// Reads a record, as of the last commit.
    fn stored(&self, transaction: &ReadTransaction, key: &Key) -> Result<Option<Record>, StoreError> {
        let key = key.to_bytes();
        let stored = tables::committed(transaction, &key).map_err(|error| self.file.broken(error))?;
        let plain = stored.map(|stored| self.codec.open(&key, &stored)).transpose().map_err(StoreError::new)?;
        plain.map(|plain| Codec::read(&plain)).transpose().map_err(StoreError::new)
    }
}

impl Store for Redb {
    fn transact<'a>(&'a self, keys: &'a [Key], decide: Decision<'a>) -> Pending<'a, ()> {
        Box::pin(self.decide(keys, decide))
    }

    fn is_sealed(&self) -> bool {
        self.codec.keys.is_some()
    }

    fn read<'a>(&'a self, key: &'a Key, look: Look<'a>) -> Pending<'a, ()> {
        Box::pin(async move {
            // Reads are rarely pending, so without this a task that reads all records would starve other tasks.
            consume_budget().await;
            let transaction = self.file.begin_read().await?;
            look(self.stored(&transaction, key)?.as_ref());
            Ok(())
        })
    }

    fn due<'a>(&'a self, now: Timestamp, after: Option<&'a Due>, limit: usize) -> Pending<'a, Vec<Due>> {
        Box::pin(async move {
            let transaction = self.file.begin_read().await?;
            let due = tables::due(&transaction, now, after, limit).map_err(|error| self.file.broken(error))?;
            due.map_err(StoreError::new)
        })
    }

    fn list<'a>(&'a self, after: Option<&'a Key>, limit: usize) -> Pending<'a, Vec<(Key, Result<Record, StoreError>)>> {
        Box::pin(async move {
            let transaction = self.file.begin_read().await?;
            let after = after.map(Key::to_bytes);
            let stored =
                tables::records(&transaction, after.as_deref(), limit).map_err(|error| self.file.broken(error))?;
            let read = |(key, stored): &(Vec<u8>, Vec<u8>)| {
                let record = self.codec.open(key, stored).and_then(|plain| Codec::read(&plain));
                Ok((Key::from_bytes(key).map_err(StoreError::new)?, record.map_err(StoreError::new)))
            };
            stored.iter().map(read).collect()
        })
    }

    fn plan_usage(&self) -> Pending<'_, Vec<PlanUsage>> {
        Box::pin(async move {
            let transaction = self.file.begin_read().await?;
            tables::plan_usage(&transaction).map_err(|error| self.file.broken(error))
        })
    }

    fn forget(&self, now: Timestamp) -> Pending<'_, ()> {
        Box::pin(async move {
            let transaction = self.file.begin_read().await?;
            let after = lock(&self.forgotten_to).take();
            let found =
                tables::expired(&transaction, now, after.as_deref()).map_err(|error| self.file.broken(error))?;
            drop(transaction);
            let keys = found.expired.iter().map(|key| Key::from_bytes(key)).collect::<Result<Vec<_>, _>>();
            let mut keys = keys.map_err(StoreError::new)?;
            let mut removed = Ok(());
            if !keys.is_empty() {
                let mut remove = |records: &mut [Option<Record>]| {
                    for record in records {
                        // The id may have been used again in the meantime.
                        record.take_if(|record| record.forget_at().is_some_and(|at| at <= now));
                    }
                };
                removed = self.decide(&keys, &mut remove).await;
                if removed.is_err() {
                    // A record that can't be read must not keep the others, in this part or in later ones.
                    let transaction = self.file.begin_read().await?;
                    keys.retain(|key| self.stored(&transaction, key).is_ok());
                    drop(transaction);
                    self.decide(&keys, &mut remove).await?;
                }
            }
            *lock(&self.forgotten_to) = found.last;
            removed
        })
    }

    fn take_recovery(&self) -> bool {
        !self.recovery_taken.swap(true, Ordering::Relaxed)
    }

    fn close(&self) -> Pending<'_, ()> {
        Box::pin(async move {
            let writer = Arc::clone(&self.file.writer).lock_owned().await;
            self.file.commit(writer).await;
            // Otherwise the file would still be opened afterwards.
            let _reopening = self.file.reopening.lock().await;
            let file = Arc::clone(&self.file);
            spawn_blocking(move || file.close()).await.map_err(StoreError::new)
        })
    }
}
