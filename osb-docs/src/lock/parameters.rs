//! Compares the parameters of an operation: a change is compatible if every value that was valid still is, and means the
//! same.
//!
//! The comparison is conservative: it never accepts an incompatible change, and rejects some compatible ones, such as
//! most changes of patterns.

use std::{cmp::Ordering, collections::BTreeSet};

use serde_json::Number;

use super::{
    ChangeKind,
    tree::{Schema, Type},
};
use osb_runtime::schema::{canonical, is_multiple};

/// A change, and the pointer to its property.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) change: ChangeKind,
    pub(super) pointer: String,
    pub(super) was: String,
    pub(super) is: String,
}

/// Returns all changes from one schema to another.
pub(super) fn compare(old: &Schema, new: &Schema) -> Vec<Found> {
    let mut comparison = Comparison::default();
    comparison.schema(old, new);
    comparison.found
}

/// Finds the property at a pointer, through objects only.
pub(super) fn at<'a>(schema: &'a Schema, pointer: &str) -> Option<&'a Schema> {
    pointer.split('/').skip(1).try_fold(schema, |schema, name| {
        schema.property(&name.replace("~1", "/").replace("~0", "~")).map(|(_, property)| property)
    })
}

/// A recursive comparison of two schemas.
#[derive(Default)]
pub(super) struct Comparison {
    pub(super) found: Vec<Found>,
    pointer: String,
}

impl Comparison {
    pub(super) fn push(&mut self, change: ChangeKind, was: impl ToString, is: impl ToString) {
        let (was, is) = (was.to_string(), is.to_string());
        self.found.push(Found { change, pointer: self.pointer.clone(), was, is });
    }

    /// Runs `compare` one level deeper.
    pub(super) fn deeper(&mut self, step: &str, compare: impl FnOnce(&mut Self)) {
        let length = self.pointer.len();
        self.pointer.push_str(step);
        compare(self);
        self.pointer.truncate(length);
    }

    pub(super) fn property(&mut self, name: &str, compare: impl FnOnce(&mut Self)) {
        self.deeper(&format!("/{}", name.replace('~', "~0").replace('/', "~1")), compare);
    }

    fn schema(&mut self, old: &Schema, new: &Schema) {
        self.flag(old.secret, new.secret, [ChangeKind::SecretAdded, ChangeKind::SecretDropped]);
        match (old.kind, new.kind) {
            (Type::Any, Type::Any) => return,
            (was, Type::Any) => return self.push(ChangeKind::TypeWidened, was.noun(), Type::Any.noun()),
            (Type::Integer, Type::Number) => {
                self.push(ChangeKind::TypeWidened, old.kind.noun(), new.kind.noun());
            }
            (Type::Choice, Type::String) if takes_all(new, &old.values) => {
                self.push(ChangeKind::TypeWidened, old.kind.noun(), new.kind.noun());
                return self.null(old, new);
            }
            (was, is) if was != is => return self.push(ChangeKind::TypeChanged, was.noun(), is.noun()),
            _ => {}
        }
        self.null(old, new);
        self.range(old, new);
        self.lengths(old, new);
        self.text(old, new);
        self.flag(old.unique, new.unique, [ChangeKind::UniqueAdded, ChangeKind::UniqueDropped]);
        let anything = Schema::of(Type::Any);
        let items = |schema: &'_ Schema| schema.items.as_deref().unwrap_or(&anything).clone();
        self.deeper("/*", |this| this.schema(&items(old), &items(new)));
        self.object(old, new);
        self.variants(old, new);
        if old.foreign != new.foreign {
            self.push(ChangeKind::ForeignChanged, "", "");
        }
    }

    fn flag(&mut self, was: bool, is: bool, [set, cleared]: [ChangeKind; 2]) {
        if was != is {
            self.push(if is { set } else { cleared }, "", "");
        }
    }

    fn null(&mut self, old: &Schema, new: &Schema) {
        self.flag(old.nullable, new.nullable, [ChangeKind::NullAccepted, ChangeKind::NullRefused]);
    }

