//! Only operators have access, and pages of other sites have none through their browsers.

use osb_runtime::http::serve_admin;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use super::*;
use crate::identity::Away;

/// Sends a purge of the instance `i` with an operator's credentials and these headers, as a browser would.
async fn purge(admin: &Admin, headers: &[(&str, &str)]) -> u16 {
    let headers = [&[("Authorization", OPERATOR)], headers].concat();
    exchange(admin, "POST", "/instances/i/purge", &headers, "").await.0.status.as_u16()
}

#[tokio::test]
async fn only_operators_have_access() {
    let world = World::new().await;
    for authorization in ["", AUTHORIZATION, "Basic b3BlcmF0b3I6d3Jvbmc="] {
        for (method, path) in [("GET", "/instances"), ("POST", "/instances/i/purge"), ("GET", "/nothing")] {
            let (status, body) = send(&world.admin, method, path, authorization, &Value::Null).await;
            assert_eq!(status, 401, "{authorization} {path}: {body}");
        }
    }
    assert_eq!(send(&world.broker, "GET", "/v2/catalog", OPERATOR, &Value::Null).await.0, 401);
    for (method, path) in [("GET", "/nothing"), ("DELETE", "/instances"), ("POST", "/instances/i/explode")] {
        assert_eq!(send(&world.admin, method, path, OPERATOR, &Value::Null).await.0, 404, "{method} {path}");
    }
    for path in [
        "/instances?limit=0",
        "/instances?limit=10001",
        "/instances?limit=many",
        "/instances/%zz",
        "/instances?after=i&after_tenant=%00",
        "/instances?after=%00",
        "/bindings?after=i&after_binding=%00",
    ] {
        assert_eq!(send(&world.admin, "GET", path, OPERATOR, &Value::Null).await.0, 400, "{path}");
    }
}

#[tokio::test]
async fn credentials_that_cannot_be_checked_are_not_called_wrong() {
    let (world, credentials) = (World::new().await, AcceptedCredentials::basic("operator", "secret"));
    let admin = world.broker.admin(credentials.expect("a user without colon").or_custom(Away));
    for (authorization, expected) in [("", 500), (OPERATOR, 200)] {
        let (status, said) = send(&admin, "GET", "/instances", authorization, &Value::Null).await;
        assert_eq!(status, expected, "{said}");
    }
}

#[tokio::test]
async fn a_page_of_another_site_can_change_nothing() {
    const JSON: (&str, &str) = ("Content-Type", "application/json");
    const HOST: (&str, &str) = ("Host", "admin.example:9091");
    let world = World::new().await;
    world.make("i").await;
    for (status, headers) in [
        (415, &[HOST][..]),
        (415, &[HOST, ("Content-Type", "application/x-www-form-urlencoded")]),
        (415, &[HOST, ("Content-Type", "text/plain; application/json")]),
        (403, &[HOST, ("Sec-Fetch-Site", "cross-site"), JSON]),
        (403, &[HOST, ("Sec-Fetch-Site", "same-site"), JSON]),
        (403, &[HOST, ("Origin", "https://evil.example"), JSON]),
        (403, &[HOST, ("Origin", "http://admin.example"), JSON]),
        (403, &[HOST, ("Origin", "null"), JSON]),
        (403, &[("Origin", "http://admin.example:9091"), JSON]),
    ] {
        assert_eq!(purge(&world.admin, headers).await, status, "{headers:?}");
    }
    assert_eq!(ids_of(&world.get("/instances").await, "instances", "instance_id"), ["i"]);
    let own = [HOST, ("Origin", "https://ADMIN.example:9091"), ("Sec-Fetch-Site", "same-origin"), JSON];
    assert_eq!(purge(&world.admin, &own).await, 200);
    world.make("i").await;
    let typed = [HOST, ("Sec-Fetch-Site", "none"), ("Content-Type", "application/json; charset=utf-8")];
    assert_eq!(purge(&world.admin, &typed).await, 200);
}

/// A name of a foreign site can be made to resolve to this machine.
#[tokio::test]
async fn at_a_local_address_only_local_names_are_answered() {
    let world = World::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(serve_admin(listener, world.admin.clone(), std::future::pending()));
    for (host, status) in [
        ("evil.example", 403),
        ("localhost.evil.example", 403),
        ("127.0.0.1", 200),
        ("LocalHost", 200),
        ("[::1]", 200),
        ("[::1]evil.example", 403),
    ] {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("it listens");
        let request = format!(
            "GET /instances HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: {OPERATOR}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.expect("it is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("an answer");
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{host}: {answer}");
        assert_eq!(answer.contains("only requests for localhost"), status == 403, "{host}: {answer}");
    }
}

/// Handlers, hooks and the audit log know operators by the platform `admin`.
#[tokio::test]
async fn no_platform_can_pretend_to_be_an_operator() {
    let (watching, mut settings) = (Watching::default(), Settings::default());
    settings.audit = Some(Arc::new(watching.clone()));
    let world = World::with(settings).await;
    let body = new(ids::SMALL, json!({}));
    assert_eq!(as_user_of(&world, "admin", &instance("i"), &body).await, 201, "T41: it is ignored");
    assert_eq!(watching.events.all(), [json!(null); 0]);
    assert_eq!(world.post("/instances/i/purge").await.0, 200);
    assert_eq!(watching.events.all().len(), 2, "those of the operator");
}
