//! Tests the data plane as an application, over HTTP.

use std::time::Duration;

use crate::world::{App, MAX_CONNECTIONS, Reply, World, send};
use http::Request;
use osb_testing::Client;
use serde_json::{Value, json};
use tokio::{io::AsyncWriteExt, net::TcpStream, time::timeout};

async fn store(parameters: Value) -> (World, Client, App) {
    let world = World::new();
    let platform = world.served().await;
    let new = platform.provision("one", "kv", "free", parameters).await;
    assert_eq!(new.status, 201, "{new:?}");
    let app = App::bound(&platform, "one", "b", json!({})).await;
    (world, platform, app)
}

#[track_caller]
fn assert_refused(reply: &Reply, status: u16, part: &str) {
    let said = reply.json();
    assert_eq!(reply.status, status, "{said}");
    assert!(said["error"].as_str().is_some_and(|text| text.contains(part)), "{said}");
}

fn keys(listing: &Reply) -> Vec<String> {
    let listing = listing.json();
    let keys = listing["keys"].as_array().expect("keys").iter();
    keys.map(|key| key["key"].as_str().expect("a key").to_owned()).collect()
}

#[tokio::test]
async fn clients_that_send_no_request_make_room_for_others() {
    let (_world, _platform, app) = store(json!({})).await;
    let (host, _) = app.uri.strip_prefix("http://").and_then(|rest| rest.split_once('/')).expect("a URL with a path");
    let mut idle = Vec::new();
    for number in 0..2 * MAX_CONNECTIONS {
        let mut stream = TcpStream::connect(host).await.expect("it listens");
        if number % 2 == 0 {
            stream.write_all(b"GET /healthz HTTP/1.1\r\nHo").await.expect("it is open");
        }
        idle.push(stream);
    }
    // Each of them would be closed after 30 s.
    let put = timeout(Duration::from_secs(15), app.put("k", "v")).await.expect("idle clients give way");
    assert_eq!(put.status, 204);
}

#[tokio::test]
async fn values_are_returned_unchanged() {
    let (_world, _platform, app) = store(json!({})).await;
    let bytes: Vec<u8> = (0..=255).cycle().take(1_000_000).collect();
    let put = app.put("k", bytes.clone()).await;
    assert_eq!((put.status.as_u16(), put.body.len()), (204, 0));
    let got = app.get("k").await;
    assert_eq!(got.status, 200);
    assert!(got.body == bytes);
    assert_eq!(got.headers["content-type"], "application/octet-stream");
    assert_eq!(got.headers["x-content-type-options"], "nosniff");
    let head = app.send("HEAD", "/keys/k", "").await;
    assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
    assert_eq!(head.headers["content-length"], "1000000");

    let request = Request::builder().method("PUT").header("Authorization", format!("bearer {}", app.token));
    let request = request.header("Content-Type", "application/json");
    assert_eq!(send(request, &format!("{}/keys/k", app.uri), "{}").await.status, 204);
    let got = app.get("k").await;
    assert_eq!((&got.headers["content-type"], got.body.as_ref()), (&"application/json".parse().unwrap(), &b"{}"[..]));
    assert_eq!(app.put("k", "").await.status, 204, "a value can be empty");
    assert_eq!(app.get("k").await.body.len(), 0);
    for _ in 0..2 {
        assert_eq!(app.send("DELETE", "/keys/k", "").await.status, 204);
    }
    assert_refused(&app.get("k").await, 404, "the key does not exist");
    assert_refused(&app.put("k", vec![0; 1_000_001]).await, 413, "at most 1000000 bytes");
    assert_refused(&app.put("k", vec![0; 5_000_000]).await, 413, "at most 1000000 bytes");
}

