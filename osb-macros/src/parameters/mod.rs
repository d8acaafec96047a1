//! `#[parameters]` and `#[credentials]`: parse, validate, expand. Fields are parsed one by one, where they are validated.

mod constraints;
mod debug;
mod expand;
mod fallback;
mod field;
mod foreign;
mod half_typed;
mod item;
mod known;
mod param;
mod parse;
mod partial;
mod paths;
mod read;
mod refused;
mod rules;
mod runs;
mod schema;
mod shape;
mod standard;
mod values;
mod write;

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::{
    Attribute, DeriveInput, Ident, Token, Visibility,
    parse::{ParseStream, Parser},
};

use self::item::{Item, refuse_helpers};
pub(crate) use self::parse::DataAttribute;
use crate::{
    errors::Errors,
    item::{broken_struct, refuse_own},
    runtime::Runtime,
};

pub(crate) fn expand(mut args: TokenStream, input: TokenStream, attribute: DataAttribute) -> TokenStream {
    let mut errors = Errors::default();
    let Ok(mut parsed) = syn::parse2::<DeriveInput>(input.clone()) else {
        if let Ok((broken, body)) = broken_struct.parse2(input.clone()) {
            let item =
                Item::validate_arguments(args, &broken.ident, attribute, &mut errors).expand_broken(&broken, body);
            return quote!(#item #errors);
        }
        if let Ok(ident) = broken_enum.parse2(input.clone()) {
            let fallback = Item::validate_arguments(args, &ident, attribute, &mut errors);
            let item = fallback::expand_broken_enum(&ident, input, &fallback.runtime);
            return quote!(#item #errors);
        }
        errors.help(
            // Not at the doc comment.
            input.clone().into_iter().find(|token| matches!(token, TokenTree::Ident(_))).map(TokenStream::from),
            format_args!("{} belongs on a type", attribute.quoted()),
            "write it above a `struct` or, for parameters, above an `enum`",
        );
        return quote!(#input #errors);
    };
    let written = parsed.clone();
    refuse_helpers(&mut parsed, &mut errors);
    refuse_own(attribute.name(), &mut args, &mut parsed.attrs, &mut errors);
    match Item::validate(args, &parsed, attribute, &mut errors) {
        Ok(item) => expand::expand(&item),
        Err(fallback) => {
            let item = fallback.expand(&parsed, &written, &mut errors);
            quote!(#item #errors)
        }
    }
}

/// Parses an enum as far as its name.
fn broken_enum(input: ParseStream<'_>) -> syn::Result<Ident> {
    input.call(Attribute::parse_outer)?;
    input.parse::<Visibility>()?;
    input.parse::<Token![enum]>()?;
    let ident = input.parse()?;
    input.parse::<TokenStream>()?;
    Ok(ident)
}

/// Makes a type count as parameters.
pub(crate) fn fallback(item: &DeriveInput) -> TokenStream {
    fallback::implement(item, &Runtime::of_manifest())
}
