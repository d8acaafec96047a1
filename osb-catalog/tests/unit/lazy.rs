//! Tests of objects that are kept as text.

use super::{super::count_values, *};
use proptest::prelude::*;

proptest! {
    #[test]
    fn values_are_counted_in_any_text(text in r#"[-0-9"\\\[\]{}:, c]{0,20}"#) {
        prop_assert!(count_values(text.as_bytes(), "c") <= 1 + text.len());
    }
}

#[test]
fn values_of_the_lazy_member_are_not_counted() {
    for (count, text) in [
        (0, r#"{"c":[1,2,{"a":3}]}"#),
        (4, r#"{"c":{"c":1},"a":[1,2],"b":"[,\",{"}"#),
        (4, r#" { "a" : { "c" : [ 1 , 1 ] } , "c" : 1 } "#),
        (4, "[1,2,3"),
        (5, r#"{"a":[1,2,"#),
    ] {
        assert_eq!(count_values(text.as_bytes(), "c"), count, "{text}");
    }
}

#[test]
fn an_object_is_the_same_as_its_text() {
    let text = r#"{"a":"\u00e9","b":[1.5,{"c":null}],"a":"2"}"#;
    let [object, stored]: [LazyObject; 2] =
        [text.to_owned(), Value::from(text).to_string()].map(|text| from_str(&text).expect("an object"));
    assert!(object == stored && object.as_text() != stored.as_text());
    assert_eq!(stored.as_text(), text);
    assert_eq!(serde_json::to_string(&stored).expect("a string"), Value::from(text).to_string());
    assert_eq!((stored.string("a"), stored.string("b")), (Some("2".to_owned()), None));
    assert_eq!(format!("{stored:?}"), r#"["a", "b"]"#);
    for (text, is_empty) in [("{}", true), (" {\n} ", true), (r#"{"":1}"#, false)] {
        assert_eq!(LazyObject::from_text(text).is_empty(), is_empty, "{text}");
    }
    let text = r#"{"d":-0}"#;
    let object = RawObject::read_str(text).expect("it is an object");
    assert_eq!(LazyObject::from_text(&*object.with_plain_zeros(text))["d"], 0);
}