    fn range(&mut self, old: &Schema, new: &Schema) {
        let minima = [(old.minimum.as_ref(), old.exclusive_minimum), (new.minimum.as_ref(), new.exclusive_minimum)];
        let maxima = [(old.maximum.as_ref(), old.exclusive_maximum), (new.maximum.as_ref(), new.exclusive_maximum)];
        self.bound(minima, Ordering::Greater, [ChangeKind::MinimumRaised, ChangeKind::MinimumLowered]);
        self.bound(maxima, Ordering::Less, [ChangeKind::MaximumLowered, ChangeKind::MaximumRaised]);

        // Every integer is a multiple of one.
        let one = (old.kind == Type::Integer).then(|| Number::from(1));
        let (before, now) = (old.multiple_of.clone().or_else(|| one.clone()), new.multiple_of.clone());
        let now = now.or_else(|| one.filter(|_| new.kind == Type::Integer));
        if before != now {
            let divides =
                |now: &Number| before.as_ref().is_some_and(|before| is_multiple(&before.to_string(), &now.to_string()));
            let change = if now.as_ref().is_none_or(divides) {
                ChangeKind::MultipleLoosened
            } else {
                ChangeKind::MultipleTightened
            };
            // The change from an integer to a number is reported already.
            if change == ChangeKind::MultipleTightened || old.multiple_of.is_some() {
                self.push(change, shown(old.multiple_of.as_ref()), shown(new.multiple_of.as_ref()));
            }
        }
    }

    /// Compares two bounds. `tighter` is the ordering of a bound that accepts less compared to the other.
    fn bound(
        &mut self,
        [(old, old_exclusive), (new, new_exclusive)]: [(Option<&Number>, bool); 2],
        tighter: Ordering,
        [breaking, addition]: [ChangeKind; 2],
    ) {
        let order = match (old, new) {
            (None, None) => return,
            (None, Some(_)) => tighter,
            (Some(_), None) => tighter.reverse(),
            (Some(old), Some(new)) => match (order(new, old), old_exclusive, new_exclusive) {
                (Ordering::Equal, false, true) => tighter,
                (Ordering::Equal, true, false) => tighter.reverse(),
                (order, ..) => order,
            },
        };
        let shown = |bound: Option<&Number>, exclusive| match bound {
            Some(bound) if exclusive => format!("{bound} exclusively"),
            bound => shown(bound),
        };
        let change = if order == tighter { breaking } else { addition };
        if order != Ordering::Equal {
            self.push(change, shown(old, old_exclusive), shown(new, new_exclusive));
        }
    }

    fn lengths(&mut self, old: &Schema, new: &Schema) {
        let least = new.min_length.unwrap_or(0).cmp(&old.min_length.unwrap_or(0));
        let most = old.max_length.unwrap_or(u64::MAX).cmp(&new.max_length.unwrap_or(u64::MAX));
        for (tighter, (was, is), [breaking, addition]) in [
            (
                least,
                (old.min_length, new.min_length),
                [ChangeKind::MinimumLengthRaised, ChangeKind::MinimumLengthLowered],
            ),
            (
                most,
                (old.max_length, new.max_length),
                [ChangeKind::MaximumLengthLowered, ChangeKind::MaximumLengthRaised],
            ),
        ] {
            let change = if tighter == Ordering::Greater { breaking } else { addition };
            if tighter != Ordering::Equal {
                self.push(change, shown(was.as_ref()), shown(is.as_ref()));
            }
        }
    }

    fn text(&mut self, old: &Schema, new: &Schema) {
        for (old, new, [breaking, addition]) in [
            (&old.pattern, &new.pattern, [ChangeKind::PatternChanged, ChangeKind::PatternDropped]),
            (&old.format, &new.format, [ChangeKind::FormatChanged, ChangeKind::FormatDropped]),
        ] {
            if old != new {
                self.push(if new.is_some() { breaking } else { addition }, shown(old.as_ref()), shown(new.as_ref()));
            }
        }
        for value in old.values.iter().filter(|value| !new.values.contains(value)) {
            self.push(ChangeKind::ValueRemoved, value, "");
        }
        for value in new.values.iter().filter(|value| !old.values.contains(value)) {
            self.push(ChangeKind::ValueAdded, "", value);
        }
    }

