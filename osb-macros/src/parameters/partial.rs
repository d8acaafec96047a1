//! The type of an update: every property that may change, and none of them required.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;

use super::{
    debug,
    expand::{self, Paths},
    field::Field,
    item::Item,
    known::Known,
    schema,
    shape::Shape,
};
use crate::{json, spans::at};

/// Whether `null` resets the property.
fn resettable(field: &Field) -> bool {
    field.optional || field.default.is_some()
}

/// The partial type, and what is implemented for it.
pub(crate) fn expand(item: &Item, name: &Ident, paths: &Paths) -> (TokenStream, TokenStream) {
    let Shape::Struct(fields) = &item.shape else { return (TokenStream::new(), TokenStream::new()) };
    let fields: Vec<&Field> = fields.iter().filter(|field| !field.immutable).collect();
    (definition(item, name, &fields, paths), implementations(item, name, &fields, paths))
}

fn definition(item: &Item, name: &Ident, fields: &[&Field], paths: &Paths) -> TokenStream {
    let Paths { private, schema, serde } = paths;
    let (visibility, derives) = (&item.visibility, &item.derives.copied);
    let doc = format!(" What an update may change of [`{}`]: what is absent keeps its value.", item.name());
    let attributes = item.attributes.iter().filter(|attribute| is_carried(attribute));
    let closed = (!item.open).then(|| quote!(deny_unknown_fields,));
    let fields = fields.iter().map(|field| {
        let Field { ident, visibility, wire, aliases, .. } = *field;
        let attributes = field.attributes.iter().filter(|attribute| is_carried(attribute));
        let inner = changed_type(field, paths);
        let (ty, skip) = if resettable(field) {
            (quote!(#schema::Change<#inner>), quote!(#schema::Change::is_keep))
        } else {
            (quote!(#private::core::option::Option<#inner>), quote!(#private::core::option::Option::is_none))
        };
        let skip = expand::string(&skip);
        quote!(#(#attributes)* #[serde(rename = #wire #(, alias = #aliases)*, default, skip_serializing_if = #skip)] #visibility #ident: #ty)
    });
    quote! {
        #[doc = #doc]
        #[allow(missing_docs)] // what lacks them is reported on the type itself
        #(#attributes)*
        #[derive(
            #private::core::default::Default, #private::serde::Serialize, #private::serde::Deserialize, #(#derives),*
        )]
        #[serde(crate = #serde, #closed)]
        #visibility struct #name { #(#fields,)* }
    }
}

/// The attributes that mean the same on the partial type.
fn is_carried(attribute: &syn::Attribute) -> bool {
    ["doc", "cfg", "allow", "expect", "deprecated"].iter().any(|name| attribute.path().is_ident(name))
}

/// The type of a new value. Where it is the type itself, it is written so: that is what documentation shows.
fn changed_type(field: &Field, paths: &Paths) -> TokenStream {
    let (inner, schema) = (field.inner(), &paths.schema);
    match field.known {
        Known::Boolean | Known::Integer(_) | Known::Float | Known::String | Known::Char | Known::Address(_)
            if !inner.to_token_stream().to_string().contains('<') =>
        {
            inner.to_token_stream()
        }
        _ => at(&field.ty, quote!(<#inner as #schema::Parameter>::Partial)),
    }
}

fn implementations(item: &Item, name: &Ident, fields: &[&Field], paths: &Paths) -> TokenStream {
    let Paths { private, schema, .. } = paths;
    let properties = fields.iter().map(|field| {
        let (cfg, wire, aliases) = (&field.cfg, json::text(&field.wire, schema), &field.aliases);
        let constrained = field.constant("PARTIAL_SCHEMA");
        let described = schema::described(field, constrained.to_token_stream(), paths);
        let nullable = resettable(field);
        quote! {
            #(#cfg)*
            #schema::Property {
                name: #wire,
                aliases: &[#(#aliases),*],
                schema: #schema::Schema::for_update(#described, #nullable),
                required: false,
                immutable: false,
            }
        }
    });
    let constants: TokenStream = fields
        .iter()
        .map(|field| {
            let (base, constrained) = (field.constant("PARTIAL_BASE"), field.constant("PARTIAL_SCHEMA"));
            let inner = changed_type(field, paths);
            let ty = &field.ty;
            let put_on = field.constraints.put_on(&base.to_token_stream(), &field.constant("PATTERN"), schema, private);
            let check =
                at(ty, quote!(const _: () = #private::check_partial(<#ty as #schema::Parameter>::WITHOUT_PARTIAL);));
            let schema_of = at(ty, quote!(<#inner as #schema::Parameter>::SCHEMA));
            let items = quote! {
                const #base: #schema::Schema = #schema_of;
                const #constrained: #schema::Schema = #put_on;
                #check
            };
            schema::with_cfg(items, &field.cfg)
        })
        .collect();
    let (title, description) =
        (schema::text(item.title.as_ref(), paths), schema::text(item.description.as_ref(), paths));
    let (open, name_text) = (item.open, name.unraw().to_string());
    let parameters = schema::parameters(name, &name_text, paths);
    let bridge = schema::json_schema(name, &name_text, paths);
    let debug = debug::of_partial(item, fields, name, paths);
    quote! {
        #constants
        #[automatically_derived]
        impl #schema::Parameter for #name {
            const SCHEMA: #schema::Schema = #schema::Schema::described(
                #schema::Schema::new(#schema::Kind::Object(#schema::Object {
                    properties: &[#(#properties),*],
                    open: #open,
                })),
                #title,
                #description,
            );
            type Partial = Self;
        }
        #parameters
        #bridge
        #debug
    }
}
