//! The option for a file of catalog overrides, and the file's format.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use clap::{ArgMatches, Args, FromArgMatches};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{Failure, config};
use osb_runtime::{
    catalog::{EffectiveCatalog, Offering, Overrides},
    service::Broker,
};
use serde_json::Value;

#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Catalog")]
pub(super) struct OverrideArgs {
    /// TOML file with changes to the catalog of this deployment: a prefix for names, descriptions, prices, links,
    /// dashboard clients, hidden plans, and the plans of families
    ///
    /// It has lines such as `prefix = "dev-"`, `services.kv.metadata.displayName = "..."` and
    /// `services.kv.plans.pro.hidden = true`. Other changes are errors with their line. The command `catalog` shows the
    /// resulting catalog
    #[arg(long = "catalog-overrides", value_name = "FILE", env)]
    osb_catalog_overrides: Option<PathBuf>,
}

impl OverrideArgs {
    /// Reads the overrides; there are none without a file.
    pub(super) fn read(&self) -> Result<Overrides, Failure> {
        self.osb_catalog_overrides.as_deref().map_or_else(|| Ok(Overrides::default()), read)
    }
}

/// Reads a file of overrides.
pub(super) fn read(path: &Path) -> Result<Overrides, Failure> {
    let shown = path.display();
    let text = fs::read_to_string(path).map_err(|error| Failure::Usage(format!("{shown} cannot be read: {error}")))?;
    parse(&text, &shown.to_string())
        .map_err(|((line, column), problem)| Failure::Usage(format!("{shown}:{line}:{column}: {problem}")))
}

/// Reads the overrides in a command's options.
pub(super) fn given(options: &ArgMatches) -> Result<Overrides, Failure> {
    OverrideArgs::from_arg_matches(options)?.read()
}

/// Returns the offerings of `B` with the overrides in a command's options, or without them as they are in the program, with
/// the families whose plans a deployment lists.
pub(super) fn offerings_to_document<B: Broker>(options: &ArgMatches) -> Result<Vec<&'static Offering>, Failure> {
    let has_file = options.get_raw("osb_catalog_overrides").is_some();
    if has_file { Ok(effective_catalog::<B>(options)?.in_catalog()) } else { Ok(B::OFFERINGS.to_vec()) }
}

/// Applies the overrides in a command's options to the offerings of `B`.
pub(super) fn effective_catalog<B: Broker>(options: &ArgMatches) -> Result<EffectiveCatalog, Failure> {
    apply::<B>(&given(options)?)
}

/// Applies overrides to the offerings of `B`, and prints warnings.
pub(super) fn apply<B: Broker>(overrides: &Overrides) -> Result<EffectiveCatalog, Failure> {
    let catalog = overrides
        .apply(B::OFFERINGS)
        .map_err(|error| Failure::Usage(format!("invalid catalog overrides:\n  {}", error.problems().join("\n  "))))?;
    for warning in &catalog.warnings {
        super::tell(&format!("warning: {warning}\n"));
    }
    Ok(catalog)
}

/// Parses the overrides in a file of that name; an error has a line, a column and a message.
fn parse(text: &str, file: &str) -> Result<Overrides, ((usize, usize), String)> {
    let table = config::table(text).map_err(|(at, problem)| (config::position(text, at), problem))?;
    let mut positions = BTreeMap::new();
    let mut place = |path: &str, at: usize| {
        positions.insert(path.to_owned(), config::position(text, at));
    };
    let values = entries(table.get_ref(), "", &mut place);
    Ok(Overrides::from_file(file, values, positions))
}

