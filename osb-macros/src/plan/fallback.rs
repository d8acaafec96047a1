//! The expansion of a `#[plan]` with mistakes: it promises nothing and accepts every implementation, so that the mistakes
//! are the only errors.

use proc_macro2::TokenStream;
use quote::quote;

use super::{
    expand::{declare, implementation},
    validate::Fallback,
};

impl Fallback {
    pub(super) fn expand(&self) -> TokenStream {
        let Self { runtime, ident, generics, types, unknown } = self;
        let p = runtime.private();
        let unchecked = quote!(#p::Unchecked);
        let spec = quote!(const SPEC: #p::PlanSpec = #p::PlanSpec::INVALID;);
        let implementation = implementation(runtime, ident, generics, types, &unchecked, &unchecked, &spec);
        let traits = ["Bindable", "Rotatable", "Updatable", "Family"];
        let declarations = traits.iter().map(|name| declare(name, runtime, ident, generics));
        let unknown = unknown.as_ref().map(|ty| quote!(type __Unknown = #ty;));
        quote!(#unknown #implementation #(#declarations)*)
    }
}
