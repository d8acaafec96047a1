//! Tests of ordered JSON with exact numbers.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value;

use super::*;

proptest! {
    #[test]
    fn floats_are_read_as_they_were_printed(
        floats in prop::collection::vec(any::<f64>().prop_filter("JSON has no others", |x| x.is_finite()), 0..20),
        text in any::<String>(),
    ) {
        let written = serde_json::to_string(&(&text, &floats, -0.0, &text, &floats)).expect("JSON");
        let read: Value = from_str(&written).expect("JSON");
        prop_assert_eq!(&read[1], &Value::from(floats.clone()));
        prop_assert_eq!(&read[4], &Value::from(floats));
        prop_assert_eq!(written, read.to_string());
    }

    #[test]
    fn reading_agrees_with_serde_json(text in r#"[-+0-9.eE"\\\[\]{}:, a]{0,12}"#) {
        let (ours, theirs) = (from_str::<Value>(&text), serde_json::from_str::<Value>(&text));
        prop_assert_eq!(ours.map_err(|error| error.to_string()), theirs.map_err(|error| error.to_string()));
    }
}

#[test]
fn order_and_numbers_stay_as_they_are() {
    let text = r#"{"z":[1,-2,18446744073709551615,0.11662652862091849],"a":{"c":null,"b":"\"1.5\\"},"m":1e300}"#;
    let json = Json::read(text.as_bytes()).expect("JSON");
    assert_eq!(json.to_string(), text.replace("1e300", "1e+300"));
    assert_eq!(json["z"], Json::Array(vec![1.into(), (-2).into(), u64::MAX.into(), 0.116_626_528_620_918_49.into()]));
}

#[test]
fn integers_that_are_too_long_are_floats() {
    for text in ["-0", "18446744073709551616", "-9223372036854775809", "123456789012345678901234567890"] {
        let value: Value = from_str(&format!("[0.1,{text},0.2]")).expect("JSON");
        assert_eq!(value, serde_json::json!([0.1, text.parse::<f64>().expect("a number"), 0.2]));
    }
}

#[test]
fn an_error_has_its_position() {
    for text in ["[0.5", "[0.5, 1.]", "[0.5] 1", "{\"a\": 0.5}"] {
        let (ours, theirs) = (from_str::<Vec<f64>>(text), serde_json::from_str::<Vec<f64>>(text));
        assert_eq!(ours.unwrap_err().to_string(), theirs.unwrap_err().to_string());
    }
}

#[test]
fn the_keys_of_a_map_may_be_numbers_choices_and_new_types() {
    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
    enum Size {
        Small,
    }
    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
    struct Port(u16);
    type Maps = (
        BTreeMap<u64, f64>,
        BTreeMap<i8, f64>,
        BTreeMap<bool, f64>,
        BTreeMap<Size, f64>,
        BTreeMap<Port, f64>,
        BTreeMap<String, f64>,
    );
    let maps: Maps = (
        BTreeMap::from([(u64::MAX, 0.1)]),
        BTreeMap::from([(-7, 0.2)]),
        BTreeMap::from([(true, 0.3)]),
        BTreeMap::from([(Size::Small, 0.4)]),
        BTreeMap::from([(Port(5432), 0.5)]),
        BTreeMap::from([("1".to_owned(), 0.116_626_528_620_918_49)]),
    );
    let written = serde_json::to_string(&maps).expect("JSON");
    assert_eq!(from_str::<Maps>(&written).expect("the maps"), maps);
    for wrong in [r#"{"": 0.5}"#, r#"{"x": 0.5}"#, r#"{"true": 0.5}"#, r#"{"300": 0.5}"#] {
        let (ours, theirs) = (from_str::<BTreeMap<u8, f64>>(wrong), serde_json::from_str::<BTreeMap<u8, f64>>(wrong));
        assert_eq!(ours.unwrap_err().to_string(), theirs.unwrap_err().to_string());
    }
}

/// As serde_json gives numbers if any crate of the program turns `arbitrary_precision` on.
#[test]
fn numbers_with_arbitrary_precision_are_numbers() {
    for number in ["5432", "-7", "18446744073709551615", "0.25", "1e3"] {
        let text = format!(r#"{{"port":{{"$serde_json::private::Number":"{number}"}}}}"#);
        let read = Json::read(text.as_bytes()).expect("JSON");
        assert_eq!(read["port"], Json::read(number.as_bytes()).expect("JSON"), "{number}");
    }
    let other = br#"{"$serde_json::private::Number":"five"}"#;
    assert_eq!(Json::read(other).expect("JSON").to_string().as_bytes(), other);
}
