//! What `#[parameters]` and `#[credentials]` expand to: the type with serde's derives, its schema, and the checks.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{LitStr, ext::IdentExt};

use super::{
    debug,
    field::{Default, Field},
    item::{Item, Shape, Variant},
    known::Known,
    partial,
};
use crate::{
    item::{lint_levels, warn_if},
    json::{self, Json},
    runtime::Runtime,
    spans::at,
};

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
    let Field { ident, visibility, ty, attributes, wire, .. } = field;
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
    quote!(#(#attributes)* #[serde(rename = #wire #default #skip #through)] #visibility #ident: #ty)
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

/// The schema of one field in steps, each a constant, and the checks of what was written on it.
fn constants(field: &Field, paths: &Paths) -> TokenStream {
    let Paths { private, schema, .. } = paths;
    let (ty, cfg) = (&field.ty, &field.cfg);
    let [base, constrained, pattern, default, examples] =
        ["BASE", "SCHEMA", "PATTERN", "DEFAULT", "EXAMPLES"].map(|what| field.constant(what));
    let name = field.ident.as_ref().map_or_else(|| "the value".to_owned(), |ident| format!("`{}`", ident.unraw()));
    let patterns = field.constraints.constants(&pattern, schema, private);
    let put_on = field.constraints.put_on(&base.to_token_stream(), &pattern, schema, private);
    let mut checks = field.constraints.checks(&base.to_token_stream(), &name, &pattern, schema, private);
    if let Some(value) = &field.default {
        checks.extend(at(
            value,
            quote!(const _: () = #schema::check_literal(&#constrained, "the default", #name, &#default);),
        ));
    }
    for (index, (_, written)) in field.examples.iter().enumerate() {
        checks.extend(at(
            written,
            quote!(const _: () = #schema::check_literal(&#constrained, "the example", #name, &#examples[#index]);),
        ));
    }
    let default = field.default.as_ref().map(|value| {
        let literal = default_literal(value, field, paths);
        quote!(const #default: #schema::Literal = #literal;)
    });
    let examples = (!field.examples.is_empty()).then(|| {
        let literals = field.examples.iter().map(|(value, _)| value.literal(schema));
        quote!(const #examples: &[#schema::Literal] = &[#(#literals),*];)
    });
    // The one place that asks for the trait, so that a type without it is reported once.
    let schema_of = at(ty, quote!(<#ty as #schema::Parameter>::SCHEMA));
    let option = (!field.optional && !field.known.is_serde())
        .then(|| at(ty, quote!(const _: () = #private::check_option(<#ty as #schema::Parameter>::OPTIONAL, #name);)));
    let items = quote! {
        const #base: #schema::Schema = #schema_of;
        #option
        #patterns
        const #constrained: #schema::Schema = #put_on;
        #default
        #examples
        #checks
    };
    with_cfg(items, cfg)
}

/// Every item of `items` under the same `#[cfg]`s.
pub(crate) fn with_cfg(items: TokenStream, cfg: &[syn::Attribute]) -> TokenStream {
    if cfg.is_empty() {
        return items;
    }
    let Ok(file) = syn::parse2::<syn::File>(items.clone()) else { return items };
    file.items.iter().map(|item| quote!(#(#cfg)* #item)).collect()
}

fn default_literal(default: &Default, field: &Field, paths: &Paths) -> TokenStream {
    let Paths { private, schema, .. } = paths;
    match default {
        Default::Value(value, _) => value.literal(schema),
        Default::Constant(path) => match field.known {
            Known::Boolean => quote!(#schema::Literal::Boolean(#path)),
            Known::Integer(_) => quote!(#schema::Literal::Integer(#path as i128)),
            _ => quote! {
                #schema::Literal::String(#schema::Text::new(#path, {
                    const QUOTED: [u8; #private::quoted_len(#path)] = #private::quoted(#path);
                    #private::text_of(&QUOTED)
                }))
            },
        },
    }
}

/// `Some(Text)` or `None`.
pub(crate) fn text(value: Option<&String>, paths: &Paths) -> TokenStream {
    let private = &paths.private;
    match value {
        Some(value) => {
            let text = json::text(value, &paths.schema);
            quote!(#private::core::option::Option::Some(#text))
        }
        None => quote!(#private::core::option::Option::None),
    }
}

/// What is said about a field, on top of `schema`.
pub(crate) fn described(field: &Field, on: TokenStream, paths: &Paths) -> TokenStream {
    let schema = &paths.schema;
    let mut out = on;
    if field.title.is_some() || field.description.is_some() {
        let (title, description) = (text(field.title.as_ref(), paths), text(field.description.as_ref(), paths));
        out = quote!(#schema::Schema::described(#out, #title, #description));
    }
    if !field.examples.is_empty() {
        let examples = field.constant("EXAMPLES");
        out = quote!(#schema::Schema::examples(#out, #examples));
    }
    if field.secret {
        out = quote!(#schema::Schema::secret(#out));
    }
    out
}

/// The `schema::Object` of these fields.
fn object(fields: &[Field], open: bool, paths: &Paths) -> TokenStream {
    let schema = &paths.schema;
    let properties = fields.iter().map(|field| {
        let Field { cfg, wire, immutable, .. } = field;
        let constrained = field.constant("SCHEMA");
        let mut full = described(field, constrained.to_token_stream(), paths);
        let mut required = !field.optional;
        if field.default.is_some() {
            let default = field.constant("DEFAULT");
            full = quote!(#schema::Schema::or(#full, #default));
            required = false;
        }
        let name = json::text(wire, schema);
        quote! {
            #(#cfg)*
            #schema::Property { name: #name, schema: #full, required: #required, immutable: #immutable }
        }
    });
    quote!(#schema::Object { properties: &[#(#properties),*], open: #open })
}

/// The schema of the whole type.
fn whole(item: &Item, paths: &Paths) -> TokenStream {
    let schema = &paths.schema;
    let kind = match &item.shape {
        Shape::Newtype(field) => {
            let inner = described(field, field.constant("SCHEMA").to_token_stream(), paths);
            let (title, description) = (text(item.title.as_ref(), paths), text(item.description.as_ref(), paths));
            return quote!(#schema::Schema::described(#inner, #title, #description));
        }
        Shape::Struct(fields) => {
            let object = object(fields, item.open, paths);
            quote!(Object(#object))
        }
        Shape::Choice(variants) => {
            let choices = variants.iter().map(|variant| {
                let (cfg, value) = (&variant.cfg, json::text(&variant.wire, schema));
                let description = text(variant.description.as_ref(), paths);
                quote!(#(#cfg)* #schema::Choice { value: #value, description: #description })
            });
            quote!(Choice(&[#(#choices),*]))
        }
        Shape::Tagged(tag, variants) => {
            let tag = json::text(tag, schema);
            let variants = variants.iter().map(|variant| {
                let (cfg, name) = (&variant.cfg, json::text(&variant.wire, schema));
                let description = text(variant.description.as_ref(), paths);
                let object = object(variant.fields.as_deref().unwrap_or_default(), item.open, paths);
                quote!(#(#cfg)* #schema::Variant { name: #name, description: #description, object: #object })
            });
            quote!(Tagged(#schema::Tagged { tag: #tag, variants: &[#(#variants),*] }))
        }
    };
    let (title, description) = (text(item.title.as_ref(), paths), text(item.description.as_ref(), paths));
    quote! {
        #schema::Schema::described(#schema::Schema::new(#schema::Kind::#kind), #title, #description)
    }
}

fn parameter(item: &Item, paths: &Paths) -> TokenStream {
    let Paths { private, schema, .. } = paths;
    let (ident, name, whole) = (&item.ident, item.name(), whole(item, paths));
    let partial = item.partial.as_ref().map_or_else(|| quote!(Self), ToTokens::to_token_stream);
    // Only what is merged property by property can lack a partial type.
    let merged = matches!(item.shape, Shape::Struct(_) | Shape::Newtype(_)) && item.partial.is_none();
    let without_partial = merged.then(|| {
        quote! {
            const WITHOUT_PARTIAL: #private::core::option::Option<&'static str> =
                #private::without_partial(&<Self as #schema::Parameter>::SCHEMA, #name);
        }
    });
    let parameters =
        matches!(item.shape, Shape::Struct(_) | Shape::Tagged(..)).then(|| parameters(ident, &name, paths));
    let bridge = json_schema(ident, &name, paths);
    quote! {
        #[automatically_derived]
        impl #schema::Parameter for #ident {
            const SCHEMA: #schema::Schema = #whole;
            #without_partial
            type Partial = #partial;
        }
        #parameters
        #bridge
    }
}

/// The document of a type that can be a plan's parameters.
pub(crate) fn parameters(ident: &Ident, name: &str, paths: &Paths) -> TokenStream {
    let schema = &paths.schema;
    let size = at(ident, quote!(const _: () = #schema::check_size(&<#ident as #schema::Parameter>::SCHEMA, #name);));
    // Beyond that, it is too large.
    let large = quote! {
        let size = <#ident as #schema::Parameters>::JSON.len();
        size > 64_000 && size <= 65_536
    };
    let large = warn_if(ident, &large, "a_schema_is_nearly_too_large", &paths.private);
    quote! {
        #[automatically_derived]
        impl #schema::Parameters for #ident {
            const JSON: &'static [u8] = &#schema::render::<{ #schema::published(&<#ident as #schema::Parameter>::SCHEMA) }>(
                &<#ident as #schema::Parameter>::SCHEMA,
            );
        }
        #size
        #large
    }
}

/// The way to `schemars`, for other users of the type.
pub(crate) fn json_schema(ident: &Ident, name: &str, paths: &Paths) -> TokenStream {
    let Paths { private, schema, .. } = paths;
    quote! {
        #[automatically_derived]
        impl #private::schemars::JsonSchema for #ident {
            fn inline_schema() -> bool { true }
            fn schema_name() -> #private::Cow<'static, str> { #private::Cow::Borrowed(#name) }
            fn json_schema(_: &mut #private::schemars::SchemaGenerator) -> #private::schemars::Schema {
                #private::schemars_schema(&<#ident as #schema::Parameter>::SCHEMA)
            }
        }
    }
}

fn credentials(item: &Item, paths: &Paths) -> TokenStream {
    let schema = &paths.schema;
    let (ident, whole) = (&item.ident, whole(item, paths));
    quote! {
        #[automatically_derived]
        impl #schema::CredentialsSchema for #ident {
            const SCHEMA: #schema::Schema = #whole;
        }
    }
}
