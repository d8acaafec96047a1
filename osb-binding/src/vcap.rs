//! `VCAP_SERVICES`, or a file with the same JSON: an object of lists of bindings, by offering.

use std::{collections::BTreeMap, fs, path::Path};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{Binding, Error, entry::Entry};

pub(crate) const VARIABLE: &str = "VCAP_SERVICES";

/// The variable with the path of the file, which Cloud Foundry sets instead if the application has the feature
/// `file-based-vcap-services`: a variable has at most 130 kB.
pub(crate) const FILE_VARIABLE: &str = "VCAP_SERVICES_FILE_PATH";

/// A binding as Cloud Foundry writes it.
#[derive(Deserialize)]
struct VcapBinding {
    label: Option<String>,
    plan: Option<String>,
    name: Option<String>,
    binding_name: Option<String>,
    instance_name: Option<String>,
    tags: Option<Vec<String>>,
    credentials: Option<Map<String, Value>>,
}

pub(crate) fn read(json: &str) -> Result<Vec<Binding>, Error> {
    parse(json, VARIABLE)
}

pub(crate) fn read_file(path: &Path) -> Result<Vec<Binding>, Error> {
    let source = format!("{} ({FILE_VARIABLE})", path.display());
    let json = fs::read_to_string(path).map_err(|error| Error::new(format!("{source} can't be read: {error}")))?;
    parse(&json, &source)
}

/// Parses the JSON; `source` names it in an error.
fn parse(json: &str, source: &str) -> Result<Vec<Binding>, Error> {
    // The error of serde may contain a value, so only its position is told.
    let offerings: BTreeMap<String, Vec<VcapBinding>> = serde_json::from_str(json).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        Error::new(format!("{source} is not what Cloud Foundry writes, at line {line}, column {column}"))
    })?;
    let bindings = offerings.into_iter().flat_map(|(offering, bindings)| {
        bindings.into_iter().map(move |binding| {
            let mut names: Vec<_> =
                [binding.name, binding.binding_name, binding.instance_name].into_iter().flatten().collect();
            names.dedup();
            Binding {
                names,
                offering: Some(binding.label.unwrap_or_else(|| offering.clone())),
                plan: binding.plan,
                provider: None,
                tags: binding.tags.unwrap_or_default(),
                entries: binding
                    .credentials
                    .unwrap_or_default()
                    .into_iter()
                    .map(|(name, value)| (name, Entry::Json(value)))
                    .collect(),
            }
        })
    });
    Ok(bindings.collect())
}
