//! Which connection gives way to a new one, and when.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{
    task::{JoinHandle, yield_now},
    time::timeout,
};

use crate::http::slots::Slots;

/// The time that a connection has for its head.
const GRACE: Duration = Duration::from_millis(100);

/// A new connection, which waits for a slot.
async fn arrive(slots: &Arc<Slots>) -> JoinHandle<()> {
    let slots = Arc::clone(slots);
    let next = tokio::spawn(async move { drop(slots.take().await) });
    yield_now().await;
    next
}

/// A request may have arrived, and not been read yet, when the next connection does.
#[tokio::test]
async fn a_connection_whose_head_is_read_in_time_does_not_give_way() {
    loop {
        let (began, slots) = (Instant::now(), Slots::new(1, false));
        let first = slots.take().await;
        let next = arrive(&slots).await;
        let has_slot = first.begin_request();
        // On a busy machine, its time may have passed.
        if began.elapsed() < GRACE {
            assert!(has_slot, "it has been evicted");
            assert!(!next.is_finished());
            drop(first);
            return next.await.expect("it has a slot");
        }
    }
}

#[tokio::test]
async fn a_connection_without_a_head_gives_way_after_its_time() {
    let (began, slots) = (Instant::now(), Slots::new(1, false));
    let first = slots.take().await;
    let next = arrive(&slots).await;
    timeout(Duration::from_mins(1), first.state.evicted.notified()).await.expect("it has had its time");
    assert!(began.elapsed() >= GRACE, "{:?}", began.elapsed());
    assert!(!first.begin_request(), "its head comes too late");
    drop(first);
    next.await.expect("it has a slot");
}
