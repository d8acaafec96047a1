//! Waiting for a condition.

use std::time::{Duration, Instant};

/// The longest wait, by the clock of the machine: tests set tokio's.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until a condition holds.
///
/// # Panics
///
/// If it doesn't hold after 30 s.
#[track_caller]
pub fn until(mut holds: impl AsyncFnMut() -> bool) -> impl Future<Output = ()> {
    let (end, from) = (Instant::now() + PATIENCE, std::panic::Location::caller());
    async move {
        while !holds().await {
            assert!(Instant::now() < end, "the condition at {from} does not come to hold");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}
