//! Decisions: on one record as a read and a conditional write, on several as a transaction.

use std::time::Duration;

use deadpool_postgres::Object;
use futures_util::future::{join, join_all};
use osb_runtime::store::{Decision, Key, Phase, Record, StoreError, Timestamp};
use tokio_postgres::{
    Row,
    error::{DbError, Severity, SqlState},
    types::Type,
};

use super::{
    Postgres,
    batch::Change,
    failed,
    statement::{Columns, Value},
    unavailable,
};
use crate::codec::{Codec, Plain};

/// Number of conflicts after which a decision on one record locks it too.
const OPTIMISM: u32 = 2;

/// Number of sessions in a row that a decision gives up because they can't write, although a new one could.
pub(super) const MAX_READ_ONLY: u32 = 4;

/// The longest pause before a decision is run again after a conflict.
const MAX_PAUSE: Duration = Duration::from_millis(200);

/// The reason why a transaction failed.
#[derive(Clone)]
pub(super) enum Failure {
    /// Another decision came first. Nothing was committed.
    Conflict(String),
    /// The server refuses a statement, as when its disk is full. Nothing was committed.
    Refused(StoreError),
    /// The session can't write. Nothing was committed.
    ReadOnly(StoreError),
    /// The connection can't be used any more. Nothing was written.
    Lost(StoreError),
    Other(StoreError),
}

impl Failure {
    /// An error before the commit.
    pub(super) fn of(error: tokio_postgres::Error) -> Self {
        if is_conflict(&error) {
            Self::Conflict(super::readable(&error))
        } else if is_read_only(&error) {
            Self::ReadOnly(failed(error))
        } else if is_lost(&error) {
            Self::Lost(failed(error))
        } else {
            Self::Refused(failed(error))
        }
    }

    /// An error of a commit: without an answer, it may have happened.
    pub(super) fn of_commit(error: tokio_postgres::Error) -> Self {
        if is_conflict(&error) {
            Self::Conflict(super::readable(&error))
        } else if is_read_only(&error) {
            Self::ReadOnly(failed(error))
        } else if severity(&error) == Some(Severity::Error) {
            Self::Refused(failed(error))
        } else {
            Self::Other(failed(error))
        }
    }

    /// An error of a transaction with the writes of several decisions. If the server has rolled it back, each runs again, and
    /// soon alone, so that only the one that is to blame fails.
    pub(super) fn of_several(error: tokio_postgres::Error) -> Self {
        if severity(&error) == Some(Severity::Error) && !is_read_only(&error) {
            Self::Conflict(super::readable(&error))
        } else {
            Self::of_commit(error)
        }
    }

    /// Returns whether the connection is in order. A new one would cost a server that is in trouble another process.
    pub(super) fn leaves_connection(&self) -> bool {
        matches!(self, Self::Conflict(_) | Self::Refused(_) | Self::ReadOnly(_))
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Other(error)
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Conflict(reason) => Self::new(reason),
            Failure::Refused(error) | Failure::ReadOnly(error) | Failure::Lost(error) | Failure::Other(error) => error,
        }
    }
}

fn severity(error: &tokio_postgres::Error) -> Option<Severity> {
    error.as_db_error().and_then(DbError::parsed_severity)
}

/// Returns whether the session can't write. It stays read-only when the database accepts writes again: its server may have been
/// a standby since a failover.
fn is_read_only(error: &tokio_postgres::Error) -> bool {
    error.code() == Some(&SqlState::READ_ONLY_SQL_TRANSACTION)
}

/// Returns whether another connection is needed: this one is broken, was ended by the server, or can't write.
pub(super) fn is_lost(error: &tokio_postgres::Error) -> bool {
    let is_ended = matches!(severity(error), Some(Severity::Fatal | Severity::Panic));
    error.is_closed() || error.code().is_none() || is_ended || is_read_only(error)
}

/// Ends a transaction whose commit the server has refused, as after a request to cancel it: it is still open.
pub(super) async fn end_refused(client: &Object, committed: &Result<(), tokio_postgres::Error>) {
    if committed.as_ref().is_err_and(|error| !is_lost(error)) {
        _ = client.batch_execute("rollback").await;
    }
}

/// Returns whether another transaction is the reason. Two that insert the same key are one, too.
fn is_conflict(error: &tokio_postgres::Error) -> bool {
    let conflicts =
        [&SqlState::T_R_SERIALIZATION_FAILURE, &SqlState::T_R_DEADLOCK_DETECTED, &SqlState::UNIQUE_VIOLATION];
    error.code().is_some_and(|code| conflicts.contains(&code))
}

