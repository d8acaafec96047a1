//! The document of a type whose fields have types of the standard library: the macro writes it, and validates the constraints.
//!
//! The compiler takes much longer for the same in const evaluation. Anything wrong, or not certainly right, is left to const
//! evaluation, which knows more and has the messages. So is a type that only has the name of a standard one: the generated code
//! compares the types with those that are meant here.

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};
use syn::Type;

use super::{
    constraints::{Constraints, Rule},
    field::{DefaultValue, Field},
    item::Item,
    known::{optional, peeled, standard_name},
    shape::Shape,
    values::Example,
};
use crate::{
    args::{Bound, NumberRule},
    code,
    json::{Json, quoted},
    spans::{preserve_spans, respan},
};

/// A type all of whose fields have standard types, as far as their names tell, and constraints that fit.
pub(super) struct Standard<'a> {
    /// The document of the schema.
    pub(super) json: String,
    /// The types, each once, with the numbers that identify them.
    types: Vec<(&'a Type, u64)>,
}

impl<'a> Standard<'a> {
    pub(super) fn of(item: &'a Item) -> Option<Self> {
        let Shape::Struct(fields) = &item.shape else { return None };
        if item.credentials {
            return None;
        }
        let (mut types, mut properties, mut required) = (Vec::new(), Vec::new(), Vec::new());
        for field in fields {
            // Only the compiler knows whether there is such a field.
            if field.attributes.iter().any(|one| one.path().is_ident("cfg") || one.path().is_ident("cfg_attr")) {
                return None;
            }
            let (schema, number) = Schema::of_field(field)?;
            if !types.contains(&(&field.ty, number)) {
                types.push((&field.ty, number));
            }
            let name = quoted(&field.wire);
            let default = match &field.default {
                Some(DefaultValue::Value { value, .. }) => Some(value.text()),
                _ => None,
            };
            if !field.optional && default.is_none() {
                required.push(name.clone());
            }
            let default = default.map(|text| format!(",\"default\":{text}")).unwrap_or_default();
            let about = described(field.title.as_ref(), field.description.as_ref());
            properties.push(format!("{name}:{{{}{about}{default}}}", schema.json()));
        }
        let properties = properties.join(",");
        let required = match required.as_slice() {
            [] => String::new(), // draft-04 forbids an empty list
            names => format!(",\"required\":[{}]", names.join(",")),
        };
        let closed = if item.open { "" } else { ",\"additionalProperties\":false" };
        let about = described(item.title.as_ref(), item.description.as_ref());
        let json = format!(
            "{{\"$schema\":\"http://json-schema.org/draft-04/schema#\",\"type\":\"object\",\"properties\":{{{properties}}}{required}{closed}{about}}}"
        );
        Some(Self { json, types })
    }

    /// Returns whether the document has surely less than the 64 kB that platforms accept, although Cloud Foundry counts some
    /// characters as six.
    pub(super) fn is_small(&self) -> bool {
        self.json.len() * 6 <= 60_000
    }

