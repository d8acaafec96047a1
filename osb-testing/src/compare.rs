//! Compares the results of two attempts.

use std::collections::BTreeSet;

use osb_runtime::json::pointer;
use serde_json::Value;

/// Returns the first difference between two values, ignoring these pointers.
pub(super) fn exactly(first: &Value, second: &Value, may_differ: &[String]) -> Option<String> {
    let [first, second] = [first, second].map(|value| without(value, may_differ));
    compare(&first, &first, &second)
}

/// Returns the value with `null` at these pointers.
pub(super) fn without(value: &Value, pointers: &[String]) -> Value {
    let mut value = value.clone();
    for pointer in pointers {
        if let Some(place) = value.pointer_mut(pointer) {
            *place = Value::Null;
        }
    }
    value
}

/// Returns the first place where `one` and `other` agree, but `seen` differs from them.
pub(super) fn compare(one: &Value, other: &Value, seen: &Value) -> Option<String> {
    at("", one, other, seen)
}

fn at(pointer: &str, one: &Value, other: &Value, seen: &Value) -> Option<String> {
    match (one, other, seen) {
        (Value::Object(one), Value::Object(other), Value::Object(seen)) => {
            let names: BTreeSet<&String> = one.keys().chain(other.keys()).chain(seen.keys()).collect();
            let of =
                |object: &serde_json::Map<String, Value>, name: &str| object.get(name).cloned().unwrap_or_default();
            names
                .into_iter()
                .find_map(|name| at(&pointer::member(pointer, name), &of(one, name), &of(other, name), &of(seen, name)))
        }
        (Value::Array(one), Value::Array(other), Value::Array(seen))
            if one.len() == seen.len() && other.len() == seen.len() =>
        {
            let items = one.iter().zip(other).zip(seen).enumerate();
            items.into_iter().find_map(|(i, ((one, other), seen))| at(&format!("{pointer}/{i}"), one, other, seen))
        }
        _ if one != other || one == seen => None,
        _ => {
            let place = if pointer.is_empty() { "the value" } else { pointer };
            Some(format!("{place} is {} instead of {}", short(seen), short(one)))
        }
    }
}

fn short(value: &Value) -> String {
    const MOST: usize = 80;
    let text = value.to_string();
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{compare, exactly};

    #[test]
    fn differences_between_undisturbed_runs_are_ignored() {
        let run = |token: u32, size: u32| json!({ "state": { "token": token, "sizes": [size] } });
        assert_eq!(compare(&run(1, 5), &run(2, 5), &run(3, 5)), None);
        assert_eq!(compare(&run(1, 5), &run(1, 5), &run(3, 5)).as_deref(), Some("/state/token is 3 instead of 1"));
        let other = json!({ "state": { "token": 1 } });
        let expected = "/state/sizes is null instead of [5]";
        assert_eq!(compare(&run(1, 5), &run(2, 5), &other).as_deref(), Some(expected));
    }

    #[test]
    fn named_pointers_may_differ_between_attempts() {
        let (first, second) = (json!({ "token": 1, "id": 1 }), json!({ "token": 2, "id": 1 }));
        assert_eq!(exactly(&first, &second, &["/token".to_owned()]), None);
        assert_eq!(exactly(&first, &second, &[]).as_deref(), Some("/token is 2 instead of 1"));
    }
}
