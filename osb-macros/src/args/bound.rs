//! Bounds of numbers and lengths, and lists of numbers, which can be negative or constants.

use darling::FromMeta;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{
    BinOp, Expr, ExprBinary, ExprLit, ExprRange, Lit, LitInt, Meta, RangeLimits, Token,
    parse::{ParseStream, Parser},
    punctuated::Punctuated,
};

use super::{Given, as_written, is_type, split_at_commas, ungrouped, wrong};
use crate::{
    errors::Errors,
    json::{self, Json},
    spans::{preserve_spans, respan},
};

/// A number, or the name of a constant.
pub(crate) enum Bound {
    Number(Json, TokenStream),
    Path(Expr),
}

impl FromMeta for Bound {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let Meta::NameValue(pair) = meta else {
            let name = meta.path().to_token_stream();
            let given = meta.require_list().ok().filter(|list| !list.tokens.is_empty());
            let value = given.map_or_else(|| "...".to_owned(), |list| as_written(&list.tokens));
            let help = format_args!("write `{name} = {value}`");
            return Err(wrong(meta, format_args!("`{name}` needs a number"), help));
        };
        let tokens = pair.value.to_token_stream();
        match json::parse.parse2(tokens.clone()) {
            Ok(number @ (Json::Integer(_) | Json::Number(_))) => Ok(Self::Number(number, tokens)),
            Err(error) if is_number(&pair.value) => Err(error.into()),
            _ => match ungrouped(&pair.value) {
                Expr::Path(path) if names_self(path) => Err(no_self(path)),
                path @ Expr::Path(_) => Ok(Self::Path(path.clone())),
                Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if text.value().parse::<f64>().is_ok() => Err(wrong(
                    text,
                    "expected a number or the name of a constant",
                    format_args!("write it without quotes: `{}`", text.value()),
                )),
                Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Err(wrong(
                    text,
                    "expected a number or the name of a constant",
                    "write the number without quotes, in the unit of the field",
                )),
                Expr::Range(range) => Err(wrong(
                    range,
                    "expected a number or the name of a constant",
                    match span(&range.to_token_stream(), exclusive_max) {
                        Some(bounds) => format!("write the bounds one by one: `{bounds}`"),
                        None => "write the bounds one by one: `min = .., max = ..`".to_owned(),
                    },
                )),
                other => Err(wrong(
                    other,
                    "expected a number or the name of a constant",
                    "move the expression into a constant, and write its name",
                )),
            },
        }
    }
}

/// Returns whether a value is a number to the compiler, which doesn't check its size and its suffix.
pub(crate) fn is_number(value: &Expr) -> bool {
    match ungrouped(value) {
        Expr::Unary(negative) => is_number(&negative.expr),
        value => matches!(value, Expr::Lit(ExprLit { lit: Lit::Int(_) | Lit::Float(_), .. })),
    }
}

