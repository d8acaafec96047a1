//! States and parameters that a release stored, decoded by the types of another one.

use std::path::{Path, PathBuf};

use osb_runtime::{
    catalog::Overrides,
    json,
    lifecycle::{Settings, StoredValues},
    service::Broker,
    store::{Pages, Records},
};

use super::Pending;

/// The remedy for states and parameters of other types.
const TYPES: &str = "states are converted in `migrate_state`; keep the types, values and names (`alias`) of parameters, and \
                     give new parameters a default";

/// The remedy for plans that the broker doesn't have.
const PLANS: &str = "restore the plan; if a deployment lists it, as a plan of a family, use `assert_states_decode_with` with the \
                     overrides of that deployment";

/// Writes the states and parameters of all instances and bindings to a JSON file, for [`assert_states_decode`], and creates its
/// directory. The file contains their secrets.
///
/// Call it in a test with `#[ignore]`, and run that test when you make a release: a test that always runs would fill the
/// file of an old release with states of the present types, which always decode.
///
/// ```no_run
/// use osb_runtime::{lifecycle::Settings, store::Records};
/// use osb_testing::{Client, save_states};
///
/// # async fn save(broker: impl osb_runtime::service::Broker) {
/// let mut settings = Settings::default();
/// settings.store = Records::in_memory();
/// let platform = Client::with(broker, settings.clone()).await;
/// platform.provision("one", "kv", "free", serde_json::json!({ "ttl": 60 })).await;
/// platform.bind("one", "key", ()).await;
/// save_states(&settings.store, "tests/states/release-1.json").await;
/// # }
/// ```
///
/// # Panics
///
/// If the records can't be read, or the file can't be written.
pub fn save_states(records: &impl HasRecords, file: impl AsRef<Path>) -> Pending<'_, ()> {
    Box::pin(save(records.records(), file.as_ref().to_owned()))
}

async fn save(records: &Records, file: PathBuf) {
    let (mut all, mut pages) = (Vec::new(), Pages::of(records.store()));
    while let Some(page) = pages.next().await.expect("the records can be read") {
        all.extend(page.iter().flat_map(|(key, record)| StoredValues::of(key, record)));
    }
    let text = serde_json::to_string_pretty(&all).expect("states are JSON");
    let parent = file.parent().unwrap_or(&file);
    let written = std::fs::create_dir_all(parent).and_then(|()| std::fs::write(&file, text + "\n"));
    written.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
}

/// The records of a test, or settings with them.
#[diagnostic::on_unimplemented(
    message = "expected the records of the test's settings, found `{Self}`",
    label = "has no records",
    note = "write `&settings.store`, with the settings of `Client::with(broker, settings)`"
)]
pub trait HasRecords {
    /// Returns the records.
    fn records(&self) -> &Records;
}

impl HasRecords for Records {
    fn records(&self) -> &Records {
        self
    }
}

impl HasRecords for Settings {
    fn records(&self) -> &Records {
        &self.store
    }
}

/// Decodes the states and parameters in a file that [`save_states`] wrote with an earlier release, as `B` does when it
/// starts. Keep a file for each release whose records may still exist.
///
/// ```no_run
/// # use osb_runtime::service::Broker;
/// # fn example<Kv: Broker>() {
/// osb_testing::assert_states_decode::<Kv>("tests/states/release-1.json");
/// # }
/// ```
///
/// # Panics
///
/// If some can't be decoded, with a list of them; or if the file can't be read or is empty.
#[track_caller]
pub fn assert_states_decode<B: Broker>(file: impl AsRef<Path>) {
    assert_states_decode_with::<B>(file, &Overrides::default());
}

/// Like [`assert_states_decode`], for records of a deployment whose catalog overrides list plans of families.
///
/// # Panics
///
/// The same as for [`assert_states_decode`], and if the overrides are invalid.
#[track_caller]
pub fn assert_states_decode_with<B: Broker>(file: impl AsRef<Path>, overrides: &Overrides) {
    let shown = overrides.apply(B::OFFERINGS).unwrap_or_else(|error| panic!("the overrides are invalid: {error}"));
    let file = file.as_ref();
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let all: Vec<StoredValues> = json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    assert!(!all.is_empty(), "{}: there are no states in it", file.display());
    let problems = |values: &StoredValues| {
        let reasons = values.unreadable(shown.offerings).into_iter();
        reasons.map(|reason| format!("\n  {values}: {reason}")).collect::<String>()
    };
    let has_plan = |values: &&StoredValues| {
        let offering = shown.offerings.iter().find(|offering| offering.id == values.service_id);
        offering.is_some_and(|offering| offering.plan(&values.plan_id).is_some())
    };
    let (known, unknown): (Vec<_>, Vec<_>) = all.iter().partition(has_plan);
    let mut found = String::new();
    for (values, remedy) in [(known, TYPES), (unknown, PLANS)] {
        let problems: String = values.into_iter().map(problems).collect();
        if !problems.is_empty() {
            found += &format!("{problems}\n  {remedy}");
        }
    }
    assert!(
        found.is_empty(),
        "{}: the types of this release can't decode these states and parameters:{found}",
        file.display()
    );
}
