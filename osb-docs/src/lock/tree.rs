//! The lock as JSON: the serialized model, reduced to the members that [`ChangeKind`] or the structure of the file names.

use std::mem;

use serde::Serialize;

use super::{ChangeKind, VERSION};
use osb_runtime::{
    catalog::{Offering, PlanInfo, Requires},
    json::{Json, Members, json},
};

/// The part of a catalog that platforms and users depend on: the content of `catalog.lock`.
#[derive(Debug, Clone, PartialEq)]
pub struct Lock(pub(super) Json);

impl Lock {
    /// Builds the lock of the [offerings](osb_runtime::service::Broker::OFFERINGS) of a broker.
    #[must_use]
    pub fn of(offerings: &[&Offering]) -> Self {
        let services: Json = offerings.iter().map(|offering| service(offering)).collect();
        let mut lock = json!({ "version": VERSION, "services": services });
        reduce(&mut lock, Scope::Catalog, &mut Vec::new());
        Self(lock)
    }

    pub(super) fn services(&self) -> &[Json] {
        list(&self.0, "services")
    }
}

/// The kinds of objects in the file. Schemas of parameters and credentials have the same form, but other members matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    Catalog,
    Service,
    Plan,
    Parameter,
    Credential,
}

impl Scope {
    fn has(self, member: &str) -> bool {
        let structure: &[&str] = match self {
            Self::Catalog => &["version", "services", "gone"],
            Self::Service => &["id", "name", "plans"],
            Self::Plan => &["id", "name", "changes_to", "family", "create", "update", "bind", "credentials"],
            Self::Parameter => &["immutable", "aliases", "exclusive_minimum", "exclusive_maximum", "items"],
            Self::Credential => &["items"],
        };
        structure.contains(&member) || ChangeKind::of(self, member).next().is_some()
    }
}

fn service(offering: &Offering) -> Json {
    let mut service = serialized(offering);
    // Deployments depend on a family as platforms depend on a plan.
    let all = || offering.plans.iter().chain(offering.families);
    if let Some(plans) = service.get_mut("plans").and_then(Json::as_array_mut) {
        plans.extend(offering.families.iter().map(serialized));
        for (plan, info) in plans.iter_mut().filter_map(Json::as_object_mut).zip(all()) {
            complete(plan, info, offering);
        }
    }
    let requires = all().fold(Requires::NONE, |all, plan| all.or(plan.requires));
    if let Some(members) = service.as_object_mut() {
        members.insert_before(|name| name == "plans", "requires", names(&requires, &Json::Bool(true)));
    }
    service
}

/// Replaces the members of a plan that have another form in the file.
fn complete(plan: &mut Members, info: &PlanInfo, offering: &Offering) {
    let targets =
        offering.plans.iter().chain(offering.families).filter(|to| offering.changes(info.spec.id, to.spec.id));
    let asynchronous = names(&info.spec.asynchronous, &"always".into());
    plan.insert("maintenance", info.spec.maintenance.map_or(Json::Null, |maintenance| maintenance.version.into()));
    plan.insert_before(|name| name == "create", "always_asynchronous", asynchronous);
    plan.insert_before(|name| name == "create", "changes_to", targets.map(|to| to.spec.name).collect::<Json>());
}

fn serialized(model: &impl Serialize) -> Json {
    Json::of(model).expect("constants are plain data")
}

/// Returns the names of the members that have this value.
fn names(model: &impl Serialize, value: &Json) -> Json {
    let object = serialized(model);
    let members = object.as_object().into_iter().flat_map(Members::iter);
    members.filter(|(_, member)| *member == value).map(|(name, _)| name).collect()
}

/// Reduces a serialized model, or a file, to the members that a lock has; those that mean the same as absent ones are
/// removed. Adds the names of members that it does not know to `unknown`.
pub(super) fn reduce(node: &mut Json, scope: Scope, unknown: &mut Vec<String>) {
    let Json::Object(members) = node else { return };
    if scope == Scope::Credential
        && let Some(value) = only_value(members)
    {
        members.insert("constant", value);
    }
    for (name, mut value) in mem::take(members) {
        if means_nothing(&name, &value) {
            continue;
        }
        if !scope.has(&name) {
            unknown.push(name);
            continue;
        }
        let mut each = |values: &mut Json, scope| match values {
            Json::Array(items) => items.iter_mut().for_each(|item| reduce(item, scope, unknown)),
            Json::Object(named) => named.iter_mut().for_each(|(_, value)| reduce(value, scope, unknown)),
            _ => {}
        };
        match (scope, name.as_str()) {
            (Scope::Catalog, "services") => each(&mut value, Scope::Service),
            (Scope::Service, "plans") => each(&mut value, Scope::Plan),
            (Scope::Plan, "family" | "create" | "update" | "bind") => reduce(&mut value, Scope::Parameter, unknown),
            (Scope::Plan, "credentials") => reduce(&mut value, Scope::Credential, unknown),
            (_, "items") => reduce(&mut value, scope, unknown),
            (_, "properties" | "variants") => each(&mut value, scope),
            (_, "foreign") => leave_out_descriptions(&mut value),
            // The broker creates the values of credentials, so constraints on them do not matter.
            (Scope::Credential, "type") if value.as_str() == Some("choice") => value = "string".into(),
            _ => {}
        }
        members.insert(name, value);
    }
    if members.get("type").and_then(Json::as_str) == Some("integer") {
        include_bounds(members);
    }
}

