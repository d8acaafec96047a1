//! What the attributes on structs have in common.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, Generics, Ident, ItemStruct};

use crate::{
    args::{Arguments, Text},
    doc::Doc,
    errors::Errors,
    rules::{self, Report},
};

/// The struct that an attribute stands on, or the errors to emit beside whatever else it stands on.
pub(crate) fn structure(attribute: &str, tokens: &TokenStream) -> Result<ItemStruct, TokenStream> {
    syn::parse2(tokens.clone()).map_err(|error| match syn::parse2::<syn::Item>(tokens.clone()) {
        Ok(item) => {
            let mut errors = Errors::default();
            let keyword = item.to_token_stream().into_iter().find(|token| matches!(token, TokenTree::Ident(_)));
            errors.help(
                keyword.to_token_stream(),
                format_args!("`#[{attribute}]` stands on a struct"),
                format_args!("write `#[{attribute}(...)] struct Name;`"),
            );
            errors.into_tokens()
        }
        // Half-typed: what the compiler says of the item itself is better.
        Err(_) => error.to_compile_error(),
    })
}

pub(crate) fn no_generics(what: &str, generics: &Generics, errors: &mut Errors) {
    if !generics.params.is_empty() {
        errors.help(
            &generics.params,
            format_args!("a {what} has no type parameters or lifetimes: the catalog is one constant"),
            "keep what varies in a field, behind a trait object if need be",
        );
    }
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
    let example = ident.to_string().to_lowercase();
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

/// The tokens, shown at the author's `span`: an error in any of them underlines what the author wrote.
pub(crate) fn respan(tokens: TokenStream, span: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Group(group) => {
                let mut respanned = Group::new(group.delimiter(), respan(group.stream(), span));
                respanned.set_span(span);
                TokenTree::Group(respanned)
            }
            mut other => {
                other.set_span(span);
                other
            }
        })
        .collect()
}
