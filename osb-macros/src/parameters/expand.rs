//! The expansion of `#[parameters]` and `#[credentials]`: the type, with serde's derives where they are used, and the
//! functions that serde calls.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, LitStr};

use super::{
    debug,
    field::Field,
    item::Item,
    partial,
    paths::{Paths, in_quotes},
    read,
    schema::{constants, credentials, distinct, parameter},
    shape::{Shape, Variant},
    standard::Standard,
    write,
};
use crate::code::lint_levels;

pub(super) fn expand(item: &Item) -> TokenStream {
    let paths = Paths::new(&item.runtime);
    let definition = definition(item, &paths);
    let functions = functions(item, &paths);
    let (deserialize, serialize) = (read::structure(item, &paths.p), write::structure(item, &paths.p));
    let texts = texts(item, &paths.p);
    let standard = Standard::of(item);
    let constants = constants(item, standard.as_ref(), &paths.p);
    let implementations =
        if item.credentials { credentials(item, &paths) } else { parameter(item, standard.as_ref(), &paths) };
    let distinct = distinct(item, &paths.p);
    let debug = debug::implementation(item, &paths.p);
    let partial = item.partial.as_ref().map(|name| partial::expand(item, name, &paths));
    let levels = lint_levels(&item.attributes);
    // The warning is for users of the item, not for its own code.
    let allow_deprecated = has_deprecated(item).then(|| quote!(#[allow(deprecated)]));
    let (partial, partial_impl) = partial.unzip();
    let warnings = item.shape.fields().into_iter().chain(&item.update_only).flat_map(|field| &field.warnings);
    let import = paths.import();
    quote! {
        #definition
        #partial
        #levels
        #allow_deprecated
        const _: () = {
            #import
            #constants
            #implementations
            #distinct
            #functions
            #deserialize
            #serialize
            #texts
            #debug
            #partial_impl
            #(#warnings)*
        };
    }
}

/// Writes the author's item. Shapes other than structs get serde's derives, and the attributes that control them.
///
/// Without the `<>`, the compiler would propose a type parameter for an unknown type, but only in this of its uses: it would
/// report the type twice.
fn definition(item: &Item, paths: &Paths) -> TokenStream {
    let Item { ident, visibility, keyword, attributes, .. } = item;
    let Paths { private, serde, .. } = paths;
    let derives = |representation: TokenStream| {
        quote! {
            #[derive(#private::serde::Serialize, #private::serde::Deserialize)]
            #[serde(crate = #serde, #representation)]
        }
    };
    match &item.shape {
        Shape::Struct(fields) => {
            let fields = fields
                .iter()
                .map(|Field { attributes, visibility, ident, ty, .. }| quote!(#(#attributes)* #visibility #ident: #ty));
            quote!(#(#attributes)* #visibility #keyword #ident<> { #(#fields,)* })
        }
        Shape::Newtype(field) => {
            let Field { attributes: inner_attributes, visibility: inner, ty, .. } = &**field;
            let derives = derives(quote!(transparent));
            let through = through(field, item).map(|through| quote!(#[serde(#through)]));
            quote!(#(#attributes)* #derives #visibility #keyword #ident<>(#(#inner_attributes)* #through #inner #ty);)
        }
        Shape::Choice(variants) => {
            let variants = variants.iter().map(|variant| variant_definition(variant, item, paths));
            let derives = derives(TokenStream::new());
            quote!(#(#attributes)* #derives #visibility #keyword #ident<> { #(#variants,)* })
        }
        Shape::Tagged(tag, variants) => {
            let variants = variants.iter().map(|variant| variant_definition(variant, item, paths));
            let closed = (!item.open).then(|| quote!(deny_unknown_fields,));
            let derives = derives(quote!(#closed tag = #tag));
            quote!(#(#attributes)* #derives #visibility #keyword #ident<> { #(#variants,)* })
        }
    }
}

/// Returns whether the item or a part of it is deprecated.
fn has_deprecated(item: &Item) -> bool {
    let is_deprecated = |attributes: &Vec<Attribute>| attributes.iter().any(|one| one.path().is_ident("deprecated"));
    let variants = match &item.shape {
        Shape::Choice(variants) | Shape::Tagged(_, variants) => variants.as_slice(),
        Shape::Struct(_) | Shape::Newtype(_) => &[],
    };
    is_deprecated(&item.attributes)
        || variants.iter().any(|variant| is_deprecated(&variant.attributes))
        || item.shape.fields().into_iter().chain(&item.update_only).any(|field| is_deprecated(&field.attributes))
}

fn variant_definition(variant: &Variant, item: &Item, paths: &Paths) -> TokenStream {
    let Variant { ident, attributes, wire, discriminant, .. } = variant;
    let number = discriminant.as_ref().map(|value| quote!(= #value));
    let fields = variant.fields.as_ref().map(|fields| {
        let fields = fields.iter().map(|field| field_definition(field, item, paths));
        quote!({ #(#fields,)* })
    });
    quote!(#(#attributes)* #[serde(rename = #wire)] #ident #fields #number)
}

/// Returns the quoted path of a function that belongs to a field.
fn method(field: &Field, item: &Item, what: &str) -> LitStr {
    let (name, function) = (&item.ident, field.constant(what));
    in_quotes(&quote!(#name::#function))
}

/// Writes the functions through which serde reads and writes a field whose type it may not know: the compiler would report such
/// a type for each derive.
fn through(field: &Field, item: &Item) -> Option<TokenStream> {
    let (read, write) = (method(field, item, "read"), method(field, item, "write"));
    (!field.known.is_serde()).then(|| quote!(deserialize_with = #read, serialize_with = #write))
}

/// Writes a field of a variant.
fn field_definition(field: &Field, item: &Item, paths: &Paths) -> TokenStream {
    let Field { ident, visibility, ty, attributes, wire, aliases, .. } = field;
    let private = &paths.private;
    let default = field.default.as_ref().map(|_| {
        let path = method(field, item, "absent");
        quote!(, default = #path)
    });
    let through = through(field, item).map(|through| {
        // serde lets a field be absent only if it deserializes the field itself.
        let absent = (field.optional && field.default.is_none()).then(|| quote!(, default));
        quote!(, #through #absent)
    });
    let skip = field.optional.then(|| {
        let path = in_quotes(&quote!(#private::Option::is_none));
        quote!(, skip_serializing_if = #path)
    });
    quote! {
        #(#attributes)*
        #[serde(rename = #wire #(, alias = #aliases)* #default #through #skip)]
        #visibility #ident: #ty
    }
}

/// Writes `as_str` and `Display` for an enum of strings.
fn texts(item: &Item, p: &TokenStream) -> Option<TokenStream> {
    let Shape::Choice(variants) = &item.shape else { return None };
    let Item { ident, visibility, .. } = item;
    let arms = variants.iter().map(|Variant { cfg, ident, wire, .. }| quote!(#(#cfg)* Self::#ident => #wire,));
    Some(quote! {
        #[automatically_derived]
        impl #ident {
            /// Returns the name on the wire.
            #[allow(dead_code)] // not every author needs it
            #[must_use]
            #visibility const fn as_str(&self) -> &'static #p::str {
                match self { #(#arms)* }
            }
        }
        #[automatically_derived]
        impl #p::fmt::Display for #ident {
            fn fmt(&self, f: &mut #p::fmt::Formatter<'_>) -> #p::fmt::Result {
                #p::fmt::Formatter::pad(f, self.as_str())
            }
        }
    })
}

/// Writes the functions that deserialization and serialization call: for absent fields, and in variants for those whose types
/// are not known here.
fn functions(item: &Item, Paths { p, .. }: &Paths) -> TokenStream {
    let fields = item.shape.fields();
    let is_derived = matches!(item.shape, Shape::Tagged(..) | Shape::Newtype(_));
    let functions: Vec<_> = fields
        .iter()
        .flat_map(|field| {
            let default = field.default.is_some().then(|| default_function(field, p));
            let is_probed = is_derived && !field.known.is_serde();
            default.into_iter().chain(is_probed.then(|| probes(field, p)))
        })
        .collect();
    let import = fields.iter().any(|field| !field.known.is_serde()).then(|| {
        quote! {
            #[allow(unused_imports)] // each field uses one of them
            use #p::{ViaSerde as _, ViaSerialize as _, NoSerde as _};
        }
    });
    let ident = &item.ident;
    let functions = (!functions.is_empty()).then(|| quote!(#[automatically_derived] impl #ident { #(#functions)* }));
    quote!(#import #functions)
}

// "absent", because the compiler proposes a similar name to an author who calls `Type::default()`.
fn default_function(field: &Field, p: &TokenStream) -> TokenStream {
    let (ty, cfg, function, literal) = (&field.ty, &field.cfg, field.constant("absent"), field.constant("DEFAULT"));
    let read = if field.known.is_serde() {
        quote!(#p::serde::Deserialize::deserialize)
    } else {
        quote!(|from| (&#p::SerdeProbe::<#ty>::new()).read(from))
    };
    quote! {
        #(#cfg)*
        fn #function() -> #ty { #p::default_value(#literal, #read) }
    }
}

fn probes(field: &Field, p: &TokenStream) -> TokenStream {
    let (ty, cfg, read, write) = (&field.ty, &field.cfg, field.constant("read"), field.constant("write"));
    quote! {
        #(#cfg)*
        fn #read<'__d, __D: #p::serde::Deserializer<'__d>>(from: __D) -> #p::Result<#ty, __D::Error> {
            (&#p::SerdeProbe::<#ty>::new()).read(from)
        }
        #(#cfg)*
        fn #write<__S: #p::serde::Serializer>(value: &#ty, to: __S) -> #p::Result<__S::Ok, __S::Error> {
            (&#p::SerdeProbe::<#ty>::new()).write(value, to)
        }
    }
}
