//! Attributes of other crates, which would make the code differ from the schema.

use quote::ToTokens;
use syn::{Attribute, Meta, Path, Token, parse::Parser, punctuated::Punctuated};

use super::DataAttribute;
use crate::{
    args::split_at_commas,
    errors::{Errors, and_list},
};

/// Replacements for words of serde, schemars and garde.
const WORDS: [(&str, &str); 26] = [
    ("rename", "`#[param(rename = \"...\")]` does this"),
    ("rename_all", "`#[parameters(rename_all = \"...\")]` does this"),
    ("rename_all_fields", "`#[parameters(rename_all_fields = \"...\")]` does this"),
    ("default", "`#[param(default = ...)]` does this, and tells the user"),
    ("tag", "`#[parameters(tag = \"...\")]` does this"),
    (
        "deny_unknown_fields",
        "leave `deny_unknown_fields` out: unknown properties are refused unless `#[parameters(open)]` accepts them",
    ),
    (
        "flatten",
        "draft-04 can't reject unknown properties of a flattened object: make it a property, or write its fields here",
    ),
    (
        "untagged",
        "without a tag, the variant that a user means is unclear, and so is a mistake in it: write `#[parameters(tag = \"kind\")]`",
    ),
    ("content", "a tag beside the properties is enough: `#[parameters(tag = \"kind\")]`"),
    ("alias", "`#[param(alias = \"...\")]` does this"),
    ("skip", "every field is a parameter: move other data to a separate type"),
    ("skip_serializing", "`#[param(secret)]` keeps a value from being shown"),
    ("skip_deserializing", "every field is a parameter: move other data to a separate type"),
    ("skip_serializing_if", "leave `skip_serializing_if` out: what is absent stays absent"),
    ("with", "the schema is taken from the type: write a newtype with `#[parameters]`"),
    ("deserialize_with", "the schema is taken from the type: write a newtype with `#[parameters]`"),
    ("from", "the schema is taken from the fields: convert in the handler"),
    ("try_from", "the schema is taken from the fields: convert in the handler"),
    ("other", "a schema lists all variants: refuse the others, or use a `String`"),
    ("transparent", "leave `transparent` out: a newtype's schema is that of what is inside"),
    ("range", "`#[param(range(min = .., max = ..))]` does this"),
    ("length", "`#[param(length(min = .., max = ..))]` does this"),
    ("regex", "`#[param(pattern = \"...\")]` does this"),
    ("pattern", "`#[param(pattern = \"...\")]` does this"),
    ("email", "`#[param(format = \"email\")]` does this"),
    ("inner", "`#[param(items(...))]` does this"),
];

/// Those that differ for credentials.
const WORDS_OF_CREDENTIALS: [(&str, &str); 1] = [("rename_all", "`#[credentials(rename_all = \"...\")]` does this")];

/// Returns whether the attribute is one of a crate whose work `#[parameters]` does.
pub(super) fn is_foreign(attribute: &Attribute) -> bool {
    foreign(attribute).is_some()
}

/// Returns the attribute, or the one in a `cfg_attr`, if it is of a crate whose work `#[parameters]` does.
fn foreign(attribute: &Attribute) -> Option<Meta> {
    let is_foreign =
        |meta: &Meta| ["serde", "schemars", "garde", "validate"].iter().any(|name| meta.path().is_ident(name));
    match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg_attr") => split_at_commas(list.tokens.clone())
            .into_iter()
            .skip(1)
            .filter_map(|piece| syn::parse2(piece).ok())
            .find(is_foreign),
        meta => Some(meta.clone()).filter(is_foreign),
    }
}

/// Reports attributes of crates whose work `#[parameters]` does.
pub(super) fn refuse(attributes: &[Attribute], attribute: DataAttribute, errors: &mut Errors) {
    for meta in attributes.iter().filter_map(foreign) {
        let name = last(meta.path());
        let words = match &meta {
            Meta::List(list) => first_words(list.tokens.clone()),
            _ => Vec::new(),
        };
        let own: &[_] = if attribute == DataAttribute::Credentials { &WORDS_OF_CREDENTIALS } else { &[] };
        let known =
            |word: &Path| own.iter().chain(&WORDS).find(|(known, _)| word.is_ident(known)).map(|(_, help)| *help);
        let (found, help): (Punctuated<Path, Token![,]>, Vec<_>) =
            words.into_iter().filter_map(|word| known(&word).map(|help| (word, help))).unzip();
        let differ = "is not supported: the schema would not match the code";
        if found.is_empty() {
            errors.help(
                &meta,
                format_args!("`#[{name}]` {differ}"),
                "`#[param(...)]` has the words for parameters: `rename`, `default`, `range`, `length`, `pattern` and others",
            );
        } else {
            let words: Vec<_> = found.iter().map(last).collect();
            errors.help(&found, format_args!("`#[{name}({})]` {differ}", words.join(", ")), help.join("\nhelp: "));
        }
    }
}

fn first_words(tokens: proc_macro2::TokenStream) -> Vec<Path> {
    split_at_commas(tokens)
        .into_iter()
        .filter_map(|piece| {
            let first = piece.into_iter().next()?;
            syn::parse2(first.into()).ok()
        })
        .collect()
}

/// The author's derives that matter to the expansion.
#[derive(Default)]
pub(super) struct Derives {
    pub(super) debug: bool,
    /// The derives that the partial type has, too.
    pub(super) copied: Vec<Path>,
}

/// Returns the last name of a path.
fn last(path: &Path) -> String {
    path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default()
}

/// Reads the derives among `attributes`, and removes `Debug` if `own_debug`.
pub(super) fn derives(attributes: &mut [Attribute], own_debug: bool, errors: &mut Errors) -> Derives {
    let mut found = Derives::default();
    for attribute in attributes.iter_mut().filter(|attribute| attribute.path().is_ident("derive")) {
        let Meta::List(list) = &mut attribute.meta else { continue };
        let parser = Punctuated::<Path, Token![,]>::parse_terminated;
        let Ok(paths) = parser.parse2(list.tokens.clone()) else { continue };
        let mut kept: Punctuated<Path, Token![,]> = Punctuated::new();
        let mut implemented: Punctuated<Path, Token![,]> = Punctuated::new();
        for path in paths {
            match &*last(&path) {
                "Serialize" | "Deserialize" | "JsonSchema" => {
                    implemented.push(path);
                    continue;
                }
                "Debug" => {
                    found.debug = true;
                    if own_debug {
                        continue;
                    }
                    found.copied.push(path.clone());
                }
                "Clone" | "PartialEq" | "Eq" => found.copied.push(path.clone()),
                _ => {}
            }
            kept.push(path);
        }
        list.tokens = kept.to_token_stream();
        if !implemented.is_empty() {
            let names: Vec<_> = implemented.iter().map(|path| format!("`{}`", last(path))).collect();
            let names = and_list(&names);
            errors.help(
                &implemented,
                format_args!("the attribute already implements {names}"),
                format_args!("leave {names} out of the derives"),
            );
        }
    }
    found
}
