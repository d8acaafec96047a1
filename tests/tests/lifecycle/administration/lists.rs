//! The lists: their filters, their pages, and the length of their rows.

use std::collections::BTreeSet;

use osb_runtime::{lifecycle::admin::Filter, store::Phase};

use super::*;

#[test]
fn the_filter_has_all_phases_that_a_record_can_have() {
    let all = Phase::ALL.iter().filter(|phase| **phase != Phase::None);
    assert_eq!(all.clone().map(|phase| phase.as_str()).collect::<Vec<_>>(), Filter::PHASES);
    assert_eq!(all.map(|phase| json!(phase)).collect::<Vec<_>>(), Filter::PHASES.map(Value::from));
}

#[tokio::test]
async fn pages_of_any_size_list_each_instance_and_each_binding_once() {
    let (world, mut instances, mut bindings) = (World::new().await, BTreeSet::new(), BTreeSet::new());
    for number in 0..13 {
        let (id, encoded) = (format!("i {number}"), format!("i%20{number}"));
        world.make(&encoded).await;
        for binding in 0..number % 3 {
            world.bind(&encoded, &format!("b{number}-{binding}")).await;
            bindings.insert(format!("b{number}-{binding}"));
        }
        instances.insert(id);
    }
    for (list, name, all) in [("instances", "instance_id", instances), ("bindings", "binding_id", bindings)] {
        for limit in [1, 2, 5, all.len(), 10_000] {
            let (mut seen, mut next) = (Vec::new(), String::new());
            while seen.len() <= all.len() {
                let page = world.get(&format!("/{list}?limit={limit}{next}")).await;
                let found = ids_of(&page, list, name);
                assert!(found.len() <= limit, "{page}");
                seen.extend(found);
                let after = |name| page["next"][name].as_str().map(|id| id.replace(' ', "+"));
                let Some(instance) = after("instance_id") else { break };
                let binding = after("binding_id").map(|id| format!("&after_binding={id}")).unwrap_or_default();
                next = format!("&after={instance}&after_tenant={binding}");
            }
            assert_eq!(seen.len(), all.len(), "{list} by {limit}: {seen:?}");
            assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), all);
        }
    }
}

#[tokio::test]
async fn lists_can_be_filtered_and_show_no_secrets() {
    let world = World::new().await;
    world.make("one").await;
    let secret = json!({ "token": "marked-secret" });
    assert_eq!(world.platform("PUT", &instance("two"), new(ids::SMALL, secret)).await.0, 201);
    let (status, made) = world.platform("PUT", &binding("two", "b"), bind(ids::SMALL, json!({}))).await;
    assert_eq!(status, 201);
    let (status, _) = send(
        &world.broker,
        "PUT",
        &format!("/other{}", instance("three")),
        "Basic b3RoZXI6cGFzcw==",
        &new(ids::CLOSED, json!({})),
    )
    .await;
    assert_eq!(status, 201);
    world.delete(&instance("one")).await;

    for (query, expected) in [
        ("", vec!["two", "three"]),
        ("?tenant=other", vec!["three"]),
        ("?service=lab", vec!["two", "three"]),
        ("?plan=small", vec!["two"]),
        (&*format!("?plan={}", ids::CLOSED), vec!["three"]),
        ("?phase=gone", vec!["one"]),
        ("?state=failed", vec![]),
        ("?instance=two", vec!["two"]),
        // Each word is in a text of the row, in any case.
        ("?search=TW", vec!["two"]),
        ("?search=lab+succeeded", vec!["two", "three"]),
        ("?search=lab+failed", vec![]),
    ] {
        let list = world.get(&format!("/instances{query}")).await;
        assert_eq!(ids_of(&list, "instances", "instance_id"), expected, "{query}: {list}");
    }
    for (query, words) in
        [("phase=bogus", "creating, ready, "), ("phase=", "creating, "), ("state=fail", "in progress, ")]
    {
        for list in ["instances", "bindings", "operations"] {
            let (status, said) = send(&world.admin, "GET", &format!("/{list}?{query}"), OPERATOR, &Value::Null).await;
            let description = said["description"].as_str().unwrap_or_default();
            assert!(status == 400 && description.contains(&format!("must be one of: {words}")), "{query}: {said}");
        }
    }
    for (query, expected) in [("", &["b"][..]), ("?state=succeeded", &["b"]), ("?state=failed", &[])] {
        let list = world.get(&format!("/bindings{query}")).await;
        assert_eq!(ids_of(&list, "bindings", "binding_id"), expected, "{query}: {list}");
    }
    assert_eq!(world.get("/operations").await["operations"].as_array().map(Vec::len), Some(4));
    let of_plan = world.get(&format!("/operations?plan={}", ids::CLOSED)).await;
    assert_eq!(ids_of(&of_plan, "operations", "instance_id"), ["three"], "{of_plan}");
    let shown = world.get("/instances/two").await;
    assert_eq!((&shown["plan"], &shown["phase"]), (&json!("small"), &json!("ready")), "{shown}");
    assert_eq!(shown["operation"]["state"], "succeeded", "{shown}");
    assert_eq!(shown["maintenance_version"], "1.2.0", "{shown}");
    assert_eq!(ids_of(&shown, "bindings", "binding_id"), ["b"], "{shown}");
    assert_eq!(world.get("/instances/three?tenant=other").await["tenant"], "other");
    assert_eq!(send(&world.admin, "GET", "/instances/three", OPERATOR, &Value::Null).await.0, 404);

    let credentials = made["credentials"].to_string();
    for path in ["/instances", "/bindings", "/operations", "/instances/two"] {
        let text = world.get(path).await.to_string();
        assert!(!text.contains("marked-secret") && !text.contains(&credentials), "{path}: {text}");
        assert!(!text.contains(":null") && !text.contains(":\"\""), "absent values are left out: {path}: {text}");
    }
}

