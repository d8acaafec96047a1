//! `costs((usd = 9.90, unit = "MONTHLY"), ...)`: the prices of a plan (PROF-11).

use std::fmt;

use darling::FromMeta;
use proc_macro2::{Delimiter, Ident, TokenTree};
use quote::ToTokens;
use syn::{
    Expr, LitStr, Meta, Token,
    parse::{ParseStream, Parser},
};

use crate::{
    args::{nearest, split_at_commas, string_literal, wrong},
    errors::Report,
    json::{self, Json},
};

/// `costs((usd = 9.90, unit = "MONTHLY"), ...)`
#[derive(Default)]
pub(super) struct Costs(Vec<Cost>);

impl Costs {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether there is an amount that isn't 0.
    pub(super) fn has_price(&self) -> bool {
        self.0.iter().any(Cost::is_something)
    }

    /// Returns each cost as JSON.
    pub(super) fn json(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(Cost::json)
    }

    /// Returns each cost in words.
    pub(super) fn words(&self) -> Vec<String> {
        self.0.iter().map(Cost::words).collect()
    }

    /// Warns of currencies that are no codes, and of two prices for one unit.
    pub(super) fn warn(&self, report: &mut Report) {
        for (currency, _) in self.0.iter().flat_map(|cost| &cost.amounts) {
            let name = currency.to_string();
            if name.len() != 3 || !name.chars().all(|c| c.is_ascii_alphabetic()) {
                let message = "a currency is a code of three letters, such as `usd` or `eur` (ISO 4217)";
                report.warn(currency, "currency_without_a_code", message);
            }
        }
        for (at, cost) in self.0.iter().enumerate() {
            for (currency, _) in &cost.amounts {
                if self.0[..at].iter().any(|other| other.unit == cost.unit && other.has(currency)) {
                    let message = "another cost has a price for this unit in this currency: leave one of them out";
                    report.warn(currency, "two_prices_for_one_unit", message);
                }
            }
        }
    }
}

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
            let message = "expected `currency = amount` or `unit = \"...\"`";
            errors.push(match quoted_name.parse2(part.clone()) {
                Ok(argument) => wrong(&part, message, format_args!("write `{argument}`")),
                Err(_) => wrong_cost(message).with_span(&part),
            });
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

/// Parses `"usd" = 9.90` or `"usd": 9.90`, and returns the argument that it means.
fn quoted_name(input: ParseStream<'_>) -> syn::Result<String> {
    let name: LitStr = input.parse()?;
    if input.parse::<Option<Token![:]>>()?.is_none() {
        input.parse::<Token![=]>()?;
    }
    let value: syn::Lit = input.parse()?;
    if (name.value() == "unit") != matches!(value, syn::Lit::Str(_)) {
        return Err(input.error("a number, or the text of a unit"));
    }
    let code = match &*name.value() {
        "amount" => return Err(input.error("a currency")),
        "$" => "usd".to_owned(),
        "€" => "eur".to_owned(),
        "£" => "gbp".to_owned(),
        _ => name.parse::<Ident>()?.to_string(),
    };
    Ok(format!("{code} = {}", value.to_token_stream()))
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
