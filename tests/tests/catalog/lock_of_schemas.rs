//! A property test of the lock: relaxing a rule is a compatible change, and after any of these, all values that were valid still are.

use osb_docs::lock::{Differences, Lock};
use osb_runtime::schema::{self, Choice, Kind, Object, Property, Schema, Variant};
use osb_tests::{
    offered::{Operations, offering},
    seed::{Seed, leak, text},
};
use serde_json::Value;

/// The number of random changes.
const TRIALS: u64 = 20_000;

fn leaked(schema: &Schema) -> &'static Schema {
    Box::leak(Box::new(*schema))
}

fn compare(old: &'static Schema, new: &'static Schema) -> Differences {
    let lock = |schema| Lock::of(&[&offering(Operations { create: Some(schema), ..Operations::default() })]);
    lock(old).compare(&lock(new))
}

/// Relaxes one constraint of a schema.
fn relaxed(seed: &mut Seed, schema: &Schema) -> Schema {
    let mut new = *schema;
    if seed.below(6) == 0 {
        new.nullable = true;
        return new;
    }
    match &mut new.kind {
        Kind::Integer(rules) => match seed.below(5) {
            0 => rules.minimum = rules.minimum.map(|low| low - 1),
            1 => rules.exclusive_maximum = false,
            2 => rules.multiple_of = None,
            3 => rules.one_of = None,
            _ => rules.maximum = None,
        },
        Kind::Number(rules) => match seed.below(4) {
            0 => rules.minimum = None,
            1 => rules.exclusive_maximum = false,
            2 => rules.multiple_of = None,
            _ => rules.maximum = None,
        },
        Kind::String(rules) => match seed.below(4) {
            0 => rules.min_length = None,
            1 => rules.max_length = rules.max_length.map(|most| most + 1),
            2 => rules.pattern = None,
            _ => rules.format = None,
        },
        Kind::Choice(choices) => {
            *choices = leak(choices.iter().copied().chain([Choice { value: text("new"), description: None }]));
        }
        Kind::Array(rules) => match seed.below(4) {
            0 => rules.min_items = None,
            1 => rules.max_items = rules.max_items.map(|most| most + 1),
            2 => rules.unique = false,
            _ => rules.items = leaked(&relaxed(seed, rules.items)),
        },
        Kind::Map(rules) => match seed.below(3) {
            0 => rules.min_properties = None,
            1 => rules.max_properties = None,
            _ => rules.values = leaked(&relaxed(seed, rules.values)),
        },
        Kind::Object(object) => *object = relaxed_object(seed, object),
        Kind::Tagged(tagged) => {
            let one = Variant { name: text("new"), description: None, object: Object { properties: &[], open: false } };
            tagged.variants = if seed.coin() {
                leak(tagged.variants.iter().copied().chain([one]))
            } else {
                leak(
                    tagged
                        .variants
                        .iter()
                        .map(|variant| Variant { object: relaxed_object(seed, &variant.object), ..*variant }),
                )
            };
        }
        _ => new.nullable = true,
    }
    new
}

fn relaxed_object(seed: &mut Seed, object: &Object) -> Object {
    // A new name in an open object is a breaking change, as values under it were ignored.
    if !object.open && seed.coin() {
        return match seed.below(3) {
            0 => Object { open: true, ..*object },
            1 => {
                let new = Property {
                    name: text("new"),
                    aliases: &[],
                    schema: seed.schema(1),
                    required: false,
                    immutable: false,
                    update_only: false,
                };
                Object { properties: leak(object.properties.iter().copied().chain([new])), ..*object }
            }
            _ => changed_property(seed, object, |_, property| Property {
                name: text("renamed"),
                aliases: leak(std::iter::once(property.name.get()).chain(property.aliases.iter().copied())),
                ..*property
            }),
        };
    }
    changed_property(seed, object, |seed, property| match seed.below(2) {
        0 => Property { required: false, ..*property },
        _ => Property { schema: relaxed(seed, &property.schema), ..*property },
    })
}

fn changed_property(seed: &mut Seed, object: &Object, change: impl Fn(&mut Seed, &Property) -> Property) -> Object {
    if object.properties.is_empty() {
        return *object;
    }
    let chosen = seed.pick(object.properties).name.get();
    let mut properties = object.properties.to_vec();
    for property in properties.iter_mut().filter(|property| property.name.get() == chosen) {
        *property = change(seed, property);
    }
    Object { properties: leak(properties.into_iter()), ..*object }
}

