//! The schema of a type under `#[parameters]` or `#[credentials]`, as constants, and the checks of its fields.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};
use syn::{Type, ext::IdentExt};

use super::{
    field::{Constant, DefaultValue, Field},
    item::Item,
    paths::Paths,
    shape::Shape,
    standard::{Standard, check_named},
};
use crate::{
    args::{Text, constant, whole_number},
    code::{self, warn_if},
    json,
    spans::{preserve_spans, respan},
};

/// Writes the constants of a type's fields.
pub(super) fn constants(item: &Item, standard: Option<&Standard<'_>>, p: &TokenStream) -> TokenStream {
    let fields = item.shape.fields();
    if is_named(item, standard) {
        let constants = fields.iter().map(|field| named_constants(field, p));
        let checks: Vec<_> = fields.iter().filter_map(|field| named_check(field, item, p)).collect();
        // The macro has made the checks if the types are those that it took them for.
        let checks = (!checks.is_empty()).then(|| quote!(const _: () = if !__STANDARD { #(#checks;)* };));
        return constants.chain(checks).collect();
    }
    let of_create = fields.into_iter().map(|field| (field, standard));
    // The standard types are those of the fields that a creation has.
    let all = of_create.chain(item.update_only.iter().map(|field| (field, None)));
    all.map(|(field, standard)| field_constants(field, item, standard, p)).collect()
}

/// Returns whether the macro has validated all fields by the names of their types, and only the schema of the whole type mentions their
/// properties, which then need no constants.
fn is_named(item: &Item, standard: Option<&Standard<'_>>) -> bool {
    standard.is_some() && item.partial.is_none() && item.shape.fields().iter().all(|field| has_named_check(field))
}

/// Returns whether all checks of a field can be one call.
fn has_named_check(field: &Field) -> bool {
    field.examples.is_empty() && field.constraints.items.is_none()
}

fn named_check(field: &Field, item: &Item, p: &TokenStream) -> Option<TokenStream> {
    check_named(field, &of_type(field, item, p), &quoted_name(field), p)
}

/// Writes the rules and the default of a field, each a constant.
fn named_constants(field: &Field, p: &TokenStream) -> TokenStream {
    let rules = field.constraints.constants(&field.names(), p);
    let default = field.default.as_ref().map(|default| default_constant(field, default, p));
    quote!(#rules #default)
}

fn default_constant(field: &Field, default: &DefaultValue, p: &TokenStream) -> TokenStream {
    let (constant, literal) = (field.constant("DEFAULT"), default_literal(default, p));
    quote!(const #constant: &#p::Literal = &#literal;)
}

/// Writes the schema and the property of one field, each a constant, and the checks.
fn field_constants(field: &Field, item: &Item, standard: Option<&Standard<'_>>, p: &TokenStream) -> TokenStream {
    if is_inline(field, item) {
        return TokenStream::new();
    }
    let (names, name) = (field.names(), quoted_name(field));
    let schema = &names.schema;
    let rules = field.constraints.constants(&names, p);
    let (schemas, with_rules) = field.constraints.schemas(&names, &of_type(field, item, p), &quote!(with), p);
    // A constant costs the compiler more than its computation does, so all checks share one.
    let mut checks = field.constraints.checks(&names, &name, p);
    let default = field.default.as_ref().map(|default| {
        let constant = field.constant("DEFAULT").to_token_stream();
        checks.push(check_literal(default, schema, "the default", &name, &constant, p));
        default_constant(field, default, p)
    });
    let examples = (!field.examples.is_empty()).then(|| {
        let constant = field.constant("EXAMPLES");
        let literals = field.examples.iter().enumerate().map(|(index, example)| {
            // At the span of `0.25`, clippy would take it for an octal number.
            let index = preserve_spans(&Literal::usize_suffixed(index));
            checks.push(check_literal(&example.1, schema, "the example", &name, &quote!(&#constant[#index]), p));
            example.0.literal(p)
        });
        let literals: Vec<_> = literals.collect();
        quote!(const #constant: &[#p::Literal] = &[#(#literals),*];)
    });
    let whole = if field.ident.is_some() {
        let (constant, property) = (field.constant("PROPERTY"), property(field, &with_rules, p));
        quote!(const #constant: &#p::Property = &#property;)
    } else {
        quote!(const #schema: &#p::Schema = &#with_rules;)
    };
    if standard.is_some() && has_named_check(field) {
        checks = named_check(field, item, p).into_iter().collect();
    }
    let condition = standard.map(|_| quote!(if !__STANDARD));
    let checks = (!checks.is_empty()).then(|| quote!(const _: () = #condition { #(#checks;)* };));
    with_cfg(quote!(#rules #schemas #default #examples #whole #checks), &field.cfg)
}

/// Returns whether only the schema of the whole type mentions the property of a field, which then needs no constant.
fn is_inline(field: &Field, item: &Item) -> bool {
    let is_checked = !field.constraints.is_empty() || field.default.is_some() || !field.examples.is_empty();
    field.ident.is_some() && !item.is_in_partial(field) && !is_checked
}

/// Returns the name of a field for messages.
fn quoted_name(field: &Field) -> String {
    field.ident.as_ref().map_or_else(|| "the value".to_owned(), |ident| format!("`{}`", ident.unraw()))
}

/// Writes the schema of a field's type.
fn of_type(field: &Field, item: &Item, p: &TokenStream) -> TokenStream {
    let (ty, of) = (&field.ty, preserve_spans(&field.ty));
    if field.known.is_serde() {
        respan(ty, quote!(<#of as #p::ParameterTrait>::SCHEMA))
    } else if item.is_in_partial(field) {
        checked(ty, field, item, p, &quote!(SCHEMA))
    } else {
        let (must_be_present, name) = (!field.optional, quoted_name(field));
        // The compiler points at the argument if the types contain each other.
        let schema = preserve_spans(&respan(ty, quote!(<#of as #p::ParameterTrait>::SCHEMA)));
        respan(ty, quote!(#p::schema_of::<#of>(#schema, #must_be_present, #name)))
    }
}

/// Writes an associated item of `ty`, the type of `field` or the one in its `Option`. If that is no type for parameters, only
/// the constant `IS_PARAMETER` says so.
pub(super) fn checked(ty: &Type, field: &Field, item: &Item, p: &TokenStream, what: &TokenStream) -> TokenStream {
    let (name, constant, ty) = (&item.ident, field.constant("IS_PARAMETER"), preserve_spans(ty));
    respan(&field.ty, quote!(<#ty as #p::Changed<{ #name::#constant }>>::#what))
}

fn check_literal(
    place: &impl ToTokens,
    schema: &TokenStream,
    what: &str,
    name: &str,
    literal: &TokenStream,
    p: &TokenStream,
) -> TokenStream {
    respan(place, quote!(#p::check_literal(#schema, #what, #name, #literal)))
}

/// Puts every item of `items` under the same `#[cfg]`s.
pub(super) fn with_cfg(items: TokenStream, cfg: &[syn::Attribute]) -> TokenStream {
    if cfg.is_empty() {
        return items;
    }
    let Ok(file) = syn::parse2::<syn::File>(items.clone()) else { return items };
    file.items.iter().map(|item| quote!(#(#cfg)* #item)).collect()
}

fn default_literal(default: &DefaultValue, p: &TokenStream) -> TokenStream {
    match default {
        DefaultValue::Value { value, .. } => value.literal(p),
        DefaultValue::Constant(Constant::Boolean, path) => {
            let value = constant(path, "constant_flag", p);
            quote!(#p::Literal::Boolean(#value))
        }
        DefaultValue::Constant(Constant::Integer, path) => {
            let value = whole_number(path, p);
            quote!(#p::Literal::Integer(#value as #p::i128))
        }
        DefaultValue::Constant(Constant::String, path) => {
            let value = constant(path, "constant_text", p);
            quote! {{
                const __TEXT: &#p::str = #value;
                #p::Literal::String(#p::Text::new(__TEXT, {
                    const __QUOTED: [#p::u8; #p::quoted_len(__TEXT)] = #p::quoted(__TEXT);
                    #p::text_of(&__QUOTED)
                }))
            }}
        }
    }
}

/// Writes `Some(Text)` or `None`.
fn text(value: Option<&String>, p: &TokenStream) -> TokenStream {
    code::option(value.map(|value| json::text(value, p)), p)
}

/// Adds a title and a description to an expression that is a schema.
fn titled(schema: TokenStream, title: Option<&String>, description: Option<&String>, p: &TokenStream) -> TokenStream {
    if title.is_none() && description.is_none() {
        return schema;
    }
    let (title, description) = (text(title, p), text(description, p));
    quote!(#schema.described(#title, #description))
}

/// Adds the title, description, examples and secrecy of a field to an expression that is a schema.
fn described(field: &Field, schema: TokenStream, p: &TokenStream) -> TokenStream {
    let mut out = titled(schema, field.title.as_ref(), field.description.as_ref(), p);
    if !field.examples.is_empty() {
        let examples = field.constant("EXAMPLES");
        out.extend(quote!(.examples(#examples)));
    }
    if field.secret {
        out.extend(quote!(.secret()));
    }
    out
}

/// Writes the property of a field.
fn property(field: &Field, schema: &TokenStream, p: &TokenStream) -> TokenStream {
    let Field { wire, aliases, .. } = field;
    let (name, schema) = (json::text(wire, p), described(field, schema.clone(), p));
    let mut out = quote!(#p::Property::of(#name, #schema));
    if field.default.is_some() {
        let default = field.constant("DEFAULT");
        out.extend(quote!(.or(*#default)));
    } else if field.optional {
        out.extend(quote!(.optional()));
    }
    if !aliases.is_empty() {
        out.extend(quote!(.aliases(&[#(#aliases),*])));
    }
    if field.immutable.is_some() {
        out.extend(quote!(.immutable()));
    }
    if field.update_only.is_some() {
        out.extend(quote!(.update_only()));
    }
    out
}

/// Writes the `schema::Object` of these fields.
fn object(item: &Item, fields: &[Field], constants: &[(&str, Text)], is_named: bool, p: &TokenStream) -> TokenStream {
    let open = item.open;
    let constants = constants.iter().map(|(name, value)| {
        let [name, value] = [*name, &value.value()].map(|text| json::text(text, p));
        let choices = quote!(&[#p::Choice { value: #value, description: #p::None }]);
        quote!(#p::Property::of(#name, #p::Schema::new(#p::Kind::Choice(#choices))))
    });
    let properties = fields.iter().map(|field| {
        let cfg = &field.cfg;
        let property = if is_named || is_inline(field, item) {
            let (of_type, rules) = (of_type(field, item, p), field.names().rules);
            let with_rules = (!field.constraints.is_empty()).then(|| quote!(.with(#rules)));
            property(field, &quote!(#of_type #with_rules), p)
        } else {
            let property = field.constant("PROPERTY");
            quote!(*#property)
        };
        quote!(#(#cfg)* #property)
    });
    let properties: Vec<_> = constants.chain(properties).collect();
    let has_cfg = fields.iter().any(|field| !field.cfg.is_empty());
    let properties = list(&quote!(#p::Property), &properties, has_cfg);
    quote!(#p::Object { properties: #properties, open: #open })
}

/// Writes a list of properties or variants, some of which may have a `cfg`.
///
/// The compiler validates each constant with all that it refers to, but a static without other statics. So a list in a static is not
/// validated again wherever the schema, its plan, the service or the broker is part of a static.
///
/// Where types contain each other, the compiler's message has only the name of the static to say so.
pub(super) fn list(of: &TokenStream, elements: &[TokenStream], has_cfg: bool) -> TokenStream {
    if has_cfg {
        // Only the compiler knows how many there are.
        return quote!({ const __LIST_WITHOUT_RECURSION: &[#of] = &[#(#elements),*]; __LIST_WITHOUT_RECURSION });
    }
    let count = elements.len();
    quote!({ static __LIST_WITHOUT_RECURSION: [#of; #count] = [#(#elements),*]; &__LIST_WITHOUT_RECURSION })
}

/// Writes the schema of the whole type.
fn whole(item: &Item, is_named: bool, p: &TokenStream) -> TokenStream {
    let schema = match &item.shape {
        Shape::Newtype(field) => {
            let schema = field.names().schema;
            described(field, quote!((*#schema)), p)
        }
        Shape::Struct(fields) => {
            let object = object(item, fields, &item.constants, is_named, p);
            quote!(#p::Schema::new(#p::Kind::Object(#object)))
        }
        Shape::Choice(variants) => {
            let choices = variants.iter().map(|variant| {
                let (cfg, value) = (&variant.cfg, json::text(&variant.wire, p));
                let description = text(variant.description.as_ref(), p);
                quote!(#(#cfg)* #p::Choice { value: #value, description: #description })
            });
            quote!(#p::Schema::new(#p::Kind::Choice(&[#(#choices),*])))
        }
        Shape::Tagged(tag, variants) => {
            let tag = json::text(tag, p);
            let has_cfg = variants.iter().any(|variant| !variant.cfg.is_empty());
            let variants = variants.iter().map(|variant| {
                let (cfg, name) = (&variant.cfg, json::text(&variant.wire, p));
                let description = text(variant.description.as_ref(), p);
                let object = object(item, variant.fields.as_deref().unwrap_or_default(), &[], false, p);
                quote!(#(#cfg)* #p::Variant { name: #name, description: #description, object: #object })
            });
            let variants = list(&quote!(#p::Variant), &variants.collect::<Vec<_>>(), has_cfg);
            quote!(#p::Schema::new(#p::Kind::Tagged(#p::Tagged { tag: #tag, variants: #variants })))
        }
    };
    titled(schema, item.title.as_ref(), item.description.as_ref(), p)
}

/// Writes a check for each field or variant that has the name of an earlier one on the wire. Both have a `cfg` then, or one
/// of them has, and the compiler knows whether they apply.
pub(super) fn distinct(item: &Item, p: &TokenStream) -> TokenStream {
    type Named<'a> = (Option<&'a Ident>, &'a str, &'a [syn::Attribute]);
    let check = |what: &str, all: Vec<Named<'_>>| -> TokenStream {
        let checks = all.iter().enumerate().filter_map(|(at, (ident, wire, cfg))| {
            // The compiler reports two fields of one name itself.
            let others = all[..at].iter().filter(|(other, name, _)| name == wire && other != ident);
            let others: Vec<_> = others.map(|(_, _, cfg)| quote!(#(#cfg)* #wire)).collect();
            (!others.is_empty()).then(|| {
                let check = code::check(ident, quote!(#p::check_distinct(&[#(#others),*], #what)));
                quote!(#(#cfg)* #check)
            })
        });
        checks.collect()
    };
    let of_fields = |fields: &[Field]| {
        check("field", fields.iter().map(|one| (one.ident.as_ref(), &*one.wire, &*one.cfg)).collect())
    };
    match &item.shape {
        Shape::Struct(fields) => of_fields(fields),
        Shape::Newtype(_) => TokenStream::new(),
        Shape::Choice(variants) | Shape::Tagged(_, variants) => {
            let named = variants.iter().map(|one| (Some(&one.ident), &*one.wire, &*one.cfg)).collect();
            let fields = variants.iter().filter_map(|variant| variant.fields.as_deref()).map(of_fields);
            std::iter::once(check("variant", named)).chain(fields).collect()
        }
    }
}

pub(super) fn parameter(item: &Item, standard: Option<&Standard<'_>>, paths: &Paths) -> TokenStream {
    let p = &paths.p;
    let (ident, name, whole) = (&item.ident, item.name(), whole(item, is_named(item, standard), p));
    let partial = item.partial.as_ref().map_or_else(|| quote!(Self), ToTokens::to_token_stream);
    // Only a type that is merged property by property can lack a partial type.
    let message = match &item.shape {
        Shape::Struct(_) if item.partial.is_none() => Some(format!(
            "`{name}` has properties that may be absent or are `immutable`, but no partial type to change the others one by one; \
             help: write `#[parameters(partial = {name}Changes)]` on it"
        )),
        Shape::Newtype(_) => Some(format!(
            "an update changes the entries or properties of `{name}` one by one, and a newtype as a whole; help: write the type \
             inside `{name}` here, the map or struct itself"
        )),
        _ => None,
    };
    let without_partial = message.map(|message| {
        quote! {
            const WITHOUT_PARTIAL: #p::Option<&'static #p::str> =
                #p::without_partial(&<Self as #p::Parameter>::SCHEMA, #message);
        }
    });
    let is_parameters = matches!(item.shape, Shape::Struct(_) | Shape::Tagged(..));
    let is_standard = standard.map(|standard| standard.constant(p));
    let parameters = is_parameters.then(|| parameters(ident, &name, standard, &TokenStream::new(), p));
    let bridge = json_schema(ident, &name, p);
    quote! {
        #is_standard
        #[automatically_derived]
        impl #p::Parameter for #ident {
            const SCHEMA: #p::Schema = #whole;
            #without_partial
            type Partial = #partial;
        }
        #parameters
        #bridge
    }
}

/// Writes the document of a type as an expression that const evaluation computes.
fn rendered(ident: &Ident, p: &TokenStream) -> TokenStream {
    quote! {{
        const __DRAFT: #p::Draft = #p::Draft::of(&<#ident as #p::Parameter>::SCHEMA);
        &#p::render::<{ __DRAFT.size() }>(&__DRAFT, &<#ident as #p::Parameter>::SCHEMA)
    }}
}

/// Writes the implementation of a type that can be a plan's parameters, with its document, and the constant that `is_known` is.
pub(super) fn parameters(
    ident: &Ident,
    name: &str,
    standard: Option<&Standard<'_>>,
    is_known: &TokenStream,
    p: &TokenStream,
) -> TokenStream {
    let document = match standard {
        Some(standard) => {
            let json = Literal::byte_string(standard.json.as_bytes());
            quote!(if __STANDARD { #json } else { #p::document_of::<#ident>() })
        }
        None => rendered(ident, p),
    };
    let size = respan(ident, quote!(#p::check_size(<#ident as #p::ParametersTrait>::JSON, #name)));
    let large = quote!(#size; #p::nearly_too_large(<#ident as #p::ParametersTrait>::JSON));
    let is_small = standard.is_some_and(Standard::is_small);
    let large = if is_small { quote!(!__STANDARD && { #large }) } else { large };
    let large = warn_if(ident, &large, "a_schema_is_nearly_too_large", p);
    quote! {
        #[automatically_derived]
        impl #p::Parameters for #ident {
            const JSON: &'static [#p::u8] = #document;
            #is_known
        }
        #large
    }
}

/// Writes the implementation of `schemars::JsonSchema`, for other users of the type.
pub(super) fn json_schema(ident: &Ident, name: &str, p: &TokenStream) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl #p::schemars::JsonSchema for #ident {
            fn inline_schema() -> #p::bool { true }
            fn schema_name() -> #p::Cow<'static, #p::str> { #p::Cow::Borrowed(#name) }
            fn json_schema(_: &mut #p::schemars::SchemaGenerator) -> #p::schemars::Schema {
                #p::schemars_schema(&<#ident as #p::Parameter>::SCHEMA)
            }
        }
    }
}

pub(super) fn credentials(item: &Item, paths: &Paths) -> TokenStream {
    let p = &paths.p;
    let (ident, whole) = (&item.ident, whole(item, false, p));
    let constants = (!item.constants.is_empty()).then(|| {
        let pairs = item.constants.iter().map(|(name, value)| quote!((#name, #value)));
        quote!(const CONSTANTS: &'static [(&'static #p::str, &'static #p::str)] = &[#(#pairs),*];)
    });
    quote! {
        #[automatically_derived]
        impl #p::CredentialsSchema for #ident {
            const SCHEMA: #p::Schema = #whole;
            #constants
        }
    }
}
