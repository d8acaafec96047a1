//! The item without mistakes.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{Attribute, Data, DeriveInput, Meta, ext::IdentExt};

use super::{
    fallback::Fallback,
    field::{Field, description_of},
    foreign::{self, Derives},
    known::standard_name,
    param::is_param,
    parse::{CREDENTIALS_HINTS, DataAttribute, NewName, PARAMETERS_HINTS, RawCredentials, RawParameters},
    shape::{Shape, Words, shape},
};
use crate::{
    args::{Arguments, Given, Text, as_written, split_at_commas},
    errors::Errors,
    runtime::Runtime,
};

/// A type under `#[parameters]` or `#[credentials]`.
pub(super) struct Item {
    pub(super) runtime: Runtime,
    pub(super) ident: Ident,
    pub(super) visibility: syn::Visibility,
    /// `struct` or `enum`, where the author wrote it.
    pub(super) keyword: TokenStream,
    pub(super) attributes: Vec<Attribute>,
    pub(super) derives: Derives,
    pub(super) shape: Shape,
    /// The fields that only the partial type has.
    pub(super) update_only: Vec<Field>,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) open: bool,
    pub(super) partial: Option<Ident>,
    pub(super) credentials: bool,
    /// The members of credentials that are the same in each binding.
    pub(super) constants: Vec<(&'static str, Text)>,
}

impl Item {
    /// Returns whether the item has a partial type with this field.
    pub(super) fn is_in_partial(&self, field: &Field) -> bool {
        self.partial.is_some() && field.immutable.is_none()
    }

    pub(super) fn has_secrets(&self) -> bool {
        self.shape.has_secrets() || self.update_only.iter().any(|field| field.secret)
    }

    pub(super) fn validate(
        args: TokenStream,
        input: &DeriveInput,
        attribute: DataAttribute,
        errors: &mut Errors,
    ) -> Result<Self, Fallback> {
        let (runtime, raw, constants) = arguments(args, attribute, errors);
        let credentials = attribute == DataAttribute::Credentials;
        let title = raw.title.take(errors).map(|text| text.value());
        let description = raw.description.take(errors);
        let open = raw.open.take_set(errors);
        let words = Words {
            rename_all: raw.rename_all.take_with_place(errors),
            rename_all_fields: raw.rename_all_fields.take_with_place(errors),
            tag: raw.tag.take(errors),
            open,
        };
        let partial = partial_name(raw.partial, &input.ident, !input.generics.params.is_empty(), errors);

        let mut attributes = input.attrs.clone();
        foreign::refuse(&attributes, attribute, errors);
        attributes.retain(|attribute| !foreign::is_foreign(attribute));
        if let Some(param) = attributes.iter().find(|attribute| is_param(attribute)) {
            errors.help(
                param,
                "`#[param]` belongs on a field",
                format_args!("arguments for the whole type go into {}", attribute.quoted()),
            );
        }
        attributes.retain(|attribute| !is_param(attribute));
        let description = description_of(&attributes, description, errors);
        let mut shape = shape(input, &words, partial.as_ref(), attribute, errors);
        // A reference with a lifetime is a mistake of its own.
        if errors.is_empty() || input.generics.lifetimes().next().is_none() {
            refuse_generics(input, attribute, errors);
        }
        let own_debug = credentials || shape.as_ref().is_some_and(Shape::has_secrets);
        check_constants(&constants, shape.as_ref(), errors);
        if partial.is_some() {
            refuse_changes(shape.as_ref(), errors);
        }
        let update_only = match &mut shape {
            Some(Shape::Struct(fields)) => fields.extract_if(.., |field| field.update_only.is_some()).collect(),
            _ => Vec::new(),
        };
        for field in &update_only {
            field.check_update_only(&input.ident, partial.as_ref(), errors);
        }
        let derives = foreign::derives(&mut attributes, own_debug, errors);
        match shape {
            Some(shape) if errors.is_empty() => Ok(Self {
                runtime,
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
                update_only,
                title,
                description,
                open: words.open.is_some(),
                partial,
                credentials,
                constants,
            }),
            _ => Err(Fallback { runtime, partial, credentials, has_texts: !credentials && words.tag.is_none() }),
        }
    }