/// Makes a random change, compatible or not.
fn changed(seed: &mut Seed, schema: &Schema) -> Schema {
    let another = |seed: &mut Seed| {
        let same_kind = |other: &Schema| std::mem::discriminant(&other.kind) == std::mem::discriminant(&schema.kind);
        let mut tries = std::iter::repeat_with(|| seed.schema(2)).take(30);
        tries.find(same_kind).unwrap_or_else(|| relaxed(&mut Seed::new(7), schema))
    };
    let mut new = *schema;
    match (&mut new.kind, seed.below(4)) {
        (_, 0) => return relaxed(seed, schema),
        (_, 1) => return another(seed),
        (Kind::Array(rules), _) => rules.items = leaked(&changed(seed, rules.items)),
        (Kind::Map(rules), _) => rules.values = leaked(&changed(seed, rules.values)),
        (Kind::Object(object), 2) => {
            *object = changed_property(seed, object, |seed, property| Property {
                schema: changed(seed, &property.schema),
                ..*property
            });
        }
        (Kind::Object(object), _) if seed.coin() => {
            *object = changed_property(seed, object, |_, property| Property { aliases: &[], ..*property });
        }
        (Kind::Object(object), _) if object.properties.len() > 1 => {
            // Removes a property, and makes its name an alias of another one, or of none.
            let gone = *seed.pick(object.properties);
            let successor = seed.pick(object.properties).name.get();
            let anything = seed.coin();
            let kept = object.properties.iter().filter(|property| property.name.get() != gone.name.get());
            object.properties = leak(kept.map(|property| {
                if property.name.get() != successor {
                    return *property;
                }
                Property {
                    aliases: leak(property.aliases.iter().copied().chain([gone.name.get()])),
                    schema: if anything { Schema::new(Kind::Any) } else { property.schema },
                    ..*property
                }
            }));
        }
        _ => return seed.schema(1),
    }
    new
}

/// Adds members of another schema, partly with a wrong type.
fn mix(seed: &mut Seed, value: &mut Value, other: &Schema) {
    if let (Value::Object(members), Value::Object(more)) = (value, seed.value(other)) {
        for (name, value) in more {
            if seed.below(4) == 0 {
                members.entry(name).or_insert(if seed.coin() { Value::from("x") } else { value });
            }
        }
    }
}

#[test]
fn relaxed_schemas_are_compatible_and_compatible_changes_accept_all_former_values() {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (passed, values) = std::thread::scope(|scope| {
        let started: Vec<_> = (0..threads)
            .map(|first| scope.spawn(move || (0..TRIALS).skip(first).step_by(threads).map(trial).collect::<Vec<_>>()))
            .collect();
        let ended = started.into_iter().flat_map(|thread| thread.join().expect("the trials succeed"));
        ended.flatten().fold((0, 0), |(passed, values), compared| (passed + 1, values + compared))
    });
    // Guards against a test that compares nothing.
    assert!(passed > TRIALS / 10 && passed < TRIALS * 9 / 10 && values > passed, "{passed} passed, {values} values");
}

/// Compares a schema with a change of it, and returns the number of former values that the change accepts; `None` if it is a
/// breaking change.
fn trial(number: u64) -> Option<u64> {
    let mut seed = Seed::new(number);
    let old = leaked(&seed.schema(3));
    let is_relaxed = seed.coin();
    let new = leaked(&if is_relaxed { relaxed(&mut seed, old) } else { changed(&mut seed, old) });
    let differences = compare(old, new);
    if differences.breaks() {
        assert!(!is_relaxed, "{number}: {differences}\n{old:?}\n{new:?}");
        return None;
    }
    let mut values = 0;
    for _ in 0..30 {
        let mut value = seed.value(old);
        // An open object ignored names that only the new schema has.
        mix(&mut seed, &mut value, new);
        let value = seed.former(old, &value);
        if schema::check(old, &value).is_empty() {
            values += 1;
            let found = schema::check(new, &value);
            assert!(found.is_empty(), "{number}: {value}\n{old:?}\n{new:?}\n{differences}\n{found:?}");
        }
    }
    Some(values)
}
