//! `metadata(...)`: the profile's conventional names, typed, and JSON members for the rest. Extension fields too.

use std::fmt;

use darling::FromMeta;
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Expr, LitStr, Meta, parse::Parser};

use crate::{
    args::{
        ArgumentList, Flag, Given, Group, Hint, Member, MemberUse, Nested, Strings, Text, arguments, nearest,
        split_at_commas, string_literal, wrong,
    },
    errors::Report,
    json::{self, Json},
    rules,
};

arguments! {
    /// `metadata(...)` of a service (PROF-10).
    pub(crate) struct RawServiceMetadata {
        /// `display_name = "..."` | The name that people read; a warning above 255 characters. | PROF-10
        display_name: Given<Text>,
        /// `image_url = "..."` | A picture: an `https:`, `http:` or `data:` URL. | PROF-10
        image_url: Given<Text>,
        /// `long_description = "..."` | A description of any length. | PROF-10
        long_description: Given<Text>,
        /// `provider_display_name = "..."` | The name of the operator; a warning above 255 characters. | PROF-10
        provider_display_name: Given<Text>,
        /// `documentation_url = "..."` | The URL of the documentation. | PROF-10
        documentation_url: Given<Text>,
        /// `support_url = "..."` | The URL of the support page. | PROF-10
        support_url: Given<Text>,
        /// `shareable` | Whether Cloud Foundry lets instances be shared between spaces. | PROF-10
        shareable: Given<Flag>,
    }
}

impl Group for RawServiceMetadata {
    const NAME: &'static str = "metadata";
    const EXAMPLE: &'static str = EXAMPLE;
    const WHOSE: &'static str = "`metadata` of a service";
    const HINTS: &'static [Hint] = &[
        DESCRIPTION,
        ("bullets", "they are a plan's: `#[plan(..., metadata(bullets(\"...\")))]`"),
        ("costs", "they are a plan's: `#[plan(..., metadata(costs((usd = 9.90, unit = \"MONTHLY\"))))]`"),
    ];
    const MEMBERS: MemberUse = MemberUse::Taken;
}

