//! Narrower bounds of a plan for the parameters of its type: `#[plan(narrow(...))]`. Several plans share a type, and differ
//! in numbers.

use super::{
    builder::{Limit, Rule},
    constraints::{constraint, noun, order_mistake, rule, values_mistake},
    literal::out_of_bounds,
    model::{Integer, Kind, Object, Property, Schema, Text},
};
use crate::text::{Message, same};

/// The parameters that bounds narrow.
#[derive(Debug, Clone, Copy)]
pub enum Narrowed<'a> {
    /// Those of `create`, which have all properties of the bounds.
    Create,
    /// Those of `update`, with the schema of `create`, whose properties the bounds name. Their own bounds may be narrower, and
    /// stay then; a map has only the entries that change, so the bounds of its length are those of the result, which is checked
    /// with the parameters of `create`.
    Update(&'a Schema),
}

/// The narrower bounds of one property.
#[derive(Debug, Clone, Copy)]
pub struct Narrowing {
    /// The name of the property on the wire, or that name in `snake_case`.
    pub property: &'static str,
    /// The bounds. Those of strings, lists and maps are bounds of the length.
    pub rules: &'static [Rule],
}

/// Returns the number of properties of an object, and 0 for other kinds of value.
#[must_use]
pub const fn property_count(schema: &Schema) -> usize {
    match &schema.kind {
        Kind::Object(object) => object.properties.len(),
        _ => 0,
    }
}

/// Returns the properties of an object with the narrower bounds.
#[must_use]
pub const fn narrowed<const COUNT: usize>(
    schema: &Schema,
    narrowings: &[Narrowing],
    of: Narrowed<'_>,
) -> [Property; COUNT] {
    let none = Property::of(Text::new("", ""), Schema::new(Kind::Any));
    let mut properties = [none; COUNT];
    if let Kind::Object(object) = &schema.kind {
        let mut at = 0;
        while at < COUNT {
            properties[at] = object.properties[at];
            at += 1;
        }
    }
    narrow_all(&mut properties, narrowings, of);
    properties
}

const fn narrow_all(properties: &mut [Property], narrowings: &[Narrowing], of: Narrowed<'_>) {
    let mut one = 0;
    while one < narrowings.len() {
        let Narrowing { property, rules } = narrowings[one];
        if let Some(at) = position(properties, property, of) {
            properties[at].schema = narrow(&properties[at].schema, rules, of);
        }
        one += 1;
    }
}

/// Returns the index of the property that bounds call `name`.
const fn position(properties: &[Property], name: &str, of: Narrowed<'_>) -> Option<usize> {
    match of {
        Narrowed::Create => find(properties, name),
        Narrowed::Update(Schema { kind: Kind::Object(create), .. }) => match find(create.properties, name) {
            Some(at) => exactly(properties, create.properties[at].name.get()),
            None => None,
        },
        Narrowed::Update(_) => None,
    }
}

