use serde_json::{Value, json};

use super::{Overrides, Shown};
use crate::{
    catalog::Offering,
    docs::fixture::{BARE, KV},
};

const ALL: &[&Offering] = &[&KV, &BARE];

fn apply(said: Value) -> Result<Shown, String> {
    Overrides::from(said).apply(ALL).map_err(|error| error.to_string())
}

fn shown(said: Value) -> Shown {
    apply(said).expect("they are good")
}

/// The keys of a plan of `kv`.
fn of_free(said: Value) -> Value {
    json!({ "services": { "kv": { "plans": { "free": said } } } })
}

#[test]
fn nothing_is_overridden_by_default() {
    let shown = Overrides::default().apply(ALL).expect("it is good");
    assert!(!shown.is_changed());
    assert!(std::ptr::eq(shown.offerings, ALL));
}

#[test]
fn mistakes_are_explained() {
    let long = "x".repeat(256);
    let cost = |cost: Value| of_free(json!({ "metadata": { "costs": [cost] } }));
    let kv = |said: Value| json!({ "services": { "kv": said } });
    let example = "write `costs = [{ amount = { usd = 9.90 }, unit = \"MONTHLY\" }]`";
    let free = "services.kv.plans.free";
    for (said, problem) in [
        (json!([]), "overrides: `overrides` is to be a table".to_owned()),
        (json!({ "prefx": "a" }), "prefx: a file of overrides has no key `prefx`; did you mean `prefix`?".to_owned()),
        (json!({ "prefix": " " }), "prefix: `prefix` must not be blank".to_owned()),
        (json!({ "prefix": 1 }), "prefix: `prefix` is to be a string".to_owned()),
        (
            json!({ "prefix": long }),
            "prefix: the service name has 258 characters; Cloud Foundry stores at most 255; write a shorter prefix".to_owned(),
        ),
        (json!({ "services": 1 }), "services: `services` is to be a table".to_owned()),
        (
            json!({ "services": { "bar": {} } }),
            "services.bar: there is no service `bar`; did you mean `bare`?".to_owned(),
        ),
        (
            json!({ "services": { "queue": {} } }),
            "services.queue: there is no service `queue`; there is `kv`, `bare`".to_owned(),
        ),
        (
            json!({ "services": { "bare": {}, "b": {} } }),
            "services.b: service `bare` is here by its name and by its id; write one of them".to_owned(),
        ),
        (
            kv(json!({ "name": "x" })),
            "services.kv.name: `name` of a service can't be overridden: write `prefix` at the top, which stands in front of \
             the names of all services"
                .to_owned(),
        ),
        (
            kv(json!({ "descripton": "x" })),
            "services.kv.descripton: a service has no key `descripton`; did you mean `description`?".to_owned(),
        ),
        (
            kv(json!({ "colour": "x" })),
            "services.kv.colour: a service has no key `colour`; it takes `description`, `metadata`, `plans`".to_owned(),
        ),
        (kv(json!({ "description": "\t" })), "services.kv.description: `description` must not be blank".to_owned()),
        (
            kv(json!({ "description": long.repeat(40) })),
            "services.kv.description: the description has 10240 characters; Cloud Foundry takes at most 10000".to_owned(),
        ),
        (
            kv(json!({ "metadata": { "display_name": "x" } })),
            "services.kv.metadata.display_name: `metadata` of a service has no key `display_name`; did you mean \
             `displayName`?"
                .to_owned(),
        ),
        (
            kv(json!({ "metadata": { "shareable": true } })),
            "services.kv.metadata.shareable: `shareable` of `metadata` of a service can't be overridden: it says what the \
             program does"
                .to_owned(),
        ),
        (
            kv(json!({ "metadata": { "supportUrl": "https:// x" } })),
            "services.kv.metadata.supportUrl: `supportUrl` is not a URL: \"https:// x\"; write `https://...`".to_owned(),
        ),
        (
            kv(json!({ "metadata": { "documentationUrl": "data:text/html,x" } })),
            "services.kv.metadata.documentationUrl: `documentationUrl` is not a URL: \"data:text/html,x\"; write \
             `https://...`"
                .to_owned(),
        ),
        (
            kv(json!({ "metadata": { "imageUrl": "/kv.png" } })),
            "services.kv.metadata.imageUrl: `imageUrl` is not a URL: \"/kv.png\"; write `https://...` or `data:...`".to_owned(),
        ),
        (
            kv(json!({ "plans": { "fre": {} } })),
            "services.kv.plans.fre: there is no plan `fre` of service \"kv\"; did you mean `free`?".to_owned(),
        ),
        (
            kv(json!({ "plans": { "old": { "hidden": false } } })),
            "services.kv.plans.old.hidden: plan \"old\" is retired by the program, and can't be shown".to_owned(),
        ),
        (of_free(json!(true)), format!("{free}: `free` is to be a table")),
        (of_free(json!({ "hidden": "yes" })), format!("{free}.hidden: `hidden` is to be true or false")),
        (
            of_free(json!({ "id": "x" })),
            format!("{free}.id: `id` of a plan can't be overridden: platforms know a plan by its id (CAT-03)"),
        ),
        (
            of_free(json!({ "schemas": {} })),
            format!(
                "{free}.schemas: `schemas` of a plan can't be overridden: schemas follow from the types that the program \
                 reads"
            ),
        ),
        (
            of_free(json!({ "metadata": { "bullets": ["a", " "] } })),
            format!("{free}.metadata.bullets.1: `bullets` must not contain blank strings"),
        ),
        (
            of_free(json!({ "metadata": { "bullets": "a" } })),
            format!("{free}.metadata.bullets: `bullets` is a list of strings: `bullets = [\"...\", \"...\"]`"),
        ),
        (
            of_free(json!({ "metadata": { "costs": 1 } })),
            format!("{free}.metadata.costs: `costs` takes a list; {example}"),
        ),
        (cost(json!(1)), format!("{free}.metadata.costs.0: a cost is a table; {example}")),
        (
            cost(json!({ "amount": { "usd": 1 } })),
            format!("{free}.metadata.costs.0: a cost needs a `unit`; {example}"),
        ),
        (
            cost(json!({ "amount": { "usd": 1 }, "unit": " " })),
            format!("{free}.metadata.costs.0.unit: `unit` is a string that is not blank; {example}"),
        ),
        (
            cost(json!({ "amount": {}, "unit": "MONTHLY" })),
            format!("{free}.metadata.costs.0: a cost needs an amount in a currency; {example}"),
        ),
        (
            cost(json!({ "amount": { "usd": "1" }, "unit": "MONTHLY" })),
            format!("{free}.metadata.costs.0.amount.usd: an amount is a number; {example}"),
        ),
        (
            cost(json!({ "amount": { "usd": 1 }, "unit": "MONTHLY", "vat": 1 })),
            format!("{free}.metadata.costs.0.vat: a cost has no key `vat`; it takes `amount`, `unit`"),
        ),
        (
            json!({ "services": {
                "kv": { "plans": { "free": { "hidden": true }, "pro": { "hidden": true } } },
                "bare": { "plans": { "p": { "hidden": true } } },
            } }),
            "services: every plan is hidden, and Cloud Foundry refuses an empty catalog; show one of them".to_owned(),
        ),
    ] {
        assert_eq!(apply(said.clone()).err(), Some(problem), "{said}");
    }
}

