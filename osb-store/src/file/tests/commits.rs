//! Decisions that share a commit, wait for it, and survive a power cut.

use std::sync::atomic::AtomicU64;

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_decisions_share_a_commit() {
    const WRITERS: u64 = 64;
    const TIMES: u64 = 8;
    let disk = Disk::default();
    let store = Arc::new(on(&disk).expect("it opens"));
    let before = disk.syncs();
    let writers = (0..WRITERS).map(|writer| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            for _ in 0..TIMES {
                add_one(&*store, &key("", &writer.to_string())).await.expect("it is stored");
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        finish(writer).await.expect("it did not panic");
    }
    let syncs = disk.syncs() - before;
    assert!(syncs < WRITERS * TIMES / 8, "{syncs} syncs for {} decisions", WRITERS * TIMES);
}

/// Pretends that the last commit had this number of waiters and took this long.
fn last_commit(store: &Redb, expected_waiters: usize, delay: Duration) {
    let last = LastCommit { expected_waiters, delay, ..LastCommit::default() };
    *store.file.last.lock().expect("not poisoned") = last;
}

/// Longer than any test.
const HOUR: Duration = Duration::from_hours(1);

#[tokio::test]
async fn a_commit_waits_for_as_many_decisions_as_the_last_one_had() {
    let disk = Disk::default();
    let store = on(&disk).expect("it opens");
    let syncs = disk.syncs();
    add(&store, 0, "alone").await.expect("it is stored");
    let once = disk.syncs() - syncs;
    last_commit(&store, 3, HOUR);
    let (first, second) = (add(&store, 1, "back"), add(&store, 2, "back"));
    let third = async {
        // Gives the runtime time to commit the other two, which it must not do yet.
        for _ in 0..100 {
            yield_now().await;
        }
        add(&store, 3, "back at last").await
    };
    let (first, second, third) = finish(async { tokio::join!(first, second, third) }).await;
    first.and(second).and(third).expect("they are stored");
    assert_eq!(disk.syncs() - syncs, 2 * once, "they share a commit");
    assert_eq!(store.file.last().expected_waiters, 3);
}

#[tokio::test]
async fn a_commit_is_delayed_once_and_no_longer_than_the_last_one_took() {
    const TOOK: Duration = Duration::from_millis(20);
    let store = on(&Disk::default()).expect("it opens");
    last_commit(&store, 2, TOOK);
    let began = Instant::now();
    finish(add(&store, 0, "alone")).await.expect("it is stored");
    assert!(began.elapsed() >= TOOK, "{:?}", began.elapsed());
    last_commit(&store, store.file.last().expected_waiters, HOUR);
    finish(add(&store, 1, "still alone")).await.expect("it is stored");
}

#[tokio::test]
async fn a_dropped_request_does_not_delay_the_next_commit() {
    let store = on(&Disk::default()).expect("it opens");
    last_commit(&store, 2, Duration::from_millis(20));
    assert!(poll_once(&store, 0).await, "it waits for a second decision");
    finish(async {
        while get(&store, &key("", "0")).await.is_none() {
            yield_now().await;
        }
    })
    .await;
    last_commit(&store, store.file.last().expected_waiters, HOUR);
    finish(add(&store, 1, "next")).await.expect("it is stored");
}

#[tokio::test]
async fn a_commit_may_begin_later_than_waiters_look_for_its_task() {
    let store = on(&Disk::default()).expect("it opens");
    last_commit(&store, 2, ORPHAN_CHECK + Duration::from_millis(200));
    finish(add(&store, 1, "alone")).await.expect("it is stored");
}

/// Polls a request that adds a record once, and drops it. Returns true if it was pending.
async fn poll_once(store: &Redb, number: u32) -> bool {
    let mut adding = std::pin::pin!(add(store, number, "one"));
    std::future::poll_fn(|context| std::task::Poll::Ready(adding.as_mut().poll(context))).await.is_pending()
}

/// Two runtimes share a store, and the runtime with the committing task ends before the commit.
#[test]
fn a_batch_whose_runtime_ended_fails() {
    let folder = Folder::new();
    let store = open(&folder.next());
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (first, second) = (runtime(), runtime());
    assert!(first.block_on(poll_once(&store, 1)), "it waits for its commit, which has not begun");
    let mut waits = Box::pin(add(&store, 2, "other"));
    let began = second
        .block_on(std::future::poll_fn(|context| std::task::Poll::Ready(waits.as_mut().poll(context).is_pending())));
    assert!(began, "it waits for the same commit");
    drop(first);
    let error = second.block_on(finish(waits)).expect_err("it was not committed");
    assert_eq!(error.to_string(), "the store failed: the commit was interrupted");
    second.block_on(finish(add(&store, 3, "next"))).expect("it is stored");
}

/// After a power cut at any write, acknowledged decisions are complete, and others may be missing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_decisions_survive_a_power_cut() {
    const WRITERS: usize = 8;
    let disk = Disk::default();
    let store = Arc::new(on(&disk).expect("it opens"));
    let answered: Arc<Vec<AtomicU64>> = Arc::new((0..WRITERS).map(|_| AtomicU64::new(0)).collect());
    let writers = (0..WRITERS).map(|writer| {
        let (store, answered) = (Arc::clone(&store), Arc::clone(&answered));
        tokio::spawn(async move {
            loop {
                add_one(&*store, &key("", &writer.to_string())).await.expect("it is stored");
                answered[writer].fetch_add(1, Ordering::SeqCst);
                yield_now().await;
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    for cut in 0..100 {
        disk.next_write().await;
        let acknowledged: Vec<_> = answered.iter().map(|count| count.load(Ordering::SeqCst)).collect();
        let after = on(&disk.cut(cut)).expect("it opens after the cut");
        for (writer, acknowledged) in acknowledged.iter().enumerate() {
            let found =
                get(&after, &key("", &writer.to_string())).await.map_or(0, |said| said.parse().expect("a number"));
            assert!(found >= *acknowledged, "cut {cut}, writer {writer}: {acknowledged} acknowledged, {found} found");
        }
        let due = after.due(Timestamp::MAX, None, 100).await.expect("they can be read");
        let uses = after.plan_usage().await.expect("they can be read");
        assert_eq!(u64::try_from(due.len()).ok(), Some(uses.iter().map(|one| one.instances).sum()), "indexes agree");
    }
    for writer in writers {
        writer.abort();
    }
}

/// A crash would lose the change that the decision has seen.
#[tokio::test]
async fn a_decision_that_changes_nothing_waits_until_what_it_has_seen_is_durable() {
    let folder = Folder::new();
    let (store, key) = (open(&folder.next()), key("", "a"));
    let seen_in_file = async {
        let mut seen = None;
        let mut look = |found: &mut [Option<Record>]| seen = suite::text(found[0].as_ref());
        store.transact(std::slice::from_ref(&key), &mut look).await.expect("it is read");
        assert_eq!(seen.as_deref(), Some("new"), "it has seen the change");
        get(&store, &key).await
    };
    // A read sees the last commit.
    let ((), durable) = tokio::join!(biased; put(&store, &key, Some(("new", None))), seen_in_file);
    assert_eq!(durable.as_deref(), Some("new"));
}
