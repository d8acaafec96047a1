//! The database in the file: opened again after a failure of redb, and lost if another file is at its path.

use std::{
    io, mem,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLockWriteGuard},
    time::Duration,
};

use osb_runtime::store::StoreError;
use redb::Database;
use tokio::{task::spawn_blocking, time::Instant};

use super::{
    File, lock,
    open::{Creation, Identity},
};

/// Interval at which reads check that the file is still at its path.
const PATH_CHECK: Duration = Duration::from_secs(1);

/// Reopening a file that takes longer than this would let reads, and with them probes, wait for each write that fails.
const SLOW_REOPENING: Duration = Duration::from_millis(100);

/// The path of the open file, to detect that the file was deleted or replaced, after which writes would be lost.
pub(super) struct OpenPath {
    path: PathBuf,
    identity: Option<Identity>,
    /// The time until which reads don't look again.
    pub(super) checked_until: Instant,
}

impl OpenPath {
    pub(super) fn of(path: &Path) -> Self {
        Self { path: path.to_owned(), identity: Identity::of(path).ok(), checked_until: Instant::now() }
    }

    fn check(&mut self) -> Result<(), StoreError> {
        let path = self.path.display();
        match Identity::of(&self.path) {
            Ok(found) if self.identity.as_ref() == Some(&found) => {
                self.checked_until = Instant::now() + PATH_CHECK;
                Ok(())
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(StoreError::new(format!("{path}, which is open, can't be looked up: {error}")))
            }
            _ => Err(StoreError::new(format!(
                "{path} was deleted or replaced while it was open; stop the broker, and restore the file"
            ))),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

pub(super) enum DatabaseState {
    Open(Database),
    /// redb failed: the database has to be reopened, after this one is closed.
    Broken(Option<Database>),
    Closed,
}

impl File {
    /// Fails if the file is no longer at its path. Reads look only from time to time.
    fn check_path(&self, access: Access) -> Result<(), StoreError> {
        let Some(path) = &self.path else { return Ok(()) };
        let mut path = lock(path);
        if access == Access::Read && Instant::now() < path.checked_until { Ok(()) } else { path.check() }
    }

    /// Calls `act` with the database, and reopens it first if it is broken.
    pub(super) async fn with<T, E: Into<redb::Error>>(
        self: &Arc<Self>,
        act: impl Fn(&Database) -> Result<T, E>,
        access: Access,
    ) -> Result<T, StoreError> {
        if let Some(done) = self.act(&act, access) {
            return done;
        }
        let reopening = Arc::clone(&self.reopening).lock_owned().await;
        let file = Arc::clone(self);
        // The guard stays with the work, which goes on if this request is given up.
        let reopen = move || {
            let _reopening = reopening;
            file.reopen()
        };
        spawn_blocking(reopen).await.map_err(StoreError::new)??;
        self.act(&act, access)
            .unwrap_or_else(|| Err(StoreError::new("the file failed again right after it was reopened")))
    }

    /// Calls `act` with the database. Returns `None` if the database has to be reopened first.
    fn act<T, E: Into<redb::Error>>(
        &self,
        act: impl Fn(&Database) -> Result<T, E>,
        access: Access,
    ) -> Option<Result<T, StoreError>> {
        let done = match &*self.state.read().unwrap_or_else(PoisonError::into_inner) {
            DatabaseState::Open(database) => match self.check_path(access) {
                Ok(()) => act(database),
                Err(lost) => return Some(Err(lost)),
            },
            DatabaseState::Broken(_) => return None,
            DatabaseState::Closed => return Some(Err(StoreError::new("the file is closed"))),
        };
        Some(done.map_err(|error| self.broken(error)))
    }

    fn reopen(&self) -> Result<(), StoreError> {
        let failed = match &mut *self.state_mut() {
            DatabaseState::Broken(failed) => failed.take(),
            _ => return Ok(()),
        };
        close(failed);
        let began = Instant::now();
        let database = (self.source)(Creation::Never).map_err(StoreError::new)?;
        lock(&self.last).reopening = began.elapsed();
        if let Some(path) = &self.path {
            let mut path = lock(path);
            *path = OpenPath::of(&path.path);
        }
        *self.state_mut() = DatabaseState::Open(database);
        tracing::warn!("reopened the records file after a failure");
        Ok(())
    }

    fn state_mut(&self) -> RwLockWriteGuard<'_, DatabaseState> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a failure of redb, after which the database has to be reopened.
    pub(super) fn broken(&self, error: impl Into<redb::Error>) -> StoreError {
        self.mark_broken(StoreError::new(error.into()))
    }

    /// Marks the database as broken, and returns the error. If the file has been reopened since the last commit, and that was slow,
    /// writes are refused for four times as long, in which reads succeed.
    pub(super) fn mark_broken(&self, error: StoreError) -> StoreError {
        let mut state = self.state_mut();
        *state = match mem::replace(&mut *state, DatabaseState::Closed) {
            DatabaseState::Open(database) => {
                let reopening = self.last().reopening;
                if reopening > SLOW_REOPENING {
                    *lock(&self.refusal) = Some((error.clone(), Instant::now() + 4 * reopening));
                }
                DatabaseState::Broken(Some(database))
            }
            other => other,
        };
        error
    }

    pub(super) fn close(&self) {
        let last = mem::replace(&mut *self.state_mut(), DatabaseState::Closed);
        if let DatabaseState::Broken(failed) = last {
            close(failed);
        }
    }
}

/// Closes a database that has failed.
fn close(failed: Option<Database>) {
    // After a panic in redb its locks may be poisoned, so dropping it panics too.
    _ = catch_unwind(AssertUnwindSafe(|| drop(failed)));
}
