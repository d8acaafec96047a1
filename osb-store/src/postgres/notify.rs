//! Notifications between the processes of a broker, by `LISTEN` and `NOTIFY`, on a connection of their own.
//!
//! They are sent after the commit: a `NOTIFY` inside of the transaction would take a lock that all commits of the database
//! wait for. A lost one only costs time, because the engine sweeps anyway.

use std::{
    collections::{BTreeSet, HashMap},
    fmt::Write as _,
    future::poll_fn,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use sha2::{Digest, Sha256};
use tokio::{
    sync::Notify,
    task::JoinHandle,
    time::{sleep, timeout},
};
use tokio_postgres::{AsyncMessage, types::Type};

use super::{connect::Connector, statement::Value, url::STATEMENT_TIMEOUT};

/// Payload for operations that were handed over; others are the hash of a key.
const HANDED_OVER: &str = "due";

/// Pause between attempts to connect. A connection that breaks is replaced at once, but not more often than this.
const RECONNECT: Duration = Duration::from_secs(2);

/// Pause between two statements that notify: changes in the meantime share one statement. Each statement locks the whole
/// database, and wakes every process that listens.
const TOGETHER: Duration = Duration::from_millis(5);

/// The settings of the session. A commit of `NOTIFY` need not wait for the disk. The session is idle by nature; PostgreSQL 13 has
/// no limit to that.
const SESSION: &str = "set synchronous_commit = off; \
    select set_config(name, '0', false) from pg_catalog.pg_settings where name = 'idle_session_timeout'";

/// Maximum number of notifications that are kept for a connection that is broken.
const MAX_OUTGOING: usize = 10_000;

/// The longest time that sending the last notifications may take.
const LAST: Duration = Duration::from_secs(1);

/// Interval at which a record is read while notifications arrive, in case one was lost.
const SLOW: Duration = Duration::from_secs(5);
/// The same while none arrive.
const FAST: Duration = Duration::from_millis(250);

/// The notifications that this process waits for and sends.
#[derive(Debug, Default)]
pub(super) struct Notifications {
    watched: Mutex<HashMap<String, (usize, Arc<Notify>)>>,
    handed_over: Notify,
    outgoing: Mutex<BTreeSet<String>>,
    has_outgoing: Notify,
    /// Those that a statement is sending.
    on_the_way: Mutex<Vec<String>>,
    is_listening: AtomicBool,
    task: Mutex<Option<JoinHandle<()>>>,
    /// Set when the store is closed or dropped, and the task ends for good.
    is_stopped: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn payload(key: &[u8]) -> String {
    let digest = Sha256::digest(key);
    digest.iter().take(8).fold(String::new(), |mut text, byte| {
        _ = write!(text, "{byte:02x}");
        text
    })
}

/// A registration for the changes of a record.
struct Watch<'a> {
    of: &'a Notifications,
    payload: String,
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        let mut watched = lock(&self.of.watched);
        if let Some((watchers, _)) = watched.get_mut(&self.payload) {
            *watchers -= 1;
            if *watchers == 0 {
                watched.remove(&self.payload);
            }
        }
    }
}

