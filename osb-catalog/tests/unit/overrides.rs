//! Tests of catalog overrides: what they change, and the errors in them.

use regex::Regex;
use serde_json::{Value, json};

use super::{EffectiveCatalog, Overrides, rules::unprintable};
use crate::{
    catalog::fixture::{BARE, KV},
    catalog::{DashboardClient, Offering, PlanInfo, PlanSpec},
};

const ALL: &[&Offering] = &[&KV, &BARE];

fn apply(said: Value) -> Result<EffectiveCatalog, String> {
    Overrides::from(said).apply(ALL).map_err(|error| error.to_string())
}

fn shown(said: Value) -> EffectiveCatalog {
    apply(said).expect("valid overrides")
}

/// Overrides for the plan `free` of `kv`.
fn of_free(said: Value) -> Value {
    json!({ "services": { "kv": { "plans": { "free": said } } } })
}

#[test]
fn nothing_is_overridden_by_default() {
    let shown = Overrides::default().apply(ALL).expect("valid overrides");
    assert!(!shown.is_changed());
    assert!(std::ptr::eq(shown.offerings, ALL));
}

#[track_caller]
fn assert_refused(cases: &[(Value, &str)], whole: fn(Value) -> Value, place: &str) {
    for (said, problem) in cases {
        let said = whole(said.clone());
        assert_eq!(apply(said.clone()).err(), Some(format!("{place}{problem}")), "{said}");
    }
}

#[test]
fn a_name_with_a_point_is_named_as_a_whole() {
    const PLANS: &[PlanInfo] = &[PlanInfo { spec: PlanSpec { name: "1.5gb", ..KV.plans[0].spec }, ..KV.plans[0] }];
    const DOTTED: &Offering = &Offering { plans: PLANS, ..KV };
    let error = Overrides::from(json!({ "services": { "kv": { "plans": { "1.5gb": 1 } } } })).apply(&[DOTTED]);
    assert_eq!(
        error.err().map(|error| error.to_string()),
        Some("services.kv.plans.1.5gb: `1.5gb` must be a table".into())
    );
}

#[test]
fn a_plan_that_the_program_has_retired_stays_hidden() {
    const PLANS: &[PlanInfo] =
        &[PlanInfo { spec: PlanSpec { retired: true, ..KV.plans[0].spec }, ..KV.plans[0] }, KV.plans[1]];
    const RETIRED: &Offering = &Offering { plans: PLANS, ..KV };
    let shown = Overrides::from(json!({ "prefix": "dev-" })).apply(&[RETIRED]).expect("valid overrides");
    assert!(shown.offerings[0].plans[0].spec.retired);
}

#[test]
fn errors_at_the_top_level() {
    let hidden = json!({ "hidden": true });
    let cases = [
        (json!([]), "overrides: `overrides` must be a table"),
        (json!({ "prefx": "a" }), "prefx: the top level has no key `prefx`; did you mean `prefix`?"),
        (json!({ "prefix": " " }), "prefix: `prefix` must not be blank"),
        (json!({ "prefix": 1 }), "prefix: `prefix` must be a string"),
        (
            json!({ "prefix": "x".repeat(252) }),
            "prefix: the service name has 256 characters; Cloud Foundry stores at most 255; write a shorter prefix",
        ),
        (json!({ "services": 1 }), "services: `services` must be a table"),
        (json!({ "services": { "bar": {} } }), "services.bar: there is no service `bar`; did you mean `bare`?"),
        (
            json!({ "services": { "queue": {} } }),
            "services.queue: there is no service `queue`; it has to be one of `kv`, `bare`",
        ),
        (
            json!({ "services": { "bare": {}, "b": {} } }),
            "services.bare: service `bare` is listed by name and by id; remove one of them",
        ),
        (
            json!({ "services": {
                "kv": { "plans": { "free": hidden, "pro": hidden } },
                "bare": { "plans": { "p": hidden } },
            } }),
            "services: all plans are hidden, but Cloud Foundry rejects an empty catalog; show one of them",
        ),
    ];
    assert_refused(&cases, |said| said, "");
}

