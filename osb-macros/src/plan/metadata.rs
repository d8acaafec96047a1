//! `metadata(...)` of a plan: the profile's conventional names, typed, and JSON members for the rest (PROF-11).

use syn::LitStr;

use super::costs::Costs;
use crate::{
    args::{ArgumentList, Given, Group, Hint, MemberUse, Nested, Strings, Text, arguments},
    errors::Report,
    json,
    metadata::{DESCRIPTION, EXAMPLE, Members},
    rules,
};

arguments! {
    /// `metadata(...)` of a plan (PROF-11).
    pub(super) struct RawPlanMetadata {
        /// `display_name = "..."` | The name that people read; a warning above 255 characters. | PROF-11
        display_name: Given<Text>,
        /// `bullets("...", "...")` | The features of the plan, one by one. | PROF-11
        bullets: Given<Strings>,
        /// `costs((usd = 9.90, unit = "MONTHLY"), ...)` | The price: amounts per currency and the billing
        /// unit; requires `free`. | PROF-11
        costs: Given<Costs>,
    }
}

impl Group for RawPlanMetadata {
    const NAME: &'static str = "metadata";
    const EXAMPLE: &'static str = EXAMPLE;
    const WHOSE: &'static str = "`metadata` of a plan";
    const HINTS: &'static [Hint] = &[
        DESCRIPTION,
        ("price", "write `costs((usd = 9.90, unit = \"MONTHLY\"))`"),
        ("image_url", "it is a service's: `#[service(..., metadata(image_url = \"...\"))]`"),
        ("long_description", "it is a service's: `#[service(..., metadata(long_description = \"...\"))]`"),
        ("provider_display_name", "it is a service's: `#[service(..., metadata(provider_display_name = \"...\"))]`"),
        ("documentation_url", "it is a service's: `#[service(..., metadata(documentation_url = \"...\"))]`"),
        ("support_url", "it is a service's: `#[service(..., metadata(support_url = \"...\"))]`"),
        ("shareable", "it is a service's: `#[service(..., metadata(shareable))]`"),
    ];
    const MEMBERS: MemberUse = MemberUse::Taken;
}

/// The metadata of a plan: the catalog's member, and the parts that the documentation shows.
#[derive(Default)]
pub(super) struct PlanMetadata {
    pub(super) json: String,
    pub(super) display_name: Option<String>,
    pub(super) bullets: Vec<LitStr>,
    /// Each cost in words.
    pub(super) costs: Vec<String>,
    /// The author's `costs(...)`, if there is an amount that isn't 0.
    pub(super) costs_at: Option<syn::Path>,
}

impl PlanMetadata {
    pub(super) fn validate(given: Given<Nested<RawPlanMetadata>>, report: &mut Report) -> Self {
        let Some(nested) = given.take(&mut report.errors) else { return Self::default() };
        let Nested { arguments, members: others, .. } = nested.report(&mut report.errors);
        let display_name = arguments.display_name.take(&mut report.errors);
        let bullets = arguments.bullets.take(&mut report.errors).map(|Strings(bullets)| bullets);
        let (costs, costs_at) = arguments.costs.take_with_place(&mut report.errors).unzip();
        let costs = costs.unwrap_or_default();
        for text in display_name.iter().map(|text| &text.0).chain(bullets.iter().flatten()) {
            rules::length(text, report);
        }
        costs.warn(report);
        let mut members = Members::default();
        members.add_text("displayName", display_name.as_ref());
        if let Some(bullets) = &bullets {
            members.add_list("bullets", bullets.iter().map(|bullet| json::quoted(&bullet.value())));
        }
        if !costs.is_empty() {
            members.add_list("costs", costs.json());
        }
        members.add_others(others, RawPlanMetadata::NAMES, report);
        Self {
            json: members.json(),
            display_name: display_name.map(|text| text.value()),
            bullets: bullets.unwrap_or_default(),
            costs: costs.words(),
            costs_at: costs_at.filter(|_| costs.has_price()).map(|meta| meta.path().clone()),
        }
    }
}
