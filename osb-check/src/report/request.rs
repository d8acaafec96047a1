//! The request of a finding, as data and as a command line.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Uri, header::AUTHORIZATION};
use http_body_util::Full;
use serde::{Serialize, Serializer, ser::SerializeMap};

use super::{hidden, short};
use osb_client::{Call, Client, Payload};

/// A request as it was sent, without the broker's credentials and other secrets.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SentRequest {
    /// The method.
    pub method: String,
    /// The URL.
    pub url: String,
    /// The headers. Credentials of the broker are replaced by shell variables, and wrong ones, which are sent on purpose, by
    /// `***`: some are almost right.
    #[serde(serialize_with = "as_map")]
    pub headers: HeaderMap,
    /// The body, if there is one. Secrets are masked, and a body of more than 10,000 characters is cut off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The request as a command line, with the credentials in the variables `OSB_CLIENT_USERNAME` and
    /// `OSB_CLIENT_PASSWORD`, or `OSB_CLIENT_TOKEN`; `None` if the body is cut off.
    pub curl: Option<String>,
    /// Path and query.
    #[serde(skip)]
    target: String,
}

/// The longest body that is repeated whole.
const LONGEST: usize = 10_000;

const BASIC: &str = "Basic $OSB_CLIENT_USERNAME:$OSB_CLIENT_PASSWORD";
const BEARER: &str = "Bearer $OSB_CLIENT_TOKEN";
const WRONG: &str = "***";

/// URL and headers of a request, without the broker's credentials.
#[derive(Debug, Clone)]
pub(crate) struct RequestHead {
    url: Uri,
    pub(crate) headers: HeaderMap,
}

impl RequestHead {
    pub(crate) fn new(client: &Client, request: &Request<Full<Bytes>>) -> Self {
        let mut headers = request.headers().clone();
        if let Some(sent) = headers.get_mut(AUTHORIZATION) {
            *sent = HeaderValue::from_static(match client.credentials() {
                Some(own) if own != sent => WRONG,
                _ if sent.as_bytes().starts_with(b"Basic ") => BASIC,
                _ => BEARER,
            });
        }
        Self { url: request.uri().clone(), headers }
    }
}

impl SentRequest {
    pub(crate) fn new(head: &RequestHead, call: &Call) -> Self {
        let RequestHead { url, headers } = head.clone();
        let body = match &call.payload {
            Payload::None => None,
            Payload::Json(body) => Some(hidden(body).to_string()),
            Payload::Text(text) => Some(text.clone()),
        };
        let is_whole = body.as_ref().is_none_or(|body| body.len() <= LONGEST);
        let body = body.map(|body| if is_whole { body } else { short(&body) });
        let (method, url) = (call.method.to_string(), url.to_string());
        let curl = is_whole.then(|| curl(&method, &url, &headers, body.as_deref()));
        Self { method, url, headers, body, curl, target: call.target() }
    }

    /// Returns method, path and query, and the beginning of the body.
    pub(super) fn line(&self) -> String {
        let body = self.body.as_ref().map(|body| format!(" {}", short(body))).unwrap_or_default();
        format!("{} {}{body}", self.method, self.target)
    }
}

fn curl(method: &str, url: &str, headers: &HeaderMap, body: Option<&str>) -> String {
    let mut line = format!("curl -i -X {method} {}", quoted(url));
    for (name, value) in headers {
        let value = String::from_utf8_lossy(value.as_bytes());
        line += &match (name, value.as_ref()) {
            (&AUTHORIZATION, BASIC) => " -u \"$OSB_CLIENT_USERNAME:$OSB_CLIENT_PASSWORD\"".to_owned(),
            (&AUTHORIZATION, BEARER) => " -H \"Authorization: Bearer $OSB_CLIENT_TOKEN\"".to_owned(),
            // Without a value, curl would remove the header.
            (name, "") => format!(" -H {}", quoted(&format!("{name};"))),
            (name, value) => format!(" -H {}", quoted(&format!("{name}: {value}"))),
        };
    }
    body.into_iter().fold(line, |line, body| format!("{line} --data-binary {}", quoted(body)))
}

/// Quotes an argument for a POSIX shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn as_map<S: Serializer>(headers: &HeaderMap, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(headers.len()))?;
    for (name, value) in headers {
        map.serialize_entry(name.as_str(), &String::from_utf8_lossy(value.as_bytes()))?;
    }
    map.end()
}
