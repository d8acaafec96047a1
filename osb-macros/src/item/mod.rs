//! The struct under an attribute, and the parts that several attributes read from it.

mod generics;
mod identity;
mod own;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{
    Attribute, Generics, Item, ItemConst, ItemEnum, ItemStruct, Type,
    parse::{ParseStream, Parser},
    parse_quote,
};

use self::own::refuse_param;
pub(crate) use self::{
    generics::{give_defaults, refuse_generics, with_bounds},
    identity::{Identity, description},
    own::{refuse_own, remove_own},
};
use crate::errors::Errors;

/// Parses the struct below an attribute. Any other item is a mistake; an enum is treated as a struct all the same, so
/// that its uses cause no more errors.
///
/// Another attribute of this crate on the struct is a mistake, too, and is taken out of `tokens`; see [`refuse_own`].
pub(crate) fn parse_struct(
    attribute: &str,
    args: &mut TokenStream,
    tokens: &mut TokenStream,
    errors: &mut Errors,
) -> Option<ItemStruct> {
    let (keyword, instead) = match syn::parse2::<Item>(tokens.clone()) {
        Ok(Item::Struct(mut item)) => {
            if refuse_own(attribute, args, &mut item.attrs, errors) | refuse_param(attribute, &mut item, errors) {
                *tokens = item.to_token_stream();
            }
            return Some(item);
        }
        Ok(Item::Enum(ItemEnum { attrs, vis, enum_token, ident, generics, .. })) => {
            (enum_token.to_token_stream(), Some(parse_quote!(#(#attrs)* #vis struct #ident #generics;)))
        }
        Ok(Item::Const(ItemConst { attrs, vis, const_token, ident, .. })) => {
            // The uses name a type.
            let item: ItemStruct = parse_quote!(#(#attrs)* #vis struct #ident;);
            *tokens = item.to_token_stream();
            (const_token.to_token_stream(), Some(item))
        }
        Ok(Item::Fn(item)) => (item.sig.fn_token.to_token_stream(), None),
        Ok(Item::Impl(item)) => {
            // The struct probably has no attribute, and has the description; without arguments it has an attribute of its own.
            errors.hide_missing();
            let of = match &*item.self_ty {
                Type::Path(path) if !args.is_empty() => path.path.get_ident().cloned(),
                _ => None,
            };
            (item.impl_token.to_token_stream(), of.map(|ident| parse_quote!(struct #ident;)))
        }
        Ok(other) => (other.to_token_stream(), None),
        Err(error) => {
            let broken = broken_struct.parse2(tokens.clone()).map(|(item, _)| item);
            if broken.is_err() {
                errors.push(error);
            }
            return broken.ok();
        }
    };
    let name = instead.as_ref().map_or_else(|| "Name".to_owned(), |item: &ItemStruct| item.ident.to_string());
    errors.help(
        keyword,
        format_args!("`#[{attribute}]` belongs on a struct"),
        match attribute {
            "broker" => format!("write `#[broker] struct {name} {{ ... }}` with a field for each service"),
            _ => format!("write `#[{attribute}(...)] struct {name};`"),
        },
    );
    instead
}

/// Parses the beginning of a struct whose fields can't be parsed, for example because one is half-typed. The compiler has
/// reported that already: it parses an item before it calls a macro.
pub(crate) fn broken_struct(input: ParseStream<'_>) -> syn::Result<(ItemStruct, TokenStream)> {
    let item = ItemStruct {
        attrs: input.call(Attribute::parse_outer)?,
        vis: input.parse()?,
        struct_token: input.parse()?,
        ident: input.parse()?,
        generics: Generics::default(),
        fields: syn::Fields::Unit,
        semi_token: None,
    };
    Ok((item, input.parse()?))
}