/// A record as it was read.
struct Before {
    plain: Option<Plain>,
    /// True if it is sealed with the first key.
    is_sealed: bool,
    lease: Option<Timestamp>,
    phase: Phase,
}

impl Before {
    fn none() -> Self {
        Self { plain: None, is_sealed: false, lease: None, phase: Phase::None }
    }
}

/// A change of a record.
pub(super) enum Write {
    Insert(Columns),
    Update(Columns),
    Delete,
}

impl Postgres {
    /// Runs a decision until no other one comes first.
    pub(super) async fn decide(&self, keys: &[Key], decide: Decision<'_>) -> Result<(), StoreError> {
        let encoded: Vec<Vec<u8>> = keys.iter().map(Key::to_bytes).collect();
        let (mut lost, mut read_only, mut conflicts, mut pause) = (false, 0, 0, Duration::from_millis(2));
        loop {
            let done = match encoded.as_slice() {
                [key] if conflicts < OPTIMISM => self.attempt_one(key, &mut *decide).await,
                _ => {
                    let instance = keys.first().map(|key| key.of_instance().to_bytes()).unwrap_or_default();
                    self.attempt(&instance, &encoded, &mut *decide).await
                }
            };
            match done {
                Ok(()) => return Ok(()),
                Err(Failure::Conflict(reason)) => {
                    tracing::debug!(reason, "running a decision again after a conflict");
                    conflicts += 1;
                    tokio::time::sleep(jitter(pause)).await;
                    pause = (pause * 2).min(MAX_PAUSE);
                }
                Err(Failure::ReadOnly(_)) if read_only < MAX_READ_ONLY && self.can_write_again().await => {
                    read_only += 1;
                }
                // The pool may have handed out a connection that the server had closed.
                Err(Failure::Lost(_)) if !lost => {
                    self.close_idle();
                    lost = true;
                }
                Err(failure) => return Err(failure.into()),
            }
        }
    }

    /// Decides on one record: reads it, and writes it if it is still the same. That takes two statements, where a transaction
    /// takes five, and the other records of the instance don't matter to such a decision.
    async fn attempt_one(&self, key: &[u8], decide: Decision<'_>) -> Result<(), Failure> {
        let stored = self.read_stored(key.to_vec()).await?;
        let (before, record) = self.before(key, stored.as_deref())?;
        let mut records = [record];
        decide(&mut records);
        let [record] = &records;
        if let Some(write) = self.write(key, &before, record.as_ref())? {
            self.write_stored(Change { key: key.to_vec(), stored, write }).await?;
        }
        self.notify(key, &before, record.as_ref());
        Ok(())
    }

    /// Decides on records in a transaction that locks them and their instance.
    async fn attempt(&self, instance: &[u8], keys: &[Vec<u8>], decide: Decision<'_>) -> Result<(), Failure> {
        let connection = self.client().await.map_err(unavailable)?;
        let rows = match self.begin(connection.client()?, instance, keys).await {
            Ok(rows) => rows,
            Err(failure) => {
                if failure.leaves_connection() && connection.client()?.batch_execute("rollback").await.is_ok() {
                    connection.release();
                }
                return Err(failure);
            }
        };
        let (mut records, mut before) = (Vec::new(), Vec::new());
        for key in keys {
            let found = rows.iter().find(|row| row.get::<_, &[u8]>(0) == key.as_slice());
            let (was, record) = self.before(key, found.map(|row| row.get(1)))?;
            before.push(was);
            records.push(record);
        }
        decide(&mut records);
        let changed = self.commit(connection.client()?, keys, &before, &records).await;
        // A failed write makes the commit a rollback.
        connection.release_after(&changed);
        changed?;
        for ((key, before), record) in keys.iter().zip(&before).zip(&records) {
            self.notify(key, before, record.as_ref());
        }
        Ok(())
    }

    fn before(&self, key: &[u8], stored: Option<&[u8]>) -> Result<(Before, Option<Record>), StoreError> {
        let Some(stored) = stored else { return Ok((Before::none(), None)) };
        let read = self.codec.open(key, stored).and_then(|plain| Ok((Codec::read(&plain)?, plain)));
        let (record, plain) = read.map_err(StoreError::new)?;
        let (lease, phase) = (record.lease(), record.phase());
        let before = Before { plain: Some(plain), is_sealed: self.codec.seals_as(stored), lease, phase };
        Ok((before, Some(record)))
    }

