//! The commas between arguments.

use proc_macro2::{Delimiter, Punct, TokenStream, TokenTree};

use crate::errors::Errors;

/// Splits `tokens` at the commas outside of all brackets, angle brackets included.
pub(crate) fn split_at_commas(tokens: TokenStream) -> Vec<TokenStream> {
    let mut pieces = vec![TokenStream::new()];
    let mut angles = 0_u32;
    let mut before = ' ';
    for token in tokens {
        if let TokenTree::Punct(punct) = &token {
            match punct.as_char() {
                '<' => angles += 1,
                '>' if before != '=' && before != '-' => angles = angles.saturating_sub(1),
                ',' if angles == 0 => {
                    pieces.push(TokenStream::new());
                    before = ',';
                    continue;
                }
                _ => {}
            }
            before = punct.as_char();
        } else {
            before = ' ';
        }
        if let Some(last) = pieces.last_mut() {
            last.extend([token]);
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// Reports the first comma, among arguments and in their lists, that has nothing before it.
pub(crate) fn refuse_superfluous_comma(tokens: &TokenStream, errors: &mut Errors) {
    if let Some(comma) = superfluous_comma(tokens) {
        errors.help(comma, "there is nothing before this comma", "leave it out");
    }
}

/// Returns the first comma that follows another one or begins a list in parentheses. The parser of JSON finds those in brackets.
fn superfluous_comma(tokens: &TokenStream) -> Option<Punct> {
    let mut is_needed = false;
    for token in tokens.clone() {
        match token {
            TokenTree::Punct(comma) if comma.as_char() == ',' => {
                if !is_needed {
                    return Some(comma);
                }
                is_needed = false;
            }
            TokenTree::Group(group) => {
                let is_list = group.delimiter() == Delimiter::Parenthesis;
                if let Some(comma) = is_list.then(|| superfluous_comma(&group.stream())).flatten() {
                    return Some(comma);
                }
                is_needed = true;
            }
            _ => is_needed = true,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::split_at_commas;

    #[test]
    fn arguments_are_split_at_commas_outside_of_brackets() {
        let tokens = quote!(a = Map<K, V>, b(c, d), Old => New, f = Map<fn() -> A, B>, g = A<B<C, D>, E>, h = x >= y,);
        let pieces: Vec<_> = split_at_commas(tokens).iter().map(ToString::to_string).collect();
        let expected = [
            quote!(a = Map<K, V>),
            quote!(b(c, d)),
            quote!(Old => New),
            quote!(f = Map<fn() -> A, B>),
            quote!(g = A<B<C, D>, E>),
            quote!(h = x >= y),
        ];
        assert_eq!(pieces, expected.map(|piece| piece.to_string()));
    }
}
