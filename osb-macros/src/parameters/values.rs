//! The values of `#[param]` that darling cannot read: JSON.

use darling::FromMeta;
use proc_macro2::{Group, Literal, Punct, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Expr, ExprParen, ExprReference, Meta, ext::IdentExt, parse::Parser};

use crate::{
    args::{as_written, is_number, names_self, no_self, split_at_commas, string_literal, ungrouped, wrong},
    json::{self, Json},
};

/// The value of `default = ..`.
pub(super) enum RawDefault {
    Value(Json, TokenStream),
    Constant(Expr),
}

impl FromMeta for RawDefault {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let pair = match meta {
            Meta::NameValue(pair) => pair,
            Meta::List(list) => {
                let help = format_args!("write `default = {}`", list.tokens);
                return Err(wrong(list, "`default` takes `=`", help));
            }
            Meta::Path(_) => {
                return Err(wrong(
                    meta,
                    "`default` needs a value: the schema tells it to the user",
                    "`default = ...`; a field that may be absent and has no default is an `Option`",
                ));
            }
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
                Expr::Path(path) if names_self(path) => Err(no_self(path)),
                path @ Expr::Path(_) => Ok(Self::Constant(path.clone())),
                Expr::Call(call) if call.func.to_token_stream().to_string() == "Some" => {
                    let help = format!("write the value itself: `default = {}`", call.args.to_token_stream());
                    Err(wrong(call, "a default is the value of a property that is absent", &help))
                }
                Expr::Verbatim(_) => Err(error.into()),
                value if is_number(value) => Err(error.into()),
                other => Err(wrong(other, "expected a JSON value or the name of a constant", help_on_value(other))),
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

/// Returns the help for an expression in place of a value: the JSON, if it builds text or a container.
fn help_on_value(value: &Expr) -> String {
    let json = match value {
        Expr::Array(array) => array.elems.iter().map(char_literal).collect::<Option<Vec<_>>>().map(|items| {
            let items: Vec<_> = items.iter().map(|item| format!("{:?}", item.to_string())).collect();
            format!("[{}]", items.join(", "))
        }),
        Expr::Tuple(tuple) => json_list(&tuple.elems),
        Expr::Lit(_) => char_literal(value).map(|char| format!("{:?}", char.to_string())),
        Expr::Macro(call) if call.mac.path.is_ident("vec") => Some(format!("[{}]", call.mac.tokens)),
        Expr::Macro(call) if call.mac.path.segments.last().is_some_and(|name| name.ident == "json") => {
            Some(call.mac.tokens.to_string())
        }
        Expr::Reference(ExprReference { expr, .. }) | Expr::Paren(ExprParen { expr, .. }) => {
            Some(expr.to_token_stream().to_string()).filter(|text| is_json(text))
        }
        Expr::Block(_) => Some(as_written(&members(value.to_token_stream()))).filter(|text| is_json(text)),
        Expr::MethodCall(call) => string_literal(&call.receiver).map(|text| text.token().to_string()),
        Expr::Call(call) => match call.args.first() {
            Some(argument) => string_literal(argument).map(|text| text.token().to_string()),
            None => {
                let function = call.func.to_token_stream().to_string();
                let builds = |names: &[&str]| names.iter().any(|name| function.contains(name));
                let empty = [("{}", &["Map"][..]), ("[]", &["Vec", "Set"]), ("\"\"", &["String"])];
                empty.into_iter().find(|(_, names)| builds(names)).map(|(json, _)| json.to_owned())
            }
        },
        _ => None,
    };
    match (json, value) {
        (Some(json), _) => format!("write `default = {json}`"),
        (None, Expr::Struct(_)) => "write the value as a JSON object: `default = { \"name\": value }`".to_owned(),
        // `Default::default()`
        (None, Expr::Call(call)) if is_named_default(&call.func) => "write the value itself".to_owned(),
        (None, Expr::Array(_)) => "write the value as JSON, for an enum the string on the wire".to_owned(),
        (None, _) => "move the expression into a constant, and write its name".to_owned(),
    }
}

/// Writes the members of an object as JSON does: `{ "day" = 1 }` and `{ day = 1 }` are blocks of Rust.
fn members(tokens: TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut written = TokenStream::new();
    while let Some(token) = tokens.next() {
        let is_name = matches!(tokens.peek(), Some(TokenTree::Punct(sign)) if matches!(sign.as_char(), '=' | ':'));
        written.extend([match token {
            TokenTree::Ident(name) if is_name => Literal::string(&name.unraw().to_string()).into(),
            TokenTree::Punct(sign) if sign.as_char() == '=' => Punct::new(':', Spacing::Alone).into(),
            TokenTree::Group(group) => Group::new(group.delimiter(), members(group.stream())).into(),
            other => other,
        }]);
    }
    written
}

fn is_named_default(function: &Expr) -> bool {
    matches!(function, Expr::Path(path) if path.path.segments.last().is_some_and(|name| name.ident == "default"))
}

fn is_json(text: &str) -> bool {
    json::parse_all.parse_str(text).is_ok()
}

/// Returns the JSON of a list of literals.
fn json_list<'a>(values: impl IntoIterator<Item = &'a Expr>) -> Option<String> {
    let items =
        values.into_iter().map(|value| matches!(value, Expr::Lit(_)).then(|| value.to_token_stream().to_string()));
    Some(format!("[{}]", items.collect::<Option<Vec<_>>>()?.join(", ")))
}

fn char_literal(value: &Expr) -> Option<char> {
    match value {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Char(literal), .. }) => Some(literal.value()),
        _ => None,
    }
}

/// A value for the documentation, with its tokens.
pub(super) struct Example(pub(super) Json, pub(super) TokenStream);

impl Example {
    fn parse(tokens: TokenStream) -> darling::Result<Self> {
        match json::parse_all.parse2(tokens.clone()) {
            Ok(value) => Ok(Self(value, tokens)),
            Err(_) if matches!(syn::parse2(tokens.clone()), Ok(Expr::Path(_))) => {
                Err(wrong(&tokens, "expected a JSON value", "write the value itself: an example can't be a constant"))
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl FromMeta for Example {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        match meta {
            Meta::NameValue(pair) => Self::parse(pair.value.to_token_stream()),
            Meta::List(list) if !list.tokens.is_empty() => {
                let values = &list.tokens;
                let is_one = split_at_commas(list.tokens.clone()).len() == 1;
                let instead = if is_one { format!("example = {values}") } else { format!("examples({values})") };
                Err(wrong(list, "`example` takes `=`", format_args!("write `{instead}`")))
            }
            _ => Err(wrong(meta, "`example` needs a value", "`example = ...`")),
        }
    }
}

/// `examples(.., ..)`
pub(super) struct Examples(pub(super) Vec<Example>);

impl FromMeta for Examples {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let Meta::List(list) = meta else {
            let values = match meta {
                Meta::NameValue(pair) => match ungrouped(&pair.value) {
                    Expr::Array(array) => array.elems.to_token_stream().to_string(),
                    value => value.to_token_stream().to_string(),
                },
                _ => "...".to_owned(),
            };
            return Err(wrong(meta, "`examples` takes a list", format_args!("write `examples({values})`")));
        };
        let mut errors = darling::Error::accumulator();
        let examples = split_at_commas(list.tokens.clone())
            .into_iter()
            .filter_map(|tokens| errors.handle(Example::parse(tokens)))
            .collect();
        errors.finish_with(Self(examples))
    }
}
