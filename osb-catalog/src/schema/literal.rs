//! Compile-time validation of defaults and examples.

use super::{
    constraints::{noun, order_mistake},
    decimal,
    json::Writer,
    model::{Choice, Decimal, Integer, Kind, Literal, Number, Object, Property, Schema, Tagged, Text, Variant},
};
use crate::text::{Message, same};

/// Checks that `schema` accepts `literal`, which is the `role` ("the default") of `name`. The macro checks patterns.
#[track_caller]
pub const fn check_literal(schema: &Schema, role: &str, name: &str, literal: &Literal) {
    if order_mistake(schema, name).is_some() {
        return; // the constraint is the mistake, which allows no value
    }
    let start = Message::new(role).text(" of ").text(name);
    let is_scalar = matches!(schema.kind, Kind::Boolean | Kind::Integer(_) | Kind::Number(_) | Kind::String(_));
    if is_scalar && matches!(literal, Literal::Array(_)) && same(role, "the example") {
        let message = is(&start, literal).text(", but has to be ").text(noun(schema));
        message.text("; write several examples as `examples(.., ..)`").panic();
    }
    literal_fits(schema, literal, &start, same(role, "the default"));
}

/// Appends the value to a message.
const fn is(start: &Message, literal: &Literal) -> Message {
    const ROOM: usize = 200;
    let mut empty = [];
    let len = Writer::measuring(&mut empty).literal(literal).len();
    if len > ROOM {
        return start.text(" is too long to show");
    }
    let mut bytes = [0; ROOM];
    Writer::filling(&mut bytes).literal(literal);
    let (text, _) = bytes.split_at(len);
    match core::str::from_utf8(text) {
        Ok(text) => start.text(" is ").text(text),
        Err(_) => *start,
    }
}

/// Returns the other way to write the number of a default: examples have no constants.
const fn constant(is_default: bool) -> &'static str {
    if is_default { ", or the name of a constant" } else { "" }
}

#[track_caller]
const fn literal_fits(schema: &Schema, literal: &Literal, start: &Message, is_default: bool) {
    // The macro reports it where `secret` stands on the field itself.
    if is_default && schema.secret {
        start
            .text(" is secret, and everyone can read it in the catalog; make the field an `Option` and generate a value where there is none, or leave `secret` out")
            .panic();
    }
    if let Some(message) = out_of_bounds(schema, literal, start) {
        message.panic();
    }
    match (&schema.kind, literal) {
        (Kind::Any, _)
        | (Kind::Boolean, Literal::Boolean(_))
        | (Kind::Integer(_) | Kind::Number(_), Literal::Integer(_))
        | (Kind::Number(_), Literal::Number(_)) => {}
        (Kind::Foreign(_), _) => {
            start.text(" cannot be checked: the schema of its type is known only at run time").panic();
        }
        (Kind::String(rules), Literal::String(text)) => {
            if let Some(format) = rules.format
                && !format.accepts(text.get())
            {
                is(start, literal).text(", which is not ").text(format.noun()).panic();
            }
        }
        (_, Literal::Null) if schema.nullable => {}
        (Kind::Choice(choices), _) => choice_fits(choices, literal, start),
        (Kind::Array(rules), Literal::Array(items)) => {
            let mut at = 0;
            while at < items.len() {
                literal_fits(rules.items, &items[at], &start.text(" has an item that"), is_default);
                let mut other = 0;
                while rules.unique && other < at {
                    if equal(&items[at], &items[other]) {
                        is(&start.text(" has a duplicate item, which"), &items[at]).panic();
                    }
                    other += 1;
                }
                at += 1;
            }
        }
        (Kind::Map(rules), Literal::Object(members)) => {
            let mut at = 0;
            while at < members.len() {
                literal_fits(rules.values, &members[at].1, &start.text(" has an entry that"), is_default);
                at += 1;
            }
        }
        (Kind::Object(object), Literal::Object(members)) => object_fits(object, None, members, start, is_default),
        (Kind::Tagged(tagged), Literal::Object(members)) => {
            if let Some(Literal::String(tag)) = member(members, tagged.tag) {
                match variant(tagged, *tag) {
                    Some(variant) => return object_fits(&variant.object, Some(tagged.tag), members, start, is_default),
                    None => is(start, literal).text(", but there is no variant ").text(tag.json()).panic(),
                }
            }
            is(start, literal).text(", without the property ").name(tagged.tag.get()).panic();
        }
        _ => wrong_type(schema, literal, start, is_default),
    }
}