#[test]
fn errors_in_a_service() {
    let cases = [
        (
            json!({ "name": "x" }),
            "name: `name` of a service can't be overridden: set `prefix` at the top level, which is prepended to the names \
             of all services",
        ),
        (json!({ "descripton": "x" }), "descripton: a service has no key `descripton`; did you mean `description`?"),
        (
            json!({ "colour": "x" }),
            "colour: a service has no key `colour`; the keys are `dashboard_client`, `description`, `metadata`, `plans`",
        ),
        (
            json!({ "dashboard_client": { "redirect_uri": "https://x" } }),
            "dashboard_client: service \"kv\" has no dashboard client in the program",
        ),
        (json!({ "description": "\t" }), "description: `description` must not be blank"),
        (
            json!({ "description": "x".repeat(10_001) }),
            "description: the description has 10001 characters; Cloud Foundry takes at most 10000",
        ),
        (
            json!({ "metadata": { "display_name": "x" } }),
            "metadata.display_name: `metadata` of a service has no key `display_name`; did you mean `displayName`?",
        ),
        (
            json!({ "metadata": { "shareable": true } }),
            "metadata.shareable: `shareable` of `metadata` of a service can't be overridden: it describes the behaviour of the program",
        ),
        (
            json!({ "metadata": { "supportUrl": "https:// x" } }),
            "metadata.supportUrl: `supportUrl` has a character that a URL can't have: \"https:// x\"; write `https://...`",
        ),
        (
            json!({ "metadata": { "documentationUrl": "data:text/html,x" } }),
            "metadata.documentationUrl: `documentationUrl` is not a URL: \"data:text/html,x\"; write `https://...`",
        ),
        (
            json!({ "metadata": { "imageUrl": "/kv.png" } }),
            "metadata.imageUrl: `imageUrl` is not a URL: \"/kv.png\"; write `https://...` or `data:...`",
        ),
        (
            json!({ "metadata": { "imageUrl": "data:image/png;base64" } }),
            "metadata.imageUrl: `imageUrl` has a `data:` URL without data; write `data:image/png;base64,...`",
        ),
        (
            json!({ "plans": { "fre": {} } }),
            "plans.fre: there is no plan `fre` of service \"kv\"; did you mean `free`?",
        ),
        (
            json!({ "plans": { "large": {} } }),
            "plans.large: there is no plan `large` of service \"kv\"; it has to be one of `free`, `pro`, `old`",
        ),
        (
            json!({ "plans": { "old": { "hidden": false } } }),
            "plans.old.hidden: plan \"old\" is retired in the program and can't be shown",
        ),
    ];
    assert_refused(&cases, |said| json!({ "services": { "kv": said } }), "services.kv.");
}

/// Two services with a dashboard.
const DASHBOARDS: &[&Offering] = &[
    &Offering { dashboard_client: Some(client("kv")), ..KV },
    &Offering { dashboard_client: Some(client("bare")), ..BARE },
];

const fn client(id: &'static str) -> DashboardClient {
    DashboardClient { id, secret_env: "SECRET", redirect_uri: "https://dashboard.example" }
}

/// Overrides for the dashboard client of `kv`.
fn of_client(said: &Value) -> Overrides {
    Overrides::from(json!({ "services": { "kv": { "dashboard_client": said } } }))
}

#[test]
fn errors_in_a_dashboard_client() {
    let cases = [
        (json!("kv"), ": `dashboard_client` must be a table"),
        (json!({ "id": " " }), ".id: `id` must not be blank"),
        (
            json!({ "id": "k".repeat(256) }),
            ".id: the dashboard client id has 256 characters; Cloud Foundry stores at most 255; write a shorter one",
        ),
        (json!({ "redirect_uri": "kv" }), ".redirect_uri: `redirect_uri` is not a URL: \"kv\"; write `https://...`"),
        (
            json!({ "redirect_uri": "https://kv.example/#top" }),
            ".redirect_uri: `redirect_uri` has a fragment, which OAuth forbids; leave out the part from `#` on \
             (RFC 6749, section 3.1.2)",
        ),
        (
            json!({ "secret": "hush" }),
            ".secret: `secret` of `dashboard_client` can't be overridden: it is the value of the environment variable that the \
             program names",
        ),
        (
            json!({ "url": "https://kv.example" }),
            ".url: `dashboard_client` has no key `url`; the keys are `id`, `redirect_uri`",
        ),
        (
            json!({ "id": " ", "redirect_uri": "kv" }),
            ".id: `id` must not be blank\nservices.kv.dashboard_client.redirect_uri: `redirect_uri` is not a URL: \"kv\"; write \
             `https://...`",
        ),
    ];
    for (said, problem) in cases {
        let found = of_client(&said).apply(DASHBOARDS).expect_err("an error").to_string();
        assert_eq!(found, format!("services.kv.dashboard_client{problem}"));
    }
}