/// Returns the schema of an object with the narrower bounds of a deployment's plan, which it leaks.
pub(crate) fn narrow_at_start(schema: &Schema, narrowings: &[Narrowing], of: Narrowed<'_>) -> &'static Schema {
    let mut properties = match &schema.kind {
        Kind::Object(object) => object.properties.to_vec(),
        _ => Vec::new(),
    };
    narrow_all(&mut properties, narrowings, of);
    Box::leak(Box::new(with_properties(schema, properties.leak())))
}

/// Returns the schema of an object with other properties.
#[must_use]
pub const fn with_properties(schema: &Schema, properties: &'static [Property]) -> Schema {
    match &schema.kind {
        Kind::Object(Object { open, .. }) => {
            Schema { kind: Kind::Object(Object { properties, open: *open }), ..*schema }
        }
        _ => *schema,
    }
}

const fn narrow(schema: &Schema, rules: &[Rule], of: Narrowed<'_>) -> Schema {
    let mut narrower = *schema;
    // They may be outside of the bounds.
    narrower.examples = &[];
    let mut at = 0;
    while at < rules.len() {
        let rule = of_kind(&schema.kind, rules[at]);
        let applies = match of {
            Narrowed::Create => true,
            Narrowed::Update(_) => leaves_less(&narrower, &rule),
        };
        if applies {
            narrower = narrower.with(&[rule]);
        }
        at += 1;
    }
    narrower
}

/// Returns whether a rule narrows a property of an update, whose own rules may be narrower.
const fn leaves_less(own: &Schema, rule: &Rule) -> bool {
    match (&own.kind, rule) {
        (Kind::Map(_), _) => false,
        // The other rules stay, and apply to the values of the list.
        (Kind::Integer(Integer { one_of: None, .. }), Rule::OneOf(_)) => {
            values_mistake(&own.with(&[*rule]), "").is_none()
        }
        _ => self::rule(own, "", rule).is_none(),
    }
}

/// Returns the rule for a kind of value: bounds of strings, lists and maps are those of the length.
const fn of_kind(kind: &Kind, rule: Rule) -> Rule {
    match (kind, rule) {
        (
            Kind::String(_) | Kind::Array(_) | Kind::Map(_),
            Rule::Minimum(Limit { integer: Some(min @ 0..), .. }, false),
        ) => Rule::Length(Some(min), None),
        (
            Kind::String(_) | Kind::Array(_) | Kind::Map(_),
            Rule::Maximum(Limit { integer: Some(max @ 0..), .. }, false),
        ) => Rule::Length(None, Some(max)),
        (_, rule) => rule,
    }
}

/// Checks that a plan narrows a property that its create parameters have, in a way that the kind of value allows, and that
/// the bounds leave a value, and the default.
#[track_caller]
pub const fn check_narrowing(plan: &str, base: &Schema, plans: &Schema, narrowing: &Narrowing) {
    if let Some(message) = misplaced(plan, base, plans, narrowing) {
        message.panic();
    }
    if let Some((own, narrower)) = pair(base, plans, narrowing.property)
        && overlap(own, narrower)
        && let Some(default) = &own.default
        && order_mistake(narrower, Message::new("").name(narrowing.property).get()).is_none()
    {
        let start = Message::new("the default of ").name(narrowing.property);
        // One that the type refuses is reported at its own place.
        if let (None, Some(message)) = (out_of_bounds(own, default, &start), out_of_bounds(narrower, default, &start)) {
            message.text("; allow the default in the plan, or change it in the type").panic();
        }
    }
}

/// Returns the message of [`check_narrowing`] for everything but the default, which [`check`](super::check) validates at run
/// time.
pub(crate) const fn misplaced(plan: &str, base: &Schema, plans: &Schema, narrowing: &Narrowing) -> Option<Message> {
    let Kind::Object(object) = &base.kind else {
        let message = Message::new("the create parameters of plan ").name(plan).text(" are ").text(noun(base));
        return Some(message.text(", and `narrow` is about the properties of a struct"));
    };
    let Some((own, narrower)) = pair(base, plans, narrowing.property) else {
        let message = Message::new("the create parameters of plan ").name(plan).text(" have no property ");
        return Some(with_names(message.name(narrowing.property), object.properties));
    };
    let name = Message::new("").name(narrowing.property);
    let (has_divisor, has_values) = given(narrowing.rules);
    let word = match &own.kind {
        // Each value is checked at the list.
        Kind::Integer(_) if has_values => return None,
        Kind::Number(_) if has_values => {
            return Some(only_bounds(&name, own, "which ", "`one_of` is for whole numbers"));
        }
        Kind::Integer(_) | Kind::Number(_) => "range",
        Kind::String(_) | Kind::Array(_) | Kind::Map(_) if has_divisor => {
            return Some(only_bounds(&name, own, "whose length ", "`multiple_of` is for numbers"));
        }
        Kind::String(_) | Kind::Array(_) | Kind::Map(_) if has_values => {
            return Some(only_bounds(&name, own, "whose length ", "`one_of` is for whole numbers"));
        }
        Kind::String(_) | Kind::Array(_) | Kind::Map(_) => "length",
        _ => return Some(name.text(" is ").text(noun(own)).text(", which has no bounds to narrow")),
    };
    // A bound outside of those of the type is reported at its own place.
    if !overlap(own, narrower) {
        return None;
    }
    match constraint(own, narrower, name.get(), word) {
        None if has_divisor => constraint(own, narrower, name.get(), "multiple_of"),
        message => message,
    }
}

/// Checks that a plan narrows a property once, be it by its name or by an alias: the second bounds would replace the first.
#[track_caller]
pub const fn check_narrowed_once(base: &Schema, narrowings: &[Narrowing], index: usize) {
    let this = narrowings[index].property;
    let mut at = 0;
    while at < index {
        let earlier = narrowings[at].property;
        if same_property(base, earlier, this) {
            let message = Message::new("").name(earlier).text(" and ").name(this);
            message.text(" are the same property; write all bounds in one place").panic();
        }
        at += 1;
    }
}

/// Returns whether an object has a property that both names mean.
pub(crate) const fn same_property(base: &Schema, one: &str, other: &str) -> bool {
    let Kind::Object(object) = &base.kind else { return false };
    matches!((find(object.properties, one), find(object.properties, other)), (Some(one), Some(other)) if one == other)
}

/// Returns the schemas of a property: that of the type, and that of the plan.
pub(crate) const fn pair<'a>(base: &'a Schema, plans: &'a Schema, name: &str) -> Option<(&'a Schema, &'a Schema)> {
    let (Kind::Object(base), Kind::Object(plans)) = (&base.kind, &plans.kind) else { return None };
    match find(base.properties, name) {
        Some(at) => Some((&base.properties[at].schema, &plans.properties[at].schema)),
        None => None,
    }
}