#[track_caller]
const fn choice_fits(choices: &[Choice], literal: &Literal, start: &Message) {
    let mut at = 0;
    while let Literal::String(text) = literal
        && at < choices.len()
    {
        if same(choices[at].value.get(), text.get()) {
            return;
        }
        at += 1;
    }
    let mut message = is(start, literal).text(", but the values are");
    let mut at = 0;
    while at < choices.len() {
        message = message.text(if at > 0 { ", " } else { " " }).text(choices[at].value.json());
        at += 1;
    }
    message.panic();
}

/// Reports a literal of another type, with how to write it if quotes or brackets are the mistake.
#[track_caller]
const fn wrong_type(schema: &Schema, literal: &Literal, start: &Message, is_default: bool) -> ! {
    let message = is(start, literal).text(", but has to be ").text(noun(schema));
    match (&schema.kind, literal) {
        (Kind::Integer(_) | Kind::Number(_), Literal::String(text)) if is_number(text.get()) => {
            message.text("; write it without quotes").panic()
        }
        (Kind::Integer(_) | Kind::Number(_), Literal::String(_)) => {
            message.text("; write the number alone").text(constant(is_default)).text(", without quotes").panic()
        }
        (Kind::Boolean, Literal::String(text)) if same(text.get(), "true") || same(text.get(), "false") => {
            message.text("; write it without quotes").panic()
        }
        (Kind::String(_), Literal::Boolean(_) | Literal::Integer(_) | Literal::Number(_)) => {
            message.text("; write it in quotes").panic()
        }
        (Kind::Array(_), Literal::Boolean(_) | Literal::Integer(_) | Literal::Number(_) | Literal::String(_)) => {
            message.text("; write it in brackets").panic()
        }
        (Kind::Tagged(tagged), Literal::String(name)) if variant(tagged, *name).is_some() => {
            let message = message.text("; write `{ ").text(tagged.tag.json()).text(": ").text(name.json());
            message.text(" }`").panic()
        }
        _ => message.panic(),
    }
}

const fn variant(tagged: &Tagged, name: Text) -> Option<&Variant> {
    let mut at = 0;
    while at < tagged.variants.len() {
        if same(tagged.variants[at].name.get(), name.get()) {
            return Some(&tagged.variants[at]);
        }
        at += 1;
    }
    None
}

const fn is_number(text: &str) -> bool {
    let mut rest = text.as_bytes();
    while let [b'0'..=b'9' | b'-' | b'.' | b'_', more @ ..] = rest {
        rest = more;
    }
    rest.is_empty()
}

/// Returns the message about a number, or a length, that is outside of its bounds. A value of another type has none.
pub(super) const fn out_of_bounds(schema: &Schema, literal: &Literal, start: &Message) -> Option<Message> {
    match (&schema.kind, literal) {
        (Kind::Integer(rules), Literal::Integer(value)) => wrong_integer(rules, literal, *value, start),
        #[expect(clippy::cast_precision_loss, reason = "compared with bounds that have the same precision")]
        (Kind::Number(rules), Literal::Integer(value)) => {
            wrong_number(rules, literal, Decimal { value: *value as f64, text: "" }, start)
        }
        (Kind::Number(rules), Literal::Number(value)) => wrong_number(rules, literal, *value, start),
        (Kind::String(rules), Literal::String(text)) => wrong_count(
            characters(text.get()),
            [rules.min_length, rules.max_length],
            ["character", "characters"],
            literal,
            start,
        ),
        (Kind::Array(rules), Literal::Array(items)) => {
            wrong_count(items.len() as u64, [rules.min_items, rules.max_items], ["item", "items"], literal, start)
        }
        (Kind::Map(rules), Literal::Object(members)) => {
            let bounds = [rules.min_properties, rules.max_properties];
            wrong_count(members.len() as u64, bounds, ["entry", "entries"], literal, start)
        }
        _ => None,
    }
}

pub(super) const fn wrong_integer(rules: &Integer, literal: &Literal, value: i128, start: &Message) -> Option<Message> {
    let (low, high) = (rules.minimum, rules.maximum);
    if let Some(low) = low
        && (value < low || rules.exclusive_minimum && value == low)
    {
        let bound = if rules.exclusive_minimum { ", but it has to be greater than " } else { ", but the minimum is " };
        return Some(is(start, literal).text(bound).integer(low));
    }
    if let Some(high) = high
        && (value > high || rules.exclusive_maximum && value == high)
    {
        let bound = if rules.exclusive_maximum { ", but it has to be less than " } else { ", but the maximum is " };
        return Some(is(start, literal).text(bound).integer(high));
    }
    if let Some(divisor) = rules.multiple_of
        && divisor > 0
        && value % divisor != 0
    {
        return Some(is(start, literal).text(", which is not a multiple of ").integer(divisor));
    }
    let Some(values) = rules.one_of else { return None };
    let (mut at, mut message) = (0, is(start, literal).text(", but the values are"));
    while at < values.len() {
        if values[at] == value {
            return None;
        }
        message = message.text(if at > 0 { ", " } else { " " }).integer(values[at]);
        at += 1;
    }
    Some(message)
}