    /// Returns the change that a decision has made to a record.
    fn write(&self, key: &[u8], before: &Before, record: Option<&Record>) -> Result<Option<Write>, StoreError> {
        let Some(record) = record else { return Ok(before.plain.is_some().then_some(Write::Delete)) };
        let plain = Codec::write(record).map_err(StoreError::new)?;
        let columns = || Columns::of(&self.codec, key, record, &plain).map_err(StoreError::new);
        Ok(match &before.plain {
            Some(known) if *known == plain && before.is_sealed => None,
            Some(_) => Some(Write::Update(columns()?)),
            None => Some(Write::Insert(columns()?)),
        })
    }

    /// Notifies other processes if the operation of a record has ended, can be taken over earlier than before, or was cancelled.
    fn notify(&self, key: &[u8], before: &Before, record: Option<&Record>) {
        let Some(was) = before.lease else { return };
        let lease = record.and_then(Record::lease);
        let is_handed_over = lease.is_some_and(|lease| lease < was);
        let is_cancelled = record.is_some_and(|record| record.phase() != before.phase);
        if lease.is_none() || is_handed_over || is_cancelled {
            self.notifications.send(key, is_handed_over);
        }
    }

    /// Begins a transaction, locks the instance and reads the records, all in one round trip.
    async fn begin(&self, client: &Object, instance: &[u8], keys: &[Vec<u8>]) -> Result<Vec<Row>, Failure> {
        let of_instance: [Value<'_>; 1] = [(&instance, Type::BYTEA)];
        let of_keys: [Value<'_>; 1] = [(&keys, Type::BYTEA_ARRAY)];
        // Prepared before the transaction begins: the first time is a round trip each.
        let lock = self.statements.prepare(client, &self.statements.lock, &of_instance).await.map_err(Failure::of)?;
        let group = self.statements.prepare(client, &self.statements.group, &of_keys).await.map_err(Failure::of)?;
        // Sent in this order, without waiting for the answers in between.
        let (begun, locked, rows, clock) = tokio::join!(
            biased;
            client.batch_execute(self.statements.begin()),
            lock.rows(client, &of_instance),
            group.rows(client, &of_keys),
            self.clock.check(client, &self.statements),
        );
        begun.map_err(Failure::of)?;
        locked.map_err(Failure::of)?;
        let rows = rows.map_err(Failure::of)?;
        clock.map_err(Failure::of)?;
        Ok(rows)
    }

    /// Writes the records that have changed, and commits, in one round trip.
    async fn commit(
        &self,
        client: &Object,
        keys: &[Vec<u8>],
        before: &[Before],
        records: &[Option<Record>],
    ) -> Result<(), Failure> {
        let mut writes = Vec::new();
        for ((key, before), record) in keys.iter().zip(before).zip(records) {
            writes.extend(self.write(key, before, record.as_ref())?.map(|write| (key, write)));
        }
        let statements: Vec<(&str, Vec<Value<'_>>)> = writes
            .iter()
            .map(|(key, write)| match write {
                Write::Insert(columns) => (&*self.statements.insert, columns.values(*key).into()),
                Write::Update(columns) => (&*self.statements.update, columns.values(*key).into()),
                Write::Delete => (&*self.statements.delete, vec![(*key as _, Type::BYTEA)]),
            })
            .collect();
        let mut prepared = Vec::new();
        for (sql, values) in &statements {
            prepared.push(self.statements.prepare(client, sql, values).await.map_err(Failure::of)?);
        }
        // Sent in this order, without waiting for the answers in between.
        let writing = join_all(prepared.iter().zip(&statements).map(|(write, (_, values))| write.rows(client, values)));
        let (written, committed) = join(writing, client.batch_execute("commit")).await;
        end_refused(client, &committed).await;
        for written in written {
            written.map_err(Failure::of_commit)?;
        }
        committed.map_err(Failure::of_commit)
    }
}

/// Returns a random duration up to `pause`, so that transactions that have met don't meet again.
fn jitter(pause: Duration) -> Duration {
    let mut byte = [0];
    // Without randomness it is the whole pause.
    match getrandom::fill(&mut byte) {
        Ok(()) => pause.mul_f64(f64::from(byte[0]) / 255.0),
        Err(_) => pause,
    }
}
