//! The valid answers of a broker: statuses, fields and headers. All platforms of the tests check all answers.

use std::sync::LazyLock;

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use osb_check::{
    Severity,
    judge::{self, CatalogFinding, Endpoint, Schemas, minor},
};
use osb_client::Answer;
use serde_json::Value;

use crate::wire::Reply;

/// The schemas of the messages of this broker. A `$comment` contains the rules for the schema around it.
static SCHEMAS: LazyLock<Schemas> =
    LazyLock::new(|| Schemas::read(include_str!("../schemas/messages.json")).expect("the schemas are valid"));

/// The parts of a request on which its answer depends.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The method.
    pub method: &'a str,
    /// The path, with the query.
    pub path: &'a str,
    /// The headers, without those of HTTP itself.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body; `null` if there is none.
    pub body: &'a Value,
}

use Endpoint::{
    Bind, Catalog, Deprovision, FetchBinding, FetchInstance, PollBinding, PollInstance, Provision, Unbind, Update,
};

/// The valid answers of each endpoint: the status, the definition in `schemas/messages.json` for the body, and the
/// rule.
const ANSWERS: &[(Endpoint, u16, &str, &str)] = &[
    (Catalog, 200, "catalog", "CAT-01"),
    (Catalog, 304, "", "HDR-11"),
    (Provision, 200, "instance", "PROV-11"),
    (Provision, 201, "instance", "PROV-10"),
    (Provision, 202, "instance_accepted", "PROV-12"),
    (Provision, 409, "error", "PROV-14"),
    (Provision, 413, "error", "ERR-01"),
    (Provision, 422, "error", "PROV-09"),
    (FetchInstance, 200, "instance_fetched", "GETI-04"),
    (FetchInstance, 404, "error", "GETI-05"),
    (FetchInstance, 422, "error", "GETI-06"),
    (Update, 200, "instance", "UPD-11"),
    (Update, 202, "instance_accepted", "UPD-12"),
    (Update, 400, "error_of_update", "UPD-13"),
    (Update, 404, "error", "T20"),
    (Update, 413, "error", "ERR-01"),
    (Update, 422, "error_of_update", "UPD-14"),
    (Update, 500, "error_of_update", "UPD-17"),
    (Deprovision, 200, "nothing", "DEP-04"),
    (Deprovision, 202, "accepted", "DEP-04"),
    (Deprovision, 400, "error_of_deprovision", "DEP-04"),
    (Deprovision, 410, "nothing", "S06"),
    (Deprovision, 422, "error_of_deprovision", "DEP-05"),
    (Deprovision, 500, "error_of_deprovision", "DEP-09"),
    (PollInstance, 200, "poll_instance", "LOI-03"),
    (PollInstance, 404, "error", "LOI-06"),
    (PollInstance, 410, "nothing", "S06"),
    (Bind, 200, "binding", "BIND-08"),
    (Bind, 201, "binding", "BIND-07"),
    (Bind, 202, "accepted", "BIND-10"),
    (Bind, 404, "error", "T20"),
    (Bind, 409, "error", "BIND-11"),
    (Bind, 413, "error", "ERR-01"),
    (Bind, 422, "error", "BIND-14"),
    (FetchBinding, 200, "binding_fetched", "GETB-04"),
    (FetchBinding, 404, "error", "GETB-03"),
    (Unbind, 200, "nothing", "UNB-03"),
    (Unbind, 202, "accepted", "UNB-03"),
    (Unbind, 410, "nothing", "S06"),
    (Unbind, 422, "error", "UNB-04"),
    (PollBinding, 200, "poll_binding", "LOB-01"),
    (PollBinding, 404, "error", "LOB-01"),
    (PollBinding, 410, "nothing", "S06"),
];

/// The answers to a method that a path does not support, and to an unknown path.
const ELSEWHERE: [(u16, &str, &str); 2] = [(405, "error", "T58"), (404, "error", "T58")];

/// The valid answers of all endpoints, unless the endpoint has other ones for the same status.
const ANYWHERE: &[(u16, &str, &str)] = &[
    (400, "error", "ERR-12"),
    (401, "error", "AUTH-01"),
    (412, "error", "HDR-02"),
    (500, "error", "ERR-01"),
    (503, "error", "ERR-01"),
];

