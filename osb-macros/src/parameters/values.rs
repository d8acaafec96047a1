//! The values of `#[param]` that darling cannot read: bounds that are negative numbers or constants, and JSON.

use darling::FromMeta;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Expr, Meta, parse::Parser};

use crate::{
    args::{split_at_commas, ungrouped},
    json::{self, Json},
    spans::{preserve_spans, respan},
};

fn wrong(place: &impl ToTokens, message: &str, help: &str) -> darling::Error {
    darling::Error::custom(format_args!("{message}\nhelp: {help}")).with_span(&place.to_token_stream())
}

/// A number, or the name of a constant.
pub(super) enum Bound {
    Number(Json, TokenStream),
    Path(Expr),
}

impl FromMeta for Bound {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let Meta::NameValue(pair) = meta else {
            let name = meta.path().to_token_stream();
            return Err(wrong(meta, &format!("`{name}` needs a number"), &format!("`{name} = ...`")));
        };
        let tokens = pair.value.to_token_stream();
        match json::parse.parse2(tokens.clone()) {
            Ok(number @ (Json::Integer(_) | Json::Number(_))) => Ok(Self::Number(number, tokens)),
            _ => match ungrouped(&pair.value) {
                path @ Expr::Path(_) => Ok(Self::Path(path.clone())),
                other => Err(wrong(
                    other,
                    "expected a number or the name of a constant",
                    "a calculation goes into a constant of its own, whose name can stand here",
                )),
            },
        }
    }
}

impl Bound {
    /// Writes a `schema::Bound` expression.
    pub(super) fn tokens(&self, p: &TokenStream) -> TokenStream {
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

    /// Writes a `u64` expression.
    pub(super) fn count(&self, p: &TokenStream) -> TokenStream {
        match self {
            Self::Number(number, _) => number.text().parse::<TokenStream>().unwrap_or_default(),
            Self::Path(path) => {
                let value = whole_number(path, p);
                quote!(#value as #p::u64)
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

/// Writes the value of a constant that has to be a whole number.
pub(super) fn whole_number(path: &Expr, p: &TokenStream) -> TokenStream {
    constant(path, "whole_number", p)
}

/// Writes the value of a constant whose type the function `check` of the runtime demands.
pub(super) fn constant(path: &Expr, check: &str, p: &TokenStream) -> TokenStream {
    let (check, value) = (Ident::new(check, Span::call_site()), preserve_spans(path));
    respan(path, quote!(#p::#check(#value)))
}

/// The value of `default = ..`.
pub(super) enum RawDefault {
    Value(Json, TokenStream),
    Constant(Expr),
}

impl FromMeta for RawDefault {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let Meta::NameValue(pair) = meta else {
            return Err(wrong(
                meta,
                "`default` needs a value: the schema tells it to the user",
                "`default = ...`; a field that may be absent and has no default is an `Option`",
            ));
        };
        let tokens = pair.value.to_token_stream();
        match json::parse.parse2(tokens.clone()) {
            Ok(Json::Null) => {
                Err(wrong(&tokens, "`null` is no default", "make the field an `Option` and leave the default out"))
            }
            Ok(value) => Ok(Self::Value(value, tokens)),
            Err(error) => match ungrouped(&pair.value) {
                Expr::Path(path) if path.path.is_ident("None") => {
                    Err(wrong(path, "`None` is no default: an `Option` is absent by itself", "leave `default` out"))
                }
                path @ Expr::Path(_) => Ok(Self::Constant(path.clone())),
                Expr::Call(call) if call.func.to_token_stream().to_string() == "Some" => {
                    let help = format!("write the value itself: `default = {}`", call.args.to_token_stream());
                    Err(wrong(call, "a default is the value of a property that is absent", &help))
                }
                Expr::Verbatim(_) => Err(error.into()),
                other => Err(wrong(
                    other,
                    "expected a JSON value or the name of a constant",
                    "a calculation goes into a constant of its own, whose name can stand here",
                )),
            },
        }
    }
}

impl ToTokens for RawDefault {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Value(_, written) => written.to_tokens(tokens),
            Self::Constant(path) => path.to_tokens(tokens),
        }
    }
}

/// A value for the documentation, with its tokens.
pub(super) struct Example(pub(super) Json, pub(super) TokenStream);

impl Example {
    fn parse(tokens: TokenStream) -> darling::Result<Self> {
        Ok(Self(json::parse.parse2(tokens.clone())?, tokens))
    }
}

impl FromMeta for Example {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        match meta {
            Meta::NameValue(pair) => Self::parse(pair.value.to_token_stream()),
            other => Err(wrong(other, "`example` needs a value", "`example = ...`")),
        }
    }
}

/// `examples(.., ..)`
pub(super) struct Examples(pub(super) Vec<Example>);

impl FromMeta for Examples {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let Meta::List(list) = meta else {
            return Err(wrong(meta, "`examples` takes a list", "`examples(1, 2, 3)`"));
        };
        let mut errors = darling::Error::accumulator();
        let found = split_at_commas(list.tokens.clone())
            .into_iter()
            .filter_map(|tokens| errors.handle(Example::parse(tokens)))
            .collect();
        errors.finish_with(Self(found))
    }
}