impl Bound {
    /// Writes a `schema::Limit` expression.
    pub(crate) fn tokens(&self, p: &TokenStream) -> TokenStream {
        match self {
            Self::Number(Json::Integer(value), _) => {
                let (digits, text) = (Literal::i128_unsuffixed(*value), value.to_string());
                quote!(#p::Limit::integer(#digits, #text))
            }
            Self::Number(number, _) => {
                let decimal = json::decimal(&number.text(), p);
                quote!(#p::Limit::decimal(#decimal))
            }
            Self::Path(path) => {
                let value = whole_number(path, p);
                quote!(#p::Limit::constant(#value as #p::i128))
            }
        }
    }

    /// Writes an `i128` expression.
    pub(crate) fn count(&self, p: &TokenStream) -> TokenStream {
        match self {
            Self::Number(number, _) => number.text().parse::<TokenStream>().unwrap_or_default(),
            Self::Path(path) => {
                let value = whole_number(path, p);
                quote!(#value as #p::i128)
            }
        }
    }
}

impl ToTokens for Bound {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Number(_, written) => written.to_tokens(tokens),
            Self::Path(path) => path.to_tokens(tokens),
        }
    }
}

/// The whole numbers in `one_of(.., ..)`.
pub(crate) struct Numbers {
    values: Vec<Bound>,
    tokens: TokenStream,
}

impl FromMeta for Numbers {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let Meta::List(list) = meta else {
            let values = meta.require_name_value().ok().and_then(|pair| in_brackets(&pair.value));
            let help = format!("write `one_of({})`", values.as_deref().unwrap_or("1, 3"));
            return Err(wrong(meta, "`one_of` takes a list of whole numbers", help));
        };
        if let Some(values) = syn::parse2(list.tokens.clone()).ok().and_then(|value| in_brackets(&value)) {
            let help = format_args!("write `one_of({values})`");
            return Err(wrong(&list.tokens, "`one_of` takes values without brackets", help));
        }
        if let Some(values) = without_commas(&list.tokens) {
            let help = format_args!("write `one_of({values})`");
            return Err(wrong(&list.tokens, "`one_of` takes commas between its values", help));
        }
        let pieces = split_at_commas(list.tokens.clone());
        let is_single = pieces.len() == 1;
        let number = |piece: TokenStream| {
            if let Some(named) = span(&piece, exclusive_max) {
                let instead = format!("write `range({named})` in its place");
                let help = if is_single { &instead } else { "list each number of the range" };
                return Err(wrong(&piece, "`one_of` lists whole numbers", help));
            }
            let help = match (json::parse_all.parse2(piece.clone()), syn::parse2(piece.clone())) {
                (Ok(number @ Json::Integer(_)), _) => return Ok(Bound::Number(number, piece)),
                (_, Ok(Expr::Path(path))) if names_self(&path) => return Err(no_self(&path)),
                (_, Ok(path @ Expr::Path(_))) => return Ok(Bound::Path(path)),
                (Ok(Json::String(_)), _) => "write an enum with `#[parameters]` as the type of the field",
                (Err(error), Ok(value)) if is_number(&value) => return Err(error.into()),
                (_, Ok(Expr::Binary(ExprBinary { op: BinOp::BitOr(_), .. }))) => "write commas between the values",
                (_, Ok(Expr::Binary(_))) => "move the expression into a constant, and write its name",
                _ => "check other values in the handler",
            };
            Err(wrong(&piece, "`one_of` lists whole numbers", help))
        };
        let values: Vec<_> = pieces.into_iter().map(number).collect::<Result<_, _>>()?;
        if values.is_empty() {
            return Err(wrong(list, "`one_of` lists no value", "write `one_of(1, 3)`"));
        }
        Ok(Self { values, tokens: list.tokens.clone() })
    }
}

/// Returns the upper bound of `1..10`.
pub(crate) fn exclusive_max(bound: String) -> String {
    format!("exclusive_max = {bound}")
}

/// Returns the elements of a list in brackets or parentheses.
fn in_brackets(value: &Expr) -> Option<String> {
    match ungrouped(value) {
        Expr::Array(array) if !array.elems.is_empty() => Some(as_written(&array.elems)),
        Expr::Tuple(tuple) if !tuple.elems.is_empty() => Some(as_written(&tuple.elems)),
        _ => None,
    }
}

/// Returns the whole numbers that have other signs between them, or none, such as `1; 3`, `1 | 3` and `1 3`; `1-3` is a range.
fn without_commas(list: &TokenStream) -> Option<String> {
    let numbers = |input: ParseStream<'_>| {
        let mut numbers = vec![input.parse::<LitInt>()?.to_string()];
        while !input.is_empty() {
            if input.peek(Token![-]) {
                return Err(input.error("a separator"));
            }
            if input.parse::<Option<Token![;]>>()?.is_none() {
                input.parse::<Option<Token![|]>>()?;
            }
            numbers.push(input.parse::<LitInt>()?.to_string());
        }
        Ok(numbers)
    };
    numbers.parse2(list.clone()).ok().filter(|numbers| numbers.len() > 1).map(|numbers| numbers.join(", "))
}

/// Returns whether a path begins with `Self`.
pub(crate) fn names_self(path: &syn::ExprPath) -> bool {
    path.path.segments.first().is_some_and(|first| first.ident == "Self")
}

/// The mistake in a path that begins with `Self`.
pub(crate) fn no_self(path: &syn::ExprPath) -> darling::Error {
    wrong(path, "`Self` has no meaning in an attribute", "write the name of the type in its place")
}

/// Writes the value of a constant that has to be a whole number.
pub(crate) fn whole_number(path: &Expr, p: &TokenStream) -> TokenStream {
    constant(path, "whole_number", p)
}

