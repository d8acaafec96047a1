//! Members of the catalog that are JSON: those of `metadata(...)`, and extension fields.

use proc_macro2::TokenStream;
use syn::LitStr;

use crate::{
    args::{Given, Group, Hint, Member, MemberUse, Nested, Text, arguments},
    errors::Report,
    json,
};

/// An example of `metadata(...)`, for help.
pub(crate) const EXAMPLE: &str = "display_name = \"...\", \"key\": value";

/// The hint for an argument that both have outside of their metadata.
pub(crate) const DESCRIPTION: Hint =
    ("description", "it stands in the attribute itself; other metadata is JSON: `\"key\": value`");

/// The rows of the documentation for members without an argument.
#[cfg(test)]
pub(crate) const OTHER_ROWS: &[&str] = &["`\"key\": value` | Any other member, as JSON. | CAT-19, CAT-33"];

/// The members of the catalog's object `metadata`, in order.
#[derive(Default)]
pub(crate) struct Members(Vec<(String, String)>);

impl Members {
    pub(crate) fn add_text(&mut self, key: &str, text: Option<&Text>) {
        if let Some(text) = text {
            self.add(key, json::quoted(&text.value()));
        }
    }

    /// Adds a list of JSON values.
    pub(crate) fn add_list(&mut self, key: &str, items: impl Iterator<Item = String>) {
        self.add(key, format!("[{}]", items.collect::<Vec<_>>().join(",")));
    }

    pub(crate) fn add(&mut self, key: &str, json: String) {
        self.0.push((key.to_owned(), json));
    }

    /// Adds the author's own members. A conventional name is that of one of the `arguments`, with or without its underscores.
    pub(crate) fn add_others(&mut self, others: Vec<Member>, arguments: &[&str], report: &mut Report) {
        for (key, value) in others {
            let name = key.value();
            let is_named_so = |argument: &&&str| argument.replace('_', "").eq_ignore_ascii_case(&name.replace('_', ""));
            if let Some(argument) = arguments.iter().find(is_named_so) {
                let example = match *argument {
                    "bullets" => "bullets(\"...\", \"...\")".to_owned(),
                    "costs" => "costs((usd = 9.90, unit = \"MONTHLY\"))".to_owned(),
                    argument => format!("{argument} = ..."),
                };
                let message = format_args!("`{name}` has a typed argument");
                report.errors.help(&key, message, format_args!("write `{example}`"));
            } else if self.0.iter().any(|(other, _)| *other == name) {
                report.errors.at(&key, format_args!("the key {name:?} is given twice"));
            } else {
                self.0.push((name, value.text()));
            }
        }
    }

    /// Writes `,"metadata":{...}`, or nothing.
    pub(crate) fn json(&self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let members = self.0.iter().map(|(key, value)| format!("{}:{value}", json::quoted(key)));
        format!(",\"metadata\":{{{}}}", members.collect::<Vec<_>>().join(","))
    }
}

arguments! {
    /// `extensions(...)`, which has JSON members only.
    pub(crate) struct RawExtensions {}
}

impl Group for RawExtensions {
    const NAME: &'static str = "extensions";
    const EXAMPLE: &'static str = "\"acme:name\": value";
    const WHOSE: &'static str = "`extensions`";
    const MEMBERS: MemberUse = MemberUse::Taken;

    fn named(tokens: &TokenStream) -> Option<String> {
        let name = syn::parse2::<LitStr>(tokens.clone()).ok()?;
        let name = name.value();
        // A prefix, as every extension field should have one.
        let prefix = if has_prefix(&name) { "" } else { "acme:" };
        Some(format!("\"{prefix}{name}\": value"))
    }
}

fn has_prefix(name: &str) -> bool {
    name.contains([':', '.', '-', '_'])
}

/// Returns the extension fields as JSON members, each with a comma before it (EXT-02). `known` are the fields of the
/// specification.
pub(crate) fn extensions(known: &[&str], given: Given<Nested<RawExtensions>>, report: &mut Report) -> String {
    let Some(nested) = given.take(&mut report.errors) else { return String::new() };
    let mut out = String::new();
    let mut seen = Vec::new();
    for (key, value) in nested.report(&mut report.errors).members {
        let name = key.value();
        if known.contains(&name.as_str()) {
            report.errors.help(
                &key,
                format_args!("`{name}` is a field of the specification"),
                "it is written by its own argument, or derived; an extension field needs a name of its own (EXT-02)",
            );
        } else if seen.contains(&name) {
            report.errors.at(&key, format_args!("the key {name:?} is given twice"));
        } else {
            if !has_prefix(&name) {
                report.warn(
                    &key,
                    "extension_without_prefix",
                    "the name of an extension field should have a prefix of its own, such as `acme:` (EXT-02)",
                );
            }
            out.push_str(&format!(",{}:{}", json::quoted(&name), value.text()));
            seen.push(name);
        }
    }
    out
}
