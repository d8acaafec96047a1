//! The type of an update: every property that may change, and none of them required.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;

use super::{
    debug, field::Field, item::Item, known::Known, paths::Paths, read, rules::Names, schema, shape::Shape, write,
};
use crate::{
    code::check,
    json,
    spans::{preserve_spans, respan},
};

/// The description of its schema, as that of the item is about creation.
const DESCRIPTION: &str = "The parameters to change; the others keep their values.";

/// Returns whether `null` resets the property.
fn resettable(field: &Field) -> bool {
    field.optional || field.default.is_some()
}

/// Writes the partial type, and its implementations.
pub(super) fn expand(item: &Item, name: &Ident, paths: &Paths) -> (TokenStream, TokenStream) {
    let Shape::Struct(fields) = &item.shape else { return (TokenStream::new(), TokenStream::new()) };
    let fields: Vec<&Field> =
        fields.iter().chain(&item.update_only).filter(|field| item.is_in_partial(field)).collect();
    (definition(item, name, &fields, paths), implementations(item, name, &fields, paths))
}

fn definition(item: &Item, name: &Ident, fields: &[&Field], paths: &Paths) -> TokenStream {
    let private = &paths.private;
    let (visibility, derives) = (&item.visibility, &item.derives.copied);
    let doc = format!(" What an update may change of [`{}`]: what is absent keeps its value.", item.name());
    let attributes = item.attributes.iter().filter(|attribute| is_carried(attribute));
    let fields = fields.iter().map(|field| {
        let Field { ident, visibility, .. } = *field;
        let attributes = field.attributes.iter().filter(|attribute| is_carried(attribute));
        let inner = changed_type(field, item, private);
        let change = if resettable(field) { quote!(Change) } else { quote!(Option) };
        quote!(#(#attributes)* #visibility #ident: #private::#change<#inner>)
    });
    quote! {
        #[doc = #doc]
        #[allow(missing_docs)] // what lacks them is reported on the type itself
        #(#attributes)*
        #[derive(#private::core::default::Default, #(#derives),*)]
        #visibility struct #name<> { #(#fields,)* }
    }
}

/// The attributes that mean the same on the partial type.
fn is_carried(attribute: &syn::Attribute) -> bool {
    ["doc", "cfg", "allow", "expect", "deprecated"].iter().any(|name| attribute.path().is_ident(name))
}

/// Writes the type of a new value. Where that is surely the type itself, documentation shows it so.
fn changed_type(field: &Field, item: &Item, p: &TokenStream) -> TokenStream {
    let inner = field.inner();
    let known = Known::of(inner);
    // A value that is not stored is not merged into another one.
    let is_whole = field.update_only.is_some();
    if known.is_scalar() || is_whole && known.is_serde() {
        inner.to_token_stream()
    } else if known.is_serde() {
        let of = preserve_spans(inner);
        respan(&field.ty, quote!(<#of as #p::ParameterTrait>::Partial))
    } else {
        schema::checked(inner, field, item, p, &if is_whole { quote!(Whole) } else { quote!(Partial) })
    }
}

fn implementations(item: &Item, name: &Ident, fields: &[&Field], paths: &Paths) -> TokenStream {
    let p = &paths.p;
    let properties = fields.iter().map(|field| {
        let (cfg, property) = (&field.cfg, field.constant("CHANGE"));
        quote!(#(#cfg)* #property)
    });
    let has_cfg = fields.iter().any(|field| !field.cfg.is_empty());
    let properties = schema::list(&quote!(#p::Property), &properties.collect::<Vec<_>>(), has_cfg);
    let constants = fields.iter().map(|field| constants(field, item, p));
    let (open, description) = (item.open, json::text(DESCRIPTION, p));
    let whole = quote! {
        #p::Schema::new(#p::Kind::Object(#p::Object { properties: #properties, open: #open }))
            .described(#p::None, #p::Some(#description))
    };
    let name_text = name.unraw().to_string();
    let parameters = schema::parameters(name, &name_text, None, &is_known(item, fields, p), p);
    let bridge = schema::json_schema(name, &name_text, p);
    let debug = debug::of_partial(item, fields, name, p);
    let (deserialize, serialize) = (read::partial(item, name, fields, p), write::partial(name, fields, p));
    quote! {
        #(#constants)*
        #deserialize
        #serialize
        #[automatically_derived]
        impl #p::Parameter for #name {
            const SCHEMA: #p::Schema = #whole;
            type Partial = Self;
        }
        #parameters
        #bridge
        #debug
    }
}

/// Writes `IS_KNOWN`: `false` if a field lacks a partial type, which is the only mistake then.
fn is_known(item: &Item, fields: &[&Field], p: &TokenStream) -> TokenStream {
    let merged = fields.iter().filter(|field| field.update_only.is_none());
    let nested = merged.filter(|field| !field.known.is_serde()).map(|field| {
        let (cfg, without) = (&field.cfg, checked_constant("WITHOUT_PARTIAL", field, item, p));
        quote!(#(#cfg)* { is_known = is_known && #without.is_none(); })
    });
    let nested: Vec<_> = nested.collect();
    if nested.is_empty() {
        return TokenStream::new();
    }
    quote! {
        const IS_KNOWN: #p::bool = { let mut is_known = true; #(#nested)* is_known };
    }
}

/// Writes an associated constant of a field's type; see [`schema::checked`].
fn checked_constant(name: &str, field: &Field, item: &Item, p: &TokenStream) -> TokenStream {
    schema::checked(&field.ty, field, item, p, &Ident::new(name, Span::call_site()).to_token_stream())
}

/// Writes the property of an update. Its rules and its description are those of the property that it changes.
fn constants(field: &Field, item: &Item, p: &TokenStream) -> TokenStream {
    let (ty, inner, nullable) = (&field.ty, changed_type(field, item, p), resettable(field));
    let [base, property, change] = ["NEW_BASE", "PROPERTY", "CHANGE"].map(|name| field.constant(name));
    let names = Names { base, ..field.names() };
    let of_inner = preserve_spans(&inner);
    let of_type = respan(ty, quote!(<#of_inner as #p::ParameterTrait>::SCHEMA));
    let (schemas, schema) = field.constraints.schemas(&names, &of_type, &quote!(with_changed), p);
    let check = (!field.known.is_serde()).then(|| {
        let (of_item, constant) = (&item.ident, field.constant("IS_PARAMETER"));
        let [optional, holds_optional, without] = ["OPTIONAL", "HOLDS_OPTIONAL", "WITHOUT_PARTIAL"]
            .map(|name| preserve_spans(&checked_constant(name, field, item, p)));
        let without = if field.update_only.is_some() { preserve_spans(&quote!(#p::None)) } else { without };
        let (must_be_present, name) = (!field.optional, format!("`{}`", field.name()));
        let check =
            check(ty, quote!(#p::check_partial(#must_be_present && #optional, #holds_optional, #without, #name)));
        let of = preserve_spans(ty);
        let value = respan(ty, quote!(#p::is_parameter::<#of>()));
        quote! {
            impl #of_item { const #constant: #p::bool = #value; }
            #check
        }
    });
    let items = quote! {
        #schemas
        const #change: #p::Property = #property.for_update(#schema, #nullable);
        #check
    };
    schema::with_cfg(items, &field.cfg)
}
