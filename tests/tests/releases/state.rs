//! States of an earlier version, of a later version, and unreadable ones.

use osb_lab::{
    prelude::*,
    releases::{
        first::{FirstBroker, Stores as FirstStores},
        ids::{BASIC, PLUS, STORES},
        second::{SecondBroker, Stores as SecondStores},
    },
};
use osb_runtime::lifecycle::StoredValues;
use tokio::runtime::Builder;

use crate::{B, I, Kept, Release, is, with};

/// The reason that operators see for a state that can't be decoded.
const UNREADABLE: &str = "state: a state of version 0 can't be read as one of version 2: its shard is not known; \
                          convert it in migrate_state";

pub(crate) async fn a_state_of_another_version_is_migrated(kept: Kept) {
    let first = Release::first(&kept).await;
    is(&first.provision("i", BASIC, json!({})).await, 201);
    is(&first.bind("i", BASIC, json!({})).await, 201);
    first.end().await;

    assert_eq!(kept.refused(SecondBroker::default()).await, Vec::<String>::new(), "all of it can be decoded");
    let second = Release::second(&kept).await;
    let state = "Some(Store { name: \"store i\", shard: 1 })";
    is(&second.delete(B).await, 200);
    assert_eq!(second.heard(), format!("unbind b: Some(KeyState {{ number: 7 }}) of {state}"));
    is(&second.update("i", json!({ "owner": "me" })).await, 200);
    second.end().await;
    let (key, record) = kept.open().await.store.store().list(None, 1).await.expect("a list").remove(0);
    let saved = StoredValues::of(&key, &record.expect("it can be read")).remove(0).state;
    assert_eq!(saved.expect("it has a state").version, 2, "saved again, in the current version");
}

pub(crate) async fn states_and_parameters_that_no_longer_decode_prevent_the_start(kept: Kept) {
    let first = Release::first(&kept).await;
    for id in ["i", "broken", "panics"] {
        is(&first.provision(id, BASIC, json!({})).await, 201);
    }
    for number in 0..12 {
        is(
            &first
                .provision(&format!("plus-{number:02}"), PLUS, json!({ "note": "longer than the next release allows" }))
                .await,
            201,
        );
    }
    is(&first.delete(&instance("plus-11")).await, 200);
    first.end().await;

    let state = |reason: &str, id: &str| {
        format!(
            "the state of 1 instance of plan \"basic\" of service \"stores\" can't be decoded: a state of version 0 can't be \
             read as one of version 2: {reason}; convert it in migrate_state (instance {id}); or \
             allow unreadable states (--allow-unreadable-state)"
        )
    };
    let ids = (0..10).map(|number| format!("plus-{number:02}")).collect::<Vec<_>>().join(", ");
    let parameters = format!(
        "the parameters of 11 instances of plan \"plus\" of service \"stores\" can't be decoded: /team is missing \
         (instances {ids} and 1 more); keep the old type, value or name (`alias`), give the new parameter a default, or \
         allow unreadable states (--allow-unreadable-state)"
    );
    let expected = [state("decoding it panicked", "panics"), state("its shard is not known", "broken"), parameters];
    assert_eq!(kept.refused(SecondBroker::default()).await, expected);
}

