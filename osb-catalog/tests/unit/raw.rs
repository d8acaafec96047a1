//! Tests of objects that are taken apart as text.

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::*;

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no others", |x| x.is_finite()).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 30, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::hash_map("[ab\"\\\\,{\\[é]{0,3}", inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn members_are_read_as_they_were_sent(
        object in prop::collection::btree_map("[ab\"\\\\\n,{\\[é]{0,3}", any_json(), 0..5),
    ) {
        for text in [serde_json::to_string(&object), serde_json::to_string_pretty(&object)] {
            let text = text.expect("JSON");
            let raw = RawObject::read(text.as_bytes()).expect("an object");
            for (name, value) in &object {
                let read: Value = from_str(raw.get(name).expect("a member")).expect("JSON");
                prop_assert_eq!(&read, value);
                prop_assert_eq!(raw.string(name), value.as_str().map(str::to_owned));
                let items = raw.items(name).map(|items| items.into_iter().map(|item| from_str(item).expect("JSON")).collect());
                prop_assert_eq!(items, value.as_array().cloned());
            }
            prop_assert_eq!(raw.get("no member"), None);
        }
    }

    #[test]
    fn the_same_texts_are_accepted_as_by_serde_json(
        text in r#" ?\{("[ab]{0,9}" ?: ?)?[-+0-9.eE"\\\[\]{}:, \nud89]{0,12}\} ?"#,
    ) {
        let theirs = serde_json::from_str::<Map<String, Value>>(&text);
        prop_assert_eq!(RawObject::read(text.as_bytes()).is_some(), theirs.is_ok());
    }

    #[test]
    fn the_same_strings_are_accepted_as_by_serde_json(inner in r#"([a-z\\"\n\x7f\x01é]|\\u[d0][8c0]0[0-9]){0,20}"#) {
        let text = format!("{{\"s\":\"{inner}\"}}");
        let theirs = serde_json::from_str::<Map<String, Value>>(&text).ok();
        let ours = RawObject::read(text.as_bytes());
        prop_assert_eq!(ours.is_some(), theirs.is_some());
        if let (Some(ours), Some(theirs)) = (ours, theirs) {
            prop_assert_eq!(ours.string("s"), theirs.get("s").and_then(Value::as_str).map(str::to_owned));
        }
    }

    #[test]
    fn bytes_are_refused_as_by_serde_json(bytes in prop::collection::vec(any::<u8>(), 0..8)) {
        let text = [b"{\"a\":\"", &bytes[..], b"\"}"].concat();
        prop_assert_eq!(RawObject::read(&text).is_some(), serde_json::from_slice::<Map<String, Value>>(&text).is_ok());
    }
}

#[test]
fn documents_are_less_deep_than_serde_json_reads_them() {
    for depth in 90..140 {
        let text = format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(RawObject::read(text.as_bytes()).is_some(), depth < MAX_DEPTH, "{depth}");
        assert!(depth >= MAX_DEPTH || serde_json::from_str::<Value>(&text).is_ok(), "{depth}");
    }
    assert!(RawObject::read("{\"a\":".repeat(1 << 20).as_bytes()).is_none());
}

#[test]
fn siblings_are_not_deeper() {
    for items in [["[]"; 200], ["{}"; 200]] {
        let text = format!("{{\"a\":[{}]}}", items.join(","));
        assert!(RawObject::read(text.as_bytes()).is_some());
    }
}

#[test]
fn brackets_match() {
    for wrong in [r#"{"a":[1}}"#, r#"{"a":{"b":1]}"#, r#"{"a":[1 2]}"#, r#"{"a":{"b":1 "c":2}}"#, r#"{"a":1]"#] {
        assert!(RawObject::read(wrong.as_bytes()).is_none(), "{wrong}");
    }
}

#[test]
fn of_several_members_with_one_name_the_last_counts() {
    let object = RawObject::read(br#"{"a":1,"\u0061":{"b" : 2} ,"c":3}"#).expect("an object");
    assert_eq!((object.get("a"), object.get("c")), (Some(r#"{"b" : 2}"#), Some("3")));
}

#[test]
fn negative_zero_is_an_integer() {
    let text = r#"{"a":-0,"b":[-0 ,-0],"c":{"d":-0},"e":-0.0,"f":-0e1,"g":"-0,\"-0","h":1e-0}"#;
    let plain = r#"{"a": 0,"b":[ 0 , 0],"c":{"d": 0},"e":-0.0,"f":-0e1,"g":"-0,\"-0","h":1e-0}"#;
    assert_eq!(with_plain_zeros(text), plain);
    assert_eq!(with_plain_zeros("-0"), " 0");
    for wrong in [r#"{"a":-01}"#, r#"{"a":--0}"#, r#"{"a":-}"#, r#"{"a":1-0}"#] {
        assert!(RawObject::read(wrong.as_bytes()).is_none(), "{wrong}");
    }
}
