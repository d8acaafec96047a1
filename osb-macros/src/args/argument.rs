//! One argument, from its tokens. A mistake that leaves the meaning clear is corrected and reported.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Attribute, Expr, Meta, MetaList, MetaNameValue, Token,
    ext::IdentExt,
    parse::{ParseStream, Parser},
    punctuated::Punctuated,
};

use super::{as_written, exclusive_max, given, is_type, span};

/// One argument: `name`, `name = value` or `name(...)`.
pub(super) struct Argument {
    pub(super) name: Ident,
    pub(super) meta: Meta,
    /// A mistake that leaves the meaning clear.
    pub(super) mistake: Option<syn::Error>,
}

impl Argument {
    /// Returns whether its value could not be parsed, which is reported already.
    pub(super) fn is_half_typed(&self) -> bool {
        given::is_half_typed(&self.meta)
    }
}

/// Parses one argument, and the tokens after it where a comma is missing.
pub(super) fn argument_and_rest(input: ParseStream<'_>) -> syn::Result<(Argument, TokenStream)> {
    Ok((argument(input)?, input.parse()?))
}

fn argument(input: ParseStream<'_>) -> syn::Result<Argument> {
    if let Some(error) = conflict(input) {
        return Err(error);
    }
    let attributes = input.call(Attribute::parse_outer)?;
    let mut argument = without_attribute(input)?;
    argument.mistake = attributes.first().map(no_attribute).or(argument.mistake);
    Ok(argument)
}

/// Returns the mistake if the tokens begin with an attribute, a doc comment, or the marker of a merge conflict.
pub(crate) fn misplaced(tokens: &TokenStream) -> Option<syn::Error> {
    let first = |input: ParseStream<'_>| {
        let found = match conflict(input) {
            Some(error) => Some(error),
            None => input.call(Attribute::parse_outer)?.first().map(no_attribute),
        };
        input.parse::<TokenStream>()?;
        Ok(found)
    };
    first.parse2(tokens.clone()).ok().flatten()
}

/// Returns the mistake if the marker of a merge conflict is next. The compiler reports those outside of attributes.
fn conflict(input: ParseStream<'_>) -> Option<syn::Error> {
    let is_marker =
        input.peek(Token![<<]) && input.peek2(Token![<<]) || input.peek(Token![==]) || input.peek(Token![>>]);
    let help = "keep one of the versions between the lines `<<<<<<<`, `=======` and `>>>>>>>`, and delete these lines";
    is_marker.then(|| input.error(format_args!("a merge left a conflict here\nhelp: {help}")))
}

fn no_attribute(attribute: &Attribute) -> syn::Error {
    let text = match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => format!(
            "`#[cfg]` has no effect inside another attribute\nhelp: write the outer one twice, as `#[cfg_attr({0}, ...)]` and as `#[cfg_attr(not({0}), ...)]`",
            list.tokens
        ),
        meta if meta.path().is_ident("doc") => {
            "a comment inside an attribute is no doc comment\nhelp: write `//`".to_owned()
        }
        _ => "an argument has no attributes\nhelp: leave this one out".to_owned(),
    };
    syn::Error::new_spanned(attribute, text)
}

