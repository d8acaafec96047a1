//! The tokens between a name and its value: `name = value` for an argument, `"name": value` for a JSON member.

use proc_macro2::{Delimiter, Ident, Literal, Punct, Spacing, TokenStream, TokenTree};

/// Returns `piece` with the right separator and the right quotes around its name, and the mistake if it had others. `names`
/// are the arguments that can stand among JSON members.
pub(super) fn correct(piece: TokenStream, takes_members: bool, names: &[&str]) -> (TokenStream, Option<syn::Error>) {
    let mut tokens = piece.clone().into_iter();
    let (Some(name), Some(TokenTree::Punct(punct))) = (tokens.next(), tokens.next()) else { return (piece, None) };
    if punct.spacing() == Spacing::Joint {
        return (piece, None); // a path
    }
    let rest: TokenStream = tokens.collect();
    if let (TokenTree::Ident(ident), ':', Some(argument)) = (&name, punct.as_char(), of_the_wire(&name, names)) {
        let message = "an argument takes `=`, and is written in `snake_case`";
        let mistake = error(ident, message, &format!("{argument} = {rest}"));
        let argument = Ident::new(argument, ident.span());
        return (joined(argument.into(), '=', &punct, rest), Some(mistake));
    }
    match (&name, punct.as_char()) {
        (TokenTree::Literal(literal), '=') if takes_members && literal.to_string().starts_with('"') => {
            let mistake = error(&punct, "a JSON member takes `:`, not `=`", &format!("{literal}: {rest}"));
            (joined(name, ':', &punct, rest), Some(mistake))
        }
        (TokenTree::Ident(ident), ':') if takes_members && !names.iter().any(|name| ident == name) => {
            let quoted = quoted(ident);
            let word = |value: &TokenStream| syn::parse2::<Ident>(value.clone()).map(|word| quoted_text(&word));
            let value = word(&rest).unwrap_or_else(|_| rest.to_string());
            let mistake = error(ident, "the name of a JSON member is a string", &format!("{quoted}: {value}"));
            (joined(quoted.into(), ':', &punct, rest), Some(mistake))
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

/// Returns the argument whose name on the wire is `name`, such as `displayName`.
fn of_the_wire<'a>(name: &TokenTree, names: &[&'a str]) -> Option<&'a str> {
    let name = name.to_string();
    names.iter().copied().find(|argument| *argument != name && argument.replace('_', "") == name.to_lowercase())
}

/// Returns a word in quotes, unless it is a value of JSON; `true` and `false` are no identifiers.
fn quoted_text(word: &Ident) -> String {
    let word = word.to_string();
    if word == "null" { word } else { format!("{word:?}") }
}

fn quoted(ident: &Ident) -> Literal {
    let mut quoted = Literal::string(&ident.to_string());
    quoted.set_span(ident.span());
    quoted
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