/// Definitions that replace another one for platforms before a minor version, the oldest first.
const EARLIER: &[(&str, u32, &str)] = &[("binding", 8, "binding_before_2_8"), ("binding", 10, "binding_before_2_10")];

/// The codes of the specification: the endpoints whose 422 may have them, and the description that platforms compare
/// literally.
const CODES: &[(&str, &[Endpoint], Option<&str>)] = &[
    (
        "AsyncRequired",
        &[Provision, Update, Deprovision, Bind, Unbind],
        Some("This service plan requires client support for asynchronous service operations."),
    ),
    (
        "ConcurrencyError",
        &[Provision, FetchInstance, Update, Deprovision, Bind, Unbind],
        Some("The Service Broker does not support concurrent requests that mutate the same resource."),
    ),
    ("MaintenanceInfoConflict", &[Provision, Update], None),
    (
        "RequiresApp",
        &[Bind],
        Some("This service supports generation of credentials through binding an application only."),
    ),
];

/// Maximum length of a request identity that has to be echoed.
const LONGEST_IDENTITY: usize = 256;

/// Parses the schemas. That is slow, so tests with short timeouts do it in advance.
pub fn prepare() {
    LazyLock::force(&SCHEMAS);
}

/// Checks that an answer is valid for its endpoint.
///
/// # Panics
///
/// If it is not, with all problems.
#[track_caller]
pub fn hold(asked: Asked<'_>, reply: &Reply) {
    let wrong = wrong(asked, reply);
    assert!(wrong.is_empty(), "{} {}:\n{}\n{reply:#?}", asked.method, asked.path, wrong.join("\n"));
}

/// Checks an answer and returns the problems: first those that apply to any broker, then those that apply to ours,
/// which has stricter rules.
#[must_use]
pub fn wrong(asked: Asked<'_>, reply: &Reply) -> Vec<String> {
    let endpoint = Endpoint::of(asked.method, asked.path);
    let headers = headers(asked.headers.iter().copied());
    let judged = judge::JudgedRequest { method: asked.method, path: asked.path, headers: &headers, body: asked.body };
    let breaches = judge::breaches(judged, &answer(reply));
    let mut wrong: Vec<_> = breaches.into_iter().map(|breach| format!("{}: {}", breach.rule, breach.what)).collect();
    wrong.extend(wrong_headers(asked, endpoint, reply));

    let of_endpoint = ANSWERS.iter().find(|(known, status, ..)| Some(*known) == endpoint && *status == reply.status);
    let elsewhere = ELSEWHERE[usize::from(Endpoint::methods(asked.path).is_empty())];
    let mut of_any = ANYWHERE.iter().chain(endpoint.is_none().then_some(&elsewhere));
    let found = of_endpoint.map(|(_, _, definition, rule)| (*definition, *rule));
    let of_any = of_any.find(|(status, ..)| *status == reply.status);
    let Some((definition, rule)) = found.or(of_any.map(|(_, definition, rule)| (*definition, *rule))) else {
        wrong.push(format!("ERR-01: {endpoint:?} is never answered with {}", reply.status));
        return wrong;
    };
    // The answer to HEAD has no body, despite its headers (RFC 9110).
    if definition.is_empty() || asked.method == "HEAD" {
        if !reply.body.is_null() {
            wrong.push(format!("{rule}: there is to be no body"));
        }
        return wrong;
    }
    let minor = minor(judged);
    let earlier = EARLIER.iter().find(|(instead_of, before, _)| *instead_of == definition && minor < *before);
    let definition = earlier.map_or(definition, |(_, _, earlier)| earlier);
    wrong.extend(violations(definition, &reply.body).into_iter().map(|what| format!("{rule}, {definition}: {what}")));
    wrong.extend(wrong_code(endpoint, reply));
    wrong
}

/// Validates a message with one of the schemas of this broker. Returns the problems with place and rule.
#[must_use]
pub fn violations(definition: &str, message: &Value) -> Vec<String> {
    let found = SCHEMAS.breaches(definition, message, "S04").into_iter();
    let mut wrong: Vec<_> =
        found.map(|found| format!("{} ({})", found.what, found.comment.as_deref().unwrap_or(found.rule))).collect();
    if definition == "catalog" {
        let found = judge::catalog_findings(message).into_iter();
        // Names that differ in case alone are different (CAT-05), and the brokers of some tests have them.
        let is_other_case = |found: &CatalogFinding| found.rule == "CF-21" && found.pointer.ends_with("/name");
        let errors = found.filter(|found| found.severity == Severity::Error && !is_other_case(found));
        wrong.extend(errors.map(|found| format!("`{}`: {} ({})", found.pointer, found.what, found.rule)));
    }
    wrong
}