fn without_attribute(input: ParseStream<'_>) -> syn::Result<Argument> {
    if input.fork().call(negated).is_ok() {
        return negated_argument(input);
    }
    if !input.peek(Ident::peek_any) {
        return Err(no_name(input));
    }
    let name = Ident::parse_any(input)?;
    let path = syn::Path::from(name.clone());
    let (meta, mistake) = if let Ok(operator) = input.fork().call(assignment) {
        let place = input.cursor().span();
        input.call(assignment)?;
        let (eq_token, value) = (<Token![=]>::default(), value(input)?);
        let help = format_args!("write `{name} = {}`", value.to_token_stream());
        let mistake = syn::Error::new(place, format_args!("an argument takes `=`, not `{operator}`\nhelp: {help}"));
        (Meta::NameValue(MetaNameValue { path, eq_token, value }), Some(mistake))
    } else if input.is_empty() || input.peek(Token![;]) || input.peek(Ident::peek_any) && !is_value(input) {
        // A name after it lacks a comma.
        (Meta::Path(path), None)
    } else if input.peek(Token![=]) {
        let eq_token: Token![=] = input.parse()?;
        if input.is_empty() {
            return Err(syn::Error::new_spanned(&name, format_args!("`{name}` needs a value: `{name} = ...`")));
        }
        (Meta::NameValue(MetaNameValue { path, eq_token, value: value(input)? }), None)
    } else if let Ok(group) = input.parse::<proc_macro2::Group>() {
        let help = format_args!("`{name}` takes round parentheses: `{name}(...)`");
        let is_round = group.delimiter() == Delimiter::Parenthesis;
        let mistake = (!is_round).then(|| syn::Error::new(group.span_open(), help));
        let delimiter = syn::MacroDelimiter::Paren(syn::token::Paren { span: group.delim_span() });
        (Meta::List(MetaList { path, delimiter, tokens: group.stream() }), mistake)
    } else if let Ok(tokens) = input.fork().call(in_angle_brackets) {
        let place = input.cursor().span();
        let mistake = syn::Error::new(place, format_args!("`{name}` takes round parentheses: `{name}({tokens})`"));
        input.call(in_angle_brackets)?;
        let delimiter = syn::MacroDelimiter::Paren(syn::token::Paren(place));
        (Meta::List(MetaList { path, delimiter, tokens }), Some(mistake))
    } else {
        let (value, mistake) = value_without_operator(&name, input)?;
        (Meta::NameValue(MetaNameValue { path, eq_token: <Token![=]>::default(), value }), Some(mistake))
    };
    Ok(Argument { name, meta, mistake })
}

/// Parses `!name` and `not(name)` as `name = false`. Of several names it returns the first.
fn negated_argument(input: ParseStream<'_>) -> syn::Result<Argument> {
    let place = input.cursor().span();
    let names = input.call(negated)?;
    let written = names.iter().map(|name| format!("`{name} = false`")).collect::<Vec<_>>().join(", ");
    let mistake = syn::Error::new(place, format_args!("an argument is not negated\nhelp: write {written}"));
    let Some(name) = names.into_iter().next() else { return Err(mistake) };
    let (eq_token, value) = (Token![=](name.span()), syn::parse_quote!(false));
    let meta = Meta::NameValue(MetaNameValue { path: name.clone().into(), eq_token, value });
    Ok(Argument { name, meta, mistake: Some(mistake) })
}

/// Returns the mistake of tokens that don't begin with a name.
fn no_name(input: ParseStream<'_>) -> syn::Error {
    let message = "expected an argument: `name`, `name = value` or `name(...)`";
    match input.fork().parse::<syn::Lit>() {
        Ok(literal) => {
            let value = literal.to_token_stream();
            let rest: TokenStream = input.fork().parse().unwrap_or_default();
            let argument = match span(&rest, exclusive_max) {
                Some(bounds) => format!("range({bounds})"),
                None => format!("... = {value}"),
            };
            input.error(format_args!("{message}\nhelp: write the name of the argument: `{argument}`"))
        }
        Err(_) if input.peek(syn::token::Brace) => input.error(format_args!("{message}\nhelp: leave the braces out")),
        Err(_) => input.error(message),
    }
}

/// Parses the value of an argument that has no `=`, or a comparison in its place.
fn value_without_operator(name: &Ident, input: ParseStream<'_>) -> syn::Result<(Expr, syn::Error)> {
    let message = format_args!("expected `=`, `(` or `,` after `{name}`");
    let place = input.cursor().span();
    if is_comparison(input) && (input.peek2(syn::Lit) || input.peek3(syn::Lit)) {
        while !input.peek(syn::Lit) {
            input.parse::<proc_macro2::Punct>()?;
        }
    }
    if let Ok(rest) = input.fork().call(hyphenated) {
        let help = format_args!("write `{name}_{rest}`: names have underscores");
        return Err(syn::Error::new(place, format_args!("{message}\nhelp: {help}")));
    }
    if !input.peek(syn::Lit) && !is_value(input) {
        return Err(syn::Error::new(place, message));
    }
    let value = value(input)?;
    let written = if let Expr::Lit(_) = value { value.to_token_stream().to_string() } else { as_written(&value) };
    let help = format_args!("write `{name} = {written}`");
    let mistake = syn::Error::new(place, format_args!("{message}\nhelp: {help}"));
    Ok((value, mistake))
}

