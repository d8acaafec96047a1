//! Compares two objects of the file member by member, by the table of changes, and schemas with all that is below them.
//!
//! A change of parameters is compatible if every value that was valid still is, and means the same. The comparison is
//! conservative: it never accepts an incompatible change, and rejects some compatible ones, such as most changes of
//! patterns. Applications that read credentials need the old fields, and ignore new ones.

use std::{cmp::Ordering, collections::BTreeSet};

use semver::Version;
use serde_json::{Number, Value};

use super::{
    ChangeKind, Verdict,
    change::Effect,
    tree::{Scope, is_set, list, members, text},
};
use osb_runtime::{
    json::{Json, Members, pointer},
    schema::{canonical, is_multiple},
};

/// A change, and the pointer to its property.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) change: ChangeKind,
    pub(super) pointer: String,
    pub(super) was: String,
    pub(super) is: String,
}

/// Returns the changes of the members of a service or a plan.
pub(super) fn compare_members(scope: Scope, old: &Json, new: &Json) -> Vec<Found> {
    let mut comparison = SchemaComparison { scope, found: Vec::new(), pointer: String::new() };
    comparison.members(old, new, Extent::All);
    comparison.found
}

/// Returns all changes from one schema to another.
pub(super) fn compare_schemas(scope: Scope, old: &Json, new: &Json) -> Vec<Found> {
    let mut comparison = SchemaComparison { scope, found: Vec::new(), pointer: String::new() };
    comparison.schema(old, new);
    comparison.found
}

/// Finds the property at a pointer, through objects only.
pub(super) fn at<'a>(schema: &'a Json, pointer: &str) -> Option<&'a Json> {
    pointer::steps(pointer).try_fold(schema, |schema, name| property(schema, &name).map(|(_, property)| property))
}

/// Finds a property by its name or an alias; returns it with its current name.
fn property<'a>(schema: &'a Json, name: &str) -> Option<(&'a str, &'a Json)> {
    let is_alias = |property| list(property, "aliases").iter().any(|alias| alias.as_str() == Some(name));
    members(schema, "properties").find(|(own, property)| *own == name || is_alias(property))
}

/// The members of a schema that can be compared although its type has changed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Common,
    CommonAndNull,
    All,
}

impl Extent {
    fn has(self, member: &str) -> bool {
        match member {
            "required" | "default" | "secret" => true,
            "nullable" => self != Self::Common,
            _ => self == Self::All,
        }
    }
}

/// A recursive comparison of two schemas.
struct SchemaComparison {
    scope: Scope,
    found: Vec<Found>,
    pointer: String,
}

impl SchemaComparison {
    fn push(&mut self, change: ChangeKind, was: impl ToString, is: impl ToString) {
        let (was, is) = (was.to_string(), is.to_string());
        self.found.push(Found { change, pointer: self.pointer.clone(), was, is });
    }

    /// Adds a change of a member by the table. A change that the table does not expect, as of a value with a wrong type,
    /// counts as the first breaking one.
    fn member(&mut self, member: &str, effect: Effect, was: Option<&str>, is: Option<&str>) {
        let kinds = ChangeKind::of(self.scope, member);
        let with = |effect: Effect| kinds.clone().find(|(_, effects)| effects.contains(&effect));
        let breaking = || kinds.clone().find(|(change, _)| change.verdict() == Verdict::Breaking);
        if let Some((change, effects)) = with(effect).or_else(|| with(Effect::Changed)).or_else(breaking) {
            // The kind of change says already that the value was absent, or is.
            let absent = if matches!(effects, [Effect::Added | Effect::Removed]) { "" } else { "none" };
            self.push(change, was.unwrap_or(absent), is.unwrap_or(absent));
        }
    }

    /// Runs `compare` one level deeper.
    fn deeper(&mut self, step: &str, compare: impl FnOnce(&mut Self)) {
        let length = self.pointer.len();
        self.pointer.push_str(step);
        compare(self);
        self.pointer.truncate(length);
    }

    fn property(&mut self, name: &str, compare: impl FnOnce(&mut Self)) {
        self.deeper(&pointer::member("", name), compare);
    }

