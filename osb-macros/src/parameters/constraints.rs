//! The constraints of one field: `range`, `multiple_of`, `one_of`, `length`, `pattern`, `format`, `unique`, `items`.
//!
//! The runtime decides in constants whether a constraint applies to the type of a field, and whether its numbers make
//! sense: it sees through aliases, newtypes and named constants. Patterns, lengths that are negative, and lists that say
//! nothing are decided here, because only the tokens have them.

use proc_macro2::Ident;
use syn::Meta;

use super::param::{FORMATS, RawConstraints, RawLength, RawRange};
use crate::{
    args::{Bound, Flag, Given, Nested, NumberRule, Text, nearest, range},
    errors::{Errors, Warning},
    json::Json,
    pattern,
};

/// The constraints of one field.
#[derive(Default)]
pub(super) struct Constraints {
    /// The arguments, each with its place.
    pub(super) words: Vec<(&'static str, Ident)>,
    pub(super) rules: Vec<Rule>,
    pub(super) items: Option<Box<Constraints>>,
}

pub(super) enum Rule {
    Number(NumberRule),
    Length {
        name: Ident,
        min: Option<Bound>,
        max: Option<Bound>,
    },
    /// The expression as published, and as matched.
    Pattern {
        source: Text,
        regex: String,
    },
    /// The format's name, and the variant of the runtime's `Format`.
    Format {
        name: &'static str,
        variant: Ident,
    },
    Unique,
}

fn word(meta: &Meta) -> Option<Ident> {
    meta.path().get_ident().cloned()
}

impl Constraints {
    pub(super) fn validate(raw: RawConstraints, errors: &mut Errors) -> Self {
        let mut this = Self::default();
        if let Some(range) = raw.range.take(errors) {
            this.range(range, errors);
        }
        if let Some((divisor, meta)) = raw.multiple_of.take_with_place(errors) {
            this.add("multiple_of", word(&meta), Rule::Number(NumberRule::MultipleOf(divisor)));
        }
        if let Some((numbers, meta)) = raw.one_of.take_with_place(errors) {
            if this.rules.is_empty() {
                this.add("one_of", word(&meta), Rule::Number(NumberRule::OneOf(numbers)));
            } else {
                let help = "leave out `range` and `multiple_of`, and list the values that fit";
                errors.help(&meta, "`one_of` lists all values", help);
            }
        }
        if let Some(length) = raw.length.take(errors) {
            this.length(length, errors);
        }
        if let Some((source, meta)) = raw.pattern.take_with_place(errors) {
            match pattern::translate(&source.value()) {
                Ok(regex) => this.add("pattern", word(&meta), Rule::Pattern { source, regex }),
                Err(mistake) => errors.help(&source, mistake.message, mistake.help),
            }
        }
        if let Some((name, meta)) = raw.format.take_with_place(errors)
            && let Some(format) = format(&name, errors)
        {
            this.add("format", word(&meta), format);
        }
        if let Some((Flag(true), meta)) = raw.unique.take_with_place(errors) {
            this.add("unique", word(&meta), Rule::Unique);
        }
        if let Some(items) = raw.items.take(errors) {
            let items = items.report(errors);
            this.words.push(("items", items.name));
            this.items = Some(Box::new(Self::validate(*items.arguments, errors)));
        }
        this
    }

    fn add(&mut self, name: &'static str, place: Option<Ident>, rule: Rule) {
        self.words.extend(place.map(|place| (name, place)));
        self.rules.push(rule);
    }

    fn range(&mut self, given: Nested<RawRange>, errors: &mut Errors) {
        let before = errors.count();
        let Nested { name, arguments, .. } = given.report(errors);
        let RawRange { min, exclusive_min, max, exclusive_max } = *arguments;
        let rules = range([min, exclusive_min], [max, exclusive_max], errors);
        says_something("range", &name, !rules.is_empty() || errors.count() > before, errors);
        self.words.push(("range", name));
        self.rules.extend(rules.into_iter().map(Rule::Number));
    }

