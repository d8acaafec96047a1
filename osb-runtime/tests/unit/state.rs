//! Tests of the encoding of states.

use serde_json::json;

use super::{StateJson, StateType, check_dropped};

fn number() -> StateType<u32> {
    StateType::new(1, |_, state| Ok(serde_json::from_value(state)?))
}

#[test]
fn errors_do_not_show_the_saved_value() {
    for (version, remedy) in [(0, "convert it"), (1, "raise STATE_VERSION"), (2, "a later release saved it")] {
        let why = number().read(&StateJson { version, value: json!("hunter2, expected 3") }, "o").unwrap_err();
        let known = if version == 1 { "" } else { " as one of version 1" };
        let expected = format!("a state of version {version} can't be read{known}: a value in it is not u32; ");
        assert!(why.starts_with(&expected), "{why}");
        assert!(why[expected.len()..].starts_with(remedy), "{why}");
    }
}

#[test]
fn version_zero_is_omitted() {
    let saved = number().save(&7).unwrap();
    assert_eq!(serde_json::to_value(&saved).unwrap(), json!({ "version": 1, "value": 7 }));
    let nothing = StateJson { version: 0, value: json!(null) };
    assert_eq!(serde_json::to_value(&nothing).unwrap(), json!({ "value": null }));
    let read: Option<StateJson> = serde_json::from_value(json!({ "value": null })).unwrap();
    assert!(read == Some(nothing), "a null state is not the same as none");
}

#[test]
fn the_error_of_an_unreadable_state_counts_as_dropped_until_what_was_saved_is_read() {
    let saved = StateJson { version: 1, value: json!("seven") };
    let state = number().read_for_removal(Some(saved), "o");
    let error = || [state.dropped_error(), None];
    check_dropped(error()).expect("the handler has not decoded it");
    let dropped = error();
    let unreadable = state.decoded().unwrap_err();
    assert!(check_dropped(dropped.clone()).is_err(), "it may be dropped now");
    assert_eq!(unreadable.saved().value, json!("seven"));
    check_dropped(dropped).expect("the handler has read what was saved");
}
