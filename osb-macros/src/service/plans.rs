//! `plans(Free, Pro)` (CAT-22).

use darling::FromMeta;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Meta, Path, PathArguments,
    ext::IdentExt,
    parse::{ParseStream, Parser},
};

use crate::{
    args::{Given, as_written, is_type, misplaced, split_at_commas, wrong},
    case::Case,
    errors::Errors,
};

/// The paths that could be read, and the mistakes in the list.
pub(super) struct PlanList {
    paths: Vec<Path>,
    /// A mistake mentions no type.
    is_unclear: bool,
    errors: Errors,
}

const FIX: &str = "write `plans(Free, Pro)`, each a struct with `#[plan(...)]`";

impl FromMeta for PlanList {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let mut this = Self { paths: Vec::new(), is_unclear: false, errors: Errors::default() };
        match meta {
            Meta::List(list) => {
                for piece in split_at_commas(list.tokens.clone()) {
                    if let Some(error) = misplaced(&piece) {
                        // With a condition, or in one of the versions of a merge, any plan may be meant.
                        this.errors.push(error);
                        this.is_unclear = true;
                        break;
                    }
                    this.read(&piece, &list.tokens);
                }
                if list.tokens.is_empty() {
                    this.errors.help(&list.path, "a service has at least one plan (CAT-22)", FIX);
                }
            }
            Meta::NameValue(pair) => {
                let meant = names(&mentioned(pair.value.to_token_stream()));
                let help = format_args!("write `plans({meant})`");
                return Err(wrong(meta, "`plans` takes a list of types in parentheses", help));
            }
            Meta::Path(_) => this.errors.help(meta, "`plans` takes a list of types", "write `plans(Free, Pro)`"),
        }
        Ok(this)
    }
}

impl PlanList {
    /// Reads a piece of the list `all`.
    fn read(&mut self, piece: &TokenStream, all: &TokenStream) {
        if let Ok(path) = syn::parse2::<Path>(piece.clone()) {
            let Some(inner) = wrapped(&path) else { return self.paths.push(path) };
            let plans = mentioned(inner);
            let error = "`plans` takes the plans themselves, not a wrapper of them";
            self.errors.help(&path, error, format_args!("write `plans({})`", names(&plans)));
            self.take(plans);
        } else {
            // The same mistake is probably in all of the list.
            if self.errors.is_empty() {
                let meant = names(&mentioned(all.clone()));
                let help = format_args!("write `plans({meant})`, each a struct with `#[plan(...)]`");
                self.errors.help(piece, "`plans` takes a list of types", help);
            }
            self.take(mentioned(piece.clone()));
        }
    }

    /// Takes the types that a mistake mentions. Without a type in it, any plan may be meant.
    fn take(&mut self, mentioned: Vec<Path>) {
        let before = self.paths.len();
        self.paths.extend(mentioned.into_iter().filter(is_type));
        self.is_unclear |= self.paths.len() == before;
    }
}

/// Returns the types in a container of the standard library.
fn wrapped(path: &Path) -> Option<TokenStream> {
    let last = path.segments.last()?;
    match &last.arguments {
        PathArguments::AngleBracketed(inner)
            if ["Vec", "Option", "Box", "Arc"].iter().any(|name| last.ident == name) =>
        {
            Some(inner.args.to_token_stream())
        }
        _ => None,
    }
}

/// Returns the list of these plans as types: `Free` for `"free"`.
fn names(paths: &[Path]) -> String {
    let type_name = |path: &Path| match path.get_ident() {
        Some(name) => Case::Pascal.field(&name.unraw().to_string()),
        // `Free::new()`
        None if !is_type(path) => {
            let is_lower = |segment: &&syn::PathSegment| segment.ident.to_string().starts_with(char::is_lowercase);
            let ty = path.segments.iter().rev().skip_while(is_lower).collect::<Vec<_>>();
            ty.iter().rev().map(as_written).collect::<Vec<_>>().join("::")
        }
        None => as_written(path),
    };
    let mut names: Vec<String> = Vec::new();
    for name in paths.iter().map(type_name) {
        if !names.contains(&name) {
            names.push(name); // `free = Free` is one plan
        }
    }
    if names.is_empty() { "Free, Pro".to_owned() } else { names.join(", ") }
}

/// Returns all paths in `tokens`, also those in brackets and in quotes: they count as offered, so that no plan asks for a
/// service.
pub(super) fn mentioned(tokens: TokenStream) -> Vec<Path> {
    let mut paths = Vec::new();
    let mut rest = tokens;
    while !rest.is_empty() {
        match path_and_rest.parse2(rest.clone()) {
            Ok((path, after)) => {
                let is_macro =
                    matches!(after.clone().into_iter().next(), Some(TokenTree::Punct(next)) if next.as_char() == '!');
                paths.extend((!is_macro).then_some(path));
                rest = after;
            }
            Err(_) => {
                let mut tokens = rest.into_iter();
                match tokens.next() {
                    Some(TokenTree::Group(group)) => paths.extend(mentioned(group.stream())),
                    // An attribute.
                    Some(TokenTree::Punct(hash)) if hash.as_char() == '#' => _ = tokens.next(),
                    Some(TokenTree::Literal(literal)) => {
                        paths.extend(
                            syn::parse2::<syn::LitStr>(TokenTree::Literal(literal).into())
                                .ok()
                                .and_then(|text| text.parse::<Path>().ok()),
                        );
                    }
                    _ => {}
                }
                rest = tokens.collect();
            }
        }
    }
    paths
}

fn path_and_rest(input: ParseStream<'_>) -> syn::Result<(Path, TokenStream)> {
    Ok((input.parse()?, input.parse()?))
}

/// The plans of a service.
pub(super) struct Plans {
    /// Each once.
    pub(super) paths: Vec<Path>,
    /// `false` if there is a mistake in the list, so a plan may be missing.
    pub(super) complete: bool,
    /// `true` if the list doesn't say which types are meant.
    pub(super) is_unclear: bool,
}

/// Validates the list of the service `own`.
pub(super) fn validate(given: Given<PlanList>, own: Option<&Ident>, errors: &mut Errors) -> Plans {
    let mut plans = Plans { paths: Vec::new(), complete: false, is_unclear: false };
    let Some(list) = given.take(errors) else { return plans };
    plans.complete = list.errors.is_empty();
    plans.is_unclear = list.is_unclear;
    errors.append(list.errors);
    for path in list.paths {
        if own.is_some_and(|own| path.is_ident(own)) {
            plans.is_unclear = true;
            // An item under both attributes is one mistake.
            if errors.is_empty() {
                errors.help(&path, format_args!("`{}` is the service itself", as_written(&path)), FIX);
            }
        } else if plans.paths.contains(&path) {
            // In place of one of them, another plan may be meant, which a change names.
            plans.complete = false;
            errors.help(&path, format_args!("plan `{}` is listed twice", as_written(&path)), "leave one of them out");
        } else {
            plans.paths.push(path);
        }
    }
    plans
}
