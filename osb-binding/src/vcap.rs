//! `VCAP_SERVICES`: an object of lists of bindings, by offering.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{Binding, Error, entry::Entry};

pub(crate) const VARIABLE: &str = "VCAP_SERVICES";

/// A binding as Cloud Foundry writes it.
#[derive(Deserialize)]
struct Service {
    label: Option<String>,
    plan: Option<String>,
    name: Option<String>,
    binding_name: Option<String>,
    instance_name: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    credentials: Option<Map<String, Value>>,
}

pub(crate) fn read(json: &str) -> Result<Vec<Binding>, Error> {
    // The error of serde may contain a value, so only its position is told.
    let services: BTreeMap<String, Vec<Service>> = serde_json::from_str(json).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        Error::new(format!("{VARIABLE} is not what Cloud Foundry writes, at line {line}, column {column}"))
    })?;
    let bindings = services.into_iter().flat_map(|(offering, services)| {
        services.into_iter().map(move |service| {
            let mut names: Vec<_> =
                [service.name, service.binding_name, service.instance_name].into_iter().flatten().collect();
            names.dedup();
            Binding {
                names,
                offering: Some(service.label.unwrap_or_else(|| offering.clone())),
                plan: service.plan,
                provider: None,
                tags: service.tags,
                entries: service
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
