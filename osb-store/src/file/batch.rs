//! Batches: decisions that share a commit.

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

use crate::{
    codec::{Codec, Plain},
    failpoint,
};

/// The result of a commit, once it has ended.
type Ended = Option<Result<(), StoreError>>;

/// A write transaction, and the waiters for its commit.
pub(super) struct Batch {
    transaction: WriteTransaction,
    /// The keys of the records that the transaction has changed.
    changed: HashSet<Vec<u8>>,
    ended: watch::Sender<Ended>,
    /// Expected number of waiters.
    expected_waiters: usize,
    /// Notified when that number is reached.
    is_full: Arc<Notify>,
    /// The task that will commit the batch; it ends with its runtime.
    committer: Option<JoinHandle<()>>,
}

/// A record before a decision.
struct Before {
    facts: Facts,
    stored: Option<Vec<u8>>,
    plain: Option<Plain>,
}

impl Batch {
    pub(super) fn new(transaction: WriteTransaction, expected_waiters: usize) -> Self {
        Self {
            transaction,
            changed: HashSet::new(),
            ended: watch::Sender::default(),
            expected_waiters,
            is_full: Arc::default(),
            committer: None,
        }
    }

    /// Lets `decide` see and change records. Returns the commit to wait for, unless the records that `decide` saw are durable
    /// and stay unchanged.
    pub(super) fn decide(
        &mut self,
        codec: &Codec,
        keys: &[Key],
        decide: Decision<'_>,
    ) -> Result<Option<Commit>, NotDecided> {
        let keys: Vec<Vec<u8>> = keys.iter().map(Key::to_bytes).collect();
        let mut records = Vec::with_capacity(keys.len());
        let mut before = Vec::with_capacity(keys.len());
        for key in &keys {
            let stored = guarded(|| tables::current(&self.transaction, key))?;
            let plain = stored.as_ref().map(|stored| codec.open(key, stored)).transpose()?;
            let record = plain.as_ref().map(|plain| Codec::read(plain)).transpose()?;
            before.push(Before { facts: Facts::of(record.as_ref()), stored, plain });
            records.push(record);
        }
        // This may panic. Nothing has been written yet.
        decide(&mut records);
        let mut changes = Vec::with_capacity(keys.len());
        for ((key, before), record) in keys.iter().zip(&before).zip(&records) {
            let after = record.as_ref().map(Codec::write).transpose()?;
            // An unchanged record that is sealed with an older key is written again, which reseals it.
            if before.plain != after || before.stored.as_ref().is_some_and(|stored| !codec.seals_as(stored)) {
                let stored = after.map(|plain| codec.seal(key, &plain)).transpose()?;
                changes.push((key, stored, &before.facts, Facts::of(record.as_ref())));
            }
        }
        if changes.is_empty() {
            // A record that `decide` saw may be an earlier change of this batch, which isn't durable yet.
            return Ok(keys.iter().any(|key| self.changed.contains(key)).then(|| self.commit()));
        }
        failpoint::reach("store.decided");
        for (key, stored, before, after) in changes {
            guarded(|| tables::put(&self.transaction, key, stored.as_deref(), before, &after))?;
            self.changed.insert(key.clone());
        }
        failpoint::reach("store.put");
        Ok(Some(self.commit()))
    }

    fn commit(&self) -> Commit {
        let commit = Commit(self.ended.subscribe());
        if self.ended.receiver_count() >= self.expected_waiters {
            self.is_full.notify_one();
        }
        commit
    }

    /// Returns the notification that the expected number of waiters is reached.
    pub(super) fn is_full(&self) -> Arc<Notify> {
        Arc::clone(&self.is_full)
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

    /// Returns true if the task that should commit the batch has ended without doing so.
    pub(super) fn is_orphaned(&self) -> bool {
        self.committer.as_ref().is_some_and(JoinHandle::is_finished)
    }

    /// Returns the transaction, to be committed or dropped, and the waiters, to be notified of the result.
    pub(super) fn close(self) -> (WriteTransaction, CommitNotifier) {
        (self.transaction, CommitNotifier(self.ended))
    }
}

/// The waiters for a commit.
pub(super) struct CommitNotifier(watch::Sender<Ended>);

impl CommitNotifier {
    /// Counts the waiters whose request was not dropped.
    pub(super) fn count(&self) -> usize {
        self.0.receiver_count()
    }

    pub(super) fn notify(self, ended: Result<(), StoreError>) {
        self.0.send_replace(Some(ended));
    }
}

/// A future commit.
pub(super) struct Commit(watch::Receiver<Ended>);

impl Commit {
    pub(super) async fn done(&mut self) -> Result<(), StoreError> {
        match self.0.wait_for(Option::is_some).await.map(|ended| ended.clone()) {
            Ok(Some(ended)) => ended,
            _ => Err(StoreError::new("the commit was interrupted")),
        }
    }
}

/// Accesses the tables. redb can panic on a damaged file; the transaction can't be used after that.
fn guarded<T>(act: impl FnOnce() -> Result<T, redb::Error>) -> Result<T, NotDecided> {
    let done = catch_unwind(AssertUnwindSafe(act));
    let damaged = |_| Err(redb::Error::Corrupted("its pages are inconsistent".to_owned()));
    done.unwrap_or_else(damaged).map_err(NotDecided::Broken)
}

/// The reason why a decision did not run, or was not written.
pub(super) enum NotDecided {
    /// This record can't be read or written; other records can.
    Record(StoreError),
    /// The file can't be read or written.
    Broken(redb::Error),
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for NotDecided {
    fn from(error: E) -> Self {
        Self::Record(StoreError::new(error))
    }
}
