//! Overrides of the catalog by an operator.

mod apply;
mod members;
mod read;
mod rules;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{DashboardClient, Offering, PlanInfo, StartError};
pub use apply::EffectiveCatalog;
use read::Reader;

/// Overrides of the catalog for one deployment: a prefix for names, other descriptions, prices, images and links,
/// clients of dashboards, hidden plans, and the plans of families.
///
/// ```
/// # use osb_catalog::Overrides;
/// use serde_json::json;
///
/// let overrides = Overrides::from(json!({
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
/// They implement `Deserialize`, so they can be part of your own configuration. `serve` and the commands that show
/// the catalog read them from a TOML file, `--catalog-overrides FILE`:
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
/// Services and plans are identified by their names in the program, without the prefix, or by their ids.
///
/// | Item | Key | Effect |
/// | --- | --- | --- |
/// | all | `prefix` | Is prepended to the names of all services. |
/// | all | `deny_warnings` | If true, warnings about the overrides are errors, as with `#[deny(deprecated)]` beside an attribute. |
/// | a service, a plan | `description` | Replaces the description. |
/// | a service | `metadata` | Replaces these members individually: `displayName`, `longDescription`, `imageUrl`, `documentationUrl`, `supportUrl`, `providerDisplayName`. |
/// | a service | `dashboard_client` | Replaces the `id` or the `redirect_uri` of the program's client, or both. Deployments on one platform need different ids. |
/// | a plan | `metadata` | Replaces these members individually: `displayName`, `bullets` and `costs`, such as `[{ amount = { usd = 9.90 }, unit = "MONTHLY" }]`; an empty list removes them. |
/// | a plan | `hidden` | If true, the plan is treated as `retired`: it is not in the catalog, there are no new instances of it and no changes to it, and existing instances continue to work. A service whose plans are all hidden is omitted. |
///
/// A plan with the key `family` is a plan of this deployment. The key of its table is its name. The catalog has these plans after
/// those of the program, in the order of the file, or of their names if the overrides are not from a file:
///
/// ```toml
/// [services.kv.plans.large]
/// family = "sized"
/// id = "5e0a9c1e-6b0e-4f57-9d0c-0c1f3a7f2b11"
/// description = "8 GB, backed up every hour."
/// free = false
/// metadata = { costs = [{ amount = { usd = 99.00 }, unit = "MONTHLY" }] }
/// values = { gigabytes = 8, replicas = 3 }
/// narrow.ttl = { max = 3_600 }
/// ```
///
/// | Key | Meaning | Default |
/// | --- | --- | --- |
/// | `family` | The name of the family: `name` in its `#[plan]`. | required |
/// | `id` | The id of the plan, a GUID; it never changes. | required |
/// | `values` | The values of the type in `#[plan(family = ...)]`, which handlers get as `request.plan.values`. | the defaults of the type |
/// | `narrow` | Narrower bounds for parameters of `create` and `update`: `min`, `max`, `exclusive_min`, `exclusive_max`, `multiple_of`, and `one_of = [1, 3]` for whole numbers, as in `#[plan(narrow(...))]`. | those of the family |
/// | `description`, `free`, `metadata` | As in `#[plan]`: beside the members in the table above, `metadata` takes any other as JSON. | those of the family |
/// | `hidden` | As in the table above. Hide a plan that has instances; the broker doesn't start without it. | `false` |
///
/// Other keys can't be overridden: they describe the behaviour of the program, or platforms and users depend on them
/// (ids, names of plans, schemas, `free`, `bindable`). The overridden names and texts appear in the catalog, the
/// documentation page, logs and metrics. Lock files contain the original ones.
///
/// Plans of families have to satisfy all rules for plans of the program. Values that the compiler would reject in an
/// attribute are errors when the broker starts, with the same messages and all at once. Values that it would warn about make
/// warnings in the log. The default overrides nothing.
#[derive(Debug, Clone, Default, serde::Deserialize)]
#[serde(from = "Value")]
pub struct Overrides {
    values: Value,
    source: Source,
}

/// The origin of overrides, for messages.
#[derive(Debug, Clone, Default)]
struct Source {
    file: String,
    /// The line and the column of keys by their paths; empty if they are not known.
    positions: BTreeMap<String, (usize, usize)>,
}

/// Overrides are equal if they have the same keys and values, wherever these were written.
impl PartialEq for Overrides {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}

impl From<Value> for Overrides {
    fn from(values: Value) -> Self {
        Self::of(values, Source::default())
    }
}

impl Overrides {
    /// Returns the path of a key in the table with the path `table`, which is empty for the root.
    #[must_use]
    pub fn path(table: &str, key: &str) -> String {
        if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") }
    }

    /// Creates overrides from a file, with the line and the column of each key by its [path](Self::path). Messages name them, and
    /// are in their order.
    #[must_use]
    pub fn from_file(file: &str, values: Value, positions: BTreeMap<String, (usize, usize)>) -> Self {
        Self::of(values, Source { file: file.to_owned(), positions })
    }

    fn of(mut values: Value, source: Source) -> Self {
        // The order of keys means nothing, except that of the plans in a file, which its positions have.
        values.sort_all_objects();
        Self { values, source }
    }

    /// Returns the offerings with the overrides applied. Each call leaks a copy, once for each start of a broker.
    ///
    /// # Errors
    ///
    /// All problems in the overrides.
    pub fn apply(&self, offerings: &'static [&'static Offering]) -> Result<EffectiveCatalog, StartError> {
        let says_nothing = self.values.is_null() || self.values.as_object().is_some_and(Map::is_empty);
        if says_nothing && offerings.iter().all(|offering| offering.families.is_empty()) {
            return Ok(EffectiveCatalog::unchanged(offerings));
        }
        let mut reader = Reader::new(&self.source);
        let changes = reader.read(&self.values, offerings);
        match reader.finish() {
            Ok(warnings) => Ok(EffectiveCatalog::changed(offerings, changes, warnings)),
            Err(problems) => Err(StartError::new(problems)),
        }
    }
}

/// The changes to a service and its plans.
#[derive(Debug)]
struct ServiceChange {
    name: Option<String>,
    own: Replacement,
    /// The dashboard's client, if it changes.
    client: Option<DashboardClient>,
    /// In the order of the plans.
    plans: Vec<Replacement>,
    /// The plans of families.
    members: Vec<PlanInfo>,
}

/// The changes to a service or a plan.
#[derive(Debug, Default)]
struct Replacement {
    description: Option<String>,
    /// The members to replace.
    metadata: Map<String, Value>,
    hidden: bool,
}

#[cfg(test)]
#[path = "../../../tests/unit/overrides.rs"]
mod tests;
