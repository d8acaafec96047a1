//! The kinds of values. Each mistake is reported at its own token.

use std::fmt::Display;

use darling::FromMeta;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Expr, ExprPath, LitStr, Meta, parse::Parser, punctuated::Punctuated};

use super::{misplaced, split_at_commas};
use crate::json;

/// The mistake in a value, and its correction.
pub(crate) fn wrong(place: &impl ToTokens, message: impl Display, help: impl Display) -> darling::Error {
    darling::Error::custom(format_args!("{message}\nhelp: {help}")).with_span(&place.to_token_stream())
}

/// Returns tokens as authors write them, for messages: `to_string` can put a space between any two, but only words need one,
/// and a few signs have one.
pub(crate) fn as_written(tokens: &impl ToTokens) -> String {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let join = |written: String, part: &str| {
        if matches!(part, "=" | "=>") {
            return format!("{written} {part} ");
        }
        let space = if written.ends_with(is_of_word) && part.starts_with(is_of_word) { " " } else { "" };
        written + space + part
    };
    let dense = tokens.to_token_stream().to_string().split_whitespace().fold(String::new(), join);
    dense.replace(',', ", ").replace('+', " + ").replace("->", " -> ")
}

/// `name`, `name = true` or `name = false`.
pub(crate) struct Flag(pub(crate) bool);

impl FromMeta for Flag {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let name = meta.path().to_token_stream();
        let place = match meta {
            Meta::Path(_) => return Ok(Self(true)),
            Meta::NameValue(pair) => match boolean(&pair.value) {
                Some(set) => return Ok(Self(set)),
                None => pair.value.to_token_stream(),
            },
            Meta::List(list) => list.tokens.clone(),
        };
        let help = match syn::parse2::<syn::Path>(place.clone()) {
            Ok(ty) if meta.path().is_ident("bindable") && is_type(&ty) => {
                format!("\nhelp: write `bind = {}` for a plan whose bindings take parameters", ty.to_token_stream())
            }
            _ => match place.to_string().trim_matches('"').to_lowercase().as_str() {
                "" | "true" | "yes" | "on" => format!("\nhelp: write `{name}`"),
                "false" | "no" | "off" => format!("\nhelp: write `{name} = false`"),
                _ => String::new(),
            },
        };
        let message = format!("`{name}` is a flag: `{name}`, `{name} = true` or `{name} = false`{help}");
        // The parentheses of `name()` have no tokens between them.
        let place = if place.is_empty() { name } else { place };
        Err(darling::Error::custom(message).with_span(&place))
    }
}

fn boolean(value: &Expr) -> Option<bool> {
    match ungrouped(value) {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Bool(literal), .. }) => Some(literal.value),
        _ => None,
    }
}

/// A string literal that is not blank; the position stays with it.
#[derive(Clone)]
pub(crate) struct Text(pub(crate) LitStr);

impl Text {
    pub(crate) fn value(&self) -> String {
        self.0.value()
    }
}

impl ToTokens for Text {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.0.to_tokens(tokens);
    }
}

impl FromMeta for Text {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let name = meta.path().to_token_stream();
        let no_string = |place: &dyn ToTokens, help: &str| {
            Err(darling::Error::custom(format_args!("`{name}` is a string: `{name} = \"...\"`{help}"))
                .with_span(&place.to_token_stream()))
        };
        let Meta::NameValue(pair) = meta else { return no_string(meta, &help_on_list(meta, &name)) };
        let Some(literal) = string_literal(&pair.value) else {
            return no_string(&pair.value, &help_on_string(&name, ungrouped(&pair.value)));
        };
        if literal.value().trim().is_empty() {
            let help = match &*name.to_string() {
                "id" => "write a GUID: `uuidgen` makes one".to_owned(),
                "secret_env" => "write the name of an environment variable".to_owned(),
                "redirect_uri" => "write `https://...`".to_owned(),
                "name" => "write the name that users type".to_owned(),
                "version" => "write a semantic version, such as \"1.0.0\"".to_owned(),
                "tag" => "write the name of a property, such as \"kind\"".to_owned(),
                name => format!("write a text, or leave `{name}` out"),
            };
            return Err(wrong(&literal, format_args!("`{name}` must not be blank"), help));
        }
        Ok(Self(literal))
    }
}

