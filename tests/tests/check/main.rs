//! The conformance check reports nothing for a correct broker, and finds each defect of an incorrect one.

mod mutated;
mod mutations;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use mutated::Mutated;
use mutations::{MUTATIONS, Mutation, REFUSED};
use osb_check::{
    rules::rule,
    {Checker, Report, SchemaKind},
};
use osb_client::{Client, ClientError, Platform};
use osb_lab::lab::{Behaviour, Lab, LabBroker};
use osb_runtime::{
    http::{BrokerService, Credentials, HttpSettings},
    lifecycle::Settings,
    protocol::ApiVersion,
};
use serde_json::json;
use tokio::{sync::Semaphore, task::JoinSet};

async fn lab() -> (Lab, BrokerService) {
    let mut settings = Settings::default();
    (settings.sync_wait, settings.retry_after) = (Duration::ZERO, Duration::ZERO);
    let credentials = Credentials::basic("user", "pass").expect("a user without colon");
    let lab = Lab::default();
    let broker = LabBroker { lab: lab.clone() };
    let service = BrokerService::start_with(broker, credentials, HttpSettings::default(), settings).await;
    (lab, service.expect("it starts"))
}

/// A check of the lab broker. Its asynchronous operations take long enough for requests in the meantime.
fn checker(client: Client) -> Checker {
    let mut checker = Checker::new(client.basic("user", "pass"));
    checker = checker.poll_every(Duration::from_millis(20)).at_most(Duration::from_secs(20));
    let given = [
        (&["small", "large", "twin", "slow", "quick"][..], SchemaKind::Create),
        (&["small", "large", "slow", "quick"], SchemaKind::Update),
        (&["small", "slow", "quick"], SchemaKind::Bind),
    ];
    for (plans, operation) in given {
        for plan in plans {
            // Only asynchronous operations may be slow.
            let mood = if *plan == "slow" { "dawdle" } else { "succeed" };
            let (first, other) = match operation {
                SchemaKind::Bind => (json!({ "mood": mood }), json!({ "mood": "refuse" })),
                _ => (json!({ "mood": mood, "size": 2 }), json!({ "mood": mood, "size": 3 })),
            };
            checker = checker.parameters("lab", plan, operation, first).parameters("lab", plan, operation, other);
        }
    }
    checker
}

