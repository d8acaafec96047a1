//! The search for a session that can write, while those of the pool can't: the database may have become read-only, or its server a
//! standby.

use std::time::Duration;

use tokio::{
    sync::Mutex,
    time::{Instant, sleep_until},
};

use super::{Postgres, connect::Connector};

/// Shortest time between two new sessions: each costs the server a process, and all requests for changes ask for one.
const INTERVAL: Duration = Duration::from_millis(100);

/// The time at which the last search began, and its result. The lock is held during a search, so that requests share it.
#[derive(Default)]
pub(super) struct LastSearch(Mutex<Option<(Instant, bool)>>);

impl Postgres {
    /// Returns whether a session that begins now can write, or none can be had. Then those that are open are not used any more.
    /// It waits for the search of another request.
    pub(super) async fn can_write_again(&self) -> bool {
        let refused = Instant::now();
        let mut last = self.last_search.0.lock().await;
        if let Some((began, found)) = *last {
            if began > refused {
                return found;
            }
            sleep_until(began + INTERVAL).await;
        }
        let began = Instant::now();
        // Without a connection, those of the pool must not be used either: they may lead to a former primary.
        let found = can_write(&self.connector).await.unwrap_or(true);
        if found {
            self.connector.give_up_all();
        }
        *last = Some((began, found));
        found
    }
}

/// Returns whether a new session can write, or `None` if there is none.
async fn can_write(connector: &Connector) -> Option<bool> {
    let (client, connection) = connector.connect().await.ok()?;
    let connection = tokio::spawn(connection);
    let asked = client.query_typed("select current_setting('transaction_read_only') = 'off'", &[]).await;
    drop(client);
    // The server has the session until then.
    _ = connection.await;
    asked.ok()?.first()?.try_get(0).ok()
}
