//! The rules for values, which are those of the attributes, with the same messages.

use serde_json::{Value, json};

use super::{Overrides, read::Reader};
use crate::uri::{self, UriError};

/// A rule: reports problems with a value, and returns the value for the catalog.
pub(super) type ValueRule = fn(&mut Reader<'_>, &str, &Value) -> Option<Value>;

const COSTS: &str = "write `costs = [{ amount = { usd = 9.90 }, unit = \"MONTHLY\" }]`";

/// A string that is not blank.
pub(super) fn string<'v>(reader: &mut Reader<'_>, at: &str, value: &'v Value) -> Option<&'v str> {
    let key = at.rsplit('.').next().unwrap_or(at);
    match value.as_str() {
        Some(text) if !text.trim().is_empty() => return Some(text),
        Some(_) => reader.wrong(at, format_args!("`{key}` must not be blank")),
        None => reader.wrong(at, format_args!("`{key}` must be a string")),
    }
    None
}

/// CAT-30, CAT-31: Cloud Foundry stores ids and names, and people see them. Returns whether they can.
pub(super) fn can_be_stored(reader: &mut Reader<'_>, at: &str, what: &str, text: &str, fix: &str) -> bool {
    if let Some(c) = unprintable(text) {
        let code = u32::from(c);
        reader.wrong(at, format_args!("the {what} contains U+{code:04X}, which can't be seen; remove it"));
        return false;
    }
    let characters = text.chars().count();
    if characters > 255 {
        let problem = format_args!("the {what} has {characters} characters; Cloud Foundry stores at most 255; {fix}");
        reader.wrong(at, problem);
    }
    characters <= 255
}

/// CAT-06: users type names.
pub(super) fn can_be_typed(reader: &mut Reader<'_>, at: &str, what: &str, name: &str) {
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-') {
        let advice = "consist of letters, digits, `.` and `-`, because users type it on a command line (CAT-06)";
        reader.warn(at, format_args!("the {what} should {advice}"));
    } else if name.starts_with('-') && name.contains(char::is_alphanumeric) {
        let advice = "not begin with `-`, because a command line takes it for an option (CAT-06)";
        reader.warn(at, format_args!("the {what} should {advice}"));
    }
}

/// The name of a plan, which is the key of its table.
pub(super) fn plan_name(reader: &mut Reader<'_>, at: &str, name: &str) {
    let what = "plan name";
    if name.trim().is_empty() {
        reader.wrong(at, "the plan name must not be blank");
    } else if can_be_stored(reader, at, what, name, "write a shorter one") {
        can_be_typed(reader, at, what, name);
        if name.chars().all(|c| c == '.' || c == '-') {
            reader.warn(at, "the plan name should be descriptive (CAT-06)");
        }
    }
}

/// CAT-30, URL-02: the id of a plan, which should be a GUID.
pub(super) fn plan_id(reader: &mut Reader<'_>, at: &str, value: &Value) -> Option<String> {
    let id = string(reader, at, value)?;
    if !can_be_stored(reader, at, "plan id", id, "write a GUID") {
        return None;
    }
    let is_guid = id.len() == 36
        && id.char_indices().all(|(i, c)| if [8, 13, 18, 23].contains(&i) { c == '-' } else { c.is_ascii_hexdigit() });
    if !id.chars().all(|c| c.is_ascii_alphanumeric() || "-._~".contains(c)) {
        let advice = "because it travels in URLs (RFC 3986); write a GUID";
        reader.warn(at, format_args!("the plan id should consist of `A-Z a-z 0-9 - . _ ~`, {advice}"));
    } else if !is_guid {
        reader.warn(
            at,
            "the plan id should be a GUID, so that no other broker uses it; `uuidgen` makes one for a new plan",
        );
    } else if id.chars().all(|c| c == '0' || c == '-') {
        reader.warn(at, "the plan id is the GUID of zeros, which other brokers may use too; `uuidgen` makes a new one");
    }
    Some(id.to_owned())
}

/// CAT-12, CAT-32: not blank, and not longer than Cloud Foundry accepts.
pub(super) fn description(reader: &mut Reader<'_>, at: &str, value: &Value) -> Option<String> {
    let text = string(reader, at, value)?;
    if text.contains('\0') {
        reader.wrong(at, "the description contains U+0000, which Cloud Foundry can't store on PostgreSQL; remove it");
        return None;
    }
    let characters = text.chars().count();
    if characters > 10_000 {
        let problem = "Cloud Foundry takes at most 10000";
        reader.wrong(at, format_args!("the description has {characters} characters; {problem}"));
        return None;
    }
    if text.contains("](") {
        reader.warn(at, "platforms show the description as plain text, with the brackets of its link");
    }
    length(reader, at, text);
    Some(text.to_owned())
}