const fn wrong_number(rules: &Number, literal: &Literal, value: Decimal, start: &Message) -> Option<Message> {
    if let Some(low) = rules.minimum
        && (value.value < low.value || rules.exclusive_minimum && value.value <= low.value)
    {
        let bound = if rules.exclusive_minimum { ", but it has to be greater than " } else { ", but the minimum is " };
        return Some(is(start, literal).text(bound).text(low.text));
    }
    if let Some(high) = rules.maximum
        && (value.value > high.value || rules.exclusive_maximum && value.value >= high.value)
    {
        let bound = if rules.exclusive_maximum { ", but it has to be less than " } else { ", but the maximum is " };
        return Some(is(start, literal).text(bound).text(high.text));
    }
    let Some(divisor) = rules.multiple_of else { return None };
    let multiple = match literal {
        Literal::Integer(value) => decimal::is_multiple_of_whole(*value, divisor.text),
        _ => decimal::is_multiple(value.text, divisor.text),
    };
    if multiple { None } else { Some(is(start, literal).text(", which is not a multiple of ").text(divisor.text)) }
}

const fn wrong_count(
    count: u64,
    [min, max]: [Option<u64>; 2],
    units: [&str; 2],
    literal: &Literal,
    start: &Message,
) -> Option<Message> {
    let (word, bound) = match (min, max) {
        (Some(min), _) if count < min => (", but the minimum is ", min),
        (_, Some(max)) if count > max => (", but the maximum is ", max),
        _ => return None,
    };
    let message = is(start, literal).text(word).integer(bound as i128).text(" ");
    Some(message.text(units[(bound != 1) as usize]))
}

#[track_caller]
const fn object_fits(
    object: &Object,
    tag: Option<Text>,
    members: &[(Text, Literal)],
    start: &Message,
    is_default: bool,
) {
    let mut at = 0;
    while at < object.properties.len() {
        let property: &Property = &object.properties[at];
        match member(members, property.name) {
            Some(value) => {
                literal_fits(
                    &property.schema,
                    value,
                    &start.text(" has a ").name(property.name.get()).text(" that"),
                    is_default,
                );
            }
            None if property.required => start.text(" lacks the property ").name(property.name.get()).panic(),
            None => {}
        }
        at += 1;
    }
    let mut at = 0;
    while at < members.len() && !object.open {
        let name = members[at].0;
        let known = match tag {
            Some(tag) => same(tag.get(), name.get()),
            None => false,
        };
        if !known && object.property(name.get()).is_none() {
            start.text(" has a property ").name(name.get()).text(", which its type does not have").panic();
        }
        at += 1;
    }
}

const fn member(members: &[(Text, Literal)], name: Text) -> Option<&Literal> {
    let mut at = 0;
    while at < members.len() {
        if same(members[at].0.get(), name.get()) {
            return Some(&members[at].1);
        }
        at += 1;
    }
    None
}

/// Returns the number of characters (code points).
const fn characters(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let (mut at, mut count) = (0, 0);
    while at < bytes.len() {
        if bytes[at] & 0b1100_0000 != 0b1000_0000 {
            count += 1;
        }
        at += 1;
    }
    count
}

/// Returns whether two values are equal, as numbers are however they are written. Objects are compared only at run time.
const fn equal(a: &Literal, b: &Literal) -> bool {
    match (a, b) {
        (Literal::Null, Literal::Null) => true,
        (Literal::Boolean(a), Literal::Boolean(b)) => *a == *b,
        (Literal::Integer(a), Literal::Integer(b)) => *a == *b,
        (Literal::String(a), Literal::String(b)) => same(a.get(), b.get()),
        (Literal::Array(a), Literal::Array(b)) => {
            let mut at = 0;
            while at < a.len() && at < b.len() && equal(&a[at], &b[at]) {
                at += 1;
            }
            at == a.len() && at == b.len()
        }
        _ => match (number(a), number(b)) {
            #[expect(clippy::float_cmp, reason = "only equal numbers are duplicates")]
            (Some(a), Some(b)) => a == b,
            _ => false,
        },
    }
}

#[expect(clippy::cast_precision_loss, reason = "compared with a number of the same precision")]
const fn number(literal: &Literal) -> Option<f64> {
    match literal {
        Literal::Integer(value) => Some(*value as f64),
        Literal::Number(value) => Some(value.value),
        _ => None,
    }
}
