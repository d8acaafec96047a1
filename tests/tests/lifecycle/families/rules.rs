//! The rules for plans that a deployment lists.

use osb_runtime::{catalog::Overrides, service::Broker as _};
use serde_json::{Value, json};

use super::{Broker, LARGE, SMALL, TRIAL, plans, small, start};

/// The problems of a deployment with these plans.
async fn problems(all: Value) -> Vec<String> {
    match start(plans(all.clone())).await {
        Ok(_) => panic!("it starts: {all}"),
        Err(error) => error.problems().to_vec(),
    }
}

/// Returns a plan with this value for a key.
fn with(key: &str, value: Value) -> Value {
    let mut plan = small();
    plan[key] = value;
    plan
}

/// Checks that each plan has its problem and no other.
async fn check_problems<const COUNT: usize>(cases: [(Value, &str); COUNT]) {
    for (plan, problem) in cases {
        let found = problems(json!({ "x": plan })).await;
        assert!(
            matches!(&*found, [found] if found.starts_with(&format!("services.db.plans.x{problem}"))),
            "{plan}\n{found:#?}\n{problem}"
        );
    }
}

#[tokio::test]
async fn plans_satisfy_the_rules_of_the_compiler() {
    let without = |key: &str| {
        let mut plan = small();
        plan.as_object_mut().and_then(|plan| plan.remove(key)).expect("it has the key");
        plan
    };
    let cases = [
        (json!({ "family": 1, "id": SMALL }), ".family: `family` must be a string"),
        (with("family", json!("size")), ".family: service \"db\" has no family `size`; did you mean `sized`?"),
        (with("family", json!("tier")), ".family: service \"db\" has no family `tier`; it has to be one of `sized`"),
        (
            without("id"),
            ": plan `x` has no `id`; write `id = \"...\"` with a GUID (`uuidgen` makes one), and never change it: platforms \
             know it by its id",
        ),
        (with("id", json!("")), ".id: `id` must not be blank"),
        (with("id", json!("a\u{200B}")), ".id: the plan id contains U+200B, which can't be seen; remove it"),
        (
            with("id", json!("x".repeat(256))),
            ".id: the plan id has 256 characters; Cloud Foundry stores at most 255; write a GUID",
        ),
        (
            with("id", json!(TRIAL.to_uppercase())),
            ".id: plans `trial` and `x` of `db` share the id 7D1F9D0E-54A5-4A3C-9E0A-6B1C4F6F5A02, apart from upper and lower \
             case; a plan's id is globally unique (CAT-30): give one of them a new GUID",
        ),
        (
            with("name", json!("y")),
            ".name: `name` of a plan of a family can't be overridden: the name is the key of the table",
        ),
        (
            with("bindable", json!(false)),
            ".bindable: `bindable` of a plan of a family can't be overridden: it describes the behaviour of the program",
        ),
        (with("valus", json!({})), ".valus: a plan of a family has no key `valus`; did you mean `values`?"),
        (with("description", json!(" ")), ".description: `description` must not be blank"),
        (with("free", json!("no")), ".free: `free` must be true or false"),
        (with("metadata", json!({ "bullets": [""] })), ".metadata.bullets.0: `bullets` must not contain blank strings"),
        (without("values"), ".values.gigabytes: `gigabytes` of family `sized`: is missing"),
        (with("values", json!(1)), ".values: `values` must be a table"),
        (
            with("values", json!({ "gigabytes": 0 })),
            ".values.gigabytes: `gigabytes` of family `sized`: 0 is less than the minimum 1",
        ),
        (
            with("values", json!({ "gigabytes": 1, "replica": 2 })),
            ".values.replica: `replica` of family `sized`: is not a known property; did you mean `replicas`?",
        ),
    ];
    check_problems(cases).await;
}

