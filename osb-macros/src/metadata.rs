//! `metadata(...)`: the profile's conventional names, typed, and JSON members for the rest. Extension fields too.

use darling::FromMeta;
use proc_macro2::TokenTree;
use quote::ToTokens;
use syn::{Expr, LitStr, Meta, MetaList};

use crate::{
    args::{Arguments, Text, split_at_commas, string_literal},
    json::{self, Json},
    rules::{self, Report},
};

/// What `metadata(...)` says: the catalog's object, and what the documentation wants to know by itself.
#[derive(Default)]
pub(crate) struct Metadata {
    /// The members, in order; no `metadata` at all if empty.
    members: Vec<(String, String)>,
    pub(crate) display_name: Option<Text>,
    pub(crate) long_description: Option<Text>,
    pub(crate) documentation_url: Option<Text>,
    pub(crate) support_url: Option<Text>,
    pub(crate) image_url: Option<Text>,
    pub(crate) bullets: Vec<LitStr>,
    /// Each cost in words.
    pub(crate) costs: Vec<String>,
    pub(crate) costs_at: Option<syn::Ident>,
}

impl Metadata {
    /// `,"metadata":{...}`, or nothing.
    pub(crate) fn json(&self) -> String {
        if self.members.is_empty() {
            return String::new();
        }
        let members = self.members.iter().map(|(key, value)| format!("{}:{value}", json::quoted(key)));
        format!(",\"metadata\":{{{}}}", members.collect::<Vec<_>>().join(","))
    }

    fn string(&mut self, key: &str, text: Option<&Text>) {
        if let Some(text) = text {
            self.members.push((key.to_owned(), json::quoted(&text.value())));
        }
    }

    /// The members of the author's own; `typed` are the conventional names that have an argument.
    fn rest(&mut self, args: &mut Arguments, typed: &[(&str, &str)], report: &mut Report) {
        for (key, value) in args.members.drain(..) {
            let name = key.value();
            if let Some((_, argument)) = typed.iter().find(|(wire, _)| *wire == name) {
                report.errors.help(
                    &key,
                    format_args!("`{name}` has a typed argument"),
                    format_args!("write `{argument} = ...`"),
                );
            } else if self.members.iter().any(|(other, _)| *other == name) {
                report.errors.at(&key, format_args!("the key {name:?} is given twice"));
            } else {
                self.members.push((name, value.text()));
            }
        }
    }

    /// An offering's (PROF-10).
    pub(crate) fn of_service(args: &mut Arguments, report: &mut Report) -> Self {
        let mut this = Self::default();
        let Some((_, mut args)) = args.nested("metadata", EXAMPLE, &mut report.errors) else { return this };
        let errors = &mut report.errors;
        let display_name: Option<Text> = args.get("display_name", errors);
        let image_url: Option<Text> = args.get("image_url", errors);
        let long_description: Option<Text> = args.get("long_description", errors);
        let provider: Option<Text> = args.get("provider_display_name", errors);
        let documentation_url: Option<Text> = args.get("documentation_url", errors);
        let support_url: Option<Text> = args.get("support_url", errors);
        let shareable = args.flag("shareable", errors);
        for text in [&display_name, &provider].into_iter().flatten() {
            rules::length(&text.0, report);
        }
        for (name, text, data) in [
            ("image_url", &image_url, true),
            ("documentation_url", &documentation_url, false),
            ("support_url", &support_url, false),
        ] {
            if let Some(text) = text {
                rules::url(name, text, data, report);
            }
        }
        this.string("displayName", display_name.as_ref());
        this.string("imageUrl", image_url.as_ref());
        this.string("longDescription", long_description.as_ref());
        this.string("providerDisplayName", provider.as_ref());
        this.string("documentationUrl", documentation_url.as_ref());
        this.string("supportUrl", support_url.as_ref());
        if let Some(shareable) = shareable {
            this.members.push(("shareable".to_owned(), shareable.to_string()));
        }
        let typed = [
            ("displayName", "display_name"),
            ("imageUrl", "image_url"),
            ("longDescription", "long_description"),
            ("providerDisplayName", "provider_display_name"),
            ("documentationUrl", "documentation_url"),
            ("supportUrl", "support_url"),
            ("shareable", "shareable"),
        ];
        this.rest(&mut args, &typed, report);
        args.finish("`metadata` of a service", &[OTHER], &mut report.errors);
        Self { display_name, long_description, documentation_url, support_url, image_url, ..this }
    }

    /// A plan's (PROF-11).
    pub(crate) fn of_plan(args: &mut Arguments, report: &mut Report) -> Self {
        let mut this = Self::default();
        let Some((_, mut args)) = args.nested("metadata", EXAMPLE, &mut report.errors) else { return this };
        let display_name: Option<Text> = args.get("display_name", &mut report.errors);
        if let Some(text) = &display_name {
            rules::length(&text.0, report);
        }
        let bullets: Option<Strings> = args.get("bullets", &mut report.errors);
        if let Some(Strings(bullets)) = &bullets {
            for bullet in bullets {
                rules::length(bullet, report);
            }
        }
        let costs = match args.find("costs").cloned() {
            Some(Meta::List(list)) => {
                this.costs_at = list.path.get_ident().cloned();
                costs(&list, report)
            }
            Some(other) => {
                report.errors.help(other, "`costs` takes a list", COSTS);
                Vec::new()
            }
            None => Vec::new(),
        };
        this.string("displayName", display_name.as_ref());
        if let Some(Strings(bullets)) = &bullets {
            let list = bullets.iter().map(|bullet| json::quoted(&bullet.value())).collect::<Vec<_>>().join(",");
            this.members.push(("bullets".to_owned(), format!("[{list}]")));
        }
        if !costs.is_empty() {
            let list = costs.iter().map(|(json, _)| json.as_str()).collect::<Vec<_>>().join(",");
            this.members.push(("costs".to_owned(), format!("[{list}]")));
        }
        let typed = [("displayName", "display_name"), ("bullets", "bullets"), ("costs", "costs")];
        this.rest(&mut args, &typed, report);
        args.finish("`metadata` of a plan", &[OTHER], &mut report.errors);
        let bullets = bullets.map(|Strings(list)| list).unwrap_or_default();
        Self { display_name, bullets, costs: costs.into_iter().map(|(_, words)| words).collect(), ..this }
    }
}

