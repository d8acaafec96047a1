//! What an author got wrong, collected: one expansion reports all of it.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};

/// The mistakes found so far in one item.
#[derive(Default)]
pub(crate) struct Errors {
    found: Vec<syn::Error>,
}

impl Errors {
    /// A mistake at `place`. By convention the text is lower case, without a full stop, and names things in backticks.
    pub(crate) fn at(&mut self, place: impl ToTokens, message: impl Display) {
        self.found.push(syn::Error::new_spanned(place, message));
    }

    /// A mistake at `place`, and what to write instead.
    pub(crate) fn help(&mut self, place: impl ToTokens, message: impl Display, help: impl Display) {
        self.at(place, format_args!("{message}\nhelp: {help}"));
    }

    pub(crate) fn push(&mut self, error: syn::Error) {
        self.found.push(error);
    }

    /// Keeps the error and gives what there is without it.
    pub(crate) fn take<T>(&mut self, result: Result<T, darling::Error>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(errors) => {
                self.found.extend(errors.flatten().into_iter().map(syn::Error::from));
                None
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.found.len()
    }

    /// The errors as code, to stand beside the item.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.found.iter().map(syn::Error::to_compile_error).collect()
    }
}

/// A warning: the use, at `place`, of something deprecated whose note is the message, which is the only kind of
/// warning that a macro can give on stable. `#[allow(deprecated)]` on the item silences it. The compiler prints the
/// name of a macro as it is, and the path of everything else.
pub(crate) fn warning(place: &impl ToTokens, name: &str, message: &str) -> TokenStream {
    let span = place.to_token_stream().into_iter().next().map_or_else(proc_macro2::Span::call_site, |t| t.span());
    let name = proc_macro2::Ident::new(name, span);
    quote_spanned! {span=>
        const _: () = {
            #[deprecated(note = #message)]
            macro_rules! #name { () => {}; }
            #name!();
        };
    }
}
