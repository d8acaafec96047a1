//! The schema of a type under `#[parameters]` or `#[credentials]`, as constants, and the checks of what was written on
//! its fields.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;

use super::{
    expand::Paths,
    field::{Default, Field},
    item::Item,
    known::Known,
    shape::Shape,
};
use crate::{item::warn_if, json, spans::at};

/// The schema of one field in steps, each a constant, and the checks of what was written on it.
pub(super) fn constants(field: &Field, paths: &Paths) -> TokenStream {
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
        let Field { cfg, wire, aliases, immutable, .. } = field;
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
            #schema::Property {
                name: #name,
                aliases: &[#(#aliases),*],
                schema: #full,
                required: #required,
                immutable: #immutable,
            }
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

pub(super) fn parameter(item: &Item, paths: &Paths) -> TokenStream {
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

pub(super) fn credentials(item: &Item, paths: &Paths) -> TokenStream {
    let schema = &paths.schema;
    let (ident, whole) = (&item.ident, whole(item, paths));
    quote! {
        #[automatically_derived]
        impl #schema::CredentialsSchema for #ident {
            const SCHEMA: #schema::Schema = #whole;
        }
    }
}
