//! The tokens between a name and its value: `name = value` for an argument, `"name": value` for a JSON member.

use proc_macro2::{Delimiter, Ident, Literal, Punct, Spacing, TokenStream, TokenTree};
use quote::quote;

use super::as_written;

/// Returns `piece` with the right separator and the right quotes around its name, and the mistake if it had others. `names`
/// are the arguments that can stand among JSON members.
pub(super) fn correct(piece: TokenStream, takes_members: bool, names: &[&str]) -> (TokenStream, Option<syn::Error>) {
    if let Some(member) = takes_members.then(|| text_member(&piece, names)).flatten() {
        return member;
    }
    let mut tokens = piece.clone().into_iter();
    let (Some(name), Some(TokenTree::Punct(punct))) = (tokens.next(), tokens.next()) else { return (piece, None) };
    if punct.spacing() == Spacing::Joint {
        let is_text = matches!(&name, TokenTree::Literal(name) if name.to_string().starts_with('"'));
        let Some(TokenTree::Punct(end)) = tokens.next().filter(|_| takes_members && is_text) else {
            return (piece, None); // a path
        };
        let rest: TokenStream = tokens.collect();
        let message = format!("a JSON member takes `:`, not `{}{}`", punct.as_char(), end.as_char());
        let mistake = error(&punct, &message, &format!("{name}: {}", quoted_text(&rest)));
        return (joined(name, ':', &punct, rest), Some(mistake));
    }
    let rest: TokenStream = tokens.collect();
    if let (TokenTree::Ident(ident), ':', Some(argument)) = (&name, punct.as_char(), of_the_wire(&name, names)) {
        let message = "an argument takes `=`, and is written in `snake_case`";
        let mistake = error(ident, message, &format!("{argument} = {rest}"));
        let argument = Ident::new(argument, ident.span());
        return (joined(argument.into(), '=', &punct, rest), Some(mistake));
    }
    let may_be_argument = |name: &str| names.contains(&&*name.replace('-', "_"));
    if let (true, TokenTree::Ident(first)) = (takes_members && !may_be_argument(&name.to_string()), &name)
        && let Some((key, separator, value)) = unquoted_member(&piece)
        && !may_be_argument(&key)
    {
        let mut key = Literal::string(&key);
        key.set_span(first.span());
        let text = quoted_text(&value);
        let mistake = error(first, "the name of a JSON member is a string", &format!("{key}: {text}"));
        return (joined(key.into(), ':', &separator, value), Some(mistake));
    }
    match (&name, punct.as_char()) {
        (TokenTree::Literal(literal), '=')
            if takes_members
                && literal.to_string().starts_with('"')
                && !may_be_argument(literal.to_string().trim_matches('"')) =>
        {
            let instead = format!("{literal}: {}", quoted_text(&rest));
            let mistake = error(&punct, "a JSON member takes `:`, not `=`", &instead);
            let mistake = is_member(literal.to_string().trim_matches('"'), names).then_some(mistake);
            (joined(name, ':', &punct, rest), mistake)
        }
        (TokenTree::Ident(ident), ':') if is_in_parentheses(&rest) => {
            let mistake = error(&punct, "a list of arguments takes no `:`", &format!("{ident}{rest}"));
            ([name].into_iter().chain(rest).collect(), Some(mistake))
        }
        (TokenTree::Ident(ident), ':') => {
            let mistake = error(&punct, "an argument takes `=`, not `:`", &format!("{ident} = {rest}"));
            (joined(name, '=', &punct, rest), Some(mistake))
        }
        (TokenTree::Literal(literal), '=') => match syn::parse_str::<Ident>(literal.to_string().trim_matches('"')) {
            Ok(mut ident) => {
                ident.set_span(literal.span());
                let mistake = error(literal, "the name of an argument has no quotes", &format!("{ident} = {rest}"));
                (joined(ident.into(), '=', &punct, rest), Some(mistake))
            }
            Err(_) => (piece, None),
        },
        _ => (piece, None),
    }
}

