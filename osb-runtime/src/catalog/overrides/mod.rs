//! What an operator has the catalog say otherwise than the program does.

mod read;
mod rules;
mod show;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Offering, StartError};
use read::Reader;
pub use show::Shown;

/// What the catalog of one deployment says otherwise than the program: names with a prefix, descriptions, prices,
/// pictures and links of its own, and plans that are not sold there.
///
/// ```
/// use osb_runtime::{catalog::Overrides, lifecycle::Settings};
/// use serde_json::json;
///
/// let mut settings = Settings::default();
/// settings.overrides = Overrides::from(json!({
///     "prefix": "dev-",
///     "services": {
///         "kv": {
///             "metadata": { "displayName": "Key-value store (development)" },
///             "plans": {
///                 "free": { "description": "5 MB, emptied every night." },
///                 "pro": { "hidden": true },
///             },
///         },
///     },
/// }));
/// ```
///
/// They can be part of a configuration of one's own, as they are read by serde from whatever has this shape. `serve` and
/// the commands that show the catalog read them from a file in TOML, `--catalog-overrides FILE`:
///
/// ```toml
/// prefix = "dev-"
///
/// [services.kv]
/// metadata = { displayName = "Key-value store (development)" }
///
/// [services.kv.plans.free]
/// description = "5 MB, emptied every night."
///
/// [services.kv.plans.pro]
/// hidden = true
/// ```
///
/// Services and plans are named as the program names them, without the prefix, or by their ids.
///
/// | Of | Key | What it does |
/// | --- | --- | --- |
/// | all | `prefix` | Stands in front of the names of all services. |
/// | a service, a plan | `description` | Takes the place of the program's. |
/// | a service | `metadata` | Takes the place of what the program says, member by member: `displayName`, `longDescription`, `imageUrl`, `documentationUrl`, `supportUrl`, `providerDisplayName`. |
/// | a plan | `metadata` | The same with `displayName`, `bullets` and `costs`, such as `[{ amount = { usd = 9.90 }, unit = "MONTHLY" }]`; an empty list takes them away. |
/// | a plan | `hidden` | If true the plan is treated as [`retired`](crate::plan): it is not in the catalog, there are no new instances of it and no changes to it, and the instances that there are live on. A service whose plans are all hidden is left out. |
///
/// Everything else says what the program does, or is what platforms and users hold on to (ids, the names of plans,
/// schemas, what is free and what can be bound), and is refused. The names and texts that result are seen by everybody:
/// in the catalog, in the documentation that is served, in logs and metrics. [Lock files](super::lock) hold what the
/// program says.
///
/// What the compiler would refuse in an attribute is refused when the broker starts, in the same words and all of it at
/// once; what it would warn of is a warning in the log. The default overrides nothing.
#[derive(Debug, Clone, Default, PartialEq, serde::Deserialize)]
#[serde(from = "Value")]
pub struct Overrides {
    said: Value,
    /// Where each key stands, by its path, if that is known.
    places: BTreeMap<String, String>,
}

impl From<Value> for Overrides {
    fn from(said: Value) -> Self {
        Self::with_places(said, BTreeMap::new())
    }
}

impl Overrides {
    /// The same with the place of each key, by its [path](join), for messages.
    #[must_use]
    pub fn with_places(mut said: Value, places: BTreeMap<String, String>) -> Self {
        // As in a table of TOML, the order of keys means nothing.
        said.sort_all_objects();
        Self { said, places }
    }

    /// The offerings as they are to be shown. Copies are kept until the process ends: once for each start of a broker.
    ///
    /// # Errors
    ///
    /// Everything that is wrong.
    pub fn apply(&self, offerings: &'static [&'static Offering]) -> Result<Shown, StartError> {
        if self.said.is_null() || self.said.as_object().is_some_and(Map::is_empty) {
            return Ok(Shown::unchanged(offerings));
        }
        let mut reader = Reader::new(&self.places);
        let changes = reader.read(&self.said, offerings);
        match reader.problems {
            none if none.is_empty() => Ok(Shown::changed(offerings, changes, reader.warnings)),
            problems => Err(StartError::new(problems)),
        }
    }
}

/// What is to change of a service.
#[derive(Debug)]
struct ServiceChange {
    name: Option<String>,
    own: Change,
    /// In the order of the plans.
    plans: Vec<Change>,
}

/// What is to change of a service itself, or of a plan.
#[derive(Debug, Default)]
struct Change {
    description: Option<String>,
    /// The members to replace.
    metadata: Map<String, Value>,
    hidden: bool,
}

/// The path of a key within that of a table.
#[must_use]
pub fn join(table: &str, key: &str) -> String {
    if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") }
}

#[cfg(test)]
#[path = "../../../tests/unit/overrides.rs"]
mod tests;
