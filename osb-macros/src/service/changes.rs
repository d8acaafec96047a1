//! `changes(Old => New, ...)`: changes between plans of this service.

use darling::FromMeta;
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    Meta, Path,
    parse::{ParseStream, Parser},
};

use super::plans::{Plans, mentioned};
use crate::{
    args::{Given, as_written, is_type, misplaced, split_at_commas, wrong},
    errors::Errors,
    spans::{preserve_spans, respan},
};

/// `Old => New`
pub(super) struct Change {
    pub(super) from: Path,
    pub(super) to: Path,
}

/// The changes that could be read, each with its tokens, and the mistakes in the list. No expression of Rust has
/// `=>`, so darling cannot read them.
pub(super) struct ChangeList {
    changes: Vec<(Change, TokenStream)>,
    errors: Errors,
}

impl FromMeta for ChangeList {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let fix = "write `changes(Old => New, ...)` with plans of this service";
        let mut this = Self { changes: Vec::new(), errors: Errors::default() };
        let Meta::List(list) = meta else {
            let value = meta.require_name_value().ok().map(|pair| pair.value.to_token_stream());
            let help = value.and_then(|value| meant(&value)).unwrap_or_else(|| fix.to_owned());
            return Err(wrong(meta, "`changes` takes a list of changes", help));
        };
        for piece in split_at_commas(list.tokens.clone()) {
            match change.parse2(piece.clone()) {
                Ok(change) => this.changes.push((change, piece)),
                Err(_) if this.errors.is_empty() => {
                    if let Some(error) = misplaced(&piece) {
                        this.errors.push(error);
                        continue;
                    }
                    // `Free, Pro` has a comma in place of the arrow.
                    let help = meant(&piece).or_else(|| meant(&list.tokens)).unwrap_or_else(|| fix.to_owned());
                    this.errors.help(piece, "expected a change of plan", help);
                }
                // The same mistake is probably in all of the list.
                Err(_) => {}
            }
        }
        Ok(this)
    }
}

/// Returns the changes that `Free -> Pro`, `Pro <= Free`, `Free <=> Pro`, `Free => Pro => Max`, `Free => (Pro, Max)`, `Free to Pro`
/// and `[Free, Pro]` probably mean.
fn meant(written: &TokenStream) -> Option<String> {
    let (types, has) =
        (types(written.clone()), |sign| written.clone().into_iter().any(|token| token.to_string() == sign));
    let pairs = match sides(written) {
        Some((old, new)) if types.len() > 2 && !has("<") => {
            old.iter().flat_map(|old| new.iter().map(move |new| (old.clone(), new.clone()))).collect()
        }
        _ => in_order(types, has("<"), has(">")),
    };
    let changes: Vec<_> =
        pairs.iter().map(|(old, new)| format!("{} => {}", as_written(old), as_written(new))).collect();
    (!changes.is_empty()).then(|| format!("write `changes({})`", changes.join(", ")))
}

/// Returns each plan with the next one, or with the one before it if the arrow points backwards.
fn in_order(mut plans: Vec<Path>, has_less: bool, has_greater: bool) -> Vec<(Path, Path)> {
    match (has_less, has_greater) {
        (true, true) if plans.len() == 2 => plans.push(plans[0].clone()),
        (true, _) => plans.reverse(),
        _ => {}
    }
    // `Free => Pro; Pro => Free`
    plans.dedup();
    plans.windows(2).map(|plans| (plans[0].clone(), plans[1].clone())).collect()
}

/// Returns the plans before and after an arrow, of which there is only one.
fn sides(written: &TokenStream) -> Option<(Vec<Path>, Vec<Path>)> {
    let tokens: Vec<_> = written.clone().into_iter().collect();
    let is_arrow = |pair: &[TokenTree]| pair[0].to_string() == "=" && pair[1].to_string() == ">";
    let mut arrows = tokens.windows(2).enumerate().filter(|(_, pair)| is_arrow(pair)).map(|(index, _)| index);
    let (arrow, None) = (arrows.next()?, arrows.next()) else { return None };
    let of = |tokens: &[TokenTree]| types(tokens.iter().cloned().collect());
    Some((of(&tokens[..arrow]), of(&tokens[arrow + 2..])))
}

/// Returns the types in the tokens, without other words such as `to`.
fn types(written: TokenStream) -> Vec<Path> {
    mentioned(written).into_iter().filter(is_type).collect()
}

fn change(input: ParseStream<'_>) -> syn::Result<Change> {
    let from = input.parse()?;
    input.parse::<syn::Token![=>]>()?;
    Ok(Change { from, to: input.parse()? })
}

/// Returns the changes, each once. Adds plans that only a change names to `mentioned`.
pub(super) fn validate(
    given: Given<ChangeList>,
    plans: &Plans,
    mentioned: &mut Vec<Path>,
    p: &TokenStream,
    errors: &mut Errors,
) -> Vec<Change> {
    let Some(list) = given.take(errors) else { return Vec::new() };
    errors.append(list.errors);
    let (mut changes, mut reported): (Vec<Change>, Vec<Path>) = Default::default();
    for (change, written) in list.changes {
        let before = errors.count();
        for plan in [&change.from, &change.to] {
            if plans.paths.contains(plan) || mentioned.contains(plan) || reported.contains(plan) {
                continue;
            }
            reported.push(plan.clone());
            refuse_unlisted(plan, plans, mentioned, p, errors);
        }
        if changes.iter().any(|other| other.from == change.from && other.to == change.to) {
            errors.help(&written, "this change is listed twice", "leave one of them out");
        }
        if errors.count() == before {
            changes.push(change);
        }
    }
    changes
}

/// Reports a plan that is not listed. Adds it to `mentioned` if it can't be a misspelt one of the list.
fn refuse_unlisted(plan: &Path, plans: &Plans, mentioned: &mut Vec<Path>, p: &TokenStream, errors: &mut Errors) {
    let name_of = |path: &Path| path.segments.last().map(|segment| segment.ident.to_string());
    let in_other_case = |listed: &&Path| {
        name_of(listed).zip(name_of(plan)).is_some_and(|(listed, name)| listed.eq_ignore_ascii_case(&name))
    };
    let same = plans.paths.iter().find(|listed| name_of(listed) == name_of(plan));
    let listed = same.or_else(|| plans.paths.iter().find(in_other_case));
    if listed.is_none() {
        mentioned.push(plan.clone());
    }
    if !plans.complete {
        return;
    }
    let message = format!("`{}` is not a plan of this service", as_written(plan));
    let listed_types: Vec<_> = plans.paths.iter().map(preserve_spans).collect();
    match listed.map(as_written) {
        // Of a list with a type that doesn't exist, that is the mistake.
        None => {
            let of = preserve_spans(plan);
            let is_listed = quote!(<#of as #p::PlanOfThisService<(#(#listed_types,)*)>>::IS_LISTED);
            errors.late(respan(plan, is_listed));
        }
        Some(listed) if same.is_some() => {
            let text = format!("{message}; write `{listed}`, as in `plans(...)`");
            let panic = respan(plan, quote!(::core::panic!("{}", #text)));
            errors.late(quote!({
                let _ = #p::core::marker::PhantomData::<(#(#listed_types,)*)>;
                #panic
            }));
        }
        Some(listed) => {
            let help = format_args!("`plans(...)` has `{listed}`: write the name of the type in both");
            errors.help(plan, message, help);
        }
    }
}
