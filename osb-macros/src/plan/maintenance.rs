//! `maintenance_info(version = "...", description = "...")` (CAT-40).

use proc_macro2::TokenStream;

use crate::{
    args::{Given, Group, MemberUse, Nested, Text, arguments, named_in_order},
    errors::Report,
    json::quoted,
    rules,
};

arguments! {
    /// `maintenance_info(...)`
    pub(super) struct RawMaintenance {
        /// `version = "..."` | A semantic version.
        version: Given<Text>,
        /// `description = "..."` | The effect of the maintenance on users.
        description: Given<Text>,
    }
}

impl Group for RawMaintenance {
    const NAME: &'static str = "maintenance_info";
    const EXAMPLE: &'static str = "version = \"1.0.0\"";
    const WHOSE: &'static str = "`maintenance_info`";
    const MEMBERS: MemberUse = MemberUse::ReadToRefuse;

    fn named(tokens: &TokenStream) -> Option<String> {
        named_in_order::<Self>(tokens)
    }
}

pub(super) struct Maintenance {
    pub(super) version: String,
    pub(super) description: Option<String>,
}

impl Maintenance {
    pub(super) fn validate(given: Given<Nested<RawMaintenance>>, report: &mut Report) -> Option<Self> {
        let Nested { name, arguments, members, .. } = given.take(&mut report.errors)?.report(&mut report.errors);
        for (key, _) in members {
            report.errors.help(
                &key,
                "`maintenance_info` has no extension fields",
                "Cloud Foundry refuses a catalog that has them; put it into the plan's `extensions` (CAT-40)",
            );
        }
        if !arguments.version.is_mentioned() {
            report.errors.help(
                name,
                "`maintenance_info` needs a version",
                "write `maintenance_info(version = \"1.0.0\")` (CAT-40)",
            );
        }
        let version = arguments.version.take(&mut report.errors);
        let description = arguments.description.take(&mut report.errors);
        let version = version?;
        rules::semver(&version, report);
        let info = Self { version: version.value(), description: description.as_ref().map(Text::value) };
        // Rails, which Cloud Foundry writes JSON with, escapes these as `\u003c`.
        let escaped = |c: char| if "<>&\u{2028}\u{2029}".contains(c) { 6 } else { 1 };
        let characters: usize = info.json().chars().map(escaped).sum();
        if characters > 2000 {
            let (text, what) = description.as_ref().map_or((&version, "version"), |text| (text, "description"));
            report.errors.help(
                text,
                format_args!("`maintenance_info` has {characters} characters of JSON"),
                format_args!(
                    "Cloud Foundry takes at most 2000, in which `<`, `>` and `&` are 6 each; write a shorter {what}"
                ),
            );
        } else if let Some(text) = &description {
            rules::length(&text.0, report);
        }
        Some(info)
    }

    pub(super) fn json(&self) -> String {
        let description = self.description.as_ref().map(|text| format!(",\"description\":{}", quoted(text)));
        format!("{{\"version\":{}{}}}", quoted(&self.version), description.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use darling::FromMeta;
    use quote::quote;

    use super::Maintenance;
    use crate::{args::Given, errors::Report};

    #[test]
    fn the_json_has_2000_characters() {
        let around = r#"{"version":"1.0.0","description":""}"#.len();
        let errors = |length: usize| {
            let text = format!("<{}", "a".repeat(length - around - 6));
            let argument = quote!(maintenance_info(version = "1.0.0", description = #text));
            let given = Given::from_meta(&syn::parse2(argument).expect("an argument"));
            let mut report = Report::default();
            Maintenance::validate(given.expect("the errors are those of the value"), &mut report);
            report.errors.count()
        };
        assert_eq!([2000, 2001].map(errors), [0, 1]);
    }
}
