//! Records in one file, by redb.
//!
//! A decision is made inside a write transaction, of which there is only one at a time. Decisions that come while the
//! file is being written to wait, and then share the next commit: under load there is one for many requests.

mod batch;
#[cfg(feature = "failpoints")]
mod mortal;
mod open;
mod reseal;
mod tables;
#[cfg(test)]
mod tests;

use std::{
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use osb_runtime::store::{Decision, Due, Key, Look, Pending, Record, Store, StoreError, Timestamp, Use};
use redb::{Database, ReadTransaction, ReadableDatabase, WriteTransaction};
use tokio::{
    sync::{Mutex, Notify, OwnedMutexGuard},
    task::{coop::consume_budget, spawn_blocking},
    time::{Instant, timeout},
};

pub use self::open::OpenError;
pub use self::reseal::reseal;
use self::{
    batch::{Batch, Commit, NotDecided},
    open::Make,
};
use crate::{
    codec::{Codec, CodecError},
    failpoint,
    seal::Keys,
};

/// After how long it is asked whether those who were going to commit are still there: their runtime may have ended.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// A commit that takes longer says nothing about the next one.
const MOST_PATIENCE: Duration = Duration::from_millis(100);

/// Records in one file, by redb.
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
    has_heirs: AtomicBool,
}

struct File {
    /// The transaction that collects decisions. Its lock is fair, so that a commit comes after the decisions that were
    /// waiting before it was asked for, and before those that came later.
    writer: Arc<Mutex<Option<Batch>>>,
    last: std::sync::Mutex<LastCommit>,
    state: RwLock<State>,
    /// Opens it, for the first time or again.
    source: Box<dyn Fn(Make) -> Result<Database, OpenError> + Send + Sync>,
}

/// What the next commit goes by.
#[derive(Debug, Default, Clone, Copy)]
struct LastCommit {
    /// How many waited for it.
    crowd: usize,
    /// How long they may take to come back.
    patience: Duration,
}

enum State {
    Open(Database),
    /// After a failure redb wants to be opened again.
    Broken,
    Closed,
}

impl Redb {
    /// Opens a file of records, and creates it if it does not exist. Only one process can have it open. The file is read
    /// completely, and refused if any of it is damaged: 2 or 3 s for a GB. With [`Keys`] records are sealed; without, every
    /// reader of the file can read parameters and credentials.
    ///
    /// # Errors
    ///
    /// If the file can't be opened for writing, is held by another process, isn't a file of records, is damaged, was
    /// written by a newer release, is sealed with a key that isn't given, or isn't sealed although keys are given:
    /// [`reseal`] it first.
    pub fn open(path: impl AsRef<Path>, keys: impl Into<Option<Keys>>) -> Result<Self, OpenError> {
        Self::open_with(path.as_ref(), Codec { keys: keys.into(), reads_unsealed: false })
    }

    fn open_with(path: &Path, codec: Codec) -> Result<Self, OpenError> {
        let (path, known) = (path.to_owned(), codec.clone());
        Self::from_source(move |make| open::file(&path, make, &known), codec)
    }

    fn from_source(
        source: impl Fn(Make) -> Result<Database, OpenError> + Send + Sync + 'static,
        codec: Codec,
    ) -> Result<Self, OpenError> {
        let state = RwLock::new(State::Open(source(Make::IfMissing)?));
        let file = Arc::new(File {
            writer: Arc::default(),
            last: std::sync::Mutex::default(),
            state,
            source: Box::new(source),
        });
        Ok(Self { file, codec, has_heirs: AtomicBool::new(false) })
    }

    async fn decide(&self, key: &Key, decide: Decision<'_>) -> Result<(), StoreError> {
        let mut writer = Arc::clone(&self.file.writer).lock_owned().await;
        writer.take_if(|batch| batch.is_orphaned());
        let batch = match &mut *writer {
            Some(batch) => batch,
            none => none.insert(Batch::new(self.file.begin_write().await?, self.file.last().crowd)),
        };
        let decided = batch.decide(&self.codec, key, decide);
        if !batch.has_changes() {
            *writer = None;
        } else if !batch.has_committer() {
            batch.commit_by(tokio::spawn(Arc::clone(&self.file).commit_next(batch.gathered())));
        }
        match decided {
            Ok(None) => Ok(()),
            Ok(Some(commit)) => {
                drop(writer);
                self.file.committed(commit).await
            }
            Err(NotDecided::Record(error)) => Err(error),
            Err(NotDecided::Broken(error)) => {
                let error = self.file.broken(error);
                if let Some(batch) = writer.take() {
                    let (transaction, told) = batch.close();
                    _ = catch_unwind(AssertUnwindSafe(|| drop(transaction)));
                    told.how(Err(error.clone()));
                }
                Err(error)
            }
        }
    }
}

impl File {
    /// Commits what has been decided, with everything that waits to be decided now.
    ///
    /// Those who were told of the last commit come back one by one, and the first would begin one that the others have to
    /// wait for. So it waits until there are as many again, but not longer than that commit took. Whoever is alone waits
    /// for nobody.
    async fn commit_next(self: Arc<Self>, gathered: Arc<Notify>) {
        _ = timeout(self.last().patience, gathered.notified()).await;
        let writer = Arc::clone(&self.writer).lock_owned().await;
        self.commit(writer).await;
    }

