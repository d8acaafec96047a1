//! The schema document, the validation and the partial type that `#[parameters]` generates.

use std::collections::BTreeMap;

use osb_runtime::{
    json::Json,
    prelude::*,
    schema::{self, Violation},
};
use serde_json::{Value, json};

const MOST: u32 = 86_400;

/// The parameters of a new store.
///
/// A second paragraph.
#[parameters(partial = StoreChanges)]
#[derive(Debug, Clone, PartialEq)]
struct NewStore {
    /// Seconds after which a key expires.
    #[param(range(min = 1, max = MOST), default = 3_600)]
    ttl: u32,
    /// Prefix of the store's keys; fixed once chosen.
    #[param(pattern = "^[a-z][a-z0-9-]{0,31}$", immutable)]
    prefix: Option<String>,
    #[param(range(exclusive_min = 0, max = 1.5), multiple_of = 0.25)]
    ratio: f64,
    #[param(length(min = 1, max = 3), unique, items(length(max = 5)), default = ["a"], rename = "the-tags")]
    tags: Vec<String>,
    limits: Limits,
    #[param(default = "fast")]
    speed: Speed,
    labels: BTreeMap<String, u8>,
    #[param(secret, length(min = 8))]
    password: Option<String>,
    backup: Option<Backup>,
    r#type: Port,
}

/// Bounds.
#[parameters(partial = LimitChanges, rename_all = "camelCase")]
#[derive(Debug, Clone, PartialEq)]
struct Limits {
    #[param(default = -1, example = 7)]
    max_keys: i64,
    ip: Option<std::net::Ipv4Addr>,
}

#[parameters(rename_all = "kebab-case")]
#[derive(Debug, Clone, Copy, PartialEq)]
enum Speed {
    /// Slow.
    Slow,
    Fast,
    VeryFast,
}

#[parameters(tag = "kind", rename_all = "snake_case")]
#[derive(Debug, Clone, PartialEq)]
enum Backup {
    None,
    /// To a bucket.
    Bucket {
        #[param(format = "uri")]
        url: String,
        #[param(default = 7)]
        days: u8,
        #[param(secret)]
        key: Option<String>,
    },
}

#[parameters(partial = RenamedChanges, open)]
#[derive(Debug, Clone, PartialEq)]
struct Renamed {
    #[param(alias = "oldSize")]
    size: u8,
}

#[parameters]
struct Rules {
    #[param(unique, default = [])]
    rules: Vec<Rule>,
    #[param(secret)]
    vault: Option<Vault>,
}

#[parameters]
#[derive(Debug)]
struct Rule {
    #[param(alias = "from")]
    source: String,
}

#[parameters]
#[derive(Debug)]
struct Vault {
    user: String,
    #[param(alias = "pass", secret = false)]
    password: Option<String>,
}

#[parameters]
#[derive(Debug)]
struct Safe {
    #[param(secret)]
    backup: Backup,
}

