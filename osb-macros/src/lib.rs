//! The attribute macros of `osb-runtime`, which documents them; this crate is of no use without it.
//!
//! Each attribute is a folder with three stages: `parse` reads what the author wrote into a struct of raw arguments,
//! `validate` turns that into a type that holds checked values only, and `expand` writes the code. `fallback` writes the
//! code for an item with mistakes. Errors and warnings are data until the end of the expansion.
//!
//! `ARCHITECTURE.md` has the order of the modules, in which each uses only those before it. Inside `plan`, `service` and `broker`
//! it is: the modules of single arguments, `parse`, `validate`, `expand`, `fallback`. Inside `parameters`: `paths`, `foreign`,
//! `values`, `parse`, `param`, `known`, `refused`, `constraints`, `rules`, `field`, `shape`, `half_typed`, `fallback`, `item`,
//! `read`, `schema`, `debug`, `partial`, `expand`; `item`, `shape`, `field` and `constraints` take the place of `validate`.

use proc_macro::TokenStream;

mod args;
mod broker;
mod case;
mod code;
mod derive;
mod doc;
mod errors;
mod item;
mod json;
mod metadata;
mod misnamed;
mod parameters;
mod pattern;
mod plan;
mod rules;
mod runtime;
mod service;
mod spans;

#[cfg(test)]
#[path = "../tests/unit/rare.rs"]
mod rare;

use parameters::DataAttribute;
use proc_macro2::TokenStream as Tokens;

/// Expands an attribute, or the one that was meant in its place.
fn expand(attribute: &str, args: Tokens, item: Tokens) -> Tokens {
    match attribute {
        "plan" => misnamed::of_plan(&args, &item).unwrap_or_else(|| plan::expand(args, item)),
        "service" => misnamed::of_service(&args, &item).unwrap_or_else(|| service::expand(args, item)),
        "broker" => broker::expand(args, item),
        "credentials" => parameters::expand(args, item, DataAttribute::Credentials),
        _ => misnamed::of_parameters(&args, &item)
            .unwrap_or_else(|| parameters::expand(args, item, DataAttribute::Parameters)),
    }
}

/// A plan of a service; `osb_runtime::plan` documents it.
#[proc_macro_attribute]
pub fn plan(args: TokenStream, item: TokenStream) -> TokenStream {
    expand("plan", args.into(), item.into()).into()
}

/// A service offering; `osb_runtime::service` documents it.
#[proc_macro_attribute]
pub fn service(args: TokenStream, item: TokenStream) -> TokenStream {
    expand("service", args.into(), item.into()).into()
}

/// The services of one program; `osb_runtime::broker` documents it.
#[proc_macro_attribute]
pub fn broker(args: TokenStream, item: TokenStream) -> TokenStream {
    expand("broker", args.into(), item.into()).into()
}

/// Parameters of a plan, or a part of them; `osb_runtime::parameters` documents it.
#[proc_macro_attribute]
pub fn parameters(args: TokenStream, item: TokenStream) -> TokenStream {
    expand("parameters", args.into(), item.into()).into()
}

/// Credentials of a binding; `osb_runtime::credentials` documents it.
#[proc_macro_attribute]
pub fn credentials(args: TokenStream, item: TokenStream) -> TokenStream {
    expand("credentials", args.into(), item.into()).into()
}

/// A mistake: parameters are under [`#[parameters]`](macro@parameters).
#[proc_macro_attribute]
pub fn parameter(args: TokenStream, item: TokenStream) -> TokenStream {
    misnamed::report_name("parameter", "parameters", &expand("parameters", args.into(), item.into())).into()
}

/// A mistake: credentials are under [`#[credentials]`](macro@credentials).
#[proc_macro_attribute]
pub fn credential(args: TokenStream, item: TokenStream) -> TokenStream {
    misnamed::report_name("credential", "credentials", &expand("credentials", args.into(), item.into())).into()
}

/// A mistake: plans are under [`#[plan]`](macro@plan).
#[proc_macro_derive(Plan)]
pub fn derive_plan(item: TokenStream) -> TokenStream {
    derive::refuse("Plan", "plan", item.into()).into()
}

/// A mistake: services are under [`#[service]`](macro@service).
#[proc_macro_derive(Service)]
pub fn derive_service(item: TokenStream) -> TokenStream {
    derive::refuse("Service", "service", item.into()).into()
}

/// A mistake: brokers are under [`#[broker]`](macro@broker).
#[proc_macro_derive(Broker)]
pub fn derive_broker(item: TokenStream) -> TokenStream {
    derive::refuse("Broker", "broker", item.into()).into()
}

/// A mistake: parameters are under [`#[parameters]`](macro@parameters).
#[proc_macro_derive(Parameters, attributes(param))]
pub fn derive_parameters(item: TokenStream) -> TokenStream {
    derive::refuse("Parameters", "parameters", item.into()).into()
}

/// A mistake: credentials are under [`#[credentials]`](macro@credentials).
#[proc_macro_derive(Credentials, attributes(param))]
pub fn derive_credentials(item: TokenStream) -> TokenStream {
    derive::refuse("Credentials", "credentials", item.into()).into()
}
