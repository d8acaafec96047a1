//! The expansion of a `#[service]` with mistakes: it offers nothing and accepts every change of plan, so that the mistakes
//! are the only errors.

use proc_macro2::TokenStream;
use quote::quote;

use super::{expand::offers, validate::Fallback};
use crate::{code, plan};

impl Fallback {
    pub(super) fn expand(&self, shareable: &TokenStream) -> TokenStream {
        let Self { runtime, ident, generics, plans, unknown, may_be_plan } = self;
        let (root, p) = (runtime.root(), runtime.private());
        let offers = offers(runtime, plans);
        let (name, body) = if *may_be_plan {
            // The compiler would ask for `Service` where a service lists the type, and find two implementations.
            (quote!(#p::ServiceFallback<#p::Yes, 0>), TokenStream::new())
        } else {
            let body = quote! {
                const OFFERING: #p::Offering = #p::Offering::INVALID;
                const JSON: &'static [#p::core::primitive::u8] = b"{}";
                const IS_SHAREABLE: #p::core::primitive::bool = #shareable;
                const HAS_HANDLERS: #p::core::primitive::bool = true;
                fn handlers() -> (&'static [#p::Offered<Self>], &'static [#p::OfferedChange<Self>])
                where
                    Self: 'static,
                {
                    (&[], &[])
                }
            };
            (quote!(#root::service::Service), body)
        };
        let service = code::implement_generic(&name, ident, generics, &body);
        let plan = may_be_plan.then(|| plan::without_parameters(runtime, ident, generics));
        let unknown = unknown.as_ref().map(|unknown| {
            quote! {
                struct __Nothing;
                const __KNOWN: #p::bool = #unknown;
                impl #p::OfferFallback<__Nothing> for <__Nothing as #p::Checked<{ __KNOWN }>>::Itself {}
            }
        });
        let described = code::implement_generic(&quote!(#p::HasServiceAttribute), ident, generics, &TokenStream::new());
        let (_, arguments, bounds) = generics.split_for_impl();
        let mut with_plans = generics.clone();
        with_plans.params.extend::<[syn::GenericParam; 2]>([syn::parse_quote!(__Old), syn::parse_quote!(__New)]);
        let (with_plans, ..) = with_plans.split_for_impl();
        let changes = (!may_be_plan).then(|| {
            quote! {
                #[automatically_derived]
                impl #with_plans #p::ChangeFallback<#p::Yes, __Old, __New> for #ident #arguments #bounds {}
            }
        });
        quote! {
            #service
            #described
            #plan
            #changes
            #offers
            #unknown
        }
    }
}