/// A port.
#[parameters]
#[derive(Debug, Clone, Copy, PartialEq)]
struct Port(#[param(range(min = 1024))] u16);

#[credentials]
struct Access {
    #[param(public)]
    uri: String,
    #[param(secret)]
    token: String,
    port: Option<u16>,
    #[param(public)]
    admin: Admin,
}

#[parameters]
#[derive(Debug)]
struct Admin {
    name: String,
    #[param(secret)]
    password: String,
}

#[parameters]
struct Token(#[param(secret)] String);

#[parameters]
struct Secrets {
    tokens: Vec<Token>,
    keys: BTreeMap<String, Token>,
    admins: Vec<Admin>,
    users: BTreeMap<String, Admin>,
    backups: Vec<Backup>,
}

fn document<T: Parameters>() -> Value {
    serde_json::from_slice(T::JSON).unwrap()
}

/// Returns the part of the document at a JSON pointer.
fn part<T: Parameters>(pointer: &str) -> Value {
    document::<T>().pointer(pointer).cloned().unwrap_or_default()
}

fn complaints<T: Parameters>(value: &Value) -> Vec<String> {
    schema::check(&T::SCHEMA, value).iter().map(ToString::to_string).collect()
}

fn least() -> Value {
    json!({ "ratio": 0.5, "limits": {}, "labels": {}, "type": 1024 })
}

/// `schema_of_all_arguments` in `tests/ui/pass` compares a whole document.
#[test]
fn a_document_describes_nested_types_and_has_the_order_of_the_fields() {
    let ordered = Json::read(NewStore::JSON).unwrap();
    let names: Vec<_> = ordered["properties"].as_object().unwrap().iter().map(|(name, _)| name).collect();
    let fields = ["ttl", "prefix", "ratio", "the-tags", "limits", "speed", "labels", "password", "backup", "type"];
    assert_eq!(names, fields, "in the order of the fields");
    assert_eq!(part::<NewStore>("/properties/limits/properties/maxKeys/default"), json!(-1));
    assert_eq!(part::<NewStore>("/properties/limits/required"), Value::Null, "draft-04 forbids an empty list here");
    assert_eq!(part::<StoreChanges>("/properties/limits/properties/maxKeys/type"), json!(["integer", "null"]));
    assert_eq!(part::<StoreChanges>("/properties/labels/additionalProperties/type"), json!(["integer", "null"]));
    assert_eq!(part::<StoreChanges>("/properties/speed/enum"), json!(["slow", "fast", "very-fast", null]));
    schema::check_document(&ordered).unwrap();
    schema::check_document(&Json::read(StoreChanges::JSON).unwrap()).unwrap();
}

#[test]
fn a_whole_number_may_have_a_decimal_point() {
    let with = |text: &str| {
        let mut value = least();
        value["ttl"] = serde_json::from_str(text).unwrap();
        value["labels"] = json!({ "a": serde_json::from_str::<Value>(text).unwrap() });
        value["type"] = json!(1024.0);
        value
    };
    for text in ["60", "60.0", "6e1", "600e-1"] {
        let store: NewStore = schema::decode(&with(text)).unwrap();
        assert_eq!((store.ttl, store.r#type), (60, Port(1024)), "{text}");
        assert_eq!(schema::decode_stored::<NewStore>(&with(text)).parameters.unwrap(), store, "{text}");
        assert_eq!(schema::renamed(&NewStore::SCHEMA, &with(text))["labels"].to_string(), r#"{"a":60}"#, "{text}");
    }
    let complaint = |text: &str| complaints::<NewStore>(&with(text))[0].clone();
    assert_eq!(complaint("60.5"), "/ttl: 60.5 is not a whole number");
    assert_eq!(complaint("0.0"), "/ttl: 0.0 is less than the minimum 1");
    // Doubles round it to an even number.
    let too_large = "/ttl: 9007199254740992.0 must be written without a decimal point or exponent";
    assert_eq!(complaint("9007199254740993.0"), too_large);
    assert_eq!(complaint("18446744073709551616"), "/ttl: the number is too large");
    assert_eq!(complaint("-9223372036854775809"), "/ttl: the number is too small");
}

#[test]
fn stored_parameters_report_only_the_places_that_prevent_decoding() {
    let places = |changes: Value| {
        let mut value = least();
        value.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        let violations = schema::decode_stored::<NewStore>(&value).parameters.err().unwrap_or_default();
        violations.iter().map(Violation::without_value).collect::<Vec<_>>()
    };
    let narrowed = json!({
        "ttl": 0, "prefix": "A", "ratio": 0.3, "the-tags": ["aaaaaa", "aaaaaa", "", ""], "password": "short",
        "backup": { "kind": "bucket", "url": "no URI" },
    });
    assert_eq!(places(narrowed.clone()), [""; 0]);
    let with = |name: &str, value: Value| {
        let mut changes = narrowed.clone();
        changes[name] = value;
        places(changes)
    };
    assert_eq!(with("speed", json!("idle")), ["/speed can't be decoded"]);
    assert_eq!(with("limits", json!({ "maxKeys": "many" })), ["/limits/maxKeys can't be decoded"]);
    assert_eq!(with("backup", json!({})), ["/backup/kind is missing"]);
    assert!(with("labels", json!({ "a": 256 })).contains(&"/labels/a can't be decoded".to_owned()), "beyond `u8`");
}

#[test]
fn defaults_are_filled_in() {
    let store: NewStore = schema::decode(&least()).unwrap();
    assert_eq!((store.ttl, store.speed, store.r#type), (3600, Speed::Fast, Port(1024)));
    assert_eq!(store.tags, ["a"]);
    assert_eq!(store.limits, Limits { max_keys: -1, ip: None });
    assert_eq!(serde_json::from_value::<NewStore>(least()).unwrap(), store, "also by serde alone");
    assert_eq!(schema::decode_stored::<NewStore>(&least()).parameters.unwrap(), store, "later than the stored ones");
    let full = schema::with_defaults(&NewStore::SCHEMA, &least());
    assert_eq!(full["limits"], json!({ "maxKeys": -1 }));
    assert_eq!(schema::decode::<NewStore>(&full).unwrap(), store);
}

#[test]
fn absent_parameters_are_an_empty_object() {
    assert!(schema::decode::<Limits>(&Value::Null).is_ok());
    assert!(schema::decode::<NoParameters>(&Value::Null).is_ok());
    assert!(schema::decode::<NewStore>(&Value::Null).is_err());
}

#[test]
fn all_violations_are_listed() {
    let mut value = least();
    value["ttl"] = json!(0);
    value["ttk"] = json!(1);
    value["prefix"] = Value::Null;
    value["ratio"] = json!(1.6);
    value["the-tags"] = json!(["a", "a", "bbbbbbbb", 3]);
    value["limits"] = json!({ "maxKeys": 1.5 });
    value["speed"] = json!("slwo");
    value["labels"] = json!({ "a/b~c": 256 });
    value["type"] = json!(-1);
    value["backup"] = json!({ "kind": "bucket", "ur": 1 });
    assert_eq!(
        complaints::<NewStore>(&value),
        [
            "/ttl: 0 is less than the minimum 1",
            "/prefix: null is not a string",
            "/ratio: 1.6 is greater than the maximum 1.5",
            "/ratio: 1.6 is not a multiple of 0.25",
            "/the-tags: the list has more than 3 items",
            "/the-tags/2: \"bbbbbbbb\" has more than 5 characters",
            "/the-tags/3: 3 is not a string",
            "/the-tags/1: \"a\" is already in the list",
            "/limits/maxKeys: 1.5 is not a whole number",
            "/speed: \"slwo\" is not one of \"slow\", \"fast\", \"very-fast\"",
            "/labels/a~1b~0c: 256 is greater than the maximum 255",
            "/backup/url: is missing",
            "/backup/ur: is not a known property; did you mean `url`?",
            "/type: -1 is less than the minimum 1024",
            "/ttk: is not a known property; did you mean `ttl`?",
        ]
    );
    assert_eq!(complaints::<NewStore>(&json!([])), ["parameters: a list is not an object"]);
    assert_eq!(
        complaints::<NewStore>(&json!({ "ratio": 1, "limits": {}, "labels": {}, "type": 2000, "backup": {} })),
        ["/backup/kind: is missing; it has to be one of \"none\", \"bucket\""]
    );
    let many: serde_json::Map<_, _> = (0..10_000).map(|number| (number.to_string(), json!(1))).collect();
    assert_eq!(complaints::<NewStore>(&Value::Object(many)).len(), 100, "the number of violations is limited");
}

#[test]
fn secrets_are_not_shown() {
    let mut value = least();
    value["password"] = json!("hunter2");
    value["backup"] = json!({ "kind": "bucket", "url": "https://example.com", "key": { "hunter2": 1 } });
    let said = complaints::<NewStore>(&value);
    assert_eq!(said, ["/password: the value has fewer than 8 characters", "/backup/key: the value is not a string"]);
    value["password"] = json!("hunter2hunter2");
    value["backup"]["key"] = json!("hunter2");
    let store: NewStore = schema::decode(&value).unwrap();
    assert!(!format!("{store:?}").contains("hunter2"), "{store:?}");
    assert!(format!("{store:?}").contains("password: [secret]"), "{store:?}");
    let shown = schema::without_secrets(&NewStore::SCHEMA, &value).into_owned();
    assert!(!shown.to_string().contains("hunter2"), "{shown}");
    assert_eq!(shown["backup"], json!({ "kind": "bucket", "url": "https://example.com" }));
}

/// Stored values may be of an earlier release, which knew other properties and variants.
#[test]
fn secrets_in_lists_maps_and_variants_are_not_shown() {
    let value = json!({
        "tokens": ["hunter2"],
        "keys": { "a": "hunter2" },
        "admins": [{ "name": "root", "password": "hunter2" }, { "name": "guest", "pin": "hunter2" }],
        "users": { "b": { "name": "root", "password": "hunter2" } },
        "backups": [
            { "kind": "none" },
            { "kind": "bucket", "url": "https://example.com", "key": "hunter2" },
            { "kind": "tape", "safe": "hunter2" },
        ],
        "token": "hunter2",
    });
    let shown = schema::without_secrets(&Secrets::SCHEMA, &value);
    let expected = json!({
        "tokens": [],
        "keys": {},
        "admins": [{ "name": "root" }, { "name": "guest" }],
        "users": { "b": { "name": "root" } },
        "backups": [{ "kind": "none" }, { "kind": "bucket", "url": "https://example.com" }, {}],
    });
    assert_eq!(*shown, expected);
    assert_eq!(*schema::without_secrets(&Token::SCHEMA, &json!("hunter2")), Value::Null);
}

/// Names that a user sends inside a secret may be a part of it.
#[test]
fn names_inside_a_secret_are_not_shown() {
    for (vault, message) in [
        (json!({ "user": "u", "hunter2": 1 }), "a property is not known"),
        (json!({ "user": "u", "passwort": 1 }), "a property is not known"),
        (json!({ "user": 1 }), "the value is not a string"),
        (json!({}), "a property is missing"),
        (json!({ "user": "u", "password": "a", "pass": "b" }), "a property is set under two names"),
    ] {
        assert_eq!(complaints::<Rules>(&json!({ "vault": vault })), [format!("/vault: {message}")]);
    }
    let stored = schema::decode_stored::<Rules>(&json!({ "vault": { "user": "u", "hunter2": 1 }, "spare": 1 }));
    assert_eq!(stored.unknown, ["spare"], "the log has their names");
    let without_tag = json!({ "backup": {} });
    let message = "/backup: a property is missing; it has to be one of \"none\", \"bucket\"";
    assert_eq!(complaints::<Safe>(&without_tag), [message]);
    let stored = schema::decode_stored::<Safe>(&without_tag).parameters.expect_err("it can't be decoded");
    assert_eq!(stored[0].without_value(), "/backup can't be decoded");
}

#[test]
fn items_are_compared_under_their_current_names() {
    assert_eq!(complaints::<Rules>(&json!({ "rules": [{ "source": "a" }, { "from": "b" }] })), [""; 0]);
    let same = json!({ "rules": [{ "source": "a" }, { "from": "a" }] });
    assert_eq!(complaints::<Rules>(&same), ["/rules/1: an object is already in the list"]);
}

#[test]
fn credentials_are_secret_unless_they_are_public() {
    let access = Access {
        uri: "https://example.com".to_owned(),
        token: "hunter2".to_owned(),
        port: Some(4711),
        admin: Admin { name: "root".to_owned(), password: "hunter2".to_owned() },
    };
    let printed = r#"Access { uri: "https://example.com", token: [secret], port: [secret], admin: Admin { name: "root", password: [secret] } }"#;
    assert_eq!(format!("{access:?}"), printed, "T68");
    let sent = json!({
        "uri": "https://example.com", "token": "hunter2", "port": 4711, "admin": { "name": "root", "password": "hunter2" }
    });
    assert_eq!(serde_json::to_value(&access).unwrap(), sent, "the platform gets all of them");
    let schema::Kind::Object(object) = <Access as schema::CredentialsSchema>::SCHEMA.kind else { panic!("no object") };
    let secret: Vec<_> = object.properties.iter().map(|property| property.schema.secret).collect();
    assert_eq!(secret, [false, true, true, false]);
    assert!(!object.properties[2].required);
}

#[test]
fn a_struct_is_read_as_serde_reads_structs() {
    let read = |text: &str| serde_json::from_str::<Limits>(text).map_err(|error| error.to_string());
    let all = Limits { max_keys: 3, ip: Some(std::net::Ipv4Addr::LOCALHOST) };
    assert_eq!(read(r#"{ "ip": "127.0.0.1", "maxKeys": 3 }"#).unwrap(), all);
    assert_eq!(read(r#"{ "ip": null }"#).unwrap(), Limits { max_keys: -1, ip: None });
    for (text, expected) in [
        (r#"{ "maxKeys": 1, "maxKeys": 2 }"#, "duplicate field `maxKeys`"),
        (r#"{ "max_keys": 1 }"#, "unknown field `max_keys`, expected `maxKeys` or `ip`"),
        (r#"{ "maxKeys": null }"#, "invalid type: null, expected i64"),
        ("3", "invalid type: integer `3`, expected an object"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    }
    let error = serde_json::from_str::<Renamed>("{}").unwrap_err().to_string();
    assert!(error.starts_with("missing field `size`"), "{error}");
    let renamed: Renamed = serde_json::from_str(r#"{ "oldSize": 3, "other": 1 }"#).unwrap();
    assert_eq!(renamed, Renamed { size: 3 });
}

#[test]
fn a_partial_type_is_read_as_serde_reads_structs() {
    let read = |text: &str| serde_json::from_str::<StoreChanges>(text).map_err(|error| error.to_string());
    assert_eq!(read("{}").unwrap(), StoreChanges::default());
    assert_eq!(read(r#"{ "the-tags": null, "ratio": 0.5 }"#).unwrap().tags, Change::Reset);
    for (text, expected) in [
        (r#"{ "ttl": 1, "ttl": 2 }"#, "duplicate field `ttl`"),
        (r#"{ "tags": [] }"#, "unknown field `tags`, expected one of `ttl`, `ratio`, `the-tags`"),
        (r#"{ "prefix": "a" }"#, "unknown field `prefix`"),
        (r#"{ "ttl": "1" }"#, "invalid type: string \"1\", expected u32"),
        ("[]", "invalid type: sequence, expected an object"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    }
    let renamed: RenamedChanges = serde_json::from_str(r#"{ "oldSize": 3, "other": 1 }"#).unwrap();
    assert_eq!(renamed, RenamedChanges { size: Some(3) });
}

#[test]
fn an_update_distinguishes_absent_and_null() {
    let changes: StoreChanges = schema::decode(&json!({
        "ttl": null, "the-tags": ["b"], "limits": { "maxKeys": null }, "labels": { "a": null, "b": 1 }, "type": 2048
    }))
    .unwrap();
    assert_eq!(changes.ttl, Change::Reset);
    assert_eq!(changes.tags, Change::To(vec!["b".to_owned()]));
    assert_eq!(changes.speed, Change::Keep);
    assert_eq!(changes.ratio, None);
    assert_eq!(changes.limits, Some(LimitChanges { max_keys: Change::Reset, ip: Change::Keep }));
    assert_eq!(
        changes.labels.unwrap(),
        BTreeMap::from([("a".to_owned(), Change::Reset), ("b".to_owned(), Change::To(1))])
    );
    assert_eq!(changes.r#type, Some(Port(2048)));
    assert_eq!(
        complaints::<StoreChanges>(&json!({ "ratio": null, "prefix": "a", "ttl": 0 })),
        ["/ttl: 0 is less than the minimum 1", "/ratio: null is not a number", "/prefix: is not a known property"]
    );
    assert_eq!(serde_json::to_value(StoreChanges::default()).unwrap(), json!({}));
}

#[test]
fn a_merge_keeps_absent_properties_and_replaces_enums() {
    let mut before = least();
    before["ttl"] = json!(5);
    before["limits"] = json!({ "maxKeys": 1, "ip": "127.0.0.1" });
    before["backup"] = json!({ "kind": "bucket", "url": "https://example.com" });
    let change = json!({ "ttl": null, "limits": { "maxKeys": 2 }, "backup": { "kind": "none" } });
    let after = schema::merge(&NewStore::SCHEMA, &before, &change);
    assert_eq!(after["ttl"], Value::Null);
    assert_eq!(after["limits"], json!({ "maxKeys": 2, "ip": "127.0.0.1" }));
    assert_eq!(after["backup"], json!({ "kind": "none" }));
    assert_eq!(schema::decode::<NewStore>(&after).unwrap().ttl, 3600);
}

mod foreign {
    //! Types whose schema comes from `schemars`.

    use super::*;

    #[derive(schemars::JsonSchema, serde::Serialize, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Tree {
        #[schemars(range(min = 1), extend("exclusiveMaximum" = 9))]
        size: u8,
        #[serde(default)]
        children: Vec<Tree>,
        any: Option<Value>,
    }

    #[parameters(partial = PlantChanges)]
    struct Plant {
        /// The tree.
        tree: Foreign<Tree>,
        spare: Option<Foreign<Tree>>,
        #[param(secret)]
        hidden: Option<Foreign<Tree>>,
    }

    #[test]
    fn a_foreign_schema_is_inserted_at_run_time() {
        assert!(Plant::SCHEMA.has_foreign());
        assert_eq!(Plant::JSON, b"");
        for schema in [Plant::SCHEMA, PlantChanges::SCHEMA, <Foreign<Tree> as Parameter>::SCHEMA] {
            let document = Value::from(schema::fill_foreign(&schema));
            assert!(jsonschema::draft4::meta::is_valid(&document), "{document:#}");
            let validator = jsonschema::draft4::new(&document).unwrap();
            let tree = json!({ "size": 8, "children": [{ "size": 1 }] });
            let wrong = json!({ "size": 8, "children": [{ "size": 9 }] });
            let of = |tree: &Value| {
                if matches!(schema.kind, schema::Kind::Foreign(_)) { tree.clone() } else { json!({ "tree": tree }) }
            };
            assert!(validator.is_valid(&of(&tree)), "{document:#}");
            assert!(!validator.is_valid(&of(&wrong)), "{document:#}");
        }
        schema::check_document(&schema::fill_foreign(&Plant::SCHEMA)).unwrap();
        let plant: Plant = schema::decode(&json!({ "tree": { "size": 3 } })).unwrap();
        assert_eq!((plant.tree.0.size, plant.spare.is_none()), (3, true));
        assert_eq!(
            complaints::<Plant>(&json!({ "tree": { "size": "x" } })),
            ["/tree: invalid type: string \"x\", expected u8"]
        );
        // The message of the type shows the value.
        let secret = json!({ "tree": { "size": 3 }, "hidden": { "size": "x" } });
        assert_eq!(complaints::<Plant>(&secret), ["/hidden: the value is not accepted"]);
    }
}

#[test]
fn documents_that_platforms_reject_are_errors() {
    let wrong = osb_runtime::json::json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "string",
        "required": [],
        "properties": { "a": true, "b": { "exclusiveMinimum": 1, "$ref": "http://example.com" }, "c": { "const": 1 } },
    });
    assert_eq!(
        schema::check_document(&wrong).unwrap_err().iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "`$schema` is \"http://json-schema.org/draft-07/schema#\", but platforms accept only \"http://json-schema.org/draft-04/schema#\"",
            "`type` has to be \"object\": parameters have names",
            "#/required: draft-04 requires a list here that is not empty",
            "#/properties/a: true is not a schema in draft-04, which allows only objects",
            "#/properties/b/exclusiveMinimum: in draft-04 this is a boolean beside the bound",
            "#/properties/c/const: draft-04 does not define `const`, and validators ignore it",
            "#/properties/b/$ref: platforms reject references to other documents",
        ]
    );
}

#[test]
fn the_schema_for_schemars_has_current_keywords() {
    let theirs = schemars::schema_for!(NewStore).to_value();
    assert_eq!(theirs["properties"]["ratio"]["exclusiveMinimum"], 0);
    assert_eq!(theirs["properties"]["ratio"]["minimum"], Value::Null);
    assert!(jsonschema::draft202012::meta::is_valid(&theirs), "{theirs:#}");
}

/// A cluster.
#[parameters(partial = ClusterChanges)]
#[derive(Debug, PartialEq)]
struct NewCluster {
    #[param(one_of(1, 3, 5), default = 3)]
    replicas: u8,
    #[param(items(one_of(-1, 1)))]
    signs: Option<Vec<i8>>,
    quorum: Option<Quorum>,
}

/// A number of votes.
#[parameters]
#[derive(Debug, PartialEq)]
struct Quorum(#[param(one_of(3, 5))] u8);

#[test]
fn whole_numbers_can_be_listed() {
    let replicas = json!({ "type": "integer", "minimum": 0, "maximum": 255, "enum": [1, 3, 5], "default": 3 });
    assert_eq!(part::<NewCluster>("/properties/replicas"), replicas);
    assert_eq!(part::<NewCluster>("/properties/signs/items/enum"), json!([-1, 1]));
    assert_eq!(part::<NewCluster>("/properties/quorum/enum"), json!([3, 5]));
    assert_eq!(part::<ClusterChanges>("/properties/replicas/enum"), json!([1, 3, 5, null]));
    let read = schema::decode::<NewCluster>(&json!({ "replicas": 5, "signs": [1, -1], "quorum": 3 })).unwrap();
    assert_eq!(read, NewCluster { replicas: 5, signs: Some(vec![1, -1]), quorum: Some(Quorum(3)) });
    let wrong = json!({ "replicas": 256, "signs": [0], "quorum": 1 });
    assert_eq!(
        schema::decode::<NewCluster>(&wrong).unwrap_err().iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["/replicas: 256 is not one of 1, 3, 5", "/signs/0: 0 is not one of -1, 1", "/quorum: 1 is not one of 3, 5"]
    );
}
