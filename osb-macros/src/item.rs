//! The struct under an attribute, and what plans, services and brokers read from it: generics, id, name and description.

use std::iter;

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    Attribute, GenericParam, Generics, Ident, Item, ItemConst, ItemEnum, ItemStruct, Type,
    ext::IdentExt,
    parse::{ParseStream, Parser},
    parse_quote,
};

use crate::{
    args::{Given, Text, split_at_commas},
    doc::Doc,
    errors::{Errors, Report},
    rules,
};

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
    // It removes every item that is no trait and no implementation.
    for attribute in
        attributes.extract_if(.., |one| one.path().segments.last().is_some_and(|name| name.ident == "async_trait"))
    {
        is_changed = true;
        let help = "leave it out, here and on handlers: write `async fn` in the implementations";
        errors.help(attribute.path(), "`#[async_trait]` has no meaning on a type", help);
    }
    for attribute in own {
        is_changed = true;
        if own_name(&attribute).as_deref() != Some(first) {
            continue;
        }
        let help = format_args!("put all arguments into one `#[{first}(...)]`");
        errors.help(attribute.path(), format_args!("`#[{first}]` is on this item twice"), help);
        if let syn::Meta::List(list) = &attribute.meta {
            let name = |piece: &TokenStream| piece.clone().into_iter().next().map(|first| first.to_string());
            let mut all = split_at_commas(args.clone());
            let names: Vec<_> = all.iter().map(name).collect();
            all.extend(split_at_commas(list.tokens.clone()).into_iter().filter(|piece| !names.contains(&name(piece))));
            *args = quote!(#(#all),*);
        }
    }
    is_changed
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
fn refuse_param(attribute: &str, item: &mut ItemStruct, errors: &mut Errors) -> bool {
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

/// Reports generic parameters, and changes `tokens` so that the item can be used with or without arguments: only one
/// mistake is reported.
pub(crate) fn refuse_generics(what: &str, item: &mut ItemStruct, tokens: &mut TokenStream, errors: &mut Errors) {
    if item.generics.params.is_empty() {
        return;
    }
    let mut own_errors = Errors::default();
    let help = match item.generics.params.first() {
        _ if what == "plan" => "write a plan for each, or a `family` for plans that differ in values",
        Some(GenericParam::Lifetime(_)) => "own what the fields borrow: `String` for `&str`, `Arc<T>` for `&T`",
        _ => "keep what varies in a field, behind a trait object if need be",
    };
    own_errors.help(
        &item.generics.params,
        format_args!("a {what} has no type parameters or lifetimes: the catalog is one constant"),
        help,
    );
    let lifetimes: Vec<_> = item.generics.lifetimes().map(|lifetime| lifetime.lifetime.ident.to_string()).collect();
    if lifetimes.len() == item.generics.params.len() {
        // With a lifetime in the type, each handler would have errors about its future. The fields that borrow have the error: their
        // values may be owned already.
        item.generics = Generics::default();
        let mut unknown = None;
        for field in &mut item.fields {
            let ty = &field.ty;
            if syn::parse2::<Type>(make_static(ty.to_token_stream(), &lifetimes)).is_ok_and(|owned| owned != *ty) {
                unknown = unknown.or_else(|| own_errors.take_as_type());
                // A name in it may be imported for it alone.
                field.ty = Type::Verbatim(quote!((#unknown, #ty)));
            }
        }
        *tokens = make_static(item.to_token_stream(), &lifetimes);
        if let Ok(concrete) = syn::parse2(tokens.clone()) {
            *item = concrete;
        }
    } else {
        give_defaults(&mut item.generics, &mut own_errors);
        if let syn::Fields::Unit = item.fields {
            // The compiler would report that the struct doesn't use them.
            let types = item.generics.type_params().map(|parameter| &parameter.ident);
            let uses = parse_quote!((#(::core::marker::PhantomData<#types>),*));
            item.fields = syn::Fields::Unnamed(uses);
        }
        *tokens = item.to_token_stream();
    }
    errors.append(own_errors);
}

/// Replaces the lifetimes called `names` by `'static`.
fn make_static(tokens: TokenStream, names: &[String]) -> TokenStream {
    let mut follows_quote = false;
    let replace = |token: TokenTree| {
        let is_lifetime =
            std::mem::replace(&mut follows_quote, matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '\''));
        match token {
            TokenTree::Ident(name) if is_lifetime && names.contains(&name.to_string()) => {
                Ident::new("static", name.span()).into()
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), make_static(group.stream(), names));
                inner.set_span(group.span());
                inner.into()
            }
            token => token,
        }
    };
    tokens.into_iter().map(replace).collect()
}

/// Gives the generic parameters defaults. The first one reports the mistake: it suits all bounds, and all uses of its values.
pub(crate) fn give_defaults(generics: &mut Generics, errors: &mut Errors) {
    for parameter in &mut generics.params {
        match parameter {
            GenericParam::Type(parameter) if parameter.default.is_none() => {
                let default = errors.take_as_type().map_or_else(|| syn::parse_quote!(()), Type::Verbatim);
                parameter.default = Some((syn::token::Eq::default(), default));
            }
            GenericParam::Const(parameter) if parameter.default.is_none() => {
                let value = value_of(&parameter.ty).or_else(|| errors.take_as_value());
                parameter.default = value.map(|value| (syn::token::Eq::default(), syn::Expr::Verbatim(value)));
            }
            _ => {}
        }
    }
}

/// Returns some value of a type that a constant among generic parameters can have.
fn value_of(ty: &Type) -> Option<TokenStream> {
    let Type::Path(path) = ty else { return None };
    Some(match &*path.path.get_ident()?.to_string() {
        "bool" => quote!(false),
        "char" => quote!(' '),
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => quote!(0),
        _ => return None,
    })
}

/// Returns the generic parameters with the bounds that the traits of the runtime have.
pub(crate) fn shareable(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    for parameter in &mut generics.params {
        match parameter {
            GenericParam::Type(parameter) => {
                parameter.bounds.push(syn::parse_quote!(::core::marker::Send));
                parameter.bounds.push(syn::parse_quote!(::core::marker::Sync));
                parameter.bounds.push(syn::parse_quote!('static));
            }
            GenericParam::Lifetime(parameter) => parameter.bounds.push(syn::parse_quote!('static)),
            GenericParam::Const(_) => {}
        }
    }
    generics
}

/// The id and the name of a service or plan.
pub(crate) struct Identity {
    pub(crate) id: String,
    pub(crate) name: String,
}

impl Identity {
    /// Both are required (CAT-10, CAT-11, CAT-30, CAT-31).
    pub(crate) fn validate(
        what: &str,
        ident: &Ident,
        id: Given<Text>,
        name: Given<Text>,
        report: &mut Report,
    ) -> Option<Self> {
        if !id.is_mentioned() {
            report.missing(
                "an id",
                "write `id = \"...\"` with a GUID (`uuidgen` makes one), and never change it: platforms know it by its id",
            );
        }
        let id = id.take(&mut report.errors);
        if let Some(id) = &id {
            rules::id(what, id, report);
        }
        let name = Self::name(what, ident, name, "users type it", report);
        Some(Self { id: id?.value(), name: name?.value() })
    }

    /// A family has the name that the deployment's file refers to, and no id: its plans have ids.
    pub(crate) fn of_family(ident: &Ident, id: Given<Text>, name: Given<Text>, report: &mut Report) -> Option<Self> {
        if let Some((_, id)) = id.take_with_place(&mut report.errors) {
            report.errors.help(
                id,
                "a family has no id: each of its plans has one",
                "remove `id`; the deployment's file has the ids of the plans",
            );
        }
        let name =
            Self::name("family", ident, name, "the deployment's file refers to the family by it", report)?.value();
        Some(Self { id: name.clone(), name })
    }

    fn name(what: &str, ident: &Ident, name: Given<Text>, why: &str, report: &mut Report) -> Option<Text> {
        if !name.is_mentioned() {
            let example = ident.unraw().to_string().to_lowercase();
            report.missing("a name", format!("write `name = \"{example}\"`; {why}"));
        }
        let name = name.take(&mut report.errors);
        if let Some(name) = &name {
            rules::name(what, name, report);
        }
        name
    }
}

/// Returns `description = "..."`, or the doc comment's first paragraph.
pub(crate) fn description(item: &ItemStruct, given: Given<Text>, report: &mut Report) -> Option<String> {
    if given.is_mentioned() {
        let text = given.take(&mut report.errors)?;
        let value = text.value();
        rules::description(Some(&value), &text, report);
        return Some(value);
    }
    let doc = Doc::of(&item.attrs);
    let summary = doc.summary();
    if let (None, Some(unreadable)) = (&summary, &doc.unreadable) {
        report.errors.help(
            unreadable,
            "a macro cannot read this doc comment",
            "write `description = \"...\"` for the catalog beside it",
        );
        return None;
    }
    rules::description(summary.as_deref(), &item.ident, report);
    summary
}
