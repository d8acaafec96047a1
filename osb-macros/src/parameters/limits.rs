//! The limits of a range or a length, as the author wrote them.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};
use syn::{Expr, Meta, parse::Parser};

use crate::{
    args::Arguments,
    errors::Errors,
    json::{self, Json},
};

/// A number, or the name of a constant.
pub(crate) enum Bound {
    Number(Json, TokenStream),
    Path(Expr),
}

impl Bound {
    pub(super) fn read(meta: &Meta, errors: &mut Errors) -> Option<Self> {
        let Meta::NameValue(pair) = meta else {
            let name = meta.path().to_token_stream();
            errors.help(meta, format_args!("`{name}` needs a number"), format_args!("`{name} = ...`"));
            return None;
        };
        let tokens = pair.value.to_token_stream();
        match json::parse.parse2(tokens.clone()) {
            Ok(number @ (Json::Integer(_) | Json::Number(_))) => Some(Self::Number(number, tokens)),
            _ => match ungrouped(&pair.value) {
                path @ Expr::Path(_) => Some(Self::Path(path.clone())),
                other => {
                    errors.help(
                        other,
                        "expected a number or the name of a constant",
                        "a calculation goes into a constant of its own, whose name can stand here",
                    );
                    None
                }
            },
        }
    }

    /// As a `schema::Bound` expression.
    pub(super) fn tokens(&self, schema: &TokenStream, private: &TokenStream) -> TokenStream {
        let some = |value: TokenStream| quote!(#private::core::option::Option::Some(#value));
        let none = quote!(#private::core::option::Option::None);
        let (integer, decimal) = match self {
            Self::Number(Json::Integer(value), _) => {
                let digits = Literal::i128_suffixed(*value);
                (some(quote!(#digits)), some(json::decimal(&value.to_string(), schema)))
            }
            Self::Number(number, _) => (none, some(json::decimal(&number.text(), schema))),
            Self::Path(path) => (some(quote!(#path as i128)), none),
        };
        quote!(#schema::Bound { integer: #integer, decimal: #decimal })
    }

    /// As a `u64` expression.
    pub(super) fn count(&self) -> TokenStream {
        match self {
            Self::Number(Json::Integer(value), _) => {
                Literal::u64_suffixed(u64::try_from(*value).unwrap_or(0)).to_token_stream()
            }
            Self::Number(..) => quote!(0),
            Self::Path(path) => quote!(#path as u64),
        }
    }

    pub(super) fn value(&self) -> Option<f64> {
        match self {
            Self::Number(number, _) => number.text().parse().ok(),
            Self::Path(_) => None,
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

/// The expression without the invisible groups that `macro_rules!` makes.
pub(crate) fn ungrouped(value: &Expr) -> &Expr {
    match value {
        Expr::Group(group) => ungrouped(&group.expr),
        other => other,
    }
}

/// `range(min, max, exclusive_min, exclusive_max)` or `length(min, max)`.
pub(crate) struct Limits {
    pub(super) at: Ident,
    pub(super) low: Option<(Bound, bool)>,
    pub(super) high: Option<(Bound, bool)>,
}

impl Limits {
    pub(super) fn range(args: &mut Arguments, errors: &mut Errors) -> Option<Self> {
        let (at, mut inner) = args.nested("range", "min = 1, max = 10", errors)?;
        let mut side = |plain, exclusive, errors: &mut Errors| {
            let first = inner.find(plain).cloned().map(|meta| (meta, false));
            let second = inner.find(exclusive).cloned().map(|meta| (meta, true));
            if let (Some(_), Some((meta, _))) = (&first, &second) {
                errors.at(meta.path(), format_args!("`{exclusive}` and `{plain}` exclude each other"));
            }
            first.or(second).and_then(|(meta, exclusive)| Some((Bound::read(&meta, errors)?, exclusive)))
        };
        let low = side("min", "exclusive_min", errors);
        let high = side("max", "exclusive_max", errors);
        inner.no_members("`range`", errors);
        inner.finish(
            "`range`",
            &[("minimum", "write `min`"), ("maximum", "write `max`"), ("equal", "write `min` and `max`")],
            errors,
        );
        let this = Self { at, low, high };
        this.something("range", errors);
        this.ordered("range", errors);
        Some(this)
    }

    pub(super) fn length(args: &mut Arguments, errors: &mut Errors) -> Option<Self> {
        let (at, mut inner) = args.nested("length", "min = 1, max = 10", errors)?;
        let mut side = |name, errors: &mut Errors| {
            let meta = inner.find(name).cloned()?;
            let bound = Bound::read(&meta, errors)?;
            match &bound {
                Bound::Number(Json::Integer(0..=0xFFFF_FFFF), _) | Bound::Path(_) => Some((bound, false)),
                Bound::Number(..) => {
                    errors.at(&bound, "a length is a whole number, and not negative");
                    None
                }
            }
        };
        let low = side("min", errors);
        let high = side("max", errors);
        inner.no_members("`length`", errors);
        inner.finish(
            "`length`",
            &[
                ("equal", "write `min` and `max`"),
                ("bytes", "lengths count characters"),
                ("chars", "lengths count characters anyway"),
            ],
            errors,
        );
        let this = Self { at, low, high };
        this.something("length", errors);
        this.ordered("length", errors);
        Some(this)
    }

    fn something(&self, word: &str, errors: &mut Errors) {
        if self.low.is_none() && self.high.is_none() && errors.is_empty() {
            errors.help(&self.at, format_args!("`{word}` says nothing"), format_args!("`{word}(min = .., max = ..)`"));
        }
    }

    fn ordered(&self, word: &str, errors: &mut Errors) {
        let (Some((low, exclusive_low)), Some((high, exclusive_high))) = (&self.low, &self.high) else { return };
        let (Some(least), Some(most)) = (low.value(), high.value()) else { return };
        if least > most {
            errors.help(
                high,
                format_args!(
                    "no value fits: the maximum {} is less than the minimum {}",
                    high.to_token_stream(),
                    low.to_token_stream()
                ),
                format_args!(
                    "did you mean `{word}(min = {}, max = {})`?",
                    high.to_token_stream(),
                    low.to_token_stream()
                ),
            );
        } else if (*exclusive_low || *exclusive_high) && least >= most {
            errors.at(high, "no value fits: the bounds are equal, and not part of the range");
        }
    }
}
