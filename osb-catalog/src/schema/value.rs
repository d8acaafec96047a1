//! Operations on values with a schema: decoding, defaults, merging, and removal of secrets.

use std::borrow::Cow;

use serde_json::{Map as JsonObject, Value};

use super::{
    Parameters, Violation, ViolationKind, check,
    model::{Kind, Literal, Object, Schema, Tagged},
    validate::{check_exact, whole},
};

/// Converts a constant to a value.
impl From<&Literal> for Value {
    fn from(literal: &Literal) -> Self {
        match literal {
            Literal::Null => Self::Null,
            Literal::Boolean(value) => Self::from(*value),
            Literal::Integer(value) => i64::try_from(*value)
                .map(Self::from)
                .or_else(|_| u64::try_from(*value).map(Self::from))
                .unwrap_or(Self::Null),
            Literal::Number(value) => Self::from(value.value),
            Literal::String(text) => Self::from(text.get()),
            Literal::Array(items) => Self::Array(items.iter().map(Self::from).collect()),
            Literal::Object(members) => {
                Self::Object(members.iter().map(|(name, value)| (name.get().to_owned(), Self::from(value))).collect())
            }
        }
    }
}

/// Validates parameters, fills in defaults, and decodes them. Former names are accepted, and `null` counts as an empty
/// object.
///
/// # Errors
///
/// All violations, if the schema does not accept `value`.
pub fn decode<T: Parameters>(value: &Value) -> Result<T, Vec<Violation>> {
    decode_as(&T::SCHEMA, value)
}

/// [`decode`] with a schema that is narrower than that of the type.
///
/// # Errors
///
/// All violations, if `schema` does not accept `value`.
pub fn decode_as<T: Parameters>(schema: &Schema, value: &Value) -> Result<T, Vec<Violation>> {
    let mut value = object(value);
    let (violations, is_exact) = check_exact(schema, &value);
    if !violations.is_empty() {
        return Err(violations);
    }
    if !is_exact {
        fill(schema, value.to_mut());
    }
    // serde's message would contain the value, which may be secret.
    T::deserialize(&*value).map_err(|_| vec![not_of::<T>()])
}

fn object(value: &Value) -> Cow<'_, Value> {
    if value.is_null() { Cow::Owned(Value::Object(JsonObject::new())) } else { Cow::Borrowed(value) }
}

fn not_of<T>() -> Violation {
    let type_name = std::any::type_name::<T>();
    Violation::new("", format!("this satisfies the schema, but can't be decoded as `{type_name}`"))
}

/// The result of [`decode_stored`].
pub struct DecodedParameters<T> {
    /// The parameters, or the violations that prevent decoding; all violations if only a bound of the type itself does.
    pub parameters: Result<T, Vec<Violation>>,
    /// The names of stored parameters that the schema does not have, except those inside a secret.
    pub unknown: Vec<String>,
}

/// Decodes parameters that this release or an earlier one accepted. The schema may have become narrower since: values
/// that it rejects are still accepted if they can be decoded, and unknown parameters are ignored.
#[must_use]
pub fn decode_stored<T: Parameters>(value: &Value) -> DecodedParameters<T> {
    let mut value = object(value);
    let mut unknown = Vec::new();
    if !is_exact(&T::SCHEMA, &value) {
        // serde fills in the defaults.
        unknown = remove_unknown(&T::SCHEMA, value.to_mut());
    }
    let parameters = T::deserialize(&*value).map_err(|_| {
        let found = check(&T::SCHEMA, &value).into_iter();
        let (constraints, others) = found.partition::<Vec<_>, _>(|one| one.kind == ViolationKind::Constraint);
        // Constraints don't prevent decoding, except those of the type itself, such as the range of `u8`.
        [others, constraints, vec![not_of::<T>()]].into_iter().find(|found| !found.is_empty()).unwrap_or_default()
    });
    DecodedParameters { parameters, unknown }
}

/// Returns the stored parameters that `schema` has, under their current names.
#[must_use]
pub fn known(schema: &Schema, value: Value) -> Value {
    let mut value = object(&value).into_owned();
    remove_unknown(schema, &mut value);
    value
}

/// Returns the changes of an update without the properties that are `update_only`.
#[must_use]
pub fn lasting(schema: &Schema, mut changes: Value) -> Value {
    walk(schema, &mut changes, false, &mut |place, members| {
        members.retain(|name, _| !place.object.properties.iter().any(|one| one.update_only && one.is_called(name)));
    });
    changes
}

/// Returns `value` with those members of `stored` that the schema does not have: the release that stored them may return.
#[must_use]
pub fn with_unknown(schema: &Schema, mut value: Value, stored: &Value) -> Value {
    if let (Kind::Object(object), Value::Object(members), Value::Object(stored)) = (&schema.kind, &mut value, stored) {
        let is_known = |name: &str| object.open || object.properties.iter().any(|property| property.is_called(name));
        members.extend(
            stored.iter().filter(|(name, _)| !is_known(name)).map(|(name, value)| (name.clone(), value.clone())),
        );
    }
    value
}

