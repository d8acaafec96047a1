//! Validation of defaults at start-up, for checks that const evaluation can't do: patterns and formats of a field's
//! type, and foreign types.

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
                    let place = format!("{path}{}", wrong.pointer.replace('/', "."));
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

#[cfg(test)]
mod tests {
    use crate::{
        catalog::{EffectiveCatalog, Served},
        prelude::*,
        service::Broker as _,
    };

    /// A word.
    #[parameters]
    #[derive(Debug)]
    struct Word(#[param(pattern = "^[a-z]+$")] String);

    /// A host.
    #[parameters]
    #[derive(Debug)]
    struct Host(#[param(format = "hostname")] String);

    /// A nested type.
    #[parameters]
    #[derive(Debug)]
    struct Backup {
        /// The target.
        #[param(default = "not a host")]
        host: Host,
        /// A valid default.
        #[param(default = "backup.example.com")]
        fallback: Host,
    }

    /// Invalid defaults that const evaluation can't detect.
    #[parameters]
    #[derive(Debug)]
    struct Invalid {
        /// A prefix.
        #[param(default = "UPPER")]
        prefix: Word,
        /// A secret prefix.
        #[param(default = "hunter2", secret)]
        token: Word,
        /// The backups.
        backups: Vec<Backup>,
    }

    /// A service or plan with invalid defaults.
    #[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
    struct Kv;

    /// A service or plan with invalid defaults.
    #[plan(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free", create = Invalid)]
    struct Free;

    impl Provision<Free> for Kv {
        type State = ();
        async fn provision(&self, _: ProvisionRequest<Free>, _: &Operation) -> Result<Provisioned, ProvisionError> {
            Ok(Provisioned::new(()))
        }
        async fn deprovision(&self, _: DeprovisionRequest<Free>, _: &Operation) -> Result<(), DeprovisionError> {
            Ok(())
        }
    }

    #[broker]
    struct Broker(Kv);

    #[test]
    fn invalid_defaults_are_start_errors() {
        let error =
            Served::new(&EffectiveCatalog::unchanged(Broker::OFFERINGS), Broker::CATALOG, Broker::DYNAMIC, |_| None)
                .expect_err("it does not start");
        let problems = error.problems();
        assert_eq!(problems.len(), 3, "{error}");
        let of = |field: &str| problems.iter().find(|problem| problem.contains(&format!("{field:?}")));
        let prefix = of("prefix").expect("the error names it");
        for part in ["create parameters", r#"plan "free" of "kv""#, r#""UPPER" does not match the pattern ^[a-z]+$"#] {
            assert!(prefix.contains(part), "{prefix}");
        }
        assert!(of("token").is_some() && !error.to_string().contains("hunter2"), "{error}");
        assert!(of("backups[].host").is_some_and(|problem| problem.contains("not a host")), "{error}");
    }
}
