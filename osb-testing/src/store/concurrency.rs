//! Requests at the same time, and requests that end early.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use osb_runtime::store::{Key, Record, Store, StoreError};

use super::{Opened, add_one, due, get, key, put, record, text};

/// Adds a binding, unless it exists, and one to the number in its instance, in one transaction.
async fn bind(store: &dyn Store, instance: &Key, id: &str) -> Result<(), StoreError> {
    let decide = &mut |found: &mut [Option<Record>]| {
        if found[1].is_none() {
            let counted = text(found[0].as_ref()).map_or(0, |text| text.parse::<u32>().expect("a number"));
            found[0] = Some(record(&(counted + 1).to_string(), None));
            found[1] = Some(record("bound", None));
        }
    };
    store.transact(&[instance.clone(), instance.of_binding(id.into())], decide).await
}

/// Asserts that an instance counts its bindings.
async fn assert_counted(store: &dyn Store, instance: &Key) -> usize {
    // One page is one look at the store.
    let all = store.list(None, 1000).await.expect("they can be read");
    let (instances, bindings): (Vec<_>, Vec<_>) = all.iter().partition(|(key, _)| key == instance);
    let counted = instances.first().map_or_else(|| Some("0".to_owned()), |(_, record)| text(record.as_ref().ok()));
    assert_eq!(counted, Some(bindings.len().to_string()), "an instance counts the bindings that were stored with it");
    bindings.len()
}

/// Runs many writers, two of which create the same binding of one instance.
pub(super) async fn concurrent_groups_are_isolated(store: Opened) {
    const BINDINGS: usize = 32;
    let instance = key("", "bound");
    let writers = (0..2 * BINDINGS).map(|writer| {
        let (store, instance) = (Arc::clone(&store), instance.clone());
        tokio::spawn(async move { bind(&*store, &instance, &(writer / 2).to_string()).await })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.expect("it did not panic").expect("it is stored");
    }
    assert_eq!(assert_counted(&*store, &instance).await, BINDINGS);
}

/// Runs many writers that read an instance and a binding, and write one of them: its number becomes the larger one of both and one.
pub(super) async fn records_that_are_only_read_are_isolated_too(store: Opened) {
    const WRITERS: usize = 8;
    const TIMES: usize = 16;
    let instance = key("", "read");
    let group = Arc::new([instance.clone(), instance.of_binding("b".into())]);
    // A store that locks records can't lock one that doesn't exist.
    for key in &*group {
        put(&*store, key, Some(("0", None))).await;
    }
    let number = |record: &Option<Record>| text(record.as_ref()).map_or(0, |text| text.parse().expect("a number"));
    let writers = (0..WRITERS).map(|writer| {
        let (store, group) = (Arc::clone(&store), Arc::clone(&group));
        tokio::spawn(async move {
            for _ in 0..TIMES {
                let decide = &mut |found: &mut [Option<Record>]| {
                    let largest: usize = found.iter().map(number).max().unwrap_or_default();
                    found[writer % 2] = Some(record(&(largest + 1).to_string(), None));
                };
                store.transact(&*group, decide).await.expect("it is stored");
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.expect("it did not panic");
    }
    let mut largest = 0;
    let look = &mut |found: &mut [Option<Record>]| largest = found.iter().map(number).max().unwrap_or_default();
    store.transact(&*group, look).await.expect("they can be read");
    assert_eq!(
        largest,
        WRITERS * TIMES,
        "a decision sees the latest version of each record, also of one that it only reads"
    );
}

/// Runs many writers, each of which increments its own record and a shared one.
pub(super) async fn concurrent_writers_lose_no_update(store: Opened) {
    const WRITERS: usize = 32;
    const TIMES: usize = 8;
    let writers = (0..WRITERS).map(|writer| {
        let (store, own) = (Arc::clone(&store), key("", &format!("own {writer}")));
        tokio::spawn(async move {
            for time in 1..=TIMES {
                add_one(&*store, &own).await.expect("it is stored");
                assert_eq!(get(&*store, &own).await, Some(time.to_string()), "a writer reads its own write");
                add_one(&*store, &key("", "all")).await.expect("it is stored");
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.expect("it did not panic");
    }
    let counted = get(&*store, &key("", "all")).await;
    assert_eq!(counted, Some((WRITERS * TIMES).to_string()), "concurrent writers lose no update");
    assert_eq!(due(&*store, 1, 7).await.len(), WRITERS + 1);
}

/// Lets a decision panic, as the author's code that it calls can.
pub(super) async fn a_panicking_decision_changes_nothing(store: Opened) {
    let (own, other) = (key("", "own"), key("", "other"));
    put(&*store, &own, Some(("before", Some(3)))).await;
    let writer = tokio::spawn({
        let store = Arc::clone(&store);
        async move { put(&*store, &key("", "other"), Some(("written", None))).await }
    });
    let panics =
        AssertUnwindSafe(async { store.transact(std::slice::from_ref(&own), &mut |_| panic!("a mistake")).await });
    assert!(tokio_panics(panics).await, "the panic of a decision is not swallowed");
    writer.await.expect("the other record is written");
    assert_eq!(get(&*store, &own).await.as_deref(), Some("before"));
    assert_eq!(get(&*store, &other).await.as_deref(), Some("written"));
    put(&*store, &own, Some(("after", None))).await;
    assert_eq!(get(&*store, &own).await.as_deref(), Some("after"));
}

async fn tokio_panics<T>(future: impl Future<Output = T>) -> bool {
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(poll) => poll.map(|_| false),
        Err(_) => std::task::Poll::Ready(true),
    })
    .await
}

/// Drops requests at each point where they can wait.
pub(super) async fn a_dropped_request_blocks_no_other(store: Opened) {
    let all = key("", "all");
    for patience in 0..60 {
        let mut impatient = Box::pin(add_one(&*store, &all));
        let patient = add_one(&*store, &all);
        let gives_up = async {
            for _ in 0..patience % 6 {
                tokio::select! {
                    biased;
                    _ = &mut impatient => return,
                    () = tokio::task::yield_now() => {}
                }
            }
            drop(impatient);
        };
        let (patient, ()) = tokio::join!(patient, gives_up);
        patient.expect("a dropped request blocks no other");
    }
    let counted: u32 = get(&*store, &all).await.expect("there").parse().expect("a number");
    assert!((60..=120).contains(&counted), "{counted}");
}

/// Drops requests for groups at each point where they can wait.
pub(super) async fn a_dropped_request_is_stored_whole_or_not_at_all(store: Opened) {
    let instance = key("", "bound");
    for number in 0..60 {
        let id = number.to_string();
        let mut impatient = Box::pin(bind(&*store, &instance, &id));
        for _ in 0..number % 6 {
            tokio::select! {
                biased;
                stored = &mut impatient => {
                    stored.expect("it is stored");
                    break;
                }
                () = tokio::task::yield_now() => {}
            }
        }
    }
    // After all that are dropped, also in a store that continues with them.
    bind(&*store, &instance, "last").await.expect("it is stored");
    assert_counted(&*store, &instance).await;
}

/// Writes until its runtime ends.
pub(super) async fn hammer(store: Opened) {
    loop {
        _ = add_one(&*store, &key("", "hammered")).await;
        tokio::task::yield_now().await;
    }
}
