//! The page at `/docs`.

use super::*;
use crate::http::{DocsPage, Platforms};

/// A request of a browser, which has no API version.
fn browser(method: &str, path: &str) -> http::request::Builder {
    Request::builder().method(method).uri(path).header("Authorization", BASIC)
}

async fn page(service: &BrokerService, request: http::request::Builder) -> (http::response::Parts, String) {
    let (parts, body) =
        service.clone().call(request.body(Full::new(Bytes::new())).unwrap()).await.unwrap().into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    (parts, String::from_utf8(body.to_vec()).unwrap())
}

fn with(docs: DocsPage) -> HttpSettings {
    HttpSettings { docs, ..HttpSettings::default() }
}

#[tokio::test]
async fn the_page_needs_credentials_but_no_version() {
    let recorder = Recorder::new();
    let service = service(&recorder, HttpSettings::default());
    for path in ["/docs", "/docs/", "//docs", "/docs?q=ttl"] {
        let (head, body) = page(&service, browser("GET", path)).await;
        assert_eq!((head.status, body.as_str()), (StatusCode::OK, "<!doctype html>"), "{path}");
        assert_eq!(head.headers["content-type"], "text/html; charset=utf-8");
        assert_eq!(head.headers["x-content-type-options"], "nosniff");
        let policy = head.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
        assert!(policy.ends_with("; frame-ancestors 'none'"), "{policy}");
    }
    assert!(recorder.asked().is_empty(), "the page needs no call of the broker");
}

#[tokio::test]
async fn an_unchanged_page_is_a_304() {
    let service = service(&Recorder::new(), HttpSettings::default());
    let (head, _) = page(&service, browser("GET", "/docs")).await;
    let etag = head.headers["etag"].clone();
    let (head, body) = page(&service, browser("GET", "/docs").header("If-None-Match", &etag)).await;
    assert_eq!((head.status, body.as_str()), (StatusCode::NOT_MODIFIED, ""));
    assert_eq!(head.headers["etag"], etag);
    let (head, _) = page(&service, browser("GET", "/docs").header("If-None-Match", "\"other\"")).await;
    assert_eq!(head.status, StatusCode::OK);
}

#[tokio::test]
async fn the_page_allows_only_get_and_head() {
    let service = service(&Recorder::new(), HttpSettings::default());
    let answer = get(&service, browser("POST", "/docs")).await;
    assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(answer.headers["allow"], "GET, HEAD");

    // A server that mounts the service sends this over HTTP/2 as it is, and content would be an error of the protocol.
    let (head_only, body) = page(&service, browser("HEAD", "/docs")).await;
    assert_eq!((head_only.status, &*body), (StatusCode::OK, ""));
    assert_eq!(head_only.headers["content-length"], "15");
    // Its length would be that of the page (RFC 9110, section 8.6).
    let known = browser("HEAD", "/docs").header("if-none-match", head_only.headers["etag"].clone());
    let (known, _) = page(&service, known).await;
    assert_eq!(known.status, StatusCode::NOT_MODIFIED);
    assert!(!known.headers.contains_key("content-length"), "{known:?}");
    let (refused, body) = page(&service, request("HEAD", "/v2/catalog")).await;
    assert_eq!((refused.status, &*body), (StatusCode::METHOD_NOT_ALLOWED, ""));
    let (ready, body) = {
        let request = Request::builder().method("HEAD").uri("/readyz").body(Full::new(Bytes::new())).unwrap();
        service.monitor().call(request).await.unwrap().into_parts()
    };
    assert_eq!(ready.status, StatusCode::OK);
    assert_eq!(ready.headers["content-length"], "3");
    assert!(body.collect().await.unwrap().to_bytes().is_empty());

    let server = Server::start(|_| {}).await;
    let mut client = server.sent(&format!("{}Connection: close\r\n\r\n", head("HEAD /docs", ""))).await;
    assert_eq!(client.answer().await, None, "there is no body");
    let head = String::from_utf8(client.read).unwrap().to_lowercase();
    assert!(head.starts_with("http/1.1 200 ok") && head.contains("content-length: 15\r\n"), "{head}");
}

#[tokio::test]
async fn the_page_can_be_public_or_off() {
    let open = service(&Recorder::new(), with(DocsPage::Public));
    assert_eq!(page(&open, Request::builder().uri("/docs")).await.0.status, StatusCode::OK);
    assert_eq!(get(&open, Request::builder().uri("/v2/catalog")).await.status, StatusCode::UNAUTHORIZED);

    let recorder = Recorder::without_page();
    let off = service(&recorder, with(DocsPage::Off));
    assert_eq!(get(&off, request("GET", "/docs")).await.status, StatusCode::NOT_FOUND);
    assert_eq!(get(&off, Request::builder().uri("/docs")).await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn behind_a_prefix_the_page_always_needs_credentials() {
    let platforms = Platforms::behind("cf", "/cf", credentials()).unwrap();
    let service = BrokerService::new(Recorder::new(), platforms, with(DocsPage::Public));
    let anonymous = |path: &str| Request::builder().uri(path.to_owned());
    assert_eq!(page(&service, browser("GET", "/cf/docs")).await.0.status, StatusCode::OK);
    assert_eq!(page(&service, anonymous("/docs")).await.0.status, StatusCode::OK);
    // The same answer as for any other path, so that it does not disclose prefixes.
    for path in ["/cf/docs", "/other/docs"] {
        assert_eq!(page(&service, anonymous(path)).await.0.status, StatusCode::UNAUTHORIZED, "{path}");
    }
}
