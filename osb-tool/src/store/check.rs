//! The command `records check`.

use clap::Args;
use osb_runtime::{
    catalog::Offering,
    lifecycle::check_records,
    store::{Pages, Phase, Records, StoreError},
};

use super::StoreArgs;
use crate::{Failure, blocking, counted, own_store::OwnStores, print, progress::Progress};

/// Number of unreadable records that are listed.
const SHOWN: usize = 10;

/// The arguments of `records check`.
#[derive(Debug, Args)]
#[group(skip)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    store: StoreArgs,
}

/// Reads all records, and compares them with the catalog and the types of this release.
pub(crate) fn check(options: &CheckArgs, offerings: &[&Offering], stores: &OwnStores) -> Result<(), Failure> {
    let checked = blocking(async {
        let records = options.store.open_existing(stores).await?;
        let checked = Checked::of(&records, offerings).await;
        records.close().await;
        checked.map_err(Failure::broken)
    })??;
    let Checked { instances, bindings, tombstones, problems } = checked;
    let found = format!(
        "{}, {} and {} in {}",
        counted(instances, "instance"),
        counted(bindings, "binding"),
        counted(tombstones, "tombstone"),
        options.store.location(&stores.program)
    );
    if problems.is_empty() {
        return print(&format!("{found}: this release can serve them\n"));
    }
    Err(Failure::Broken(format!("{found}: this release can't serve them\n  {}", problems.join("\n  "))))
}

/// The records that were found, and the reasons for which a broker would not start with them.
#[derive(Default)]
struct Checked {
    instances: u64,
    bindings: u64,
    tombstones: u64,
    problems: Vec<String>,
}

impl Checked {
    async fn of(records: &Records, offerings: &[&Offering]) -> Result<Self, StoreError> {
        let (mut checked, mut unreadable) = (Self::default(), Vec::new());
        let (mut pages, mut progress) = (Pages::of(records.store()), Progress::new("records read"));
        while let Some(page) = pages.next_each().await? {
            for (key, record) in page {
                progress.add(1);
                match record {
                    Ok(record) if record.phase() == Phase::Gone => checked.tombstones += 1,
                    Ok(_) if key.binding.is_some() => checked.bindings += 1,
                    Ok(_) => checked.instances += 1,
                    Err(error) => unreadable.push(format!("{key} can't be read: {error}")),
                }
            }
        }
        if unreadable.is_empty() {
            let compared = check_records(offerings, records, false).await;
            checked.problems = compared.err().map(|error| error.problems().to_vec()).unwrap_or_default();
            return Ok(checked);
        }
        let more = unreadable.len().saturating_sub(SHOWN);
        unreadable.truncate(SHOWN);
        checked.problems = unreadable;
        if more > 0 {
            checked.problems.push(format!("{} can't be read", counted(more, "more record")));
        }
        Ok(checked)
    }
}
