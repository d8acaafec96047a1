//! Tests of objects that are kept as text.

use proptest::prelude::*;
use serde_json::json;

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
    fn members_are_read_as_they_were_sent(context in any_json(), other in any_json()) {
        let pretty = serde_json::to_string_pretty(&json!({ "other": other, "context": context })).expect("JSON");
        let (members, lazy) = object_with_lazy(pretty.as_bytes(), "context").expect("an object");
        prop_assert_eq!(&members["other"], &other);
        match &context {
            Value::Object(object) => {
                let lazy = lazy.expect("it is an object");
                prop_assert_eq!(&*lazy, object);
                prop_assert_eq!(lazy.is_empty(), object.is_empty());
                for (name, value) in object {
                    if name.chars().all(char::is_alphanumeric) {
                        prop_assert_eq!(lazy.string(name), value.as_str().map(str::to_owned));
                    }
                }
                let stored = serde_json::to_string(lazy.as_text()).expect("JSON");
                for text in [stored, context.to_string()] {
                    prop_assert!(from_str::<LazyObject>(&text).expect("it can be read") == lazy);
                }
            }
            _ => prop_assert!(lazy.is_none() && std::mem::discriminant(&members["context"]) == std::mem::discriminant(&context)),
        }
    }

    #[test]
    fn the_same_texts_are_refused_as_by_serde_json(text in r#"\{"c":[-+0-9.eE"\\\[\]{}:, aud]{0,12}\}"#) {
        let (ours, theirs) = (object_with_lazy(text.as_bytes(), "c"), serde_json::from_str::<Value>(&text));
        prop_assert_eq!(ours.map(drop).map_err(|e| e.to_string()), theirs.map(drop).map_err(|e| e.to_string()));
        count_values(text.as_bytes(), "c");
    }

    #[test]
    fn values_are_counted_in_any_text(text in r#"[-0-9"\\\[\]{}:, c]{0,20}"#) {
        prop_assert!(count_values(text.as_bytes(), "c") <= 1 + text.len());
    }
}

#[test]
fn the_position_of_an_error_is_that_in_the_text_as_it_was_sent() {
    let error = object_with_lazy(br#"{"c":{-0}"#, "c").map(drop).expect_err("a number is no name");
    assert_eq!(error.to_string(), "key must be a string at line 1 column 7");
}

#[test]
fn values_of_the_lazy_member_are_not_counted() {
    for (count, text) in [
        (0, r#"{"c":[1,2,{"a":3}]}"#),
        (4, r#"{"c":{"c":1},"a":[1,2],"b":"[,\",{"}"#),
        (4, r#" { "a" : { "c" : [ 1 , 1 ] } , "c" : 1 } "#),
        (4, "[1,2,3"),
        (4, r#"{"a":[1,2,"#),
    ] {
        assert_eq!(count_values(text.as_bytes(), "c"), count, "{text}");
    }
}

#[test]
fn of_several_members_with_one_name_the_last_counts() {
    let (_, lazy) = object_with_lazy(br#"{"c":{"a":"1"},"c":{"a":"2","a":"3"}}"#, "c").expect("an object");
    let lazy = lazy.expect("an object");
    assert_eq!((lazy.string("a"), &lazy["a"]), (Some("3".to_owned()), &json!("3")));
    let (members, lazy) = object_with_lazy(br#"{"c":{"a":"1"},"c":null}"#, "c").expect("an object");
    assert!(lazy.is_none() && members["c"].is_null());
    assert!(object_with_lazy(format!("{{\"c\":{}", "[".repeat(1 << 20)).as_bytes(), "c").is_err(), "too deep");
}

#[test]
fn negative_zero_is_an_integer() {
    let text = r#"{"a":-0,"b":[-0 ,-0],"c":{"d":-0},"e":-0.0,"f":-0e1,"g":"-0,\"-0","h":1e-0,"i":-01}"#;
    let plain = r#"{"a": 0,"b":[ 0 , 0],"c":{"d": 0},"e":-0.0,"f":-0e1,"g":"-0,\"-0","h":1e-0,"i":-01}"#;
    assert_eq!(std::str::from_utf8(&with_plain_zeros(text.as_bytes())), Ok(plain));
    let (members, lazy) = object_with_lazy(br#"{"a":-0,"c":{"d":-0}}"#, "c").expect("an object");
    assert_eq!((&members["a"], lazy.expect("an object").as_text()), (&json!(0), r#"{"d":0}"#));
    assert!(object_with_lazy(br#"{"a":-01}"#, "c").is_err() && object_with_lazy(br#"{"a":--0}"#, "c").is_err());
}
