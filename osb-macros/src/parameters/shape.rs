//! The fields and variants of an item, without mistakes.

use std::collections::HashSet;

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Attribute, Data, DeriveInput, Expr, Fields, Meta, ext::IdentExt};

use super::{
    field::{Field, description_of},
    param::{Place, RawVariant, VARIANT_HINTS, split_attributes},
    parse::DataAttribute,
};
use crate::{
    args::{Text, as_written},
    case::Case,
    errors::Errors,
    rules,
};

/// One variant of an enum.
pub(super) struct Variant {
    pub(super) ident: Ident,
    pub(super) attributes: Vec<Attribute>,
    pub(super) cfg: Vec<Attribute>,
    pub(super) wire: String,
    pub(super) description: Option<String>,
    /// `None` for a variant without fields.
    pub(super) fields: Option<Vec<Field>>,
    /// The number of a variant without fields.
    pub(super) discriminant: Option<Expr>,
}

pub(super) enum Shape {
    Struct(Vec<Field>),
    Newtype(Box<Field>),
    Choice(Vec<Variant>),
    Tagged(String, Vec<Variant>),
}

impl Shape {
    pub(super) fn fields(&self) -> Vec<&Field> {
        match self {
            Self::Struct(fields) => fields.iter().collect(),
            Self::Newtype(field) => vec![field],
            Self::Choice(variants) | Self::Tagged(_, variants) => {
                variants.iter().filter_map(|variant| variant.fields.as_ref()).flatten().collect()
            }
        }
    }

    pub(super) fn has_secrets(&self) -> bool {
        self.fields().iter().any(|field| field.secret)
    }
}

/// The arguments of the item that its fields and variants depend on.
pub(super) struct Words {
    /// Each with the argument.
    pub(super) rename_all: Option<(Case, Meta)>,
    pub(super) rename_all_fields: Option<(Case, Meta)>,
    pub(super) tag: Option<Text>,
    pub(super) open: Option<Meta>,
}

fn not_here(word: &str, given: Option<&impl ToTokens>, why: &str, errors: &mut Errors) {
    if let Some(given) = given {
        errors.help(
            given.to_token_stream(),
            format_args!("`{word}` has no meaning here: {why}"),
            format_args!("leave `{word}` out"),
        );
    }
}

fn case(given: Option<&(Case, Meta)>) -> Case {
    given.map_or(Case::AsIs, |(case, _)| *case)
}

pub(super) fn shape(
    input: &DeriveInput,
    words: &Words,
    partial: Option<&Ident>,
    attribute: DataAttribute,
    errors: &mut Errors,
) -> Option<Shape> {
    match &input.data {
        Data::Struct(data) => structure(&input.ident, &data.fields, words, partial, attribute, errors),
        Data::Enum(data) if attribute == DataAttribute::Credentials => {
            // A `tag` is the same mistake.
            if errors.is_empty() {
                errors.help(
                    data.enum_token,
                    "credentials must be a struct with named fields",
                    "write a struct; a member that only some credentials have is an `Option`",
                );
            }
            None
        }
        Data::Enum(data) => {
            not_here("partial", partial, "the value of an enum changes as a whole", errors);
            variants(input, data, words, errors)
        }
        Data::Union(data) => {
            errors.help(data.union_token, "a union cannot be used in parameters", "write an enum with a `tag`");
            None
        }
    }
}

