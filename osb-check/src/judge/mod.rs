//! Validates single responses of a broker, for tests that send their own requests. Rules that depend on earlier requests
//! are for a [`Checker`](crate::Checker), as this module keeps no state.
//!
//! ```
//! use http::{HeaderMap, StatusCode};
//! use osb_check::judge::{JudgedRequest, breaches};
//! use osb_client::Answer;
//! use serde_json::Value;
//!
//! let headers = HeaderMap::new();
//! let asked = JudgedRequest { method: "GET", path: "/v2/catalog", headers: &headers, body: &Value::Null };
//! let found = breaches(asked, &Answer::new(StatusCode::OK, HeaderMap::new(), b"{}"));
//! assert!(found.iter().any(|breach| breach.rule == "CAT-01"), "{found:?}");
//! ```

mod catalog;
mod schemas;

use std::sync::LazyLock;

use http::{HeaderMap, StatusCode};
use serde_json::Value;

pub use catalog::{CatalogFinding, catalog_findings};
pub use osb_runtime::protocol::Endpoint;
pub use schemas::Schemas;

use crate::rules::rule;
use Endpoint::{
    Bind, Catalog, Deprovision, FetchBinding, FetchInstance, PollBinding, PollInstance, Provision, Unbind, Update,
};
use osb_client::Answer;
use osb_runtime::protocol::ApiVersion;

/// The schemas of the messages that the specification allows a broker to send.
static SCHEMAS: LazyLock<Schemas> = LazyLock::new(|| Schemas::read(include_str!("messages.json")).unwrap_or_default());

/// The parts of a request on which its response depends.
#[derive(Debug, Clone, Copy)]
pub struct JudgedRequest<'a> {
    /// The method.
    pub method: &'a str,
    /// The path, with the query.
    pub path: &'a str,
    /// The headers.
    pub headers: &'a HeaderMap,
    /// The body; `null` if it is empty.
    pub body: &'a Value,
}

/// A violation of a rule by a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// The id of the rule.
    pub rule: &'static str,
    /// The place and the reason.
    pub what: String,
    /// The comment of the schema at that place.
    pub comment: Option<String>,
    /// The JSON pointer of the place in the body; empty if it is the body itself, or no part of it.
    pub pointer: String,
}

impl Breach {
    /// Creates a violation that was not found by a schema.
    pub fn new(rule: &'static str, what: impl Into<String>) -> Self {
        Self { rule, what: what.into(), comment: None, pointer: String::new() }
    }

    /// Sets the place.
    #[must_use]
    pub fn at(self, pointer: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), ..self }
    }
}

/// Successful responses: endpoint, status, definition of the body, and rule.
const SUCCESS: &[(Endpoint, u16, &str, &str)] = &[
    (Catalog, 200, "Catalog", "CAT-01"),
    (Provision, 200, "Instance", "PROV-11"),
    (Provision, 201, "Instance", "PROV-10"),
    (Provision, 202, "InstanceAccepted", "PROV-12"),
    (FetchInstance, 200, "InstanceFetched", "GETI-04"),
    (Update, 200, "Updated", "UPD-11"),
    (Update, 202, "UpdateAccepted", "UPD-12"),
    (Deprovision, 200, "Object", "DEP-04"),
    (Deprovision, 202, "DeprovisionAccepted", "DEP-04"),
    (PollInstance, 200, "PollOfInstance", "LOI-03"),
    (Bind, 200, "Binding", "BIND-08"),
    (Bind, 201, "Binding", "BIND-07"),
    (Bind, 202, "BindAccepted", "BIND-09"),
    (FetchBinding, 200, "BindingFetched", "GETB-04"),
    (Unbind, 200, "Object", "UNB-03"),
    (Unbind, 202, "UnbindAccepted", "UNB-03"),
    (PollBinding, 200, "PollOfBinding", "LOB-01"),
];

/// The error codes of the specification and their rules. All of them require the status 422.
const CODES: &[(&str, &str)] = &[
    ("AsyncRequired", "ERR-04"),
    ("ConcurrencyError", "ERR-05"),
    ("RequiresApp", "ERR-06"),
    ("MaintenanceInfoConflict", "ERR-07"),
];

/// Returns the violations in a response, of rules that the version of the request has.
pub fn breaches(asked: JudgedRequest<'_>, answer: &Answer) -> Vec<Breach> {
    Judge::default().breaches(asked, answer)
}

/// Finds the violations in the responses of a broker.
#[derive(Debug, Default)]
pub(crate) struct Judge {
    /// The last catalog and its violations: a broker responds to many requests with the same catalog.
    catalog: (Value, Vec<Breach>),
}

