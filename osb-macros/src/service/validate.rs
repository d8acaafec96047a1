//! The rules for the arguments of one `#[service]`.
//!
//! They concern the values of single arguments. Rules that need the plans' own arguments are decided in constants, by
//! `osb-catalog`.

use proc_macro2::{Ident, TokenStream};
use syn::{Generics, ItemStruct, LitStr, Meta, Path};

use super::{
    changes::{self, Change},
    dashboard_client::DashboardClient,
    metadata::ServiceMetadata,
    parse::RawService,
    plans,
};
use crate::{
    args::{Flag, Given, Strings},
    errors::Report,
    item::{self, Identity},
    metadata, rules,
    runtime::Runtime,
};

/// A service without mistakes.
pub(super) struct Service {
    pub(super) runtime: Runtime,
    pub(super) ident: Ident,
    pub(super) identity: Identity,
    pub(super) description: String,
    pub(super) tags: Vec<LitStr>,
    pub(super) plans: Vec<Path>,
    pub(super) changes: Vec<Change>,
    pub(super) metadata: ServiceMetadata,
    pub(super) dashboard_client: Option<DashboardClient>,
    pub(super) instances_retrievable: bool,
    pub(super) bindings_retrievable: bool,
    /// The author's own argument, which can contradict the plans.
    pub(super) bindings_retrievable_at: Option<Meta>,
    pub(super) allow_context_updates: bool,
    pub(super) extensions: String,
}

const FIELDS: &[&str] = &[
    "name",
    "id",
    "description",
    "tags",
    "requires",
    "bindable",
    "instances_retrievable",
    "bindings_retrievable",
    "allow_context_updates",
    "metadata",
    "dashboard_client",
    "plan_updateable",
    "plans",
];

const PLANS_MISSING: &str = "write `plans(Free, Pro)`, each a struct with `#[plan(...)]` (CAT-22)";

/// The parts of a service with mistakes that its uses name.
pub(super) struct Fallback {
    pub(super) runtime: Runtime,
    pub(super) ident: Ident,
    pub(super) generics: Generics,
    /// Everything that was taken for a plan: none of them lacks a service.
    pub(super) plans: Vec<Path>,
    /// A value with an error, if the plans are unknown: none of the program's plans lacks a service.
    pub(super) unknown: Option<TokenStream>,
    /// The struct has no plans and no fields: it may be a plan.
    pub(super) may_be_plan: bool,
}

/// Validates the arguments. `report` has the mistakes of earlier stages, too: each of them makes the service a fallback.
pub(super) fn validate(
    raw: RawService,
    item: &ItemStruct,
    runtime: Runtime,
    report: &mut Report,
) -> Result<Service, Box<Fallback>> {
    let identity = Identity::validate("service", &item.ident, raw.id, raw.name, report);
    let description = item::description(item, raw.description, report);
    let has_plans = raw.plans.is_mentioned();
    if !has_plans {
        let other = if item.fields.is_empty() {
            "a plan is under `#[plan]`"
        } else {
            "a struct whose fields are services is under `#[broker]`"
        };
        report.missing("plans", format!("{PLANS_MISSING}; {other}"));
    }
    let plans = plans::validate(raw.plans, Some(&item.ident), &mut report.errors);
    let mut mentioned = plans.paths.clone();
    let changes = changes::validate(raw.changes, &plans, &mut mentioned, &runtime.private(), &mut report.errors);
    let tags = tags(raw.tags, report);
    let metadata = ServiceMetadata::validate(raw.metadata, report);
    let dashboard_client = DashboardClient::validate(raw.dashboard_client, report);
    let errors = &mut report.errors;
    let instances_retrievable = raw.instances_retrievable.take(errors);
    let (bindings_retrievable, bindings_retrievable_at) = raw.bindings_retrievable.take_with_place(errors).unzip();
    let allow_context_updates = raw.allow_context_updates.take(errors);
    let extensions = metadata::extensions(FIELDS, raw.extensions, report);
    report.report_missing("service", &item.ident);
    let ident = item.ident.clone();
    let (Some(identity), Some(description), true) = (identity, description, report.errors.is_empty()) else {
        let generics = item.generics.clone();
        // A plan that only `changes(...)` mentions may be another service's.
        let is_unknown = plans.paths.is_empty() || plans.is_unclear || mentioned.len() > plans.paths.len();
        let unknown = if is_unknown { report.errors.take_as_value() } else { None };
        let may_be_plan = !has_plans && item.fields.is_empty();
        return Err(Box::new(Fallback { runtime, ident, generics, plans: plans.paths, unknown, may_be_plan }));
    };
    Ok(Service {
        runtime,
        ident,
        identity,
        description,
        tags,
        plans: plans.paths,
        changes,
        metadata,
        dashboard_client,
        instances_retrievable: instances_retrievable.is_none_or(|Flag(set)| set),
        bindings_retrievable: bindings_retrievable.is_none_or(|Flag(set)| set),
        bindings_retrievable_at,
        allow_context_updates: allow_context_updates.is_some_and(|Flag(set)| set),
        extensions,
    })
}

/// Validates the tags (CAT-13), and their length together, which Cloud Foundry limits.
fn tags(given: Given<Strings>, report: &mut Report) -> Vec<LitStr> {
    let Some(Strings(tags)) = given.take(&mut report.errors) else { return Vec::new() };
    let mut seen = Vec::new();
    for tag in &tags {
        if seen.contains(&tag.value()) {
            report.warn(tag, "tag_given_twice", "this tag is in the list already: leave it out");
        }
        if tag.value().contains(',') {
            let message =
                "this is one tag with a comma in it; write each tag as a string of its own: `tags(\"a\", \"b\")`";
            report.warn(tag, "tag_with_a_comma", message);
        }
        if tag.value().trim() != tag.value() {
            report.warn(
                tag,
                "tag_with_a_space",
                "white space is part of the tag, so applications don't find it: leave it out",
            );
        }
        seen.push(tag.value());
    }
    let joined: usize = seen.iter().map(|tag| tag.chars().count()).sum();
    if joined > 2048
        && let Some(last) = tags.last()
    {
        report.errors.help(
            last,
            format_args!("the tags have {joined} characters together"),
            "Cloud Foundry takes at most 2048; drop some",
        );
    } else {
        for tag in &tags {
            rules::length(tag, report);
        }
    }
    tags
}

#[cfg(test)]
mod tests {
    use darling::FromMeta;
    use quote::quote;

    use super::tags;
    use crate::{args::Given, errors::Report};

    #[test]
    fn tags_have_2048_characters_together() {
        let errors = |last: usize| {
            let texts: Vec<_> =
                (0..9).map(|at| format!("{at}{}", "é".repeat(if at < 8 { 254 } else { last }))).collect();
            let mut report = Report::default();
            let given = Given::from_meta(&syn::parse2(quote!(tags(#(#texts),*))).expect("an argument"));
            tags(given.expect("the errors are those of the value"), &mut report);
            (report.errors.count(), report.warnings.len())
        };
        assert_eq!([7, 8].map(errors), [(0, 0), (1, 0)]);
    }
}