    fn length(&mut self, length: Nested<RawLength>, errors: &mut Errors) {
        let before = errors.count();
        let Nested { name, arguments, .. } = length.report(errors);
        let (min, max) = (count(arguments.min, errors), count(arguments.max, errors));
        says_something("length", &name, min.is_some() || max.is_some() || errors.count() > before, errors);
        self.add("length", Some(name.clone()), Rule::Length { name, min, max });
    }

    fn pattern(&self) -> Option<(&Text, &String)> {
        self.rules.iter().find_map(|rule| match rule {
            Rule::Pattern { source, regex } => Some((source, regex)),
            _ => None,
        })
    }

    /// Returns the warning of a pattern that means something else than its author does.
    pub(super) fn warning(&self) -> Option<Warning> {
        let (source, _) = self.pattern()?;
        let class = pattern::escaped_class(&source.value())?;
        let message =
            format!("`\\{class}` matches a backslash and then a letter: write `{class}`, in a raw string: r\"...\"");
        Some(Warning::at(source, "pattern_of_a_backslash", message))
    }

    /// Reports the strings of a default or an example that the pattern doesn't match, in elements too.
    pub(super) fn match_pattern(&self, value: &Json, what: &str, errors: &mut Errors) {
        if let (Some((source, regex)), Json::String(text)) = (self.pattern(), value)
            && let Ok(regex) = regex::Regex::new(regex)
            && !regex.is_match(&text.value())
        {
            errors.at(text, format_args!("{what} does not match the pattern `{}`", source.value()));
        }
        if let Some(items) = &self.items {
            match value {
                Json::Array(values) => values.iter().for_each(|value| items.match_pattern(value, what, errors)),
                Json::Object(members) => members.iter().for_each(|(_, value)| items.match_pattern(value, what, errors)),
                _ => {}
            }
        }
    }
}

/// Returns a bound of a length, which cannot be negative.
fn count(given: Given<Bound>, errors: &mut Errors) -> Option<Bound> {
    let bound = given.take(errors)?;
    match &bound {
        Bound::Number(Json::Integer(0..=0xFFFF_FFFF), _) | Bound::Path(_) => Some(bound),
        Bound::Number(..) => {
            errors.help(
                &bound,
                "a length must be a whole number that is not negative",
                "write 0 or more, up to 4294967295",
            );
            None
        }
    }
}

fn says_something(word: &str, name: &Ident, something: bool, errors: &mut Errors) {
    if !something {
        errors.help(name, format_args!("`{word}` has no bounds"), format_args!("`{word}(min = .., max = ..)`"));
    }
}

/// Returns the rule of a format.
fn format(text: &Text, errors: &mut Errors) -> Option<Rule> {
    let value = text.value();
    if let Some((name, variant)) = FORMATS.iter().find(|(name, _)| *name == value) {
        return Some(Rule::Format { name, variant: Ident::new(variant, text.0.span()) });
    }
    let names = FORMATS.iter().map(|(name, _)| *name);
    let help = match (&*value, nearest(&value, names.clone())) {
        ("uuid", _) => "write `pattern = \"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$\"`".to_owned(),
        ("ip", _) => "write \"ipv4\" or \"ipv6\"".to_owned(),
        ("date" | "time" | "duration", _) => "draft-04 knows `date-time` only; a `pattern` says the rest".to_owned(),
        ("password", _) => "write `secret`".to_owned(),
        ("int32" | "int64" | "uint32" | "uint64" | "float" | "double", _) => {
            "leave it out: the schema has the bounds of the field's type".to_owned()
        }
        ("byte" | "base64" | "binary", _) => "leave it out; say in the doc comment how the text is encoded".to_owned(),
        (_, Some(near)) => format!("did you mean {near:?}?"),
        _ => format!("the formats are {}", names.map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")),
    };
    errors.help(text, format_args!("there is no format {value:?} in draft-04 that is checked"), help);
    None
}
