//! Generic parameters, which are a mistake: the item stays usable all the same.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{GenericParam, Generics, ItemStruct, Type, parse_quote};

use crate::errors::Errors;

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
                let default = errors.take_as_type().map_or_else(|| parse_quote!(()), Type::Verbatim);
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
pub(crate) fn with_bounds(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    for parameter in &mut generics.params {
        match parameter {
            GenericParam::Type(parameter) => {
                parameter.bounds.push(parse_quote!(::core::marker::Send));
                parameter.bounds.push(parse_quote!(::core::marker::Sync));
                parameter.bounds.push(parse_quote!('static));
            }
            GenericParam::Lifetime(parameter) => parameter.bounds.push(parse_quote!('static)),
            GenericParam::Const(_) => {}
        }
    }
    generics
}
