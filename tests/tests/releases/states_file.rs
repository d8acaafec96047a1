//! Files of states and parameters that a release stored.

use std::{fs, panic::catch_unwind};

use osb_lab::{
    prelude::*,
    releases::{
        first::FirstBroker,
        ids::{BASIC, PLUS},
        second::SecondBroker,
    },
};
use osb_testing::{assert_states_decode, save_states};

use crate::{Kept, Release, is};

#[tokio::test]
async fn a_file_of_states_is_decoded_by_the_types_of_the_next_release() {
    let folder = tempfile::tempdir().expect("a temporary folder is created");
    let (good, bad) = (folder.path().join("states/good.json"), folder.path().join("bad.json"));
    let kept = Kept::in_memory();
    let first = Release::first(&kept).await;
    is(&first.provision("i", BASIC, json!({ "size": 20 })).await, 201);
    is(&first.bind("i", BASIC, json!({})).await, 201);
    is(&first.provision("gone", BASIC, json!({})).await, 201);
    is(&first.delete(&instance("gone")).await, 200);
    let records = kept.open().await.store;
    save_states(&records, &good).await;
    is(&first.provision("broken", BASIC, json!({})).await, 201);
    is(&first.provision("plus", PLUS, json!({})).await, 201);
    save_states(&records, &bad).await;

    let saved: Value = serde_json::from_str(&fs::read_to_string(&good).expect("a file")).expect("JSON");
    let ids: Vec<_> =
        saved.as_array().expect("a list").iter().map(|one| (&one["instance_id"], &one["binding_id"])).collect();
    assert_eq!(ids, [(&json!("i"), &Value::Null), (&json!("i"), &json!("b"))], "no tombstones");
    assert_eq!(saved[0]["state"], json!({ "value": "store i" }));
    assert_eq!(saved[0]["parameters"], json!({ "size": 20 }));

    assert_states_decode::<FirstBroker>(&bad);
    assert_states_decode::<SecondBroker>(&good);
    let failed = catch_unwind(|| assert_states_decode::<SecondBroker>(&bad)).expect_err("two can't be decoded");
    let text = failed.downcast::<String>().expect("a message");
    for line in [
        "\n  broken: state: a state of version 0 can't be read as one of version 2: its shard is not known; convert it in \
         migrate_state\n",
        "\n  plus: parameters: /team is missing\n",
        "keep the types, values and names (`alias`) of parameters, and give new parameters a default",
    ] {
        assert!(text.contains(line), "{line:?} in {text}");
    }
    assert_eq!(text.matches("\n  ").count(), 3, "no others: {text}");

    let moved = fs::read_to_string(&good).expect("a file").replace(BASIC, ids::SMALL);
    fs::write(&good, moved).expect("the file is written");
    let failed = catch_unwind(|| assert_states_decode::<SecondBroker>(&good)).expect_err("the plan is unknown");
    let text = failed.downcast::<String>().expect("a message");
    assert!(
        text.contains("has no plan") && text.contains("use `assert_states_decode_with` with the overrides"),
        "{text}"
    );
    assert!(!text.contains("STATE_VERSION"), "{text}");
}