/// Returns a control character, an invisible one, or a letter that is displayed as blank space.
pub(super) fn unprintable(text: &str) -> Option<char> {
    const BLANK: [char; 5] = ['\u{115F}', '\u{1160}', '\u{2800}', '\u{3164}', '\u{FFA0}'];
    let is_escaped = |c: char| match c {
        '"' | '\'' | '\\' => false,
        // After a letter, where combining characters are not escaped. A regex adds 0.6 MB to every broker.
        _ => String::from_iter(['a', c]).escape_debug().nth(1) == Some('\\'),
    };
    text.chars().find(|c| BLANK.contains(c) || is_escaped(*c))
}

/// CAT-04.
fn length(reader: &mut Reader<'_>, at: &str, text: &str) {
    if text.chars().count() > 255 {
        reader.warn(at, "strings should have at most 255 characters (CAT-04)");
    }
}

pub(super) fn text(reader: &mut Reader<'_>, at: &str, value: &Value) -> Option<Value> {
    string(reader, at, value).map(Value::from)
}

/// Any JSON. Dates and infinity of TOML, which JSON does not have, arrive as `null`.
pub(super) fn json(reader: &mut Reader<'_>, at: &str, value: &Value) -> Option<Value> {
    fn has_null(value: &Value) -> bool {
        match value {
            Value::Array(values) => values.iter().any(has_null),
            Value::Object(members) => members.values().any(has_null),
            value => value.is_null(),
        }
    }
    if has_null(value) {
        reader.wrong(at, "a date, infinity or `null` can't be in `metadata`; write a string");
        return None;
    }
    Some(value.clone())
}

pub(super) fn short(reader: &mut Reader<'_>, at: &str, value: &Value) -> Option<Value> {
    let text = string(reader, at, value)?;
    length(reader, at, text);
    Some(text.into())
}

pub(super) fn url(reader: &mut Reader<'_>, at: &str, value: &Value) -> Option<Value> {
    let text = string(reader, at, value)?;
    address(reader, at, text, "`https://...`")
}

/// The address to which a platform redirects users after login.
pub(super) fn redirect_uri(reader: &mut Reader<'_>, at: &str, value: &Value) -> Option<String> {
    let text = string(reader, at, value)?;
    address(reader, at, text, "`https://...`")?;
    if text.contains('#') {
        let advice = "leave out the part from `#` on (RFC 6749, section 3.1.2)";
        reader.wrong(at, format_args!("`redirect_uri` has a fragment, which OAuth forbids; {advice}"));
    }
    Some(text.to_owned())
}

fn address(reader: &mut Reader<'_>, at: &str, text: &str, wanted: &str) -> Option<Value> {
    let key = at.rsplit('.').next().unwrap_or(at);
    let problem = match uri::parse_web(text.as_bytes()) {
        Ok(_) => None,
        Err(UriError::Character) => Some("has a character that a URL can't have"),
        Err(_) => Some("is not a URL"),
    };
    if let Some(problem) = problem {
        reader.wrong(at, format_args!("`{key}` {problem}: {text:?}; write {wanted}"));
        return None;
    }
    length(reader, at, text);
    Some(text.into())
}

/// The URL of an image, or the image itself.
pub(super) fn picture(reader: &mut Reader<'_>, at: &str, value: &Value) -> Option<Value> {
    let text = string(reader, at, value)?;
    if !text.starts_with("data:") {
        return address(reader, at, text, "`https://...` or `data:...`");
    }
    let problem = if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        "has a character that a URL can't have"
    } else if !text.contains(',') {
        "has a `data:` URL without data"
    } else {
        return Some(text.into());
    };
    let key = at.rsplit('.').next().unwrap_or(at);
    reader.wrong(at, format_args!("`{key}` {problem}; write `data:image/png;base64,...`"));
    None
}

/// PROF-11.
pub(super) fn bullets(reader: &mut Reader<'_>, at: &str, value: &Value) -> Option<Value> {
    let Some(bullets) = value.as_array() else {
        reader.wrong(at, "`bullets` is a list of strings: `bullets = [\"...\", \"...\"]`");
        return None;
    };
    for (i, bullet) in bullets.iter().enumerate() {
        let at = Overrides::path(at, &i.to_string());
        match bullet.as_str() {
            Some(text) if !text.trim().is_empty() => length(reader, &at, text),
            Some(_) => reader.wrong(&at, "`bullets` must not contain blank strings"),
            None => reader.wrong(&at, "`bullets` is a list of strings: `bullets = [\"...\", \"...\"]`"),
        }
    }
    Some(value.clone())
}