#[tokio::test]
async fn narrower_bounds_satisfy_the_rules_of_the_compiler() {
    let cases = [
        (with("narrow", json!({ "connections": {} })), ".narrow.connections: `connections` has no bounds"),
        (
            with("narrow", json!({ "conections": { "max": 5 } })),
            ".narrow.conections: the create parameters of plan `x` have no property `conections`; they have `connections`, `log`",
        ),
        (
            with("narrow", json!({ "connections": { "max": 101 } })),
            ".narrow.connections.max: this maximum is outside the range of the type of `connections`, which is at most 100",
        ),
        (
            with("narrow", json!({ "connections": { "max": 20, "min": 0 } })),
            ".narrow.connections.min: this minimum is outside the range of the type of `connections`, which is at least 1",
        ),
        (
            with("narrow", json!({ "connections": { "max": 1.5 } })),
            ".narrow.connections.max: `connections` is a whole number: write this number without a fraction",
        ),
        (with("narrow", json!({ "connections": { "max": "1" } })), ".narrow.connections.max: `max` must be a number"),
        (
            with("narrow", json!({ "connections": { "mx": 1 } })),
            ".narrow.connections.mx: a property in `narrow` has no key `mx`; did you mean `max`?",
        ),
        (
            with("narrow", json!({ "connections": { "min": 20, "max": 10 } })),
            ".narrow.connections: no value fits: the minimum of `connections`'s `range` is greater than the maximum",
        ),
        (
            with("narrow", json!({ "connections": { "min": 2, "exclusive_min": 1 } })),
            ".narrow.connections.min: `min` and `exclusive_min` exclude each other",
        ),
        (
            with("narrow", json!({ "connections": { "min": 2, "exclusive_min": 1, "exclusive_max": 30 } })),
            ".narrow.connections.min: `min` and `exclusive_min` exclude each other",
        ),
        (
            with("narrow", json!({ "connections": { "min": 20 } })),
            ".narrow.connections: `narrow` excludes the default of `connections`",
        ),
        (
            with("narrow", json!({ "Connections": { "min": 2 }, "connections": { "max": 20 } })),
            ".narrow.connections: `Connections` and `connections` are the same property; write all bounds in one table",
        ),
        (
            with("narrow", json!({ "connections": { "max": 20 }, "sessions": { "min": 2 } })),
            ".narrow.sessions: `connections` and `sessions` are the same property; write all bounds in one table",
        ),
        (
            with("narrow", json!({ "connections": { "one_of": [10, 101] } })),
            ".narrow.connections.one_of: a value of `connections` is 101, but the maximum is 100",
        ),
        (
            with("narrow", json!({ "connections": { "one_of": [20, 30] } })),
            ".narrow.connections: `narrow` excludes the default of `connections`",
        ),
        (
            with("narrow", json!({ "connections": { "one_of": [10, 20], "max": 30 } })),
            ".narrow.connections: `one_of` lists all values; leave out the other bounds, and list the values that fit",
        ),
        (
            with("narrow", json!({ "connections": { "one_of": [] } })),
            ".narrow.connections.one_of: `one_of` must be a list of whole numbers, such as `[1, 3]`",
        ),
        (
            with("narrow", json!({ "connections": { "one_of": [10, 0.5] } })),
            ".narrow.connections.one_of: `one_of` must be a list of whole numbers, such as `[1, 3]`",
        ),
        (
            with("narrow", json!({ "log": { "max": 1 } })),
            ".narrow.log: `log` is a boolean, which has no bounds to narrow",
        ),
    ];
    check_problems(cases).await;
}

#[tokio::test]
async fn prof_11_metadata_takes_other_members() {
    let cases = [
        (
            json!({ "displayname": "X" }),
            "displayname: `metadata` of a plan of a family has no key `displayname`; did you mean `displayName`?",
        ),
        (
            json!({ "shareable": true }),
            "shareable: `shareable` of `metadata` of a plan of a family can't be overridden: it describes the behaviour of the \
             program",
        ),
        (
            json!({ "regions": ["eu", null] }),
            "regions: a date, infinity or `null` can't be in `metadata`; write a string",
        ),
        (
            json!({ "support": { "until": null } }),
            "support: a date, infinity or `null` can't be in `metadata`; write a string",
        ),
    ];
    let with = |metadata: Value| {
        let mut plan = small();
        plan["metadata"] = metadata;
        json!({ "x": plan })
    };
    for (metadata, problem) in cases {
        assert_eq!(problems(with(metadata)).await, [format!("services.db.plans.x.metadata.{problem}")]);
    }
    let support = json!({ "support": { "hours": "9 to 5", "levels": [1, 2] } });
    let shown = plans(with(support.clone())).overrides.apply(Broker::OFFERINGS).expect("it is JSON");
    let json = shown.json(Broker::CATALOG, Broker::DYNAMIC, |_| None).expect("a catalog");
    let catalog: Value = serde_json::from_slice(&json).expect("JSON");
    let all = catalog["services"][0]["plans"].as_array().expect("plans");
    let member = all.iter().find(|plan| plan["name"] == "x").expect("the plan");
    assert_eq!(member["metadata"]["support"], support["support"]);
    assert_eq!(member["metadata"]["vendor"], "Example", "that of the family stays");
}

#[test]
fn warnings_can_be_denied() {
    let denied = |denied: Value| {
        let overrides = json!({ "deny_warnings": denied, "services": { "db": { "plans": { "--": small() } } } });
        Overrides::from(overrides).apply(Broker::OFFERINGS).map_err(|error| error.problems().to_vec())
    };
    assert_eq!(denied(json!(false)).expect("warnings stop nothing").warnings.len(), 1);
    let problems = denied(json!(true)).expect_err("a warning is an error");
    assert!(matches!(&*problems, [one] if one.ends_with("should be descriptive (CAT-06)")), "{problems:?}");
    let problems = denied(json!("yes")).expect_err("it is no boolean");
    assert_eq!(problems, ["deny_warnings: `deny_warnings` must be true or false"]);
}

