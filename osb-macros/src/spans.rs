//! Where generated code claims to stand.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::ToTokens;

/// `tokens`, each of them where `place` begins; names keep their meaning.
///
/// An error found while the compiler evaluates a constant is shown there. Only the place moves: taking the author's
/// span whole would make lints take generated code for written code.
pub(crate) fn located(tokens: TokenStream, place: &impl ToTokens) -> TokenStream {
    let span = place.to_token_stream().into_iter().next().map_or_else(Span::call_site, |token| token.span());
    moved(tokens, span)
}

fn moved(tokens: TokenStream, span: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            if let TokenTree::Group(group) = &token {
                let mut inside = Group::new(group.delimiter(), moved(group.stream(), span));
                inside.set_span(group.span().located_at(span));
                token = TokenTree::Group(inside);
            } else {
                token.set_span(token.span().located_at(span));
            }
            token
        })
        .collect()
}