fn entries(table: &DeTable<'_>, path: &str, place: &mut impl FnMut(&str, usize)) -> Value {
    let entries = table.iter().map(|(key, value)| {
        let path = Overrides::path(path, key.get_ref());
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
                let path = Overrides::path(path, &i.to_string());
                place(&path, value.span().start);
                json(value, &path, place)
            });
            values.collect()
        }
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Boolean(flag) => (*flag).into(),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok().into(),
        // Infinity and dates become `null`, which the catalog rejects.
        DeValue::Float(number) => number.as_str().parse::<f64>().ok().into(),
        DeValue::Datetime(_) => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use osb_runtime::catalog::DashboardClient;
    use serde_json::json;

    use super::*;
    use crate::fixture::{BARE, KV};

    const GOOD: &str = "\
# A comment.
prefix = 'dev-'
[services.kv]
metadata.displayName = \"Store\"
[services.\"3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01\".plans.pro]
hidden = true
metadata = { bullets = [\"a\", 'b'], costs = [{ amount = { usd = 9.90, eur = 0x10 }, unit = \"MONTHLY\" }] }
";

    #[test]
    fn toml_converts_to_json() {
        let read = parse(GOOD, "dev.toml").expect("valid overrides");
        let costs = json!([{ "amount": { "usd": 9.9, "eur": 16 }, "unit": "MONTHLY" }]);
        let expected = json!({
            "prefix": "dev-",
            "services": {
                "kv": { "metadata": { "displayName": "Store" } },
                (KV.id): { "plans": { "pro": { "hidden": true, "metadata": { "bullets": ["a", "b"], "costs": costs } } } },
            },
        });
        assert_eq!(Overrides::from(expected), read);
    }

    #[test]
    fn the_examples_in_the_documentation_are_valid() {
        for documentation in
            [include_str!("../../osb-catalog/src/catalog/overrides/mod.rs"), include_str!("guide/operating.md")]
        {
            let (_, block) = documentation.split_once("```toml\n").expect("an example");
            let example = block.split("```").next().unwrap_or_default().replace("/// ", "").replace("///", "");
            let shown = parse(&example, "x").expect("TOML").apply(&[&KV, &BARE]).expect("valid overrides");
            assert!(shown.is_changed() && shown.warnings.is_empty(), "{:?}", shown.warnings);
        }
    }

    #[test]
    fn problems_have_lines_and_columns() {
        let refused = |text: &str| match parse(text, "dev.toml") {
            Err(((line, column), _)) => vec![format!("dev.toml:{line}:{column}: not TOML")],
            Ok(read) => read.apply(&[&KV, &BARE]).expect_err(text).problems().to_vec(),
        };
        let place = |text: &str| -> Vec<String> {
            refused(text).iter().filter_map(|problem| Some(problem.split_once(": ")?.0.to_owned())).collect()
        };
        let url = |url: &str| format!("[services.kv.metadata]\ndocumentationUrl = \"{url}\"");
        let read = parse(&url("HTTPS://example.com/kv"), "dev.toml").expect("TOML");
        assert!(read.apply(&[&KV, &BARE]).is_ok(), "schemes have no case");
        assert_eq!(
            refused(&url("ftp://example.com")),
            ["dev.toml:2:1: `documentationUrl` is not a URL: \"ftp://example.com\"; write `https://...`"]
        );
        assert_eq!(place(GOOD), ["dev.toml:3:11"], "twice, by name and by id");
        assert_eq!(place("\nprefix = = 2"), ["dev.toml:2:10"]);
        assert_eq!(
            refused("\n[services.kv.plans.profesional]\nhidden = true"),
            [
                "dev.toml:2:20: there is no plan `profesional` of service \"kv\"; it has to be one of `free`, `pro`, `old`"
            ]
        );
        assert_eq!(
            place(
                "services.bare.description = 1979-05-27\n[services.kv]\nid = 'x'\n[services.kv.plans.pro.metadata]\n\
                   costs = [\n  { amount = { usd = 1 } },\n  { amount = { usd = inf },\n    unit = 1 },\n]\nbullets = ['']"
            ),
            ["dev.toml:1:15", "dev.toml:3:1", "dev.toml:6:3", "dev.toml:7:16", "dev.toml:8:5", "dev.toml:10:12"]
        );
    }

    #[test]
    fn a_problem_in_a_service_that_is_listed_by_its_id_has_its_place() {
        const CLIENT: DashboardClient =
            DashboardClient { id: "kv", secret_env: "SECRET", redirect_uri: "https://dashboard.example" };
        const DASHBOARDS: &[&Offering] = &[
            &Offering { dashboard_client: Some(CLIENT), ..KV },
            &Offering { dashboard_client: Some(DashboardClient { id: "bare", ..CLIENT }), ..BARE },
        ];
        for service in [KV.id, KV.name] {
            let text = format!("\n[services.\"{service}\".dashboard_client]\nid = \"bare\"");
            let refused = parse(&text, "dev.toml").expect("TOML").apply(DASHBOARDS).expect_err("another has it");
            assert!(refused.problems()[0].starts_with("dev.toml:3:1: services `kv` and `bare` share"), "{refused}");
        }
    }
}