/// Parses an operator that other languages have in place of `=`.
fn assignment(input: ParseStream<'_>) -> syn::Result<&'static str> {
    if input.parse::<Option<Token![=>]>>()?.is_some() {
        return Ok("=>");
    }
    if input.parse::<Option<Token![->]>>()?.is_some() {
        return Ok("->");
    }
    if input.parse::<Option<Token![==]>>()?.is_some() {
        return Ok("==");
    }
    input.parse::<Token![:]>()?;
    input.parse::<Token![=]>()?;
    Ok(":=")
}

/// Parses the rest of a name with a hyphen, and returns it.
fn hyphenated(input: ParseStream<'_>) -> syn::Result<Ident> {
    input.parse::<Token![-]>()?;
    input.call(Ident::parse_any)
}

/// Parses `!name` and `not(name, ...)`, and returns the names.
fn negated(input: ParseStream<'_>) -> syn::Result<Punctuated<Ident, Token![,]>> {
    if input.parse::<Option<Token![!]>>()?.is_some() {
        return Ok(Punctuated::from_iter([input.call(Ident::parse_any)?]));
    }
    let not: Ident = input.parse()?;
    let inner;
    syn::parenthesized!(inner in input);
    let names = Punctuated::parse_terminated_with(&inner, Ident::parse_any)?;
    if not == "not" && !names.is_empty() { Ok(names) } else { Err(inner.error("expected a name")) }
}

/// Parses `<...>` to the end, and returns the tokens inside.
fn in_angle_brackets(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    input.parse::<Token![<]>()?;
    let mut tokens: Vec<TokenTree> = input.parse::<TokenStream>()?.into_iter().collect();
    match tokens.pop() {
        Some(TokenTree::Punct(punct)) if punct.as_char() == '>' => Ok(tokens.into_iter().collect()),
        _ => Err(input.error("expected `>`")),
    }
}

/// Returns whether `true`, `false` or a type is next.
fn is_value(input: ParseStream<'_>) -> bool {
    input.peek(syn::LitBool) || input.fork().parse().is_ok_and(|path| is_type(&path))
}

/// Returns whether a comparison is next, such as `>=`.
fn is_comparison(input: ParseStream<'_>) -> bool {
    input.peek(Token![<]) || input.peek(Token![>])
}

/// Returns whether brackets are next, such as those of a JSON object or of a list of them.
fn is_group(input: ParseStream<'_>) -> bool {
    input.peek(syn::token::Brace) || input.peek(syn::token::Paren) || input.peek(syn::token::Bracket)
}

/// Parses the value after an equals sign. Types and JSON need not be expressions of Rust.
fn value(input: ParseStream<'_>) -> syn::Result<Expr> {
    if let Some(attribute) = input.call(Attribute::parse_outer)?.first() {
        return Err(no_attribute(attribute));
    }
    let ahead = input.fork();
    match ahead.parse::<Expr>() {
        // `changes = Old => New` is one value, of the wrong form.
        Ok(_) if ahead.peek(Token![=>]) => Ok(Expr::Verbatim(input.parse()?)),
        // After `Map<Key` the comma means that it is no comparison.
        Ok(_) if ahead.peek(Token![,]) => Ok(Expr::Verbatim(input.parse::<syn::Type>()?.into_token_stream())),
        Ok(_) => input.parse(),
        Err(_) if is_group(input) => Ok(Expr::Verbatim(input.parse::<TokenTree>()?.into())),
        Err(_) if input.fork().parse::<syn::Type>().is_ok() => {
            Ok(Expr::Verbatim(input.parse::<syn::Type>()?.into_token_stream()))
        }
        // `pub Name`, as an item declares it
        Err(_) if input.peek(Token![pub]) => Ok(Expr::Verbatim(input.parse()?)),
        Err(_) => {
            let help = "write a text in quotes, a number without a unit, or the name of a type or a constant";
            let message = format_args!("expected a value\nhelp: {help}");
            Err(syn::Error::new_spanned(input.parse::<TokenStream>()?, message))
        }
    }
}
