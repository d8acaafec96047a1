//! The expansion of an item with mistakes: it stays a parameter type without promises, so that the mistakes are the only
//! errors.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, Data, DataStruct, DeriveInput, Field, Fields, ItemStruct, Type};

use super::{
    foreign, half_typed, known,
    param::{Place, is_param},
    paths::Paths,
    refused::refuse,
};
use crate::{
    args::nearest,
    errors::Errors,
    item::{give_defaults, with_bounds},
    runtime::Runtime,
};

/// The parts of an item that its uses name.
pub(super) struct Fallback {
    pub(super) runtime: Runtime,
    pub(super) partial: Option<Ident>,
    pub(super) credentials: bool,
    /// `false` for an enum whose variants are surely objects.
    pub(super) has_texts: bool,
}

impl Fallback {
    /// `written` has the attributes that were refused, too.
    pub(super) fn expand(&self, input: &DeriveInput, written: &DeriveInput, errors: &mut Errors) -> TokenStream {
        let paths = &Paths::new(&self.runtime);
        let mut item = input.clone();
        if item.generics.lifetimes().count() == item.generics.params.len() {
            item.generics = syn::Generics::default();
        }
        give_defaults(&mut item.generics, errors);
        let derives = clean(&mut item.attrs, self.credentials);
        let own_name = item.ident.to_string();
        match &mut item.data {
            Data::Struct(data) => {
                if let (Data::Struct(written), false) = (&written.data, self.credentials) {
                    remove_update_only(&mut data.fields, &written.fields);
                }
                clean_fields(&mut data.fields, &own_name, errors);
            }
            Data::Enum(data) => {
                let is_of_objects = data.variants.iter().any(|variant| !variant.fields.is_empty());
                for variant in &mut data.variants {
                    // The compiler would refuse it too.
                    variant.discriminant.take_if(|_| is_of_objects);
                    clean(&mut variant.attrs, false);
                    clean_fields(&mut variant.fields, &own_name, errors);
                }
            }
            Data::Union(_) => {}
        }
        // No default of a field of this type, and no constraint on it, is wrong while the schema is unknown: it has an error
        // itself, or the size of the type has one.
        let schema = errors.take_as_value().unwrap_or_else(|| {
            let (anything, private) = (anything(paths), &paths.private);
            quote!({ _ = #private::core::mem::size_of::<Self>(); #anything })
        });
        let impls = implementations(&item.ident, &item.generics, &schema, paths);
        let fields: Vec<_> = match &written.data {
            Data::Struct(DataStruct { fields: Fields::Named(fields), .. }) if is_free(&item.generics) => {
                let is_carried = |field: &&Field| {
                    let ty = &field.ty;
                    is_data(ty.to_token_stream())
                        && !known::lacks_arguments(ty)
                        && !known::is_of_one_thread(ty)
                        && !known::has_no_size(ty, &own_name)
                };
                fields.named.iter().filter(is_carried).cloned().collect()
            }
            _ => Vec::new(),
        };
        let partial = self.partial_type(&item.vis, &fields, &derives, &item.generics, paths);
        let debug = self.credentials.then(|| debug(&item.ident, &item.generics, paths));
        let texts = self.has_texts.then(|| texts(&input.data, &item, paths)).flatten();
        quote!(#item #impls #debug #texts #partial)
    }

    /// Writes a struct whose fields can't be parsed. The compiler has reported that, and reports the same tokens only once.
    pub(super) fn expand_broken(&self, broken: &ItemStruct, body: TokenStream) -> TokenStream {
        let paths = Paths::new(&self.runtime);
        let ItemStruct { attrs, vis, struct_token, ident, .. } = broken;
        let mut attributes = attrs.clone();
        let derives = clean(&mut attributes, self.credentials);
        let (mut fields, unparsable) = half_typed::fields(body);
        let partial = self.partial_type(vis, &fields, &derives, &syn::Generics::default(), &paths);
        fields.retain(|field| self.credentials || !is_update_only(field));
        for field in &mut fields {
            clean(&mut field.attrs, false);
        }
        let impls = implementations(ident, &syn::Generics::default(), &anything(&paths), &paths);
        let debug = self.credentials.then(|| debug(ident, &syn::Generics::default(), &paths));
        quote!(#(#attributes)* #vis #struct_token #ident { #(#fields,)* #unparsable } #impls #debug #partial)
    }

    fn partial_type(
        &self,
        visibility: &syn::Visibility,
        fields: &[Field],
        derives: &[syn::Path],
        generics: &syn::Generics,
        paths: &Paths,
    ) -> Option<TokenStream> {
        let name = self.partial.as_ref()?;
        let generics = &without_bounds(generics);
        let mut definition = quote!(#[derive(#(#derives),*)]);
        definition.extend(partial_definition(visibility, fields, name, generics, paths));
        let impls = implementations(name, generics, &anything(paths), paths);
        Some(quote!(#definition #impls))
    }
}

/// Writes the implementations of an enum whose variants can't be parsed, and its tokens without `#[param(...)]`. The compiler has
/// reported the mistake, and reports the same tokens only once.
pub(super) fn expand_broken_enum(ident: &Ident, input: TokenStream, runtime: &Runtime) -> TokenStream {
    let paths = Paths::new(runtime);
    let impls = implementations(ident, &syn::Generics::default(), &anything(&paths), &paths);
    let input = half_typed::without_param(input);
    quote!(#input #impls)
}

/// Writes only the implementations of a type.
pub(super) fn implement(item: &DeriveInput, runtime: &Runtime) -> TokenStream {
    let paths = Paths::new(runtime);
    implementations(&item.ident, &item.generics, &anything(&paths), &paths)
}

/// Writes a `Debug` that shows nothing.
fn debug(ident: &Ident, generics: &syn::Generics, paths: &Paths) -> TokenStream {
    let private = &paths.private;
    let (generics, types, bounds) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #generics #private::fmt::Debug for #ident #types #bounds {
            fn fmt(&self, _: &mut #private::fmt::Formatter<'_>) -> #private::fmt::Result {
                #private::core::result::Result::Ok(())
            }
        }
    }
}

/// Removes the fields that only an update has. `written` are the same fields, with the attributes that were refused.
fn remove_update_only(fields: &mut Fields, written: &Fields) {
    if let Fields::Named(fields) = fields {
        let both = std::mem::take(&mut fields.named).into_iter().zip(written);
        fields.named = both.filter(|(_, written)| !is_update_only(written)).map(|(field, _)| field).collect();
    }
}

/// Removes what only this crate reads, and returns the derives that the partial type has, too.
fn clean(attributes: &mut Vec<Attribute>, own_debug: bool) -> Vec<syn::Path> {
    attributes.retain(|attribute| !is_param(attribute) && !foreign::is_foreign(attribute));
    let mut reported = Errors::default();
    foreign::derives(attributes, own_debug, &mut reported).copied
}

fn clean_fields(fields: &mut Fields, own_name: &str, errors: &mut Errors) {
    for field in fields {
        clean(&mut field.attrs, false);
        // A type that isn't data may not be `Send` or `Display` either, which is no mistake of its own.
        let is_refused = refuse(&field.ty, own_name, Place::Parameters, &mut Errors::default());
        let has_no_size = known::has_no_size(&field.ty, own_name);
        let written = with_lifetimes(field.ty.to_token_stream());
        let unknown = if is_refused && known::is_qualified(&field.ty)
            || has_no_size
            || !is_data(field.ty.to_token_stream())
            || known::lacks_arguments(&field.ty)
        {
            errors.take_as_type()
        } else if is_refused {
            errors.take_beside(&written)
        } else {
            None
        };
        field.ty = Type::Verbatim(unknown.unwrap_or(written));
    }
}

/// Returns whether the type has no trait object and no pointer in it.
fn is_data(ty: TokenStream) -> bool {
    ty.into_iter().all(|token| match token {
        TokenTree::Group(group) => is_data(group.stream()),
        other => !["dyn", "impl", "*"].contains(&&*other.to_string()),
    })
}

/// Makes all lifetimes `'static`, those of references that have none, too: references are refused already.
fn with_lifetimes(tokens: TokenStream) -> TokenStream {
    let mut written = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is = |character| matches!(&token, TokenTree::Punct(punct) if punct.as_char() == character);
        let (is_reference, is_lifetime) = (is('&'), is('\''));
        written.extend([match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), with_lifetimes(group.stream()));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            other => other,
        }]);
        if is_lifetime {
            tokens.next();
            written.extend([Ident::new("static", Span::call_site())]);
        }
        if is_reference && !matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == '\'') {
            written.extend(quote!('static));
        }
    }
    written
}

/// Returns whether types with these parameters make sense for any arguments.
fn is_free(generics: &syn::Generics) -> bool {
    generics.where_clause.is_none() && generics.type_params().all(|parameter| parameter.bounds.is_empty())
}

/// Returns the parameters for a type that uses none of their bounds, whose defaults may not satisfy them. A mistake in a default is
/// reported once, with the type itself.
fn without_bounds(generics: &syn::Generics) -> syn::Generics {
    let mut generics = generics.clone();
    generics.where_clause = None;
    for parameter in &mut generics.params {
        match parameter {
            syn::GenericParam::Type(parameter) => {
                parameter.bounds.clear();
                parameter.default = None;
            }
            syn::GenericParam::Const(parameter) => parameter.default = None,
            syn::GenericParam::Lifetime(_) => {}
        }
    }
    let mut ignored = Errors::default();
    give_defaults(&mut generics, &mut ignored);
    generics
}

/// Writes the partial type with the fields that it would probably have.
fn partial_definition(
    visibility: &syn::Visibility,
    fields: &[Field],
    name: &Ident,
    generics: &syn::Generics,
    paths: &Paths,
) -> TokenStream {
    let private = &paths.private;
    let is_first = |at: usize| !fields[..at].iter().any(|other| other.ident == fields[at].ident);
    let fields = fields.iter().enumerate().filter(|(at, field)| is_first(*at) && !is_immutable(field));
    let fields = fields.map(|(_, field)| {
        let (visibility, ident, ty) = (&field.vis, &field.ident, &field.ty);
        let cfg = field.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg"));
        let inner = known::optional(ty);
        let change = if inner.is_some() || may_have_default(field) { quote!(Change) } else { quote!(Option) };
        let ty = with_lifetimes(inner.unwrap_or(ty).to_token_stream());
        quote!(#(#cfg)* #[allow(missing_docs)] #visibility #ident: #private::#change<#ty>) // the item has an error
    });
    let (plain, arguments, _) = generics.split_for_impl();
    // The compiler would report that the struct doesn't use them.
    let types: Vec<_> = generics.type_params().map(|parameter| &parameter.ident).collect();
    let uses = (!types.is_empty()).then(|| quote!(__types: #private::core::marker::PhantomData<(#(#types,)*)>,));
    quote! {
        #[allow(missing_docs, dead_code)] // the item has an error
        #visibility struct #name #generics { #(#fields,)* #uses }
        #[automatically_derived]
        impl #plain #private::core::default::Default for #name #arguments {
            fn default() -> Self { #private::core::unreachable!() }
        }
    }
}

/// Returns the name of each argument of a field, and whether it is `false`, as far as they can be read. Those of misnamed attributes
/// are among them, and those in a `cfg_attr` or after another sign than a comma.
fn arguments(field: &Field) -> Vec<(String, bool)> {
    let lists = field.attrs.iter().filter_map(|attribute| attribute.meta.require_list().ok());
    let mut arguments = Vec::new();
    for list in lists {
        let is_conditional = list.path.is_ident("cfg_attr");
        let inner = list.tokens.clone().into_iter().filter_map(|token| match token {
            TokenTree::Group(group) => Some(group.stream()),
            _ => None,
        });
        let tokens = if is_conditional { inner.collect() } else { list.tokens.clone() };
        add_arguments(tokens, &mut arguments);
    }
    arguments
}

/// Adds the name of each argument. A word is one unless it stands in place of a value.
fn add_arguments(tokens: TokenStream, arguments: &mut Vec<(String, bool)>) {
    let mut may_be_name = true;
    for token in tokens {
        let text = token.to_string();
        match (&token, arguments.last_mut()) {
            (TokenTree::Ident(_), _) if may_be_name => arguments.push((text, false)),
            (TokenTree::Ident(_), Some((_, is_false))) => *is_false = text == "false",
            _ => {}
        }
        may_be_name = !matches!(token, TokenTree::Punct(sign) if !matches!(sign.as_char(), ',' | ';'));
    }
}

/// Returns whether an argument probably has one of the names.
fn is_meant(name: &str, meant: &[&str]) -> bool {
    meant.contains(&name) || nearest(name, meant.iter().copied()).is_some()
}

/// Returns whether an update probably can't change the field.
fn is_immutable(field: &Field) -> bool {
    arguments(field).iter().any(|(name, is_false)| !is_false && is_meant(name, &["immutable", "readonly"]))
}

/// Returns whether probably only an update has the field.
fn is_update_only(field: &Field) -> bool {
    arguments(field).iter().any(|(name, is_false)| !is_false && is_meant(name, &["update_only"]))
}

/// Returns whether the field probably has a default.
fn may_have_default(field: &Field) -> bool {
    arguments(field).iter().any(|(name, _)| is_meant(name, &["default"]))
}

/// Writes `as_str` and `Display` for an enum that is probably one of strings: other code may print it.
fn texts(written: &Data, item: &DeriveInput, paths: &Paths) -> Option<TokenStream> {
    let Data::Enum(data) = written else { return None };
    let is_named = data.variants.iter().any(|variant| matches!(variant.fields, Fields::Named(_)));
    let has_plain = data.variants.iter().any(|variant| matches!(variant.fields, Fields::Unit));
    (has_plain && !is_named).then(|| {
        let (private, visibility, ident) = (&paths.private, &item.vis, &item.ident);
        let (plain, arguments, bounds) = item.generics.split_for_impl();
        quote! {
            #[automatically_derived]
            impl #plain #ident #arguments #bounds {
                #[allow(dead_code, missing_docs)] // the item has an error
                #visibility const fn as_str(&self) -> &'static #private::core::primitive::str { "" }
            }
            #[automatically_derived]
            impl #plain #private::fmt::Display for #ident #arguments #bounds {
                fn fmt(&self, _: &mut #private::fmt::Formatter<'_>) -> #private::fmt::Result {
                    #private::core::result::Result::Ok(())
                }
            }
        }
    })
}

/// Writes the schema of an object with any properties.
fn anything(Paths { private, .. }: &Paths) -> TokenStream {
    quote!(#private::Schema::new(#private::Kind::Object(#private::Object { properties: &[], open: true })))
}

/// Implements the traits of parameters and of credentials: which of the two was meant may be the mistake.
fn implementations(ident: &Ident, generics: &syn::Generics, schema: &TokenStream, paths: &Paths) -> TokenStream {
    let private = &paths.private;
    let generics = with_bounds(generics);
    let (plain, types, bounds) = generics.split_for_impl();
    let mut with_lifetime = generics.clone();
    with_lifetime.params.insert(0, syn::parse_quote!('__de));
    let (deserialize, ..) = with_lifetime.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #plain #private::CredentialsSchema for #ident #types #bounds {
            const SCHEMA: #private::Schema = <Self as #private::Parameter>::SCHEMA;
        }
        #[automatically_derived]
        impl #plain #private::Parameter for #ident #types #bounds {
            const SCHEMA: #private::Schema = #schema;
            type Partial = #private::NoParameters;
        }
        #[automatically_derived]
        impl #plain #private::Parameters for #ident #types #bounds {
            const JSON: &'static [#private::u8] = b"{}";
            const IS_KNOWN: #private::bool = false;
        }
        #[automatically_derived]
        impl #plain #private::serde::Serialize for #ident #types #bounds {
            fn serialize<__S: #private::serde::Serializer>(
                &self,
                to: __S,
            ) -> #private::core::result::Result<__S::Ok, __S::Error> {
                #private::serde::Serializer::serialize_unit(to)
            }
        }
        #[automatically_derived]
        impl #deserialize #private::serde::Deserialize<'__de> for #ident #types #bounds {
            fn deserialize<__D: #private::serde::Deserializer<'__de>>(
                _: __D,
            ) -> #private::core::result::Result<Self, __D::Error> {
                #private::core::result::Result::Err(#private::serde::de::Error::custom("the type has an error"))
            }
        }
    }
}