/// Removes unknown parameters and returns their names, except those inside a secret.
fn remove_unknown(schema: &Schema, value: &mut Value) -> Vec<String> {
    let mut unknown = Vec::new();
    walk(schema, value, false, &mut |place, members| {
        rename_members(place.object, members);
        members.retain(|name, _| {
            let known = place.knows(name);
            if !known && !place.secret {
                unknown.push(name.clone());
            }
            known
        });
    });
    unknown
}

/// Returns `value` with all properties under their current names, and with the defaults of absent ones.
#[must_use]
pub fn with_defaults(schema: &Schema, value: &Value) -> Value {
    filled(schema, Cow::Borrowed(value)).into_owned()
}

fn filled<'v>(schema: &Schema, mut value: Cow<'v, Value>) -> Cow<'v, Value> {
    if !is_exact(schema, &value) {
        fill(schema, value.to_mut());
    }
    value
}

/// Returns true if a value has all its properties under their current names, with those that have defaults, and no others,
/// and whole numbers without a decimal point.
fn is_exact(schema: &Schema, value: &Value) -> bool {
    match (&schema.kind, value) {
        (Kind::Integer(_), Value::Number(number)) => !number.is_f64(),
        (Kind::Array(rules), Value::Array(items)) => items.iter().all(|item| is_exact(rules.items, item)),
        (Kind::Map(rules), Value::Object(members)) => members.values().all(|value| is_exact(rules.values, value)),
        (Kind::Object(object), Value::Object(members)) => has_exact_members(object, 0, members),
        (Kind::Tagged(tagged), Value::Object(members)) => {
            variant(tagged, members).is_some_and(|object| has_exact_members(object, 1, members))
        }
        _ => true,
    }
}

/// Returns [`is_exact`] of an object that has so many members besides its properties.
fn has_exact_members(object: &Object, others: usize, members: &JsonObject<String, Value>) -> bool {
    let mut known = others;
    let is_exact = object.properties.iter().all(|property| match members.get(property.name.get()) {
        Some(value) => {
            known += 1;
            is_exact(&property.schema, value)
        }
        None => property.schema.default.is_none(),
    });
    is_exact && known == members.len()
}

fn fill(schema: &Schema, value: &mut Value) {
    walk(schema, value, false, &mut |place, members| {
        rename_members(place.object, members);
        add_defaults(place.object, members);
    });
}

fn add_defaults(object: &Object, members: &mut JsonObject<String, Value>) {
    for property in object.properties {
        if let Some(default) = &property.schema.default
            && !members.contains_key(property.name.get())
        {
            members.insert(property.name.get().to_owned(), Value::from(default));
        }
    }
}

/// Returns `value` with all properties under their current names, and whole numbers without a decimal point.
#[must_use]
pub fn renamed(schema: &Schema, value: &Value) -> Value {
    let mut value = value.clone();
    walk(schema, &mut value, false, &mut |place, members| rename_members(place.object, members));
    value
}

/// Renames properties. A stored one that is present under two names has the value of the earlier name: this release leaves only the
/// new name, so one that doesn't know it has written the other since. [`check`] refuses both in a request.
fn rename_members(object: &Object, members: &mut JsonObject<String, Value>) {
    for property in object.properties {
        for alias in property.aliases {
            if let Some(value) = members.remove(*alias) {
                members.insert(property.name.get().to_owned(), value);
            }
        }
    }
}

/// An object with fixed properties, in the schema of a value.
struct ObjectPosition<'a> {
    object: &'a Object,
    tagged: Option<&'a Tagged>,
    secret: bool,
}

impl ObjectPosition<'_> {
    fn knows(&self, name: &str) -> bool {
        self.object.open
            || self.object.property(name).is_some()
            || self.tagged.is_some_and(|tagged| tagged.tag.is(name))
    }
}

/// Calls `visit` for each object with fixed properties in `value`, outer ones first. Whole numbers lose their decimal point,
/// because serde decodes no integer from `60.0`.
fn walk(
    schema: &Schema,
    value: &mut Value,
    secret: bool,
    visit: &mut impl FnMut(&ObjectPosition<'_>, &mut JsonObject<String, Value>),
) {
    let secret = secret || schema.secret;
    let (object, tagged, members) = match (&schema.kind, value) {
        (Kind::Integer(_), Value::Number(number)) if number.is_f64() => {
            if let Some(exact) = whole(number).and_then(|value| i64::try_from(value).ok()) {
                *number = exact.into();
            }
            return;
        }
        (Kind::Array(rules), Value::Array(items)) => {
            return items.iter_mut().for_each(|item| walk(rules.items, item, secret, visit));
        }
        (Kind::Map(rules), Value::Object(members)) => {
            return members.values_mut().for_each(|value| walk(rules.values, value, secret, visit));
        }
        (Kind::Object(object), Value::Object(members)) => (object, None, members),
        (Kind::Tagged(tagged), Value::Object(members)) => match variant(tagged, members) {
            Some(object) => (object, Some(tagged), members),
            None => return,
        },
        _ => return,
    };
    visit(&ObjectPosition { object, tagged, secret }, members);
    for property in object.properties {
        if let Some(value) = members.get_mut(property.name.get()) {
            walk(&property.schema, value, secret, visit);
        }
    }
}

/// Returns the properties of the variant of `members`.
fn variant<'a>(tagged: &'a Tagged, members: &JsonObject<String, Value>) -> Option<&'a Object> {
    let tag = members.get(tagged.tag.get())?.as_str()?;
    tagged.variants.iter().find(|variant| variant.name.is(tag)).map(|variant| &variant.object)
}

