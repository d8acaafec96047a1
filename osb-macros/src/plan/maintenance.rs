//! `maintenance_info(version = "...", description = "...")`.

use crate::{
    args::{Arguments, Text},
    json::quoted,
    rules::{self, Report},
};

/// What was written, CAT-40.
pub(super) struct Maintenance {
    pub(super) version: String,
    pub(super) description: Option<String>,
}

impl Maintenance {
    pub(super) fn read(args: &mut Arguments, report: &mut Report) -> Option<Self> {
        let (at, mut args) = args.nested("maintenance_info", "version = \"1.0.0\"", &mut report.errors)?;
        let version: Option<Text> = args.get("version", &mut report.errors);
        let description: Option<Text> = args.get("description", &mut report.errors);
        for (key, _) in args.members.drain(..) {
            report.errors.help(
                &key,
                "`maintenance_info` has no extension fields",
                "Cloud Foundry refuses a catalog that has them; put it into the plan's `extensions` (CAT-40)",
            );
        }
        let given = args.mentions("version");
        args.finish("`maintenance_info`", &[], &mut report.errors);
        let Some(version) = version else {
            if !given {
                report.errors.help(
                    at,
                    "`maintenance_info` needs a version",
                    "write `maintenance_info(version = \"1.0.0\")` (CAT-40)",
                );
            }
            return None;
        };
        rules::semver(&version, report);
        let info = Self { version: version.value(), description: description.as_ref().map(Text::value) };
        let characters = info.json().chars().count();
        if let Some(text) = &description {
            if characters > 2000 {
                report.errors.help(
                    text,
                    format_args!("`maintenance_info` has {characters} characters of JSON"),
                    "Cloud Foundry takes at most 2000; write a shorter description",
                );
            } else {
                rules::length(&text.0, report);
            }
        }
        Some(info)
    }

    pub(super) fn json(&self) -> String {
        let description = self.description.as_ref().map(|text| format!(",\"description\":{}", quoted(text)));
        format!("{{\"version\":{}{}}}", quoted(&self.version), description.unwrap_or_default())
    }
}
