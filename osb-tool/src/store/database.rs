//! Records on PostgreSQL.

use osb_runtime::store::{Key, Record, Records, Store, StoreError};
use osb_store::{ConnectError, Copied, CopyError, InsertError, Keys, Postgres, Progress};

use super::{Failure, STORE, not_encrypted, with_options};

/// Opens the records; also returns a description of their location for the banner.
pub(super) async fn open(url: &str, keys: Option<Keys>, program: &str) -> Result<(Records, String), Failure> {
    let newest = keys.as_ref().map(Keys::newest);
    let store = Postgres::connect(&with_names(url, program), keys).await.map_err(cannot_connect(STORE))?;
    let place = store.location();
    let how = newest.map_or_else(|| not_encrypted(&place), |key| format!("encrypted with key {key}"));
    Ok((Records::new(store), format!("in {place}, {how}")))
}

/// Opens the records, without creating any; the inner error says that there are none. `option`: the one with the URL.
pub(super) async fn open_existing(
    url: &str,
    keys: Option<Keys>,
    program: &str,
    option: &str,
) -> Result<Result<Records, String>, Failure> {
    match Postgres::connect_existing(&with_names(url, program), keys).await {
        Ok(store) => Ok(Ok(Records::new(store))),
        Err(none @ ConnectError::NoRecords { .. }) => Ok(Err(none.to_string())),
        Err(error) => Err(cannot_connect(option)(error)),
    }
}

/// Inserts records, all or none. Returns the results of the insertion and of the end of the store.
pub(super) async fn insert(
    url: &str,
    keys: Option<Keys>,
    program: &str,
    records: Vec<(Key, Record)>,
) -> Result<(Result<(), InsertError>, Result<(), StoreError>), Failure> {
    let store = Postgres::connect(&with_names(url, program), keys).await.map_err(cannot_connect(STORE))?;
    Ok((store.insert_all(records).await, store.close().await))
}

/// Copies all records of a store to an empty schema.
pub(super) async fn copy_from(
    from: &dyn Store,
    url: &str,
    keys: Option<Keys>,
    program: &str,
    progress: Progress<'_>,
) -> Result<Copied, Failure> {
    Postgres::copy_from(from, &with_names(url, program), keys, progress).await.map_err(|error| {
        let is_usage = matches!(&error, CopyError::Write(why) if why.downcast_ref().is_some_and(is_invalid_option));
        super::commands::cannot_copy(&error, is_usage)
    })
}

/// Re-encrypts all records with the first key, and returns their number.
pub(super) async fn reseal(url: &str, keys: Keys, program: &str, progress: Progress<'_>) -> Result<u64, Failure> {
    Postgres::reseal(&with_names(url, program), keys, progress).await.map_err(cannot_connect(STORE))
}

/// Adds the name of the program as that of the schema and of the connections, unless the URL has one, so that brokers can share a
/// database, and its administrators see whose connections they are.
fn with_names(url: &str, program: &str) -> String {
    let query = url.split_once('?').map(|(_, query)| query);
    let has = |parameter: &str| {
        query.is_some_and(|query| query.split('&').any(|pair| pair.split('=').next() == Some(parameter)))
    };
    let program = percent_encoding::utf8_percent_encode(program, percent_encoding::NON_ALPHANUMERIC);
    let missing = ["schema", "application_name"].into_iter().filter(|parameter| !has(parameter));
    let added = missing.map(|parameter| format!("{parameter}={program}")).collect::<Vec<_>>().join("&");
    match (added.as_str(), query) {
        ("", _) => url.to_owned(),
        (_, None) => format!("{url}?{added}"),
        (_, Some(_)) => format!("{url}&{added}"),
    }
}

fn cannot_connect(option: &str) -> impl Fn(ConnectError) -> Failure {
    move |error| {
        let text = with_options(&error, option);
        if is_invalid_option(&error) { Failure::Usage(text) } else { Failure::Broken(text) }
    }
}

/// Returns whether the URL or the keys are wrong, so that another try fails too.
fn is_invalid_option(error: &ConnectError) -> bool {
    matches!(
        error,
        ConnectError::Url(_)
            | ConnectError::Tls(_)
            | ConnectError::NewerSchema { .. }
            | ConnectError::NoKeys { .. }
            | ConnectError::NoRecords { .. }
            | ConnectError::Keys { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_program_is_added_unless_the_url_has_another() {
        for (url, added) in [
            ("postgres://h/d", "?schema=a%2Db&application_name=a%2Db"),
            ("postgres://h/d?schema=s", "&application_name=a%2Db"),
            ("postgres://h/d?application_name=n&schema=s", ""),
            // A value can contain the name of a parameter.
            ("postgres://h/d?options=-cschema", "&schema=a%2Db&application_name=a%2Db"),
        ] {
            assert_eq!(with_names(url, "a-b"), format!("{url}{added}"));
        }
    }
}
