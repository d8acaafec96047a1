//! Translates JSON Schema draft-04, which platforms accept, to draft 2020-12, which OpenAPI 3.1 uses.

use osb_runtime::json::{Json, Members, json};

/// The targets of `$ref`, by name. OpenAPI keeps them in `components`, outside of the schemas that refer to them.
pub(super) type Definitions = Members;

/// Translates a schema, and moves its own definitions to `definitions`.
pub(super) fn translated(draft_04: Json, definitions: &mut Definitions) -> Json {
    let Json::Object(mut members) = draft_04 else { return draft_04 };
    if let Some(Json::Object(own)) = members.remove("definitions") {
        for (name, definition) in own {
            let definition = translated(definition, definitions);
            definitions.insert(component(&name), definition);
        }
    }
    // Draft-04 ignores all keywords beside a reference.
    if let Some(Json::String(target)) = members.get("$ref") {
        let name = target.strip_prefix("#/definitions/").unwrap_or(target);
        return json!({ "$ref": format!("#/components/schemas/{}", component(name)) });
    }
    let mut out = Members::default();
    let exclusive = |word: &str| members.get(word) == Some(&Json::Bool(true));
    let (above, below) = (exclusive("exclusiveMinimum"), exclusive("exclusiveMaximum"));
    let tuple = matches!(members.get("items"), Some(Json::Array(_)));
    for (word, value) in members {
        match word.as_str() {
            "minimum" if above => out.insert("exclusiveMinimum", value),
            "maximum" if below => out.insert("exclusiveMaximum", value),
            "items" if tuple => out.insert("prefixItems", each(value, definitions)),
            "additionalItems" if tuple => out.insert("items", translated(value, definitions)),
            // Without a tuple, draft-04 ignores `additionalItems`.
            "$schema" | "id" | "exclusiveMinimum" | "exclusiveMaximum" | "additionalItems" => {}
            "dependencies" => dependencies(value, &mut out, definitions),
            "items" | "additionalProperties" | "not" => out.insert(word, translated(value, definitions)),
            "properties" | "patternProperties" | "allOf" | "anyOf" | "oneOf" => {
                out.insert(word, each(value, definitions));
            }
            _ => out.insert(word, value),
        }
    }
    Json::Object(out)
}

/// Translates the schemas in a list or in an object.
fn each(value: Json, definitions: &mut Definitions) -> Json {
    match value {
        Json::Array(items) => items.into_iter().map(|item| translated(item, definitions)).collect(),
        Json::Object(members) => members
            .into_iter()
            .map(|(name, schema)| (name, translated(schema, definitions)))
            .collect::<Members>()
            .into(),
        other => other,
    }
}

/// Splits draft-04's `dependencies` into the two keywords that replaced it.
fn dependencies(value: Json, out: &mut Members, definitions: &mut Definitions) {
    let Json::Object(members) = value else { return };
    let (names, schemas): (Members, Members) =
        members.into_iter().partition(|(_, needed)| matches!(needed, Json::Array(_)));
    if !names.is_empty() {
        out.insert("dependentRequired", Json::Object(names));
    }
    if !schemas.is_empty() {
        out.insert("dependentSchemas", each(Json::Object(schemas), definitions));
    }
}

/// Returns a valid component name that differs from those of all other schemas.
fn component(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    format!("parameters.{}", name.chars().map(plain).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::{Json, Members, json, translated};

    #[test]
    fn changed_keywords_are_translated() {
        let draft_04 = json!({
            "$schema": "http://json-schema.org/draft-04/schema#",
            "type": "object",
            "properties": {
                "minimum": { "type": "number", "minimum": 0, "exclusiveMinimum": true, "maximum": 1, "exclusiveMaximum": false },
                "pair": { "items": [{ "minimum": 1, "exclusiveMinimum": true }], "additionalItems": false },
                "many": { "items": { "$ref": "#/definitions/a b", "minimum": 1 }, "additionalItems": false },
                "verbatim": { "enum": [{ "id": 1, "items": [] }], "default": { "$ref": "x", "id": 1 } },
                "inside": {
                    "not": { "id": "a" }, "additionalProperties": { "id": "a" }, "patternProperties": { "a": { "id": "a" } },
                    "allOf": [{ "id": "a" }], "anyOf": [{ "id": "a" }], "oneOf": [{ "id": "a" }],
                },
            },
            "dependencies": { "pair": ["many"], "many": { "required": ["pair"] } },
            "definitions": { "a b": { "maximum": 2, "exclusiveMaximum": true } },
        });
        let mut definitions = Members::default();
        let expected = json!({
            "type": "object",
            "properties": {
                "minimum": { "type": "number", "exclusiveMinimum": 0, "maximum": 1 },
                "pair": { "prefixItems": [{ "exclusiveMinimum": 1 }], "items": false },
                "many": { "items": { "$ref": "#/components/schemas/parameters.a_b" } },
                "verbatim": { "enum": [{ "id": 1, "items": [] }], "default": { "$ref": "x", "id": 1 } },
                "inside": {
                    "not": {}, "additionalProperties": {}, "patternProperties": { "a": {} },
                    "allOf": [{}], "anyOf": [{}], "oneOf": [{}],
                },
            },
            "dependentRequired": { "pair": ["many"] },
            "dependentSchemas": { "many": { "required": ["pair"] } },
        });
        assert_eq!(translated(draft_04, &mut definitions), expected);
        assert_eq!(Json::from(definitions), json!({ "parameters.a_b": { "exclusiveMaximum": 2 } }));
    }
}
