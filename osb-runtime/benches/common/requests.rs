//! The requests of Cloud Foundry, with its headers.

use base64::{Engine, engine::general_purpose::STANDARD};

use super::{
    PASSWORD, USER,
    broker::{PLAN, SERVICE},
};

fn request(method: &str, path: &str, more: &str, body: &str) -> Vec<u8> {
    let pair = STANDARD.encode(format!("{USER}:{PASSWORD}"));
    let user = STANDARD.encode(r#"{"user_id":"683ea748-3092-4ff4-b656-39cacc4d5360"}"#);
    format!(
        "{method} {path} HTTP/1.1\r\n\
         User-Agent: HTTPClient/1.0\r\n\
         Accept: application/json\r\n\
         Host: broker.example.com\r\n\
         Authorization: Basic {pair}\r\n\
         X-Broker-API-Version: 2.17\r\n\
         X-Broker-API-Originating-Identity: cloudfoundry {user}\r\n\
         X-Broker-API-Request-Identity: e26cee84-6b38-4456-b34e-d1a9f002c956\r\n\
         {more}\r\n{body}"
    )
    .into_bytes()
}

/// The catalog, or 304 if it is the one with this tag.
pub(crate) fn catalog(etag: Option<&str>) -> Vec<u8> {
    let known = etag.map(|etag| format!("If-None-Match: {etag}\r\n")).unwrap_or_default();
    request("GET", "/v2/catalog", &known, "")
}

/// Makes an instance.
pub(crate) fn provision(id: &str) -> Vec<u8> {
    let place = r#""organization_guid":"1a6a3c9b-6b28-4a39-9f8c-2b7b1d3f1a11","space_guid":"2b7b1d3f-6b28-4a39-9f8c-1a6a3c9b2b22""#;
    let body = format!(
        r#"{{"service_id":"{SERVICE}","plan_id":"{PLAN}",{place},"context":{{"platform":"cloudfoundry",{place},"organization_name":"acme","space_name":"production","instance_name":"sessions"}},"parameters":{{"size_mb":256,"name":"sessions","when_full":"forget","backup":{{"keep_days":30,"encrypted":false}}}}}}"#
    );
    let head = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    request("PUT", &format!("/v2/service_instances/{id}?accepts_incomplete=true"), &head, &body)
}

/// Fetches it.
pub(crate) fn fetch(id: &str) -> Vec<u8> {
    request("GET", &format!("/v2/service_instances/{id}?service_id={SERVICE}&plan_id={PLAN}"), "", "")
}

/// Removes it.
pub(crate) fn deprovision(id: &str) -> Vec<u8> {
    let query = format!("accepts_incomplete=true&service_id={SERVICE}&plan_id={PLAN}");
    request("DELETE", &format!("/v2/service_instances/{id}?{query}"), "", "")
}

/// The id of an instance, by its number.
pub(crate) fn id(number: u64) -> String {
    format!("3f1f9d0e-54a5-4a3c-9e0a-{number:012x}")
}
