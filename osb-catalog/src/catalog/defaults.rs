//! Validation of defaults at start-up, for checks that const evaluation can't do: patterns of a field's type, and
//! foreign types.

use serde_json::Value;

use super::{Offering, PlanInfo};
use crate::schema::{Kind, Object, Schema, check};

/// Validates all defaults of an offering. This includes retired plans, which still have updates and bindings.
pub(super) fn check_defaults(offering: &Offering, problems: &mut Vec<String>) {
    for plan in offering.plans {
        let PlanInfo { create, update, bind, .. } = plan;
        for (operation, parameters) in [("create", create), ("update", update), ("bind", bind)] {
            let Some(parameters) = parameters else { continue };
            each_default(parameters.schema, String::new(), &mut |path, schema, default| {
                for wrong in check(schema, default) {
                    let place = path.to_owned() + &wrong.dotted();
                    problems.push(format!(
                        "the default of {place:?} in the {operation} parameters of plan {:?} of {:?} is rejected by its own \
                         type: {}; change or remove it",
                        plan.spec.name, offering.name, wrong.message
                    ));
                }
            });
        }
    }
}

/// Calls `found` with the path, the schema and the value of each default in `schema`.
fn each_default(schema: &Schema, path: String, found: &mut impl FnMut(&str, &Schema, &Value)) {
    if let Some(default) = &schema.default {
        found(&path, schema, &Value::from(default));
    }
    match &schema.kind {
        Kind::Object(object) => each_property(object, &path, found),
        Kind::Tagged(tagged) => tagged.variants.iter().for_each(|variant| each_property(&variant.object, &path, found)),
        Kind::Array(array) => each_default(array.items, path + "[]", found),
        Kind::Map(map) => each_default(map.values, path + ".*", found),
        _ => {}
    }
}

fn each_property(object: &Object, path: &str, found: &mut impl FnMut(&str, &Schema, &Value)) {
    for property in object.properties {
        let name = property.name.get();
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        each_default(&property.schema, path, found);
    }
}
