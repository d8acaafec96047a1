//! Disks that are full, slow or broken, and files that are removed or replaced while they are open.

use super::*;

/// A full disk loses no acknowledged write, and writes succeed again when there is space, without a restart.
#[tokio::test]
async fn a_full_disk_fails_writes_until_there_is_space() {
    let disk = Disk::default();
    let store = on(&disk).expect("it opens");
    let long = "long ".repeat(2000);
    let mut kept = 0;
    disk.limit(disk.len_now() + 300_000);
    let error = loop {
        match add(&store, kept, &long).await {
            Ok(()) => kept += 1,
            Err(error) => break error,
        }
        assert!(kept < 1000, "it never gets full");
    };
    assert!(error.to_string().contains("no room"), "{error}");
    assert!(add(&store, kept, &long).await.is_err(), "still full");
    disk.limit(u64::MAX);
    // On a slow machine the store pauses before it tries again.
    finish(async {
        while add(&store, kept, &long).await.is_err() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    for number in 0..=kept {
        assert!(get(&store, &key("", &number.to_string())).await.is_some(), "{number} was answered");
    }
}

/// Each write that fails would let polls and fetches wait until the whole file has been checked again.
#[tokio::test]
async fn a_full_disk_opens_a_large_file_for_reads_and_tries_writes_from_time_to_time() {
    let (disk, opened) = (Disk::default(), Arc::<AtomicU32>::default());
    let count = Arc::clone(&opened);
    let store = on_observed(&disk, move || _ = count.fetch_add(1, Ordering::SeqCst)).expect("it opens");
    let (kept, long) = (key("", "kept"), "long ".repeat(2000));
    put(&store, &kept, Some(("kept", None))).await;
    disk.limit(disk.len_now());
    let mut number = 0;
    while add(&store, number, &long).await.is_ok() {
        number += 1;
    }
    assert_eq!(get(&store, &kept).await.as_deref(), Some("kept"));
    assert!(lock(&store.file.last).reopening > Duration::ZERO, "the read has opened it again");
    lock(&store.file.last).reopening = Duration::from_secs(5);
    add(&store, number, &long).await.expect_err("the disk is full");
    for _ in 0..5 {
        let error = add(&store, number, &long).await.expect_err("it is not tried again");
        assert!(error.to_string().contains("no room"), "{error}");
        assert_eq!(get(&store, &kept).await.as_deref(), Some("kept"));
    }
    assert_eq!(opened.load(Ordering::SeqCst), 3);
    disk.limit(u64::MAX);
    let refusal = lock(&store.file.refusal).take();
    assert!(refusal.is_some_and(|(_, until)| until > Instant::now() + Duration::from_secs(10)));
    add(&store, number, &long).await.expect("there is room");
    assert_eq!(lock(&store.file.last).reopening, Duration::ZERO);
}

#[tokio::test]
async fn a_removed_file_is_not_created_again_while_the_store_is_open() {
    let (folder, path) = Folder::with_path();
    let store = open(&path);
    put(&store, &key("", "a"), Some(("kept", None))).await;
    let elsewhere = folder.next();
    std::fs::rename(&path, &elsewhere).expect("it is moved");
    store.file.broken(redb::Error::PreviousIo);
    for _ in 0..2 {
        let error = add_one(&store, &key("", "a")).await.expect_err("it is gone");
        assert!(error.to_string().contains("does not exist or is empty"), "{error}");
        let files = std::fs::read_dir(folder.0.path()).expect("a folder").count();
        assert!(!path.exists() && files == 1, "an empty file would take its place");
    }
    std::fs::write(&path, "").expect("an empty one is there");
    add_one(&store, &key("", "a")).await.expect_err("it has no records");
    std::fs::rename(&elsewhere, &path).expect("it is restored");
    assert_eq!(get(&store, &key("", "a")).await.as_deref(), Some("kept"));
}

#[tokio::test]
async fn a_file_that_is_deleted_or_replaced_takes_no_more_writes() {
    let folder = Folder::new();
    let (path, aside, other) = (folder.next(), folder.next(), folder.next());
    let store = open(&path);
    put(&store, &key("", "a"), Some(("1", None))).await;
    std::fs::rename(&path, &aside).expect("it is moved");
    drop(open(&other));
    for replaced in [false, true] {
        if replaced {
            std::fs::copy(&other, &path).expect("another file is there");
        }
        let error = add_one(&store, &key("", "a")).await.expect_err("it would be lost");
        assert!(error.to_string().contains("was deleted or replaced while it was open"), "{error}");
        store.file.path.as_ref().expect("it has a path").lock().expect("no panic").checked_until = Instant::now();
        let read = store.read(&key("", "a"), &mut |_| ()).await;
        assert!(read.is_err(), "readiness fails");
    }
    std::fs::rename(&aside, &path).expect("it is restored");
    add_one(&store, &key("", "a")).await.expect("it is the same file");
}

#[tokio::test]
async fn a_file_whose_path_cannot_be_followed_is_not_said_to_be_deleted() {
    let folder = Folder::new();
    let inner = folder.next();
    std::fs::create_dir(&inner).expect("a folder");
    let store = open(&inner.join("records.redb"));
    std::fs::rename(&inner, folder.next()).expect("it is moved");
    std::fs::write(&inner, "").expect("a file is there");
    let error = add_one(&store, &key("", "a")).await.expect_err("it may be another file").to_string();
    assert!(error.contains("which is open, can't be looked up: Not a directory"), "{error}");
}

/// The disk has failed, and the file was restored before the next request.
#[tokio::test]
async fn a_file_that_is_replaced_after_a_failure_is_opened_again() {
    let folder = Folder::new();
    let (path, restored) = (folder.next(), folder.next());
    let store = open(&path);
    put(&store, &key("", "a"), Some(("1", None))).await;
    store.file.broken(redb::Error::PreviousIo);
    std::fs::copy(&path, &restored).expect("it is copied");
    std::fs::rename(&restored, &path).expect("it is restored");
    for number in ["2", "3"] {
        add_one(&store, &key("", "a")).await.expect("it is stored");
        assert_eq!(get(&store, &key("", "a")).await.as_deref(), Some(number));
    }
}

/// Health checks run on the same threads as requests.
#[test]
fn other_tasks_run_while_a_file_on_a_slow_disk_is_opened_again() {
    let (slow, opened) = (Arc::new(std::sync::Mutex::new(())), Arc::<AtomicU32>::default());
    let (slowly, count) = (Arc::clone(&slow), Arc::clone(&opened));
    let opens = move || {
        count.fetch_add(1, Ordering::SeqCst);
        drop(slowly.lock());
    };
    let store = Arc::new(on_observed(&Disk::default(), opens).expect("it opens"));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let read = || {
        let store = Arc::clone(&store);
        runtime.spawn(async move { get(&*store, &key("", "a")).await })
    };
    runtime.block_on(put(&*store, &key("", "a"), Some(("kept", None))));
    let breaks = |openings: u32| {
        let is_slow = slow.lock().expect("no panic");
        store.file.broken(redb::Error::PreviousIo);
        let first = read();
        while opened.load(Ordering::SeqCst) < openings {
            std::thread::yield_now();
        }
        (is_slow, first)
    };
    let (is_slow, first) = breaks(2);
    let second = read();
    let (run, has_run) = std::sync::mpsc::channel();
    runtime.spawn(async move { run.send(()) });
    let has_run = has_run.recv_timeout(Duration::from_secs(10));
    drop(is_slow);
    for read in [first, second] {
        assert_eq!(runtime.block_on(read).expect("no panic").as_deref(), Some("kept"));
    }
    has_run.expect("it ran meanwhile");

    // The file is not open when the store has been closed.
    let (is_slow, first) = breaks(3);
    let (close, is_closed) = std::sync::mpsc::channel();
    let closing = Arc::clone(&store);
    runtime.spawn(async move { close.send(closing.close().await) });
    is_closed.recv_timeout(Duration::from_millis(100)).expect_err("it is still being opened");
    drop(is_slow);
    is_closed.recv().expect("it ends").expect("it is closed");
    // It may have come too late.
    _ = runtime.block_on(first);
}

#[tokio::test]
async fn the_store_recovers_from_a_panic_in_redb() {
    let disk = Disk::default();
    let store = on(&disk).expect("it opens");
    add(&store, 0, "before").await.expect("it is stored");
    disk.panic_once();
    let error = finish(add(&store, 1, "never")).await.expect_err("it panicked");
    assert!(error.to_string().contains("panicked"), "{error}");
    finish(add(&store, 2, "after")).await.expect("it is stored");
    assert_eq!(get(&store, &key("", "0")).await.as_deref(), Some("before"));
    assert_eq!(get(&store, &key("", "1")).await, None);
}
