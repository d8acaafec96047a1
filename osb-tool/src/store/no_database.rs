//! The functions of `database` in a program without PostgreSQL: all of them refuse the URL.

#![expect(clippy::unused_async, reason = "with PostgreSQL they connect")]

use osb_runtime::store::{Key, Record, Records, Store, StoreError};
use osb_store::{Copied, InsertError, Keys, Progress};

use super::Failure;

const MISSING: &str = "this program was built without PostgreSQL; build it with the feature `postgres` of osb-tool";

pub(super) fn url_of_binding(_: &str) -> Result<String, String> {
    Err(MISSING.to_owned())
}

pub(super) async fn open(_: &str, _: Option<Keys>, _: &str) -> Result<(Records, String), Failure> {
    Err(missing())
}

pub(super) async fn open_existing(
    _: &str,
    _: Option<Keys>,
    _: &str,
    _: &str,
) -> Result<Result<Records, String>, Failure> {
    Err(missing())
}

pub(super) async fn insert(
    _: &str,
    _: Option<Keys>,
    _: &str,
    _: Vec<(Key, Record)>,
) -> Result<(Result<(), InsertError>, Result<(), StoreError>), Failure> {
    Err(missing())
}

pub(super) async fn copy_from(
    _: &dyn Store,
    _: &str,
    _: Option<Keys>,
    _: &str,
    _: Progress<'_>,
) -> Result<Copied, Failure> {
    Err(missing())
}

pub(super) async fn reseal(_: &str, _: Keys, _: &str, _: Progress<'_>) -> Result<u64, Failure> {
    Err(missing())
}

fn missing() -> Failure {
    Failure::Usage(MISSING.to_owned())
}
