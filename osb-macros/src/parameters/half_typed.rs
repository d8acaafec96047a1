//! The fields of a type that an author is still writing, as far as they can be parsed.

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, TokenStream, TokenTree};
use syn::{
    Attribute, Field, Token, Type,
    parse::{ParseStream, Parser},
};

use super::known::{self, Known};
use crate::args::is_type;

/// Returns the fields in the braces of a struct that can be parsed, and the tokens of the others that have at least a name and a
/// colon.
pub(super) fn fields(body: TokenStream) -> (Vec<Field>, TokenStream) {
    let braces = body.into_iter().find_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
        _ => None,
    });
    let mut rest = braces.unwrap_or_default();
    let (mut fields, mut unparsable) = (Vec::new(), TokenStream::new());
    while !rest.is_empty() {
        if let Ok((field, after)) = field_and_rest.parse2(rest.clone()) {
            fields.push(field);
            rest = after;
        } else if let Ok((field, after)) = field_without_colon_and_rest.parse2(rest.clone()) {
            fields.push(field);
            rest = after;
        } else if let Ok(after) = after_bare_name.parse2(rest.clone()) {
            rest = after;
        } else if let Some((field, after)) = unclosed_field_and_rest(&rest) {
            fields.push(field);
            rest = after;
        } else {
            let mut tokens = rest.into_iter();
            let mut piece = TokenStream::new();
            for token in tokens.by_ref() {
                let is_end = is_comma(&token);
                piece.extend([token]);
                if is_end {
                    unparsable.extend(without_attributes(std::mem::take(&mut piece)));
                    break;
                }
            }
            rest = tokens.collect();
        }
    }
    (fields, unparsable)
}

fn field_and_rest(input: ParseStream<'_>) -> syn::Result<(Field, TokenStream)> {
    let field = input.call(Field::parse_named)?;
    // The compiler has reported a semicolon.
    if input.parse::<Option<Token![,]>>()?.is_none() {
        input.parse::<Option<Token![;]>>()?;
    }
    Ok((field, input.parse()?))
}

/// Parses a field that lacks only its colon, which the compiler has reported. The name of another field, on the next line, is no type,
/// also if that field has no colon either.
fn field_without_colon_and_rest(input: ParseStream<'_>) -> syn::Result<(Field, TokenStream)> {
    let attributes = input.call(Attribute::parse_outer)?;
    let (visibility, name, ty): (syn::Visibility, Ident, Type) = (input.parse()?, input.parse()?, input.parse()?);
    let is_named = matches!(&ty, Type::Path(named) if is_type(&named.path));
    if !is_named && matches!(Known::of(&ty), Known::Other) {
        return Err(input.error("a type"));
    }
    if !input.is_empty() {
        input.parse::<Token![,]>()?;
    }
    let field = syn::parse_quote!(#(#attributes)* #visibility #name: #ty);
    Ok((field, input.parse()?))
}

/// Parses a field whose type lacks the `>`s at its end, which the compiler has reported: `names: Vec<String,`. The first comma may
/// stand between two arguments of the type.
fn unclosed_field_and_rest(tokens: &TokenStream) -> Option<(Field, TokenStream)> {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let mut ends = (1..=tokens.len()).filter(|end| *end == tokens.len() || is_comma(&tokens[end - 1]));
    ends.find_map(|end| {
        let (field, rest) = tokens.split_at(end);
        let field = Field::parse_named.parse2(with_angle_brackets_closed(field)).ok()?;
        (!known::lacks_arguments(&field.ty)).then(|| (field, rest.iter().cloned().collect()))
    })
}

fn with_angle_brackets_closed(field: &[TokenTree]) -> TokenStream {
    let count = |sign| field.iter().filter(|token| token.to_string() == sign).count();
    // The first argument of `Vec<` is missing, too.
    let is_begun = field.last().is_some_and(|last| last.to_string() == "<");
    let missing = if is_begun { 0 } else { count("<").saturating_sub(count(">")) };
    let signs = std::iter::repeat_n(TokenTree::from(Punct::new('>', Spacing::Alone)), missing);
    field.iter().cloned().chain(signs).collect()
}

fn is_comma(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',')
}

/// Parses a name without a colon, and returns the tokens after it.
fn after_bare_name(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    input.call(Attribute::parse_outer)?;
    input.parse::<syn::Visibility>()?;
    input.parse::<Ident>()?;
    if input.peek(Token![:]) {
        return Err(input.error("a name with a colon"));
    }
    input.parse::<Option<Token![,]>>()?;
    input.parse()
}

fn without_attributes(tokens: TokenStream) -> TokenStream {
    let rest = |input: ParseStream<'_>| {
        input.call(Attribute::parse_outer)?;
        input.parse::<TokenStream>()
    };
    rest.parse2(tokens).unwrap_or_default()
}

/// Removes `#[param(...)]` from the tokens. Groups without it stay as they are, with the spans of their delimiters.
pub(super) fn without_param(tokens: TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    for token in tokens {
        let TokenTree::Group(group) = token else {
            kept.push(token);
            continue;
        };
        let is_param = group.delimiter() == Delimiter::Bracket
            && group.stream().into_iter().next().is_some_and(|first| first.to_string() == "param");
        if is_param {
            kept.pop(); // the `#`
        } else if !has_param(group.stream()) {
            kept.push(group.into());
        } else {
            let mut inner = Group::new(group.delimiter(), without_param(group.stream()));
            inner.set_span(group.span());
            kept.push(inner.into());
        }
    }
    kept.into_iter().collect()
}

fn has_param(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => has_param(group.stream()),
        other => other.to_string() == "param",
    })
}