#[test]
fn compiler_warnings_are_warnings() {
    let mut awkward = small();
    awkward["id"] = json!("a b");
    awkward["free"] = json!(true);
    awkward["metadata"] = json!({ "costs": [{ "amount": { "usd": 1 }, "unit": "MONTHLY" }] });
    let mut alike = small();
    alike["id"] = json!("no-guid");
    let mut dashed = small();
    dashed["id"] = json!("6c2f3a70-8a4e-4f0b-9d3c-51b7e0a4c339");
    let mut zeros = small();
    zeros["id"] = json!("00000000-0000-0000-0000-000000000000");
    // The costs of a plan that isn't free are no mistake.
    (zeros["free"], zeros["metadata"]) = (json!(false), awkward["metadata"].clone());
    let listed = json!({ "a plan": awkward, "Trial": alike, "zeros": zeros, "--": small(), "-x": dashed });
    let shown = plans(listed).overrides.apply(Broker::OFFERINGS);
    let warnings = shown.expect("warnings stop nothing").warnings;
    let expected = [
        "a plan: the plan name should consist of letters, digits, `.` and `-`, because users type it on a command line (CAT-06)",
        "a plan.id: the plan id should consist of `A-Z a-z 0-9 - . _ ~`, because it travels in URLs (RFC 3986); write a GUID",
        "a plan.metadata.costs: the plan has costs but does not say `free = false`, so platforms take it to cost nothing (CAT-34)",
        "Trial.id: the plan id should be a GUID, so that no other broker uses it; `uuidgen` makes one for a new plan",
        "Trial: another plan's name differs from this one only in case, which Cloud Foundry on MySQL treats as the same name \
         (CAT-31); rename one of them",
        "zeros.id: the plan id is the GUID of zeros, which other brokers may use too; `uuidgen` makes a new one",
        "--: the plan name should be descriptive (CAT-06)",
        "-x: the plan name should not begin with `-`, because a command line takes it for an option (CAT-06)",
    ];
    for warning in expected {
        assert!(warnings.contains(&format!("services.db.plans.{warning}")), "{warning}: {warnings:#?}");
    }
    assert_eq!(warnings.len(), expected.len(), "{warnings:#?}");
}

/// CAT-53: narrower bounds can make a schema that is nearly too large too large.
#[test]
fn cat_53_narrower_bounds_make_no_schema_too_large() {
    use osb_runtime::{
        catalog::{Offering, ParametersInfo},
        schema::{Kind, Object, Property, Schema, Text, document},
    };
    let create = Broker::OFFERINGS[0].families[0].create.expect("it has parameters");
    let Kind::Object(Object { properties, .. }) = create.schema.kind else { panic!("an object") };
    let old = properties[1].schema.description.expect("it has a description").get();
    let raw: &str = "x".repeat(65_536 + old.len() - document(create.schema).len()).leak();
    let text = Text::new(raw, format!("\"{raw}\"").leak());
    let log = Schema { description: Some(text), ..properties[1].schema };
    let properties: &[Property] = vec![properties[0], Property { schema: log, ..properties[1] }].leak();
    let kind = Kind::Object(Object { properties, open: false });
    let schema: &Schema = Box::leak(Box::new(Schema { kind, ..*create.schema }));
    let mut family = Broker::OFFERINGS[0].families[0];
    family.create = Some(ParametersInfo { schema, ..create });
    let families = vec![family].leak();
    let offering: &Offering = Box::leak(Box::new(Offering { families, ..*Broker::OFFERINGS[0] }));
    let with = |narrow: Value| {
        let mut plan = small();
        plan["narrow"] = narrow;
        let settings = plans(json!({ "x": plan }));
        settings.overrides.apply(vec![offering].leak()).map_err(|error| error.problems().to_vec())
    };
    assert_eq!(document(schema).len(), 65_536);
    let found = |narrow: Value| with(narrow).err().unwrap_or_default();
    assert_eq!(found(json!({ "connections": { "max": 50 } })), [""; 0]);
    let found = found(json!({ "connections": { "multiple_of": 5 } }));
    let problem = "services.db.plans.x.narrow: the schema of `x` has 65551 bytes, but platforms accept at most 65536";
    assert!(matches!(&*found, [found] if found.starts_with(problem)), "{found:?}");
}

#[tokio::test]
async fn all_problems_are_listed_at_once() {
    let found = problems(json!({
        "trial": { "family": "sized", "id": SMALL, "values": { "gigabytes": 0, "replicas": 9 } },
        "b": { "family": "sized", "id": SMALL, "values": { "gigabytes": 1 } },
        "sizd": { "id": LARGE },
        "\u{7}": small(),
    }))
    .await;
    let places: Vec<&str> = found.iter().filter_map(|problem| problem.split(": ").next()).collect();
    let expected = ["\u{7}", "b.id", "trial", "sizd", "trial.values.gigabytes", "trial.values.replicas"];
    for place in expected {
        assert!(places.contains(&format!("services.db.plans.{place}").as_str()), "{place}: {found:#?}");
    }
    assert!(
        found.iter().any(|problem| problem.contains(
            "there is no plan `sizd` of service \"db\"; a plan of a family names it, `family = \"...\"`; the families are `sized`"
        )),
        "{found:#?}"
    );
}