/// PROF-11. The profile requires floats, so `9` becomes `9.0`.
pub(super) fn costs(reader: &mut Reader<'_>, at: &str, value: &Value) -> Option<Value> {
    let Some(costs) = value.as_array() else {
        reader.wrong(at, format_args!("`costs` takes a list; {COSTS}"));
        return None;
    };
    let each: Vec<_> = costs
        .iter()
        .enumerate()
        .filter_map(|(i, value)| cost(reader, &Overrides::path(at, &i.to_string()), value))
        .collect();
    for (i, cost) in each.iter().enumerate() {
        let before = each[..i].iter().filter(|other| other["unit"] == cost["unit"]);
        let currencies = |cost: &Value| {
            cost["amount"].as_object().into_iter().flatten().map(|(name, _)| name.to_lowercase()).collect::<Vec<_>>()
        };
        let own = currencies(cost);
        if before.flat_map(currencies).any(|currency| own.contains(&currency)) {
            let message = "another cost has a price for this unit in the same currency: leave one of them out";
            reader.warn(&Overrides::path(at, &i.to_string()), message);
        }
    }
    Some(each.into())
}

fn cost(reader: &mut Reader<'_>, at: &str, value: &Value) -> Option<Value> {
    let Some(parts) = value.as_object() else {
        reader.wrong(at, format_args!("a cost is a table; {COSTS}"));
        return None;
    };
    let known = ["amount", "unit"];
    for key in parts.keys().filter(|key| !known.contains(&key.as_str())) {
        reader.unknown(&Overrides::path(at, key), "a cost", key, &known, &[]);
    }
    let (amount, unit) = (Overrides::path(at, "amount"), Overrides::path(at, "unit"));
    match parts.get("unit") {
        None => reader.wrong(at, format_args!("a cost needs a `unit`; {COSTS}")),
        Some(Value::String(text)) if !text.trim().is_empty() => {}
        Some(_) => reader.wrong(&unit, format_args!("`unit` is a string that is not blank; {COSTS}")),
    }
    let amounts = match parts.get("amount").map(Value::as_object) {
        Some(Some(amounts)) if !amounts.is_empty() => amounts,
        _ => {
            reader.wrong(at, format_args!("a cost needs an amount in a currency; {COSTS}"));
            return None;
        }
    };
    let mut seen = Vec::new();
    let amounts = amounts.iter().map(|(currency, value)| {
        let at = Overrides::path(&amount, currency);
        match value.as_f64() {
            _ if currency.trim().is_empty() || currency == "amount" => {
                reader.wrong(&at, format_args!("`{currency}` is not a currency; {COSTS}"));
            }
            _ if seen.contains(&currency.to_lowercase()) => {
                reader.wrong(&at, format_args!("the cost has two amounts in `{currency}`; {COSTS}"));
            }
            None => reader.wrong(&at, format_args!("an amount is a number; {COSTS}")),
            Some(..0.0) => reader.wrong(&at, format_args!("an amount must not be negative; {COSTS}")),
            Some(_) if currency.len() != 3 || !currency.chars().all(|c| c.is_ascii_alphabetic()) => {
                reader.warn(&at, "a currency is a code of three letters, such as `usd` or `eur` (ISO 4217)");
            }
            Some(_) => {}
        }
        seen.push(currency.to_lowercase());
        (currency.clone(), json!(value.as_f64()))
    });
    let amounts: Value = amounts.collect();
    Some(json!({ "amount": amounts, "unit": parts.get("unit") }))
}

/// Formats a cost: `9.90 USD monthly`, `2 EUR per GB`.
pub(super) fn in_words(cost: &Value) -> String {
    let amounts = cost["amount"].as_object().into_iter().flatten();
    let amounts = amounts.map(|(currency, amount)| format!("{} {}", price(amount), currency.to_uppercase()));
    let amounts = amounts.collect::<Vec<_>>().join(" or ");
    let unit = cost["unit"].as_str().unwrap_or_default();
    let often = Some(unit.to_lowercase()).filter(|word| word.ends_with("ly"));
    format!("{amounts} {}", often.unwrap_or_else(|| format!("per {unit}")))
}

/// Formats a number as in a price list: a file's `9.90` is the number 9.9, and its `2` is 2.0.
fn price(amount: &Value) -> String {
    let text = amount.to_string();
    match text.split_once('.') {
        Some((whole, "0")) => whole.to_owned(),
        Some((_, digits)) if digits.len() == 1 => format!("{text}0"),
        _ => text,
    }
}
