//! The way from generated code to the runtime: absolute, whatever the crate is called where the macro is used.

use proc_macro2::TokenStream;
use quote::quote;

use crate::{
    args::{Arguments, PathName},
    errors::Errors,
};

/// The path of the runtime crate.
#[derive(Clone)]
pub(crate) struct Runtime(TokenStream);

impl Runtime {
    /// `::osb_runtime`, or what the argument `crate = path` says.
    pub(crate) fn from_args(args: &mut Arguments, errors: &mut Errors) -> Self {
        args.get("crate", errors).map_or_else(|| Self(quote!(::osb_runtime)), |PathName(path)| Self(quote!(#path)))
    }

    /// The crate itself.
    pub(crate) fn root(&self) -> &TokenStream {
        &self.0
    }

    /// What only generated code uses.
    pub(crate) fn private(&self) -> TokenStream {
        let root = &self.0;
        quote!(#root::__private)
    }

    /// The module `schema`.
    pub(crate) fn schema(&self) -> TokenStream {
        let root = &self.0;
        quote!(#root::schema)
    }
}
