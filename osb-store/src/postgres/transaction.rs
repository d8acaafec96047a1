//! A decision as a transaction.

use std::time::Duration;

use deadpool_postgres::Object;
use futures_util::future::{join, join_all};
use osb_runtime::store::{Decision, Key, Record, StoreError};
use tokio_postgres::{Row, error::SqlState, types::Type};

use super::{CLOCK_CHECK, Columns, Postgres, Value, failed, unavailable};
use crate::codec::{Codec, Plain};

const BEGIN: &str = "begin";
/// The same for poolers in transaction mode, which don't keep the settings of a session. See [`super::SESSION`].
const BEGIN_WITHOUT_SESSION: &str =
    "begin; set local idle_in_transaction_session_timeout = '5s'; set local statement_timeout = '10s'";
const CLOCK: &str = "select (extract(epoch from clock_timestamp()) * 1000)::bigint";

/// The longest pause before a decision is run again after a conflict.
const MAX_PAUSE: Duration = Duration::from_millis(200);

/// The reason why a transaction failed.
enum Failure {
    /// Another transaction came first. Nothing was committed.
    Conflict(tokio_postgres::Error),
    /// The connection was lost before anything was written.
    Lost(tokio_postgres::Error),
    Other(StoreError),
}

impl Failure {
    /// An error before the commit.
    fn of(error: tokio_postgres::Error) -> Self {
        if is_conflict(&error) {
            Self::Conflict(error)
        } else if error.is_closed() || error.code().is_none() {
            Self::Lost(error)
        } else {
            Self::Other(failed(error))
        }
    }

    /// An error of the commit: without an answer, it may have happened.
    fn of_commit(error: tokio_postgres::Error) -> Self {
        if is_conflict(&error) { Self::Conflict(error) } else { Self::Other(failed(error)) }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Other(error)
    }
}

/// Returns whether another transaction is the reason. Two that insert the same key are one, too.
fn is_conflict(error: &tokio_postgres::Error) -> bool {
    let conflicts =
        [&SqlState::T_R_SERIALIZATION_FAILURE, &SqlState::T_R_DEADLOCK_DETECTED, &SqlState::UNIQUE_VIOLATION];
    error.code().is_some_and(|code| conflicts.contains(&code))
}

/// A connection with an open transaction or statement. Dropped before its end, it is closed, and the server rolls back.
pub(super) struct Open(Option<Object>);

impl Open {
    pub(super) fn new(client: Object) -> Self {
        Self(Some(client))
    }

    pub(super) fn client(&self) -> Result<&Object, StoreError> {
        self.0.as_ref().ok_or_else(|| StoreError::new("the transaction has ended"))
    }

    /// Returns the connection to the pool.
    pub(super) fn ended(mut self) {
        self.0.take();
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(client) = self.0.take() {
            drop(Object::take(client));
        }
    }
}

/// A record as it was read.
struct Before {
    plain: Option<Plain>,
    /// True if it is sealed with the first key.
    is_sealed: bool,
    due: Option<osb_runtime::store::Timestamp>,
}

impl Postgres {
    /// Runs a decision until no other transaction comes first.
    pub(super) async fn decide(&self, keys: &[Key], decide: Decision<'_>) -> Result<(), StoreError> {
        let encoded: Vec<Vec<u8>> = keys.iter().map(Key::to_bytes).collect();
        let instance = keys.first().map(|key| key.of_instance().to_bytes()).unwrap_or_default();
        let (mut lost, mut pause) = (false, Duration::from_millis(2));
        loop {
            match self.attempt(&instance, &encoded, &mut *decide).await {
                Ok(()) => return Ok(()),
                Err(Failure::Conflict(error)) => {
                    tracing::debug!(reason = super::readable(&error), "running a decision again after a conflict");
                    tokio::time::sleep(jitter(pause)).await;
                    pause = (pause * 2).min(MAX_PAUSE);
                }
                // The pool may have handed out a connection that the server had closed.
                Err(Failure::Lost(_)) if !lost => lost = true,
                Err(Failure::Lost(error)) => return Err(failed(error)),
                Err(Failure::Other(error)) => return Err(error),
            }
        }
    }

