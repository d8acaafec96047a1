//! `plans(...)` and `changes(From => To)`.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Ident, Meta, Path};

use crate::{
    args::{Arguments, split_at_commas},
    rules::Report,
};

/// `From => To`
pub(super) struct Change {
    pub(super) from: Path,
    pub(super) to: Path,
}

/// CAT-22: at least one, each once.
pub(super) fn plans(args: &mut Arguments, ident: Option<&Ident>, report: &mut Report) -> Vec<Path> {
    let list = match args.find("plans").cloned() {
        Some(Meta::List(list)) => list,
        Some(other) => {
            let Meta::NameValue(pair) = &other else {
                report.errors.help(other, "`plans` takes a list of types", "write `plans(Free, Pro)`");
                return Vec::new();
            };
            let value = pair.value.to_token_stream();
            report.errors.help(&other, "`plans` takes a list of types", format_args!("write `plans({value})`"));
            return syn::parse2(value).into_iter().collect();
        }
        None => {
            if let Some(ident) = ident
                && !args.mentions("plans")
            {
                report.errors.help(
                    ident,
                    format_args!("service `{ident}` needs plans"),
                    "write `plans(Free, Pro)`, each a struct with `#[plan(...)]` (CAT-22)",
                );
            }
            return Vec::new();
        }
    };
    let mut plans: Vec<Path> = Vec::new();
    for piece in split_at_commas(list.tokens.clone()) {
        match syn::parse2::<Path>(piece.clone()) {
            Ok(path) if plans.contains(&path) => {
                report.errors.at(&path, format_args!("plan `{}` is listed twice", path.to_token_stream()));
            }
            Ok(path) => plans.push(path),
            Err(_) => {
                report.errors.help(
                    &piece,
                    "`plans` takes a list of types",
                    "write `plans(Free, Pro)`, each a struct with `#[plan(...)]`",
                );
                // Whatever can be read of it is offered, so that no plan asks for a service.
                let readable = |input: syn::parse::ParseStream<'_>| {
                    let mut paths = Vec::new();
                    while let Ok(path) = input.parse::<Path>() {
                        paths.push(path);
                    }
                    input.parse::<TokenStream>()?;
                    Ok(paths)
                };
                let paths = syn::parse::Parser::parse2(readable, piece).unwrap_or_default();
                plans.extend(paths.into_iter().filter(|path: &Path| !path.segments.is_empty()));
            }
        }
    }
    if plans.is_empty() && list.tokens.is_empty() {
        report.errors.help(
            &list.path,
            "a service has at least one plan (CAT-22)",
            "write `plans(Free, Pro)`, each a struct with `#[plan(...)]`",
        );
    }
    plans
}

/// `changes(Free => Pro, ...)`: between plans of this service, each change once.
pub(super) fn changes(
    args: &mut Arguments,
    plans: &[Path],
    mentioned: &mut Vec<Path>,
    report: &mut Report,
) -> Vec<Change> {
    let fix = "write `changes(From => To, ...)` with plans of this service";
    let list = match args.find("changes").cloned() {
        Some(Meta::List(list)) => list,
        Some(other) => {
            report.errors.help(other, "`changes` takes a list of changes", fix);
            return Vec::new();
        }
        None => return Vec::new(),
    };
    let mut changes: Vec<Change> = Vec::new();
    for piece in split_at_commas(list.tokens.clone()) {
        let parsed = syn::parse::Parser::parse2(
            |input: syn::parse::ParseStream<'_>| {
                let from = input.parse()?;
                input.parse::<syn::Token![=>]>()?;
                Ok(Change { from, to: input.parse()? })
            },
            piece.clone(),
        );
        let Ok(change) = parsed else {
            report.errors.help(piece, "expected a change of plan", fix);
            continue;
        };
        let mut good = true;
        for plan in [&change.from, &change.to] {
            if !plans.contains(plan) {
                good = false;
                if !mentioned.contains(plan) {
                    mentioned.push(plan.clone());
                }
                let name = plan.to_token_stream();
                report.errors.help(
                    plan,
                    format_args!("`{name}` is no plan of this service"),
                    format_args!("add it: `plans(..., {name})`"),
                );
            }
        }
        if change.from == change.to {
            good = false;
            report.errors.help(&piece, "this changes nothing", "changes of parameters are `update = ...` of the plan");
        }
        if changes.iter().any(|other| other.from == change.from && other.to == change.to) {
            good = false;
            report.errors.at(&piece, "this change is listed twice");
        }
        if good {
            changes.push(change);
        }
    }
    changes
}