    /// Compares the members that are values.
    fn members(&mut self, old: &Json, new: &Json, extent: Extent) {
        let names = [old, new].into_iter().filter_map(Json::as_object).flat_map(Members::iter);
        let names: BTreeSet<&str> = names.map(|(name, _)| name).filter(|name| extent.has(name)).collect();
        for name in names {
            match name {
                "type" | "items" | "properties" | "variants" => {}
                // The meaning of an absent property.
                "default" if is_set(old, "required") || is_set(new, "required") => {}
                // Locks of earlier releases don't have it. A value that can be another one now is read like those of enums.
                "constant" if old.get(name).is_none() || new.get(name).is_none() => {}
                "multiple_of" => self.multiple_of(old, new),
                "one_of" => self.one_of(old, new),
                "default" => self.value(name, [old, new], |a, b| {
                    let [a, b] = [a, b].map(|value| canonical(&Value::from(value.clone())));
                    (a != b).then_some(Effect::Changed)
                }),
                _ => match (&old[name], &new[name]) {
                    (Json::Array(was), Json::Array(is)) => self.words(name, was, is),
                    (Json::Null, Json::Array(is)) => self.words(name, &[], is),
                    (Json::Array(was), Json::Null) => self.words(name, was, &[]),
                    _ => self.value(name, [old, new], |was, is| effect(name, (old, was), (new, is))),
                },
            }
        }
    }

    fn words(&mut self, name: &str, old: &[Json], new: &[Json]) {
        for word in old.iter().filter(|word| !new.contains(word)) {
            self.member(name, Effect::Removed, Some(&plain(word)), None);
        }
        for word in new.iter().filter(|word| !old.contains(word)) {
            self.member(name, Effect::Added, None, Some(&plain(word)));
        }
    }

    fn value(&mut self, name: &str, nodes: [&Json; 2], effect: impl Fn(&Json, &Json) -> Option<Effect>) {
        let values = nodes.map(|node| node.get(name).filter(|value| name == "default" || **value != Json::Bool(false)));
        let effect = match values {
            [None, None] => None,
            [None, Some(_)] => Some(Effect::Added),
            [Some(_), None] => Some(Effect::Removed),
            [Some(was), Some(is)] => effect(was, is),
        };
        let [was, is] = [0, 1].map(|at| values[at].map(|value| shown(name, nodes[at], value)));
        if let Some(effect) = effect {
            self.member(name, effect, was.as_deref(), is.as_deref());
        }
    }

    fn multiple_of(&mut self, old: &Json, new: &Json) {
        // Every integer is a multiple of one.
        let divisor = |node: &Json| match &node["multiple_of"] {
            Json::Null => (text(node, "type") == "integer").then(|| "1".to_owned()),
            divisor => Some(divisor.to_string()),
        };
        let is_looser = match (divisor(old), divisor(new)) {
            (was, is) if was == is => return,
            (_, None) => true,
            (was, Some(is)) => was.is_some_and(|was| is_multiple(&was, &is)),
        };
        // The change from an integer to a number is reported already.
        if !is_looser || old.get("multiple_of").is_some() {
            let effect = if is_looser { Effect::Lowered } else { Effect::Raised };
            let [was, is] = [old, new].map(|node| node.get("multiple_of").map(Json::to_string));
            self.member("multiple_of", effect, was.as_deref(), is.as_deref());
        }
    }

    /// Compares the numbers that are the only values.
    fn one_of(&mut self, old: &Json, new: &Json) {
        let shown = |values: &[Json]| values.iter().map(plain).collect::<Vec<_>>().join(", ");
        match (&old["one_of"], &new["one_of"]) {
            (Json::Array(was), Json::Array(is)) => self.words("one_of", was, is),
            (Json::Array(was), _) => self.member("one_of", Effect::Raised, Some(&shown(was)), None),
            (_, Json::Array(is)) => self.member("one_of", Effect::Lowered, None, Some(&shown(is))),
            _ => {}
        }
    }

    fn schema(&mut self, old: &Json, new: &Json) {
        let parameters = self.scope == Scope::Parameter;
        let (effect, extent) = match (text(old, "type"), text(new, "type")) {
            ("any", "any") => (None, Extent::Common),
            ("any", _) | ("number", "integer") if !parameters => (None, Extent::Common),
            (_, "any") if parameters => (Some(Effect::Raised), Extent::Common),
            ("integer", "number") if parameters => (Some(Effect::Raised), Extent::All),
            ("choice", "string") if accepts_all(new, list(old, "values")) => {
                (Some(Effect::Raised), Extent::CommonAndNull)
            }
            (was, is) if was != is => (Some(Effect::Changed), Extent::Common),
            _ => (None, Extent::All),
        };
        self.members(old, new, extent);
        if let Some(effect) = effect {
            self.member("type", effect, Some(noun(old)), Some(noun(new)));
        }
        if extent == Extent::All {
            if old.get("items").is_some() || new.get("items").is_some() {
                self.deeper("/*", |this| this.schema(&old["items"], &new["items"]));
            }
            self.properties(old, new);
            self.variants(old, new);
        }
    }