/// Applies `change` to `current` (RFC 7386): objects are merged, `null` removes a member, and other values are
/// replaced. A property that is absent from `current` has its default. Values of tagged enums and of types of `schemars`
/// in properties are replaced as a whole, because an update has them as a whole: two variants have different properties.
/// Both arguments may have properties under former names.
#[must_use]
pub fn merge(schema: &Schema, current: &Value, change: &Value) -> Value {
    let (current, change) = (renamed(schema, current), renamed(schema, change));
    // The type of an update of such parameters is another one, which the author wrote.
    let schema = if matches!(schema.kind, Kind::Foreign(_)) { &ANYTHING } else { schema };
    merge_renamed(schema, &current, &change)
}

fn merge_renamed(schema: &Schema, current: &Value, change: &Value) -> Value {
    let Value::Object(changes) = change else { return change.clone() };
    if matches!(schema.kind, Kind::Tagged(_) | Kind::Foreign(_)) {
        return change.clone();
    }
    let mut merged = current.as_object().cloned().unwrap_or_default();
    for (name, change) in changes {
        if change.is_null() {
            merged.remove(name);
            continue;
        }
        let of = match &schema.kind {
            Kind::Object(object) => match object.property(name) {
                Some(property) => &property.schema,
                None => &ANYTHING,
            },
            Kind::Map(rules) => rules.values,
            _ => &ANYTHING,
        };
        let after = match (merged.get(name), &of.default) {
            (Some(before), _) => merge_renamed(of, before, change),
            // Filling in defaults later would find the property present, with only the members that the change names.
            (None, Some(default)) => merge_renamed(of, &Value::from(default), change),
            (None, None) => merge_renamed(of, &Value::Null, change),
        };
        merged.insert(name.clone(), after);
    }
    Value::Object(merged)
}

const ANYTHING: Schema = Schema::new(Kind::Any);

/// Returns `value` without its secrets, for fetches and logs, as [`renamed`] does.
#[must_use]
pub fn without_secrets<'v>(schema: &Schema, value: &'v Value) -> Cow<'v, Value> {
    if is_public(schema, value) {
        return Cow::Borrowed(value);
    }
    let mut value = renamed(schema, value);
    hide(schema, &mut value);
    Cow::Owned(value)
}

/// Returns true if a value has nothing but properties that aren't secret, under their current names, and whole numbers
/// without a decimal point.
fn is_public(schema: &Schema, value: &Value) -> bool {
    let is_property = |object: &Object, name: &str, value: &Value| {
        // `Object::property` is for const evaluation too, and slower: this runs for each member of each fetch.
        let property = object.properties.iter().find(|property| property.name.is(name));
        property.is_some_and(|property| is_public(&property.schema, value))
    };
    !schema.secret
        && match (&schema.kind, value) {
            (Kind::Integer(_), Value::Number(number)) => !number.is_f64(),
            (Kind::Array(rules), Value::Array(items)) => items.iter().all(|item| is_public(rules.items, item)),
            (Kind::Map(rules), Value::Object(members)) => members.values().all(|value| is_public(rules.values, value)),
            (Kind::Object(object), Value::Object(members)) => {
                members.iter().all(|(name, value)| is_property(object, name, value))
            }
            (Kind::Tagged(_), _) => false,
            _ => true,
        }
}

fn hide(schema: &Schema, value: &mut Value) {
    match (&schema.kind, value) {
        (_, value) if schema.secret => *value = Value::Null,
        (Kind::Array(rules), Value::Array(items)) if rules.items.secret => items.clear(),
        (Kind::Array(rules), Value::Array(items)) => items.iter_mut().for_each(|item| hide(rules.items, item)),
        (Kind::Map(rules), Value::Object(members)) if rules.values.secret => members.clear(),
        (Kind::Map(rules), Value::Object(members)) => {
            members.values_mut().for_each(|value| hide(rules.values, value));
        }
        (Kind::Object(object), Value::Object(members)) => hide_members(object, None, members),
        (Kind::Tagged(tagged), Value::Object(members)) => match variant(tagged, members) {
            Some(object) => hide_members(object, Some(tagged), members),
            // Without a known variant any member may be secret.
            None => members.clear(),
        },
        _ => {}
    }
}

/// Removes secret and unknown members. An unknown one may be a secret of an earlier release.
fn hide_members(object: &Object, tagged: Option<&Tagged>, members: &mut JsonObject<String, Value>) {
    members.retain(|name, value| match object.property(name) {
        Some(property) if property.schema.secret => false,
        Some(property) => {
            hide(&property.schema, value);
            true
        }
        None => object.open || tagged.is_some_and(|tagged| tagged.tag.is(name)),
    });
}