    /// Validates the arguments that the fallback needs, for an item whose fields can't be parsed.
    pub(super) fn validate_arguments(
        args: TokenStream,
        own: &Ident,
        attribute: DataAttribute,
        errors: &mut Errors,
    ) -> Fallback {
        let (runtime, raw, _) = arguments(args, attribute, errors);
        Fallback {
            runtime,
            partial: partial_name(raw.partial, own, false, errors),
            credentials: attribute == DataAttribute::Credentials,
            has_texts: false,
        }
    }

    pub(super) fn name(&self) -> String {
        self.ident.unraw().to_string()
    }
}

/// Reports and removes attributes of fields and variants that no derive of the item reads, such as `#[arg]`.
pub(super) fn refuse_helpers(input: &mut DeriveInput, errors: &mut Errors) {
    let Some(mut known) = helpers(&input.attrs) else { return };
    known.extend([
        "allow",
        "cfg",
        "cfg_attr",
        "deny",
        "deprecated",
        "doc",
        "expect",
        "forbid",
        "non_exhaustive",
        "warn",
    ]);
    let is_lost = |attribute: &mut Attribute| {
        let is_known = attribute.path().get_ident().is_none_or(|name| known.iter().any(|known| name == known));
        !(is_known || is_param(attribute) || foreign::is_foreign(attribute))
    };
    let mut lost = Vec::new();
    let mut take = |attributes: &mut Vec<Attribute>, help| {
        lost.extend(attributes.extract_if(.., is_lost).map(|attribute| (attribute, help)));
    };
    let of_field = "constraints, defaults and names are `#[param(...)]` of a field";
    let of_variant = "the name of a variant is `#[param(rename = \"...\")]`, a default is that of a field";
    match &mut input.data {
        Data::Struct(data) => data.fields.iter_mut().for_each(|field| take(&mut field.attrs, of_field)),
        Data::Enum(data) => {
            for variant in &mut data.variants {
                take(&mut variant.attrs, of_variant);
                variant.fields.iter_mut().for_each(|field| take(&mut field.attrs, of_field));
            }
        }
        Data::Union(_) => {}
    }
    for (attribute, help) in lost {
        let name = attribute.path().to_token_stream();
        errors.help(attribute.path(), format_args!("`#[{name}]` has no meaning here"), help);
    }
}

/// Returns the attributes that the derives of an item read, or `None` if it may have derives of another crate.
fn helpers(attributes: &[Attribute]) -> Option<Vec<&'static str>> {
    let mut helpers = Vec::new();
    for attribute in attributes {
        match &attribute.meta {
            Meta::List(list) if list.path.is_ident("derive") => {
                for derive in split_at_commas(list.tokens.clone()) {
                    match &*derive.to_string() {
                        "Default" => helpers.push("default"),
                        "Debug" | "Clone" | "Copy" | "PartialEq" | "Eq" | "PartialOrd" | "Ord" | "Hash" => {}
                        _ => return None,
                    }
                }
            }
            meta if ["allow", "deny", "deprecated", "doc", "expect", "forbid", "warn"]
                .iter()
                .any(|name| meta.path().is_ident(name)) => {}
            _ => return None,
        }
    }
    Some(helpers)
}