pub(crate) async fn an_unreadable_state_fails_the_deletion_unless_the_handler_treats_it(kept: Kept) {
    let first = Release::first(&kept).await;
    for id in ["broken", "panics"] {
        is(&first.provision(id, BASIC, json!({})).await, 201);
        is(&first.bind(id, BASIC, json!({})).await, 201);
    }
    first.end().await;

    let second = Release::second(&kept).await;
    for id in ["broken", "panics"] {
        is(&second.update(id, json!({ "owner": "me" })).await, 500);
        is(&second.bind(id, BASIC, json!({})).await, 200);
        second.heard.take();
        is(&second.delete(&binding(id, "b")).await, 200);
        assert_eq!(second.heard(), "unbind b: Some(KeyState { number: 7 }) of version 0", "{id}");
    }
    is(&second.delete(&instance("broken")).await, 500);
    assert_eq!(second.heard(), "", "the handler got an error");
    is(&second.delete(&instance("panics")).await, 200);
    let given = "with Some(\"10 MB, None, None, false\")";
    assert_eq!(second.heard(), format!("deprovision panics: version 0 \"store panics\" {given}"));
    is(&second.delete(&instance("broken")).await, 500);

    let rows = kept.operations::<SecondBroker>().await;
    let unreadable: Vec<_> = rows.iter().filter(|row| row.get("unreadable").is_some()).collect();
    let [row] = &*unreadable else { panic!("{unreadable:?}") };
    assert_eq!((row["instance_id"].as_str(), row["phase"].as_str()), (Some("broken"), Some("delete_failed")));
    assert_eq!(row["unreadable"].as_str(), Some(UNREADABLE));
}

pub(crate) async fn a_dropped_error_of_an_unreadable_state_is_no_success(kept: Kept) {
    let first = Release::first(&kept).await;
    for id in ["careless", "broken"] {
        is(&first.provision(id, BASIC, json!({})).await, 201);
    }
    let ids = json!({ "service_id": STORES, "plan_id": BASIC });
    is(&first.wire.put(&binding("broken", "careless"), ids).await, 201);
    first.end().await;

    let second = Release::second(&kept).await;
    is(&second.delete(&binding("broken", "careless")).await, 500);
    assert_eq!(second.heard(), "unbind careless: Some(KeyState { number: 7 }) of None");
    is(&second.delete(&instance("careless")).await, 500);
    assert_eq!(second.heard(), "deprovision careless: None with Some(\"10 MB, None, None, false\")");
    let rows = kept.operations::<SecondBroker>().await;
    let left = rows.iter().filter(|row| row["phase"].as_str() == Some("delete_failed")).count();
    assert_eq!(left, 2, "{rows:?}");
}

pub(crate) async fn after_a_downgrade_nothing_is_forgotten(kept: Kept) {
    let second = Release::second(&kept).await;
    is(&second.provision("i", BASIC, json!({})).await, 201);
    is(&second.bind("i", BASIC, json!({})).await, 201);
    second.end().await;

    let first = Release::first(&kept).await;
    is(&first.update("i", json!({ "owner": "me" })).await, 500);
    is(&first.delete(B).await, 500);
    is(&first.delete(I).await, 500);
    assert_eq!(first.heard(), "");
    first.end().await;

    let second = Release::second(&kept).await;
    is(&second.delete(I).await, 200);
    let state = "Some(Store { name: \"store i\", shard: 2 })";
    let unbound = format!("unbind b: Some(KeyState {{ number: 8 }}) of {state}");
    let deleted = format!("deprovision i: {state} with Some(\"10 MB, None, None, false\")");
    assert_eq!(second.heard(), format!("{unbound}; {deleted}"));
}

/// A short lease, for operations that are taken over.
const LEASE: Duration = Duration::from_millis(120);

/// Starts the second release, whose creations stop at their checkpoints.
async fn later(kept: &Kept) -> Release {
    let stores = SecondStores { stops_at_checkpoints: true, ..SecondStores::default() };
    Release { heard: stores.heard.clone(), wire: kept.serve(SecondBroker { stores }).await }
}

/// Simulates a process of the first release that dies during a create.
fn die_during_a_create(id: &'static str, kept: Kept) -> Kept {
    die(id, json!({ "size": 80, "colour": "red" }), kept, async |kept| Release::first(kept).await)
}

/// Simulates a process that dies during a create.
fn die(
    id: &'static str,
    parameters: Value,
    kept: Kept,
    start: impl AsyncFnOnce(&Kept) -> Release + Send + 'static,
) -> Kept {
    die_after(instance(id), parameters, kept, start)
}

