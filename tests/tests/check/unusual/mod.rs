//! Brokers that are unusual, and correct at every version.

mod catalogs;
mod operations;
mod resources;
mod responses;

use http::{HeaderValue, header};
use serde_json::Value;

use crate::mutated::{Mutate, Reply};

/// The behaviour, the rules that it obeys in an unusual way, the plan to check, and the function that changes the responses.
pub(crate) type Unusual = (&'static str, &'static str, &'static str, Mutate);

/// All unusual brokers whose responses are changed.
pub(crate) fn all() -> impl Iterator<Item = &'static Unusual> {
    [catalogs::ALL, responses::ALL, operations::ALL, resources::ALL].into_iter().flatten()
}

/// Plans of the lab that are unusual as they are.
pub(crate) const PLANS: &[Unusual] = &[
    (
        "asynchronous only",
        "ASY-05 ERR-04 PROV-09 PROV-12 UPD-14 DEP-05 BIND-14 UNB-04 GETI-05 GETB-02 GETB-03 GETB-04",
        "slow",
        |_, _| {},
    ),
    (
        "synchronous only, although the request accepts 202",
        "ASY-05 PROV-10 UPD-11 BIND-07 UNB-03 DEP-04",
        "quick",
        |_, _| {},
    ),
    ("without bindings, updates and parameters", "CAT-35 CAT-50 PROV-07 UPD-07 BIND-06", "closed", |_, _| {}),
    ("bindings that need an application", "BIND-12 BIND-20 ERR-06", "large", |_, _| {}),
];

/// Sets fields of all services of a catalog.
fn services(reply: &mut Reply, set: fn(&mut Value)) {
    reply.body.get_mut("services").and_then(Value::as_array_mut).into_iter().flatten().for_each(set);
}

/// Sets fields of all plans of a catalog.
fn plans(reply: &mut Reply, set: fn(&mut Value)) {
    let services = reply.body.get_mut("services").and_then(Value::as_array_mut).into_iter().flatten();
    services.filter_map(|service| service["plans"].as_array_mut()).flatten().for_each(set);
}

/// Sets several fields of an object.
fn set<const N: usize>(object: &mut Value, fields: [(&str, Value); N]) {
    for (name, value) in fields {
        object[name] = value;
    }
}

/// Removes fields of an object, if it is one.
fn remove(object: &mut Value, names: &[&str]) {
    if let Some(fields) = object.as_object_mut() {
        fields.retain(|name, _| !names.contains(&name.as_str()));
    }
}

/// Sets a header.
fn set_header(reply: &mut Reply, name: header::HeaderName, value: &'static str) {
    reply.headers.insert(name, HeaderValue::from_static(value));
}