/// Reads the arguments of the attribute.
fn arguments(
    args: TokenStream,
    attribute: DataAttribute,
    errors: &mut Errors,
) -> (Runtime, RawParameters, Vec<(&'static str, Text)>) {
    let mut args = Arguments::of_attribute(args, errors);
    let mut constants = Vec::new();
    let (mut raw, hints) = match attribute {
        DataAttribute::Parameters => {
            if !args.has("partial")
                && let Some(name) = args.take_types()
            {
                let help = format_args!("write `partial = {name}` to generate the type of an update");
                errors.help(&name, "expected an argument, not a type", help);
                args.assume_value("partial", name);
            }
            (args.take(), PARAMETERS_HINTS)
        }
        DataAttribute::Credentials => {
            let RawCredentials { title, description, rename_all, kind, provider } = args.take();
            for (name, given) in [("type", kind), ("provider", provider)] {
                constants.extend(given.take(errors).map(|value| (name, value)));
            }
            let (partial, rename_all_fields, tag, open) = (Given::Absent, Given::Absent, Given::Absent, Given::Absent);
            let raw = RawParameters { partial, rename_all, rename_all_fields, tag, open, title, description };
            (raw, CREDENTIALS_HINTS)
        }
    };
    let runtime = Runtime::take(&mut args, errors);
    args.finish(attribute.quoted(), hints, errors).adopt(&mut raw);
    (runtime, raw, constants)
}

/// Reports a field that has the name of a constant member.
fn check_constants(constants: &[(&'static str, Text)], shape: Option<&Shape>, errors: &mut Errors) {
    for (name, value) in constants {
        if shape.is_some_and(|shape| shape.fields().iter().any(|field| field.wire == *name)) {
            errors.help(
                value,
                format_args!("a field is called `{name}` on the wire too"),
                format_args!("leave the field out, or `{name} = ...` if the value differs between bindings"),
            );
        }
    }
}

/// Reports a field that is a `Change`, which the partial type has.
fn refuse_changes(shape: Option<&Shape>, errors: &mut Errors) {
    for field in shape.iter().flat_map(|shape| shape.fields()) {
        if let Some((name, arguments)) = standard_name(&field.ty)
            && let ("Change", [value]) = (&*name, &*arguments)
        {
            let help = format!("write `Option<{}>`", as_written(value));
            errors.help(&field.ty, "a `Change` is for the type of an update, which `partial` generates", help);
        }
    }
}

/// Returns the name of the partial type. Where it is missing, the plan probably names the type like those of the documentation.
/// Parameters of a generic type are a mistake themselves.
fn partial_name(given: Given<NewName>, own: &Ident, is_generic: bool, errors: &mut Errors) -> Option<Ident> {
    let is_wrong = given.is_wrong();
    let given = given.take(errors);
    if given.is_none() && !is_wrong {
        return None;
    }
    let NewName { name, wrong } = given.unwrap_or(NewName { name: None, wrong: None });
    let unraw = own.unraw().to_string();
    let word = unraw.strip_prefix("New").filter(|rest| rest.starts_with(char::is_uppercase));
    let usual = format!("{}Changes", word.unwrap_or(&unraw));
    let name = name.unwrap_or_else(|| Ident::new(&usual, own.span()));
    if let Some(place) = wrong.filter(|_| !is_generic) {
        let help = format_args!("write a plain name: `partial = {name}`");
        errors.help(place, "`partial` gives the new type its name", help);
    }
    if name == *own {
        errors.help(
            &name,
            format_args!("`partial` generates a new type, and `{own}` is the name of this one"),
            format_args!("write `partial = {usual}`"),
        );
        return Some(Ident::new(&usual, own.span()));
    }
    Some(name)
}

fn refuse_generics(input: &DeriveInput, attribute: DataAttribute, errors: &mut Errors) {
    let Some(first) = input.generics.params.first() else { return };
    let help = match first {
        syn::GenericParam::Lifetime(_) => "own the values: `String` for `&str`, `Vec<T>` for `&[T]`",
        syn::GenericParam::Type(_) => {
            "write the type out for each use: a schema in the catalog is a constant, and so is its size"
        }
        syn::GenericParam::Const(_) => {
            "write the bound of the largest plan, and `#[plan(..., narrow(field(max = ...)))]` for the others"
        }
    };
    errors.help(
        &input.generics.params,
        format_args!("a type under {} has no generic parameters", attribute.quoted()),
        help,
    );
}
