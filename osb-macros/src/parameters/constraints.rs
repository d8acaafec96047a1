//! The constraints of one field: `range`, `multiple_of`, `length`, `pattern`, `format`, `unique`, `items`.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{Expr, Meta};

mod write;

use super::{
    known::Known,
    limits::{Bound, Limits},
};
use crate::{
    args::{Arguments, Text, nearest},
    errors::Errors,
    json::Json,
    pattern,
};

/// The constraints of one field.
#[derive(Default)]
pub(crate) struct Constraints {
    range: Option<Limits>,
    multiple_of: Option<(Ident, Bound)>,
    length: Option<Limits>,
    /// As published, and as matched.
    pub(crate) pattern: Option<(Ident, Text, String)>,
    format: Option<(Ident, TokenStream)>,
    unique: Option<Ident>,
    items: Option<(Ident, Box<Constraints>)>,
}

const FORMATS: [(&str, &str); 6] = [
    ("date-time", "DateTime"),
    ("email", "Email"),
    ("hostname", "Hostname"),
    ("ipv4", "Ipv4"),
    ("ipv6", "Ipv6"),
    ("uri", "Uri"),
];

fn word(meta: &Meta) -> Ident {
    meta.path().require_ident().cloned().unwrap_or_else(|_| Ident::new("value", proc_macro2::Span::call_site()))
}

impl Constraints {
    /// Reads the constraints of the field called `name`; `items` are those of its elements.
    pub(crate) fn read(args: &mut Arguments, known: &Known, name: &str, ty: &str, errors: &mut Errors) -> Self {
        let mut this = Self {
            range: Limits::range(args, errors),
            multiple_of: args
                .find("multiple_of")
                .cloned()
                .and_then(|meta| Some((word(&meta), Bound::read(&meta, errors)?))),
            length: Limits::length(args, errors),
            pattern: Self::read_pattern(args, errors),
            format: Self::read_format(args, errors),
            unique: args.find("unique").cloned().and_then(|meta| match &meta {
                Meta::Path(path) => path.require_ident().ok().cloned(),
                other => {
                    errors.at(other, "`unique` takes no value");
                    None
                }
            }),
            items: None,
        };
        if let Some((_, bound)) = &this.multiple_of
            && bound.value().is_some_and(|value| value <= 0.0)
        {
            errors.at(bound, "`multiple_of` has to be greater than 0");
        }
        if let Some((at, mut inner)) = args.nested("items", "length(max = 10)", errors) {
            let element = match known {
                Known::List(element) | Known::Map(element) => element,
                _ => &Known::Other,
            };
            let items = Self::read(&mut inner, element, &format!("an element of {name}"), "", errors);
            inner.no_members("`items`", errors);
            inner.finish(
                "`items`",
                &[
                    ("default", "the field has a default, its elements have none"),
                    ("secret", "mark the field `secret`"),
                ],
                errors,
            );
            this.items = Some((at, Box::new(items)));
        }
        this.misplaced(known, name, ty, errors);
        this.redundant_range(known, errors);
        this
    }

    fn read_pattern(args: &mut Arguments, errors: &mut Errors) -> Option<(Ident, Text, String)> {
        let at = word(args.find("pattern")?);
        let text: Text = args.get("pattern", errors)?;
        match pattern::translate(&text.value()) {
            Ok(regex) => Some((at, text, regex)),
            Err(mistakes) => {
                for mistake in mistakes {
                    errors.help(&text, mistake.message, mistake.help);
                }
                None
            }
        }
    }