impl Judge {
    /// Returns the violations in a response, of rules that the version of the request has.
    pub(crate) fn breaches(&mut self, asked: JudgedRequest<'_>, answer: &Answer) -> Vec<Breach> {
        let version = ApiVersion::new(2, minor(asked));
        let mut found = of_headers(asked, answer);
        if let Some(endpoint) = Endpoint::of(asked.method, asked.path) {
            found.extend(of_endpoint(asked, endpoint, answer));
            if endpoint == Catalog && answer.status == StatusCode::OK && answer.body.is_object() {
                found.extend(self.of_catalog(&answer.body));
            }
        }
        found.retain(|breach| rule(breach.rule).is_none_or(|rule| rule.level_at(version).is_some()));
        found
    }

    fn of_catalog(&mut self, catalog: &Value) -> Vec<Breach> {
        if self.catalog.0 != *catalog {
            self.catalog = (catalog.clone(), catalog::breaches(catalog));
        }
        self.catalog.1.clone()
    }
}

fn of_endpoint(asked: JudgedRequest<'_>, endpoint: Endpoint, answer: &Answer) -> Vec<Breach> {
    let mut found = Vec::new();
    let status = answer.status.as_u16();
    if answer.status.is_success() {
        found.extend(of_success(asked, endpoint, answer));
    } else if ![304, 410].contains(&status) {
        // 304 has no body, and 410 is not an error for a deletion.
        let definition = match endpoint {
            Update => "ErrorOfUpdate",
            Deprovision => "ErrorOfDeprovision",
            _ => "Error",
        };
        found.extend(SCHEMAS.breaches(definition, &answer.body, "ERR-01"));
    }
    let waits = accepts_incomplete(asked, endpoint);
    // Before there are operations, 202 is no status of success at all. Requests that change nothing can't ask for it, and the rule
    // of their endpoint says that it is wrong.
    if status == 202 && !waits && asked.method != "GET" {
        found.push(Breach::new("ASY-05", "202 is allowed only for requests with accepts_incomplete=true"));
    }
    if let Some(&(code, rule)) = CODES.iter().find(|(code, _)| answer.error() == Some(code)) {
        if status != 422 {
            found.push(Breach::new(rule, format!("{code} requires the status 422")));
        } else if code == "AsyncRequired" && waits {
            found.push(Breach::new(rule, "AsyncRequired is allowed only for requests without accepts_incomplete=true"));
        }
    }
    found
}

fn of_success(asked: JudgedRequest<'_>, endpoint: Endpoint, answer: &Answer) -> Vec<Breach> {
    let status = answer.status.as_u16();
    let since = if matches!(endpoint, Bind | Unbind) { 14 } else { 7 };
    // Platforms of 2.4 and 2.5 that tried operations out ask for them as later ones do.
    let has_operations = minor(asked) >= since || accepts_incomplete(asked, endpoint);
    let is_known = move |status: u16| status != 202 || has_operations;
    let of_endpoint = || SUCCESS.iter().filter(move |(known, status, ..)| *known == endpoint && is_known(*status));
    let Some(&(.., definition, rule)) = of_endpoint().find(|(_, known, ..)| *known == status) else {
        let statuses: Vec<_> = of_endpoint().map(|(_, status, ..)| status.to_string()).collect();
        // The rule for 201 takes precedence, as it is about creation and not about repeated requests.
        let of_status = |wanted: u16| of_endpoint().find(move |(_, status, ..)| *status == wanted);
        let rule = of_status(201).or(of_status(200)).map_or("ERR-01", |(.., rule)| rule);
        let what = format!("the status of success is {}, not {status}", statuses.join(" or "));
        return vec![Breach::new(rule, what)];
    };
    if !answer.body.is_object() {
        return vec![Breach::new(rule, "the body must be a JSON object")];
    }
    // Before 2.10 volume mounts had a different shape.
    let definition = if definition == "Binding" && minor(asked) < 10 { "Given" } else { definition };
    let mut found = SCHEMAS.breaches(definition, &answer.body, rule);
    if matches!(endpoint, Bind | FetchBinding) {
        found.extend(of_binding(&answer.body));
    }
    found
}

