//! The attribute macros of `osb-runtime`, which documents them; nothing here is meant to be used without it.

mod args;
mod doc;
mod errors;
mod json;
mod parameters;
mod pattern;
mod runtime;
mod spans;

use proc_macro::TokenStream;

/// Parameters of a plan, or a part of them; documented in `osb_runtime`.
#[proc_macro_attribute]
pub fn parameters(args: TokenStream, item: TokenStream) -> TokenStream {
    parameters::expand(args.into(), item.into(), false).into()
}

/// Credentials of a binding; documented in `osb_runtime`.
#[proc_macro_attribute]
pub fn credentials(args: TokenStream, item: TokenStream) -> TokenStream {
    parameters::expand(args.into(), item.into(), true).into()
}
