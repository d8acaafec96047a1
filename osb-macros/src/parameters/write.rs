//! `Serialize` for structs: a line for each field, and one function of the runtime. serde's derive writes a branch for each
//! field.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::ext::IdentExt;

use super::{field::Field, item::Item, shape::Shape};

/// Writes the implementation for a struct; other shapes have serde's derive.
pub(super) fn structure(item: &Item, p: &TokenStream) -> Option<TokenStream> {
    let Shape::Struct(fields) = &item.shape else { return None };
    let members = fields.iter().map(|field| {
        let Field { cfg, ident, ty, wire, .. } = field;
        let is_absent = if field.optional { quote!(#p::Option::is_none(&self.#ident)) } else { quote!(false) };
        if field.known.is_serde() {
            quote!(#(#cfg)* __to.member(#wire, &self.#ident, #is_absent);)
        } else {
            quote!(#(#cfg)* (&#p::SerdeProbe::<#ty>::new()).member(__to, #wire, &self.#ident, #is_absent);)
        }
    });
    Some(implementation(&item.ident, members, p))
}

/// Writes the implementation for a partial type, whose fields may all be absent.
pub(super) fn partial(name: &Ident, fields: &[&Field], p: &TokenStream) -> TokenStream {
    let members = fields.iter().map(|Field { cfg, ident, wire, .. }| {
        quote!(#(#cfg)* __to.member(#wire, &self.#ident, #p::MaybeAbsent::is_absent(&self.#ident));)
    });
    implementation(name, members, p)
}

fn implementation(name: &Ident, members: impl Iterator<Item = TokenStream>, p: &TokenStream) -> TokenStream {
    let text = name.unraw().to_string();
    quote! {
        #[automatically_derived]
        #[allow(deprecated)] // writing a deprecated field is no use of it
        impl #p::WriteMembers for #name {
            fn write<__W: #p::MemberWriter>(&self, __to: &mut __W) { #(#members)* }
        }
        #[automatically_derived]
        impl #p::serde::Serialize for #name {
            fn serialize<__S: #p::serde::Serializer>(&self, to: __S) -> #p::Result<__S::Ok, __S::Error> {
                #p::write_object(self, #text, to)
            }
        }
    }
}