    /// Writes the constant `__STANDARD`: whether the types are the standard ones with these names.
    pub(super) fn constant(&self, p: &TokenStream) -> TokenStream {
        let comparisons = self.types.iter().map(|(ty, number)| {
            let (of, number) = (preserve_spans(ty), Literal::u64_unsuffixed(*number));
            respan(ty, quote!(<#of as #p::ParameterTrait>::STANDARD == #number))
        });
        quote!(const __STANDARD: #p::bool = true #(&& #comparisons)*;)
    }
}

/// Writes all checks of a field, whose type has the schema `of_type`, as one call at its first argument.
pub(super) fn check_named(field: &Field, of_type: &TokenStream, name: &str, p: &TokenStream) -> Option<TokenStream> {
    let place: &dyn ToTokens = match (field.constraints.words.first(), &field.default) {
        (Some((_, place)), _) => place,
        (None, Some(default)) => default,
        (None, None) => return None,
    };
    // Where the author wrote the argument, the compiler would find the paths too long.
    let default = field.default.as_ref().map(|_| field.constant("DEFAULT"));
    let (default, of_type) = (preserve_spans(&code::option(default, p)), preserve_spans(of_type));
    let rules = if field.constraints.is_empty() { quote!(&[]) } else { field.names().rules.into_token_stream() };
    Some(respan(&place.to_token_stream(), quote!(#p::check_named(&#of_type, #name, #rules, #default))))
}

fn described(title: Option<&String>, description: Option<&String>) -> String {
    let member = |name, text: Option<&String>| text.map(|text| format!(",\"{name}\":{}", quoted(text)));
    [member("title", title), member("description", description)].into_iter().flatten().collect()
}

/// The schema of a standard type, with the constraints of a field.
enum Schema {
    Boolean,
    Integer { low: (i128, bool), high: (i128, bool), divisor: Option<i128> },
    Number { low: Option<(String, bool)>, high: Option<(String, bool)> },
    String { length: Length, pattern: Option<String>, format: Option<String> },
    List { items: Box<Schema>, length: Length, unique: bool },
}

/// The smallest and the largest length.
type Length = [Option<i128>; 2];

impl Schema {
    /// Returns the schema of a field, and the number that identifies its type.
    fn of_field(field: &Field) -> Option<(Self, u64)> {
        let (schema, number) = match optional(&field.ty) {
            Some(inner) => {
                let (schema, number) = Self::of(inner)?;
                (schema, number << 4 | 1)
            }
            None => Self::of(&field.ty)?,
        };
        let schema = schema.constrain(&field.constraints)?;
        let default_fits = match &field.default {
            Some(DefaultValue::Value { value, .. }) => schema.accepts(value),
            Some(DefaultValue::Constant(..)) => false,
            None => true,
        };
        let fits = default_fits && field.examples.iter().all(|Example(value, _)| schema.accepts(value));
        fits.then_some((schema, number))
    }

    fn of(ty: &Type) -> Option<(Self, u64)> {
        let (name, arguments) = standard_name(peeled(ty))?;
        let integer =
            |low, high, number| (Self::Integer { low: (low, false), high: (high, false), divisor: None }, number);
        Some(match (&*name, &*arguments) {
            ("bool", []) => (Self::Boolean, 1),
            ("u8", []) => integer(0, u8::MAX.into(), 2),
            ("u16", []) => integer(0, u16::MAX.into(), 3),
            ("u32", []) => integer(0, u32::MAX.into(), 4),
            ("u64", []) => integer(0, u64::MAX.into(), 5),
            ("i8", []) => integer(i8::MIN.into(), i8::MAX.into(), 6),
            ("i16", []) => integer(i16::MIN.into(), i16::MAX.into(), 7),
            ("i32", []) => integer(i32::MIN.into(), i32::MAX.into(), 8),
            ("i64", []) => integer(i64::MIN.into(), i64::MAX.into(), 9),
            ("f64", []) => (Self::Number { low: None, high: None }, 10),
            ("String", []) => (Self::String { length: [None, None], pattern: None, format: None }, 11),
            ("Vec", [inner]) => {
                let (items, number) = Self::of(inner)?;
                if number >> 48 != 0 {
                    return None;
                }
                (Self::List { items: Box::new(items), length: [None, None], unique: false }, number << 4 | 2)
            }
            _ => return None,
        })
    }

    /// Adds constraints that surely fit.
    fn constrain(mut self, constraints: &Constraints) -> Option<Self> {
        for rule in &constraints.rules {
            self.add(rule)?;
        }
        if let Some(constraints) = &constraints.items {
            let Self::List { items, length, unique } = self else { return None };
            self = Self::List { items: Box::new(items.constrain(constraints)?), length, unique };
        }
        self.has_values().then_some(self)
    }

    fn add(&mut self, rule: &Rule) -> Option<()> {
        match (self, rule) {
            (Self::Integer { low, high, .. }, Rule::Number(NumberRule::Minimum(bound, exclusive))) => {
                *low = (whole(bound).filter(|value| (low.0..=high.0).contains(value))?, *exclusive);
            }
            (Self::Integer { low, high, .. }, Rule::Number(NumberRule::Maximum(bound, exclusive))) => {
                // The minimum of the type was checked if it is still there; `has_values` compares it with a new one.
                *high = (whole(bound).filter(|value| (low.0..=high.0).contains(value))?, *exclusive);
            }
            (Self::Integer { divisor, .. }, Rule::Number(NumberRule::MultipleOf(bound))) => {
                *divisor = Some(whole(bound).filter(|value| *value > 0)?);
            }
            (Self::Number { low, .. }, Rule::Number(NumberRule::Minimum(bound, exclusive))) => {
                *low = Some((digits(bound)?, *exclusive));
            }
            (Self::Number { high, .. }, Rule::Number(NumberRule::Maximum(bound, exclusive))) => {
                *high = Some((digits(bound)?, *exclusive));
            }
            (Self::String { length, .. } | Self::List { length, .. }, Rule::Length { min, max, .. }) => {
                let side = |bound: &Option<Bound>| match bound {
                    Some(bound) => whole(bound).map(Some),
                    None => Some(None),
                };
                *length = [side(min)?, side(max)?];
            }
            (Self::String { pattern, .. }, Rule::Pattern { source, .. }) => *pattern = Some(source.value()),
            (Self::String { format, .. }, Rule::Format { name, .. }) => *format = Some((*name).to_owned()),
            (Self::List { unique, .. }, Rule::Unique) => *unique = true,
            _ => return None,
        }
        Some(())
    }

    /// Returns whether some value surely satisfies the constraints.
    fn has_values(&self) -> bool {
        match self {
            Self::Integer { divisor, .. } => {
                let [least, greatest] = self.bounds();
                least <= greatest && divisor.is_none_or(|divisor| greatest.div_euclid(divisor) * divisor >= least)
            }
            Self::Number { low: Some((low, _)), high: Some((high, _)) } => {
                matches!((low.parse::<f64>(), high.parse::<f64>()), (Ok(low), Ok(high)) if low < high)
            }
            Self::Boolean | Self::Number { .. } => true,
            Self::String { length, .. } | Self::List { length, .. } => {
                !matches!(length, [Some(min), Some(max)] if min > max)
            }
        }
    }

    /// Returns the smallest and the greatest whole number.
    fn bounds(&self) -> [i128; 2] {
        match self {
            Self::Integer { low, high, .. } => [low.0 + i128::from(low.1), high.0 - i128::from(high.1)],
            _ => [i128::MIN, i128::MAX],
        }
    }

    /// Returns whether a default or an example surely fits. Patterns are checked elsewhere.
    fn accepts(&self, value: &Json) -> bool {
        match (self, value) {
            (Self::Boolean, Json::Boolean(_)) => true,
            (Self::Integer { divisor, .. }, Json::Integer(value)) => {
                let [least, greatest] = self.bounds();
                (least..=greatest).contains(value) && divisor.is_none_or(|divisor| value % divisor == 0)
            }
            (Self::Number { low, high }, Json::Integer(_) | Json::Number(_)) => {
                let number = |text: &str| text.parse::<f64>().ok();
                let Some(value) = number(&value.text()) else { return false };
                let beyond = |bound: &Option<(String, bool)>, is_beyond: fn(f64, f64) -> bool| {
                    bound.as_ref().is_none_or(|(bound, _)| number(bound).is_some_and(|bound| is_beyond(value, bound)))
                };
                // A value that is a bound is left to const evaluation.
                beyond(low, |value, low| value > low) && beyond(high, |value, high| value < high)
            }
            (Self::String { length, format: None, .. }, Json::String(text)) => {
                is_within(length, text.value().chars().count())
            }
            (Self::List { items, length, unique }, Json::Array(values)) => {
                is_within(length, values.len())
                    && !(*unique && values.len() > 1)
                    && values.iter().all(|value| items.accepts(value))
            }
            _ => false,
        }
    }

    /// Returns the first members of the schema in JSON.
    fn json(&self) -> String {
        let bound = |name: &str, exclusive_name: &str, text: &str, exclusive: bool| {
            let exclusive = if exclusive { format!(",\"{exclusive_name}\":true") } else { String::new() };
            format!(",\"{name}\":{text}{exclusive}")
        };
        let minimum = |text: &str, exclusive| bound("minimum", "exclusiveMinimum", text, exclusive);
        let maximum = |text: &str, exclusive| bound("maximum", "exclusiveMaximum", text, exclusive);
        let count =
            |name: &str, count: Option<i128>| count.map(|count| format!(",\"{name}\":{count}")).unwrap_or_default();
        match self {
            Self::Boolean => "\"type\":\"boolean\"".to_owned(),
            Self::Integer { low, high, divisor } => format!(
                "\"type\":\"integer\"{}{}{}",
                minimum(&low.0.to_string(), low.1),
                maximum(&high.0.to_string(), high.1),
                count("multipleOf", *divisor)
            ),
            Self::Number { low, high } => {
                let low = low.as_ref().map(|(text, exclusive)| minimum(text, *exclusive)).unwrap_or_default();
                let high = high.as_ref().map(|(text, exclusive)| maximum(text, *exclusive)).unwrap_or_default();
                format!("\"type\":\"number\"{low}{high}")
            }
            Self::String { length: [min, max], pattern, format } => {
                let pattern = pattern.as_ref().map(|source| format!(",\"pattern\":{}", quoted(source)));
                let format = format.as_ref().map(|name| format!(",\"format\":\"{name}\""));
                format!(
                    "\"type\":\"string\"{}{}{}{}",
                    count("minLength", *min),
                    count("maxLength", *max),
                    pattern.unwrap_or_default(),
                    format.unwrap_or_default()
                )
            }
            Self::List { items, length: [min, max], unique } => format!(
                "\"type\":\"array\",\"items\":{{{}}}{}{}{}",
                items.json(),
                count("minItems", *min),
                count("maxItems", *max),
                if *unique { ",\"uniqueItems\":true" } else { "" }
            ),
        }
    }
}

fn is_within([min, max]: &Length, length: usize) -> bool {
    i128::try_from(length)
        .is_ok_and(|length| min.is_none_or(|min| length >= min) && max.is_none_or(|max| length <= max))
}

/// Returns a bound that is a whole number.
fn whole(bound: &Bound) -> Option<i128> {
    match bound {
        Bound::Number(Json::Integer(value), _) => Some(*value),
        _ => None,
    }
}

/// Returns the digits of a bound.
fn digits(bound: &Bound) -> Option<String> {
    match bound {
        Bound::Number(number, _) => Some(number.text()),
        Bound::Path(_) => None,
    }
}