/// Returns the arguments that `name("a")` and `alias("a", "b")` probably mean.
fn help_on_list(meta: &Meta, name: &TokenStream) -> String {
    let Meta::List(list) = meta else { return String::new() };
    if let Ok(word) = syn::parse2::<Ident>(list.tokens.clone()) {
        return format!("\nhelp: write `{name} = {:?}`", word.to_string());
    }
    let texts = Punctuated::<LitStr, syn::Token![,]>::parse_terminated.parse2(list.tokens.clone()).unwrap_or_default();
    // Only aliases can be given several times.
    if texts.is_empty() || texts.len() > 1 && !meta.path().is_ident("alias") {
        return String::new();
    }
    let written = texts.iter().map(|text| format!("`{name} = {}`", text.to_token_stream()));
    format!("\nhelp: write {}", written.collect::<Vec<_>>().join(", "))
}

/// Returns the list that `name = "a"` and `name = ["a", "b"]` probably mean.
fn help_on_strings(meta: &Meta, name: &TokenStream) -> String {
    let Meta::NameValue(pair) = meta else { return String::new() };
    let list = match ungrouped(&pair.value) {
        Expr::Array(array) => array.elems.iter().map(string_literal).collect(),
        Expr::Tuple(tuple) => tuple.elems.iter().map(string_literal).collect(),
        value => string_literal(value).map(|text| vec![text]),
    };
    let Some(list) = list.filter(|list| !list.is_empty()) else { return help_on_texts(&pair.value, name) };
    // One string can be a list of words: "sql, relational".
    let words: Vec<_> = list.iter().map(LitStr::value).collect();
    let words: Vec<_> = words.iter().flat_map(|text| text.split(',')).map(str::trim).collect();
    let list: Vec<_> = if words.iter().any(|word| word.is_empty() || word.contains(' ')) {
        list.iter().map(|text| text.to_token_stream().to_string()).collect()
    } else {
        words.iter().map(|word| format!("{word:?}")).collect()
    };
    format!("\nhelp: write `{name}({})`", list.join(", "))
}

/// Returns the help for a value that is no string.
fn help_on_string(name: &TokenStream, value: &Expr) -> String {
    let literal = match value {
        // `email` and `catalog.lock` are texts, `NAME` and `names::KV` are constants.
        Expr::Path(path) if path.path.get_ident().is_some_and(is_word) => value.to_token_stream().to_string(),
        Expr::Field(_) => as_written(value),
        // Only aliases can be given several times.
        Expr::Array(array) if name.to_string() == "alias" => {
            let texts = array.elems.iter().map(string_literal).collect::<Option<Vec<_>>>().unwrap_or_default();
            let written = texts.iter().map(|text| format!("`alias = {}`", text.token()));
            return format!("\nhelp: write {}", written.collect::<Vec<_>>().join(", "));
        }
        Expr::Path(_) | Expr::Macro(_) => {
            return "\nhelp: write a string literal: a macro can't evaluate constants or other macros".to_owned();
        }
        // A semantic version has three numbers.
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(_) | syn::Lit::Float(_), .. }) if name.to_string() == "version" => {
            let numbers = value.to_token_stream().to_string();
            let zeros = ".0".repeat(2_usize.saturating_sub(numbers.matches('.').count()));
            numbers + &zeros
        }
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(_) | syn::Lit::Float(_) | syn::Lit::Char(_), .. }) => {
            value.to_token_stream().to_string().trim_matches('\'').to_owned()
        }
        // An id without quotes.
        Expr::Binary(_) | Expr::Verbatim(_) => {
            let text = as_written(value);
            if !text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
                return String::new();
            }
            text
        }
        // `Regex::new("...")`, `"...".to_string()`, `("...")`, `&"..."`
        _ => {
            let inner = match value {
                Expr::Call(call) if call.args.len() == 1 => call.args.first(),
                Expr::MethodCall(call) => Some(&*call.receiver),
                Expr::Paren(paren) => Some(&*paren.expr),
                Expr::Reference(borrowed) => Some(&*borrowed.expr),
                _ => None,
            };
            let Some(literal) = inner.and_then(string_literal) else { return String::new() };
            literal.value()
        }
    };
    format!("\nhelp: write `{name} = {literal:?}`")
}

