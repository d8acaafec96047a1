//! Tests of records as bytes.

use std::collections::BTreeMap;

use proptest::{collection, prelude::*};
use serde_json::{Value, json};

use super::*;
use crate::store::{
    Key, Phase, read_version_1,
    samples::{any_record, binding, instance, record, saved},
};

fn written(record: &Record) -> Vec<u8> {
    let mut bytes = Vec::new();
    record.write(&mut bytes).expect("the record can be written");
    bytes
}

fn text(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("it can be written")
}

/// Generates ids with many zero bytes and bytes beside them.
fn id() -> impl Strategy<Value = String> {
    prop_oneof!["[\0\u{1}\u{2}ab\u{7f}ÿ]{0,4}", any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn records_are_read_as_they_were_written(record in any_record()) {
        let bytes = written(&record);
        let read = Record::read(&bytes).expect("it can be read");
        prop_assert!(read.due() == record.due() && read.forget_at() == record.forget_at());
        prop_assert!(read.plan_usage().eq(record.plan_usage()));
        prop_assert!(written(&read) == bytes);
    }

    /// In which an instance and its bindings were one record.
    #[test]
    fn records_of_version_1_keep_all_that_they_have(mut instance in instance(), mut binding in binding()) {
        (instance.bindings, instance.busy, instance.half_updated) = (0, BTreeMap::new(), false);
        binding.created = Timestamp::default();
        for status in [&mut instance.status, &mut binding.status] {
            status.earlier.clear();
            if status.phase == Phase::Gone {
                status.phase = Phase::Ready;
            }
        }
        let (one, other) = (text(&instance), text(&binding));
        let one = one.strip_suffix("\"bindings\":0}").expect("the last field");
        let other = other.strip_suffix('}').expect("an object");
        let life = [&instance.status, &binding.status].map(text);
        let entry = format!("\u{1}{one}\"life\":{},\"bindings\":{{\"b\":{other},\"life\":{}}}}}}}", life[0], life[1]);

        instance.bindings = 1;
        if matches!(binding.status.phase, Phase::Creating | Phase::Deleting) {
            let predecessor = binding.predecessor.clone().filter(|_| binding.status.phase == Phase::Creating);
            instance.busy.insert("b".into(), predecessor);
        }
        let read = read_version_1(b"tenant\0i", entry.as_bytes()).expect("they can be read");
        let key = Key { tenant: "tenant".parse().expect("a name"), instance: "i".into(), binding: None };
        let expected = [(key.of_binding("b".into()), Record::from(binding)), (key, Record::from(instance))];
        prop_assert_eq!(read.len(), expected.len());
        for ((key, record), (expected_key, expected)) in read.iter().zip(&expected) {
            prop_assert_eq!(key, expected_key);
            // Values, because the order of members means nothing.
            prop_assert_eq!(text(record).parse::<Value>().ok(), text(expected).parse::<Value>().ok());
        }
    }

    #[test]
    fn floats_are_read_as_they_were_written(float in any::<f64>()) {
        let mut record = record("", None);
        record.parameters = json!({ "ratio": float, "unit": float.fract() }).into();
        record.state = Some(saved(json!([float])));
        let read = Record::read(&written(&record.clone().into())).expect("it can be read");
        let read = read.instance().expect("an instance");
        prop_assert_eq!(&read.parameters, &record.parameters);
        prop_assert_eq!(&read.state, &record.state);
    }

    #[test]
    fn keys_are_read_as_they_were_written(tenant in "[a-zA-Z0-9._-]{0,64}", ids in collection::vec(id(), 4)) {
        let tenant: crate::protocol::Tenant = tenant.parse().expect("a name");
        let key = |instance: &str, binding: &str| {
            let key = Key { tenant: tenant.clone(), instance: instance.into(), binding: None };
            if binding.is_empty() { key } else { key.of_binding(binding.into()) }
        };
        let (one, other) = (key(&ids[0], &ids[1]), key(&ids[2], &ids[3]));
        prop_assert_eq!(&Key::from_bytes(&one.to_bytes()).expect("a key"), &one);
        prop_assert_eq!(one.cmp(&other), one.to_bytes().cmp(&other.to_bytes()));
    }

    #[test]
    fn other_bytes_are_an_error(bytes in any::<Vec<u8>>()) {
        prop_assert!(Record::read(&bytes).is_err());
        _ = Key::from_bytes(&bytes);
    }
}

/// There can be many of them, so the usual ones are short. Ids of other forms are kept as they are.
#[test]
fn tombstones_are_read_as_they_were_written() {
    const ID: &str = "0123456789abcdef0123456789abcdef";
    let upper = ID.to_uppercase();
    let ids =
        [(ID, true), (&upper, false), (&ID[1..], false), ("+123456789abcdef0123456789abcdef", false), ("", false)];
    let flags = [[false, false], [false, true], [true, false], [true, true]];
    for ((id, is_usual), [is_delete, accepted]) in ids.into_iter().flat_map(|id| flags.map(|flags| (id, flags))) {
        let (operation, forget_at) = (id.into(), Timestamp(u64::MAX - 1));
        let tombstone = Tombstone { operation, is_delete, accepted, failure: None, cancelled: None, forget_at };
        let mut bytes = written(&tombstone.into());
        assert_eq!(bytes.len() == 29, is_usual && is_delete, "{id:?} {is_delete} {accepted}: {}", bytes.len());
        let read = Record::read(&bytes).expect("it can be read");
        let read = read.tombstone().expect("a tombstone");
        assert_eq!((&*read.operation, read.is_delete, read.accepted), (id, is_delete, accepted));
        assert_eq!(read.forget_at, forget_at);
        if bytes.len() == 29 {
            bytes[4] |= 2;
            assert!(Record::read(&bytes).is_err(), "a flag of a newer release would be lost");
        }
    }
}

#[test]
fn an_empty_state_differs_from_none() {
    for state in [None, Some(Value::Null), Some(json!([null]))] {
        let state = state.map(saved);
        let mut record = record("", None);
        record.state.clone_from(&state);
        record.status.operation.checkpoint.clone_from(&state);
        let read = Record::read(&written(&record.into())).expect("read");
        let read = read.instance().expect("an instance");
        assert_eq!(read.state, state);
        assert_eq!(read.status.operation.checkpoint, state);
    }
}

#[test]
fn t68_an_error_does_not_quote_the_content() {
    let error =
        Record::read(&[&[VERSION], &br#"{"instance":{"service_id":["hunter2"],"plan_id":"hunter2"}}"#[..]].concat());
    let error = error.map(drop).expect_err("an id is a string");
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
    assert_eq!(format!("{error:?}"), format!("RecordError({error})"));
    let error = Record::read(&[&[VERSION], &br#""hunter2""#[..]].concat()).map(drop).expect_err("no record");
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
}

#[test]
fn the_error_names_a_newer_version() {
    let error = Record::read(&[TOMBSTONE + 1, b'{']).map(drop).expect_err("newer");
    let expected = "the record has version 4, but this release knows versions up to 3: use a newer release";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_key_is_shown_by_its_ids() {
    let key = Key { tenant: "cf".parse().expect("a tenant"), instance: "i".into(), binding: None };
    assert_eq!(key.to_string(), "instance i");
    assert_eq!(key.of_binding("b".into()).to_string(), "binding b of instance i");
}
