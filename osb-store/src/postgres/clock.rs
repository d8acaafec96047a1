//! The database's clock, which all processes share.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use deadpool_postgres::Object;
use osb_runtime::store::Timestamp;

use super::{schema::Statements, statement::unsigned};

/// The clock is read again when the last reading is older.
pub(super) const CHECK: Duration = Duration::from_secs(1);

/// A reading whose answer takes longer is not used: it would be late by as much. It is replaced by a reading of the next request.
const LONGEST: Duration = Duration::from_millis(500);

/// The database's time, and the moment at which it was read.
#[derive(Clone, Copy)]
pub(super) struct Anchor {
    pub(super) millis: u64,
    pub(super) read_at: Instant,
}

pub(super) struct Clock(Mutex<Anchor>);

impl Default for Clock {
    fn default() -> Self {
        Self(Mutex::new(Anchor { millis: 0, read_at: Instant::now() }))
    }
}

impl Clock {
    pub(super) fn now(&self) -> Timestamp {
        let Anchor { millis, read_at } = self.anchor();
        let since = u64::try_from(read_at.elapsed().as_millis()).unwrap_or_default();
        Timestamp::from_millis(millis.saturating_add(since))
    }

    /// Reads the clock. Returns whether the session can't write, so that its server may be a former primary.
    pub(super) async fn read(&self, client: &Object, statements: &Statements) -> Result<bool, tokio_postgres::Error> {
        // An operator of another user, in `public`, could fit the types better.
        const SQL: &str = "select (extract(epoch from clock_timestamp()) operator(pg_catalog.*) 1000)::bigint, \
            current_setting('transaction_read_only') = 'on'";
        let asked = Instant::now();
        let rows = statements.rows(client, SQL, &[]).await?;
        let is_first = self.anchor().millis == 0;
        let Some(row) = rows.first() else { return Ok(false) };
        if is_first || asked.elapsed() <= LONGEST {
            self.set(Anchor { millis: unsigned(row.get(0)), read_at: Instant::now() });
        }
        Ok(row.get(1))
    }

    /// Reads the clock as [`read`](Self::read) does, unless that was done a short time ago.
    pub(super) async fn check(&self, client: &Object, statements: &Statements) -> Result<bool, tokio_postgres::Error> {
        if self.anchor().read_at.elapsed() > CHECK { self.read(client, statements).await } else { Ok(false) }
    }

    pub(super) fn set(&self, anchor: Anchor) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = anchor;
    }

    fn anchor(&self) -> Anchor {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