#[tokio::test]
async fn a_key_can_be_any_text() {
    let (_world, _platform, app) = store(json!({})).await;
    let longest = "k".repeat(512);
    for (path, key) in [
        ("a/b", "a/b"),
        ("a%2Fb%2Fc", "a/b/c"),
        ("gr%C3%BC%c3%9fe%20%F0%9F%94%91", "grüße 🔑"),
        ("a+b", "a+b"),
        ("%00%22%0A", "\0\"\n"),
        ("/", "/"),
        ("a%3Fb%23c", "a?b#c"),
        (longest.as_str(), longest.as_str()),
    ] {
        assert_eq!(app.put(path, key.to_owned()).await.status, 204, "{path}");
        let encoded: String = key.bytes().map(|byte| format!("%{byte:02x}")).collect();
        assert_eq!(app.get(&encoded).await.body, key.as_bytes(), "{path}");
        assert_eq!(keys(&app.send("GET", &format!("/keys?prefix={encoded}&limit=1"), "").await), [key]);
    }
    for path in ["%", "%f", "%zz", "%+1", "%ff", "%c3"] {
        assert_refused(&app.put(path, "v").await, 400, "the key must be UTF-8");
    }
    assert_refused(&app.put("", "v").await, 400, "1 to 512 bytes, but this one has 0");
    assert_refused(&app.put(&"k".repeat(513), "v").await, 400, "but this one has 513");
}

#[tokio::test]
async fn only_tokens_of_the_store_are_valid() {
    let (_world, platform, app) = store(json!({})).await;
    platform.provision("two", "kv", "free", ()).await;
    let other = App::bound(&platform, "two", "b", json!({})).await;
    let reader = App::bound(&platform, "one", "r", json!({ "read_only": true })).await;
    app.put("k", "v").await;

    assert_eq!(
        (reader.get("k").await.status.as_u16(), reader.send("HEAD", "/keys", "").await.status.as_u16()),
        (200, 200)
    );
    for method in ["PUT", "DELETE"] {
        assert_refused(&reader.send(method, "/keys/k", "v").await, 403, "read-only");
    }
    let nowhere = format!("{}x", app.uri);
    for (uri, authorization) in [
        (&app.uri, format!("Bearer {}", other.token)),
        (&app.uri, format!("Bearer {}0", app.token)),
        (&app.uri, "Bearer".to_owned()),
        (&app.uri, "Bearer ".to_owned()),
        (&app.uri, format!("Basic {}", app.token)),
        (&app.uri, app.token.clone()),
        (&nowhere, format!("Bearer {}", app.token)),
    ] {
        for (method, path) in [("GET", "/keys"), ("GET", "/keys/k"), ("PUT", "/keys/k"), ("DELETE", "/keys/k")] {
            let request = Request::builder().method(method).header("Authorization", &authorization);
            let reply = send(request, &format!("{uri}{path}"), vec![0; 500_000]).await;
            assert_refused(&reply, 401, "Authorization: Bearer TOKEN");
            assert_eq!(reply.headers["www-authenticate"], "Bearer realm=\"kv\"");
        }
    }
    assert_eq!(send(Request::builder(), &format!("{}/keys", app.uri), "").await.status, 401);
    assert_eq!(app.get("k").await.body, "v");
    assert_eq!(platform.unbind("one", "b").await.status, 200);
    assert_eq!(app.get("k").await.status, 401);
}

#[tokio::test]
async fn expired_keys_are_invisible_and_swept() {
    let (world, _platform, app) = store(json!({ "ttl": 100 })).await;
    app.put("long", "v").await;
    app.send("PUT", "/keys/short?ttl=10", "v").await;
    for ttl in ["0", "101", "-1", "x", "", "99999999999"] {
        assert_eq!(app.send("PUT", &format!("/keys/k?ttl={ttl}"), "v").await.status, 400, "{ttl}");
    }
    assert_refused(&app.send("PUT", "/keys/k?ttl=101", "v").await, 400, "must be between 1 and 100 seconds");
    world.pass(9);
    let listed = app.send("GET", "/keys", "").await.json();
    assert_eq!(listed["keys"][1], json!({ "key": "short", "bytes": 1, "expires_in": 1 }));
    world.pass(1);
    assert_eq!((app.get("short").await.status.as_u16(), app.get("long").await.status.as_u16()), (404, 200));
    assert_eq!(keys(&app.send("GET", "/keys", "").await), ["long"]);
    let entries =
        || world.stores.inventory().expect("the inventory is read").stores.values().map(|store| store.entries).sum();
    assert_eq!((entries(), world.stores.sweep().await.expect("it can be written"), entries()), (2_u64, true, 1_u64));
    // A write restarts the expiry.
    world.pass(80);
    app.put("long", "w").await;
    world.pass(80);
    assert!(world.stores.sweep().await.expect("it can be written"));
    assert_eq!(app.get("long").await.body, "w");
}