/// Writes the value of a constant whose type the function `check` of the runtime demands.
pub(crate) fn constant(path: &Expr, check: &str, p: &TokenStream) -> TokenStream {
    let (check, value) = (Ident::new(check, Span::call_site()), preserve_spans(path));
    respan(path, quote!(#p::#check(#value)))
}

/// A rule of numbers; in a plan, its bounds can be those of a length.
pub(crate) enum NumberRule {
    /// The bound, and whether it is exclusive.
    Minimum(Bound, bool),
    /// The bound, and whether it is exclusive.
    Maximum(Bound, bool),
    MultipleOf(Bound),
    OneOf(Numbers),
}

impl NumberRule {
    /// Writes the rule of the runtime.
    pub(crate) fn tokens(&self, p: &TokenStream) -> TokenStream {
        match self {
            Self::Minimum(bound, exclusive) => {
                let bound = bound.tokens(p);
                quote!(#p::Rule::Minimum(#bound, #exclusive))
            }
            Self::Maximum(bound, exclusive) => {
                let bound = bound.tokens(p);
                quote!(#p::Rule::Maximum(#bound, #exclusive))
            }
            Self::MultipleOf(divisor) => {
                let divisor = divisor.tokens(p);
                quote!(#p::Rule::MultipleOf(#divisor))
            }
            Self::OneOf(Numbers { values, .. }) => {
                let values = values.iter().map(|value| value.count(p));
                quote!(#p::Rule::OneOf(&[#(#values),*]))
            }
        }
    }
}

impl ToTokens for NumberRule {
    /// Writes the numbers as the author wrote them.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Minimum(bound, _) | Self::Maximum(bound, _) | Self::MultipleOf(bound) => bound.to_tokens(tokens),
            Self::OneOf(numbers) => numbers.tokens.to_tokens(tokens),
        }
    }
}

/// Returns the rules of a range, whose sides are each inclusive or exclusive.
pub(crate) fn range(
    [min, exclusive_min]: [Given<Bound>; 2],
    [max, exclusive_max]: [Given<Bound>; 2],
    errors: &mut Errors,
) -> Vec<NumberRule> {
    let low = side([("min", min), ("exclusive_min", exclusive_min)], errors);
    let high = side([("max", max), ("exclusive_max", exclusive_max)], errors);
    let low = low.map(|(bound, exclusive)| NumberRule::Minimum(bound, exclusive));
    let high = high.map(|(bound, exclusive)| NumberRule::Maximum(bound, exclusive));
    low.into_iter().chain(high).collect()
}

/// Returns the bound of one side of a range, and whether it is exclusive.
fn side([included, excluded]: [(&str, Given<Bound>); 2], errors: &mut Errors) -> Option<(Bound, bool)> {
    let ((plain, first), (exclusive, second)) = (included, excluded);
    let is_mentioned = first.is_mentioned();
    let first = first.take(errors);
    let second = second.take_with_place(errors);
    if let (true, Some((_, meta))) = (is_mentioned, &second) {
        errors.help(
            meta.path(),
            format_args!("`{exclusive}` and `{plain}` exclude each other"),
            "leave one of them out",
        );
    }
    first.map(|bound| (bound, false)).or(second.map(|(bound, _)| (bound, true)))
}

/// Returns the bounds of a range, such as `1..=10`, or of a value that means one, such as `1-10`, with their names; `below` is the
/// upper one of `1..10`.
pub(crate) fn span(value: &TokenStream, below: impl Fn(String) -> String) -> Option<String> {
    let min = |bound: &Expr| format!("min = {}", as_written(bound));
    let max = |bound: &Expr| format!("max = {}", as_written(bound));
    let sides = match syn::parse2(value.clone()).ok()? {
        Expr::Range(ExprRange { start, limits, end, .. }) => {
            let upper = |bound: Box<Expr>| match limits {
                RangeLimits::Closed(_) => max(&bound),
                RangeLimits::HalfOpen(_) => below(as_written(&bound)),
            };
            [start.map(|bound| min(&bound)), end.map(upper)]
        }
        Expr::Binary(ExprBinary { left, op: BinOp::Sub(_), right, .. }) if is_number(&left) && is_number(&right) => {
            [Some(min(&left)), Some(max(&right))]
        }
        _ => return None,
    };
    let arguments: Vec<_> = sides.into_iter().flatten().collect();
    (!arguments.is_empty()).then(|| arguments.join(", "))
}

/// Returns the bounds in `1..=10` or `1, 10` with their names; `below` is the upper one of `1..10`.
pub(crate) fn named_bounds(tokens: &TokenStream, below: impl Fn(String) -> String) -> Option<String> {
    let is_bound = |value: &Expr| match value {
        // A constant: `max` lacks its value, and `eu` is no bound.
        Expr::Path(path) => is_type(&path.path),
        _ => matches!(value, Expr::Lit(_) | Expr::Unary(_)),
    };
    if let Some(named) = span(tokens, below) {
        return Some(named);
    }
    let values = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(tokens.clone()).ok()?;
    if !values.iter().all(is_bound) {
        return None;
    }
    match &values.iter().map(as_written).collect::<Vec<_>>()[..] {
        [] => None,
        [max] => Some(format!("max = {max}")),
        [min, max] => Some(format!("min = {min}, max = {max}")),
        _ => Some("min = .., max = ..".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::{exclusive_max, named_bounds};

    #[test]
    fn bounds_are_quoted_as_authors_write_them() {
        let named = |tokens| named_bounds(&tokens, exclusive_max).unwrap_or_default();
        assert_eq!(named(quote!(-1..=u32::MAX)), "min = -1, max = u32::MAX");
        assert_eq!(named(quote!(1..MAX - 1)), "min = 1, exclusive_max = MAX-1");
    }
}
