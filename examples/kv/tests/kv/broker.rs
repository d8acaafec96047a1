//! Tests the broker: its catalog, idempotent handlers, imports, plan changes and rotations.

use std::{sync::Arc, time::Duration};

use kv_broker::{
    service::Broker,
    stores::{Inventory, Owner},
};
use osb_testing::{Answer, Client, Replay, assert_catalog};
use serde_json::json;

use crate::world::{App, World, entry, owner};

/// Polls until the operation ends, and collects the descriptions.
async fn over(platform: &Client) -> (Answer, Vec<String>) {
    let mut said = Vec::new();
    loop {
        let poll = platform.poll("one", None).await;
        if poll.body["state"] != "in progress" {
            return (poll, said);
        }
        said.extend(poll.body["description"].as_str().map(str::to_owned));
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Returns the final response, after polling if necessary.
async fn ended(platform: &Client, answer: Answer) -> Answer {
    if answer.status == 202 { platform.follow("one", None).await } else { answer }
}

/// Returns the error message of a refused provision.
async fn refused(platform: &Client, parameters: serde_json::Value) -> String {
    let answer = platform.provision("one", "kv", "free", parameters).await;
    let answer = ended(platform, answer).await;
    assert!(answer.status == 400 || answer.body["state"] == "failed", "{answer:?}");
    answer.body["description"].as_str().expect("a description").to_owned()
}

#[test]
fn the_catalog_is_the_one_that_was_reviewed() {
    assert_catalog::<Broker>("catalog.json");
}

/// Lists everything in the file by name.
fn things(inventory: &Inventory) -> Vec<String> {
    let numbered = |count: u64, name: String| (0..count).map(move |number| format!("{name} {number}"));
    let stores = inventory.stores.iter();
    let entries = stores.flat_map(|(id, store)| numbered(store.entries + 1, format!("store {id}, entry")));
    let tokens = inventory.tokens.keys().map(|id| format!("token {id}"));
    entries.chain(tokens).chain(numbered(inventory.orphans, "orphan".to_owned())).collect()
}

#[tokio::test]
async fn every_handler_is_idempotent() {
    let world = Arc::new(World::new());
    world.import("some.jsonl", (0..250).map(entry));
    let left = world.stores.clone();
    let make = move || {
        let world = Arc::clone(&world);
        async move { Broker { kv: world.service("https://kv.example.com") } }
    };
    Replay::of(make)
        .parameters(json!({ "fill": "some.jsonl" }))
        .update(json!({ "ttl": 60 }))
        .left(async move || things(&left.inventory().expect("the inventory is read")))
        .run()
        .await;
}

#[tokio::test]
async fn an_import_is_asynchronous() {
    let world = World::new();
    world.import("many.jsonl", (0..20_000).map(entry));
    let platform = world.served_after(Duration::ZERO).await;
    let new = platform.provision("one", "kv", "free", json!({ "fill": "many.jsonl", "prefix": "key-" })).await;
    assert_eq!(new.status, 202, "{new:?}");
    let (last, said) = over(&platform).await;
    assert_eq!(last.body["state"], "succeeded", "{last:?}");
    assert!(said.iter().any(|text| text.ends_with("00 of 20000 entries")), "{said:?}");
    let app = App::bound(&platform, "one", "b", json!({})).await;
    let last = app.get("key-019999").await;
    assert_eq!((last.status.as_u16(), last.body.as_ref()), (200, b"value 19999".as_slice()));
    assert_eq!(last.headers["content-type"], "text/plain; charset=utf-8");
    let all = world.stores.inventory().expect("the inventory is read");
    assert_eq!(all.stores.values().next().map(|store| store.entries), Some(20_000));
    // The 202 contains the dashboard URL, because platforms read it only there (PROV-16).
    let page = new.body["dashboard_url"].as_str().expect("a URL");
    let shown = crate::world::send(http::Request::builder(), page, "").await;
    assert!(String::from_utf8_lossy(&shown.body).contains("<td>20000</td>"), "{shown:?}");
}

#[tokio::test]
async fn deleting_a_store_cancels_its_import() {
    let world = World::new();
    world.import("many.jsonl", (0..100_000).map(entry));
    let platform = world.served_after(Duration::ZERO).await;
    assert_eq!(platform.provision("one", "kv", "pro", json!({ "fill": "many.jsonl" })).await.status, 202);
    while world.stores.inventory().expect("the inventory is read").is_empty() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let deleted = platform.deprovision("one").await;
    let deleted = ended(&platform, deleted).await;
    assert!(deleted.status == 200 || deleted.status == 410, "{deleted:?}");
    assert!(world.stores.inventory().expect("the inventory is read").is_empty());
}

#[tokio::test]
async fn an_invalid_file_is_refused_with_its_line() {
    let world = World::new();
    let platform = world.served().await;
    let good = || (0..300).map(entry);
    for (bad, part) in [
        (json!({ "key": "k" }), "missing field `value` at column 11"),
        (json!({ "key": "k", "value": 1 }), "invalid type: integer `1`, expected a string"),
        (json!({ "key": "k", "value": "v", "ttl": 1 }), "unknown field `ttl`"),
        (json!({ "key": "", "value": "v" }), "a key must have 1 to 512 bytes, but this one has 0"),
        (json!({ "key": "other", "value": "v" }), "keys of this store must start with `k`"),
        (json!({ "key": "k", "value": "v".repeat(1_000_001) }), "a value can have at most 1000000 bytes"),
        (json!("no entry"), "invalid type: string \"no entry\""),
    ] {
        world.import("bad.jsonl", good().chain([bad]).chain(good()));
        let said = refused(&platform, json!({ "fill": "bad.jsonl", "prefix": "k" })).await;
        assert!(said.starts_with("Line 301 of `bad.jsonl` is not an entry") && said.contains(part), "{said}");
    }
    let said = refused(&platform, json!({ "fill": "none.jsonl" })).await;
    assert!(said.starts_with("There is no file `none.jsonl`"), "{said}");
    std::fs::create_dir(world.directory.path().join("directory")).expect("a directory");
    assert!(refused(&platform, json!({ "fill": "directory" })).await.starts_with("There is no file"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("large.jsonl", world.directory.path().join("link")).expect("a link");
        world.import("large.jsonl", (0..3).map(entry));
        assert!(refused(&platform, json!({ "fill": "link" })).await.starts_with("There is no file"), "it may lead out");
    }
    for path in ["../kv.redb", "/etc/passwd", "a/b", ".hidden", ""] {
        let said = refused(&platform, json!({ "fill": path })).await;
        assert!(said.contains("does not match the pattern"), "{said}");
    }
    world.import("large.jsonl", (0..11).map(|n| json!({ "key": n.to_string(), "value": "v".repeat(1_000_000) })));
    let said = refused(&platform, json!({ "fill": "large.jsonl" })).await;
    assert!(
        said.contains("can't be filled from `large.jsonl`: the store is full: its quota is 10000000 bytes"),
        "{said}"
    );
    assert!(world.stores.inventory().expect("the inventory is read").is_empty(), "a refusal leaves nothing");
}

#[tokio::test]
async fn blank_lines_and_a_missing_line_end_are_accepted() {
    let world = World::new();
    let lines = format!("\n{}\n{}\r\n{}", entry(1), "\n".repeat(1_500_000), entry(2));
    std::fs::write(world.directory.path().join("odd"), lines).expect("a file");
    let platform = world.served().await;
    let new = platform.provision("one", "kv", "free", json!({ "fill": "odd" })).await;
    let new = ended(&platform, new).await;
    assert!(new.status == 201 || new.body["state"] == "succeeded", "{new:?}");
    assert_eq!(world.stores.inventory().expect("the inventory is read").len(), 3);
}

#[tokio::test]
async fn both_tokens_of_a_rotation_work_until_the_first_is_unbound() {
    let world = World::new();
    let platform = world.served().await;
    platform.provision("one", "kv", "free", ()).await;
    let first = App::bound(&platform, "one", "first", json!({ "read_only": true })).await;
    let path = "/v2/service_instances/one/service_bindings/second";
    let second = platform.request("PUT", path, Some(json!({ "predecessor_binding_id": "first" }))).await;
    assert_eq!((second.status.as_u16(), &second.body["credentials"]["read_only"]), (201, &json!(true)), "{second:?}");
    let second = App::with(&second.body["credentials"]);
    assert_ne!(first.token, second.token);
    for app in [&first, &second] {
        assert_eq!((app.get("k").await.status.as_u16(), app.put("k", "v").await.status.as_u16()), (404, 403));
    }
    assert_eq!(platform.unbind("one", "first").await.status, 200);
    assert_eq!((first.get("k").await.status.as_u16(), second.get("k").await.status.as_u16()), (401, 404));
    // The broker and the stores agree.
    let all = world.stores.inventory().expect("the inventory is read");
    let tokens: Vec<_> = all.tokens.values().map(|token| (token.binding.as_str(), token.read_only)).collect();
    assert_eq!(tokens, [("second", true)]);
    assert!(all.stores.values().all(|store| store.owner.instance == "one"));
    assert_eq!(platform.deprovision("one").await.status, 200);
    assert_eq!(second.get("k").await.status, 401);
    assert!(world.stores.inventory().expect("the inventory is read").is_empty());
}

#[tokio::test]
async fn a_downgrade_needs_data_that_fits() {
    let world = World::new();
    let platform = world.served().await;
    platform.provision("one", "kv", "free", json!({ "ttl": 100 })).await;
    let app = App::bound(&platform, "one", "b", json!({})).await;
    let megabyte = || vec![b'v'; 999_999];
    for key in 0..10 {
        assert_eq!(app.put(&key.to_string(), megabyte()).await.status, 204);
    }
    let full = app.put("a", "v").await;
    assert_eq!(full.status, 507);
    let expected = "the store is full: its quota is 10000000 bytes of keys and values, and it would have 10000002";
    assert_eq!(full.json()["error"], expected);
    assert_eq!(app.put("0", "less").await.status, 204, "a smaller value replaces a larger one");
    assert_eq!(app.put("0", megabyte()).await.status, 204);
    let plan = || {
        let all = world.stores.inventory().expect("the inventory is read");
        all.stores
            .into_values()
            .next()
            .map(|store| (store.terms.plan, store.terms.quota, store.terms.ttl))
            .expect("a store")
    };
    assert_eq!(plan(), ("free".to_owned(), 10_000_000, 100));

    assert_eq!(platform.change_plan("one", "pro", ()).await.status, 200);
    assert_eq!(plan(), ("pro".to_owned(), 1_000_000_000, 100));
    assert_eq!(app.put("a", "v").await.status, 204, "the token is still valid");
    let back = platform.change_plan("one", "free", ()).await;
    assert_eq!(back.status, 422);
    let expected = "The store has 10000002 bytes, but the new quota is 10000000: delete some of its data first, or \
                    keep the plan.";
    assert_eq!(back.body["description"], expected);
    assert_eq!(plan(), ("pro".to_owned(), 1_000_000_000, 100));
    app.send("DELETE", "/keys/a", "").await;
    assert_eq!(platform.change_plan("one", "free", json!({ "ttl": 200 })).await.status, 200);
    assert_eq!(plan(), ("free".to_owned(), 10_000_000, 200));
    // Expired keys don't count, even before they are swept.
    world.pass(101);
    assert_eq!(app.put("a", "v").await.status, 204);
    let before = platform.update("one", json!({ "prefix": "p" })).await;
    assert_eq!(before.status, 400, "the prefix is chosen once: {before:?}");
}

#[tokio::test]
async fn a_changed_ttl_applies_to_later_writes() {
    let world = World::new();
    let platform = world.served().await;
    platform.provision("one", "kv", "pro", json!({ "ttl": 100 })).await;
    let app = App::bound(&platform, "one", "b", json!({})).await;
    app.put("before", "v").await;
    assert_eq!(platform.update("one", json!({ "ttl": 10 })).await.status, 200);
    app.put("after", "v").await;
    world.pass(10);
    assert_eq!((app.get("before").await.status.as_u16(), app.get("after").await.status.as_u16()), (200, 404));
    // `null` resets the parameter to its default.
    assert_eq!(platform.update("one", json!({ "ttl": null })).await.status, 200);
    let all = world.stores.inventory().expect("the inventory is read");
    assert_eq!(all.stores.values().map(|store| store.terms.ttl).collect::<Vec<_>>(), [3_600]);
}

#[tokio::test]
async fn a_dashboard_is_public_at_an_unguessable_url() {
    let world = World::new();
    let platform = world.served().await;
    let new = platform.provision("one", "kv", "free", json!({ "prefix": "p-" })).await;
    let url = new.body["dashboard_url"].as_str().expect("a URL");
    let page = crate::world::send(http::Request::builder(), url, "").await;
    let html = String::from_utf8_lossy(&page.body);
    assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
    assert!(html.contains("<td>free</td>") && html.contains("<td>p-</td>") && html.contains("of 10 MB"), "{html}");
    let other = platform.provision("two", "kv", "free", ()).await;
    assert_ne!(other.body["dashboard_url"], new.body["dashboard_url"]);
    let elsewhere = World::new();
    assert_ne!(elsewhere.stores.page(&owner("one")), world.stores.page(&owner("one")), "it can't be guessed");
    let other = Owner { platform: "other".to_owned(), ..owner("one") };
    assert_ne!(world.stores.page(&other), world.stores.page(&owner("one")), "another platform's is another one's");
    platform.deprovision("one").await;
    assert_eq!(crate::world::send(http::Request::builder(), url, "").await.status, 404);
}
