//! A `Debug` that keeps secrets.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

use super::{field::Field, item::Item, shape::Shape};
use crate::spans::respan;

/// Writes the implementation for a type with secrets, and for all credentials. Unless the author derives `Debug` below
/// the attribute it shows nothing but the name; it is there to collide with a derive above the attribute, which would
/// print secrets.
pub(super) fn implementation(item: &Item, p: &TokenStream) -> Option<TokenStream> {
    if !item.credentials && !item.has_secrets() {
        return None;
    }
    let (ident, name) = (&item.ident, item.name());
    let shows_fields = item.derives.debug || item.credentials;
    let body = match &item.shape {
        _ if !shows_fields => {
            quote!(#p::fmt::DebugStruct::finish_non_exhaustive(&mut #p::fmt::Formatter::debug_struct(__f, #name)))
        }
        Shape::Struct(fields) => print(&name, fields, of_self, p),
        Shape::Newtype(_) => quote! {
            #p::fmt::DebugTuple::finish(
                #p::fmt::DebugTuple::field(
                    &mut #p::fmt::Formatter::debug_tuple(__f, #name),
                    &#p::format_args!("[secret]"),
                ),
            )
        },
        Shape::Choice(variants) | Shape::Tagged(_, variants) => {
            let arms = variants.iter().map(|variant| {
                let (cfg, ident) = (&variant.cfg, &variant.ident);
                let fields = variant.fields.as_deref().unwrap_or_default();
                let names = fields.iter().map(|field| {
                    let (cfg, ident) = (&field.cfg, &field.ident);
                    if field.secret { quote!(#(#cfg)* #ident: _) } else { quote!(#(#cfg)* #ident) }
                });
                let of_variant = |field: &Field| {
                    let ident = &field.ident;
                    quote!(#ident)
                };
                let printed = print(&ident.unraw().to_string(), fields, of_variant, p);
                quote!(#(#cfg)* Self::#ident { #(#names),* } => #printed,)
            });
            quote!(match self { #(#arms)* })
        }
    };
    Some(quote! {
        #[automatically_derived]
        impl #p::fmt::Debug for #ident {
            fn fmt(&self, __f: &mut #p::fmt::Formatter<'_>) -> #p::fmt::Result { #body }
        }
    })
}

/// Writes the implementation for the partial type.
pub(super) fn of_partial(item: &Item, fields: &[&Field], partial: &syn::Ident, p: &TokenStream) -> Option<TokenStream> {
    if !item.derives.debug || !item.has_secrets() {
        return None;
    }
    let steps = fields.iter().map(|field| step(field, &of_self, p));
    let name = partial.unraw().to_string();
    Some(quote! {
        #[automatically_derived]
        impl #p::fmt::Debug for #partial {
            fn fmt(&self, __f: &mut #p::fmt::Formatter<'_>) -> #p::fmt::Result {
                let mut __out = #p::fmt::Formatter::debug_struct(__f, #name);
                #(#steps)*
                #p::fmt::DebugStruct::finish(&mut __out)
            }
        }
    })
}

/// Writes a reference to a field at its type, which may lack `Debug`.
fn of_self(field: &Field) -> TokenStream {
    let ident = &field.ident;
    respan(&field.ty, quote!(&self.#ident))
}

fn print(name: &str, fields: &[Field], value: impl Fn(&Field) -> TokenStream, p: &TokenStream) -> TokenStream {
    let steps = fields.iter().map(|field| step(field, &value, p));
    quote!({
        let mut __out = #p::fmt::Formatter::debug_struct(__f, #name);
        #(#steps)*
        #p::fmt::DebugStruct::finish(&mut __out)
    })
}

fn step(field: &Field, value: &dyn Fn(&Field) -> TokenStream, p: &TokenStream) -> TokenStream {
    let (cfg, name) = (&field.cfg, field.ident.as_ref().map(|ident| ident.unraw().to_string()));
    let value = if field.secret { quote!(&#p::format_args!("[secret]")) } else { value(field) };
    quote!(#(#cfg)* #p::fmt::DebugStruct::field(&mut __out, #name, #value);)
}
