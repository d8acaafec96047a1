//! A `Debug` that keeps secrets.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

use super::{expand::Paths, field::Field, item::Item, shape::Shape};

/// The implementation for a type with secrets, and for all credentials. Where the author hasn't asked for one below
/// the attribute it shows nothing but the name; being there, it keeps a derive above the attribute from printing them.
pub(crate) fn implementation(item: &Item, paths: &Paths) -> Option<TokenStream> {
    if !item.credentials && !item.shape.has_secrets() {
        return None;
    }
    let (private, ident, name) = (&paths.private, &item.ident, item.name());
    let asked = item.derives.debug || item.credentials;
    let body = match &item.shape {
        _ if !asked => {
            quote!(#private::fmt::DebugStruct::finish_non_exhaustive(&mut #private::fmt::Formatter::debug_struct(f, #name)))
        }
        Shape::Struct(fields) => {
            let of_self = |field: &Field| {
                let ident = &field.ident;
                quote!(&self.#ident)
            };
            print(&name, fields, of_self, paths)
        }
        Shape::Newtype(_) => quote! {
            #private::fmt::DebugTuple::finish(
                #private::fmt::DebugTuple::field(
                    &mut #private::fmt::Formatter::debug_tuple(f, #name),
                    &#private::core::format_args!("[secret]"),
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
                let printed = print(&ident.unraw().to_string(), fields, of_variant, paths);
                quote!(#(#cfg)* Self::#ident { #(#names),* } => #printed,)
            });
            quote!(match self { #(#arms)* })
        }
    };
    Some(quote! {
        #[automatically_derived]
        impl #private::fmt::Debug for #ident {
            fn fmt(&self, f: &mut #private::fmt::Formatter<'_>) -> #private::fmt::Result { #body }
        }
    })
}

/// The implementation for the partial type.
pub(crate) fn of_partial(item: &Item, fields: &[&Field], partial: &syn::Ident, paths: &Paths) -> Option<TokenStream> {
    if !item.derives.debug || !item.shape.has_secrets() {
        return None;
    }
    let private = &paths.private;
    let steps = fields.iter().map(|field| {
        step(
            field,
            &|field| {
                let ident = &field.ident;
                quote!(&self.#ident)
            },
            paths,
        )
    });
    let name = partial.unraw().to_string();
    Some(quote! {
        #[automatically_derived]
        impl #private::fmt::Debug for #partial {
            fn fmt(&self, f: &mut #private::fmt::Formatter<'_>) -> #private::fmt::Result {
                let mut out = #private::fmt::Formatter::debug_struct(f, #name);
                #(#steps)*
                #private::fmt::DebugStruct::finish(&mut out)
            }
        }
    })
}

fn print(name: &str, fields: &[Field], value: impl Fn(&Field) -> TokenStream, paths: &Paths) -> TokenStream {
    let private = &paths.private;
    let steps = fields.iter().map(|field| step(field, &value, paths));
    quote!({
        let mut out = #private::fmt::Formatter::debug_struct(f, #name);
        #(#steps)*
        #private::fmt::DebugStruct::finish(&mut out)
    })
}

fn step(field: &Field, value: &dyn Fn(&Field) -> TokenStream, paths: &Paths) -> TokenStream {
    let private = &paths.private;
    let (cfg, name) = (&field.cfg, field.ident.as_ref().map(|ident| ident.unraw().to_string()));
    let value = if field.secret { quote!(&#private::core::format_args!("[secret]")) } else { value(field) };
    quote!(#(#cfg)* #private::fmt::DebugStruct::field(&mut out, #name, #value);)
}