#[test]
fn the_client_of_a_dashboard_is_the_deployments_own() {
    let shown = |said: Value| {
        let shown = of_client(&said).apply(DASHBOARDS).expect("valid overrides");
        let client = shown.offerings[0].dashboard_client.expect("a client");
        assert_eq!(client.secret_env, "SECRET");
        (client.id, client.redirect_uri)
    };
    assert_eq!(shown(json!({ "redirect_uri": "https://dev.example" })), ("kv", "https://dev.example"));
    assert_eq!(shown(json!({ "id": "kv-dev" })), ("kv-dev", "https://dashboard.example"));
    assert_eq!(shown(json!({})), ("kv", "https://dashboard.example"));
}

#[test]
fn the_clients_of_a_deployment_differ() {
    let ids = |ids: &[(&str, &str)]| {
        let client = |id: &str| json!({ "dashboard_client": { "id": id } });
        let services: serde_json::Map<_, _> = ids.iter().map(|(name, id)| ((*name).to_owned(), client(id))).collect();
        let shown = Overrides::from(json!({ "services": services })).apply(DASHBOARDS);
        shown.map_or_else(|error| error.to_string(), |_| String::new())
    };
    let shared = |service: &str, other: &str, id: &str| {
        format!(
            "services.{service}.dashboard_client.id: services `{service}` and `{other}` share the dashboard client `{id}`; \
             Cloud Foundry requires a different client id for each service (PROF-20): rename one of them"
        )
    };
    assert_eq!(ids(&[("kv", "bare")]), shared("kv", "bare", "bare"));
    assert_eq!(ids(&[("bare", "kv")]), shared("bare", "kv", "kv"));
    assert_eq!(ids(&[("kv", "dev"), ("bare", "dev")]), shared("kv", "bare", "dev"));
    assert_eq!(ids(&[("kv", "bare"), ("bare", "kv")]), "", "both change at once");
}

#[test]
fn errors_in_a_plan() {
    let cases = [
        (json!({ "costs": [] }), "costs: `costs` belongs in `metadata`"),
        (json!({ "hidden": "yes" }), "hidden: `hidden` must be true or false"),
        (json!({ "id": "x" }), "id: `id` of a plan can't be overridden: platforms know a plan by its id (CAT-03)"),
        (
            json!({ "schemas": {} }),
            "schemas: `schemas` of a plan can't be overridden: schemas are derived from the types in the program",
        ),
        (
            json!({ "metadata": { "bullets": ["a", " "] } }),
            "metadata.bullets.1: `bullets` must not contain blank strings",
        ),
        (
            json!({ "metadata": { "bullets": "a" } }),
            "metadata.bullets: `bullets` is a list of strings: `bullets = [\"...\", \"...\"]`",
        ),
    ];
    assert_refused(&cases, of_free, "services.kv.plans.free.");
}

#[test]
fn errors_in_a_cost() {
    let usd = json!({ "usd": 1 });
    let cases = [
        (json!(1), ": a cost is a table"),
        (json!({ "amount": usd }), ": a cost needs a `unit`"),
        (json!({ "amount": usd, "unit": " " }), ".unit: `unit` is a string that is not blank"),
        (json!({ "amount": {}, "unit": "MONTHLY" }), ": a cost needs an amount in a currency"),
        (json!({ "amount": { "usd": "1" }, "unit": "MONTHLY" }), ".amount.usd: an amount is a number"),
        (json!({ "amount": { "usd": -1 }, "unit": "MONTHLY" }), ".amount.usd: an amount must not be negative"),
        (json!({ "amount": { "amount": 1 }, "unit": "MONTHLY" }), ".amount.amount: `amount` is not a currency"),
        (
            json!({ "amount": { "USD": 1, "usd": 2 }, "unit": "MONTHLY" }),
            ".amount.usd: the cost has two amounts in `usd`",
        ),
    ];
    let cases = cases.map(|(cost, problem)| {
        (cost, format!("{problem}; write `costs = [{{ amount = {{ usd = 9.90 }}, unit = \"MONTHLY\" }}]`"))
    });
    let cases = cases.each_ref().map(|(cost, problem)| (cost.clone(), problem.as_str()));
    let whole = |cost: Value| of_free(json!({ "metadata": { "costs": [cost] } }));
    assert_refused(&cases, whole, "services.kv.plans.free.metadata.costs.0");

    let unknown = (
        json!({ "amount": usd, "unit": "MONTHLY", "vat": 1 }),
        ".vat: a cost has no key `vat`; the keys are `amount`, `unit`",
    );
    assert_refused(&[unknown], whole, "services.kv.plans.free.metadata.costs.0");
}

