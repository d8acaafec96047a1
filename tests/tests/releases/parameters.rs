//! Parameters that were renamed, restricted, removed, or became required.

use osb_lab::{
    prelude::*,
    releases::ids::{BASIC, PLUS, STORES},
};

use crate::{B, I, Kept, Release, is};

pub(crate) async fn a_renamed_parameter_keeps_its_value(kept: Kept) {
    let first = Release::first(&kept).await;
    let made = json!({ "size": 20, "password": "hunter2", "backup": { "hours": 6 } });
    is(&first.provision("i", BASIC, made.clone()).await, 201);
    first.end().await;

    let second = Release::second(&kept).await;
    let today = json!({ "megabytes": 20, "admin_password": "hunter2", "backup": { "every": 6 } });
    for (again, status) in [(made, 200), (today, 200), (json!({ "megabytes": 20 }), 409)] {
        is(&second.provision("i", BASIC, again).await, status);
    }
    assert_eq!(second.parameters(I).await, json!({ "backup": { "every": 6 }, "megabytes": 20 }), "GETI-07");
    is(&second.bind("i", BASIC, json!({})).await, 201);
    let state = "Store { name: \"store i\", shard: 1 }";
    assert_eq!(second.heard(), format!("bind b: 20 MB, None, Some(6), true with {state} after None"));

    // An update changes only the parameters that it names, by their old or new name.
    is(&second.update("i", json!({ "owner": "me", "backup": { "every": null } })).await, 200);
    is(&second.update("i", json!({ "size": 30, "backup": { "hours": 7 } })).await, 200);
    is(&second.update("i", json!({ "mb": null })).await, 200);
    let expected = [
        "\"20 MB, None, Some(6), true\") to \"20 MB, Some(\\\"me\\\"), None, true\"",
        "\"20 MB, Some(\\\"me\\\"), None, true\") to \"30 MB, Some(\\\"me\\\"), Some(7), true\"",
        "\"30 MB, Some(\\\"me\\\"), Some(7), true\") to \"10 MB, Some(\\\"me\\\"), Some(7), true\"",
    ];
    assert_eq!(second.heard.take(), expected.map(|line| format!("update i: Some({line} with {state}")));
    assert_eq!(second.parameters(I).await, json!({ "owner": "me", "backup": { "every": 7 } }));
    is(&second.delete(B).await, 200);
    second.heard.take();
    is(&second.delete(I).await, 200);
    assert!(second.heard().ends_with("with Some(\"10 MB, Some(\\\"me\\\"), Some(7), true\")"));
}

pub(crate) async fn an_old_name_is_accepted_but_not_with_the_new_one(kept: Kept) {
    let second = Release::second(&kept).await;
    is(&second.provision("a", BASIC, json!({ "size": 5, "backup": { "hours": 1 } })).await, 201);
    assert_eq!(second.heard(), "provision a: 5 MB, None, Some(1), false after None");
    assert_eq!(second.parameters(&instance("a")).await, json!({ "megabytes": 5, "backup": { "every": 1 } }));
    is(&second.provision("a", BASIC, json!({ "mb": 5, "backup": { "every": 1 } })).await, 200);

    let both = second.provision("b", BASIC, json!({ "megabytes": 5, "size": 5, "mb": 99 })).await;
    is(&both, 400);
    let leave = "which is also set; remove one of them";
    let expected = format!(
        "Invalid parameters: /size: is another name of `megabytes`, {leave}; /mb: is another name of `megabytes`, {leave}."
    );
    assert_eq!(both.description(), expected);
    let both = second.update("a", json!({ "backup": { "hours": 1, "every": 2 } })).await;
    let expected = format!("Invalid parameters: /backup/hours: is another name of `every`, {leave}.");
    assert_eq!((both.status, both.description()), (400, expected.as_str()));
    let wrong = second.provision("b", BASIC, json!({ "size": 51 })).await;
    let expected = "Invalid parameters: /size: 51 is greater than the maximum 50.";
    assert_eq!((wrong.status, wrong.description()), (400, expected), "by the name that was used");

    let catalog = second.wire.get("/v2/catalog").await.body.to_string();
    assert!(catalog.contains("\"megabytes\"") && !catalog.contains("\"size\""), "{catalog}");
}

