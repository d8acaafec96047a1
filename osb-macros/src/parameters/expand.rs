//! What `#[parameters]` and `#[credentials]` expand to: the type with serde's derives, and what serde calls.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::LitStr;

use super::{
    debug,
    field::{Default, Field},
    item::Item,
    known::Known,
    partial,
    schema::{constants, credentials, parameter},
    shape::{Shape, Variant},
};
use crate::{item::lint_levels, json::Json, runtime::Runtime};

/// The paths that generated code needs.
pub(crate) struct Paths {
    pub(crate) private: TokenStream,
    pub(crate) schema: TokenStream,
    /// The macro that writes it, for `#[serde(crate = "...")]`.
    pub(crate) serde: LitStr,
}

impl Paths {
    pub(crate) fn new(runtime: &Runtime) -> Self {
        let (private, schema) = (runtime.private(), runtime.schema());
        let serde = string(&quote!(#private::serde));
        Self { private, schema, serde }
    }
}

/// Tokens as serde's attributes take them.
pub(crate) fn string(tokens: &TokenStream) -> LitStr {
    LitStr::new(&tokens.to_string().replace(' ', ""), Span::call_site())
}

pub(crate) fn expand(item: &Item) -> TokenStream {
    let paths = Paths::new(&item.runtime);
    let definition = definition(item, &paths);
    let functions = functions(item, &paths);
    let constants: TokenStream = item.shape.fields().into_iter().map(|field| constants(field, &paths)).collect();
    let implementations = if item.credentials { credentials(item, &paths) } else { parameter(item, &paths) };
    let debug = debug::implementation(item, &paths);
    let partial = item.partial.as_ref().map(|name| partial::expand(item, name, &paths));
    let allow = lint_levels(&item.attributes);
    let (partial, partial_impl) = partial.unzip();
    quote! {
        #definition
        #partial
        #allow
        const _: () = {
            #constants
            #implementations
            #functions
            #debug
            #partial_impl
        };
    }
}

/// The author's item, with serde's derives in our words.
fn definition(item: &Item, paths: &Paths) -> TokenStream {
    let Item { ident, visibility, keyword, attributes, .. } = item;
    let Paths { private, serde, .. } = paths;
    let closed = (!item.open && !matches!(item.shape, Shape::Newtype(_) | Shape::Choice(_)))
        .then(|| quote!(deny_unknown_fields,));
    let own = match &item.shape {
        Shape::Newtype(_) => quote!(transparent),
        Shape::Tagged(tag, _) => quote!(#closed tag = #tag),
        _ => closed.to_token_stream(),
    };
    let head = quote! {
        #(#attributes)*
        #[derive(#private::serde::Serialize, #private::serde::Deserialize)]
        #[serde(crate = #serde, #own)]
    };
    match &item.shape {
        Shape::Struct(fields) => {
            let fields = fields.iter().map(|field| field_definition(field, item, paths));
            quote!(#head #visibility #keyword #ident { #(#fields,)* })
        }
        Shape::Newtype(field) => {
            let Field { attributes, visibility: inner, ty, .. } = &**field;
            quote!(#head #visibility #keyword #ident(#(#attributes)* #inner #ty);)
        }
        Shape::Choice(variants) | Shape::Tagged(_, variants) => {
            let variants = variants.iter().map(|variant| {
                let Variant { ident, attributes, wire, .. } = variant;
                let fields = variant.fields.as_ref().map(|fields| {
                    let fields = fields.iter().map(|field| field_definition(field, item, paths));
                    quote!({ #(#fields,)* })
                });
                quote!(#(#attributes)* #[serde(rename = #wire)] #ident #fields)
            });
            quote!(#head #visibility #keyword #ident { #(#variants,)* })
        }
    }
}

fn field_definition(field: &Field, item: &Item, paths: &Paths) -> TokenStream {
    let Field { ident, visibility, ty, attributes, wire, aliases, .. } = field;
    let method = |what: &str| {
        let (name, function) = (&item.ident, field.constant(what));
        LitStr::new(&format!("{name}::{function}"), Span::call_site())
    };
    let default = field.default.as_ref().map(|_| {
        let path = method("default");
        quote!(, default = #path)
    });
    let private = &paths.private;
    let through = (!field.known.is_serde()).then(|| {
        let (read, write) = (method("read"), method("write"));
        // Serde takes only its own way for a sign that the field may be absent.
        let absent = (field.optional && field.default.is_none()).then(|| quote!(, default));
        quote!(, deserialize_with = #read, serialize_with = #write #absent)
    });
    let skip = field.optional.then(|| {
        let path = string(&quote!(#private::core::option::Option::is_none));
        quote!(, skip_serializing_if = #path)
    });
    quote!(#(#attributes)* #[serde(rename = #wire #(, alias = #aliases)* #default #skip #through)] #visibility #ident: #ty)
}

/// The functions that serde calls: for absent fields, and for those whose types are not known here.
fn functions(item: &Item, paths: &Paths) -> TokenStream {
    let mut functions = TokenStream::new();
    for field in item.shape.fields() {
        if let Some(default) = &field.default {
            functions.extend(default_function(default, field, paths));
        }
        if field.ident.is_some() && !field.known.is_serde() {
            functions.extend(through_functions(field, paths));
        }
    }
    if functions.is_empty() {
        return functions;
    }
    let ident = &item.ident;
    quote!(#[automatically_derived] impl #ident { #functions })
}

fn default_function(default: &Default, field: &Field, paths: &Paths) -> TokenStream {
    let private = &paths.private;
    let (ty, cfg, function, literal) = (&field.ty, &field.cfg, field.constant("default"), field.constant("DEFAULT"));
    let body = match default {
        _ if !field.literally() => quote!(#private::default_value(&#literal)),
        Default::Constant(path) => in_rust(field, path.to_token_stream(), private),
        Default::Value(Json::Integer(value), _) if matches!(field.known, Known::Float) => {
            let value = proc_macro2::Literal::f64_unsuffixed(value.to_string().parse().unwrap_or(0.0));
            in_rust(field, quote!(#value), private)
        }
        Default::Value(Json::String(text), _) if matches!(field.known, Known::Char) => {
            let value = text.value().chars().next();
            in_rust(field, quote!(#value), private)
        }
        Default::Value(_, written) => in_rust(field, written.clone(), private),
    };
    quote! {
        #(#cfg)*
        fn #function() -> #ty { #body }
    }
}

fn through_functions(field: &Field, paths: &Paths) -> TokenStream {
    let Paths { private, .. } = paths;
    let (ty, cfg, read, write) = (&field.ty, &field.cfg, field.constant("read"), field.constant("write"));
    quote! {
        #(#cfg)*
        fn #read<'__de, __D: #private::serde::Deserializer<'__de>>(
            from: __D,
        ) -> #private::core::result::Result<#ty, __D::Error> {
            #[allow(unused_imports)] // one of the two is the way
            use #private::{Known as _, Unknown as _};
            (&#private::Through::<#ty>::new()).read(from)
        }
        #(#cfg)*
        fn #write<__S: #private::serde::Serializer>(
            value: &#ty,
            to: __S,
        ) -> #private::core::result::Result<__S::Ok, __S::Error> {
            #[allow(unused_imports)] // one of the two is the way
            use #private::{KnownOut as _, Unknown as _};
            (&#private::Through::<#ty>::new()).write(value, to)
        }
    }
}

/// A value written in Rust, as one of the field's type.
fn in_rust(field: &Field, written: TokenStream, private: &TokenStream) -> TokenStream {
    let value = match field.known {
        Known::String => {
            quote!(<#private::String as #private::core::convert::From<&str>>::from(#written))
        }
        _ => written,
    };
    if field.optional { quote!(#private::core::option::Option::Some(#value)) } else { value }
}
