//! A catalog for the tests, with parameters of every kind.

use osb_catalog::schema::{
    Array, Choice, Decimal, Format, Integer, Kind, Literal, Map, Number, Object, Pattern, Property, Schema,
    StringRules, Tagged, Text, Variant,
};
use osb_catalog::{
    Asynchronous, Maintenance, Mode, Offering, ParametersInfo, PlanChange, PlanInfo, PlanSpec, Requires, StateTypes,
};

const fn text(raw: &'static str) -> Text {
    Text::new(raw, "")
}

const fn field(name: &'static str, about: &'static str, kind: Kind) -> Property {
    let schema = Schema { description: Some(text(about)), ..Schema::new(kind) };
    Property { name: text(name), aliases: &[], schema, required: false, immutable: false, update_only: false }
}

const fn required(property: &Property) -> Property {
    Property { required: true, ..*property }
}

const TEXT: StringRules = StringRules { min_length: None, max_length: None, pattern: None, format: None };
const STRING: Kind = Kind::String(TEXT);

/// A whole number within bounds, which belong to it.
const fn within(minimum: i128, maximum: i128) -> Integer {
    Integer {
        minimum: Some(minimum),
        maximum: Some(maximum),
        exclusive_minimum: false,
        exclusive_maximum: false,
        multiple_of: None,
        one_of: None,
    }
}

pub(super) fn prefix(text: &str) -> bool {
    text.starts_with(['a', 'b']) && text.bytes().all(|byte| byte.is_ascii_lowercase())
}

const BACKUP: Object = Object {
    properties: &[
        required(&field(
            "window",
            "When to start.",
            Kind::String(StringRules { format: Some(Format::DateTime), ..TEXT }),
        )),
        field(
            "keep",
            "How many to keep.",
            Kind::Integer(Integer { exclusive_minimum: true, multiple_of: Some(5), ..within(0, 50) }),
        ),
        field("copies", "Where to keep them.", Kind::Integer(Integer { one_of: Some(&[1, 3, 5]), ..within(0, 4) })),
    ],
    open: false,
};

const TARGETS: &[Variant] = &[
    Variant {
        name: text("s3"),
        description: Some(text("An object store.")),
        object: Object { properties: &[required(&field("bucket", "Where to.", STRING))], open: false },
    },
    Variant { name: text("disk"), description: None, object: Object { properties: &[], open: false } },
];

const PORT: Schema = Schema::new(Kind::Integer(within(1, 65_535)));
const WORD: Schema = Schema::new(STRING);

const CREATE: Schema = Schema::new(Kind::Object(Object {
    properties: &[
        Property {
            schema: Schema {
                default: Some(Literal::Integer(3_600)),
                ..field("ttl", "Seconds after which a key expires.", Kind::Integer(within(1, 86_400))).schema
            },
            ..field("ttl", "", Kind::Any)
        },
        Property {
            immutable: true,
            aliases: &[],
            required: true,
            ..field(
                "prefix",
                "Prefix of the keys | not <b>bold</b>.",
                Kind::String(StringRules {
                    min_length: Some(3),
                    max_length: Some(32),
                    pattern: Some(Pattern { source: text("^(a|b)[a-z]*$"), matches: prefix }),
                    ..TEXT
                }),
            )
        },
        field(
            "eviction",
            "What to drop when the store is full.",
            Kind::Choice(&[
                Choice { value: text("lru"), description: Some(text("The key that was not used for longest.")) },
                Choice { value: text("none"), description: Some(text("Nothing: writing fails.")) },
            ]),
        ),
        field(
            "ratio",
            "How full is full.",
            Kind::Number(Number {
                minimum: Some(Decimal { value: 0.0, text: "0.0" }),
                maximum: Some(Decimal { value: 1.0, text: "1.0" }),
                exclusive_minimum: true,
                exclusive_maximum: false,
                multiple_of: None,
            }),
        ),
        field(
            "ports",
            "Where it listens.",
            Kind::Array(Array { items: &PORT, min_items: None, max_items: Some(5), unique: true }),
        ),
        field(
            "labels",
            "Labels for its metrics.",
            Kind::Map(Map { values: &WORD, min_properties: None, max_properties: Some(10) }),
        ),
        field("backup", "When to back it up; never if absent.", Kind::Object(BACKUP)),
        field("target", "Where backups go.", Kind::Tagged(Tagged { tag: text("kind"), variants: TARGETS })),
        Property {
            schema: Schema {
                secret: true,
                examples: &[Literal::String(text("hunter2"))],
                ..field("password", "The first password.", STRING).schema
            },
            ..field("password", "", Kind::Any)
        },
    ],
    open: false,
}));

