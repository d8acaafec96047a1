//! Paths from generated code to the runtime: absolute, and independent of the crate's name where the macro is used.

use proc_macro2::TokenStream;
use quote::quote;

use crate::{
    args::{Arguments, Given, PathName, arguments},
    errors::Errors,
};

arguments! {
    /// The argument that every attribute has.
    pub(crate) struct RawRuntime {
        /// `crate = path` | The path of this crate, if not `::osb_runtime`. | `::osb_runtime`
        #[darling(rename = "crate")]
        path: Given<PathName>,
    }
}

/// The path of the runtime crate.
#[derive(Clone)]
pub(crate) struct Runtime(TokenStream);

impl Runtime {
    /// Returns the path that the argument `crate = path` gives, or `::osb_runtime`.
    pub(crate) fn take(args: &mut Arguments, errors: &mut Errors) -> Self {
        let path = args.take::<RawRuntime>().path.take(errors);
        path.map_or_else(|| Self(quote!(::osb_runtime)), |PathName(path)| Self(quote!(#path)))
    }

    /// The crate itself.
    pub(crate) fn root(&self) -> &TokenStream {
        &self.0
    }

    /// The module for generated code.
    pub(crate) fn private(&self) -> TokenStream {
        let root = &self.0;
        quote!(#root::__private)
    }
}