fn is_word(ident: &Ident) -> bool {
    ident.to_string().starts_with(char::is_lowercase)
}

/// Returns the list that `name(a, "b", 3)` probably means.
fn help_on_words(list: &TokenStream, name: &TokenStream) -> String {
    let mut values = Punctuated::<Expr, syn::Token![,]>::parse_terminated.parse2(list.clone()).unwrap_or_default();
    if let (Some(Expr::Array(array)), 1) = (values.first(), values.len()) {
        values = array.elems.clone();
    }
    let quoted = values.iter().map(|value| match ungrouped(value) {
        Expr::Path(path) => path.path.get_ident().map(|word| format!("{:?}", word.to_string())),
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => Some(format!("\"{number}\"")),
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Float(number), .. }) => Some(format!("\"{number}\"")),
        value => string_literal(value).map(|text| text.to_token_stream().to_string()),
    });
    let quoted = quoted.collect::<Option<Vec<_>>>().unwrap_or_default();
    if quoted.is_empty() {
        return help_on_texts(list, name);
    }
    format!("\nhelp: write `{name}({})`", quoted.join(", "))
}

/// Returns the list of the strings in an expression, such as `vec!["a", "b"]`.
fn help_on_texts(value: &impl ToTokens, name: &TokenStream) -> String {
    let texts = texts(value.to_token_stream());
    if texts.is_empty() { String::new() } else { format!("\nhelp: write `{name}({})`", texts.join(", ")) }
}

fn texts(tokens: TokenStream) -> Vec<String> {
    let of_token = |token| match token {
        TokenTree::Group(group) => texts(group.stream()),
        TokenTree::Literal(literal) if literal.to_string().starts_with('"') => vec![literal.to_string()],
        _ => Vec::new(),
    };
    tokens.into_iter().flat_map(of_token).collect()
}

/// Returns `value` if it is a string literal.
pub(crate) fn string_literal(value: &Expr) -> Option<LitStr> {
    match ungrouped(value) {
        Expr::Lit(syn::ExprLit { lit, .. }) => json::string(lit),
        _ => None,
    }
}

/// Returns the expression inside the invisible groups that `macro_rules!` puts around a fragment.
pub(crate) fn ungrouped(value: &Expr) -> &Expr {
    match value {
        Expr::Group(group) => ungrouped(&group.expr),
        other => other,
    }
}

/// Returns whether a path is written like a type.
pub(crate) fn is_type(path: &syn::Path) -> bool {
    path.segments.last().is_some_and(|last| last.ident.to_string().starts_with(char::is_uppercase))
}

/// A type, as in `create = NewStore`.
#[derive(Clone)]
pub(crate) struct TypeName(pub(crate) syn::Type);

impl FromMeta for TypeName {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let name = meta.path().to_token_stream();
        let wrong = |place: &dyn ToTokens, example: &str| {
            let flag = if meta.path().is_ident("bind") { ", or `bindable` if bindings take no parameters" } else { "" };
            let message = format!("`{name}` names a type\nhelp: write `{name} = {example}`{flag}");
            darling::Error::custom(message).with_span(&place.to_token_stream())
        };
        let Meta::NameValue(pair) = meta else {
            let listed =
                meta.require_list().ok().and_then(|list| syn::parse2::<syn::TypePath>(list.tokens.clone()).ok());
            return Err(wrong(meta, &listed.as_ref().map_or_else(|| "Type".to_owned(), as_written)));
        };
        if matches!(ungrouped(&pair.value), Expr::Tuple(tuple) if tuple.elems.is_empty()) {
            let help = if meta.path().is_ident("bind") {
                "`bindable`".to_owned()
            } else {
                format!("nothing: leave `{name}` out")
            };
            let message = format!("`()` has no parameters\nhelp: write {help}");
            return Err(darling::Error::custom(message).with_span(&pair.value));
        }
        match syn::parse2::<syn::Type>(pair.value.to_token_stream()) {
            Ok(syn::Type::Reference(borrowed)) => {
                return Err(wrong(&borrowed, &as_written(&borrowed.elem)));
            }
            Ok(syn::Type::Path(path)) if path.path.is_ident("Self") => return Err(wrong(&path, "Type")),
            _ => {}
        }
        syn::parse2(pair.value.to_token_stream()).map(Self).map_err(|_| {
            let meant = match ungrouped(&pair.value) {
                Expr::Struct(value) => Some(as_written(&value.path)),
                Expr::Call(call) => Some(as_written(&type_of(&call.func))),
                value => string_literal(value).map(|text| text.value()),
            };
            // `family = "sized"` gives the family's name.
            let meant = meant.filter(|meant| syn::parse_str::<syn::TypePath>(meant).is_ok_and(|ty| is_type(&ty.path)));
            wrong(&pair.value, meant.as_deref().unwrap_or("Type"))
        })
    }
}