async fn checked(checker: Checker) -> Report {
    checker.run().await.expect("a catalog")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_correct_broker_passes_for_platforms_of_every_version() {
    let mut checks = JoinSet::new();
    for minor in [2, 4, 6, 7, 9, 11, 12, 13, 14, 15, 16, 17] {
        for platform in [None, Some(Platform::CloudFoundry), Some(Platform::Kubernetes)] {
            checks.spawn(async move {
                let (lab, service) = lab().await;
                let checker = checker(Client::over(service)).version(ApiVersion::new(2, minor));
                let report = checked(platform.into_iter().fold(checker, Checker::platform)).await;
                (format!("2.{minor} {platform:?}"), report, lab.inventory())
            });
        }
    }
    while let Some(done) = checks.join_next().await {
        let (platform, report, left) = done.expect("it does not panic");
        assert!(report.is_clean() && report.findings.is_empty(), "{platform}:\n{report}");
        assert!(report.requests > 40, "{platform}: too few requests: {report}");
        assert_eq!(left, [""; 0], "{platform}: everything was deleted");
    }
}

/// Checks brokers with these defects, and returns the reports.
async fn found(mutations: Vec<(Option<Platform>, Mutation)>) -> Vec<(&'static str, &'static str, Report)> {
    let limit = Arc::new(Semaphore::new(16));
    let mut checks = JoinSet::new();
    for (platform, (what, rule, plan, mutate)) in mutations {
        let limit = Arc::clone(&limit);
        checks.spawn(async move {
            let _permit = limit.acquire().await.expect("it is not closed");
            let (lab, service) = lab().await;
            if plan == "slow" {
                lab.deletions_go(Behaviour::Dawdle);
            }
            let client = Client::over(Mutated::new(service, mutate)).timeout(Duration::from_secs(1));
            let checker = checker(client).plan(plan);
            let checker = platform.into_iter().fold(checker.at_most(Duration::from_secs(2)), Checker::platform);
            (what, rule, checked(checker).await)
        });
    }
    checks.join_all().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_defect_is_reported_with_its_rule() {
    let mut missed = Vec::new();
    for (what, rule, report) in found(MUTATIONS.iter().map(|mutation| (None, *mutation)).collect()).await {
        if !report.findings.iter().any(|finding| finding.rule == rule) {
            missed.push(format!("{rule}, {what}:\n{report}"));
        }
    }
    assert!(
        missed.is_empty(),
        "{} of {} defects were not found:\n{}",
        missed.len(),
        MUTATIONS.len(),
        missed.join("\n")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusals_of_a_platform_are_reported_only_for_that_platform() {
    let with = REFUSED.iter().map(|(platform, mutation)| (Some(*platform), *mutation));
    let without = REFUSED.iter().map(|(_, mutation)| (None, *mutation));
    for (what, rule, report) in found(with.collect()).await {
        assert!(report.errors().any(|finding| finding.rule == rule), "{rule}, {what}:\n{report}");
    }
    for (what, rule, report) in found(without.collect()).await {
        assert!(report.findings.iter().all(|finding| finding.rule != rule), "{rule}, {what}:\n{report}");
    }
}

/// Returns the rule ids in string literals of the sources and in comments of the schemas.
fn checked_rules(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let ids = |path: PathBuf| {
        if path.ends_with("rules") {
            return BTreeSet::new();
        }
        if path.is_dir() {
            return checked_rules(&path);
        }
        if path.ends_with("tests.rs") {
            return BTreeSet::new();
        }
        let text = fs::read_to_string(&path).expect("it is text");
        let quoted = text.split('"').skip(1).map(|part| part.split(':').next().unwrap_or_default());
        let known = |id: &&str| rule(id).is_some() || id.starts_with("CF-") || id.starts_with("K8S-");
        quoted.filter(known).map(str::to_owned).collect()
    };
    entries.flat_map(ids).collect()
}

#[test]
fn every_rule_that_is_asked_for_is_broken_by_one_of_the_spoilt() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../osb-check/src");
    let all = MUTATIONS.iter().chain(REFUSED.iter().map(|(_, mutation)| mutation));
    let broken: BTreeSet<String> = all.map(|(_, rule, ..)| (*rule).to_owned()).collect();
    let checked_rules = checked_rules(&sources);
    assert!(checked_rules.len() > 100 && checked_rules.contains("BIND-10"), "{checked_rules:?}");
    let missing: Vec<_> = checked_rules.difference(&broken).collect();
    assert!(missing.is_empty(), "no defect violates {missing:?}");
}

#[tokio::test]
async fn resources_that_cannot_be_deleted_are_reported() {
    let (lab, service) = lab().await;
    lab.deletions_go(Behaviour::Refuse);
    let report = checked(checker(Client::over(service)).plan("quick")).await;
    assert!(!report.is_clean());
    let left = &report.left_behind;
    assert!(left.iter().all(|left| left.starts_with("DELETE /v2/service_instances/")), "{left:?}");
    assert!(left[0].ends_with("422 Unprocessable Entity: It is in use."), "{left:?}");
    assert!(!lab.inventory().is_empty());
}

#[tokio::test]
async fn rules_can_be_skipped_or_selected() {
    let mutate: mutated::Mutate = |_, reply| {
        reply.headers.remove("content-type");
        reply.headers.remove("x-broker-api-request-identity");
    };
    let rules = async |checker: fn(Checker) -> Checker| {
        let client = Client::over(Mutated::new(lab().await.1, mutate));
        let report = checked(checker(self::checker(client).plan("closed"))).await;
        report.findings.iter().map(|finding| finding.rule).collect::<Vec<_>>()
    };
    assert_eq!(rules(|checker| checker).await, ["HDR-07", "HDR-05"]);
    assert_eq!(rules(|checker| checker.skip("HDR-07")).await, ["HDR-05"]);
    assert_eq!(rules(|checker| checker.only("HDR-07")).await, ["HDR-07"]);
}

#[tokio::test]
async fn an_unknown_plan_and_wrong_credentials_are_errors() {
    let client = async || Client::over(lab().await.1).basic("user", "pass");
    let error = Checker::new(client().await).plan("none").run().await.expect_err("no such plan").to_string();
    assert!(error.starts_with("the catalog has no such plan; its plans are lab/small, "), "{error}");
    let error = Checker::new(client().await.basic("user", "wrong")).run().await.expect_err("401");
    assert_eq!(error, ClientError::Unauthorized);
}
