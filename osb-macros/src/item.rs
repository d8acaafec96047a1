//! What the attributes on structs have in common.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Attribute, Generics, Ident, Item, ItemEnum, ItemStruct, ext::IdentExt};

use crate::{
    args::{Arguments, Text},
    doc::Doc,
    errors::Errors,
    rules::{self, Report},
    spans::{at, kept},
};

/// The struct that an attribute stands on. Anything else is a mistake; an enum is taken for a struct all the same, so
/// that whoever uses it hears of nothing else.
pub(crate) fn structure(attribute: &str, tokens: &TokenStream, errors: &mut Errors) -> Option<ItemStruct> {
    let (keyword, instead) = match syn::parse2::<Item>(tokens.clone()) {
        Ok(Item::Struct(item)) => return Some(item),
        Ok(Item::Enum(ItemEnum { attrs, vis, enum_token, ident, generics, .. })) => (
            enum_token.to_token_stream(),
            Some(ItemStruct {
                attrs,
                vis,
                struct_token: syn::token::Struct::default(),
                ident,
                generics,
                fields: syn::Fields::Unit,
                semi_token: None,
            }),
        ),
        Ok(Item::Fn(item)) => (item.sig.fn_token.to_token_stream(), None),
        Ok(Item::Impl(item)) => (item.impl_token.to_token_stream(), None),
        Ok(other) => (other.to_token_stream(), None),
        Err(error) => {
            errors.push(error);
            return None;
        }
    };
    errors.help(
        keyword,
        format_args!("`#[{attribute}]` belongs on a struct"),
        format_args!("write `#[{attribute}(...)] struct Name;`"),
    );
    instead
}

/// Whether the item can be named without arguments, as generated code does.
pub(crate) fn no_generics(what: &str, generics: &Generics, errors: &mut Errors) -> bool {
    if !generics.params.is_empty() {
        errors.help(
            &generics.params,
            format_args!("a {what} has no type parameters or lifetimes: the catalog is one constant"),
            "keep what varies in a field, behind a trait object if need be",
        );
    }
    generics.params.is_empty()
}

/// CAT-10, CAT-11, CAT-30, CAT-31: an id and a name.
pub(crate) fn identity(
    what: &str,
    ident: &Ident,
    args: &mut Arguments,
    id: Option<&Text>,
    name: Option<&Text>,
    report: &mut Report,
) {
    let example = ident.unraw().to_string().to_lowercase();
    match id {
        Some(id) => rules::id(what, id, report),
        None if !args.mentions("id") => report.errors.help(
            ident,
            format_args!("{what} `{ident}` needs an id"),
            "write `id = \"...\"` with a GUID (`uuidgen` makes one), and never change it: platforms know it by its id",
        ),
        None => {}
    }
    match name {
        Some(name) => rules::name(what, name, report),
        None if !args.mentions("name") => report.errors.help(
            ident,
            format_args!("{what} `{ident}` needs a name"),
            format_args!("write `name = \"{example}\"`; users type it"),
        ),
        None => {}
    }
}

/// `description = "..."`, or the doc comment's first paragraph.
pub(crate) fn description(what: &str, item: &ItemStruct, args: &mut Arguments, report: &mut Report) -> Option<String> {
    let given: Option<Text> = args.get("description", &mut report.errors);
    if given.is_none() && args.mentions("description") {
        return None;
    }
    let doc = Doc::of(&item.attrs);
    if let (None, None, Some(unreadable)) = (&given, doc.summary(), &doc.unreadable) {
        report.errors.help(
            unreadable,
            "a macro cannot read this doc comment",
            "write `description = \"...\"` for the catalog beside it",
        );
        return None;
    }
    let text = given.as_ref().map(Text::value).or_else(|| doc.summary());
    let place = given.to_token_stream();
    let place = if place.is_empty() { item.ident.to_token_stream() } else { place };
    rules::description(what, &item.ident, text.as_deref(), &place, report);
    text
}

/// The author's `#[allow]`s, for what the expansion adds beside the item.
pub(crate) fn lint_levels(attributes: &[Attribute]) -> TokenStream {
    let levels = attributes.iter().filter_map(|attribute| match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("allow") || list.path.is_ident("expect") => {
            let lints = &list.tokens;
            Some(quote!(#[allow(#lints)]))
        }
        syn::Meta::List(list) if ["warn", "deny"].iter().any(|level| list.path.is_ident(level)) => {
            Some(attribute.to_token_stream())
        }
        _ => None,
    });
    levels.collect()
}

/// `Some(value)` or `None`.
pub(crate) fn option(value: Option<impl ToTokens>, p: &TokenStream) -> TokenStream {
    match value {
        Some(value) => quote!(#p::core::option::Option::Some(#value)),
        None => quote!(#p::core::option::Option::None),
    }
}

/// A constant that holds `call`, which checks something, against what the author wrote at `place`.
pub(crate) fn check(place: &impl ToTokens, call: TokenStream) -> TokenStream {
    let call = at(place, call);
    quote!(const _: () = #call;)
}

/// A warning at `place` if `condition`, which is a constant, holds; `name` is a function of `Warning`.
pub(crate) fn warn_if(place: &impl ToTokens, condition: &TokenStream, name: &str, p: &TokenStream) -> TokenStream {
    let name = Ident::new(name, Span::call_site());
    let function = at(place, quote!(#p::Warning::<{ #condition }>::#name));
    quote! {
        const _: fn() = {
            #[allow(unused_imports)] // unused where there is a warning
            use #p::Silent as _;
            #function
        };
    }
}

/// `impl of for ident`, standing at the author's name: the compiler points there where it lists what implements a trait.
pub(crate) fn implement(of: &TokenStream, ident: &Ident, body: &TokenStream) -> TokenStream {
    let body = kept(body);
    let item = at(ident, quote!(impl #of for #ident { #body }));
    quote!(#[automatically_derived] #item)
}
