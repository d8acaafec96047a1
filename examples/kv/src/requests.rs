//! The requests of applications and dashboards.

use std::time::Duration;

use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Method, Request, Response, StatusCode,
    header::{ALLOW, AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, EXPECT, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS},
};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Incoming};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    page,
    stores::{Listed, MAX_KEY, MAX_VALUE, NewEntry, PutError, Stores},
};

type Answer = Response<Full<Bytes>>;

/// Maximum time to receive a body.
const BODY: Duration = Duration::from_mins(1);
/// Maximum number of bytes to discard of an unused body.
const DISCARDED: usize = 10 * MAX_VALUE;
/// Default length of a list of keys.
const DEFAULT_LIMIT: usize = 100;
/// Maximum length of a list of keys.
const MAX_LIMIT: usize = 1_000;
/// Maximum length of a `Content-Type` in bytes.
const MAX_TYPE: usize = 255;

/// The resource at a path.
enum Target<'p> {
    Health,
    Page(&'p str),
    Keys { store: &'p str },
    Key { store: &'p str, key: &'p str },
}

impl<'p> Target<'p> {
    fn of(path: &'p str) -> Option<Self> {
        let mut segments = path.strip_prefix('/')?.splitn(4, '/');
        match [(); 4].map(|()| segments.next()) {
            [Some("healthz"), None, ..] => Some(Self::Health),
            [Some("dashboards"), Some(page), None, _] => Some(Self::Page(page)),
            [Some("stores"), Some(store), Some("keys"), None] => Some(Self::Keys { store }),
            // Keys may contain slashes, encoded or not.
            [Some("stores"), Some(store), Some("keys"), Some(key)] => Some(Self::Key { store, key }),
            _ => None,
        }
    }

    fn allows(&self) -> &'static str {
        match self {
            Self::Key { .. } => "GET, HEAD, PUT, DELETE",
            _ => "GET, HEAD",
        }
    }
}

/// An error response.
struct Refusal {
    status: StatusCode,
    text: String,
    header: Option<(http::HeaderName, HeaderValue)>,
}

impl Refusal {
    fn new(status: StatusCode, text: impl Into<String>) -> Self {
        Self { status, text: text.into(), header: None }
    }

    fn invalid(text: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, text)
    }

    fn unauthorised() -> Self {
        let text = "send `Authorization: Bearer TOKEN` with a token of a binding to this store";
        let header = Some((WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"kv\"")));
        Self { header, ..Self::new(StatusCode::UNAUTHORIZED, text) }
    }

    fn into_answer(self) -> Answer {
        let mut answer = json_answer(self.status, &json!({ "error": self.text }));
        answer.headers_mut().extend(self.header);
        answer
    }
}

impl From<redb::Error> for Refusal {
    fn from(error: redb::Error) -> Self {
        tracing::error!(%error, "cannot read or write the file of the stores");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal error; see the log of the service")
    }
}

impl From<PutError> for Refusal {
    fn from(error: PutError) -> Self {
        let status = match &error {
            PutError::Broken(_) => StatusCode::INTERNAL_SERVER_ERROR,
            PutError::NoStore => StatusCode::NOT_FOUND,
            PutError::Full { .. } => StatusCode::INSUFFICIENT_STORAGE,
            PutError::ValueLength(_) => StatusCode::PAYLOAD_TOO_LARGE,
            PutError::KeyLength(_) | PutError::Prefix(_) | PutError::Ttl(_) => StatusCode::BAD_REQUEST,
        };
        match error {
            PutError::Broken(error) => error.into(),
            error => Self::new(status, error.to_string()),
        }
    }
}

/// Answers any request.
pub(crate) async fn answer(stores: &Stores, request: Request<Incoming>) -> Answer {
    let (parts, mut body) = request.into_parts();
    let answer = respond(stores, &parts, &mut body).await;
    if !body.is_end_stream() && !parts.headers.contains_key(EXPECT) {
        discard(body).await;
    }
    let mut answer = answer.unwrap_or_else(Refusal::into_answer);
    // Browsers must not guess the type of a value, and caches must not keep values that may expire.
    answer.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

async fn respond(stores: &Stores, parts: &http::request::Parts, body: &mut Incoming) -> Result<Answer, Refusal> {
    let target = Target::of(parts.uri.path()).ok_or_else(|| {
        Refusal::new(StatusCode::NOT_FOUND, "unknown path; use /stores/{store}/keys or /stores/{store}/keys/{key}")
    })?;
    let allowed = target.allows();
    if !allowed.split(", ").any(|method| method == parts.method.as_str()) {
        let header = Some((ALLOW, HeaderValue::from_static(allowed)));
        let refusal = Refusal::new(StatusCode::METHOD_NOT_ALLOWED, format!("allowed methods: {allowed}"));
        return Err(Refusal { header, ..refusal });
    }
    let query = parts.uri.query().unwrap_or_default();
    match target {
        Target::Health => Ok(json_answer(StatusCode::OK, &json!({ "status": "ok" }))),
        Target::Page(name) => Ok(page::answer(stores.on_page(name).await?.as_ref())),
        Target::Keys { store } => {
            authorise(stores, store, &parts.headers, &parts.method).await?;
            list(stores, store, query).await
        }
        Target::Key { store, key } => {
            authorise(stores, store, &parts.headers, &parts.method).await?;
            let key = decode(key, false).ok_or_else(|| {
                Refusal::invalid(
                    "the key must be UTF-8, with all characters except letters, digits and -._~/ encoded as %XX",
                )
            })?;
            if key.is_empty() || key.len() > MAX_KEY {
                return Err(PutError::KeyLength(key.len()).into());
            }
            match parts.method {
                Method::PUT => {
                    let ttl = query_of(query, ["ttl"])?[0].take().map(|text| number("ttl", &text)).transpose()?;
                    let content_type = content_type(&parts.headers)?;
                    let value = read(body).await?;
                    stores.put(store, vec![NewEntry { key, value, content_type, ttl }]).await?;
                    Ok(empty())
                }
                Method::DELETE => {
                    stores.delete(store, &key).await?;
                    Ok(empty())
                }
                _ => get(stores, store, &key).await,
            }
        }
    }
}

/// Refuses requests without a valid token for the store, and writes with a read-only token.
async fn authorise(stores: &Stores, store: &str, headers: &HeaderMap, method: &Method) -> Result<(), Refusal> {
    let header = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let token = match header.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim_start_matches(' '),
        _ => return Err(Refusal::unauthorised()),
    };
    let read_only = stores.admit(store, token).await?.ok_or_else(Refusal::unauthorised)?;
    if read_only && ![Method::GET, Method::HEAD].contains(method) {
        return Err(Refusal::new(StatusCode::FORBIDDEN, "this token is read-only"));
    }
    Ok(())
}