fn headers<'a>(all: impl Iterator<Item = (&'a str, &'a str)>) -> HeaderMap {
    let header = |(name, value): (&str, &str)| {
        Some((name.parse::<HeaderName>().ok()?, HeaderValue::from_bytes(value.as_bytes()).ok()?))
    };
    all.filter_map(header).collect()
}

/// Converts a reply to the answer type of the client.
fn answer(reply: &Reply) -> Answer {
    let body = if reply.body.is_null() { String::new() } else { reply.body.to_string() };
    let head = reply.head.lines().filter_map(|line| line.split_once(": "));
    Answer::new(StatusCode::from_u16(reply.status).expect("a status"), headers(head), body.as_bytes())
}

/// Checks the code of an error. A 422 without a code is a refusal, which is valid only for updates and deletions: for
/// other requests Cloud Foundry treats it as a broker error and deletes the resource.
fn wrong_code(endpoint: Option<Endpoint>, reply: &Reply) -> Option<String> {
    let code = reply.body["error"].as_str().unwrap_or("no code");
    match CODES.iter().find(|(known, ..)| *known == code) {
        Some((_, endpoints, _))
            if reply.status != 422 || !endpoint.is_some_and(|endpoint| endpoints.contains(&endpoint)) =>
        {
            Some(format!("ERR-04 to ERR-07: {code} is not for {} of {endpoint:?}", reply.status))
        }
        Some((.., Some(sentence))) if reply.body["description"] != *sentence => {
            Some(format!("S21: platforms know {code} by its description, {sentence:?}"))
        }
        None if reply.status == 422 && [Some(Provision), Some(FetchInstance), Some(Bind)].contains(&endpoint) => {
            Some(format!("T55, GETI-06: 422 of {endpoint:?} is for codes of the specification, and this is {code}"))
        }
        _ => None,
    }
}

fn header<'a>(asked: Asked<'a>, name: &str) -> Option<&'a str> {
    asked.headers.iter().find(|(header, _)| header.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
}

fn wrong_headers(asked: Asked<'_>, endpoint: Option<Endpoint>, reply: &Reply) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut demand = |met: bool, what: &str| {
        if !met {
            wrong.push(what.to_owned());
        }
    };
    let all = |name: &str| reply.headers(name).collect::<Vec<_>>();
    let status = reply.status;

    let types: &[&str] = if status == 304 { &[] } else { &["application/json"] };
    demand(all("content-type") == types, "HDR-07: a body is of type application/json");
    demand((status == 401) != all("www-authenticate").is_empty(), "T58: a 401, and no other answer, has challenges");

    let mut allowed: Vec<_> = all("allow").iter().flat_map(|list| list.split(',').map(str::trim)).collect();
    allowed.sort_unstable();
    let methods = if status == 405 { Endpoint::methods(asked.path) } else { Vec::new() };
    demand(allowed == methods, "T58: a 405, and no other answer, lists the allowed methods");

    let polls = matches!(endpoint, Some(PollInstance | PollBinding)) && reply.body["state"] == "in progress";
    let pauses = all("retry-after");
    demand(pauses.is_empty() || polls || status == 503, "HDR-10: `Retry-After` is for requests to repeat");
    let seconds = |pause: &&str| pause.parse::<u32>().is_ok_and(|pause| pause > 0);
    demand(pauses.len() < 2 && pauses.iter().all(seconds), "HDR-10: a number of seconds says when");

    let tags = usize::from(endpoint == Some(Catalog) && [200, 304].contains(&status));
    demand(all("etag").len() == tags, "HDR-11: a catalog, and nothing else, has a tag");

    let identity = header(asked, "X-Broker-API-Request-Identity").map(str::trim);
    let identity = identity.filter(|text| (1..=LONGEST_IDENTITY).contains(&text.len()));
    let identity = identity.filter(|text| text.bytes().all(|byte| (b' '..=b'~').contains(&byte)));
    let echoed = all("x-broker-api-request-identity");
    demand(echoed == Vec::from_iter(identity), "HDR-05: the identity of the request, and no other, is in the answer");
    wrong
}
