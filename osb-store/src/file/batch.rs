//! Decisions that share a commit.

use std::{
    collections::HashSet,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use redb::WriteTransaction;
use tokio::{
    sync::{Notify, watch},
    task::JoinHandle,
};

use super::tables::{self, Facts};
use osb_runtime::store::{Decision, Key, StoreError};

use crate::{codec::Codec, failpoint};

/// How a commit ended, for all who wait for it.
type Ended = Option<Result<(), StoreError>>;

/// A write transaction, and those who wait for its commit.
pub(super) struct Batch {
    transaction: WriteTransaction,
    /// The records that it has changed.
    changed: HashSet<Vec<u8>>,
    ended: watch::Sender<Ended>,
    /// How many are expected to wait for it.
    crowd: usize,
    /// Told as soon as they do.
    gathered: Arc<Notify>,
    /// The task that is going to commit it, which ends with its runtime.
    committer: Option<JoinHandle<()>>,
}

impl Batch {
    pub(super) fn new(transaction: WriteTransaction, crowd: usize) -> Self {
        Self {
            transaction,
            changed: HashSet::new(),
            ended: watch::Sender::default(),
            crowd,
            gathered: Arc::default(),
            committer: None,
        }
    }

    /// Lets `decide` see and change a record. Returns what to wait for, if what was decided is not durable yet.
    pub(super) fn decide(
        &mut self,
        codec: &Codec,
        key: &Key,
        decide: Decision<'_>,
    ) -> Result<Option<Commit>, NotDecided> {
        let key = key.to_bytes();
        let stored = guarded(|| tables::current(&self.transaction, &key))?;
        let before = stored.as_ref().map(|stored| codec.open(&key, stored)).transpose()?;
        let mut record = before.as_ref().map(|plain| Codec::read(plain)).transpose()?;
        let facts = Facts::of(record.as_ref());
        // It calls code of the author's, which may panic: up to here, and until it returns, nothing has been written.
        decide(&mut record);
        let after = record.as_ref().map(Codec::write).transpose()?;
        // One that is sealed with an older key is written again as it is: that reseals it.
        if before == after && stored.is_none_or(|stored| codec.seals_as(&stored)) {
            // What it was shown may still have to become durable.
            return Ok(self.changed.contains(&key).then(|| self.commit()));
        }
        let stored = after.map(|plain| codec.seal(&key, &plain)).transpose()?;
        failpoint::reach("store.decided");
        let facts_then = Facts::of(record.as_ref());
        guarded(|| tables::put(&self.transaction, &key, stored.as_deref(), &facts, &facts_then))?;
        failpoint::reach("store.put");
        self.changed.insert(key);
        Ok(Some(self.commit()))
    }

    fn commit(&self) -> Commit {
        let commit = Commit(self.ended.subscribe());
        if self.ended.receiver_count() >= self.crowd {
            self.gathered.notify_one();
        }
        commit
    }

    /// What tells when everybody who is expected waits for it.
    pub(super) fn gathered(&self) -> Arc<Notify> {
        Arc::clone(&self.gathered)
    }

    pub(super) fn has_changes(&self) -> bool {
        !self.changed.is_empty()
    }

    pub(super) fn has_committer(&self) -> bool {
        self.committer.is_some()
    }

    pub(super) fn commit_by(&mut self, committer: JoinHandle<()>) {
        self.committer = Some(committer);
    }

    /// Whether nobody is left who would commit it.
    pub(super) fn is_orphaned(&self) -> bool {
        self.committer.as_ref().is_some_and(JoinHandle::is_finished)
    }

    /// Takes it apart, into what is to be committed and who is to be told.
    pub(super) fn close(self) -> (WriteTransaction, Told) {
        (self.transaction, Told(self.ended))
    }
}

/// Those who wait for a commit.
pub(super) struct Told(watch::Sender<Ended>);

impl Told {
    /// How many there are. Whoever was dropped is not one of them.
    pub(super) fn count(&self) -> usize {
        self.0.receiver_count()
    }

    pub(super) fn how(self, ended: Result<(), StoreError>) {
        self.0.send_replace(Some(ended));
    }
}

/// A commit to come.
pub(super) struct Commit(watch::Receiver<Ended>);

impl Commit {
    /// Waits for it.
    pub(super) async fn done(&mut self) -> Result<(), StoreError> {
        match self.0.wait_for(Option::is_some).await.map(|ended| ended.clone()) {
            Ok(Some(ended)) => ended,
            _ => Err(StoreError::new("it was interrupted while it wrote")),
        }
    }
}

/// Does something with the tables. Where they are damaged redb may panic, and the transaction is good for nothing then.
fn guarded<T>(act: impl FnOnce() -> Result<T, redb::Error>) -> Result<T, NotDecided> {
    let done = catch_unwind(AssertUnwindSafe(act));
    let damaged = |_| Err(redb::Error::Corrupted("its pages don't fit together".to_owned()));
    done.unwrap_or_else(damaged).map_err(NotDecided::Broken)
}

/// Why there is no decision.
pub(super) enum NotDecided {
    /// This record can't be read or written; others can.
    Record(StoreError),
    /// The file can't.
    Broken(redb::Error),
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for NotDecided {
    fn from(error: E) -> Self {
        Self::Record(StoreError::new(error))
    }
}
