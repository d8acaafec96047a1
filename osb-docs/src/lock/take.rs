//! Builds the lock of a catalog from its constants.

use std::collections::BTreeMap;

use serde_json::{Number, Value};

use super::{
    VERSION,
    members::{Plan, Service},
    tree::{Lock, Schema, Type},
};
use osb_runtime::{
    catalog::{Offering, ParametersInfo, PlanInfo},
    schema::{self, Kind},
};

impl Lock {
    /// Builds the lock of the [offerings](osb_runtime::service::Broker::OFFERINGS) of a broker.
    #[must_use]
    pub fn of(offerings: &[&Offering]) -> Self {
        Self { version: VERSION, services: offerings.iter().copied().map(service).collect(), gone: [].into() }
    }
}

fn service(offering: &Offering) -> Service {
    Service { plans: offering.plans.iter().map(|info| plan(offering, info)).collect(), ..Service::of(offering) }
}

fn plan(offering: &Offering, info: &PlanInfo) -> Plan {
    let spec = &info.spec;
    let targets = offering.plans.iter().filter(|to| offering.changes(spec.id, to.spec.id));
    Plan {
        changes_to: targets.map(|to| to.spec.name.to_owned()).collect(),
        create: info.create.as_ref().map(parameters),
        update: info.update.as_ref().map(parameters),
        bind: info.bind.as_ref().map(parameters),
        credentials: info.credentials.map(|from| outline(schema(from))),
        ..Plan::of(spec)
    }
}

fn parameters(info: &ParametersInfo) -> Schema {
    schema(info.schema)
}

/// Reduces a credentials schema to fields and types: the broker creates the values, so constraints on them do not matter.
fn outline(full: Schema) -> Schema {
    let inside = |named: BTreeMap<String, Schema>| named.into_iter().map(|(name, one)| (name, outline(one))).collect();
    Schema {
        required: full.required,
        items: full.items.map(|items| Box::new(outline(*items))),
        properties: inside(full.properties),
        tag: full.tag,
        variants: inside(full.variants),
        ..Schema::of(if full.kind == Type::Choice { Type::String } else { full.kind })
    }
}

fn schema(from: &schema::Schema) -> Schema {
    Schema {
        secret: from.secret,
        nullable: from.nullable,
        default: from.default.as_ref().map(Value::from),
        ..kind(&from.kind)
    }
}

fn kind(kind: &Kind) -> Schema {
    match kind {
        Kind::Any => Schema::of(Type::Any),
        Kind::Boolean => Schema::of(Type::Boolean),
        Kind::Integer(rules) => Schema {
            // An exclusive bound of an integer is written as the equivalent inclusive one.
            minimum: rules.minimum.and_then(|low| whole(low + i128::from(rules.exclusive_minimum))),
            maximum: rules.maximum.and_then(|high| whole(high - i128::from(rules.exclusive_maximum))),
            multiple_of: rules.multiple_of.and_then(whole),
            ..Schema::of(Type::Integer)
        },
        Kind::Number(rules) => Schema {
            minimum: rules.minimum.and_then(decimal),
            exclusive_minimum: rules.minimum.is_some() && rules.exclusive_minimum,
            maximum: rules.maximum.and_then(decimal),
            exclusive_maximum: rules.maximum.is_some() && rules.exclusive_maximum,
            multiple_of: rules.multiple_of.and_then(decimal),
            ..Schema::of(Type::Number)
        },
        Kind::String(rules) => Schema {
            min_length: rules.min_length,
            max_length: rules.max_length,
            pattern: rules.pattern.map(|pattern| pattern.source.get().to_owned()),
            format: rules.format.map(|format| format.name().to_owned()),
            ..Schema::of(Type::String)
        },
        Kind::Choice(choices) => Schema {
            values: choices.iter().map(|choice| choice.value.get().to_owned()).collect(),
            ..Schema::of(Type::Choice)
        },
        Kind::Array(rules) => Schema {
            min_length: rules.min_items,
            max_length: rules.max_items,
            unique: rules.unique,
            items: Some(Box::new(schema(rules.items))),
            ..Schema::of(Type::List)
        },
        Kind::Map(rules) => Schema {
            min_length: rules.min_properties,
            max_length: rules.max_properties,
            items: Some(Box::new(schema(rules.values))),
            ..Schema::of(Type::Map)
        },
        Kind::Object(rules) => object(rules),
        Kind::Tagged(tagged) => Schema {
            tag: tagged.tag.get().to_owned(),
            variants: tagged
                .variants
                .iter()
                .map(|variant| (variant.name.get().to_owned(), object(&variant.object)))
                .collect(),
            ..Schema::of(Type::Tagged)
        },
        Kind::Foreign(external) => {
            let mut said = (external.schema)();
            leave_out_descriptions(&mut said);
            Schema { foreign: Some(said), ..Schema::of(Type::Foreign) }
        }
    }
}

fn object(object: &schema::Object) -> Schema {
    let property = |property: &schema::Property| Schema {
        required: property.required,
        immutable: property.immutable,
        aliases: property.aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        ..schema(&property.schema)
    };
    let properties = object.properties.iter();
    Schema {
        open: object.open,
        properties: properties.map(|one| (one.name.get().to_owned(), property(one))).collect(),
        ..Schema::of(Type::Object)
    }
}

fn whole(number: i128) -> Option<Number> {
    i64::try_from(number).map(Number::from).or_else(|_| u64::try_from(number).map(Number::from)).ok()
}

fn decimal(decimal: schema::Decimal) -> Option<Number> {
    serde_json::from_str(decimal.text).ok().or_else(|| Number::from_f64(decimal.value))
}

/// Removes descriptions, but not properties: below `properties`, `title` is a name and not a keyword.
fn leave_out_descriptions(schema: &mut Value) {
    match schema {
        Value::Object(words) => {
            words.retain(|word, _| !["title", "description", "$schema"].contains(&word.as_str()));
            for (word, value) in words {
                match (word.as_str(), value) {
                    ("properties" | "patternProperties" | "definitions", Value::Object(named)) => {
                        named.values_mut().for_each(leave_out_descriptions);
                    }
                    ("default" | "enum", _) => {}
                    (_, value) => leave_out_descriptions(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(leave_out_descriptions),
        _ => {}
    }
}
