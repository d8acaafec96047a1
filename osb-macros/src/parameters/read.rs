//! `Deserialize` for structs: a few tokens for each field, and one function of the runtime. serde's derive writes 2 kB for
//! each field.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{field::Field, item::Item, shape::Shape};

/// Writes the implementation for a struct; other shapes have serde's derive. Its parts are collected in a type of their
/// own, in which every field may be absent.
pub(super) fn structure(item: &Item, p: &TokenStream) -> Option<TokenStream> {
    let Shape::Struct(fields) = &item.shape else { return None };
    let name = &item.ident;
    let parts: Vec<_> = fields.iter().map(|field| Part::of(field, p)).collect();
    let (members, wholes, wrappers) = (
        parts.iter().map(|part| &part.member),
        parts.iter().map(|part| &part.whole),
        parts.iter().map(|part| &part.wrapper),
    );
    let absent = fields.iter().map(|Field { cfg, ident, .. }| quote!(#(#cfg)* #ident: #p::None,));
    let fields: Vec<_> = fields.iter().collect();
    let parts = quote!(__Parts);
    // An application may be older than the broker whose credentials it reads.
    let readable = readable(&parts, item.open || item.credentials, &fields, &quote!(read_part), p);
    Some(quote! {
        #(#wrappers)*
        #[allow(deprecated)] // reading a deprecated field is no use of it
        struct #parts { #(#members)* }
        #readable
        #[automatically_derived]
        #[allow(deprecated)] // reading a deprecated field is no use of it
        impl<'__d> #p::serde::Deserialize<'__d> for #name {
            fn deserialize<__D: #p::serde::Deserializer<'__d>>(from: __D) -> #p::Result<Self, __D::Error> {
                let parts = #p::read_object(#parts { #(#absent)* }, from)?;
                #p::Result::Ok(Self { #(#wholes)* })
            }
        }
    })
}

/// Writes the implementation for a partial type, which has only fields that may be absent.
pub(super) fn partial(item: &Item, name: &Ident, fields: &[&Field], p: &TokenStream) -> TokenStream {
    let readable = readable(&quote!(#name), item.open, fields, &quote!(read_change), p);
    quote! {
        #[automatically_derived]
        impl<'__d> #p::serde::Deserialize<'__d> for #name {
            fn deserialize<__D: #p::serde::Deserializer<'__d>>(from: __D) -> #p::Result<Self, __D::Error> {
                #p::read_object(<Self as #p::core::default::Default>::default(), from)
            }
        }
        #readable
    }
}

/// Writes the implementation of `ReadMembers`, which reads each member by the function `read`.
fn readable(name: &TokenStream, open: bool, fields: &[&Field], read: &TokenStream, p: &TokenStream) -> TokenStream {
    let (names, arms): (Vec<_>, Vec<_>) = fields
        .iter()
        .map(|Field { cfg, ident, wire, aliases, .. }| {
            let arm = quote!(#(#cfg)* #wire #(| #aliases)* => #p::#read(&mut self.#ident, #wire, __from),);
            (quote!(#(#cfg)* #wire), arm)
        })
        .unzip();
    quote! {
        #[automatically_derived]
        #[allow(deprecated)] // reading a deprecated field is no use of it
        impl #p::ReadMembers for #name {
            const NAMES: &'static [&'static #p::str] = &[#(#names),*];
            const OPEN: #p::bool = #open;
            fn read<'__d, __A: #p::serde::de::MapAccess<'__d>>(
                &mut self, name: &#p::str, __from: &mut __A,
            ) -> #p::Result<#p::bool, __A::Error> {
                match name {
                    #(#arms)*
                    _ => #p::Result::Ok(false),
                }
            }
        }
    }
}

/// A field in the collected parts.
struct Part {
    member: TokenStream,
    /// The field's value, from the parts.
    whole: TokenStream,
    /// The type that reads a value whose type serde may not know.
    wrapper: Option<TokenStream>,
}

impl Part {
    fn of(field: &Field, p: &TokenStream) -> Self {
        let Field { cfg, ident, ty, wire, .. } = field;
        let probe = (!field.known.is_serde()).then(|| field.constant("Read"));
        let member = match &probe {
            Some(wrapper) => quote!(#(#cfg)* #ident: #p::Option<#wrapper>,),
            None => quote!(#(#cfg)* #ident: #p::Option<#ty>,),
        };
        let part = match &probe {
            Some(_) => quote!(parts.#ident.map(|read| read.0)),
            None => quote!(parts.#ident),
        };
        let whole = if field.default.is_some() {
            let default = field.constant("default");
            quote!(#part.unwrap_or_else(Self::#default))
        } else if field.optional {
            quote!(#part.flatten())
        } else {
            quote!(#p::required(#part, #wire)?)
        };
        let wrapper = probe.map(|wrapper| {
            quote! {
                #(#cfg)*
                #[allow(non_camel_case_types)]
                struct #wrapper(#ty);
                #(#cfg)*
                impl<'__d> #p::serde::Deserialize<'__d> for #wrapper {
                    fn deserialize<__D: #p::serde::Deserializer<'__d>>(from: __D) -> #p::Result<Self, __D::Error> {
                        (&#p::SerdeProbe::<#ty>::new()).read(from).map(Self)
                    }
                }
            }
        });
        Self { member, whole: quote!(#(#cfg)* #ident: #whole,), wrapper }
    }
}