/// Returns the type of `Type::new` and of `Type`, as in `Type::new()` and `Type(..)`.
fn type_of(constructor: &Expr) -> Expr {
    let mut ty = constructor.clone();
    if let Expr::Path(ExprPath { path, .. }) = &mut ty
        && path.segments.last().is_some_and(|function| is_word(&function.ident))
    {
        path.segments.pop();
        path.segments.pop_punct();
    }
    ty
}

/// A path, as in `crate = my::osb_runtime`.
#[derive(Clone)]
pub(crate) struct PathName(pub(crate) syn::Path);

impl FromMeta for PathName {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let name = meta.path().to_token_stream();
        if let Meta::NameValue(pair) = meta
            && let Ok(path) = syn::parse2(pair.value.to_token_stream())
        {
            return Ok(Self(path));
        }
        Err(darling::Error::custom(format_args!("`{name}` is a path: `{name} = path::to::osb_runtime`"))
            .with_span(meta))
    }
}

/// Returns the second of two strings that have no comma between them.
fn second_text(piece: &TokenStream) -> Option<LitStr> {
    let two = |input: syn::parse::ParseStream<'_>| {
        input.parse::<LitStr>()?;
        let second = input.parse()?;
        input.parse::<TokenStream>()?;
        Ok(second)
    };
    two.parse2(piece.clone()).ok()
}

/// `name("a", "b")`: strings that are not blank.
pub(crate) struct Strings(pub(crate) Vec<LitStr>);

impl FromMeta for Strings {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let name = meta.path().to_token_stream();
        let Meta::List(list) = meta else {
            return Err(darling::Error::custom(format_args!(
                "`{name}` is a list of strings: `{name}(\"...\", \"...\")`{}",
                help_on_strings(meta, &name)
            ))
            .with_span(meta));
        };
        let mut texts = Vec::new();
        let mut errors = darling::Error::accumulator();
        let mut is_reported = false;
        for piece in split_at_commas(list.tokens.clone()) {
            if let Some(error) = misplaced(&piece) {
                if !std::mem::replace(&mut is_reported, true) {
                    errors.push(darling::Error::custom(error).with_span(&piece));
                }
                continue;
            }
            match syn::parse2::<Expr>(piece.clone()).ok().as_ref().and_then(string_literal) {
                Some(text) if !text.value().trim().is_empty() => texts.push(text),
                Some(text) => errors.push(wrong(
                    &text,
                    format_args!("`{name}` must not contain blank strings"),
                    "leave this one out",
                )),
                // The same mistake is probably in all of the list.
                None if is_reported => {}
                None => {
                    is_reported = true;
                    if let Some(second) = second_text(&piece) {
                        let help = format!("write a comma before `{}`", second.token());
                        errors.push(wrong(&second, "expected `,`", help));
                        continue;
                    }
                    errors.push(
                        darling::Error::custom(format_args!(
                            "`{name}` is a list of strings: `{name}(\"...\", \"...\")`{}",
                            help_on_words(&list.tokens, &name)
                        ))
                        .with_span(&piece),
                    );
                }
            }
        }
        errors.finish_with(Self(texts))
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::as_written;

    #[test]
    fn only_words_keep_the_spaces_between_them() {
        assert_eq!(as_written(&quote!(HashMap<String, &'static str>)), "HashMap<String, &'static str>");
        assert_eq!(as_written(&quote!(my::Plan)), "my::Plan");
        assert_eq!(as_written(&quote!(dyn Fn(u8) -> u8 + Send)), "dyn Fn(u8) -> u8 + Send");
    }
}
