//! Decisions on one record that wait for a connection are batched: the first to get one reads the records of all in one round
//! trip, or writes them in one transaction. The more requests there are, the fewer round trips and commits each of them takes,
//! and a request that is alone waits for no other.

use std::sync::Arc;

use futures_util::future::{join_all, try_join_all};
use osb_runtime::store::StoreError;
use tokio_postgres::{Error, Row, types::Type};

use super::{
    Postgres,
    clock::Clock,
    connections::BusyConnection,
    queue::{ConnectionPermits, Job, Queue, fail},
    schema::Statements,
    statement::Value,
    transaction::{Failure, MAX_READ_ONLY, Write, end_refused, is_lost},
};

/// The reads and writes of a store that wait for a connection.
pub(super) struct Batches {
    permits: ConnectionPermits,
    reads: Queue<Vec<u8>, Option<Vec<u8>>>,
    writes: Queue<Change, ()>,
}

impl Batches {
    pub(super) fn new(connections: usize) -> Self {
        Self { permits: ConnectionPermits::new(connections), reads: Queue::default(), writes: Queue::default() }
    }
}

/// A write of a record that fails if the stored record has changed.
pub(super) struct Change {
    pub(super) key: Vec<u8>,
    pub(super) stored: Option<Vec<u8>>,
    pub(super) write: Write,
}

#[cfg(test)]
impl Batches {
    /// Returns the number of reads that wait.
    pub(super) fn waiting(&self) -> usize {
        self.reads.len()
    }
}

impl Postgres {
    /// Reads a record as it is stored. A session that can't write may lead to a former primary, which lacks the newest records:
    /// they must not be answered as gone. If no other session can write either, its records are those that there are.
    pub(super) async fn read_stored(&self, key: Vec<u8>) -> Result<Option<Vec<u8>>, Failure> {
        for _ in 1..MAX_READ_ONLY {
            match self.read_once(key.clone()).await {
                Err(Failure::ReadOnly(_)) => _ = self.can_write_again().await,
                read => return read,
            }
        }
        self.read_once(key).await
    }

    async fn read_once(&self, key: Vec<u8>) -> Result<Option<Vec<u8>>, Failure> {
        let (statements, clock) = (Arc::clone(&self.statements), Arc::clone(&self.clock));
        let send = |connection, jobs| read_all(statements, clock, connection, jobs);
        self.batches.reads.run(&self.batches.permits, &self.connections, key, send).await
    }

    /// Writes a record if the stored one has not changed.
    pub(super) async fn write_stored(&self, change: Change) -> Result<(), Failure> {
        let statements = Arc::clone(&self.statements);
        let send = |connection, jobs| write_all(statements, connection, jobs);
        self.batches.writes.run(&self.batches.permits, &self.connections, change, send).await
    }
}

async fn read_all(
    statements: Arc<Statements>,
    clock: Arc<Clock>,
    connection: BusyConnection,
    jobs: Vec<Job<Vec<u8>, Option<Vec<u8>>>>,
) {
    let read = async {
        let client = connection.client()?;
        let parts: Vec<[Value<'_>; 1]> = jobs.iter().map(|job| [(&job.input as _, Type::BYTEA)]).collect();
        let first = parts.first().map_or(&[][..], |part| &part[..]);
        let prepared = statements.prepare(client, &statements.read, first).await.map_err(Failure::of)?;
        // Sent in this order, without waiting for the answers in between. One statement for several keys would be planned anew
        // each time, and on a young table without their index.
        let reading = try_join_all(parts.iter().map(|part| prepared.rows(client, part)));
        let read = tokio::try_join!(biased; reading, clock.check(client, &statements));
        match read.map_err(Failure::of)? {
            (_, true) => Err(Failure::ReadOnly(StoreError::new("the database is read-only"))),
            (found, false) => Ok(found),
        }
    };
    let read = read.await;
    connection.release_after(&read);
    match read {
        Ok(found) => {
            for (job, rows) in jobs.into_iter().zip(found) {
                job.answer(Ok(rows.first().map(|row| row.get(0))));
            }
        }
        Err(failure) => fail(jobs, &failure),
    }
}

async fn write_all(statements: Arc<Statements>, connection: BusyConnection, mut jobs: Vec<Job<Change, ()>>) {
    // Transactions that lock in the same order don't wait for each other in a circle.
    jobs.sort_by(|one, other| one.input.key.cmp(&other.input.key));
    let parts: Vec<(&str, Vec<Value<'_>>)> = jobs.iter().map(|job| job.input.statement(&statements)).collect();
    let written = write_parts(&statements, &connection, &parts).await;
    // A failed write makes the commit a rollback.
    connection.release_after(&written);
    match written {
        Ok(written) => {
            for (job, written) in jobs.into_iter().zip(written) {
                job.answer(match written {
                    Ok(rows) if rows.is_empty() => Err(Failure::Conflict("the record has changed".to_owned())),
                    written => written.map(drop).map_err(Failure::of_several),
                });
            }
        }
        Err(failure) => fail(jobs, &failure),
    }
}

/// The rows of a write, which are none if it has written nothing.
type Written = Result<Vec<Row>, Error>;

/// Runs a statement, or several in a transaction. Returns the result of each, or the failure of all.
async fn write_parts(
    statements: &Statements,
    connection: &BusyConnection,
    parts: &[(&str, Vec<Value<'_>>)],
) -> Result<Vec<Written>, Failure> {
    let client = connection.client()?;
    let mut prepared = Vec::new();
    for (sql, values) in parts {
        prepared.push(statements.prepare(client, sql, values).await.map_err(Failure::of)?);
    }
    let writing = join_all(prepared.iter().zip(parts).map(|(write, (_, values))| write.rows(client, values)));
    let all = |written: Vec<Written>| written.into_iter().map(|rows| rows.map(Ok)).collect::<Result<Vec<_>, _>>();
    match parts {
        // Without a session it would have no limits, and could be made long after it was given up.
        [_] if statements.has_sessions => all(writing.await).map_err(Failure::of_commit),
        _ => {
            // A locked record delays the others only for a moment.
            let start = format!("{}; set local lock_timeout = '1s'", statements.begin());
            // Sent in this order, without waiting for the answers in between.
            let (begun, written, committed) =
                tokio::join!(biased; client.batch_execute(&start), writing, client.batch_execute("commit"));
            end_refused(client, &committed).await;
            match begun {
                // Without a transaction, as after a request to cancel its begin, each write has been committed, or has failed.
                Err(error) if !is_lost(&error) => Ok(written),
                begun => {
                    let written = begun.and_then(|()| all(written));
                    written.and_then(|written| committed.map(|()| written)).map_err(Failure::of_several)
                }
            }
        }
    }
}

impl Change {
    /// Returns the statement that makes the change, and returns a row if it has made it.
    fn statement<'a>(&'a self, statements: &'a Statements) -> (&'a str, Vec<Value<'a>>) {
        let same: Value<'_> = (&self.stored, Type::BYTEA);
        match &self.write {
            Write::Insert(columns) => (&statements.insert_new, columns.values(&self.key).into()),
            Write::Update(columns) => {
                (&statements.update_same, columns.values(&self.key).into_iter().chain([same]).collect())
            }
            Write::Delete => (&statements.delete_same, vec![(&self.key, Type::BYTEA), same]),
        }
    }
}
