//! The expansion of a valid `#[broker]`: the catalog as a constant, and the checks across services.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Type, ext::IdentExt};

use super::{parse::LockFile, validate::Broker};
use crate::{
    case::Case,
    code,
    spans::{preserve_spans, respan},
};

impl Broker {
    pub(super) fn expand(&self) -> TokenStream {
        let Self { ident, dynamic, services, .. } = self;
        let (root, p) = (self.runtime.root(), self.runtime.private());
        let parts = services.iter().map(|(member, service)| {
            let (of, is_shareable) = (preserve_spans(service), self.constant_of(service, "IS_SHAREABLE"));
            let shared = quote!(<#of as #p::Checked<{ #is_shareable }>>::Itself);
            respan(service, quote!(#p::ServicePart::of::<#shared>(&#p::Field(|broker: &__Shared| &broker.#member))))
        });
        let are_shareable = services.iter().map(|(_, service)| self.constant_of(service, "IS_SHAREABLE"));
        let (count, indices) = (services.len(), 0..services.len());
        let (offerings, jsons) =
            (indices.clone().map(|i| quote!(__PARTS[#i].offering)), indices.map(|i| quote!(__PARTS[#i].json)));
        let (requirements, checks) = (self.requirements(&p), self.catalog_checks(&p));
        quote! {
            #requirements
            // A service that isn't shareable is no fault of the others.
            type __Shared = <#ident as #p::Checked<{ true #(&& #are_shareable)* }>>::Itself;
            // Statics, because the compiler validates them without the other statics that they refer to.
            static __PARTS: [#p::ServicePart<__Shared>; #count] = [#(#parts),*];
            static __OFFERINGS: [&#p::Offering; #count] = [#(#offerings),*];
            // The size of the catalog decides how long its evaluation takes.
            #[allow(long_running_const_eval)]
            const __CATALOG: &[#p::core::primitive::u8] = {
                static JSONS: [&[#p::core::primitive::u8]; #count] = [#(#jsons),*];
                const LEN: #p::core::primitive::usize = #p::measure_catalog(&JSONS);
                &#p::render_catalog::<LEN>(&JSONS)
            };
            #[automatically_derived]
            impl #root::service::Broker for #ident {
                const OFFERINGS: &'static [&'static #p::Offering] = &__OFFERINGS;
                const CATALOG: &'static [#p::core::primitive::u8] = __CATALOG;
                const DYNAMIC: #p::core::primitive::bool = #dynamic;
                const VERSION: &'static #p::core::primitive::str = match #p::core::option_env!("CARGO_PKG_VERSION") {
                    #p::core::option::Option::Some(version) => version,
                    _ => "",
                };
                fn mount(
                    self: #p::std::sync::Arc<Self>,
                ) -> #p::std::vec::Vec<#p::std::vec::Vec<#p::std::sync::Arc<dyn #p::MountedPlan>>> {
                    #p::mount(&self, &__PARTS)
                }
            }
            #checks
        }
    }

    /// Writes a constant of a service's implementation.
    fn constant_of(&self, service: &Type, name: &str) -> TokenStream {
        let (root, of, name) = (self.runtime.root(), preserve_spans(service), format_ident!("{name}"));
        quote!(<#of as #root::service::Service>::#name)
    }

    /// Requires that each field is a service. Where one isn't, or lacks handlers, implementations that are missing elsewhere for this
    /// reason take its place.
    fn requirements(&self, p: &TokenStream) -> TokenStream {
        let Self { ident, services, .. } = self;
        let required = services.iter().enumerate().map(|(i, (_, service))| {
            let (name, of) = (format_ident!("__IS_SERVICE_{i}"), preserve_spans(service));
            let is_service = respan(service, quote!(#p::is_service::<#of>()));
            let missing = quote!(<__Nothing<#i> as #p::Checked<{ #name }>>::Itself);
            quote! {
                const #name: #p::core::primitive::bool = #is_service;
                impl #p::ServiceFallback<#missing, { if #name { __PLACE } else { 0 } }> for #service {}
                impl #p::OfferFallback<__Nothing<#i>> for #missing {}
            }
        });
        let (count, complete) =
            (services.len(), services.iter().map(|(_, service)| self.constant_of(service, "HAS_HANDLERS")));
        quote! {
            struct __Nothing<const INDEX: #p::core::primitive::usize>;
            const __PLACE: #p::u64 = #p::place(#p::core::file!(), #p::core::module_path!());
            #(#required)*
            // The handlers of a service may have been written for its broker.
            const __COMPLETE: #p::core::primitive::bool = true #(&& #complete)*;
            impl #p::ServiceFallback<
                <__Nothing<#count> as #p::Checked<{ __COMPLETE }>>::Itself,
                { if __COMPLETE { __PLACE } else { 0 } },
            > for #ident {}
        }
    }

    /// Writes the checks across services, each at the field that it is about, and the opt-in lints.
    fn catalog_checks(&self, p: &TokenStream) -> TokenStream {
        let checks = self.services.iter().enumerate().map(|(i, (_, service))| {
            let this_and_earlier = quote!(__OFFERINGS[#i], __OFFERINGS.split_at(#i).0);
            let once = code::offered_once(&self.runtime);
            let distinct = quote!(#p::check_distinct_offering(#this_and_earlier));
            let distinct = (i > 0).then(|| code::check_if(&once, service, distinct));
            let foreign =
                (!self.dynamic).then(|| code::check(service, quote!(#p::check_no_foreign_types(__OFFERINGS[#i]))));
            let mixed = quote!(#p::shares_id_with_plan(#this_and_earlier));
            let mixed = code::warn_if(service, &mixed, "an_offering_and_a_plan_share_an_id", p);
            let alike = quote!(#p::offering_names_alike(#this_and_earlier));
            let alike = (i > 0).then(|| code::warn_if(service, &alike, "two_service_names_differ_in_case_only", p));
            let lints = self.lints.iter().map(|(lint, place)| code::check(place, quote!(#p::#lint(__OFFERINGS[#i]))));
            quote!(#distinct #alike #foreign #mixed #(#lints)*)
        });
        checks.collect()
    }

    /// Writes the test of the lock file. It stands beside the broker: in a constant it would not be run.
    pub(super) fn lock_test(&self) -> Option<TokenStream> {
        let LockFile(path) = self.lock.as_ref()?;
        let (p, ident) = (self.runtime.private_anywhere(), &self.ident);
        let name = format_ident!("{}_has_no_breaking_changes", Case::Snake.variant(&ident.unraw().to_string()));
        Some(quote! {
            #[cfg(test)]
            #[#p::core::prelude::v1::test]
            fn #name() {
                ::osb_tool::assert_locked::<#ident>(#path);
            }
        })
    }
}
