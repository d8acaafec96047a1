//! The item, as the author wrote it.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{Attribute, Data, DeriveInput, ext::IdentExt};

use super::{
    case::Case,
    field,
    foreign::{self, Derives},
    shape::{Shape, shape},
};
use crate::{
    args::{Arguments, Text, TypeName},
    doc::Doc,
    errors::Errors,
    runtime::Runtime,
};

/// A type under `#[parameters]` or `#[credentials]`, read.
pub(crate) struct Item {
    pub(crate) runtime: Runtime,
    pub(crate) ident: Ident,
    pub(crate) visibility: syn::Visibility,
    /// `struct` or `enum`, where the author wrote it.
    pub(crate) keyword: TokenStream,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) derives: Derives,
    pub(crate) shape: Shape,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) open: bool,
    pub(crate) partial: Option<Ident>,
    pub(crate) credentials: bool,
}

/// The words about names, which the shape is read by.
pub(super) struct Words {
    pub(super) rename_all: Case,
    pub(super) rename_all_fields: Case,
    pub(super) tag: Option<Text>,
}

impl Item {
    pub(crate) fn read(
        args: TokenStream,
        input: &DeriveInput,
        credentials: bool,
        errors: &mut Errors,
    ) -> (Runtime, Option<Ident>, Option<Self>) {
        let whose = if credentials { "`#[credentials]`" } else { "`#[parameters]`" };
        let mut args = Arguments::parse(args, errors);
        let runtime = Runtime::from_args(&mut args, errors);
        let title = args.get::<Text>("title", errors).map(|text| text.value());
        let description = args.get::<Text>("description", errors).map(|text| text.value());
        let rename_all = args.get("rename_all", errors).unwrap_or_default();
        let mut words = Words { rename_all, rename_all_fields: Case::AsIs, tag: None };
        let (mut open, mut partial) = (false, None);
        if !credentials {
            words.rename_all_fields = args.get("rename_all_fields", errors).unwrap_or_default();
            words.tag = args.get("tag", errors);
            open = args.flag("open", errors).unwrap_or(false);
            partial = args.get::<TypeName>("partial", errors).and_then(|TypeName(ty)| {
                match syn::parse2(quote::quote!(#ty)) {
                    Ok(ident) => Some(ident),
                    Err(_) => {
                        errors.help(
                            ty,
                            "`partial` gives the new type its name",
                            "write a plain name: `partial = Changes`",
                        );
                        None
                    }
                }
            });
        }
        args.no_members(whose, errors);
        args.finish(whose, hints(credentials), errors);

        let mut attributes = input.attrs.clone();
        foreign::refuse(&attributes, errors);
        attributes.retain(|attribute| !field::is_foreign(attribute));
        if let Some(attribute) = attributes.iter().find(|attribute| attribute.path().is_ident("param")) {
            errors.help(
                attribute,
                "`#[param]` belongs on a field",
                format_args!("arguments for the whole type go into {whose}"),
            );
        }
        attributes.retain(|attribute| !attribute.path().is_ident("param"));
        generics(input, whose, errors);
        let doc = Doc::of(&attributes);
        if let (None, Some(part)) = (&description, &doc.unreadable) {
            errors.help(
                part,
                "this part of the description is known only after the macro",
                "write `description = \"...\"`",
            );
        }
        let shape = shape(input, &words, open, partial.as_ref(), credentials, errors);
        let own_debug = credentials || shape.as_ref().is_some_and(Shape::has_secrets);
        let derives = foreign::derives(&mut attributes, own_debug, errors);
        let item = shape.map(|shape| Self {
            runtime: runtime.clone(),
            ident: input.ident.clone(),
            visibility: input.vis.clone(),
            keyword: match &input.data {
                Data::Struct(data) => data.struct_token.to_token_stream(),
                Data::Enum(data) => data.enum_token.to_token_stream(),
                Data::Union(data) => data.union_token.to_token_stream(),
            },
            attributes,
            derives,
            shape,
            title,
            description: description.or_else(|| doc.text()),
            open,
            partial: partial.clone(),
            credentials,
        });
        (runtime, partial, item)
    }

    pub(crate) fn name(&self) -> String {
        self.ident.unraw().to_string()
    }
}

fn hints(credentials: bool) -> &'static [(&'static str, &'static str)] {
    if credentials {
        &[
            ("partial", "credentials are not updated: a new binding has new ones"),
            ("open", "credentials are what the fields say"),
            ("tag", "credentials are a struct"),
        ]
    } else {
        &[
            ("additional_properties", "write `open` to accept properties that no field stands for"),
            ("deny_unknown_fields", "unknown properties are refused unless `open` is written"),
            ("untagged", "without a tag nobody can say which variant was meant: `tag = \"kind\"`"),
            ("content", "a tag beside the properties is enough: `tag = \"kind\"`"),
            ("default", "put the default on each field: `#[param(default = ...)]`"),
            ("name", "the type's name is the name; `title` is for people"),
        ]
    }
}

fn generics(input: &DeriveInput, whose: &str, errors: &mut Errors) {
    for parameter in &input.generics.params {
        let help = match parameter {
            syn::GenericParam::Lifetime(_) => "own the values: `String` for `&str`, `Vec<T>` for `&[T]`",
            syn::GenericParam::Type(_) | syn::GenericParam::Const(_) => {
                "write the type out for each use: a schema in the catalog is a constant, and so is its size"
            }
        };
        errors.help(parameter, format_args!("a type under {whose} has no generic parameters"), help);
    }
}