/// Returns whether each bound of the plan is on the right side of those of the type.
const fn overlap(own: &Schema, narrower: &Schema) -> bool {
    match (&own.kind, &narrower.kind) {
        (Kind::Integer(own), Kind::Integer(narrower)) => {
            let low = matches!((own.minimum, narrower.maximum), (Some(low), Some(high)) if high < low);
            let high = matches!((own.maximum, narrower.minimum), (Some(high), Some(low)) if low > high);
            !low && !high
        }
        (Kind::Number(own), Kind::Number(narrower)) => {
            let low = matches!((own.minimum, narrower.maximum), (Some(low), Some(high)) if high.value < low.value);
            let high = matches!((own.maximum, narrower.minimum), (Some(high), Some(low)) if low.value > high.value);
            !low && !high
        }
        _ => true,
    }
}

/// Returns whether no value is within the bounds of both schemas, although each allows one. The length of a map is known only
/// after a merge.
#[must_use]
pub const fn disjoint(one: &Schema, other: &Schema) -> bool {
    const fn apart(one: [Option<u64>; 2], other: [Option<u64>; 2]) -> bool {
        matches!((one, other), ([_, Some(high)], [Some(low), _]) if high < low)
            || matches!((one, other), ([Some(low), _], [_, Some(high)]) if high < low)
    }
    if order_mistake(one, "").is_some() || order_mistake(other, "").is_some() {
        return false; // reported at the constraint
    }
    match (&one.kind, &other.kind) {
        (Kind::String(one), Kind::String(other)) => {
            apart([one.min_length, one.max_length], [other.min_length, other.max_length])
        }
        (Kind::Array(one), Kind::Array(other)) => {
            apart([one.min_items, one.max_items], [other.min_items, other.max_items])
        }
        _ => !overlap(one, other),
    }
}