#[tokio::test]
async fn the_progress_of_an_operation_is_listed_while_it_runs() {
    let world = World::new().await;
    let path = accepting(&instance("i"));
    assert_eq!(world.platform("PUT", &path, new(ids::SLOW, json!({ "mood": "wait" }))).await.0, 202);
    let listed = async |state: &str, progress: Value| loop {
        let row = world.get("/operations").await["operations"][0].clone();
        if (&row["state"], &row["progress"]) == (&json!(state), &progress) {
            return;
        }
        assert!(row["state"] == "in progress", "{row}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    listed("in progress", json!("Wait")).await;
    let row = world.get("/operations").await["operations"][0].clone();
    assert!(row["claimed_until"].is_string() && row["deadline"].is_string(), "{row}");
    world.lab.gate.open();
    listed("succeeded", Value::Null).await;
}

/// Another process takes it over at once.
#[tokio::test]
async fn an_operation_that_was_handed_over_is_listed_without_a_claim() {
    let world = World::new().await;
    let path = accepting(&instance("i"));
    assert_eq!(world.platform("PUT", &path, new(ids::SLOW, json!({ "mood": "wait" }))).await.0, 202);
    world.broker.hand_over().await;
    let row = world.get("/operations").await["operations"][0].clone();
    assert_eq!((&row["state"], row.get("claimed_until")), (&json!("in progress"), None), "{row}");
    assert!(row["deadline"].is_string(), "{row}");
}

/// Otherwise the rows of a platform that sends long names could fill the memory, and no client could read the list.
#[tokio::test]
async fn the_names_in_a_list_are_short() {
    let world = World::new().await;
    let long = "x".repeat(30_000);
    let mut body = new(ids::SMALL, json!({}));
    for name in ["organization_guid", "space_guid"] {
        body[name] = json!(long);
    }
    let names = ["instance_name", "organization_name", "space_name", "namespace"];
    body["context"] = names.into_iter().map(|name| (name.to_owned(), json!(long))).collect();
    assert_eq!(as_user_of(&world, &long, &instance("i"), &body).await, 201);
    let mut bound = bind(ids::SMALL, json!({}));
    bound["bind_resource"] = json!({ "app_guid": long });
    assert_eq!(world.platform("PUT", &binding("i", "b"), bound).await.0, 201);
    for path in ["/instances", "/bindings", "/operations", "/instances/i"] {
        let listed = world.get(path).await.to_string();
        assert!(listed.len() < 10_000 && listed.contains(&"x".repeat(256)), "{path}: {} bytes", listed.len());
    }
}