#[test]
fn names_and_descriptions_can_be_stored_and_seen() {
    for (prefix, code) in [("dev\n", "U+000A"), ("d\u{200B}ev-", "U+200B"), ("\u{3164}", "U+3164")] {
        let problem = apply(json!({ "prefix": prefix })).expect_err("an invisible character");
        assert_eq!(problem, format!("prefix: the service name contains {code}, which can't be seen; remove it"));
    }
    let problem = apply(of_free(json!({ "description": "10 MB\0" }))).expect_err("U+0000");
    assert!(problem.contains("services.kv.plans.free.description: the description contains U+0000"), "{problem}");
    for prefix in ["dév-", "de\u{301}v-"] {
        assert_eq!(shown(json!({ "prefix": prefix })).offerings[0].name, format!("{prefix}kv"));
    }
}

#[test]
fn unprintable_characters_are_those_of_unicode() {
    let matches = |class| {
        let class = Regex::new(class).expect("a valid pattern");
        move |c: char| class.is_match(c.encode_utf8(&mut [0; 4]))
    };
    let expected = matches(r"[\p{C}\p{Z}\u{115F}\u{1160}\u{2800}\u{3164}\u{FFA0}&&[^ ]]");
    // A newer version of Unicode in the standard library may assign some.
    let unassigned = matches(r"\p{Cn}");
    for c in ('\0'..='\u{3FFFF}').chain('\u{E0000}'..='\u{E0FFF}') {
        let found = unprintable(c.encode_utf8(&mut [0; 4])).is_some();
        assert!(found == expected(c) || (!found && unassigned(c)), "U+{:04X}", u32::from(c));
    }
}

#[test]
fn compiler_warnings_are_warnings() {
    let long = "x".repeat(256);
    let shown = shown(json!({
        "prefix": "dev ",
        "services": {
            "kv": {
                "description": format!("See [the guide](https://example.com). {long}"),
                "metadata": { "displayName": long, "longDescription": long, "imageUrl": format!("data:,{long}") },
                "plans": {
                    "free": { "metadata": { "costs": [
                        { "amount": { "usd": 1, "dollars": 1 }, "unit": "MONTHLY" },
                        { "amount": { "usd": 1 }, "unit": "HOURLY" },
                        { "amount": { "USD": 2 }, "unit": "MONTHLY" },
                    ] } },
                },
            },
        },
    }));
    let long = "strings should have at most 255 characters (CAT-04)";
    assert_eq!(
        shown.warnings,
        [
            "prefix: the service name should consist of letters, digits, `.` and `-`, because users type it on a command \
             line (CAT-06)",
            "services.kv.description: platforms show the description as plain text, with the brackets of its link",
            &format!("services.kv.description: {long}"),
            &format!("services.kv.metadata.displayName: {long}"),
            "services.kv.plans.free.metadata.costs.0.amount.dollars: a currency is a code of three letters, such as `usd` or \
             `eur` (ISO 4217)",
            "services.kv.plans.free.metadata.costs.2: another cost has a price for this unit in the same currency: leave one of \
             them out",
            "services.kv.plans.free.metadata.costs: the plan has costs but the program says that it is free, so platforms \
             take it to cost nothing (CAT-34)",
        ]
    );
}

#[test]
fn each_text_of_a_service_is_replaced_alone() {
    const NEW: &str = "https://new.example";
    let texts = |offering: &Offering| {
        [
            ("displayName", offering.display_name),
            ("longDescription", offering.long_description),
            ("documentationUrl", offering.documentation_url),
            ("supportUrl", offering.support_url),
            ("imageUrl", offering.image_url),
        ]
    };
    for (key, _) in texts(&KV) {
        let shown = shown(json!({ "services": { "kv": { "metadata": { key: NEW } } } }));
        for ((name, after), (_, before)) in texts(shown.offerings[0]).into_iter().zip(texts(&KV)) {
            assert_eq!(after, if name == key { Some(NEW) } else { before }, "{name}, with a new {key}");
        }
    }
}

#[test]
fn texts_of_the_greatest_length_are_accepted() {
    let name = "x".repeat(251);
    let description = "x".repeat(10_000);
    let short = "x".repeat(255);
    let shown = shown(json!({
        "prefix": name,
        "services": { "kv": { "description": description, "metadata": { "displayName": short } } },
    }));
    assert_eq!(shown.offerings[1].name.len(), 255);
    assert_eq!(shown.offerings[0].description, description);
    assert_eq!(shown.warnings, ["services.kv.description: strings should have at most 255 characters (CAT-04)"]);
}