pub(crate) async fn a_value_that_a_tighter_schema_refuses_works_until_the_next_update(kept: Kept) {
    let first = Release::first(&kept).await;
    is(
        &first
            .provision("i", BASIC, json!({ "size": 80, "colour": "red", "prefix": "A1", "backup": { "zone": "z" } }))
            .await,
        201,
    );
    is(&first.bind("i", BASIC, json!({ "role": "administrator" })).await, 201);
    first.end().await;

    let second = Release::second(&kept).await;
    assert_eq!(
        second.parameters(I).await,
        json!({ "megabytes": 80, "prefix": "A1", "backup": {} }),
        "colours and zones were removed"
    );
    // ROT-05: the predecessor's parameters were valid once.
    let successor = second.wire.put(&binding("i", "c"), json!({ "predecessor_binding_id": "b" })).await;
    is(&successor, 201);
    let state = "Store { name: \"store i\", shard: 1 }";
    let after = "Some((\"b\", KeyState { number: 7 }))";
    assert_eq!(second.heard(), format!("bind c: 80 MB, None, None, false with {state} after {after}"));

    let context = json!({ "platform": "cloudfoundry", "organization_guid": "o", "space_guid": "s", "space_name": "n" });
    is(&second.wire.patch(I, json!({ "service_id": STORES, "context": context })).await, 200);
    assert_eq!(second.heard(), "", "UPD-03: no handler is called");
    let refused = second.update("i", json!({ "owner": "me" })).await;
    let expected = "Invalid parameters: /megabytes: 80 is greater than the maximum 50 (set it in this update too).";
    assert_eq!(
        (refused.status, refused.description()),
        (400, expected),
        "but not for a prefix, which can't be updated"
    );
    is(&second.update("i", json!({ "owner": "me", "megabytes": 50 })).await, 200);
    let (before, after) = ("80 MB, None, None, false", "50 MB, Some(\\\"me\\\"), None, false");
    assert_eq!(second.heard(), format!("update i: Some({before:?}) to \"{after}\" with {state}"));
    assert_eq!(second.parameters(I).await, json!({ "megabytes": 50, "prefix": "A1", "owner": "me", "backup": {} }));
    let stored = kept.records.lock().await.instances(None, 1).await.expect("they are read").entries;
    assert_eq!(stored[0].parameters["colour"], "red", "the first release may return");
    for path in [binding("i", "c"), B.to_owned(), I.to_owned()] {
        is(&second.delete(&path).await, 200);
    }
}

/// The first release may return.
pub(crate) async fn an_update_that_changes_nothing_keeps_removed_parameters(kept: Kept) {
    let first = Release::first(&kept).await;
    is(&first.provision("i", BASIC, json!({ "size": 20, "colour": "red" })).await, 201);
    first.end().await;

    let second = Release::second(&kept).await;
    is(&second.update("i", json!({ "megabytes": 20 })).await, 200);
    assert_eq!(second.heard(), "", "no handler is called");
    let stored = kept.records.lock().await.instances(None, 1).await.expect("they are read").entries;
    assert_eq!((&stored[0].parameters["megabytes"], &stored[0].parameters["colour"]), (&json!(20), &json!("red")));
}

pub(crate) async fn a_parameter_that_became_required_can_be_set_by_an_update(kept: Kept) {
    let first = Release::first(&kept).await;
    for id in ["i", "j"] {
        is(&first.provision(id, PLUS, json!({ "note": "n" })).await, 201);
    }
    is(&first.bind("j", PLUS, json!({})).await, 201);
    is(&first.provision("k", BASIC, json!({})).await, 201);
    first.end().await;

    let second = Release::second(&kept).await;
    let refused = second.bind("i", PLUS, json!({})).await;
    let expected =
        "Some parameters of this service instance are missing or no longer valid; update the instance first: /team.";
    assert_eq!((refused.status, refused.description()), (400, expected));
    let maintain = json!({ "service_id": STORES, "maintenance_info": { "version": "2.0.0" } });
    let refused = second.wire.patch(I, maintain.clone()).await;
    assert_eq!((refused.status, refused.description()), (400, expected));
    let refused = second.update("i", json!({ "note": "m" })).await;
    let expected = "Invalid parameters: /team: is missing (set it in this update too).";
    assert_eq!((refused.status, refused.description()), (400, expected));
    let move_without = second.wire.patch(&instance("k"), json!({ "service_id": STORES, "plan_id": PLUS })).await;
    assert_eq!((move_without.status, move_without.description()), (400, "Invalid parameters: /team: is missing."));
    assert_eq!(second.heard(), "");

    is(&second.update("i", json!({ "team": "ours" })).await, 200);
    let state = "Store { name: \"store i\", shard: 1 }";
    assert_eq!(second.heard(), format!("update i: None to \"team ours\" with {state}"));
    is(&second.bind("i", PLUS, json!({})).await, 201);
    is(&second.wire.patch(I, maintain).await, 200);
    let moved = json!({ "service_id": STORES, "plan_id": PLUS, "parameters": { "team": "theirs" } });
    is(&second.wire.patch(&instance("k"), moved).await, 200);
    assert!(second.heard().ends_with(
        "change k: Some(\"10 MB, None, None, false\") to \"team theirs\" with Store { name: \"store k\", shard: 1 }"
    ));

    is(&second.delete(&binding("j", "b")).await, 200);
    is(&second.delete(&instance("j")).await, 200);
    assert!(second.heard().ends_with("with None"), "everything can be deleted");
}
