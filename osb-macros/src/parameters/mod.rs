//! `#[parameters]` and `#[credentials]`: read, check, write.

mod case;
mod constraints;
mod debug;
mod expand;
mod fallback;
mod field;
mod foreign;
mod item;
mod known;
mod limits;
mod partial;
mod schema;
mod shape;

pub(crate) use case::Case;
use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::errors::Errors;

/// Expands `#[parameters]`, or `#[credentials]`.
pub(crate) fn expand(args: TokenStream, input: TokenStream, credentials: bool) -> TokenStream {
    let mut errors = Errors::default();
    let Ok(parsed) = syn::parse2::<DeriveInput>(input.clone()) else {
        let whose = if credentials { "credentials" } else { "parameters" };
        errors.help(
            input.clone().into_iter().next().map_or_else(TokenStream::new, TokenStream::from),
            format_args!("`#[{whose}]` belongs on a type"),
            "write it above a `struct`, or for parameters an `enum`",
        );
        let errors = errors.into_tokens();
        return quote!(#input #errors);
    };
    let (runtime, partial, item) = item::Item::read(args, &parsed, credentials, &mut errors);
    match item {
        Some(item) if errors.is_empty() => expand::expand(&item),
        _ => {
            let item = fallback::expand(&parsed, partial.as_ref(), &runtime, credentials);
            let errors = errors.into_tokens();
            quote!(#item #errors)
        }
    }
}