fn structure(
    ident: &Ident,
    fields: &Fields,
    words: &Words,
    partial: Option<&Ident>,
    attribute: DataAttribute,
    errors: &mut Errors,
) -> Option<Shape> {
    let name = ident.unraw().to_string();
    let credentials = attribute == DataAttribute::Credentials;
    let place = if credentials { Place::Credentials } else { Place::Parameters };
    not_here("tag", words.tag.as_ref(), "only an enum has a tag", errors);
    refuse_rename_all_fields(words, "for the fields of a struct", errors);
    match fields {
        Fields::Named(fields) => {
            let (mut index, case) = (0, case(words.rename_all.as_ref()));
            Some(Shape::Struct(named(&fields.named, case, &name, place, &mut index, None, errors)))
        }
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 && !credentials => {
            not_here("partial", partial, "a newtype changes as a whole", errors);
            let renamed = words.rename_all.as_ref().map(|(_, argument)| argument);
            not_here("rename_all", renamed, "a newtype has no properties", errors);
            not_here("open", words.open.as_ref(), "a newtype accepts what the type inside does", errors);
            let field = Field::validate(&fields.unnamed[0], 0, str::to_owned, &name, Place::Newtype, errors);
            if field.optional {
                errors.help(
                    &field.ty,
                    "a newtype of an `Option` would hide that a property may be absent",
                    "make the field that has this type an `Option`",
                );
            }
            Some(Shape::Newtype(Box::new(field)))
        }
        Fields::Unnamed(fields) => {
            errors.help(
                fields,
                if credentials {
                    "credentials must be a struct with named fields"
                } else {
                    "parameters have names, and the fields of a tuple struct don't"
                },
                "write a struct with named fields",
            );
            None
        }
        Fields::Unit => {
            errors.help(
                ident,
                format_args!("`{name}` has no fields"),
                format_args!("write `struct {name} {{}}` for an object without properties"),
            );
            None
        }
    }
}

const RENAME: &str = "choose another name with `#[param(rename = \"...\")]`";

fn named(
    fields: &syn::punctuated::Punctuated<syn::Field, syn::Token![,]>,
    case: Case,
    own_name: &str,
    place: Place,
    index: &mut usize,
    tag: Option<&str>,
    errors: &mut Errors,
) -> Vec<Field> {
    let mut names = HashSet::new();
    let mut validated = Vec::new();
    for field in fields {
        let field = Field::validate(field, *index, |name| case.field(name), own_name, place, errors);
        *index += 1;
        if tag == Some(&*field.wire) {
            errors.help(
                &field.ident,
                format_args!("the property `{}` is the tag already", field.wire),
                "rename the field, or choose another tag",
            );
        } else if field.cfg.is_empty() && !names.insert(field.wire.clone()) {
            if validated.iter().any(|other: &Field| other.ident == field.ident) {
                errors.reported();
            } else {
                let message = format_args!("another field is called `{}` on the wire too", field.wire);
                errors.help(&field.ident, message, RENAME);
            }
        }
        validated.push(field);
    }
    check_aliases(&validated, tag, errors);
    validated
}

/// Validates the aliases: a name of an earlier release can have no other meaning now.
fn check_aliases(fields: &[Field], tag: Option<&str>, errors: &mut Errors) {
    let mut taken = HashSet::new();
    for field in fields {
        for alias in &field.aliases {
            let name = alias.value();
            let other = fields.iter().find(|other| other.wire == name);
            let means = match other {
                Some(other) if std::ptr::eq(other, field) => "is the name of this property itself".to_owned(),
                Some(other) if other.cfg.is_empty() => format!("is the name of another property, `{}`", other.name()),
                _ if tag == Some(&*name) => "is the tag".to_owned(),
                _ if field.cfg.is_empty() && !taken.insert(name.clone()) => "is given twice".to_owned(),
                _ => continue,
            };
            errors.help(
                alias,
                format_args!("the alias {name:?} {means}"),
                "an alias is a name that the property had in an earlier release, and that no property uses now",
            );
        }
    }
}

fn refuse_rename_all_fields(words: &Words, place: &str, errors: &mut Errors) {
    if let Some((_, argument)) = &words.rename_all_fields {
        errors.at(argument, format_args!("`rename_all_fields` has no meaning here: {place} write `rename_all`"));
    }
}

