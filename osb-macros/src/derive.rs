//! Derives in the place of our attributes, as in other frameworks: each is a mistake, and the type is treated as if it had the
//! attribute.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::DeriveInput;

use crate::{broker, errors::Errors, parameters, plan, service};

/// Reports the derive `name`; `attribute` is the one to write.
pub(crate) fn refuse(name: &str, attribute: &str, input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let derive = syn::Ident::new(name, Span::call_site());
    let message = format_args!("`{name}` is not derived");
    let Ok(item) = syn::parse2::<DeriveInput>(input) else { return TokenStream::new() };
    if item.attrs.iter().any(|other| other.path().segments.last().is_some_and(|last| last.ident == attribute)) {
        errors.help(&derive, message, format_args!("leave it out: `#[{attribute}]` is enough"));
        return quote!(#errors);
    }
    let arguments = if ["plan", "service"].contains(&attribute) { "(...)" } else { "" };
    errors.help(&derive, message, format_args!("write `#[{attribute}{arguments}]` above the type"));
    let counts_as = match attribute {
        "plan" => plan::fallback(&item, &mut errors),
        "service" => service::fallback(&item, &mut errors, false),
        "broker" => broker::fallback(&item),
        _ => parameters::fallback(&item),
    };
    quote!(#counts_as #errors)
}
