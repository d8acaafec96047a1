//! An author's tests: the catalog, a lifecycle over the API, and idempotent handlers.

use std::{fs, sync::Arc, time::Duration};

use osb_check::{Checker, SchemaKind};
use osb_runtime::{
    http::{AcceptedCredentials, BrokerService, HttpSettings},
    lifecycle::Settings,
};
use osb_testing::{Client, Replay, assert_catalog};
use serde_json::json;

use super::{BLOCK, Broker, TestData, block};

fn directory() -> Arc<tempfile::TempDir> {
    Arc::new(tempfile::tempdir().expect("a directory"))
}

fn files(directory: &tempfile::TempDir) -> usize {
    fs::read_dir(directory.path()).expect("readable").count()
}

/// Lists the files, and their megabytes.
fn megabytes(directory: &tempfile::TempDir) -> Vec<String> {
    let files = fs::read_dir(directory.path()).expect("readable").filter_map(Result::ok);
    let megabytes = files.flat_map(|file| {
        let size = usize::try_from(file.metadata().map_or(0, |data| data.len())).unwrap_or_default() / BLOCK;
        let name = file.file_name().display().to_string();
        (0..=size).map(move |number| format!("{name}, {number} MB"))
    });
    megabytes.collect()
}

#[test]
fn the_catalog_is_the_one_that_was_reviewed() {
    assert_catalog::<Broker>("catalog.json");
}

#[tokio::test]
async fn every_handler_is_idempotent() {
    let directory = directory();
    let left = Arc::clone(&directory);
    let make = move || {
        let directory = directory.path().to_owned();
        async move { Broker(TestData(directory)) }
    };
    let new = json!({ "size_mb": 2, "mb_per_second": 1000 });
    Replay::of(make).parameters(new).left(async move || megabytes(&left)).run().await;
}

#[tokio::test]
async fn it_conforms_to_the_specification() {
    let directory = directory();
    let mut settings = Settings::default();
    (settings.sync_wait, settings.retry_after) = (Duration::ZERO, Duration::ZERO);
    let (credentials, http) = (AcceptedCredentials::basic("user", "password"), HttpSettings::default());
    let broker = Broker(TestData(directory.path().to_owned()));
    let service = BrokerService::start_with(broker, credentials.expect("a pair"), http, settings).await;
    let client = osb_client::Client::over(service.expect("a service")).basic("user", "password");
    let mut checker = Checker::new(client).poll_every(Duration::from_millis(5));
    // Slow enough to be polled, and fast enough for a test.
    for seed in [1, 2] {
        let parameters = json!({ "size_mb": 5, "mb_per_second": 20, "seed": seed });
        checker = checker.parameters("test-data", "file", SchemaKind::Create, parameters);
    }
    let report = checker.run().await.expect("there is a catalog");
    assert!(report.is_clean() && report.findings.is_empty(), "{report}");
    assert_eq!(files(&directory), 0, "all files were deleted");
}

#[tokio::test]
async fn a_file_is_written_while_its_platform_polls() {
    let directory = directory();
    let platform = Client::new(Broker(TestData(directory.path().to_owned()))).await;
    // Slow enough to be told of more than one block: progress is stored five times a second.
    let new = json!({ "size_mb": 5, "mb_per_second": 4, "seed": 7 });
    assert_eq!(platform.provision("one", "test-data", "file", new).await.status, 202);
    let mut descriptions = Vec::new();
    let last = loop {
        let poll = platform.poll("one", None).await;
        if poll.body["state"] != "in progress" {
            break poll;
        }
        descriptions.extend(poll.body["description"].as_str().map(str::to_owned));
        tokio::time::sleep(Duration::from_millis(2)).await;
    };
    assert_eq!(last.body["state"], "succeeded", "{last:?}");
    descriptions.dedup();
    assert!(descriptions.is_sorted() && descriptions.len() > 1, "{descriptions:?}");
    assert!(descriptions.iter().all(|text| text.contains(" of 5 MB (")), "{descriptions:?}");
    let bound = platform.bind("one", "app", ()).await;
    let written = fs::read(bound.body["credentials"]["path"].as_str().expect("a path")).expect("the file");
    assert_eq!(written.len(), 5 * BLOCK);
    assert!(written[BLOCK..2 * BLOCK] == block(7, 1), "the same seed, the same file");
}

#[tokio::test]
async fn deleting_an_instance_cancels_its_creation() {
    let directory = directory();
    let platform = Client::new(Broker(TestData(directory.path().to_owned()))).await;
    let new = json!({ "size_mb": 10_000, "mb_per_second": 1 });
    assert_eq!(platform.provision("one", "test-data", "file", new).await.status, 202);
    while files(&directory) == 0 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    assert_eq!(platform.deprovision("one").await.status, 202);
    assert_eq!(platform.follow("one", None).await.status, 410);
    assert_eq!(files(&directory), 0);
}