/// Checks that one rule is narrower than that of the type.
#[track_caller]
pub const fn check_narrowing_rule(base: &Schema, narrowing: &Narrowing, rule: usize) {
    if let Some(message) = wider(base, narrowing, rule) {
        message.panic();
    }
}

/// Returns the message of [`check_narrowing_rule`].
pub(crate) const fn wider(base: &Schema, narrowing: &Narrowing, rule: usize) -> Option<Message> {
    let Kind::Object(object) = &base.kind else { return None };
    let Some(at) = find(object.properties, narrowing.property) else { return None };
    let (schema, name) = (&object.properties[at].schema, Message::new("").name(narrowing.property));
    let rule = of_kind(&schema.kind, narrowing.rules[rule]);
    if matches!(
        (&schema.kind, &rule),
        (Kind::String(_) | Kind::Array(_) | Kind::Map(_), Rule::Minimum(..) | Rule::Maximum(..))
    ) {
        if let Rule::Minimum(_, true) | Rule::Maximum(_, true) = rule {
            let message = Message::new("the length of ").message(&name);
            return Some(message.text(" is a whole number: write `min` or `max`, which include the bound"));
        }
        let message = Message::new("a length of ").message(&name);
        return Some(message.text(" must be a whole number that is not negative"));
    }
    self::rule(schema, name.get(), &rule)
}

/// Returns whether rules have a divisor, and whether they have a list of values.
const fn given(rules: &[Rule]) -> (bool, bool) {
    let (mut divisor, mut values, mut at) = (false, false, 0);
    while at < rules.len() {
        divisor |= matches!(rules[at], Rule::MultipleOf(_));
        values |= matches!(rules[at], Rule::OneOf(_));
        at += 1;
    }
    (divisor, values)
}

const fn only_bounds(name: &Message, own: &Schema, which: &str, other: &str) -> Message {
    let message = Message::new("").message(name).text(" is ").text(noun(own)).text(", ").text(which);
    message.text("`narrow` bounds by `min` and `max`; ").text(other)
}

const fn with_names(mut message: Message, properties: &[Property]) -> Message {
    let mut at = 0;
    while at < properties.len() {
        message = message.text(if at == 0 { "; they have " } else { ", " }).name(properties[at].name.get());
        at += 1;
    }
    message
}

/// Returns the index of the property with this name: the exact one if there is one, as two names may differ in case alone, or
/// else a former one, which the files of deployments may still have.
const fn find(properties: &[Property], name: &str) -> Option<usize> {
    if let Some(at) = exactly(properties, name) {
        return Some(at);
    }
    let mut similar = None;
    let mut at = properties.len();
    while at > 0 {
        at -= 1;
        if was_called(&properties[at], name) {
            return Some(at);
        }
        if is_called(&properties[at], name) {
            similar = Some(at);
        }
    }
    similar
}

const fn was_called(property: &Property, name: &str) -> bool {
    let mut at = 0;
    while at < property.aliases.len() {
        if same(property.aliases[at], name) {
            return true;
        }
        at += 1;
    }
    false
}

const fn exactly(properties: &[Property], name: &str) -> Option<usize> {
    let mut at = 0;
    while at < properties.len() {
        if same(properties[at].name.get(), name) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Returns whether a property has this name, whichever case the wire has: `connection_limit` is `connectionLimit` too.
const fn is_called(property: &Property, name: &str) -> bool {
    let (wire, name) = (property.name.get().as_bytes(), name.as_bytes());
    let (mut w, mut n) = (0, 0);
    loop {
        while w < wire.len() && matches!(wire[w], b'_' | b'-') {
            w += 1;
        }
        while n < name.len() && matches!(name[n], b'_' | b'-') {
            n += 1;
        }
        if w == wire.len() || n == name.len() {
            return w == wire.len() && n == name.len();
        }
        if !wire[w].eq_ignore_ascii_case(&name[n]) {
            return false;
        }
        (w, n) = (w + 1, n + 1);
    }
}
