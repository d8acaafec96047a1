//! The expansion of an item with mistakes: it stays a parameter type without promises, so that the mistakes are the only
//! errors.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Attribute, Data, DeriveInput, Fields};

use super::{foreign, paths::Paths};
use crate::{errors::Errors, runtime::Runtime};

/// The parts of an item that its uses name.
pub(super) struct Fallback {
    pub(super) runtime: Runtime,
    pub(super) partial: Option<Ident>,
    pub(super) credentials: bool,
}

impl Fallback {
    pub(super) fn expand(&self, input: &DeriveInput) -> TokenStream {
        expand(input, self.partial.as_ref(), &Paths::new(&self.runtime), self.credentials)
    }
}

fn expand(input: &DeriveInput, partial: Option<&Ident>, paths: &Paths, credentials: bool) -> TokenStream {
    let mut item = input.clone();
    clean(&mut item.attrs, credentials);
    match &mut item.data {
        Data::Struct(data) => clean_fields(&mut data.fields),
        Data::Enum(data) => {
            for variant in &mut data.variants {
                clean(&mut variant.attrs, false);
                clean_fields(&mut variant.fields);
            }
        }
        Data::Union(_) => {}
    }
    let own = implementations(&item.ident, &item.generics, credentials, paths);
    let partial = partial.map(|name| {
        let definition = partial_definition(&item, name, paths);
        let own = implementations(name, &syn::Generics::default(), false, paths);
        quote!(#definition #own)
    });
    let private = &paths.private;
    let ident = &item.ident;
    let (generics, types, bounds) = item.generics.split_for_impl();
    let debug = credentials.then(|| {
        quote! {
            #[automatically_derived]
            impl #generics #private::fmt::Debug for #ident #types #bounds {
                fn fmt(&self, _: &mut #private::fmt::Formatter<'_>) -> #private::fmt::Result {
                    #private::core::result::Result::Ok(())
                }
            }
        }
    });
    quote!(#item #own #debug #partial)
}

fn clean(attributes: &mut Vec<Attribute>, own_debug: bool) {
    attributes.retain(|attribute| !attribute.path().is_ident("param") && !foreign::is_foreign(attribute));
    let mut reported = Errors::default();
    foreign::derives(attributes, own_debug, &mut reported);
}

fn clean_fields(fields: &mut Fields) {
    for field in fields {
        clean(&mut field.attrs, false);
    }
}

/// Writes the partial type with the fields that it would probably have.
fn partial_definition(item: &DeriveInput, name: &Ident, paths: &Paths) -> TokenStream {
    let private = &paths.private;
    let visibility = &item.vis;
    let fields = match &item.data {
        Data::Struct(syn::DataStruct { fields: Fields::Named(fields), .. }) if item.generics.params.is_empty() => {
            fields.named.iter().collect()
        }
        _ => Vec::new(),
    };
    let fields = fields.into_iter().map(|field| {
        let (visibility, ident, ty) = (&field.vis, &field.ident, &field.ty);
        let cfg = field.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg"));
        let ty = super::known::optional(ty).unwrap_or(ty);
        quote!(#(#cfg)* #[allow(missing_docs)] #visibility #ident: #private::Change<#ty>) // the item has an error
    });
    quote! {
        #[allow(missing_docs, dead_code)] // the item has an error
        #visibility struct #name { #(#fields,)* }
        #[automatically_derived]
        impl #private::core::default::Default for #name {
            fn default() -> Self { #private::core::unreachable!() }
        }
    }
}

fn implementations(ident: &Ident, generics: &syn::Generics, credentials: bool, paths: &Paths) -> TokenStream {
    let private = &paths.private;
    let (plain, types, bounds) = generics.split_for_impl();
    let mut with_lifetime = generics.clone();
    with_lifetime.params.insert(0, syn::parse_quote!('__de));
    let (deserialize, ..) = with_lifetime.split_for_impl();
    let anything =
        quote!(#private::Schema::new(#private::Kind::Object(#private::Object { properties: &[], open: true })));
    let described = if credentials {
        quote! {
            #[automatically_derived]
            impl #plain #private::CredentialsSchema for #ident #types #bounds {
                const SCHEMA: #private::Schema = #anything;
            }
        }
    } else {
        // A type with parameters of its own can't promise to be `Send`.
        let parameters = generics.params.is_empty().then(|| {
            quote! {
                #[automatically_derived]
                impl #private::Parameters for #ident {
                    const JSON: &'static [#private::u8] = b"{}";
                }
            }
        });
        quote! {
            #[automatically_derived]
            impl #plain #private::Parameter for #ident #types #bounds {
                const SCHEMA: #private::Schema = #anything;
                type Partial = #private::NoParameters;
            }
            #parameters
        }
    };
    quote! {
        #[automatically_derived]
        impl #plain #private::serde::Serialize for #ident #types #bounds {
            fn serialize<__S: #private::serde::Serializer>(
                &self,
                to: __S,
            ) -> #private::core::result::Result<__S::Ok, __S::Error> {
                #private::serde::Serializer::serialize_unit(to)
            }
        }
        #[automatically_derived]
        impl #deserialize #private::serde::Deserialize<'__de> for #ident #types #bounds {
            fn deserialize<__D: #private::serde::Deserializer<'__de>>(
                _: __D,
            ) -> #private::core::result::Result<Self, __D::Error> {
                #private::core::result::Result::Err(#private::serde::de::Error::custom("the type has an error"))
            }
        }
        #described
    }
}