impl Notifications {
    /// Completes when a record may have changed, or after a time. It is registered from the call on.
    pub(super) fn changed<'a>(&'a self, key: &[u8]) -> impl Future<Output = ()> + Send + use<'a> {
        let notified = self.notified(key);
        async move {
            let pause = if self.is_listening.load(Ordering::Relaxed) { SLOW } else { FAST };
            tokio::select! {
                () = notified => {}
                () = sleep(pause) => {}
            }
        }
    }

    /// Completes when a notification of a record arrives, or one may have been lost. It is registered from the call on.
    pub(super) fn notified<'a>(&'a self, key: &[u8]) -> impl Future<Output = ()> + Send + use<'a> {
        let payload = payload(key);
        let notify = {
            let mut watched = lock(&self.watched);
            let (watchers, notify) = watched.entry(payload.clone()).or_default();
            *watchers += 1;
            Arc::clone(notify)
        };
        let watch = Watch { of: self, payload };
        // `notify_waiters` reaches it from here on, polled or not.
        let notified = notify.notified_owned();
        async move {
            notified.await;
            drop(watch);
        }
    }

    pub(super) async fn handed_over(&self) {
        self.handed_over.notified().await;
    }

    /// Tells the other processes that the operation of a record has ended, or was handed over or cancelled.
    pub(super) fn send(&self, key: &[u8], is_handed_over: bool) {
        // While this process can't send, others may listen, and would wait for long.
        if lock(&self.task).is_some() {
            let handed_over = is_handed_over.then(|| HANDED_OVER.to_owned());
            self.enqueue([payload(key)].into_iter().chain(handed_over));
        }
    }

    fn enqueue(&self, payloads: impl IntoIterator<Item = String>) {
        let mut outgoing = lock(&self.outgoing);
        if outgoing.len() < MAX_OUTGOING {
            outgoing.extend(payloads);
        }
        self.has_outgoing.notify_one();
    }

    /// Starts the task that sends and receives, unless it runs. It ends when the store is closed or dropped, or with the runtime
    /// that it was started in.
    pub(super) fn start(self: &Arc<Self>, connector: &Connector, listen: &str, notify: &str) {
        let mut task = lock(&self.task);
        if !self.is_stopped.load(Ordering::Relaxed) && task.as_ref().is_none_or(JoinHandle::is_finished) {
            let (this, connector) = (Arc::clone(self), connector.clone());
            let (listen, notify) = (listen.to_owned(), notify.to_owned());
            *task = Some(tokio::spawn(async move {
                let mut replaced_at: Option<Instant> = None;
                loop {
                    let error = this.exchange(&connector, &listen, &notify).await;
                    if this.is_stopped.load(Ordering::Relaxed) {
                        return;
                    }
                    let was_listening = this.is_listening.swap(false, Ordering::Relaxed);
                    if was_listening {
                        tracing::warn!(
                            error,
                            "notifications from the database stopped; records are polled until they resume"
                        );
                    }
                    this.wake_all();
                    // The database may not have received them.
                    let unconfirmed = std::mem::take(&mut *lock(&this.on_the_way));
                    this.enqueue(unconfirmed);
                    if was_listening && replaced_at.is_none_or(|at| at.elapsed() >= RECONNECT) {
                        replaced_at = Some(Instant::now());
                    } else {
                        sleep(RECONNECT).await;
                    }
                }
            }));
        }
    }

    #[cfg(test)]
    pub(super) fn is_listening(&self) -> bool {
        self.is_listening.load(Ordering::Relaxed)
    }

    /// Returns the number of notifications that have been sent, and not yet confirmed.
    #[cfg(test)]
    pub(super) fn on_the_way(&self) -> usize {
        lock(&self.on_the_way).len()
    }

    /// Returns the number of records whose changes are waited for.
    #[cfg(test)]
    pub(super) fn watched(&self) -> usize {
        lock(&self.watched).len()
    }

    /// Ends the exchange, with its connection, when it has sent the pending notifications.
    pub(super) fn finish(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
        self.has_outgoing.notify_one();
    }

    /// Ends the exchange, and sends pending notifications on a connection of its own: the runtime of the exchange may have ended.
    pub(super) async fn stop(&self, connector: &Connector, notify: &str) {
        self.is_stopped.store(true, Ordering::Relaxed);
        if let Some(task) = lock(&self.task).take() {
            task.abort();
        }
        self.is_listening.store(false, Ordering::Relaxed);
        let outgoing = std::mem::take(&mut *lock(&self.outgoing));
        let left: Vec<String> = outgoing.into_iter().chain(lock(&self.on_the_way).drain(..)).collect();
        if left.is_empty() {
            return;
        }
        let send = async {
            let (client, connection) = connector.connect().await.map_err(|error| error.to_string())?;
            let values: [Value<'_>; 1] = [(&left, Type::TEXT_ARRAY)];
            tokio::select! {
                sent = client.query_typed(notify, &values) => sent.map(drop).map_err(|error| super::readable(&error)),
                ended = connection => ended.map_err(|error| super::readable(&error)),
            }
        };
        if let Ok(Err(error)) = timeout(LAST, send).await {
            tracing::debug!(error, "the last notifications can't be sent");
        }
    }

    /// Sends and receives until the connection fails; returns the reason.
    async fn exchange(&self, connector: &Connector, listen: &str, notify: &str) -> String {
        const SILENT: &str = "the database doesn't answer";
        let (client, mut connection) = match connector.connect().await {
            Ok(connected) => connected,
            Err(error) => return error.to_string(),
        };
        // Other processes may have theirs with another server then.
        let mut given_up = connector.given_up_at.subscribe();
        let receive = async {
            loop {
                match poll_fn(|context| connection.poll_message(context)).await {
                    Some(Ok(AsyncMessage::Notification(notification))) => self.received(notification.payload()),
                    Some(Ok(_)) => {}
                    Some(Err(error)) => return super::readable(&error),
                    None => return "the connection was closed".to_owned(),
                }
            }
        };
        let send = async {
            let prepared = async {
                client.batch_execute(listen).await?;
                client.batch_execute(SESSION).await?;
                client.prepare(notify).await
            };
            let notify = match timeout(STATEMENT_TIMEOUT, prepared).await {
                Ok(Ok(notify)) => notify,
                Ok(Err(error)) => return super::readable(&error),
                Err(_) => return SILENT.to_owned(),
            };
            self.is_listening.store(true, Ordering::Relaxed);
            // Notifications that were sent before are lost.
            self.wake_all();
            self.handed_over.notify_one();
            loop {
                // Without anything to send, it still shows whether the connection works.
                _ = timeout(STATEMENT_TIMEOUT, self.has_outgoing.notified()).await;
                let payloads: Vec<String> = std::mem::take(&mut *lock(&self.outgoing)).into_iter().collect();
                lock(&self.on_the_way).clone_from(&payloads);
                match timeout(STATEMENT_TIMEOUT, client.execute(&notify, &[&payloads])).await {
                    Ok(Ok(_)) => {}
                    Ok(Err(error)) => return super::readable(&error),
                    Err(_) => return SILENT.to_owned(),
                }
                lock(&self.on_the_way).clear();
                if self.is_stopped.load(Ordering::Relaxed) && lock(&self.outgoing).is_empty() {
                    return "the store was dropped".to_owned();
                }
                sleep(TOGETHER).await;
            }
        };
        tokio::select! {
            reason = receive => reason,
            reason = send => reason,
            _ = given_up.changed() => "its server may no longer be the primary".to_owned(),
        }
    }

    fn received(&self, payload: &str) {
        if payload == HANDED_OVER {
            self.handed_over.notify_one();
        } else if let Some((_, notify)) = lock(&self.watched).get(payload) {
            notify.notify_waiters();
        }
    }

    fn wake_all(&self) {
        lock(&self.watched).values().for_each(|(_, notify)| notify.notify_waiters());
    }
}
