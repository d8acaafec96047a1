//! What an author tests: the catalog, a life over the API, and that every handler can be cut and run again.

use std::{fs, sync::Arc, time::Duration};

use osb_check::{Checker, Operation};
use osb_runtime::{
    http::{BrokerService, Credentials, HttpSettings},
    lifecycle::Settings,
};
use osb_testing::{Client, Replay, assert_catalog};
use serde_json::json;

use super::{BLOCK, Broker, TestData, block};

const POLL: &str = "/v2/service_instances/one/last_operation";

fn folder() -> Arc<tempfile::TempDir> {
    Arc::new(tempfile::tempdir().expect("a directory"))
}

fn files(folder: &tempfile::TempDir) -> usize {
    fs::read_dir(folder.path()).expect("it can be read").count()
}

fn megabytes(folder: &tempfile::TempDir) -> usize {
    let files = fs::read_dir(folder.path()).expect("it can be read").filter_map(Result::ok);
    files.map(|file| usize::try_from(file.metadata().map_or(0, |data| data.len())).unwrap_or_default() / BLOCK).sum()
}

#[test]
fn the_catalog_is_the_one_that_was_reviewed() {
    assert_catalog::<Broker>("catalog.json");
}

#[tokio::test]
async fn every_handler_can_be_run_again() {
    let folder = folder();
    let left = Arc::clone(&folder);
    let make = move || {
        let folder = folder.path().to_owned();
        async move { Broker(TestData(folder)) }
    };
    let new = json!({ "size_mb": 2, "mb_per_second": 1000 });
    Replay::of(make).parameters(new).left(move || files(&left) + megabytes(&left)).run().await;
}

#[tokio::test]
async fn a_platform_finds_nothing_wrong_with_it() {
    let folder = folder();
    let mut settings = Settings::default();
    (settings.moment, settings.retry_after) = (Duration::ZERO, Duration::ZERO);
    let (credentials, http) = (Credentials::basic("user", "password"), HttpSettings::default());
    let broker = Broker(TestData(folder.path().to_owned()));
    let service = BrokerService::start_with(broker, credentials.expect("a pair"), http, settings).await;
    let client = osb_client::Client::over(service.expect("it starts")).basic("user", "password");
    let mut checker = Checker::new(client).poll_every(Duration::from_millis(5));
    // Slow enough to be asked about while it is written, and fast enough for a test.
    for seed in [1, 2] {
        let parameters = json!({ "size_mb": 5, "mb_per_second": 20, "seed": seed });
        checker = checker.parameters("test-data", "file", Operation::Create, parameters);
    }
    let report = checker.run().await.expect("there is a catalog");
    assert!(report.is_clean() && report.findings.is_empty(), "{report}");
    assert_eq!(files(&folder), 0, "everything was deleted");
}

#[tokio::test]
async fn a_file_is_written_while_its_platform_polls() {
    let folder = folder();
    let platform = Client::new(Broker(TestData(folder.path().to_owned()))).await;
    let new = json!({ "size_mb": 3, "mb_per_second": 50, "seed": 7 });
    assert_eq!(platform.provision("one", "test-data", "file", new).await.status, 202);
    let mut said = Vec::new();
    let last = loop {
        let poll = platform.request("GET", POLL, None).await;
        if poll.body["state"] != "in progress" {
            break poll;
        }
        said.extend(poll.body["description"].as_str().map(str::to_owned));
        tokio::time::sleep(Duration::from_millis(2)).await;
    };
    assert_eq!(last.body["state"], "succeeded", "{last:?}");
    assert!(said.iter().any(|text| text == "2 of 3 MB (66 %)"), "{said:?}");
    let bound = platform.bind("one", "app", ()).await;
    let written = fs::read(bound.body["credentials"]["path"].as_str().expect("a path")).expect("the file");
    assert_eq!(written.len(), 3 * BLOCK);
    assert!(written[BLOCK..2 * BLOCK] == block(7, 1), "the same seed, the same file");
}

#[tokio::test]
async fn a_file_that_is_deleted_meanwhile_goes_at_once() {
    let folder = folder();
    let platform = Client::new(Broker(TestData(folder.path().to_owned()))).await;
    let new = json!({ "size_mb": 10_000, "mb_per_second": 1 });
    assert_eq!(platform.provision("one", "test-data", "file", new).await.status, 202);
    while files(&folder) == 0 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    assert_eq!(platform.deprovision("one").await.status, 202);
    while platform.request("GET", POLL, None).await.status != 410 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    assert_eq!(files(&folder), 0);
}
