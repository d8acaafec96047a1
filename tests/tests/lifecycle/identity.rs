//! Every answer echoes the request identity (HDR-05, T60), over real connections.

use crate::served::Served;
use osb_lab::{prelude::*, wire::credentials};
use osb_runtime::http::{Authenticate, BoxError};

/// `user:pass`
const AUTHORIZATION: (&str, &str) = ("Authorization", "Basic dXNlcjpwYXNz");
const VERSION: (&str, &str) = ("X-Broker-API-Version", "2.17");

/// An authentication method that always fails.
pub(crate) struct Away;

impl Authenticate for Away {
    async fn admit(&self, _: &http::request::Parts) -> Result<bool, BoxError> {
        Err("the issuer is away".into())
    }

    fn challenge(&self) -> http::HeaderValue {
        http::HeaderValue::from_static("Away")
    }
}

#[tokio::test]
async fn hdr_05_t60_the_identity_is_echoed_with_every_status() {
    let mut settings = HttpSettings::default();
    settings.max_body = 2000;
    let broker = Served::start(credentials(), settings).await;
    let away = Served::start(credentials().or_custom(Away), HttpSettings::default()).await;

    let gate = [AUTHORIZATION, VERSION];
    let (i, catalog) = (instance("i"), "/v2/catalog".to_owned());
    let small = |parameters: Value| new(ids::SMALL, parameters).to_string();
    let (too_large, none) = (" ".repeat(2001), String::new());
    for (status, method, path, headers, body) in [
        (200, "GET", &catalog, &gate[..], &none),
        (201, "PUT", &i, &gate, &small(json!({}))),
        (200, "PUT", &i, &gate, &small(json!({}))),
        (400, "PUT", &i, &gate, &none),
        (400, "PUT", &i, &gate, &"[".to_owned()),
        (400, "GET", &instance("%ff"), &gate, &none),
        (400, "GET", &catalog, &[AUTHORIZATION], &none),
        (400, "GET", &catalog, &[AUTHORIZATION, ("X-Broker-API-Version", "x")], &none),
        (401, "GET", &catalog, &[VERSION], &none),
        (401, "PUT", &i, &[], &too_large),
        (404, "GET", &"/unknown".to_owned(), &gate, &none),
        (404, "GET", &instance("unknown"), &gate, &none),
        (404, "GET", &format!("{}/last_operation", binding("i", "unknown")), &gate, &none),
        (405, "POST", &i, &gate, &none),
        (409, "PUT", &i, &gate, &new(ids::LARGE, json!({})).to_string()),
        (410, "DELETE", &format!("{}?{DELETE}", instance("unknown")), &gate, &none),
        (412, "GET", &catalog, &[AUTHORIZATION, ("X-Broker-API-Version", "1.0")], &none),
        (413, "PUT", &i, &gate, &too_large),
        (422, "PATCH", &i, &gate, &change(json!({ "maintenance_info": { "version": "9.9.9" } })).to_string()),
        (500, "PUT", &instance("f"), &gate, &small(json!({ "mood": "fail" }))),
        (500, "PUT", &instance("p"), &gate, &small(json!({ "mood": "panic" }))),
    ] {
        let headers = [headers, &[("X-Broker-API-Request-Identity", "identity-1")]].concat();
        let answered = broker.send(method, path, &headers, body).await;
        assert_eq!(answered.status, status, "{method} {path}: {answered:?}");
        assert_eq!(answered.head.matches("x-broker-api-request-identity: identity-1").count(), 1, "{answered:?}");
        assert!(answered.body.is_object(), "G5");
    }

    let headers = [VERSION, ("X-Broker-API-Request-Identity", "identity-1")];
    let answered = away.send("GET", &catalog, &headers, "").await;
    assert_eq!(answered.status, 500);
    assert!(answered.head.contains("x-broker-api-request-identity: identity-1"), "{answered:?}");
    assert!(!answered.body.to_string().contains("issuer"), "{answered:?}");
}
