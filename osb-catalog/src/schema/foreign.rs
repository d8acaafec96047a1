//! Conversion from and to the schemas of `schemars`.

use schemars::{
    JsonSchema,
    generate::SchemaSettings,
    transform::{
        RecursiveTransform, RemoveRefSiblings, ReplaceBoolSchemas, ReplaceConstValue, ReplacePrefixItems,
        ReplaceUnevaluatedProperties, Transform,
    },
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{DRAFT_04, Kind, Parameter, Parameters, Schema, fill_foreign, model};

/// A type from another crate whose schema comes from `schemars`.
///
/// The schema is known only at run time, so a catalog with it can't be a constant. The broker has to be marked
/// `#[broker(dynamic)]`, and its schemas are checked when it starts instead of at compile time. An update replaces the value of
/// such a property as a whole.
///
/// Every value from which `T` can be deserialized is accepted. What only its schema demands, such as `#[schemars(range(max = 10))]`,
/// is not validated: `Deserialize` or the handler has to refuse other values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Foreign<T>(pub T);

/// A type of another crate whose schema is known at run time. The trait exists for the compiler's message about other types.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not implement `schemars::JsonSchema`",
    label = "`Foreign` has no schema for `{Self}`",
    note = "if the type is yours, leave `Foreign` out and put `#[parameters]` on it",
    note = "schemars implements it for types of other crates under features, such as `chrono04`, `url2` and `uuid1`"
)]
pub trait ForeignSchema: JsonSchema {}
#[diagnostic::do_not_recommend]
impl<T: JsonSchema> ForeignSchema for T {}

impl<T: ForeignSchema + Serialize + DeserializeOwned + 'static> Parameter for Foreign<T> {
    const SCHEMA: Schema = Schema::new(Kind::Foreign(model::ForeignType {
        type_name: std::any::type_name::<T>,
        schema: draft_04::<T>,
        accept: accept::<T>,
    }));
    type Partial = Self;
}

#[diagnostic::do_not_recommend] // it does not help where `#[parameters]` is missing
impl<T: ForeignSchema + Serialize + DeserializeOwned + Send + Sync + 'static> Parameters for Foreign<T> {
    const JSON: &'static [u8] = b"";
}

fn accept<T: DeserializeOwned>(value: &Value) -> Result<(), String> {
    T::deserialize(value).map(drop).map_err(|error| error.to_string())
}

/// Generates the schema of `T` as draft-04. [`check_document`](super::check_document) reports parts that have no
/// equivalent in it.
fn draft_04<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft07();
    settings.meta_schema = None;
    settings.inline_subschemas = true;
    settings.transforms.clear();
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    ReplaceUnevaluatedProperties::default().transform(&mut schema);
    ReplaceConstValue::default().transform(&mut schema);
    ReplacePrefixItems::default().transform(&mut schema);
    let mut without_booleans = ReplaceBoolSchemas::default();
    without_booleans.skip_additional_properties = true;
    without_booleans.transform(&mut schema);
    RecursiveTransform(to_draft_04).transform(&mut schema);
    // This is last, because the earlier steps may add keywords beside a reference.
    RemoveRefSiblings::default().transform(&mut schema);
    schema.to_value()
}

/// Converts draft-07 to draft-04.
fn to_draft_04(schema: &mut schemars::Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    for word in ["examples", "deprecated", "readOnly", "writeOnly", "$comment", "contentEncoding", "contentMediaType"] {
        object.remove(word);
    }
    if let Some(id) = object.remove("$id") {
        object.insert("id".to_owned(), id);
    }
    if object.get("required").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        object.remove("required");
    }
    // schemars also writes its own formats, such as `uint32` and `double`.
    let known = ["date-time", "email", "hostname", "ipv4", "ipv6", "uri"];
    if object.get("format").is_some_and(|format| !known.iter().any(|known| format == known)) {
        object.remove("format");
    }
    for (exclusive, inclusive, tighter) in
        [("exclusiveMinimum", "minimum", f64::ge as fn(&f64, &f64) -> bool), ("exclusiveMaximum", "maximum", f64::le)]
    {
        let Some(bound) = object.get(exclusive).filter(|bound| bound.is_number()).cloned() else { continue };
        let beside = object.get(inclusive).and_then(Value::as_f64);
        if beside.is_none_or(|beside| bound.as_f64().is_some_and(|bound| tighter(&bound, &beside))) {
            object.insert(inclusive.to_owned(), bound);
            object.insert(exclusive.to_owned(), Value::Bool(true));
        } else {
            object.remove(exclusive);
        }
    }
}

/// Converts a schema to one of `schemars`, with the keywords of current drafts.
#[must_use]
pub fn schemars_schema(schema: &Schema) -> schemars::Schema {
    let mut value = Value::from(fill_foreign(schema));
    if let Some(object) = value.as_object_mut()
        && object.get("$schema").is_some_and(|dialect| dialect == DRAFT_04)
    {
        object.remove("$schema");
    }
    let mut schema = schemars::Schema::try_from(value).unwrap_or_default();
    RecursiveTransform(from_draft_04).transform(&mut schema);
    schema
}

/// Converts the exclusive bounds of draft-04 to the numbers of later drafts.
fn from_draft_04(schema: &mut schemars::Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    for (exclusive, inclusive) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        if object.get(exclusive) == Some(&Value::Bool(true))
            && let Some(bound) = object.remove(inclusive)
        {
            object.insert(exclusive.to_owned(), bound);
        }
    }
}
