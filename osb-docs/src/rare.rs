//! Documents of a service with rare features: families, plans of a deployment, retired plans, permissions, foreign types,
//! variants, and names with special characters.

use serde_json::{Value, json};

use super::{
    fixture::{BARE, KV},
    html_of, markdown_of, openapi_of, page,
};
use osb_runtime::{
    catalog::{Asynchronous, Member, Offering, ParametersInfo, PlanChange, PlanInfo, PlanSpec, Requires},
    schema::{
        Array, Choice, ForeignType, Integer, Kind, Literal, Map, Object, Property, Schema, StringRules, Tagged, Text,
        Variant,
    },
};

/// Writes a text without quotes as JSON too.
macro_rules! text {
    ($raw:literal) => {
        Text::new($raw, concat!("\"", $raw, "\""))
    };
}

const STRING: Schema = string(None);
const PASSWORD: Schema = Schema { secret: true, ..STRING };

const fn string(length: Option<u64>) -> Schema {
    Schema::new(Kind::String(StringRules { min_length: length, max_length: length, pattern: None, format: None }))
}

const fn integer(minimum: i64, maximum: i64) -> Schema {
    Schema::new(Kind::Integer(Integer {
        minimum: Some(minimum as i128),
        maximum: Some(maximum as i128),
        exclusive_minimum: false,
        exclusive_maximum: false,
        multiple_of: None,
        one_of: None,
    }))
}

const fn field(name: Text, schema: &Schema) -> Property {
    Property { name, schema: *schema, aliases: &[], required: false, immutable: false, update_only: false }
}

const fn required(name: Text, schema: &Schema) -> Property {
    Property { required: true, ..field(name, schema) }
}

const fn described(about: Text, schema: &Schema) -> Schema {
    Schema { description: Some(about), ..*schema }
}

const fn foreign(schema: fn() -> Value) -> Schema {
    Schema::new(Kind::Foreign(ForeignType { type_name: || "Theirs", schema, accept: |_| Ok(()) }))
}

const PAIR: Schema = foreign(|| json!({ "type": "array", "items": [{ "type": "boolean" }], "additionalItems": false }));
const EITHER: Schema = foreign(|| json!({ "anyOf": [{ "minimum": 1, "exclusiveMinimum": true }, { "type": "null" }] }));

const fn list(items: &'static Schema, min_items: Option<u64>) -> Schema {
    Schema::new(Kind::Array(Array { items, min_items, max_items: None, unique: false }))
}

const fn map(values: &'static Schema) -> Schema {
    Schema::new(Kind::Map(Map { values, min_properties: None, max_properties: None }))
}

const fn object(properties: &'static [Property], open: bool) -> Schema {
    Schema::new(Kind::Object(Object { properties, open }))
}

const fn variant(name: Text, properties: &'static [Property]) -> Variant {
    Variant { name, description: None, object: Object { properties, open: false } }
}

const LOGIN: Schema = Schema {
    examples: &[Literal::Object(&[(text!("kind"), Literal::String(text!("own"))), (text!("password"), SECRET)])],
    ..Schema::new(Kind::Tagged(Tagged {
        tag: text!("kind"),
        variants: &[
            variant(text!("theirs"), &[required(text!("url"), &STRING), field(text!("note"), &STRING)]),
            variant(text!("own"), &[required(text!("password"), &PASSWORD)]),
            variant(text!("none"), &[]),
        ],
    }))
};
const SECRET: Literal = Literal::String(text!("hunter2"));
const KINDS: Schema = Schema::new(Kind::Choice(&[
    Choice { value: text!("a"), description: Some(text!("The first.")) },
    Choice { value: text!(""), description: None },
    Choice { value: text!("  "), description: None },
    Choice { value: text!(" b"), description: None },
    Choice { value: text!("c "), description: None },
]));
const ONLY: Schema = Schema::new(Kind::Choice(&[Choice { value: text!("only"), description: None }]));
const ONE: &[Literal] = &[Literal::String(text!("one"))];

