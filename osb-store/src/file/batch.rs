//! Batches: decisions that share a commit.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use redb::WriteTransaction;
use tokio::{
    sync::{Notify, watch},
    task::JoinHandle,
};

use super::tables::{self, Facts};
use osb_runtime::store::{Decision, Key, Record, StoreError};

use crate::{
    codec::{Codec, Plain},
    failpoint,
};

/// The result of a commit, once it has ended.
type Ended = Option<Result<(), StoreError>>;

/// Decisions on records, and the waiters for their commit.
pub(super) struct Batch {
    changes: Changes,
    ended: watch::Sender<Ended>,
    /// Expected number of waiters.
    expected_waiters: usize,
    /// Notified when that number is reached.
    is_full: Arc<Notify>,
    /// The task that will commit the batch; it ends with its runtime.
    committer: Option<JoinHandle<()>>,
}

/// A write transaction, and the records that the decisions of a batch have seen, by their keys. Each is read once, and written
/// once, however many decisions change it.
pub(super) struct Changes {
    transaction: WriteTransaction,
    codec: Codec,
    records: BTreeMap<Vec<u8>, Seen>,
}

/// A record that a batch has read.
struct Seen {
    /// True if the record is the same as in the last commit.
    is_durable: bool,
    /// The indexed facts of the record, before and after this batch.
    before: Facts,
    after: Facts,
    plain: Option<Plain>,
    /// The record that `plain` encodes.
    record: Option<Record>,
    /// True while a decision has the record. A decision that panicked has not given the record back, which then has to be read again.
    is_taken: bool,
}

impl Batch {
    pub(super) fn new(transaction: WriteTransaction, codec: Codec, expected_waiters: usize) -> Self {
        Self {
            changes: Changes { transaction, codec, records: BTreeMap::new() },
            ended: watch::Sender::default(),
            expected_waiters,
            is_full: Arc::default(),
            committer: None,
        }
    }

    /// Lets `decide` see and change records. Returns the commit to wait for, unless the records that `decide` saw are durable
    /// and stay unchanged.
    pub(super) fn decide(&mut self, keys: &[Key], decide: Decision<'_>) -> Result<Option<Commit>, BatchError> {
        let keys: Vec<Vec<u8>> = keys.iter().map(Key::to_bytes).collect();
        let mut records = keys.iter().map(|key| self.changes.take(key)).collect::<Result<Vec<_>, _>>()?;
        // This may panic, or a record may not be encoded. Nothing has been changed yet.
        decide(&mut records);
        let plain = records.iter().map(|record| record.as_ref().map(Codec::write).transpose());
        let plain = plain.collect::<Result<Vec<_>, _>>()?;
        let mut is_durable = true;
        for ((key, record), plain) in keys.iter().zip(records).zip(plain) {
            is_durable &= self.changes.keep(key, record, plain);
        }
        if is_durable {
            return Ok(None);
        }
        failpoint::reach("store.decided");
        Ok(Some(self.commit()))
    }

    fn commit(&self) -> Commit {
        let commit = Commit(self.ended.subscribe());
        if self.ended.receiver_count() >= self.expected_waiters {
            self.is_full.notify_one();
        }
        commit
    }

    pub(super) fn has_changes(&self) -> bool {
        self.changes.records.values().any(|seen| !seen.is_durable)
    }

    /// Starts the task that commits the batch, unless it runs. It gets the notification that the expected number of waiters is
    /// reached.
    pub(super) fn commit_by(&mut self, start: impl FnOnce(Arc<Notify>) -> JoinHandle<()>) {
        self.committer.get_or_insert_with(|| start(Arc::clone(&self.is_full)));
    }

    /// Returns true if the task that should commit the batch has ended without doing so.
    pub(super) fn is_orphaned(&self) -> bool {
        self.committer.as_ref().is_some_and(JoinHandle::is_finished)
    }

    /// Returns the changes, to be committed or dropped, and the waiters, to be notified of the result.
    pub(super) fn close(self) -> (Changes, CommitNotifier) {
        (self.changes, CommitNotifier(self.ended))
    }
}

impl Changes {
    /// Returns a record as the last decision left it, and reads it before the first. It has to be given back with
    /// [`keep`](Self::keep); otherwise it stays unchanged.
    fn take(&mut self, key: &[u8]) -> Result<Option<Record>, BatchError> {
        let read = |plain: &Option<Plain>| plain.as_ref().map(|plain| Codec::read(plain)).transpose();
        if let Some(seen) = self.records.get_mut(key) {
            let is_missing = std::mem::replace(&mut seen.is_taken, true);
            return if is_missing { Ok(read(&seen.plain)?) } else { Ok(seen.record.take()) };
        }
        let stored = guarded(|| tables::current(&self.transaction, key))?;
        let plain = stored.as_ref().map(|stored| self.codec.open(key, stored)).transpose()?;
        let record = read(&plain)?;
        let before = Facts::of(record.as_ref());
        // A record that is sealed with an older key is written again, which reseals it.
        let is_durable = stored.is_none_or(|stored| self.codec.seals_as(&stored));
        self.records.insert(
            key.to_vec(),
            Seen { is_durable, after: before.clone(), before, plain, record: None, is_taken: true },
        );
        Ok(record)
    }

    /// Keeps a record after a decision. Returns whether it is durable already.
    fn keep(&mut self, key: &[u8], record: Option<Record>, plain: Option<Plain>) -> bool {
        let Some(seen) = self.records.get_mut(key) else { return true };
        if seen.plain != plain {
            seen.is_durable = false;
            seen.after = Facts::of(record.as_ref());
            seen.plain = plain;
        }
        (seen.record, seen.is_taken) = (record, false);
        seen.is_durable
    }

    /// Writes the changed records, and commits them.
    pub(super) fn commit(self) -> Result<(), BatchError> {
        for (key, seen) in self.records.iter().filter(|(_, seen)| !seen.is_durable) {
            let stored = seen.plain.as_ref().map(|plain| self.codec.seal(key, plain)).transpose()?;
            let put = tables::put(&self.transaction, key, stored.as_deref(), &seen.before, &seen.after);
            put.map_err(BatchError::Broken)?;
        }
        failpoint::reach("store.put");
        self.transaction.commit().map_err(|error| BatchError::Broken(error.into()))
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
fn guarded<T>(act: impl FnOnce() -> Result<T, redb::Error>) -> Result<T, BatchError> {
    let done = catch_unwind(AssertUnwindSafe(act));
    let damaged = |_| Err(redb::Error::Corrupted("its pages are inconsistent".to_owned()));
    done.unwrap_or_else(damaged).map_err(BatchError::Broken)
}

/// The reason why a decision did not run, or was not committed.
pub(super) enum BatchError {
    /// This record can't be read or written; other records can.
    Record(StoreError),
    /// The file can't be read or written.
    Broken(redb::Error),
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for BatchError {
    fn from(error: E) -> Self {
        Self::Record(StoreError::new(error))
    }
}