arguments! {
    /// `metadata(...)` of a plan (PROF-11).
    pub(crate) struct RawPlanMetadata {
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

const EXAMPLE: &str = "display_name = \"...\", \"key\": value";

const DESCRIPTION: Hint =
    ("description", "it stands in the attribute itself; other metadata is JSON: `\"key\": value`");

/// The rows of the documentation for members without an argument.
#[cfg(test)]
pub(crate) const OTHER_ROWS: &[&str] = &["`\"key\": value` | Any other member, as JSON. | CAT-19, CAT-33"];

/// The members of the catalog's object `metadata`, in order.
#[derive(Default)]
struct Members(Vec<(String, String)>);

impl Members {
    fn add_text(&mut self, key: &str, text: Option<&Text>) {
        if let Some(text) = text {
            self.0.push((key.to_owned(), json::quoted(&text.value())));
        }
    }

    /// Adds the author's own members. A conventional name is that of one of the `arguments`, with or without its underscores.
    fn add_others(&mut self, others: Vec<Member>, arguments: &[&str], report: &mut Report) {
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
    fn json(&self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let members = self.0.iter().map(|(key, value)| format!("{}:{value}", json::quoted(key)));
        format!(",\"metadata\":{{{}}}", members.collect::<Vec<_>>().join(","))
    }
}

/// The metadata of a service: the catalog's member, and the parts that the documentation shows.
#[derive(Default)]
pub(crate) struct ServiceMetadata {
    pub(crate) json: String,
    pub(crate) display_name: Option<String>,
    pub(crate) long_description: Option<String>,
    pub(crate) documentation_url: Option<String>,
    pub(crate) support_url: Option<String>,
    pub(crate) image_url: Option<String>,
    /// The URLs to check, with the names of the arguments.
    pub(crate) urls: Vec<(&'static str, LitStr)>,
}

impl ServiceMetadata {
    pub(crate) fn validate(given: Given<Nested<RawServiceMetadata>>, report: &mut Report) -> Self {
        let Some(nested) = given.take(&mut report.errors) else { return Self::default() };
        let Nested { arguments, members: others, .. } = nested.report(&mut report.errors);
        let mut members = Members::default();
        let mut text = |key: &str, given: Given<Text>| {
            let text = given.take(&mut report.errors);
            members.add_text(key, text.as_ref());
            text
        };
        let display_name = text("displayName", arguments.display_name);
        let image_url = text("imageUrl", arguments.image_url);
        let long_description = text("longDescription", arguments.long_description);
        let provider = text("providerDisplayName", arguments.provider_display_name);
        let documentation_url = text("documentationUrl", arguments.documentation_url);
        let support_url = text("supportUrl", arguments.support_url);
        if let Some(Flag(shareable)) = arguments.shareable.take(&mut report.errors) {
            members.0.push(("shareable".to_owned(), shareable.to_string()));
        }
        for text in [&display_name, &provider].into_iter().flatten() {
            rules::length(&text.0, report);
        }
        let mut urls = Vec::new();
        for (name, text, data) in [
            ("image_url", &image_url, true),
            ("documentation_url", &documentation_url, false),
            ("support_url", &support_url, false),
        ] {
            if let Some(text) = text {
                rules::url(name, text, data, report);
                if !text.value().starts_with("data:") {
                    urls.push((name, text.0.clone()));
                }
            }
        }
        members.add_others(others, RawServiceMetadata::NAMES, report);
        let value = |text: Option<Text>| text.map(|text| text.value());
        Self {
            json: members.json(),
            display_name: value(display_name),
            long_description: value(long_description),
            documentation_url: value(documentation_url),
            support_url: value(support_url),
            image_url: value(image_url),
            urls,
        }
    }
}

/// The metadata of a plan: the catalog's member, and the parts that the documentation shows.
#[derive(Default)]
pub(crate) struct PlanMetadata {
    pub(crate) json: String,
    pub(crate) display_name: Option<String>,
    pub(crate) bullets: Vec<LitStr>,
    /// Each cost in words.
    pub(crate) costs: Vec<String>,
    /// The author's `costs(...)`, if there is an amount that isn't 0.
    pub(crate) costs_at: Option<syn::Path>,
}

impl PlanMetadata {
    pub(crate) fn validate(given: Given<Nested<RawPlanMetadata>>, report: &mut Report) -> Self {
        let Some(nested) = given.take(&mut report.errors) else { return Self::default() };
        let Nested { arguments, members: others, .. } = nested.report(&mut report.errors);
        let display_name = arguments.display_name.take(&mut report.errors);
        let bullets = arguments.bullets.take(&mut report.errors);
        let costs = arguments.costs.take_with_place(&mut report.errors);
        if let Some(text) = &display_name {
            rules::length(&text.0, report);
        }
        let mut members = Members::default();
        members.add_text("displayName", display_name.as_ref());
        let mut texts = Vec::new();
        if let Some(Strings(bullets)) = bullets {
            for bullet in &bullets {
                rules::length(bullet, report);
            }
            let list = bullets.iter().map(|bullet| json::quoted(&bullet.value())).collect::<Vec<_>>().join(",");
            members.0.push(("bullets".to_owned(), format!("[{list}]")));
            texts = bullets;
        }
        let (mut words, mut costs_at) = (Vec::new(), None);
        if let Some((Costs(costs), meta)) = costs {
            for (currency, _) in costs.iter().flat_map(|cost| &cost.amounts) {
                let name = currency.to_string();
                if name.len() != 3 || !name.chars().all(|c| c.is_ascii_alphabetic()) {
                    let message = "a currency is a code of three letters, such as `usd` or `eur` (ISO 4217)";
                    report.warn(currency, "currency_without_a_code", message);
                }
            }
            for (at, cost) in costs.iter().enumerate() {
                for (currency, _) in &cost.amounts {
                    if costs[..at].iter().any(|other| other.unit == cost.unit && other.has(currency)) {
                        let message = "another cost has a price for this unit in this currency: leave one of them out";
                        report.warn(currency, "two_prices_for_one_unit", message);
                    }
                }
            }
            costs_at = costs.iter().any(Cost::is_something).then(|| meta.path().clone());
            if !costs.is_empty() {
                let list = costs.iter().map(Cost::json).collect::<Vec<_>>().join(",");
                members.0.push(("costs".to_owned(), format!("[{list}]")));
            }
            words = costs.iter().map(Cost::words).collect();
        }
        members.add_others(others, RawPlanMetadata::NAMES, report);
        Self {
            json: members.json(),
            display_name: display_name.map(|text| text.value()),
            bullets: texts,
            costs: words,
            costs_at,
        }
    }
}

/// `costs((usd = 9.90, unit = "MONTHLY"), ...)`
pub(crate) struct Costs(Vec<Cost>);

struct Cost {
    /// Each with its currency.
    amounts: Vec<(Ident, String)>,
    unit: String,
}

impl Cost {
    fn has(&self, currency: &Ident) -> bool {
        self.amounts.iter().any(|(other, _)| other.to_string().eq_ignore_ascii_case(&currency.to_string()))
    }

    fn is_something(&self) -> bool {
        self.amounts.iter().any(|(_, amount)| amount.parse::<f64>().is_ok_and(|amount| amount > 0.0))
    }

    fn json(&self) -> String {
        let amounts =
            self.amounts.iter().map(|(currency, amount)| format!("{}:{amount}", json::quoted(&currency.to_string())));
        let amounts = amounts.collect::<Vec<_>>().join(",");
        format!("{{\"amount\":{{{amounts}}},\"unit\":{}}}", json::quoted(&self.unit))
    }

    fn words(&self) -> String {
        let amounts =
            self.amounts.iter().map(|(currency, amount)| format!("{amount} {}", currency.to_string().to_uppercase()));
        format!("{} {}", amounts.collect::<Vec<_>>().join(" or "), per_unit(&self.unit))
    }
}

fn wrong_cost(message: impl fmt::Display) -> darling::Error {
    let help = "write `costs((usd = 9.90, unit = \"MONTHLY\"), ...)`";
    darling::Error::custom(format_args!("{message}\nhelp: {help}"))
}

impl FromMeta for Costs {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let Meta::List(list) = meta else { return Err(wrong_cost("`costs` takes a list")) };
        let mut errors = darling::Error::accumulator();
        let mut costs = Vec::new();
        for piece in split_at_commas(list.tokens.clone()) {
            let mut tokens = piece.into_iter();
            let (Some(TokenTree::Group(group)), None) = (tokens.next(), tokens.next()) else {
                // An author who forgets the parentheses of one cost forgets them for each of its parts.
                errors.push(wrong_cost("each cost stands in parentheses of its own").with_span(&list.tokens));
                return errors.finish_with(Self(Vec::new()));
            };
            if let Delimiter::Brace | Delimiter::Bracket = group.delimiter() {
                errors.push(wrong_cost("a cost stands in round parentheses").with_span(&group.span_open()));
                continue;
            }
            costs.extend(errors.handle(cost(&group)));
        }
        errors.finish_with(Self(costs))
    }
}

fn cost(group: &proc_macro2::Group) -> darling::Result<Cost> {
    let (mut amounts, mut unit) = (Vec::<(Ident, String)>::new(), None);
    let mut errors = darling::Error::accumulator();
    for part in split_at_commas(group.stream()) {
        let Ok(pair) = syn::parse2::<syn::MetaNameValue>(part.clone()) else {
            if let (Ok(fraction), Some((currency, amount))) = (syn::parse2::<syn::LitInt>(part.clone()), amounts.last())
            {
                let help = format_args!("write `{currency} = {}.{fraction}`", amount.trim_end_matches(".0"));
                errors.push(wrong(&part, "an amount has a point before its fraction", help));
                break;
            }
            errors.push(wrong_cost("expected `currency = amount` or `unit = \"...\"`").with_span(&part));
            break; // the same mistake is probably in the other parts
        };
        if pair.path.is_ident("unit") {
            match string_literal(&pair.value) {
                _ if unit.is_some() => errors.push(wrong_cost("a cost has one `unit`").with_span(&pair.path)),
                Some(text) if !text.value().trim().is_empty() => unit = Some(text.value()),
                _ => errors.push(wrong_cost("`unit` must be a string that is not blank").with_span(&pair.value)),
            }
        } else {
            match amount_in_currency(&pair, &amounts) {
                Ok(amount) => amounts.push(amount),
                Err(error) => {
                    errors.push(error);
                    break; // of `amount = 9.90, currency = "usd"` both are the same mistake
                }
            }
        }
    }
    errors.finish()?;
    match unit {
        None => Err(wrong_cost("a cost needs a `unit`").with_span(&group.span())),
        Some(_) if amounts.is_empty() => {
            Err(wrong_cost("a cost needs an amount in a currency").with_span(&group.span()))
        }
        Some(unit) => Ok(Cost { amounts, unit }),
    }
}

/// Reads `currency = amount`; `earlier` are the amounts before it. Currencies are compared without case.
fn amount_in_currency(pair: &syn::MetaNameValue, earlier: &[(Ident, String)]) -> darling::Result<(Ident, String)> {
    let written = pair.path.to_token_stream();
    let Some(currency) = pair.path.get_ident().filter(|name| *name != "amount") else {
        return Err(wrong_cost(format_args!("`{written}` is not a currency")).with_span(&pair.path));
    };
    if earlier.iter().any(|(other, _)| other.to_string().eq_ignore_ascii_case(&currency.to_string())) {
        let help = "keep one of them; write a separate `(...)` for each unit";
        let message = format_args!("the cost has two amounts in `{currency}`\nhelp: {help}").to_string();
        return Err(darling::Error::custom(message).with_span(&pair.path));
    }
    match amount(&pair.value) {
        Some(amount) if !amount.starts_with('-') => Ok((currency.clone(), amount)),
        Some(_) => Err(wrong_cost("an amount must not be negative").with_span(&pair.value)),
        None => Err(match string_literal(&pair.value).map(|text| text.value()) {
            Some(text) if text.parse::<f64>().is_ok() => {
                wrong(&pair.value, "an amount must be a number", format_args!("write `{currency} = {text}`"))
            }
            Some(_) if nearest(&currency.to_string(), ["unit"].into_iter()).is_some() => {
                let message = format!("`{currency}` is not a currency");
                wrong(&pair.path, &message, "did you mean `unit`?")
            }
            // A currency has three letters, and `period = "MONTHLY"` is about the unit.
            Some(_) if written.to_string().len() != 3 => {
                wrong_cost(format_args!("`{currency}` is not a currency")).with_span(&pair.path)
            }
            _ => wrong_cost("an amount must be a number").with_span(&pair.value),
        }),
    }
}

/// Returns `monthly` for `MONTHLY`, and `per gigabyte` for `gigabyte`.
fn per_unit(unit: &str) -> String {
    let word = unit.to_lowercase();
    if word.ends_with("ly") { word } else { format!("per {unit}") }
}

fn amount(value: &Expr) -> Option<String> {
    match json::parse.parse2(value.to_token_stream()) {
        // The profile says float, so `9` is `9.0`.
        Ok(Json::Integer(whole)) => Some(format!("{whole}.0")),
        Ok(number @ Json::Number(_)) => Some(number.text()),
        _ => None,
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
