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
    let (members, wholes): (Vec<_>, Vec<_>) = fields.iter().map(|field| part(field, p)).unzip();
    let absent = fields.iter().map(|Field { cfg, ident, .. }| quote!(#(#cfg)* #ident: #p::None,));
    let fields: Vec<_> = fields.iter().collect();
    let parts = quote!(__Parts);
    // An application may be older than the broker whose credentials it reads.
    let read = |Field { ident, ty, wire, known, .. }: &Field| {
        if known.is_serde() {
            quote!(#p::read_part(&mut self.#ident, #wire, __from))
        } else {
            quote!((&#p::SerdeProbe::<#ty>::new()).read_part(&mut self.#ident, #wire, __from))
        }
    };
    let readable = readable(&parts, item.open || item.credentials, &fields, read, p);
    Some(quote! {
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
    let read = |Field { ident, wire, .. }: &Field| quote!(#p::read_change(&mut self.#ident, #wire, __from));
    let readable = readable(&quote!(#name), item.open, fields, read, p);
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

/// Writes the implementation of `ReadMembers`; `read` writes the call that reads a member.
fn readable(
    name: &TokenStream,
    open: bool,
    fields: &[&Field],
    read: impl Fn(&Field) -> TokenStream,
    p: &TokenStream,
) -> TokenStream {
    let (names, arms): (Vec<_>, Vec<_>) = fields
        .iter()
        .map(|field| {
            let (Field { cfg, wire, aliases, .. }, read) = (field, read(field));
            (quote!(#(#cfg)* #wire), quote!(#(#cfg)* #wire #(| #aliases)* => #read,))
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

/// Writes a field of the collected parts, and the field of the struct with its value from the parts.
fn part(field: &Field, p: &TokenStream) -> (TokenStream, TokenStream) {
    let Field { cfg, ident, ty, wire, .. } = field;
    let value = if field.default.is_some() {
        let default = field.constant("absent");
        quote!(parts.#ident.unwrap_or_else(Self::#default))
    } else if field.optional {
        quote!(parts.#ident.flatten())
    } else {
        quote!(#p::required(parts.#ident, #wire)?)
    };
    (quote!(#(#cfg)* #ident: #p::Option<#ty>,), quote!(#(#cfg)* #ident: #value,))
}