    fn read_format(args: &mut Arguments, errors: &mut Errors) -> Option<(Ident, TokenStream)> {
        let at = word(args.find("format")?);
        let text: Text = args.get("format", errors)?;
        let value = text.value();
        if let Some((_, variant)) = FORMATS.iter().find(|(name, _)| *name == value) {
            let variant = Ident::new(variant, at.span());
            return Some((at, variant.to_token_stream()));
        }
        let names = FORMATS.iter().map(|(name, _)| *name);
        let help = match (&*value, nearest(&value, names.clone())) {
            ("uuid", _) => "write `pattern = \"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$\"`".to_owned(),
            ("date" | "time" | "duration", _) => {
                "draft-04 knows `date-time` only; a `pattern` says the rest".to_owned()
            }
            ("password", _) => "write `secret`".to_owned(),
            (_, Some(near)) => format!("did you mean {near:?}?"),
            _ => format!("the formats are {}", names.map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")),
        };
        errors.help(&text, format_args!("there is no format {value:?} in draft-04 that is checked"), help);
        None
    }

    /// The constraints that were given, by the words they were given with.
    fn given(&self) -> impl Iterator<Item = (&'static str, &Ident)> {
        [
            ("range", self.range.as_ref().map(|limits| &limits.at)),
            ("multiple_of", self.multiple_of.as_ref().map(|(at, _)| at)),
            ("length", self.length.as_ref().map(|limits| &limits.at)),
            ("pattern", self.pattern.as_ref().map(|(at, ..)| at)),
            ("format", self.format.as_ref().map(|(at, _)| at)),
            ("unique", self.unique.as_ref()),
            ("items", self.items.as_ref().map(|(at, _)| at)),
        ]
        .into_iter()
        .filter_map(|(word, at)| Some((word, at?)))
    }

    /// The bounds that are names of constants.
    fn named_constants(&self) -> impl Iterator<Item = &Expr> {
        [&self.range, &self.length]
            .into_iter()
            .flatten()
            .flat_map(|limits| [&limits.low, &limits.high])
            .flatten()
            .map(|(bound, _)| bound)
            .chain(self.multiple_of.iter().map(|(_, bound)| bound))
            .filter_map(|bound| match bound {
                Bound::Path(path) => Some(path),
                Bound::Number(..) => None,
            })
    }

    fn misplaced(&self, known: &Known, name: &str, ty: &str, errors: &mut Errors) {
        for (word, at) in self.given().filter(|(word, _)| known.takes(word) == Some(false)) {
            let to = match word {
                "range" | "multiple_of" => "numbers",
                "length" => "strings, lists and maps",
                "pattern" | "format" => "strings",
                "unique" => "lists",
                _ => "lists and maps",
            };
            let is = if ty.is_empty() { String::new() } else { format!(", but `{name}` is a `{ty}`") };
            let message = format!("`{word}` applies to {to}{is}");
            match (known, known.suggestion()) {
                (Known::List(element) | Known::Map(element), _) if element.takes(word) == Some(true) => {
                    errors.help(at, message, format_args!("for its elements, write `items({word}...)`"));
                }
                (_, Some(help)) => errors.help(at, message, help),
                _ => errors.at(at, message),
            }
        }
    }

    /// Bounds outside of an integer's own, for the types whose bounds are known here.
    fn redundant_range(&self, known: &Known, errors: &mut Errors) {
        let (Known::Integer(ty), Some(range)) = (known, &self.range) else { return };
        if let Some((bound @ Bound::Number(Json::Number(_), _), _)) =
            [&range.low, &range.high].into_iter().flatten().next()
        {
            errors.at(bound, format_args!("`{ty}` is a whole number, but this is not"));
        }
        let unsigned = ty.starts_with('u') || ty.starts_with("NonZero");
        let least = i128::from(ty.starts_with("NonZero"));
        if let Some((bound @ Bound::Number(Json::Integer(value), _), _)) = &range.low
            && unsigned
            && *value < least
        {
            errors.help(
                bound,
                format_args!("`{ty}` is never less than {least}"),
                "leave `min` out: the schema states the bounds of the type",
            );
        }
    }

    /// Reports the strings of a default or an example that the pattern doesn't match, in elements too.
    pub(crate) fn match_pattern(&self, value: &Json, what: &str, errors: &mut Errors) {
        if let (Some((_, source, regex)), Json::String(text)) = (&self.pattern, value)
            && let Ok(regex) = regex::Regex::new(regex)
            && !regex.is_match(&text.value())
        {
            errors.at(text, format_args!("{what} does not match the pattern `{}`", source.value()));
        }
        if let Some((_, items)) = &self.items {
            match value {
                Json::Array(values) => values.iter().for_each(|value| items.match_pattern(value, what, errors)),
                Json::Object(members) => members.iter().for_each(|(_, value)| items.match_pattern(value, what, errors)),
                _ => {}
            }
        }
    }
}