/// Simulates a process that dies during the creation of an instance or a binding.
fn die_after(
    path: String,
    parameters: Value,
    mut kept: Kept,
    start: impl AsyncFnOnce(&Kept) -> Release + Send + 'static,
) -> Kept {
    kept.lease = LEASE;
    let process = std::thread::spawn(move || {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let release = start(&kept).await;
            let ids = json!({ "service_id": STORES, "plan_id": BASIC, "organization_guid": "o", "space_guid": "s" });
            is(&release.wire.put(&accepting(&path), with(ids, parameters)).await, 202);
            until(async || !release.heard.take().is_empty()).await;
        });
        runtime.shutdown_timeout(Duration::from_secs(5));
        kept
    });
    process.join().expect("a process")
}

pub(crate) async fn an_operation_of_another_release_continues_from_its_checkpoint(kept: Kept) {
    let kept = die_during_a_create("slow", kept);
    let second = Release::second(&kept).await;
    let polled = second.wire.settled(&instance("slow")).await;
    assert_eq!(polled.body["state"], "succeeded");
    let expected = "provision slow: 80 MB, None, None, false after Some(Store { name: \"store slow\", shard: 1 })";
    assert_eq!(second.heard(), expected);
}

/// Checks that the first release leaves an operation to the later one. Returns the arguments of the handlers that end it.
async fn left_to_the_later_release(first: Wire, kept: &Kept, path: &str) -> String {
    // Four sweeps for each lease.
    tokio::time::sleep(LEASE * 6).await;
    let polled = first.get(&format!("{path}/last_operation")).await;
    assert_eq!(polled.body["state"], "in progress", "{polled:?}");
    first.end().await;

    let second = Release::second(kept).await;
    let polled = second.wire.settled(path).await;
    assert_eq!(polled.body["state"], "succeeded");
    second.heard()
}

pub(crate) async fn an_operation_of_a_later_release_is_left_to_it(mut kept: Kept) {
    kept.lease = LEASE;
    // It started before the later release, so that it is not told to allow unreadable states.
    let first = Wire::serve_with(FirstBroker { stores: FirstStores::default() }, kept.open().await).await;
    let kept = die("later", json!({}), kept, later);
    let heard = left_to_the_later_release(first, &kept, &instance("later")).await;
    let expected = "provision later: 10 MB, None, None, false after Some(Store { name: \"store later\", shard: 2 })";
    assert!(heard.contains(expected), "{heard}");
}

pub(crate) async fn a_binding_of_a_later_release_is_left_to_it(mut kept: Kept) {
    kept.lease = LEASE;
    let first = Wire::serve_with(FirstBroker { stores: FirstStores::default() }, kept.open().await).await;
    let ids = json!({ "service_id": STORES, "plan_id": BASIC, "organization_guid": "o", "space_guid": "s" });
    is(&first.put(I, ids).await, 201);
    let kept = die_after(B.to_owned(), json!({}), kept, later);
    let heard = left_to_the_later_release(first, &kept, B).await;
    assert!(heard.contains("bind b: "), "{heard}");
}

pub(crate) async fn after_a_downgrade_an_operation_of_the_later_release_fails(kept: Kept) {
    let kept = die("later", json!({}), kept, later);
    let first = Release::first(&kept).await;
    let polled = first.wire.settled(&instance("later")).await;
    assert_eq!(polled.body["state"], "failed", "the later release may never come back");
}

pub(crate) async fn an_unreadable_checkpoint_is_not_taken_for_none(kept: Kept) {
    let kept = die_during_a_create("stuck", kept);
    let second = Release::second(&kept).await;
    let polled = second.wire.settled(&instance("stuck")).await;
    assert_eq!(polled.body["state"], "failed");
    assert_eq!(second.heard(), "", "nothing is created a second time, and nothing is forgotten");
    let rows = kept.operations::<SecondBroker>().await;
    assert_eq!(rows[0]["phase"].as_str(), Some("create_failed"));
    assert_eq!(rows[0]["unreadable"].as_str(), Some(UNREADABLE));
}
