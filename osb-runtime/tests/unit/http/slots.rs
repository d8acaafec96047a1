//! Which connection gives way to a new one, and when.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use futures_util::FutureExt as _;
use tokio::{
    task::{JoinHandle, yield_now},
    time::{sleep, timeout},
};

use crate::http::{
    HttpSettings,
    slots::{Slot, Slots},
};

/// The time that a connection has for its head.
const GRACE: Duration = Duration::from_millis(100);

fn slots(limit: usize, has_monitor: bool) -> Arc<Slots> {
    Slots::new(&HttpSettings { max_connections: limit, ..HttpSettings::default() }, has_monitor)
}

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
        let (began, slots) = (Instant::now(), slots(1, false));
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
    let (began, slots) = (Instant::now(), slots(1, false));
    let first = slots.take().await;
    let next = arrive(&slots).await;
    timeout(Duration::from_mins(1), first.state.evicted.notified()).await.expect("it has had its time");
    assert!(began.elapsed() >= GRACE, "{:?}", began.elapsed());
    assert!(!first.begin_request(), "its head comes too late");
    drop(first);
    next.await.expect("it has a slot");
}

#[tokio::test]
async fn a_spare_slot_is_one_for_requests_once_another_is_left() {
    let slots = slots(1, true);
    let first = slots.take().await;
    assert!(first.begin_request() && first.serves_requests());
    let second = slots.take().await;
    assert!(second.begin_request() && !second.serves_requests(), "all slots for requests are taken");
    drop(first);
    assert!(second.serves_requests());
    let third = slots.take().await;
    assert!(!third.serves_requests(), "the second one is in the only slot for requests");
}

#[tokio::test]
async fn no_connection_gives_way_while_a_slot_is_free() {
    let slots = slots(2, true);
    let [first, second, spare] = [slots.take().await, slots.take().await, slots.take().await];
    for slot in [&first, &second, &spare] {
        assert!(slot.begin_request());
    }
    assert!(!spare.serves_requests());
    drop(first);
    second.end_request();
    let next = slots.take().now_or_never().expect("a slot is free");
    assert!(next.serves_requests());
}

/// The next request of that connection may be on the way, and it will give way if not.
#[tokio::test]
async fn a_new_connection_waits_for_one_that_has_just_been_answered() {
    let slots = slots(1, true);
    let first = slots.take().await;
    assert!(first.begin_request());
    first.end_request();
    assert!(slots.take().now_or_never().is_none(), "a spare slot would not serve its requests");
}

/// Its first request is about to come, and no wait would help.
#[tokio::test]
async fn a_probe_does_not_wait_for_a_connection_that_has_just_come() {
    loop {
        let (began, slots) = (Instant::now(), slots(1, true));
        let _first = slots.take().await;
        let probe = slots.take().now_or_never();
        // On a busy machine, the first one may have had its time, and give way.
        if began.elapsed() < GRACE {
            assert!(!probe.expect("it has a spare slot").serves_requests());
            return;
        }
    }
}

#[tokio::test]
async fn one_connection_at_a_time_gives_way() {
    let slots = slots(2, false);
    let [first, second] = [slots.take().await, slots.take().await];
    let began = Instant::now();
    let next = arrive(&slots).await;
    timeout(Duration::from_mins(1), first.state.evicted.notified()).await.expect("it has had its time");
    while began.elapsed() <= GRACE {
        yield_now().await;
    }
    slots.evict();
    assert!(second.begin_request(), "the first one is being closed");
    drop(first);
    next.await.expect("it has a slot");
}

/// It would not leave a slot for requests.
#[tokio::test]
async fn a_new_connection_does_not_wait_for_a_spare_one_that_has_just_been_answered() {
    loop {
        let (began, slots) = (Instant::now(), slots(1, true));
        let first = slots.take().await;
        assert!(first.begin_request());
        let spare = slots.take().await;
        assert!(spare.begin_request() && !spare.serves_requests());
        spare.end_request();
        let next = slots.take().now_or_never();
        // On a busy machine, the spare one may have had its time, and give way.
        if began.elapsed() < GRACE {
            assert!(!next.expect("it has another spare slot").serves_requests());
            return;
        }
    }
}

/// Waits until the connection is evicted, and returns the seconds that took.
async fn evicted(slot: &Slot) -> u64 {
    let began = tokio::time::Instant::now();
    timeout(Duration::from_hours(1), slot.state.evicted.notified()).await.expect("it is evicted");
    began.elapsed().as_secs()
}

#[tokio::test(start_paused = true)]
async fn a_connection_has_a_time_for_its_head_and_a_longer_one_between_requests() {
    let slots = slots(9, false);
    tokio::spawn(Arc::clone(&slots).keep_evicting());
    assert_eq!(evicted(&slots.take().await).await, 10);

    let [idle, begun] = [slots.take().await, slots.take().await];
    assert!(idle.begin_request() && begun.begin_request());
    idle.end_request();
    sleep(Duration::from_mins(5)).await;
    begun.end_request();
    // The next request begins to arrive.
    begun.state.received();
    assert_eq!(evicted(&begun).await, 10);
    assert_eq!(evicted(&idle).await, 620 - 300 - 10);
}

/// [`write_timeout`](HttpSettings::write_timeout) decides how long the client may take.
#[tokio::test(start_paused = true)]
async fn a_connection_whose_answer_is_being_read_is_not_idle() {
    let slots = slots(9, false);
    tokio::spawn(Arc::clone(&slots).keep_evicting());
    let slow = slots.take().await;
    assert!(slow.begin_request());
    slow.end_request();
    slow.state.is_writing.store(true, Ordering::SeqCst);
    sleep(Duration::from_mins(11)).await;
    assert!(slow.state.evicted.notified().now_or_never().is_none());
    slow.state.is_writing.store(false, Ordering::SeqCst);
    assert!(evicted(&slow).await <= 10);
}