    fn object(&mut self, old: &Schema, new: &Schema) {
        self.flag(old.open, new.open, [ChangeKind::Opened, ChangeKind::Closed]);
        let mut taken = BTreeSet::new();
        for (name, was) in &old.properties {
            let found = new.property(name);
            self.property(name, |this| match found {
                None => this.push(ChangeKind::PropertyRemoved, "", ""),
                Some((today, _)) if !taken.insert(today) => this.push(ChangeKind::PropertiesMerged, "", today),
                Some((today, is)) => {
                    if today != name {
                        this.push(ChangeKind::PropertyRenamed, name, today);
                    }
                    for alias in &was.aliases {
                        if new.property(alias).is_none_or(|(other, _)| other != today) {
                            this.push(ChangeKind::AliasRemoved, alias, "");
                        }
                    }
                    this.presence(was, is);
                    this.schema(was, is);
                }
            });
        }
        for (name, is) in &new.properties {
            self.property(name, |this| {
                let names = std::iter::once(name).chain(&is.aliases);
                for name in names.filter(|name| old.open && old.property(name).is_none()) {
                    this.push(ChangeKind::NameTaken, "", name);
                }
                if !taken.contains(name.as_str()) {
                    if is.required {
                        this.push(ChangeKind::RequiredAdded, "", "");
                    } else if !old.open {
                        this.push(ChangeKind::PropertyAdded, "", "");
                    }
                }
            });
        }
    }

    /// Compares the meaning of an absent property.
    fn presence(&mut self, was: &Schema, is: &Schema) {
        match (was.required, is.required) {
            (false, true) => return self.push(ChangeKind::RequiredAdded, "", ""),
            (true, false) => return self.push(ChangeKind::RequiredDropped, "", ""),
            (true, true) => return,
            (false, false) => {}
        }
        match (&was.default, &is.default) {
            (Some(old), Some(new)) if canonical(old) != canonical(new) => {
                self.push(ChangeKind::DefaultChanged, old, new);
            }
            (Some(old), None) => self.push(ChangeKind::DefaultRemoved, old, ""),
            (None, Some(new)) => self.push(ChangeKind::DefaultAdded, "", new),
            _ => {}
        }
    }

    fn variants(&mut self, old: &Schema, new: &Schema) {
        if old.tag != new.tag {
            return self.push(ChangeKind::TagChanged, &old.tag, &new.tag);
        }
        for (name, was) in &old.variants {
            match new.variants.get(name) {
                None => self.push(ChangeKind::VariantRemoved, name, ""),
                Some(is) => self.deeper(&format!("[{}={name}]", old.tag), |this| this.object(was, is)),
            }
        }
        for name in new.variants.keys().filter(|name| !old.variants.contains_key(*name)) {
            self.push(ChangeKind::VariantAdded, "", name);
        }
    }
}

impl Type {
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Any => "any JSON value",
            Self::Boolean => "a boolean",
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Choice => "one of several strings",
            Self::List => "a list",
            Self::Map => "a map",
            Self::Object => "an object",
            Self::Tagged => "one of several objects",
            Self::Foreign => "a foreign type",
        }
    }
}

/// Whether a string schema certainly accepts each of the values; `false` if it has a pattern or a format.
fn takes_all(rules: &Schema, values: &[String]) -> bool {
    let range = rules.min_length.unwrap_or(0)..=rules.max_length.unwrap_or(u64::MAX);
    let fits = |value: &String| range.contains(&(value.chars().count() as u64));
    rules.pattern.is_none() && rules.format.is_none() && values.iter().all(fits)
}

fn order(a: &Number, b: &Number) -> Ordering {
    let whole = |number: &Number| number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    match (whole(a), whole(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => a.as_f64().partial_cmp(&b.as_f64()).unwrap_or(Ordering::Equal),
    }
}

fn shown(value: Option<&impl ToString>) -> String {
    value.map_or_else(|| "none".to_owned(), ToString::to_string)
}