/// Returns the value of a credential that has only one, as the `type` and `provider` of the attribute have.
fn only_value(members: &Members) -> Option<Json> {
    match members.get("values") {
        Some(Json::Array(values)) if values.len() == 1 => values.first().cloned(),
        _ => None,
    }
}

fn means_nothing(name: &str, value: &Json) -> bool {
    match (name, value) {
        // `free` is written in any case, as its default in a catalog is `true`.
        ("default" | "services" | "plans" | "free", _) => false,
        (_, Json::Null | Json::Bool(false)) => true,
        (_, Json::Array(items)) => items.is_empty(),
        (_, Json::Object(members)) => members.is_empty(),
        ("min_length", Json::Number(number)) => number.as_u64() == Some(0),
        _ => false,
    }
}

/// Replaces exclusive bounds of an integer by the equivalent inclusive ones. Bounds beyond 64 bits do not fit into JSON.
fn include_bounds(members: &mut Members) {
    for (bound, exclusive, step) in [("minimum", "exclusive_minimum", 1), ("maximum", "exclusive_maximum", -1)] {
        let step = if members.remove(exclusive).is_some() { step } else { 0 };
        if let Some(Json::Number(number)) = members.get(bound) {
            let moved = number.as_i128().map(|number| number + step);
            let fitting =
                moved.and_then(|n| i64::try_from(n).map(Json::from).or_else(|_| u64::try_from(n).map(Json::from)).ok());
            match fitting {
                Some(inclusive) => members.insert(bound, inclusive),
                None => drop(members.remove(bound)),
            }
        }
    }
}

/// Removes descriptions, but not properties: below `properties`, `title` is a name and not a keyword.
fn leave_out_descriptions(schema: &mut Json) {
    match schema {
        Json::Object(words) => {
            for word in ["title", "description", "$schema"] {
                words.remove(word);
            }
            for (word, value) in words.iter_mut() {
                match (word, value) {
                    ("properties" | "patternProperties" | "definitions", Json::Object(named)) => {
                        named.iter_mut().for_each(|(_, value)| leave_out_descriptions(value));
                    }
                    ("default" | "enum", _) => {}
                    (_, value) => leave_out_descriptions(value),
                }
            }
        }
        Json::Array(items) => items.iter_mut().for_each(leave_out_descriptions),
        _ => {}
    }
}

pub(super) fn list<'a>(node: &'a Json, name: &str) -> &'a [Json] {
    if let Json::Array(items) = &node[name] { items } else { &[] }
}

pub(super) fn members<'a>(node: &'a Json, name: &str) -> impl Iterator<Item = (&'a str, &'a Json)> {
    node[name].as_object().into_iter().flat_map(Members::iter)
}

pub(super) fn text<'a>(node: &'a Json, name: &str) -> &'a str {
    node[name].as_str().unwrap_or_default()
}

pub(super) fn id(node: &Json) -> &str {
    text(node, "id")
}

pub(super) fn name(node: &Json) -> &str {
    text(node, "name")
}

pub(super) fn is_set(node: &Json, name: &str) -> bool {
    node[name] == Json::Bool(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn a_credential_with_one_value_has_a_constant() {
        let mut credentials = json!({ "type": "object", "properties": {
            "type": { "type": "choice", "values": ["mysql"] },
            "mode": { "type": "choice", "values": ["rw", "ro"] },
        } });
        reduce(&mut credentials, Scope::Credential, &mut Vec::new());
        let expected = json!({ "type": "object", "properties": {
            "type": { "type": "string", "constant": "mysql" },
            "mode": { "type": "string" },
        } });
        assert_eq!(credentials, expected);
    }

    /// A new member of the model is either locked, by a row in the table of changes, or listed here.
    #[test]
    fn the_members_that_are_not_locked_are_known() {
        let mut catalog = json!({ "services": [service(&fixture::KV)] });
        let mut left_out = Vec::new();
        reduce(&mut catalog, Scope::Catalog, &mut left_out);
        left_out.sort();
        left_out.dedup();
        let for_people = ["bullets", "costs", "description", "display_name", "documentation_url", "examples"];
        let for_people = [&for_people[..], &["image_url", "long_description", "support_url", "tags"]].concat();
        let in_another_form = ["asynchronous", "changes", "requires", "updateable"];
        let of_credentials = ["open", "secret"];
        let mut expected = [&for_people[..], &in_another_form, &of_credentials].concat();
        expected.sort_unstable();
        assert_eq!(left_out, expected);
    }
}
