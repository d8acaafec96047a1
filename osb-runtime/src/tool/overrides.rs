//! The option that names a file of overrides, and that file.

use std::{collections::BTreeMap, fs, path::PathBuf};

use clap::{ArgMatches, Args, FromArgMatches};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{Failure, config};
use crate::{
    catalog::{Overrides, Shown, join},
    service::Broker,
};
use serde_json::Value;

#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Catalog")]
pub(super) struct OverrideArgs {
    /// A file, in TOML, with what the catalog says otherwise than the program: a prefix of names, descriptions, prices,
    /// links, and plans that are hidden
    ///
    /// It has lines such as `prefix = "dev-"`, `services.kv.metadata.displayName = "..."` and
    /// `services.kv.plans.pro.hidden = true`. What can't be overridden is refused with its line. The command `catalog` shows
    /// what becomes of it
    #[arg(
        id = "osb_catalog_overrides",
        long = "catalog-overrides",
        value_name = "FILE",
        env = "OSB_CATALOG_OVERRIDES"
    )]
    file: Option<PathBuf>,
}

impl OverrideArgs {
    /// What the file says; nothing if there is none.
    pub(super) fn read(&self) -> Result<Overrides, Failure> {
        let Some(path) = &self.file else { return Ok(Overrides::default()) };
        let shown = path.display();
        let text =
            fs::read_to_string(path).map_err(|error| Failure::Usage(format!("{shown} cannot be read: {error}")))?;
        parse(&text, &shown.to_string()).map_err(|(line, problem)| Failure::Usage(format!("{shown}:{line}: {problem}")))
    }
}

/// The offerings of `B` as a command's options have them shown.
pub(super) fn shown<B: Broker>(options: &ArgMatches) -> Result<Shown, Failure> {
    let args = OverrideArgs::from_arg_matches(options).map_err(|error| Failure::Usage(error.to_string()))?;
    let shown = args.read()?.apply(B::OFFERINGS);
    let shown = shown.map_err(|error| {
        Failure::Usage(format!("the catalog can't be overridden like that:\n  {}", error.problems().join("\n  ")))
    })?;
    for warning in &shown.warnings {
        eprintln!("warning: {warning}");
    }
    Ok(shown)
}

/// The overrides in a file of that name, or the line and what is wrong with it.
fn parse(text: &str, file: &str) -> Result<Overrides, (usize, String)> {
    let table = config::table(text)?;
    let mut places = BTreeMap::new();
    let mut place = |path: &str, at: usize| {
        places.insert(path.to_owned(), format!("{file}:{}", config::line(text, at)));
    };
    let said = entries(table.get_ref(), "", &mut place);
    Ok(Overrides::with_places(said, places))
}

/// A table as JSON, in the order of the file.
fn entries(table: &DeTable<'_>, path: &str, place: &mut impl FnMut(&str, usize)) -> Value {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let entries = entries.into_iter().map(|(key, value)| {
        let path = join(path, key.get_ref());
        place(&path, key.span().start);
        (key.get_ref().to_string(), json(value, &path, place))
    });
    entries.collect()
}

fn json(value: &Spanned<DeValue<'_>>, path: &str, place: &mut impl FnMut(&str, usize)) -> Value {
    match value.get_ref() {
        DeValue::Table(table) => entries(table, path, place),
        DeValue::Array(values) => {
            let values = values.iter().enumerate().map(|(i, value)| {
                let path = join(path, &i.to_string());
                place(&path, value.span().start);
                json(value, &path, place)
            });
            values.collect()
        }
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Boolean(flag) => (*flag).into(),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok().into(),
        // Neither infinity nor a date is anything that a catalog has.
        DeValue::Float(number) => number.as_str().parse::<f64>().ok().into(),
        DeValue::Datetime(_) => Value::Null,
    }
}
