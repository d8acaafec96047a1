//! The expansion of a `#[plan]` with mistakes: it promises nothing and accepts every implementation, so that the mistakes
//! are the only errors.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::{
    expand::{implementation, marker},
    validate::Fallback,
};
impl Fallback {
    pub(super) fn expand(&self) -> TokenStream {
        let Self { runtime, ident, generics, types, unknown } = self;
        let (root, p) = (runtime.root(), runtime.private());
        let unchecked = quote!(#p::Unchecked);
        let spec = quote!(const SPEC: #p::PlanSpec = #p::PlanSpec::INVALID;);
        let implementation = implementation(runtime, ident, generics, types, &unchecked, &unchecked, &spec);
        let markers = ["Bindable", "Rotatable", "Updatable", "Family"];
        let markers = markers.iter().map(|name| {
            let name = Ident::new(name, Span::call_site());
            marker(&quote!(#root::service::#name), ident, generics)
        });
        let unknown = unknown.as_ref().map(|ty| quote!(type __Unknown = #ty;));
        quote!(#unknown #implementation #(#markers)*)
    }
}