    fn last(&self) -> LastCommit {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn commit(self: &Arc<Self>, mut writer: OwnedMutexGuard<Option<Batch>>) {
        let Some(batch) = writer.take() else { return };
        let (transaction, told) = batch.close();
        let file = Arc::clone(self);
        let began = Instant::now();
        let committed = spawn_blocking(move || {
            failpoint::reach("store.commit");
            transaction.commit().map_err(|error| file.broken(error))
        });
        let committed = committed.await.unwrap_or_else(|panic| {
            self.let_go();
            Err(StoreError::new(panic))
        });
        failpoint::reach("store.committed");
        // In whole ms, as timers count them: not at all where the disk is fast.
        let patience = Duration::from_millis(began.elapsed().min(MOST_PATIENCE).subsec_millis().into());
        let last = LastCommit { crowd: told.count(), patience };
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = last;
        // Whoever is told asks for the writer next.
        drop(writer);
        told.how(committed);
    }

    /// Waits for a commit, and looks now and then whether it can still come.
    async fn committed(&self, mut commit: Commit) -> Result<(), StoreError> {
        loop {
            if let Ok(ended) = timeout(LOOK_AGAIN, commit.done()).await {
                return ended;
            }
            self.writer.lock().await.take_if(|batch| batch.is_orphaned());
        }
    }

    async fn begin_write(self: &Arc<Self>) -> Result<WriteTransaction, StoreError> {
        self.with(Database::begin_write).await
    }

    async fn begin_read(self: &Arc<Self>) -> Result<ReadTransaction, StoreError> {
        self.with(Database::begin_read).await
    }

    /// Does something with the database, which is opened again if it has to be.
    async fn with<T, E: Into<redb::Error>>(
        self: &Arc<Self>,
        act: impl Fn(&Database) -> Result<T, E>,
    ) -> Result<T, StoreError> {
        if let Some(done) = self.act(&act) {
            return done;
        }
        let file = Arc::clone(self);
        spawn_blocking(move || file.reopen()).await.map_err(StoreError::new)??;
        self.act(&act).unwrap_or_else(|| Err(StoreError::new("it can't be used at the moment")))
    }

    /// `None` if it is not open.
    fn act<T, E: Into<redb::Error>>(&self, act: impl Fn(&Database) -> Result<T, E>) -> Option<Result<T, StoreError>> {
        let done = match &*self.state.read().unwrap_or_else(PoisonError::into_inner) {
            State::Open(database) => act(database),
            State::Broken => return None,
            State::Closed => return Some(Err(StoreError::new("it is closed"))),
        };
        Some(done.map_err(|error| self.broken(error)))
    }

    fn reopen(&self) -> Result<(), StoreError> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if let State::Broken = *state {
            *state = State::Open((self.source)(Make::Never).map_err(StoreError::new)?);
            tracing::warn!("the file of records was opened again after a failure");
        }
        Ok(())
    }

    /// Notes that the file has to be opened again.
    fn broken(&self, error: impl Into<redb::Error>) -> StoreError {
        self.let_go();
        StoreError::new(error.into())
    }

    fn let_go(&self) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if let State::Open(_) = *state {
            let database = mem::replace(&mut *state, State::Broken);
            // Where redb has panicked once, its locks may be poisoned, and it panics again.
            _ = catch_unwind(AssertUnwindSafe(|| drop(database)));
        }
    }

    fn close(&self) {
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = State::Closed;
    }
}

impl Store for Redb {
    fn transact<'a>(&'a self, key: &'a Key, decide: Decision<'a>) -> Pending<'a, ()> {
        Box::pin(self.decide(key, decide))
    }

    fn read<'a>(&'a self, key: &'a Key, look: Look<'a>) -> Pending<'a, ()> {
        Box::pin(async move {
            // It never waits, and whoever reads all records would keep others from their turn.
            consume_budget().await;
            let transaction = self.file.begin_read().await?;
            let key = key.to_bytes();
            let stored = tables::committed(&transaction, &key).map_err(|error| self.file.broken(error))?;
            let plain = stored.map(|stored| self.codec.open(&key, &stored)).transpose().map_err(StoreError::new)?;
            let record = plain.map(|plain| Codec::read(&plain)).transpose().map_err(StoreError::new)?;
            look(record.as_ref());
            Ok(())
        })
    }

    fn due<'a>(&'a self, now: Timestamp, after: Option<&'a Due>, most: usize) -> Pending<'a, Vec<Due>> {
        Box::pin(async move {
            let transaction = self.file.begin_read().await?;
            let due = tables::due(&transaction, now, after, most).map_err(|error| self.file.broken(error))?;
            due.map_err(StoreError::new)
        })
    }

    fn list<'a>(&'a self, after: Option<&'a Key>, most: usize) -> Pending<'a, Vec<(Key, Record)>> {
        Box::pin(async move {
            let transaction = self.file.begin_read().await?;
            let after = after.map(Key::to_bytes);
            let stored =
                tables::records(&transaction, after.as_deref(), most).map_err(|error| self.file.broken(error))?;
            let read = |(key, stored): &(Vec<u8>, Vec<u8>)| {
                let plain = self.codec.open(key, stored)?;
                Ok((Key::from_bytes(key)?, Codec::read(&plain)?))
            };
            stored.iter().map(read).collect::<Result<_, CodecError>>().map_err(StoreError::new)
        })
    }

    fn uses(&self) -> Pending<'_, Vec<Use>> {
        Box::pin(async move {
            let transaction = self.file.begin_read().await?;
            tables::uses(&transaction).map_err(|error| self.file.broken(error))
        })
    }

    fn is_inherited(&self) -> bool {
        !self.has_heirs.swap(true, Ordering::Relaxed)
    }

    fn close(&self) -> Pending<'_, ()> {
        Box::pin(async move {
            let writer = Arc::clone(&self.file.writer).lock_owned().await;
            self.file.commit(writer).await;
            let file = Arc::clone(&self.file);
            spawn_blocking(move || file.close()).await.map_err(StoreError::new)
        })
    }
}
