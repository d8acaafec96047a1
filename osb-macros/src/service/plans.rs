//! `plans(Free, Pro)` (CAT-22).

use darling::FromMeta;
use quote::ToTokens;
use syn::{
    Ident, Meta, Path,
    parse::{ParseStream, Parser},
};

use crate::{
    args::{Given, split_at_commas},
    errors::Errors,
};

/// The paths that could be read, and the mistakes in the list.
pub(super) struct PlanList {
    paths: Vec<Path>,
    errors: Errors,
}

impl FromMeta for PlanList {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let mut this = Self { paths: Vec::new(), errors: Errors::default() };
        match meta {
            Meta::List(list) => {
                for piece in split_at_commas(list.tokens.clone()) {
                    match syn::parse2::<Path>(piece.clone()) {
                        Ok(path) => this.paths.push(path),
                        Err(_) => {
                            this.errors.help(
                                &piece,
                                "`plans` takes a list of types",
                                "write `plans(Free, Pro)`, each a struct with `#[plan(...)]`",
                            );
                            // Its paths count as offered, so that no plan asks for a service.
                            this.paths.extend(all_paths.parse2(piece).unwrap_or_default());
                        }
                    }
                }
                if list.tokens.is_empty() {
                    this.errors.help(
                        &list.path,
                        "a service has at least one plan (CAT-22)",
                        "write `plans(Free, Pro)`, each a struct with `#[plan(...)]`",
                    );
                }
            }
            Meta::NameValue(pair) => {
                let value = pair.value.to_token_stream();
                this.errors.help(meta, "`plans` takes a list of types", format_args!("write `plans({value})`"));
                this.paths.extend(syn::parse2::<Path>(value));
            }
            Meta::Path(_) => this.errors.help(meta, "`plans` takes a list of types", "write `plans(Free, Pro)`"),
        }
        Ok(this)
    }
}

fn all_paths(input: ParseStream<'_>) -> syn::Result<Vec<Path>> {
    let mut paths = Vec::new();
    while let Ok(path) = input.parse::<Path>() {
        paths.push(path);
    }
    input.parse::<proc_macro2::TokenStream>()?;
    paths.retain(|path: &Path| !path.segments.is_empty());
    Ok(paths)
}

/// Returns the plans, each once; `ident` is the service, if it is a struct.
pub(super) fn validate(given: Given<PlanList>, ident: Option<&Ident>, errors: &mut Errors) -> Vec<Path> {
    if let (Some(ident), false) = (ident, given.is_mentioned()) {
        errors.help(
            ident,
            format_args!("service `{ident}` needs plans"),
            "write `plans(Free, Pro)`, each a struct with `#[plan(...)]` (CAT-22)",
        );
    }
    let Some(list) = given.take(errors) else { return Vec::new() };
    errors.append(list.errors);
    let mut plans: Vec<Path> = Vec::new();
    for path in list.paths {
        if plans.contains(&path) {
            errors.at(&path, format_args!("plan `{}` is listed twice", path.to_token_stream()));
        } else {
            plans.push(path);
        }
    }
    plans
}
