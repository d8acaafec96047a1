//! The connections of a store. While the server refuses further ones, requests share those that are open.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use deadpool_postgres::{HookError, Object, Pool, PoolError, TimeoutType};
use osb_runtime::store::StoreError;
use tokio::{
    sync::{Notify, watch},
    time::sleep,
};
use tokio_postgres::error::SqlState;

use super::{connect::Connector, transaction::Failure};

/// Pause after a refusal: each attempt to connect costs the server a process.
pub(super) const REFUSAL: Duration = Duration::from_secs(2);

/// A pool that may get fewer connections than it asks for. Clones share it.
#[derive(Clone)]
pub(super) struct Connections {
    pub(super) pool: Pool,
    /// The end of the pause after the last refusal.
    refused_until: Arc<Mutex<Option<Instant>>>,
    returned: Arc<Notify>,
    /// The flag and the time of the [`Connector`].
    some_have_ended: Arc<AtomicBool>,
    given_up_at: Arc<watch::Sender<Instant>>,
}

impl Connections {
    pub(super) fn new(pool: Pool, connector: &Connector) -> Self {
        let (some_have_ended, given_up_at) =
            (Arc::clone(&connector.some_have_ended), Arc::clone(&connector.given_up_at));
        Self { pool, refused_until: Arc::default(), returned: Arc::default(), some_have_ended, given_up_at }
    }

    /// Returns a connection of the pool. If the server refuses a new one, waits for one that is in use.
    pub(super) async fn get(&self) -> Result<BusyConnection, PoolError> {
        // The pool would log a warning for each of them, without the reason, which the connector has logged.
        if self.some_have_ended.swap(false, Ordering::Relaxed) {
            let given_up_at = *self.given_up_at.borrow();
            self.pool.retain(|client, metrics| !client.is_closed() && metrics.created >= given_up_at);
        }
        loop {
            if !self.is_refused() || self.has_idle_or_none() {
                match self.pool.get().await {
                    Err(error) if is_refusal(&error) && self.pool.status().size > 0 => {
                        self.refused(&error);
                        // While this request tried, a connection that was returned did not count as idle.
                        continue;
                    }
                    got => {
                        let (returned, given_up_at) = (Arc::clone(&self.returned), Arc::clone(&self.given_up_at));
                        return Ok(BusyConnection { client: Some(got?), returned, given_up_at });
                    }
                }
            }
            tokio::select! {
                () = self.returned.notified() => {}
                () = sleep(REFUSAL) => {}
            }
        }
    }

    fn is_refused(&self) -> bool {
        let until = *self.refused_until.lock().unwrap_or_else(PoisonError::into_inner);
        until.is_some_and(|until| Instant::now() < until)
    }

    /// Returns true if a connection is idle. Without any connection there is none to wait for.
    fn has_idle_or_none(&self) -> bool {
        let status = self.pool.status();
        status.available > 0 || status.size == 0
    }

    fn refused(&self, error: &PoolError) {
        // Several requests may have tried at once.
        if !self.is_refused() {
            let (open, error) = (self.pool.status().size, reason(error));
            tracing::warn!(open, error, "the database refuses further connections; requests share the open ones");
        }
        let until = Instant::now() + REFUSAL;
        *self.refused_until.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
    }
}

fn is_refusal(error: &PoolError) -> bool {
    matches!(error, PoolError::Backend(error) if error.code() == Some(&SqlState::TOO_MANY_CONNECTIONS))
}

/// Formats an error of the pool, whose own texts are about its slots and objects.
pub(super) fn reason(error: &PoolError) -> String {
    match error {
        PoolError::Timeout(TimeoutType::Wait) => "all connections are in use".to_owned(),
        PoolError::Timeout(_) | PoolError::PostCreateHook(HookError::Message(_)) => {
            "the database doesn't answer".to_owned()
        }
        // A hook prepares each new session.
        PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => super::readable(error),
        other => super::readable(other),
    }
}

/// A connection with an open transaction or statement. Dropped before its end, it is closed, and the server rolls back.
pub(super) struct BusyConnection {
    client: Option<Object>,
    returned: Arc<Notify>,
    given_up_at: Arc<watch::Sender<Instant>>,
}

impl BusyConnection {
    pub(super) fn client(&self) -> Result<&Object, StoreError> {
        self.client.as_ref().ok_or_else(|| StoreError::new("the transaction has ended"))
    }

    /// Returns the connection to the pool, unless all were given up meanwhile.
    pub(super) fn release(mut self) {
        let given_up_at = *self.given_up_at.borrow();
        self.client.take_if(|client| Object::metrics(client).created >= given_up_at);
    }

    /// Returns the connection to the pool, unless a failure has left it in disorder.
    pub(super) fn release_after<T>(self, done: &Result<T, Failure>) {
        if done.as_ref().err().is_none_or(Failure::leaves_connection) {
            self.release();
        }
    }
}

impl Drop for BusyConnection {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            drop(Object::take(client));
        }
        self.returned.notify_one();
    }
}
