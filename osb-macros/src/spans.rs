//! Where generated code claims to stand.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::ToTokens;

/// Generated tokens, placed so that an error in them underlines all of `place`, which the author wrote, and says nothing
/// of a macro. What is in [`kept`] stays where it is: the compiler underlines it by itself where it is to blame.
///
/// Lints take what stands here for written code, so it has to be code that none of them minds.
pub(crate) fn at(place: &impl ToTokens, tokens: TokenStream) -> TokenStream {
    let mut spans = place.to_token_stream().into_iter().map(|token| token.span());
    let first = spans.next().unwrap_or_else(Span::call_site);
    let last = spans.last().unwrap_or(first);
    let mut tokens = tokens.into_iter();
    let start = tokens.next().map(|token| respan(token.into(), first));
    start.into_iter().chain([respan(tokens.collect(), last)]).collect()
}

/// Tokens that [`at`] leaves where they are.
pub(crate) fn kept(tokens: &impl ToTokens) -> Group {
    Group::new(Delimiter::None, tokens.to_token_stream())
}

fn respan(tokens: TokenStream, span: Span) -> TokenStream {
    let respan = |token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => group.stream(),
        TokenTree::Group(group) => {
            let mut respanned = Group::new(group.delimiter(), respan(group.stream(), span));
            respanned.set_span(span);
            TokenTree::Group(respanned).into()
        }
        mut other => {
            other.set_span(span);
            other.into()
        }
    };
    tokens.into_iter().flat_map(|token| -> TokenStream { respan(token) }).collect()
}
