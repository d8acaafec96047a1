//! The spans of generated code.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::ToTokens;

/// Moves generated tokens to `place`, which the author wrote: an error in them underlines all of it, and mentions no
/// macro. Tokens in [`preserve_spans`] stay, so that the compiler can underline them alone.
///
/// Lints treat moved tokens as the author's code, so none may object to them.
pub(crate) fn respan(place: &impl ToTokens, tokens: TokenStream) -> TokenStream {
    let mut spans = place.to_token_stream().into_iter().map(|token| token.span());
    let first = spans.next().unwrap_or_else(Span::call_site);
    let last = spans.last().unwrap_or(first);
    let mut tokens = tokens.into_iter();
    let start = tokens.next().map(|token| set_span(token.into(), first));
    start.into_iter().chain([set_span(tokens.collect(), last)]).collect()
}

/// Marks tokens that [`respan`] leaves where they are.
pub(crate) fn preserve_spans(tokens: &impl ToTokens) -> Group {
    Group::new(Delimiter::None, tokens.to_token_stream())
}

fn set_span(tokens: TokenStream, span: Span) -> TokenStream {
    let set_one = |token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => group.stream(),
        TokenTree::Group(group) => {
            let mut respanned = Group::new(group.delimiter(), set_span(group.stream(), span));
            respanned.set_span(span);
            TokenTree::Group(respanned).into()
        }
        mut other => {
            other.set_span(span);
            other.into()
        }
    };
    tokens.into_iter().flat_map(|token| -> TokenStream { set_one(token) }).collect()
}
