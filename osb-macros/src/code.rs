//! Code that the expansions of several attributes have: implementations, checks, warnings, and the output as a whole.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Attribute, Generics, Ident};

use crate::{
    errors::Report,
    runtime::Runtime,
    spans::{preserve_spans, respan},
};

/// Puts the author's item, the expansion and the errors together.
pub(crate) fn output(
    tokens: &TokenStream,
    attributes: &[Attribute],
    runtime: &Runtime,
    expansion: &TokenStream,
    Report { errors, warnings, .. }: &Report,
) -> TokenStream {
    let levels = lint_levels(attributes);
    let code = quote!(#expansion #(#warnings)*);
    let constant = runtime.imported(&code).unwrap_or_else(|| quote!(const _: () = { #code };));
    quote! {
        #tokens
        #levels
        #constant
        #errors
    }
}

/// Returns the author's lint levels, for the code that the expansion adds beside the item.
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

/// Writes `Some(value)` or `None`.
pub(crate) fn option(value: Option<impl ToTokens>, p: &TokenStream) -> TokenStream {
    match value {
        Some(value) => quote!(#p::Some(#value)),
        None => quote!(#p::None),
    }
}

/// Writes a constant that evaluates the check `call`, whose failure is reported at `place`.
pub(crate) fn check(place: &impl ToTokens, call: TokenStream) -> TokenStream {
    let call = respan(place, call);
    quote!(const _: () = #call;)
}

/// Writes a check at `place`, unless `condition` has an error.
pub(crate) fn check_if(condition: &TokenStream, place: &impl ToTokens, call: TokenStream) -> TokenStream {
    let call = respan(place, call);
    quote!(const _: () = if #condition { #call };)
}

/// Returns the constant that is `true`, or has an error if two services offer the same plan: a check that depends on it
/// does not repeat the error.
pub(crate) fn offered_once(runtime: &Runtime) -> TokenStream {
    let (root, p) = (runtime.root(), runtime.private());
    quote!(<#p::Once as #root::service::OfferedByOneService>::ONCE)
}

/// Writes a warning at `place` that the compiler gives if the constant `condition` is true; `name` is a function of the
/// runtime's `Warning`.
pub(crate) fn warn_if(place: &impl ToTokens, condition: &TokenStream, name: &str, p: &TokenStream) -> TokenStream {
    let name = Ident::new(name, Span::call_site());
    let function = respan(place, quote!(#p::Warning::<{ #condition }>::#name));
    quote! {
        const _: fn() = {
            #[allow(unused_imports)] // unused where there is a warning
            use #p::Silent as _;
            #function
        };
    }
}

/// Writes `impl of for ident` at the author's name: the compiler points there where it lists the implementations of a
/// trait.
pub(crate) fn implement(of: &TokenStream, ident: &Ident, body: &TokenStream) -> TokenStream {
    implement_generic(of, ident, &Generics::default(), body)
}

/// Returns the item of the traits that only attributes implement.
pub(crate) fn declared(p: &TokenStream) -> TokenStream {
    quote!(const DECLARED_IN_THE_ATTRIBUTE: #p::Yes = #p::Yes;)
}

/// Writes an implementation for an item that may have generic parameters, by mistake.
pub(crate) fn implement_generic(
    of: &TokenStream,
    ident: &Ident,
    generics: &Generics,
    body: &TokenStream,
) -> TokenStream {
    let (generics, arguments, bounds) = generics.split_for_impl();
    let body = preserve_spans(body);
    let item = respan(ident, quote!(impl #generics #of for #ident #arguments #bounds { #body }));
    quote!(#[automatically_derived] #item)
}
