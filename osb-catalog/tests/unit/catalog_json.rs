use serde_json::{Value, json};

use super::{
    super::{
        fixture::KV,
        model::{ParametersInfo, PlanInfo, PlanJson, PlanSpec},
    },
    plan,
};

/// The JSON of a plan with any flags and any of the three schemas.
#[test]
fn a_plan_has_its_flags_and_schemas() {
    let of = KV.plans[0];
    let create = of.create.expect("the plan has parameters");
    for bits in 0..64_u8 {
        let [bindable, rotatable, updateable, has_create, has_update, has_bind] =
            [0, 1, 2, 3, 4, 5].map(|bit| bits >> bit & 1 == 1);
        let schema = |is_there: bool, json: &'static [u8]| is_there.then_some(ParametersInfo { json, ..create });
        let spec = PlanSpec { bindable, rotatable, json: PlanJson { head: "{\"id\":\"i\"", tail: "" }, ..of.spec };
        let (create, update) =
            (schema(has_create, br#"{"title":"create"}"#), schema(has_update, br#"{"title":"update"}"#));
        let written = plan(&PlanInfo { spec, updateable, create, update, bind: schema(has_bind, b""), ..of });
        let mut written: Value = serde_json::from_slice(&written).expect("JSON");
        let schemas = written.as_object_mut().expect("an object").remove("schemas").unwrap_or_default();
        let flags = ["bindable", "binding_rotatable", "plan_updateable"].map(|flag| written[flag].take());
        assert_eq!(flags, [bindable, rotatable, updateable].map(Value::Bool), "{bits:b}");
        let mut expected = Value::Null;
        for (is_there, object, action, parameters) in [
            (has_create, "service_instance", "create", json!({ "title": "create" })),
            (has_update, "service_instance", "update", json!({ "title": "update" })),
            (has_bind, "service_binding", "create", json!({})),
        ] {
            if is_there {
                expected[object][action] = json!({ "parameters": parameters });
            }
        }
        assert_eq!(schemas, expected, "{bits:b}");
    }
}