#[tokio::test]
async fn keys_are_listed_page_by_page() {
    let (_world, _platform, app) = store(json!({})).await;
    let all: Vec<String> = (0..25).map(|n| format!("a/{n:02}")).collect();
    for key in all.iter().map(String::as_str).chain(["b", "A"]) {
        app.put(key, "value").await;
    }
    let (mut seen, mut after) = (Vec::new(), String::new());
    loop {
        let page = app.send("GET", &format!("/keys?prefix=a/&limit=10&after={after}"), "").await;
        assert_eq!(page.headers["content-type"], "application/json");
        seen.extend(keys(&page));
        match page.json()["next"].as_str() {
            Some(next) => next.clone_into(&mut after),
            None => break,
        }
    }
    assert_eq!(seen, all);
    assert_eq!(keys(&app.send("GET", "/keys?after=a/24", "").await), ["b"]);
    assert_eq!(keys(&app.send("GET", "/keys?limit=1", "").await), ["A"], "in the order of their bytes");
    assert_eq!(keys(&app.send("GET", "/keys?prefix=none", "").await), Vec::<String>::new());
    for query in ["limit=0", "limit=1001", "limit=x"] {
        assert_refused(&app.send("GET", &format!("/keys?{query}"), "").await, 400, "limit must be");
    }
    assert_refused(
        &app.send("GET", "/keys?prefx=a", "").await,
        400,
        "unknown query parameter; allowed: prefix, after, limit",
    );
    assert_refused(&app.send("GET", "/keys?prefix=%ff", "").await, 400, "prefix in the query must be UTF-8");
}

#[tokio::test]
async fn every_key_has_the_prefix_of_its_store() {
    let (_world, _platform, app) = store(json!({ "prefix": "shop-" })).await;
    assert_eq!(app.put("shop-1", "v").await.status, 204);
    assert_refused(&app.put("1", "v").await, 400, "keys of this store must start with `shop-`");
    assert_eq!(app.get("1").await.status, 404);
}

#[tokio::test]
async fn unknown_paths_and_methods_are_refused() {
    let (_world, _platform, app) = store(json!({})).await;
    let (origin, _) = app.uri.split_once("/stores/").expect("a path");
    for path in ["/", "/stores", "/stores/x", "/healthz/x", "//keys", "/v2/catalog"] {
        assert_refused(&send(Request::builder(), &format!("{origin}{path}"), "").await, 404, "use /stores/");
    }
    for (method, path, allowed) in [
        ("POST", "/keys", "GET, HEAD"),
        ("PATCH", "/keys/k", "GET, HEAD, PUT, DELETE"),
        ("OPTIONS", "/keys/k", "GET, HEAD, PUT, DELETE"),
    ] {
        let reply = app.send(method, path, "{}").await;
        assert_refused(&reply, 405, &format!("allowed methods: {allowed}"));
        assert_eq!(reply.headers["allow"], allowed);
    }
    assert_eq!(send(Request::builder(), &format!("{origin}/healthz"), "").await.json()["status"], "ok");
    let page = send(Request::builder(), &format!("{origin}/dashboards/none"), "").await;
    assert_eq!(
        (page.status.as_u16(), &page.headers["content-type"]),
        (404, &"text/html; charset=utf-8".parse().unwrap())
    );
}