    async fn attempt(&self, instance: &[u8], keys: &[Vec<u8>], decide: Decision<'_>) -> Result<(), Failure> {
        let open = Open::new(self.client().await.map_err(unavailable)?);
        let mut rows = match self.begin(open.client()?, instance, keys).await {
            Ok(rows) => rows,
            Err(failure) => {
                if let Failure::Conflict(_) = failure
                    && open.client()?.batch_execute("rollback").await.is_ok()
                {
                    open.ended();
                }
                return Err(failure);
            }
        };
        let (mut records, mut before) = (Vec::new(), Vec::new());
        for key in keys {
            let found = rows.iter().position(|row| row.get::<_, &[u8]>(0) == key.as_slice());
            let (plain, is_sealed, record) = match found.map(|index| rows.swap_remove(index)) {
                Some(row) => {
                    let read = self.codec.open(key, row.get(1)).and_then(|plain| Ok((Codec::read(&plain)?, plain)));
                    let (record, plain) = read.map_err(|error| Failure::Other(StoreError::new(error)))?;
                    (Some(plain), self.codec.seals_as(row.get(1)), Some(record))
                }
                None => (None, false, None),
            };
            before.push(Before { plain, is_sealed, due: record.as_ref().and_then(Record::due) });
            records.push(record);
        }
        decide(&mut records);
        let changed = self.commit(open.client()?, keys, &before, &records).await;
        match changed {
            Ok(()) => open.ended(),
            Err(failure) => {
                // A failed write makes the commit a rollback, so the connection is in order.
                if let Failure::Conflict(_) = failure {
                    open.ended();
                }
                return Err(failure);
            }
        }
        for ((key, before), record) in keys.iter().zip(&before).zip(&records) {
            let due = record.as_ref().and_then(Record::due);
            // An operation has ended, or can be taken over earlier than before.
            if let Some(was) = before.due
                && due.is_none_or(|due| due < was)
            {
                self.notifications.send(key, due.is_some());
            }
        }
        Ok(())
    }

    /// Begins a transaction, locks the instance and reads the records, all in one round trip.
    async fn begin(&self, client: &Object, instance: &[u8], keys: &[Vec<u8>]) -> Result<Vec<Row>, Failure> {
        let of_instance: [Value<'_>; 1] = [(&instance, Type::BYTEA)];
        let of_keys: [Value<'_>; 1] = [(&keys, Type::BYTEA_ARRAY)];
        // Prepared before the transaction begins: the first time is a round trip each.
        let lock = self.prepare(client, &self.statements.lock, &of_instance).await.map_err(Failure::of)?;
        let group = self.prepare(client, &self.statements.group, &of_keys).await.map_err(Failure::of)?;
        let clock = self.prepare(client, CLOCK, &[]).await.map_err(Failure::of)?;
        let reads_clock = self.anchor().read_at.elapsed() > CLOCK_CHECK;
        let clock = async { if reads_clock { clock.rows(client, &[]).await.map(Some) } else { Ok(None) } };
        // Sent in this order, without waiting for the answers in between.
        let (begun, locked, rows, time) = tokio::join!(
            biased;
            client.batch_execute(if self.has_sessions { BEGIN } else { BEGIN_WITHOUT_SESSION }),
            lock.rows(client, &of_instance),
            group.rows(client, &of_keys),
            clock,
        );
        begun.map_err(Failure::of)?;
        locked.map_err(Failure::of)?;
        let rows = rows.map_err(Failure::of)?;
        if let Some(time) = time.map_err(Failure::of)? {
            self.set_clock(&time);
        }
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
            let wrong = |error| Failure::Other(StoreError::new(error));
            let (sql, columns) = match record {
                Some(record) => {
                    let plain = Codec::write(record).map_err(wrong)?;
                    let sql = match &before.plain {
                        Some(known) if *known == plain && before.is_sealed => continue,
                        Some(_) => &self.statements.update,
                        None => &self.statements.insert,
                    };
                    (sql, Some(Columns::of(&self.codec, key, record, &plain).map_err(wrong)?))
                }
                None if before.plain.is_some() => (&self.statements.delete, None),
                None => continue,
            };
            writes.push((key, sql, columns));
        }
        let values: Vec<Vec<Value<'_>>> = writes
            .iter()
            .map(|(key, _, columns)| match columns {
                Some(columns) => columns.values(*key).into(),
                None => vec![(*key as _, Type::BYTEA)],
            })
            .collect();
        let mut prepared = Vec::new();
        for ((_, sql, _), values) in writes.iter().zip(&values) {
            prepared.push(self.prepare(client, sql, values).await.map_err(Failure::of)?);
        }
        // Sent in this order, without waiting for the answers in between.
        let writing = join_all(prepared.iter().zip(&values).map(|(write, values)| write.rows(client, values)));
        let (written, committed) = join(writing, client.batch_execute("commit")).await;
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