const EXAMPLE: &str = "display_name = \"...\", \"key\": value";

const OTHER: (&str, &str) =
    ("description", "it stands in the attribute itself; other metadata is JSON: `\"key\": value`");

const COSTS: &str = "write `costs((usd = 9.90, unit = \"MONTHLY\"), ...)`";

/// The costs, each as JSON and in words.
fn costs(list: &MetaList, report: &mut Report) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for piece in split_at_commas(list.tokens.clone()) {
        let mut tokens = piece.clone().into_iter();
        let (Some(TokenTree::Group(group)), None) = (tokens.next(), tokens.next()) else {
            // Whoever forgets one cost's parentheses forgets them for each of its parts.
            report.errors.help(&list.tokens, "each cost stands in parentheses of its own", COSTS);
            return Vec::new();
        };
        let mut amounts = Vec::new();
        let mut unit = None;
        let mut wrong = false;
        for part in split_at_commas(group.stream()) {
            let (place, message) = match syn::parse2::<syn::MetaNameValue>(part.clone()) {
                Ok(pair) if pair.path.is_ident("unit") => match string_literal(&pair.value) {
                    Some(text) if !text.value().trim().is_empty() => {
                        unit = Some(text.value());
                        continue;
                    }
                    _ => (pair.value.into_token_stream(), "`unit` is a string that is not blank"),
                },
                Ok(pair) => match (pair.path.get_ident(), amount(&pair.value)) {
                    (Some(currency), Some(amount)) => {
                        amounts.push((currency.to_string(), amount));
                        continue;
                    }
                    _ => (pair.value.into_token_stream(), "an amount is a number"),
                },
                Err(_) => (part, "expected `currency = amount` or `unit = \"...\"`"),
            };
            report.errors.help(place, message, COSTS);
            wrong = true;
        }
        match unit {
            _ if wrong => {}
            None => report.errors.help(group, "a cost needs a `unit`", COSTS),
            Some(_) if amounts.is_empty() => report.errors.help(group, "a cost needs an amount in a currency", COSTS),
            Some(unit) => {
                let json = amounts.iter().map(|(c, a)| format!("{}:{a}", json::quoted(c))).collect::<Vec<_>>();
                let words = amounts.iter().map(|(c, a)| format!("{a} {}", c.to_uppercase())).collect::<Vec<_>>();
                found.push((
                    format!("{{\"amount\":{{{}}},\"unit\":{}}}", json.join(","), json::quoted(&unit)),
                    format!("{} {}", words.join(" or "), how_often(&unit)),
                ));
            }
        }
    }
    found
}

/// `MONTHLY` as “monthly”, anything else as “per gigabyte”.
fn how_often(unit: &str) -> String {
    let word = unit.to_lowercase();
    if word.ends_with("ly") { word } else { format!("per {unit}") }
}

fn amount(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(lit) => match json::number(&lit.lit, false)?.ok()? {
            // The profile says float, so that `9` is `9.0`.
            Json::Integer(whole) => Some(format!("{whole}.0")),
            other => Some(other.text()),
        },
        Expr::Group(group) => amount(&group.expr),
        _ => None,
    }
}

/// `name("a", "b")`: strings that are not blank.
pub(crate) struct Strings(pub(crate) Vec<LitStr>);

impl FromMeta for Strings {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let name = meta.path().to_token_stream();
        let Meta::List(list) = meta else {
            return Err(darling::Error::custom(format_args!(
                "`{name}` is a list of strings: `{name}(\"...\", \"...\")`"
            ))
            .with_span(meta));
        };
        let mut found = Vec::new();
        let mut errors = darling::Error::accumulator();
        for piece in split_at_commas(list.tokens.clone()) {
            match syn::parse2::<Expr>(piece.clone()).ok().as_ref().and_then(string_literal) {
                Some(text) if !text.value().trim().is_empty() => found.push(text),
                Some(text) => errors.push(
                    darling::Error::custom(format_args!("`{name}` must not contain blank strings")).with_span(&text),
                ),
                None => errors.push(
                    darling::Error::custom(format_args!("`{name}` is a list of strings: `{name}(\"...\", \"...\")`"))
                        .with_span(&piece),
                ),
            }
        }
        errors.finish_with(Self(found))
    }
}

/// `extensions("name": value)`: fields that the specification doesn't know, each with a comma before it (EXT-02).
pub(crate) fn extensions(whose: &str, known: &[&str], args: &mut Arguments, report: &mut Report) -> String {
    let Some((_, mut args)) = args.nested("extensions", "\"acme:name\": value", &mut report.errors) else {
        return String::new();
    };
    let mut out = String::new();
    let mut seen = Vec::new();
    for (key, value) in args.members.drain(..) {
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
            if !name.contains([':', '.', '-', '_']) {
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
    args.finish(&format!("`extensions` of {whose}"), &[], &mut report.errors);
    out
}
