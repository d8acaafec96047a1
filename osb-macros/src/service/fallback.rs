//! The expansion of a `#[service]` with mistakes: it offers nothing and accepts every change of plan, so that the mistakes
//! are the only errors.

use proc_macro2::TokenStream;
use quote::quote;

use super::{expand::offers, validate::Fallback};
use crate::item;

impl Fallback {
    pub(super) fn expand(&self, is_nameable: bool) -> TokenStream {
        let Self { runtime, ident, plans } = self;
        let (root, p) = (runtime.root(), runtime.private());
        let offers = offers(runtime, plans);
        let service = is_nameable.then(|| {
            let implementation = item::implement(
                &quote!(#root::service::Service),
                ident,
                &quote! {
                    const OFFERING: #p::Offering = #p::Offering::INVALID;
                    const PLANS: &'static [#p::Offered<#ident>] = &[];
                    const CHANGES: &'static [#p::OfferedChange<#ident>] = &[];
                    const JSON: &'static [#p::core::primitive::u8] = b"{}";
                },
            );
            quote! {
                #implementation
                #[automatically_derived]
                impl<Old, New> #root::service::Changes<Old, New> for #ident {}
            }
        });
        quote!(#service #offers)
    }
}