/// Returns the member in `"region" "eu"`, which has no colon, and in `"region": eu-west`, whose text has no quotes, with the mistake.
fn text_member(piece: &TokenStream, names: &[&str]) -> Option<(TokenStream, Option<syn::Error>)> {
    let mut tokens = piece.clone().into_iter();
    let key: syn::LitStr = syn::parse2(tokens.next()?.into()).ok()?;
    let mut value = tokens.clone();
    let has_colon = matches!(value.next()?, TokenTree::Punct(punct) if punct.as_char() == ':');
    let value: TokenStream = if has_colon { value.collect() } else { tokens.collect() };
    let text = quoted_text(&value);
    let literal: syn::Lit = syn::parse_str(&text).ok()?;
    let message = match has_colon {
        // `EU` is rather a constant.
        true if text != value.to_string() && text[1..].starts_with(char::is_lowercase) => "a text in JSON has quotes",
        false if syn::parse2::<syn::Lit>(value.clone()).is_ok() => "a JSON member takes `:`",
        _ => return None,
    };
    let mistake = error(&value, message, &format!("{}: {text}", key.token()));
    Some((quote!(#key: #literal), is_member(&key.value(), names).then_some(mistake)))
}

/// Returns whether a member doesn't have the name of an argument. If it has, it is refused later, with the argument in its place.
fn is_member(key: &str, names: &[&str]) -> bool {
    let letters = |name: &str| name.replace('_', "").to_ascii_lowercase();
    names.iter().all(|name| letters(name) != letters(key))
}

/// Returns the argument whose name on the wire is `name`, such as `displayName`.
fn of_the_wire<'a>(name: &TokenTree, names: &[&'a str]) -> Option<&'a str> {
    let name = name.to_string();
    names.iter().copied().find(|argument| *argument != name && argument.replace('_', "") == name.to_lowercase())
}

/// Returns a text without quotes, such as `eu-west`, in quotes. Other values are those of JSON.
fn quoted_text(value: &TokenStream) -> String {
    let text = as_written(value);
    let is_text = text.starts_with(char::is_alphabetic)
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'))
        && !matches!(&*text, "true" | "false" | "null");
    if is_text { format!("{text:?}") } else { value.to_string() }
}

/// Splits a member whose name has no quotes, such as `acme:region: "eu"` and `acme-region = "eu"`, into the name, the separator
/// and the value. One word before an equals sign is an argument.
fn unquoted_member(piece: &TokenStream) -> Option<(String, Punct, TokenStream)> {
    let tokens: Vec<TokenTree> = piece.clone().into_iter().collect();
    let (mut key, mut rest, mut member) = (String::new(), &*tokens, None);
    while let [TokenTree::Ident(word), TokenTree::Punct(sign), after @ ..] = rest
        && sign.spacing() == Spacing::Alone
    {
        let is_equals = sign.as_char() == '=';
        if is_equals && key.is_empty() {
            return None;
        }
        key.push_str(&word.to_string());
        // The last separator counts: the signs after it are those of the value, such as `eu-west`.
        if is_equals || sign.as_char() == ':' {
            member = Some((key.clone(), sign.clone(), after.iter().cloned().collect()));
        }
        key.push(sign.as_char());
        rest = after;
    }
    member
}

fn is_in_parentheses(tokens: &TokenStream) -> bool {
    let mut tokens = tokens.clone().into_iter();
    let is_group =
        matches!(tokens.next(), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
    is_group && tokens.next().is_none()
}

fn error(place: &impl quote::ToTokens, message: &str, instead: &str) -> syn::Error {
    syn::Error::new_spanned(place, format_args!("{message}\nhelp: write `{instead}`"))
}

fn joined(name: TokenTree, separator: char, written: &Punct, rest: TokenStream) -> TokenStream {
    let mut separator = Punct::new(separator, Spacing::Alone);
    separator.set_span(written.span());
    [name, separator.into()].into_iter().chain(rest).collect()
}