async fn get(stores: &Stores, store: &str, key: &str) -> Result<Answer, Refusal> {
    let missing = || Refusal::new(StatusCode::NOT_FOUND, "the key does not exist, or has expired");
    let entry = stores.get(store, key).await?.ok_or_else(missing)?;
    let mut answer = Response::new(Full::new(entry.value));
    if let Ok(content_type) = HeaderValue::from_str(&entry.content_type) {
        answer.headers_mut().insert(CONTENT_TYPE, content_type);
    }
    Ok(answer)
}

async fn list(stores: &Stores, store: &str, query: &str) -> Result<Answer, Refusal> {
    let [prefix, after, limit] = query_of(query, ["prefix", "after", "limit"])?;
    let limit = limit.map_or(Ok(DEFAULT_LIMIT), |text| number("limit", &text))?;
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(Refusal::invalid(format!("limit must be between 1 and {MAX_LIMIT}")));
    }
    let listing = stores.list(store, &prefix.unwrap_or_default(), &after.unwrap_or_default(), limit).await?;
    let next = listing.keys.last().filter(|_| listing.more).map(|last| last.key.clone());
    let show = |Listed { key, bytes, expires_in }| json!({ "key": key, "bytes": bytes, "expires_in": expires_in });
    let keys: Vec<Value> = listing.keys.into_iter().map(show).collect();
    let mut found = json!({ "keys": keys });
    if let Some(next) = next {
        found["next"] = next.into();
    }
    Ok(json_answer(StatusCode::OK, &found))
}

fn content_type(headers: &HeaderMap) -> Result<String, Refusal> {
    let Some(given) = headers.get(CONTENT_TYPE) else { return Ok("application/octet-stream".to_owned()) };
    let text = given.to_str().ok().filter(|text| text.len() <= MAX_TYPE);
    let wrong = || Refusal::invalid(format!("Content-Type must be ASCII, with at most {MAX_TYPE} bytes"));
    text.map(str::to_owned).ok_or_else(wrong)
}

async fn read(body: &mut Incoming) -> Result<Bytes, Refusal> {
    let large = || Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, format!("a value has at most {MAX_VALUE} bytes"));
    // Checked first, so that a client that waits for `100 Continue` sends nothing.
    if body.size_hint().lower() > MAX_VALUE as u64 {
        return Err(large());
    }
    match timeout(BODY, Limited::new(body, MAX_VALUE).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(large()),
        Ok(Err(_)) => Err(Refusal::invalid("the body ended before it was complete")),
        Err(_) => Err(Refusal::invalid("the body did not arrive in time")),
    }
}

/// Reads the rest of a small body: closing a connection with unread bytes resets it, and the client might miss the response.
async fn discard(body: Incoming) {
    let mut body = Limited::new(body, DISCARDED);
    let rest = async { while let Some(Ok(_)) = body.frame().await {} };
    // A slower client may miss the response.
    let _ = timeout(Duration::from_secs(1), rest).await;
}

/// Parses a query, and refuses unknown parameters.
fn query_of<const N: usize>(query: &str, names: [&str; N]) -> Result<[Option<String>; N], Refusal> {
    let mut values = [const { None }; N];
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let Some(i) = names.iter().position(|known| *known == name) else {
            return Err(Refusal::invalid(format!("unknown query parameter; allowed: {}", names.join(", "))));
        };
        let wrong =
            || Refusal::invalid(format!("{name} in the query must be UTF-8, with special characters encoded as %XX"));
        values[i] = Some(decode(value, true).ok_or_else(wrong)?);
    }
    Ok(values)
}

fn number<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, Refusal> {
    text.parse().map_err(|_| Refusal::invalid(format!("{name} must be a whole number, and not too large")))
}

/// Decodes `%XX`, and in a query `+` as a space.
fn decode(text: &str, query: bool) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::new(), text.bytes());
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                u8::try_from(digit()? * 16 + digit()?).ok()?
            }
            b'+' if query => b' ',
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

fn empty() -> Answer {
    let mut answer = Answer::default();
    *answer.status_mut() = StatusCode::NO_CONTENT;
    answer
}

fn json_answer(status: StatusCode, body: &Value) -> Answer {
    let mut answer = Response::new(Full::from(body.to_string()));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}
