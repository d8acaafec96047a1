//! Attributes of this crate, and derives with their names, where they have no meaning: below another attribute, or on fields.

use std::iter;

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, ItemStruct};

use crate::{args::split_at_commas, errors::Errors};

/// Reports this crate's attributes among `attributes`, which are below the attribute `first`, and derives with the name of
/// one. Adds the arguments of a repeated attribute to `args`, so that none seems to be missing. Returns whether it changed
/// `attributes`. Below `#[plan]`, `#[service]` and `#[broker]` a different attribute stays: uses of the item may mean it.
pub(crate) fn refuse_own(
    first: &str,
    args: &mut TokenStream,
    attributes: &mut Vec<Attribute>,
    errors: &mut Errors,
) -> bool {
    let mut is_changed = refuse_derive(first, attributes, errors);
    let is_data = is_data(first);
    let own: Vec<_> = attributes
        .extract_if(.., |attribute| own_name(attribute).is_some_and(|name| is_data || name == first))
        .collect();
    for attribute in own.iter().chain(&*attributes) {
        let Some(name) = own_name(attribute).filter(|name| name != first) else { continue };
        errors.help(
            attribute.path(),
            format_args!("an item is under `#[{first}]` or under `#[{name}]`, not under both"),
            "write two items, each with its own attribute",
        );
    }
    is_changed |= refuse_async_trait(attributes, errors);
    for attribute in own {
        is_changed = true;
        if own_name(&attribute).as_deref() != Some(first) {
            continue;
        }
        let help = format_args!("put all arguments into one `#[{first}(...)]`");
        errors.help(attribute.path(), format_args!("`#[{first}]` is on this item twice"), help);
        if let syn::Meta::List(list) = &attribute.meta {
            add_arguments(args, list.tokens.clone());
        }
    }
    is_changed
}

/// Adds the arguments of `others` whose names `args` doesn't have.
fn add_arguments(args: &mut TokenStream, others: TokenStream) {
    let name = |piece: &TokenStream| piece.clone().into_iter().next().map(|first| first.to_string());
    let mut all = split_at_commas(args.clone());
    let names: Vec<_> = all.iter().map(name).collect();
    all.extend(split_at_commas(others).into_iter().filter(|piece| !names.contains(&name(piece))));
    *args = quote!(#(#all),*);
}

/// Reports and removes `#[async_trait]`, which removes every item that is no trait and no implementation. Returns whether there is
/// one.
fn refuse_async_trait(attributes: &mut Vec<Attribute>, errors: &mut Errors) -> bool {
    let is_async_trait =
        |one: &mut Attribute| one.path().segments.last().is_some_and(|name| name.ident == "async_trait");
    let found: Vec<_> = attributes.extract_if(.., is_async_trait).collect();
    for attribute in &found {
        let help = "leave it out, here and on handlers: write `async fn` in the implementations";
        errors.help(attribute.path(), "`#[async_trait]` has no meaning on a type", help);
    }
    !found.is_empty()
}

/// Returns the name of an attribute, if it is this crate's.
fn own_name(attribute: &Attribute) -> Option<String> {
    let segments = &attribute.path().segments;
    let name = segments.last()?.ident.to_string();
    let is_ours = segments.len() == 1 || segments[0].ident == "osb_runtime";
    (is_ours && ["plan", "service", "broker", "parameters", "credentials"].contains(&&*name)).then_some(name)
}

/// Removes this crate's attribute `name`, and returns whether there is one.
pub(crate) fn remove_own(name: &str, item: &mut ItemStruct) -> bool {
    item.attrs.extract_if(.., |attribute| own_name(attribute).as_deref() == Some(name)).count() > 0
}

fn is_data(attribute: &str) -> bool {
    ["parameters", "credentials"].contains(&attribute)
}

/// Reports and removes `#[param(...)]`, unless the struct is under the attribute that reads it, and the attributes of items on
/// fields. Returns whether there is one.
pub(super) fn refuse_param(attribute: &str, item: &mut ItemStruct, errors: &mut Errors) -> bool {
    if item.attrs.iter().filter_map(own_name).any(|name| is_data(&name)) {
        return false;
    }
    let mut is_changed = false;
    for attributes in iter::once(&mut item.attrs).chain(item.fields.iter_mut().map(|field| &mut field.attrs)) {
        for param in attributes.extract_if(.., |attribute| attribute.path().is_ident("param")) {
            is_changed = true;
            errors.help(
                param.path(),
                format_args!("`#[param]` has no meaning on a {attribute}"),
                "leave it out: it is for fields of types under `#[parameters]` and `#[credentials]`",
            );
        }
    }
    for field in &mut item.fields {
        for own in field.attrs.extract_if(.., |attribute| own_name(attribute).is_some()) {
            is_changed = true;
            let name = own.path().to_token_stream();
            let help = "write its arguments above the struct, or leave it out";
            errors.help(own.path(), format_args!("`#[{name}]` has no meaning on a field"), help);
        }
    }
    is_changed
}

/// Reports and removes the derive that has the name of `attribute`, and reports and adds missing commas. Returns whether there is
/// such a mistake.
fn refuse_derive(attribute: &str, attributes: &mut [Attribute], errors: &mut Errors) -> bool {
    let mut is_changed = false;
    for derives in attributes.iter_mut().filter(|attribute| attribute.path().is_ident("derive")) {
        let syn::Meta::List(list) = &mut derives.meta else { continue };
        let parts = split_at_commas(list.tokens.clone());
        let count = parts.len();
        let mut kept: Vec<_> = parts.into_iter().flat_map(|part| add_commas(part, errors)).collect();
        is_changed |= kept.len() > count;
        for derive in kept.extract_if(.., |piece| {
            let name = piece.to_string();
            name.starts_with(char::is_uppercase) && name.to_lowercase() == attribute
        }) {
            is_changed = true;
            let help = format_args!("leave it out: `#[{attribute}]` is enough");
            errors.help(&derive, format_args!("`{derive}` is not derived"), help);
        }
        list.tokens = quote!(#(#kept),*);
    }
    is_changed
}

/// Splits a part of a derive where a comma is missing, and reports that: without the derive, the uses of the type would have errors
/// too.
fn add_commas(part: TokenStream, errors: &mut Errors) -> Vec<TokenStream> {
    let mut parts = vec![TokenStream::new()];
    let mut follows_word = false;
    for token in part {
        let is_word = matches!(token, TokenTree::Ident(_));
        if follows_word && is_word {
            errors.help(&token, "expected `,`", format_args!("write a comma before `{token}`"));
            parts.push(TokenStream::new());
        }
        follows_word = is_word;
        if let Some(last) = parts.last_mut() {
            last.extend([token]);
        }
    }
    parts
}