fn variants(input: &DeriveInput, data: &syn::DataEnum, words: &Words, errors: &mut Errors) -> Option<Shape> {
    let name = input.ident.unraw().to_string();
    if data.variants.is_empty() {
        errors.at(&input.ident, format_args!("`{name}` has no variants, so no value fits"));
        return None;
    }
    let before = errors.count();
    if let Some(tag) = &words.tag {
        rules::name_on_the_wire("tag", tag, errors);
    }
    let tag = words.tag.as_ref().map(Text::value);
    let with_fields = data.variants.iter().find(|variant| matches!(variant.fields, Fields::Named(_)));
    if let (None, Some(variant)) = (&tag, with_fields) {
        // `untagged` is the same mistake.
        if errors.is_empty() {
            errors.help(
                &variant.ident,
                format_args!("`{name}` has no tag"),
                "name the property that selects the variant: `#[parameters(tag = \"kind\")]`",
            );
        }
        return None;
    }
    let (mut names, mut index, mut validated) = (HashSet::new(), 0, Vec::new());
    for variant in &data.variants {
        let Some(variant) = self::variant(variant, &name, words, tag.as_deref(), &mut index, errors) else { continue };
        if variant.cfg.is_empty() && !names.insert(variant.wire.clone()) {
            let message = format_args!("another variant is called {:?} on the wire too", variant.wire);
            errors.help(&variant.ident, message, RENAME);
        }
        validated.push(variant);
    }
    if errors.count() > before {
        return None;
    }
    match tag {
        Some(tag) => Some(Shape::Tagged(tag, validated)),
        None => {
            not_here("open", words.open.as_ref(), "this enum is a string", errors);
            refuse_rename_all_fields(words, "for the variants", errors);
            Some(Shape::Choice(validated))
        }
    }
}

/// Validates a variant of the enum `name`; `index` is the number of fields before it.
fn variant(
    variant: &syn::Variant,
    name: &str,
    words: &Words,
    tag: Option<&str>,
    index: &mut usize,
    errors: &mut Errors,
) -> Option<Variant> {
    let (attributes, mut args) = split_attributes(&variant.attrs, errors);
    let RawVariant { rename, description } = args.take();
    args.finish("a variant", VARIANT_HINTS, errors);
    let rename = rename.take(errors);
    if let Some(name) = &rename {
        rules::name_on_the_wire("variant", name, errors);
    }
    let wire = rename.map_or_else(
        || case(words.rename_all.as_ref()).variant(&variant.ident.unraw().to_string()),
        |text| text.value(),
    );
    let description = description_of(&attributes, description.take(errors), errors);
    let cfg: Vec<_> = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect();
    let mut fields = match &variant.fields {
        Fields::Unit => None,
        Fields::Named(fields) => {
            let case = case(words.rename_all_fields.as_ref());
            Some(named(&fields.named, case, name, Place::Parameters, index, tag, errors))
        }
        Fields::Unnamed(fields) => {
            let ty = match fields.unnamed.first() {
                Some(only) if fields.unnamed.len() == 1 => as_written(&only.ty),
                _ => "Type".to_owned(),
            };
            errors.help(
                fields,
                "the fields of a variant need names, which are the names of the properties",
                format_args!("write `{} {{ name: {ty} }}`", variant.ident),
            );
            return None;
        }
    };
    for field in fields.iter_mut().flatten() {
        for (word, argument) in [("immutable", &field.immutable), ("update_only", &field.update_only)] {
            let Some(argument) = argument else { continue };
            errors.help(
                argument,
                format_args!("`{word}` has no meaning here: an update replaces the value of an enum as a whole"),
                format_args!("write it on the fields whose type is `{name}`, or leave it out"),
            );
        }
        field.cfg.extend(cfg.iter().cloned());
    }
    let discriminant = variant.discriminant.as_ref().map(|(_, value)| value.clone());
    if let Some(value) = discriminant.as_ref().filter(|_| tag.is_some()) {
        let message = "a number has no meaning here: variants are told apart by the tag";
        errors.help(value, message, format_args!("write `{}` without it", variant.ident));
    }
    Some(Variant { ident: variant.ident.clone(), attributes, cfg, wire, description, fields, discriminant })
}
