//! The expansion of a `#[broker]` with mistakes: a broker without services, so that the mistakes are the only errors.

use proc_macro2::TokenStream;
use quote::quote;

use super::validate::Fallback;

impl Fallback {
    pub(super) fn expand(&self) -> TokenStream {
        let Self { runtime, ident, generics } = self;
        let (generics, arguments, bounds) = generics.split_for_impl();
        let (root, p) = (runtime.root(), runtime.private());
        quote! {
            #[automatically_derived]
            impl #generics #root::service::Broker for #ident #arguments #bounds {
                const OFFERINGS: &'static [&'static #p::Offering] = &[];
                const CATALOG: &'static [#p::core::primitive::u8] = b"{\"services\":[]}";
                const DYNAMIC: #p::core::primitive::bool = false;
                fn mount(
                    self: #p::std::sync::Arc<Self>,
                ) -> #p::std::vec::Vec<#p::std::vec::Vec<#p::std::sync::Arc<dyn #p::MountedPlan>>> {
                    #p::std::vec::Vec::new()
                }
            }
        }
    }
}
