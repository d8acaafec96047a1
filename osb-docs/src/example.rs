//! Example parameters for readers to copy: the required ones, with the author's example values where there are any.

use super::inline::literal;
use osb_runtime::{
    catalog::ParametersInfo,
    json::{Json, Members},
    schema::{Format, Integer, Kind, Literal, Number, Object, Schema, StringRules},
};

/// Returns parameters that the plan accepts; `None` if it takes none, or if no valid value was found.
pub(super) fn parameters(info: &ParametersInfo) -> Option<Json> {
    let mut value = of(info.schema);
    // An empty object would be a poor example.
    if value.as_object().is_some_and(Members::is_empty)
        && let Kind::Object(object) = &info.schema.kind
    {
        value = Json::Object(optional(object));
    }
    let empty = value.as_object().is_none_or(Members::is_empty);
    (!empty && info.check(&value.clone().into()).is_ok()).then_some(value)
}

/// Returns credentials as an application gets them, without secrets; `None` if they are not an object.
pub(super) fn credentials(schema: &Schema) -> Option<Members> {
    match &schema.kind {
        Kind::Object(object) if !object.properties.is_empty() => Some(required(object)),
        _ => None,
    }
}

/// Returns one optional property: the first with an example, or else the first with a default, or else the first.
fn optional(object: &Object) -> Members {
    let changeable = || object.properties.iter().filter(|property| !property.immutable);
    let example = changeable().find(|property| !property.schema.examples.is_empty());
    let default = || changeable().find(|property| !matches!(property.schema.default, None | Some(Literal::Null)));
    let found = example.or_else(default).or_else(|| changeable().next());
    found.map(|property| (property.name.get().to_owned(), of(&property.schema))).into_iter().collect()
}

fn of(schema: &Schema) -> Json {
    if let Some(given) = to_copy(schema).first().or(schema.default.as_ref()) {
        return literal(given);
    }
    match &schema.kind {
        Kind::Any | Kind::Map(_) => Members::default().into(),
        Kind::Boolean => Json::Bool(true),
        Kind::Integer(rules) => integer(rules),
        Kind::Number(rules) => number(rules),
        Kind::String(rules) => Json::String(string(rules)),
        Kind::Choice(choices) => choices.first().map_or(Json::Null, |choice| choice.value.get().into()),
        Kind::Array(array) => (0..array.min_items.unwrap_or(0).clamp(1, 3)).map(|_| of(array.items)).collect(),
        Kind::Object(object) => Json::Object(required(object)),
        Kind::Tagged(tagged) => {
            let mut value = Members::default();
            if let Some(variant) = tagged.variants.first() {
                value.insert(tagged.tag.get(), variant.name.get());
                value.extend(required(&variant.object));
            }
            Json::Object(value)
        }
        Kind::Foreign(_) => Json::Null,
    }
}

/// Returns the author's examples, unless a secret is in them: readers would copy it and use it as theirs.
pub(super) fn to_copy(schema: &Schema) -> &'static [Literal] {
    if has_secret(schema) { &[] } else { schema.examples }
}

fn has_secret(schema: &Schema) -> bool {
    let any = |object: &Object| object.properties.iter().any(|property| has_secret(&property.schema));
    schema.secret
        || match &schema.kind {
            Kind::Array(array) => has_secret(array.items),
            Kind::Map(map) => has_secret(map.values),
            Kind::Object(object) => any(object),
            Kind::Tagged(tagged) => tagged.variants.iter().any(|variant| any(&variant.object)),
            _ => false,
        }
}

fn required(object: &Object) -> Members {
    let required = object.properties.iter().filter(|property| property.required);
    required.map(|property| (property.name.get().to_owned(), of(&property.schema))).collect()
}

fn integer(rules: &Integer) -> Json {
    if let Some(value) = rules.values().and_then(|mut values| values.next()) {
        return serde_json::Number::from_i128(value).map_or(Json::Null, Json::Number);
    }
    let step = rules.multiple_of.unwrap_or(1).max(1);
    let least = rules.minimum.filter(|minimum| *minimum > i128::from(i64::MIN));
    let start = match (least, rules.maximum) {
        (Some(least), _) => least + i128::from(rules.exclusive_minimum),
        (None, Some(most)) if most < 1 => most - i128::from(rules.exclusive_maximum) - (step - 1),
        (None, _) => 1,
    };
    let value = start + (step - start.rem_euclid(step)) % step;
    serde_json::Number::from_i128(value).map_or(Json::Null, Json::Number)
}

fn number(rules: &Number) -> Json {
    let value = match (rules.multiple_of, rules.minimum, rules.maximum) {
        (Some(of), ..) => of.value,
        (None, Some(low), Some(high)) => f64::midpoint(low.value, high.value),
        (None, Some(low), None) => low.value + 1.0,
        (None, None, Some(high)) => high.value - 1.0,
        (None, None, None) => 1.0,
    };
    Json::from(value)
}

fn string(rules: &StringRules) -> String {
    match rules.format {
        Some(Format::DateTime) => return "2030-01-31T12:00:00Z".to_owned(),
        Some(Format::Email) => return "someone@example.com".to_owned(),
        Some(Format::Hostname) => return "host.example.com".to_owned(),
        Some(Format::Ipv4) => return "192.0.2.1".to_owned(),
        Some(Format::Ipv6) => return "2001:db8::1".to_owned(),
        Some(Format::Uri) => return "https://example.com/".to_owned(),
        None => {}
    }
    let fitted = |text: &str| {
        let least = usize::try_from(rules.min_length.unwrap_or(0)).unwrap_or(0).min(1_000);
        let most = rules.max_length.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
        text.chars().cycle().take(text.chars().count().clamp(least, most.max(least))).collect::<String>()
    };
    let matches = |text: &String| rules.pattern.is_none_or(|pattern| (pattern.matches)(text));
    let tried = ["example", "Example", "EXAMPLE", "example1", "1", "a", "A", "aA1-", "1.0.0", "/example", "10Gi"];
    let found = tried.into_iter().map(fitted).find(matches);
    found.unwrap_or_else(|| fitted("example"))
}

#[cfg(test)]
mod tests {
    use osb_runtime::{json::json, prelude::*};

    use super::{of, to_copy};

    #[test]
    fn examples_with_a_secret_are_not_copied() {
        #[parameters]
        struct Login {
            user: String,
            #[param(secret)]
            password: String,
        }
        #[parameters]
        struct New {
            #[param(example = {"user": "root", "password": "hunter2"})]
            login: Login,
            #[param(example = {"a": {"user": "root", "password": "hunter2"}})]
            logins: std::collections::BTreeMap<String, Login>,
            #[param(example = "eu")]
            zone: String,
            #[param(one_of(3, 5))]
            copies: u8,
        }
        let schema = <New as Parameter>::SCHEMA;
        let expected =
            json!({ "login": { "user": "example", "password": "example" }, "logins": {}, "zone": "eu", "copies": 3 });
        assert_eq!(of(&schema), expected);
        let osb_runtime::schema::Kind::Object(object) = schema.kind else { panic!("{schema:?}") };
        let shown: Vec<_> = object.properties.iter().map(|property| to_copy(&property.schema).len()).collect();
        assert_eq!(shown, [0, 0, 1, 0]);
    }
}
