//! The test suite for stores that several processes share.

use std::{sync::Arc, time::Duration};

use super::{Opened, add_one, due, get, in_runtime, key, put};

/// Tests a store that several processes can open at once: `open` opens the same empty records twice, as two processes would.
/// Such a store passes [`suite`](super::suite), too.
///
/// ```
/// use osb_runtime::store::{Memory, Store};
/// use std::sync::Arc;
///
/// osb_testing::store::shared_suite(|| {
///     let store: Arc<dyn Store> = Arc::new(Memory::new());
///     [Arc::clone(&store), store]
/// });
/// ```
///
/// # Panics
///
/// If the store breaks the contract of [`Store`](osb_runtime::store::Store).
pub fn shared_suite(open: impl Fn() -> [Opened; 2]) {
    in_runtime(2, each_process_sees_what_others_wrote(open()));
    in_runtime(2, processes_lose_no_update_of_each_other(open()));
    in_runtime(2, a_request_that_waits_is_woken(open()));
}

async fn each_process_sees_what_others_wrote([first, second]: [Opened; 2]) {
    assert!(
        !first.take_recovery() && !second.take_recovery(),
        "`take_recovery` is false in a store that another process can have open: its operations may be running"
    );
    let a = key("", "a");
    for time in 0..4_u64 {
        let text = time.to_string();
        let [writer, reader] = if time % 2 == 0 { [&first, &second] } else { [&second, &first] };
        put(&**writer, &a, Some((&text, Some(time)))).await;
        assert_eq!(get(&**reader, &a).await, Some(text), "`read` sees a record that another process has written");
        let at: Vec<u64> = due(&**reader, 9, 9).await.into_iter().map(|due| due.at.as_millis()).collect();
        assert_eq!(at, [time], "`due` sees a time that another process has written");
    }
    put(&*first, &a, None).await;
    assert_eq!(get(&*second, &a).await, None, "`read` sees that another process has removed a record");
}

async fn processes_lose_no_update_of_each_other([first, second]: [Opened; 2]) {
    const WRITERS: usize = 8;
    const TIMES: usize = 16;
    let writers = (0..WRITERS).map(|writer| {
        let store = Arc::clone(if writer % 2 == 0 { &first } else { &second });
        tokio::spawn(async move {
            for _ in 0..TIMES {
                add_one(&*store, &key("", "all")).await.expect("it is stored");
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.expect("it did not panic");
    }
    let counted = get(&*first, &key("", "all")).await;
    assert_eq!(counted, Some((WRITERS * TIMES).to_string()), "no process loses the update of another one");
}

/// Ends an operation in one process while a request in the other one waits for it.
pub(super) async fn a_request_that_waits_is_woken([first, second]: [Opened; 2]) {
    const PATIENCE: Duration = Duration::from_secs(10);
    let a = key("", "a");
    put(&*first, &a, Some(("running", Some(u64::MAX)))).await;
    // The engine calls `changed`, reads the record, and then waits.
    let changed = first.changed(&a);
    put(&*second, &a, Some(("ended", None))).await;
    let woken = tokio::time::timeout(PATIENCE, changed).await;
    assert!(woken.is_ok(), "`changed` completes after a change since its call, though it was first polled later");
}