    fn properties(&mut self, old: &Json, new: &Json) {
        let mut taken = BTreeSet::new();
        for (name, was) in members(old, "properties") {
            let found = property(new, name);
            self.property(name, |this| match found {
                None => this.member("properties", Effect::Removed, None, None),
                Some((today, _)) if !taken.insert(today) => this.push(ChangeKind::PropertiesMerged, "", today),
                Some((today, is)) => {
                    if today != name {
                        this.push(ChangeKind::PropertyRenamed, name, today);
                    }
                    for alias in list(was, "aliases").iter().filter_map(Json::as_str) {
                        if property(new, alias).is_none_or(|(other, _)| other != today) {
                            this.push(ChangeKind::AliasRemoved, alias, "");
                        }
                    }
                    this.schema(was, is);
                }
            });
        }
        for (name, is) in members(new, "properties") {
            self.property(name, |this| {
                let names = std::iter::once(name).chain(list(is, "aliases").iter().filter_map(Json::as_str));
                for name in names.filter(|name| is_set(old, "open") && property(old, name).is_none()) {
                    this.push(ChangeKind::NameTaken, "", name);
                }
                match is_set(is, "required") && this.scope == Scope::Parameter {
                    _ if taken.contains(name) => {}
                    true => this.member("required", Effect::Added, None, None),
                    false if is_set(old, "open") => {}
                    false => this.member("properties", Effect::Added, None, None),
                }
            });
        }
    }

    fn variants(&mut self, old: &Json, new: &Json) {
        if old["tag"] != new["tag"] {
            return;
        }
        for (name, was) in members(old, "variants") {
            match new["variants"].get(name) {
                None => self.member("variants", Effect::Removed, Some(name), None),
                Some(is) => self.deeper(&format!("[{}={name}]", text(old, "tag")), |this| this.schema(was, is)),
            }
        }
        for (name, _) in members(new, "variants").filter(|(name, _)| old["variants"].get(name).is_none()) {
            self.member("variants", Effect::Added, None, Some(name));
        }
    }
}

/// Returns the effect of a change from one value to another, each in its object.
fn effect(name: &str, (old, was): (&Json, &Json), (new, is): (&Json, &Json)) -> Option<Effect> {
    // An exclusive bound lies just inside the inclusive one.
    let inside = |node| match name {
        "minimum" => i8::from(is_set(node, "exclusive_minimum")),
        "maximum" => -i8::from(is_set(node, "exclusive_maximum")),
        _ => 0,
    };
    let order = match (was, is) {
        (Json::Number(was), Json::Number(is)) => order(was, is).then(inside(old).cmp(&inside(new))),
        (Json::String(was), Json::String(is)) if name == "maintenance" => {
            match (Version::parse(was), Version::parse(is)) {
                (Ok(was), Ok(is)) if was != is => was.cmp_precedence(&is),
                _ => Ordering::Equal,
            }
        }
        (was, is) => return (was != is).then_some(Effect::Changed),
    };
    match order {
        Ordering::Less => Some(Effect::Raised),
        Ordering::Greater => Some(Effect::Lowered),
        Ordering::Equal => (name == "maintenance" && was != is).then_some(Effect::Changed),
    }
}

fn shown(name: &str, node: &Json, value: &Json) -> String {
    match value {
        value if name == "default" => value.to_string(),
        Json::Number(bound) if is_set(node, &format!("exclusive_{name}")) => format!("{bound} exclusively"),
        Json::String(text) => text.clone(),
        Json::Bool(_) | Json::Object(_) => String::new(),
        value => value.to_string(),
    }
}

fn noun(schema: &Json) -> &'static str {
    match text(schema, "type") {
        "any" => "any JSON value",
        "boolean" => "a boolean",
        "integer" => "an integer",
        "number" => "a number",
        "string" => "a string",
        "choice" => "one of several strings",
        "list" => "a list",
        "map" => "a map",
        "object" => "an object",
        "tagged" => "one of several objects",
        "foreign" => "a foreign type",
        _ => "an unknown type",
    }
}

/// Returns a string without quotes, or another value.
fn plain(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns whether a string schema certainly accepts each of the values: it has no pattern or format.
fn accepts_all(rules: &Json, values: &[Json]) -> bool {
    let length = |name| if let Json::Number(length) = &rules[name] { length.as_u64() } else { None };
    let range = length("min_length").unwrap_or(0)..=length("max_length").unwrap_or(u64::MAX);
    let fits = |value: &Json| value.as_str().is_some_and(|value| range.contains(&(value.chars().count() as u64)));
    rules.get("pattern").or(rules.get("format")).is_none() && values.iter().all(fits)
}

fn order(a: &Number, b: &Number) -> Ordering {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => a.as_f64().partial_cmp(&b.as_f64()).unwrap_or(Ordering::Equal),
    }
}
