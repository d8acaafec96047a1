//! Paths from generated code to the runtime.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::LitStr;

use crate::runtime::Runtime;

/// The paths that the expansion of `#[parameters]` needs.
pub(super) struct Paths {
    /// The runtime's module for generated code.
    pub(super) private: TokenStream,
    /// The short name of that module inside the constant that holds the implementations: it stands in every line.
    pub(super) p: TokenStream,
    /// The path of `serde`, for `#[serde(crate = "...")]`.
    pub(super) serde: LitStr,
}

impl Paths {
    pub(super) fn new(runtime: &Runtime) -> Self {
        let private = runtime.private_anywhere();
        let serde = in_quotes(&quote!(#private::serde));
        let p = Ident::new("__p", Span::call_site());
        Self { private, p: quote!(#p), serde }
    }

    /// Writes the import that gives [`p`](Self::p) its meaning.
    pub(super) fn import(&self) -> TokenStream {
        let Self { private, p, .. } = self;
        quote!(use #private as #p;)
    }
}

/// Writes a path as serde's attributes take them.
pub(super) fn in_quotes(path: &TokenStream) -> LitStr {
    LitStr::new(&path.to_string(), Span::call_site())
}
