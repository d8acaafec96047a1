//! Schema documents that are generated at start-up, for brokers marked `#[broker(dynamic)]`.

use super::{Kind, Object, Property, Schema, document};
use crate::json::{Json, Members, json};

/// Returns the document of `schema` including the schemas of foreign types, where [`document()`] writes an empty schema.
#[must_use]
pub fn fill_foreign(schema: &Schema) -> Json {
    let mut whole = Json::read(document(schema).as_bytes()).unwrap_or_default();
    let mut definitions = Members::default();
    fill(&mut whole, schema, &mut definitions);
    if let Json::Object(root) = &mut whole
        && !definitions.is_empty()
    {
        root.insert("definitions", definitions);
    }
    whole
}

fn fill(value: &mut Json, schema: &Schema, definitions: &mut Members) {
    let Json::Object(members) = value else { return };
    match &schema.kind {
        Kind::Foreign(foreign) => {
            let real = embedded((foreign.schema)().into(), (foreign.type_name)(), definitions);
            let place = if schema.nullable { second(members.get_mut("anyOf")) } else { None };
            match (place, real) {
                (Some(place), real) => *place = real,
                // The description of the field takes precedence over that of the type.
                (None, Json::Object(real)) => {
                    for (word, said) in real {
                        if members.get(&word).is_none() {
                            members.insert(word, said);
                        }
                    }
                }
                (None, _) => {}
            }
        }
        Kind::Array(rules) => fill_member(members, "items", rules.items, definitions),
        Kind::Map(rules) => fill_member(members, "additionalProperties", rules.values, definitions),
        Kind::Object(object) => fill_properties(members, object, definitions),
        Kind::Tagged(tagged) => {
            let holder = if schema.nullable { second(members.get_mut("anyOf")) } else { None };
            let variants = match holder {
                Some(holder) => holder.get_mut("oneOf"),
                None => members.get_mut("oneOf"),
            };
            let Some(Json::Array(variants)) = variants else { return };
            for (value, variant) in variants.iter_mut().zip(tagged.variants) {
                if let Json::Object(members) = value {
                    fill_properties(members, &variant.object, definitions);
                }
            }
        }
        Kind::Any | Kind::Boolean | Kind::Integer(_) | Kind::Number(_) | Kind::String(_) | Kind::Choice(_) => {}
    }
}

fn second(list: Option<&mut Json>) -> Option<&mut Json> {
    list?.as_array_mut()?.get_mut(1)
}

fn fill_member(members: &mut Members, word: &str, schema: &Schema, definitions: &mut Members) {
    if let Some(value) = members.get_mut(word) {
        fill(value, schema, definitions);
    }
}

fn fill_properties(members: &mut Members, object: &Object, definitions: &mut Members) {
    let Some(Json::Object(properties)) = members.get_mut("properties") else { return };
    for Property { name, schema, .. } in object.properties {
        fill_member(properties, name.get(), schema, definitions);
    }
}

/// Prepares a schema for embedding in another document: moves its definitions to `definitions` under names that begin
/// with the type's name, and adapts the references.
fn embedded(mut schema: Json, type_name: &str, definitions: &mut Members) -> Json {
    let prefix: String = type_name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '.' }).collect();
    let own = schema.as_object_mut().and_then(|object| object.remove("definitions"));
    let mut refers_to_root = false;
    prefix_references(&mut schema, &prefix, &mut refers_to_root);
    for (name, mut definition) in own.into_iter().flat_map(|own| own.as_object().cloned().unwrap_or_default()) {
        prefix_references(&mut definition, &prefix, &mut refers_to_root);
        definitions.insert(format!("{prefix}.{name}"), definition);
    }
    if refers_to_root {
        definitions.insert(prefix.clone(), schema);
        return json!({ "$ref": format!("#/definitions/{prefix}") });
    }
    schema
}

fn prefix_references(value: &mut Json, prefix: &str, refers_to_root: &mut bool) {
    match value {
        Json::Object(members) => {
            for (word, value) in members.iter_mut() {
                match value {
                    Json::String(target) if word == "$ref" && target == "#" => {
                        *refers_to_root = true;
                        *target = format!("#/definitions/{prefix}");
                    }
                    Json::String(target) if word == "$ref" => {
                        if let Some(name) = target.strip_prefix("#/definitions/") {
                            *target = format!("#/definitions/{prefix}.{name}");
                        }
                    }
                    other => prefix_references(other, prefix, refers_to_root),
                }
            }
        }
        Json::Array(items) => items.iter_mut().for_each(|item| prefix_references(item, prefix, refers_to_root)),
        _ => {}
    }
}