const UPDATE: Schema = Schema::new(Kind::Object(Object {
    properties: &[Property {
        schema: Schema {
            nullable: true,
            ..field("ttl", "Seconds after which a key expires.", Kind::Integer(within(1, 86_400))).schema
        },
        ..field("ttl", "", Kind::Any)
    }],
    open: false,
}));

const CREDENTIALS: Schema = Schema::new(Kind::Object(Object {
    properties: &[
        required(&field("uri", "Where the store is.", STRING)),
        Property {
            required: true,
            schema: Schema { secret: true, ..field("token", "", STRING).schema },
            ..field("token", "", Kind::Any)
        },
    ],
    open: true,
}));

const fn parameters(schema: &'static Schema) -> ParametersInfo {
    ParametersInfo { schema, json: br#"{"type":"object"}"#, decode: |_, _| Ok(Box::new(())), check_stored: |_| Ok(()) }
}

const SPEC: PlanSpec = PlanSpec {
    id: "8a4a2b58-0000-4000-8000-000000000001",
    name: "free",
    description: "10 MB, for trying things out.",
    ..PlanSpec::INVALID
};

const FREE: PlanInfo = PlanInfo {
    spec: SPEC,
    create: Some(parameters(&CREATE)),
    update: None,
    bind: None,
    updateable: true,
    requires: Requires::NONE,
    credentials: Some(&CREDENTIALS),
    states: StateTypes::ANY,
    family: None,
    member: None,
};

const PRO: PlanInfo = PlanInfo {
    spec: PlanSpec {
        id: "8a4a2b58-0000-4000-8000-000000000002",
        name: "pro",
        description: "1 GB, billed monthly.",
        display_name: Some("Professional"),
        bullets: &["1 GB", "Backups"],
        costs: &["9.90 USD monthly"],
        free: false,
        rotatable: true,
        requires_app: true,
        asynchronous: Asynchronous { instances: Mode::Always, ..Asynchronous::ADAPTIVE },
        maximum_polling_duration: Some(5_400),
        maintenance: Some(Maintenance { version: "1.2.0", description: Some("Restarts the store.") }),
        ..SPEC
    },
    update: Some(parameters(&UPDATE)),
    updateable: false,
    requires: Requires { syslog_drain: true, ..Requires::NONE },
    ..FREE
};

const OLD: PlanInfo = PlanInfo {
    spec: PlanSpec { id: "8a4a2b58-0000-4000-8000-000000000003", name: "old", retired: true, ..SPEC },
    ..FREE
};

pub(crate) const KV: Offering = Offering {
    id: "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name: "kv",
    description: "A key-value store, reached over HTTP with a token of its own for each binding.",
    display_name: Some("Key-value store"),
    long_description: Some("Stores keys.\n\nAnd *values*, <script>alert(1)</script>."),
    documentation_url: Some("https://kv.example/docs?a=1&b=2"),
    support_url: Some("javascript:alert(1)"),
    image_url: Some("https://kv.example/logo.png"),
    tags: &["kv", "cache"],
    instances_retrievable: true,
    bindings_retrievable: true,
    plans: &[FREE, PRO, OLD],
    changes: &[PlanChange { from: "8a4a2b58-0000-4000-8000-000000000001", to: "8a4a2b58-0000-4000-8000-000000000002" }],
    ..Offering::INVALID
};

const NOTHING: PlanInfo = PlanInfo {
    spec: PlanSpec { id: "p", name: "only plan's", bindable: false, ..SPEC },
    create: None,
    credentials: None,
    updateable: false,
    ..FREE
};

/// A service with hardly any metadata.
pub(crate) const BARE: Offering = Offering {
    id: "b",
    name: "bare",
    description: "Nothing much.",
    image_url: Some("data:image/png;base64,iVBORw0KGgo="),
    instances_retrievable: true,
    bindings_retrievable: true,
    plans: &[NOTHING],
    ..Offering::INVALID
};