const CREATE: Schema = object(
    &[
        required(text!("pair"), &PAIR),
        field(text!("pairs"), &list(&PAIR, None)),
        field(text!("either"), &EITHER),
        required(text!("login"), &LOGIN),
        field(text!("nested"), &object(&[field(text!("kind"), &KINDS), required(text!("login"), &LOGIN)], true)),
        field(text!("a.b"), &described(text!("Ends with a colon:"), &Schema { examples: ONE, ..STRING })),
        field(text!("a[b"), &described(text!("Ends with a bang!"), &Schema { examples: ONE, ..STRING })),
        field(text!("a]b"), &described(text!("Has no end"), &Schema { examples: ONE, ..STRING })),
        field(text!("a*b"), &Schema { title: Some(text!("Titled_ *x*")), ..STRING }),
        field(Text::new("a\"b", "\"a\\\"b\""), &list(&KINDS, None)),
        field(
            text!("a b"),
            &described(
                Text::new("+ Plus.\n\n_`  ` and `|`_", r#""+ Plus.\n\n_`  ` and `|`_""#),
                &list(&list(&STRING, None), None),
            ),
        ),
        field(text!("logins"), &map(&LOGIN)),
        field(text!("notes"), &map(&Schema { nullable: true, ..STRING })),
        field(text!("whole"), &integer(i64::MIN, i64::MAX)),
        field(text!("only"), &ONLY),
        required(text!("codes"), &list(&string(Some(3)), Some(2))),
    ],
    true,
);
const NULL: Schema = Schema { default: Some(Literal::Null), ..STRING };
const DEFAULT: Schema = Schema { default: Some(Literal::String(text!("default"))), ..STRING };
const PLAIN: Property = field(text!("plain"), &STRING);
const WITH_DEFAULT: Schema = object(&[PLAIN, field(text!("null"), &NULL), field(text!("default"), &DEFAULT)], false);
const WITH_EXAMPLE: Schema = object(
    &[
        Property { immutable: true, ..field(text!("first"), &Schema { examples: ONE, ..STRING }) },
        field(text!("default"), &DEFAULT),
        field(text!("example"), &Schema { examples: ONE, nullable: true, ..STRING }),
    ],
    false,
);
const ANYTHING: Schema = object(&[], true);
const CREDENTIALS: Schema = object(
    &[
        required(text!("type"), &Schema { examples: ONE, ..STRING }),
        required(text!("pair"), &PAIR),
        required(text!("a*b"), &STRING),
        Property { immutable: true, ..field(text!("login"), &LOGIN) },
    ],
    false,
);
const VALUES: Schema = object(&[required(text!("gigabytes"), &STRING)], false);

const fn parameters(schema: &'static Schema) -> ParametersInfo {
    // Without constant JSON, as foreign types have none.
    ParametersInfo { schema, json: b"", decode: |_, _| Ok(Box::new(())), check_stored: |_| Ok(()) }
}

/// Plans and families have the same defaults.
const fn plan(id: &'static str, name: &'static str, description: &'static str) -> PlanInfo {
    let spec = PlanSpec { id, name, description, asynchronous: Asynchronous::ADAPTIVE, ..KV.plans[0].spec };
    PlanInfo { spec, create: None, credentials: None, updateable: false, ..KV.plans[0] }
}

const PLANS: &[PlanInfo] = &[
    PlanInfo {
        spec: PlanSpec {
            display_name: Some("*A* `b`"),
            costs: &["9 EUR", "1 _USD_"],
            ..plan("open&id", "open|*", "Rooms|of `one`=1,\tor _two_ <b>.").spec
        },
        create: Some(parameters(&CREATE)),
        requires: Requires { syslog_drain: true, volume_mount: true, ..Requires::NONE },
        credentials: Some(&CREDENTIALS),
        ..plan("", "", "")
    },
    PlanInfo {
        spec: PlanSpec { free: false, ..plan("route-id", "route", "Rooms on the way.").spec },
        create: Some(parameters(&WITH_DEFAULT)),
        update: Some(parameters(&WITH_EXAMPLE)),
        bind: Some(parameters(&ANYTHING)),
        requires: Requires { route_forwarding: true, ..Requires::NONE },
        credentials: Some(&ANYTHING),
        ..plan("", "", "")
    },
    PlanInfo {
        spec: PlanSpec { retired: true, rotatable: true, ..plan("old-id", "old", "Rooms of old.").spec },
        ..plan("", "", "")
    },
    PlanInfo {
        spec: PlanSpec { bindable: false, ..plan("large-id", "large", "Rooms of a deployment.").spec },
        create: Some(parameters(&EITHER)),
        member: Some(Member { family: "listed-id", values: &() }),
        ..plan("", "", "")
    },
];
const FAMILIES: &[PlanInfo] = &[
    PlanInfo {
        family: Some(parameters(&VALUES)),
        create: Some(parameters(&VALUES)),
        credentials: Some(&CREDENTIALS),
        requires: Requires { syslog_drain: true, ..Requires::NONE },
        ..plan("sized-id", "sized", "Rooms of a size.")
    },
    PlanInfo {
        family: Some(parameters(&VALUES)),
        create: Some(parameters(&VALUES)),
        ..plan("tall-id", "tall", "Rooms of a height.")
    },
    PlanInfo { family: Some(parameters(&VALUES)), ..plan("listed-id", "listed", "Rooms that are listed.") },
    PlanInfo {
        spec: PlanSpec { retired: true, ..plan("gone-id", "gone", "Rooms that are gone.").spec },
        family: Some(parameters(&VALUES)),
        ..plan("", "", "")
    },
];

const fn change(from: &'static str, to: &'static str) -> PlanChange {
    PlanChange { from, to }
}

const ROOMS: Offering = Offering {
    name: "rooms",
    description: "Rooms:\n#1 & more.",
    display_name: Some("Rooms_ [1](x) & Ünder_score"),
    documentation_url: Some("https://a.example/<|`\\>?a=1&b=_2_"),
    support_url: Some("http://é"),
    image_url: Some("data:image/svg+xml;base64,aA0+/="),
    tags: &["a", "b_"],
    instances_retrievable: false,
    bindings_retrievable: false,
    plans: PLANS,
    families: FAMILIES,
    changes: &[
        change("open&id", "old-id"),
        change("old-id", "route-id"),
        change("sized-id", "open&id"),
        change("open&id", "large-id"),
    ],
    ..KV
};
/// One of its plans is retired.
const OTHERS: Offering = Offering {
    name: "others",
    plans: &[PlanInfo { create: None, credentials: None, ..KV.plans[0] }, KV.plans[2]],
    ..KV
};

fn assert_says(document: &str, expected: &[&str]) {
    let missing: Vec<_> = expected.iter().filter(|text| !document.contains(**text)).collect();
    assert!(missing.is_empty(), "the document does not say {missing:#?}");
}

fn openapi(offerings: &[&Offering]) -> Value {
    serde_json::from_str(&openapi_of(offerings)).expect("it is JSON")
}

/// Returns the names of the members of an object, in their order.
fn names(value: &Value) -> Vec<&str> {
    value.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect()
}

const INSTANCE: &str = "/v2/service_instances/{instance_id}";
const BINDING: &str = "/v2/service_instances/{instance_id}/service_bindings/{binding_id}";

#[test]
fn rare_features_are_documented() {
    let all = markdown_of(&[&ROOMS, &OTHERS]);
    super::tests::assert_page("rare.md", include_str!("golden/rare.md"), &all);
    assert!(!all.contains("hunter2"), "an example with a secret is not shown");
}

#[test]
fn the_page_describes_rare_features() {
    let html = html_of(&[&ROOMS]);
    assert_says(
        &html,
        &[
            "<title>Rooms_ [1](x) &amp; Ünder_score</title>",
            "<img class=\"picture\" src=\"data:image/svg+xml;base64,aA0+/=\" alt=\"\">",
            "<li data-for=\"plan.rooms.open~7c~2a\"><a href=\"#plan.rooms.open~7c~2a\">Plan open|*</a></li>",
            "aria-label=\"Parameters if login.kind is theirs\"",
            "aria-labelledby=\"plan.rooms.open~7c~2a.heading\"",
            "data-column=\"Value\"",
            "data-command=\"cf create-service rooms route my-rooms\"",
            "aria-label=\"Fields of the credentials if login.kind is theirs\"",
            "<em>(empty)</em>, <em>(blank)</em>",
            "rel=\"noopener noreferrer\">http://é</a>",
            "aria-label=\"Copy: Schema of pairs[]\"",
            "<code data-language=\"json\">{\n  &quot;additionalItems&quot;",
            "schema#&quot;,&quot;anyOf&quot;:[{&quot;exclusiveMinimum&quot;:true",
            "<details><summary><h3 id=\"plan.rooms.route.curl.heading\">Requests with curl",
            "<h3 id=\"plan.rooms.route.cf.heading\">Cloud Foundry commands",
        ],
    );
    assert_says(&html_of(&[&ROOMS, &OTHERS]), &["aria-label=\"Link to: rooms: plan route\""]);
    for kind in ["png", "svg+xml", "jpeg", "gif", "webp", "svg", "bmp"] {
        for data in ["aA0+/=", "aA0;", "aA0,"] {
            let url = Box::leak(format!("data:image/{kind};base64,{data}").into_boxed_str());
            let is_shown = html_of(&[&Offering { image_url: Some(url), ..BARE }]).contains("<img ");
            assert_eq!(is_shown, data.ends_with('=') && !["svg", "bmp"].contains(&kind), "{url}");
        }
    }
}

#[test]
fn users_of_a_running_broker_see_no_families() {
    assert_says(&html_of(&[&ROOMS]), &["Family sized"]);
    assert!(!page(&[&ROOMS]).html.contains("Family"));
}

#[test]
fn openapi_describes_families_and_targets_of_changes() {
    let document = openapi(&[&ROOMS]);
    let body = |path: &str, method: &str, kind: &str| {
        let schema = &document["paths"][path][method]["requestBody"]["content"]["application/json"]["schema"];
        schema[kind].as_array().unwrap_or_else(|| panic!("{kind} in {schema}")).clone()
    };
    let titles = |all: Vec<Value>| all.iter().map(|one| one["title"].clone()).collect::<Vec<_>>();
    let create = body(INSTANCE, "put", "anyOf");
    assert_eq!(
        create[3]["properties"]["plan_id"]["description"],
        "The id of a plan of the family `sized`, which a deployment lists."
    );
    assert_eq!(create[0]["properties"]["plan_id"], json!({ "const": "open&id" }));
    let all =
        ["rooms, plan open|*", "rooms, plan route", "rooms, plan large", "rooms, family sized", "rooms, family tall"];
    assert_eq!(titles(create), all, "without retired ones");
    assert_eq!(titles(body(INSTANCE, "patch", "anyOf")), all[..3]);
    assert_eq!(
        titles(body(BINDING, "put", "anyOf")),
        [all[0], all[1], all[3], all[4]],
        "bindable ones, and no rotation"
    );
    let query = &document["paths"][INSTANCE]["delete"]["parameters"];
    let of = |name: &str| {
        query.as_array().expect("a list").iter().find(|one| one["name"] == name).expect("there")["schema"].clone()
    };
    assert_eq!(of("plan_id"), json!({ "type": "string" }), "a deployment lists more");
    assert_eq!(of("service_id")["enum"], json!([KV.id]));
}

#[test]
fn openapi_describes_bindings_and_fetches_of_what_is_offered() {
    let (rooms, both) = (openapi(&[&ROOMS]), openapi(&[&ROOMS, &OTHERS]));
    let bound = |document: &Value| {
        document["paths"][BINDING]["put"]["responses"]["201"]["content"]["application/json"]["schema"]["properties"]
            .clone()
    };
    let own = |document: &Value| {
        let bound = bound(document);
        let common = ["metadata", "credentials", "endpoints", "parameters"];
        names(&bound).into_iter().filter(|name| !common.contains(name)).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(own(&rooms), ["route_service_url", "syslog_drain_url", "volume_mounts"], "of all plans");
    assert_eq!(own(&openapi(&[&OTHERS])), [""; 0]);
    let credentials = &bound(&rooms)["credentials"]["anyOf"];
    assert_eq!(credentials[0]["properties"]["pair"]["prefixItems"], json!([{ "type": "boolean" }]));
    assert_eq!(credentials[2]["title"], "rooms, family sized");
    assert_eq!(names(&rooms["paths"][INSTANCE]), ["delete", "patch", "put"], "no fetch");
    assert_eq!(names(&rooms["paths"][BINDING]), ["delete", "put"], "no fetch");
    for path in [INSTANCE, BINDING] {
        assert!(both["paths"][path].get("get").is_some(), "one of two services");
    }
    let retrievable = Offering { instances_retrievable: false, bindings_retrievable: true, ..ROOMS };
    let fetched = openapi(&[&retrievable]);
    assert_eq!(
        [INSTANCE, BINDING].map(|path| fetched["paths"][path].get("get").is_some()),
        [false, true],
        "bindings only"
    );
    assert!(openapi(&[&BARE])["paths"].get(BINDING).is_none(), "no plan is bindable");
    let rotations = openapi(&[&KV]).to_string().matches("Rotation of a binding").count();
    assert_eq!(rotations, 1);
    // Each kind of update alone is enough.
    for change in [
        |plan: &mut PlanInfo| plan.update = Some(parameters(&VALUES)),
        |plan: &mut PlanInfo| plan.updateable = true,
        |plan: &mut PlanInfo| plan.spec.maintenance = KV.plans[1].spec.maintenance,
    ] {
        let mut only = plan("only-id", "only", "Alone.");
        let has_update = |plan| {
            let offering = Offering { plans: vec![plan].leak(), families: &[], ..ROOMS };
            openapi(&[&offering])["paths"][INSTANCE].get("patch").is_some()
        };
        assert!(!has_update(only));
        change(&mut only);
        assert!(has_update(only));
    }
}
