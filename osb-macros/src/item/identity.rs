//! The id, the name and the description, which services and plans have.

use syn::{Ident, ItemStruct, ext::IdentExt};

use crate::{
    args::{Given, Text},
    doc::Doc,
    errors::Report,
    rules,
};

/// The id and the name of a service or plan.
pub(crate) struct Identity {
    pub(crate) id: String,
    pub(crate) name: String,
}

impl Identity {
    /// Both are required (CAT-10, CAT-11, CAT-30, CAT-31).
    pub(crate) fn validate(
        what: &str,
        ident: &Ident,
        id: Given<Text>,
        name: Given<Text>,
        report: &mut Report,
    ) -> Option<Self> {
        if !id.is_mentioned() {
            report.missing(
                "an id",
                "write `id = \"...\"` with a GUID (`uuidgen` makes one), and never change it: platforms know it by its id",
            );
        }
        let id = id.take(&mut report.errors);
        if let Some(id) = &id {
            rules::id(what, id, report);
        }
        let name = Self::name(what, ident, name, "users type it", report);
        Some(Self { id: id?.value(), name: name?.value() })
    }

    /// A family has the name that the deployment's file refers to, and no id: its plans have ids.
    pub(crate) fn of_family(ident: &Ident, id: Given<Text>, name: Given<Text>, report: &mut Report) -> Option<Self> {
        if let Some((_, id)) = id.take_with_place(&mut report.errors) {
            report.errors.help(
                id,
                "a family has no id: each of its plans has one",
                "remove `id`; the deployment's file has the ids of the plans",
            );
        }
        let name =
            Self::name("family", ident, name, "the deployment's file refers to the family by it", report)?.value();
        Some(Self { id: name.clone(), name })
    }

    fn name(what: &str, ident: &Ident, name: Given<Text>, why: &str, report: &mut Report) -> Option<Text> {
        if !name.is_mentioned() {
            let example = ident.unraw().to_string().to_lowercase();
            report.missing("a name", format!("write `name = \"{example}\"`; {why}"));
        }
        let name = name.take(&mut report.errors);
        if let Some(name) = &name {
            rules::name(what, name, report);
        }
        name
    }
}

/// Returns `description = "..."`, or the doc comment's first paragraph.
pub(crate) fn description(item: &ItemStruct, given: Given<Text>, report: &mut Report) -> Option<String> {
    if given.is_mentioned() {
        let text = given.take(&mut report.errors)?;
        let value = text.value();
        rules::description(Some(&value), &text, report);
        return Some(value);
    }
    let doc = Doc::of(&item.attrs);
    let summary = doc.summary();
    if let (None, Some(unreadable)) = (&summary, &doc.unreadable) {
        report.errors.help(
            unreadable,
            "a macro cannot read this doc comment",
            "write `description = \"...\"` for the catalog beside it",
        );
        return None;
    }
    rules::description(summary.as_deref(), &item.ident, report);
    summary
}
