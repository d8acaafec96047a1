//! The attribute macros of `osb-runtime`, which documents them; nothing here is meant to be used without it.

use proc_macro::TokenStream;

mod args;
mod broker;
mod doc;
mod errors;
mod item;
mod json;
mod metadata;
mod parameters;
mod pattern;
mod plan;
mod rules;
mod runtime;
mod service;
mod spans;

/// A plan of a service; `osb_runtime::plan` documents it.
#[proc_macro_attribute]
pub fn plan(args: TokenStream, item: TokenStream) -> TokenStream {
    plan::expand(args.into(), item.into()).into()
}

/// A service offering; `osb_runtime::service` documents it.
#[proc_macro_attribute]
pub fn service(args: TokenStream, item: TokenStream) -> TokenStream {
    service::expand(args.into(), item.into()).into()
}

/// The services of one program; `osb_runtime::broker` documents it.
#[proc_macro_attribute]
pub fn broker(args: TokenStream, item: TokenStream) -> TokenStream {
    broker::expand(args.into(), item.into()).into()
}

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