/// Checks the constraints on bindings that a JSON Schema cannot express.
fn of_binding(binding: &Value) -> Vec<Breach> {
    let mut found = Vec::new();
    let metadata = &binding["metadata"];
    if let (Some(renew), Some(end)) = (metadata["renew_before"].as_str(), metadata["expires_at"].as_str())
        && sortable(renew) > sortable(end)
    {
        found.push(Breach::new("BIND-25", format!("`renew_before` ({renew}) is after `expires_at` ({end})")));
    }
    for ports in list(&binding["endpoints"]).iter().flat_map(|endpoint| list(&endpoint["ports"])) {
        let ports = ports.as_str().unwrap_or_default();
        let (first, last) = ports.split_once('-').unwrap_or((ports, ports));
        match (first.parse::<u16>(), last.parse::<u16>()) {
            (Ok(first), Ok(last)) if 0 < first && first <= last => {}
            _ => found.push(Breach::new("BIND-23", format!("{ports:?} is neither a port nor a range of ports"))),
        }
    }
    found
}

/// Returns the part of a time of the specification's format that sorts like the time, however many digits its fraction has.
pub(crate) fn sortable(time: &str) -> &str {
    time.trim_end_matches('Z').trim_end_matches('0')
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns the minor version of a request; the latest if the header is missing or invalid.
pub fn minor(asked: JudgedRequest<'_>) -> u32 {
    let version = header(asked.headers, "x-broker-api-version").and_then(|version| version.trim().strip_prefix("2."));
    version.and_then(|minor| minor.parse().ok()).unwrap_or(17)
}

/// Returns whether the request accepts an asynchronous operation: by its query, from 2.7 to 2.11 also by its body (S11),
/// and for bindings only since 2.14 (G3).
pub fn accepts_incomplete(asked: JudgedRequest<'_>, endpoint: Endpoint) -> bool {
    let minor = minor(asked);
    let query = asked.path.split_once('?').map_or("", |(_, query)| query);
    let in_query = query.split('&').any(|parameter| parameter == "accepts_incomplete=true");
    match endpoint {
        Bind | Unbind => in_query && minor >= 14,
        _ => in_query || ((7..12).contains(&minor) && asked.body["accepts_incomplete"] == true),
    }
}

fn of_headers(asked: JudgedRequest<'_>, answer: &Answer) -> Vec<Breach> {
    let mut found = Vec::new();
    let kind = answer.header("content-type").unwrap_or_default();
    let json = kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json");
    if !json && !answer.text.is_empty() {
        let kind = if kind.is_empty() { "missing".to_owned() } else { format!("`{kind}`") };
        found.push(Breach::new("HDR-07", format!("the Content-Type must be `application/json`, but is {kind}")));
    }
    if let Some(pause) = answer.header("retry-after")
        && pause.trim().parse::<u64>().is_err()
        // Roughly the date formats of RFC 9110, which are longer than this and contain a time of day.
        && !(pause.contains(':') && pause.len() > 20)
    {
        found.push(Breach::new(
            "HDR-10",
            format!("Retry-After must be a number of seconds or a date, but is {pause:?}"),
        ));
    }
    if let Some(identity) =
        header(asked.headers, "x-broker-api-request-identity").filter(|identity| !identity.is_empty())
        && answer.header("x-broker-api-request-identity") != Some(identity)
    {
        found.push(Breach::new("HDR-05", "the response must repeat the request's X-Broker-API-Request-Identity"));
    }
    found
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, StatusCode};
    use serde_json::json;

    use super::{Judge, JudgedRequest};
    use osb_client::Answer;

    #[test]
    fn a_poll_that_is_answered_202_breaks_the_rule_of_polls_only() {
        let answer = Answer::new(StatusCode::ACCEPTED, HeaderMap::new(), br#"{"state":"in progress"}"#);
        let path = "/v2/service_instances/i/last_operation";
        let mut headers = HeaderMap::new();
        headers.insert("x-broker-api-version", "2.13".parse().expect("a value"));
        let asked = JudgedRequest { method: "GET", path, headers: &headers, body: &json!(null) };
        let rules: Vec<_> = Judge::default().breaches(asked, &answer).iter().map(|breach| breach.rule).collect();
        assert_eq!(rules, ["LOI-03"]);
    }

    #[test]
    fn each_catalog_that_differs_from_the_last_one_is_judged() {
        let catalog =
            |ids: [&str; 2]| json!({ "services": ids.map(|id| json!({ "id": id, "name": id, "plans": [] })) });
        let mut judge = Judge::default();
        for (ids, is_wrong) in [(["a", "b"], false), (["a", "a"], true), (["a", "a"], true), (["a", "b"], false)] {
            let answer = Answer::new(StatusCode::OK, HeaderMap::new(), catalog(ids).to_string().as_bytes());
            let asked =
                JudgedRequest { method: "GET", path: "/v2/catalog", headers: &HeaderMap::new(), body: &json!(null) };
            let found = judge.breaches(asked, &answer);
            assert_eq!(found.iter().any(|breach| breach.rule == "CAT-11"), is_wrong, "{ids:?}: {found:?}");
        }
    }
}