#[test]
fn everything_that_is_wrong_is_said() {
    let problems = apply(json!({
        "prefix": "",
        "services": {
            "kv": { "id": "x", "description": "", "plans": { "free": { "hidden": 1 }, "none": {} } },
            "none": {},
        },
    }));
    let problems = problems.expect_err("nothing of it is good");
    let places: Vec<&str> = problems.lines().filter_map(|line| line.split(": ").next()).collect();
    let wrong = ["prefix", "kv.id", "kv.description", "kv.plans.free.hidden", "kv.plans.none", "none"];
    assert_eq!(places.len(), wrong.len(), "{problems}");
    assert!(wrong.iter().all(|place| places.iter().any(|found| found.ends_with(place))), "{problems}");
}

#[test]
fn what_the_compiler_would_warn_of_is_a_warning() {
    let long = "x".repeat(256);
    let shown = shown(json!({
        "prefix": "dev ",
        "services": {
            "kv": {
                "description": long,
                "metadata": { "displayName": long, "longDescription": long, "imageUrl": format!("data:{long}") },
                "plans": { "free": { "metadata": { "costs": [{ "amount": { "usd": 1 }, "unit": "MONTHLY" }] } } },
            },
        },
    }));
    let long = "strings should have at most 255 characters (CAT-04)";
    assert_eq!(
        shown.warnings,
        [
            "prefix: the service name should consist of letters, digits, `.` and `-`, because users type it on a command \
             line (CAT-06)",
            &format!("services.kv.description: {long}"),
            &format!("services.kv.metadata.displayName: {long}"),
            "services.kv.plans.free.metadata.costs: the plan has costs but the program says that it is free, so platforms \
             take it to cost nothing (CAT-34)",
        ]
    );
}

#[test]
fn names_and_texts_are_replaced_and_the_rest_stays() {
    let shown = shown(json!({
        "prefix": "dev-",
        "services": {
            KV.id: {
                "description": "A store for trying things out.",
                "metadata": { "displayName": "Store", "supportUrl": "https://help.example" },
                "plans": {
                    "pro": {
                        "metadata": {
                            "bullets": [],
                            "costs": [
                                { "amount": { "usd": 9.9, "eur": 8 }, "unit": "MONTHLY" },
                                { "amount": { "eur": 0.25 }, "unit": "GB" },
                            ],
                        },
                    },
                },
            },
        },
    }));
    let [kv, bare] = shown.offerings else { panic!("two, as before") };
    assert_eq!([kv.name, bare.name], ["dev-kv", "dev-bare"]);
    assert_eq!(kv.description, "A store for trying things out.");
    assert_eq!((kv.display_name, kv.support_url), (Some("Store"), Some("https://help.example")));
    assert_eq!((kv.id, kv.long_description, kv.image_url), (KV.id, KV.long_description, KV.image_url));
    assert_eq!(bare.description, BARE.description);
    let pro = &kv.plans[1].spec;
    assert_eq!((pro.description, pro.display_name), (KV.plans[1].spec.description, KV.plans[1].spec.display_name));
    assert!(pro.bullets.is_empty());
    assert_eq!(pro.costs, ["9.9 USD or 8.0 EUR monthly", "0.25 EUR per GB"]);
}

#[test]
fn no_plan_is_left_for_a_hidden_one() {
    let shown = shown(json!({
        "services": { "kv": { "plans": { "pro": { "hidden": true } } }, "bare": { "plans": { "p": { "hidden": true } } } },
    }));
    let [kv, bare] = shown.offerings else { panic!("two, as before") };
    assert!(KV.plans[0].updateable && !kv.plans[0].updateable, "free could become pro only");
    assert!(kv.plans[1].spec.retired && kv.changes.is_empty());
    assert!(bare.plans[0].spec.retired);
    let names: Vec<&str> = shown.in_catalog().iter().map(|offering| offering.name).collect();
    assert_eq!(names, ["kv"], "nothing of the other one is shown");
}
