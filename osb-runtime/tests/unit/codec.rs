//! Tests of records as bytes.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::store::{
    Key,
    samples::{any_record, record, saved},
};

fn written(record: &Record) -> Vec<u8> {
    let mut bytes = Vec::new();
    record.write(&mut bytes).expect("the record can be written");
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn records_are_read_as_they_were_written(record in any_record()) {
        let bytes = written(&record);
        let read = Record::read(&bytes).expect("it can be read");
        prop_assert!(read.parameters == record.parameters && read.state == record.state);
        prop_assert!(read.context == record.context && read.due() == record.due());
        prop_assert!(written(&read) == bytes);
    }

    #[test]
    fn floats_are_read_as_they_were_written(float in any::<f64>()) {
        let mut record = record("", None);
        record.parameters = json!({ "ratio": float, "unit": float.fract() });
        record.state = Some(saved(json!([float])));
        let read = Record::read(&written(&record)).expect("it can be read");
        prop_assert_eq!(&read.parameters, &record.parameters);
        prop_assert_eq!(&read.state, &record.state);
    }

    #[test]
    fn keys_are_read_as_they_were_written(tenant in "[a-zA-Z0-9._-]{0,64}", instance in any::<String>()) {
        let key = Key { tenant: tenant.parse().expect("a name"), instance: instance.as_str().into() };
        prop_assert_eq!(Key::from_bytes(&key.to_bytes()).expect("a key"), key);
    }

    #[test]
    fn other_bytes_are_an_error(bytes in any::<Vec<u8>>()) {
        prop_assert!(Record::read(&bytes).is_err());
        _ = Key::from_bytes(&bytes);
    }
}

#[test]
fn an_empty_state_differs_from_none() {
    for state in [None, Some(Value::Null), Some(json!([null]))] {
        let state = state.map(saved);
        let mut record = record("", None);
        record.state.clone_from(&state);
        record.status.operation.checkpoint.clone_from(&state);
        let read = Record::read(&written(&record)).expect("read");
        assert_eq!(read.state, state);
        assert_eq!(read.status.operation.checkpoint, state);
    }
}

#[test]
fn t68_an_error_does_not_quote_the_content() {
    let error = Record::read(&[&[VERSION], &br#"{"service_id":["hunter2"],"plan_id":"hunter2"}"#[..]].concat());
    let error = error.map(drop).expect_err("an id is a string");
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
    let error = Record::read(&[&[VERSION], &br#""hunter2""#[..]].concat()).map(drop).expect_err("no record");
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
}

#[test]
fn the_error_names_a_newer_version() {
    let error = Record::read(&[VERSION + 1, b'{']).map(drop).expect_err("newer");
    let expected = "the record has version 2, but this release knows version 1: use a newer release";
    assert_eq!(error.to_string(), expected);
}
