//! The conformance check reports nothing for a correct broker, and finds each defect of an incorrect one.

// Its macros come before the modules that use them.
#[macro_use]
mod mutations;
mod faults;
mod hostile;
mod judged;
mod mutated;
mod rare;
mod rate_limits;
mod unusual;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::atomic::AtomicUsize,
};

use faults::FAULTS;
use http::{HeaderValue, header::RETRY_AFTER};
use mutated::{Asked, Mutate, Mutated, Reply};
use mutations::{MUTATIONS, Mutation, REFUSED, field, instead};
use osb_check::{
    judge::Endpoint,
    rules::rule,
    {Checker, Report, SchemaKind},
};
use osb_client::{Client, ClientError, Platform};
use osb_lab::{prelude::*, wire::start};
use osb_runtime::protocol::ApiVersion;
use rare::RARE;
use tokio::{
    sync::{Notify, Semaphore},
    task::JoinSet,
};

/// The time after which a test gives up; it only passes if something is broken.
const PATIENCE: Duration = Duration::from_mins(1);

async fn lab() -> (Lab, BrokerService) {
    let mut settings = Settings::default();
    (settings.sync_wait, settings.retry_after) = (Duration::ZERO, Duration::ZERO);
    let lab = Lab::default();
    let service = start(LabBroker { lab: lab.clone() }, settings).await;
    (lab, service.expect("it starts"))
}

/// A check of the lab broker, whose asynchronous operations behave like this.
fn checker(client: Client, asynchronous: &str) -> Checker {
    checker_without(client, asynchronous, &BTreeSet::new())
}

/// [`checker`] of a broker with this change.
async fn checker_of(mutate: Mutate, asynchronous: &str) -> Checker {
    checker(Client::over(Mutated::new(lab().await, [mutate])), asynchronous)
}

/// Like [`checker`], for a catalog that doesn't have some plans of the lab.
fn checker_without(client: Client, asynchronous: &str, absent: &BTreeSet<String>) -> Checker {
    let mut checker = Checker::new(client.basic("user", "pass"));
    checker = checker.poll_every(Duration::from_millis(20)).at_most(PATIENCE);
    let given = [
        (&["small", "large", "twin", "slow", "quick"][..], SchemaKind::Create),
        (&["small", "large", "slow", "quick"], SchemaKind::Update),
        (&["small", "slow", "quick"], SchemaKind::Bind),
    ];
    for (plans, operation) in given {
        for plan in plans.iter().filter(|plan| !absent.contains(&format!("lab/{plan}"))) {
            let mood = if *plan == "slow" { asynchronous } else { "succeed" };
            let other = if mood == "dawdle" { "succeed" } else { "dawdle" };
            let (first, other) = match operation {
                SchemaKind::Bind => (json!({ "mood": mood }), json!({ "mood": other })),
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
                let checker = checker(Client::over(service), "dawdle").version(ApiVersion::new(2, minor));
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

/// A broker with a change, and the platform that checks it.
struct Changed {
    what: &'static str,
    rule: &'static str,
    plan: &'static str,
    mutate: Mutate,
    /// Further changes.
    others: Vec<Mutation>,
    platform: Option<Platform>,
    minor: u32,
    /// Only the rule is looked for, until it is found.
    only_rule: bool,
    /// After the check: `true` if a response was changed.
    occurred: bool,
}

impl Changed {
    fn of((what, rule, plan, mutate): Mutation) -> Self {
        Self {
            what,
            rule,
            plan,
            mutate,
            others: Vec::new(),
            platform: None,
            minor: 17,
            only_rule: false,
            occurred: false,
        }
    }

    /// Returns all changes.
    fn mutations(&self) -> impl Iterator<Item = Mutation> {
        std::iter::once((self.what, self.rule, self.plan, self.mutate)).chain(self.others.iter().copied())
    }
}

/// Checks these brokers, and returns the reports.
async fn reports(brokers: impl IntoIterator<Item = Changed>) -> Vec<(Changed, Report)> {
    let limit = Arc::new(Semaphore::new(16));
    let mut checks = JoinSet::new();
    for mut broker in brokers {
        let limit = Arc::clone(&limit);
        checks.spawn(async move {
            let _permit = limit.acquire().await.expect("it is not closed");
            let mut absent = BTreeSet::new();
            loop {
                let (lab, service) = lab().await;
                if broker.plan == "slow" {
                    lab.deletions_go(Behaviour::Wait);
                }
                // Short only where no response comes at all.
                let timeout = if broker.rule == "ASY-01" { Duration::from_secs(1) } else { PATIENCE };
                let mutated = Mutated::new((lab, service), broker.mutations().map(|one| one.3).collect::<Vec<_>>());
                let has_changed = Arc::clone(&mutated.has_changed);
                let client = Client::over(mutated).timeout(timeout);
                let checker = checker_without(client, "wait", &absent).plan(broker.plan);
                let checker = checker.version(ApiVersion::new(2, broker.minor));
                let checker = if broker.only_rule { checker.only(broker.rule).fail_fast() } else { checker };
                let checker = broker.platform.into_iter().fold(checker, Checker::platform);
                match checker.run().await {
                    // The changed catalog has no such plan.
                    Err(ClientError::NoPlanOfParameters { wanted, .. }) => _ = absent.insert(wanted),
                    report => {
                        broker.occurred = has_changed.load(Ordering::Relaxed);
                        return (broker, report.expect("a catalog"));
                    }
                }
            }
        });
    }
    checks.join_all().await
}

/// Asserts that each of these brokers is reported with the rule of its defect, and with no rule of a later version.
async fn assert_found(mut brokers: Vec<Changed>) {
    let number = brokers.len();
    for broker in &mut brokers {
        // The latest version has all rules.
        broker.only_rule = broker.minor == ApiVersion::LATEST.minor();
    }
    let mut missed = Vec::new();
    for (broker, report) in reports(brokers).await {
        if !report.findings.iter().any(|finding| finding.rule == broker.rule) {
            missed.push(format!("{}, {}, 2.{}:\n{report}", broker.rule, broker.what, broker.minor));
        }
        let is_later = |id: &str| rule(id).is_some_and(|rule| rule.introduced > ApiVersion::new(2, broker.minor));
        assert!(!report.findings.iter().any(|finding| is_later(finding.rule)), "2.{}:\n{report}", broker.minor);
    }
    assert!(missed.is_empty(), "{} of {number} defects were not found:\n{}", missed.len(), missed.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_defect_is_reported_with_its_rule() {
    assert_found(MUTATIONS.iter().map(|mutation| Changed::of(*mutation)).collect()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_defect_is_reported_at_the_first_version_that_has_its_rule() {
    // The lab shows most of its defects only to platforms that fetch and poll, and plans have their own flags since 2.15.
    let at_first = |mutation: &Mutation| {
        let oldest = if mutation.1 == "UPD-01" { 15 } else { 14 };
        let since = rule(mutation.1).map_or(17, |rule| rule.since.minor().max(oldest));
        (since < 17).then(|| Changed { minor: since, ..Changed::of(*mutation) })
    };
    assert_found(MUTATIONS.iter().filter_map(at_first).collect()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_defect_across_several_requests_is_reported_with_its_rule() {
    let brokers = FAULTS.iter().chain(RARE).flat_map(|(what, rule, plan, since, mutate)| {
        let minors = BTreeSet::from([*since, 17]);
        minors.into_iter().map(|minor| Changed { minor, ..Changed::of((what, rule, plan, *mutate)) })
    });
    assert_found(brokers.collect()).await;
}

/// Later requests show the same defect, and must not be taken for another.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_status_of_success_is_reported_only_with_its_own_rules() {
    let again: Mutate = |asked, reply| instead(asked, reply, Endpoint::Provision, 200, 201);
    let deleted: Mutate = |asked, reply| instead(asked, reply, Endpoint::Deprovision, 200, 204);
    // That one of equal creations at the same time is answered 201 is a rule of its own.
    let brokers =
        [("201 for a repeated provision", "PROV-10 PROV-11", again), ("204 for a deletion", "DEP-04", deleted)];
    for (broker, report) in
        reports(brokers.map(|(what, rules, mutate)| Changed::of((what, rules, "quick", mutate)))).await
    {
        let rules: BTreeSet<_> = report.findings.iter().map(|finding| finding.rule).collect();
        assert_eq!(rules, broker.rule.split(' ').collect(), "{}:\n{report}", broker.what);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_202_is_reported_before_there_are_operations() {
    let creates: Mutate = |asked, reply| instead(asked, reply, Endpoint::Provision, 201, 202);
    let binds: Mutate = |asked, reply| instead(asked, reply, Endpoint::Bind, 201, 202);
    let deletes: Mutate = |asked, reply| instead(asked, reply, Endpoint::Deprovision, 200, 202);
    let unbinds: Mutate = |asked, reply| instead(asked, reply, Endpoint::Unbind, 200, 202);
    let brokers = [("PROV-10", creates, 6), ("BIND-07", binds, 13), ("DEP-04", deletes, 6), ("UNB-03", unbinds, 13)];
    let all = brokers.into_iter().flat_map(|(rule, mutate, last)| {
        [2, last].map(|minor| Changed { minor, ..Changed::of(("202 too early", rule, "quick", mutate)) })
    });
    assert_found(all.collect()).await;
}

/// Each alone for the newest version, and for the last one without asynchronous bindings. For others several together, and
/// alone where they aren't correct together.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unusual_but_correct_brokers_pass_for_platforms_of_every_version() {
    const TOGETHER: usize = 6;
    let mut plans = BTreeMap::<_, Vec<Mutation>>::new();
    for (what, _, plan, mutate) in unusual::PLANS.iter().chain(unusual::all()) {
        plans.entry(plan).or_default().push((what, "", plan, *mutate));
    }
    let groups = plans.values().flat_map(|mutations| {
        // Neighbours change the same responses.
        let number = mutations.len().div_ceil(TOGETHER);
        (0..number).map(move |first| mutations.iter().skip(first).step_by(number).copied())
    });
    let older = [2, 4, 6, 7, 9, 11, 12, 14, 15, 16];
    let together = groups.flat_map(|mut group| {
        let (first, others) = (group.next().expect("a group"), group.collect::<Vec<_>>());
        older.map(|minor| Changed { minor, others: others.clone(), ..Changed::of(first) })
    });
    let each = plans.values().flatten();
    let mut alone: Vec<_> =
        each.flat_map(|mutation| [13, 17].map(|minor| Changed { minor, ..Changed::of(*mutation) })).collect();
    for (broker, report) in reports(together).await {
        if !report.findings.is_empty() {
            alone.extend(broker.mutations().map(|one| Changed { minor: broker.minor, ..Changed::of(one) }));
        }
    }
    let (mut alarms, mut occurred) = (String::new(), BTreeSet::new());
    for (broker, report) in reports(alone).await {
        if broker.occurred {
            occurred.insert(broker.what);
        }
        if !report.is_clean() || !report.findings.is_empty() {
            alarms += &format!("{}, 2.{}:\n{report}\n", broker.what, broker.minor);
        }
    }
    assert!(alarms.is_empty(), "{alarms}");
    let never: Vec<_> = unusual::all().map(|(what, ..)| *what).filter(|what| !occurred.contains(what)).collect();
    assert!(never.is_empty(), "no response shows {never:?}");
}

/// Refuses requests with parts that no platform of their version sends.
fn refuses_what_is_newer(asked: &Asked, reply: &mut Reply) {
    let is_poll = matches!(asked.endpoint, Some(Endpoint::PollInstance | Endpoint::PollBinding));
    let is_about_binding = matches!(asked.endpoint, Some(Endpoint::Bind | Endpoint::Unbind));
    let (operations, context) = if is_about_binding { (14, 13) } else { (7, 12) };
    let parts = [
        (9, is_poll && !asked.query.is_empty()),
        (operations, asked.query.contains("accepts_incomplete")),
        (context, asked.has("context")),
        (15, asked.has("maintenance_info")),
    ];
    if parts.iter().any(|(since, is_sent)| asked.minor() < *since && *is_sent) {
        reply.become_(400, json!({ "description": "This version has no such part." }));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn platforms_send_no_fields_and_parameters_of_later_versions() {
    let brokers = ["small", "slow"].into_iter().flat_map(|plan| {
        let broker = move || Changed::of(("a strict broker", "", plan, refuses_what_is_newer));
        [6, 8, 11, 12, 13, 14].map(|minor| Changed { minor, ..broker() })
    });
    for (Changed { plan, minor, occurred, .. }, report) in reports(brokers).await {
        assert!(!occurred, "{plan}, 2.{minor}:\n{report}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unusual_plans_pass_for_each_platform() {
    let brokers = unusual::PLANS.iter().flat_map(|(what, _, plan, mutate)| {
        [Platform::CloudFoundry, Platform::Kubernetes].into_iter().flat_map(move |platform| {
            let platform = Some(platform);
            [12, 14, 17].map(|minor| Changed { platform, minor, ..Changed::of((what, "", plan, *mutate)) })
        })
    });
    for (Changed { what, platform, minor, .. }, report) in reports(brokers).await {
        assert!(report.is_clean() && report.findings.is_empty(), "{what}, {platform:?}, 2.{minor}:\n{report}");
    }
}

/// Returns the platform of a rule, whose id begins with it.
fn platform_of(rule: &str) -> Platform {
    if rule.starts_with("K8S-") { Platform::Kubernetes } else { Platform::CloudFoundry }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusals_of_a_platform_are_reported_only_for_that_platform() {
    let with = REFUSED.iter().map(|mutation| Changed {
        platform: Some(platform_of(mutation.1)),
        only_rule: true,
        ..Changed::of(*mutation)
    });
    let without = REFUSED.iter().map(|mutation| Changed::of(*mutation));
    for (Changed { what, rule, .. }, report) in reports(with).await {
        assert!(report.errors().any(|finding| finding.rule == rule), "{rule}, {what}:\n{report}");
    }
    for (Changed { what, rule, .. }, report) in reports(without).await {
        assert!(report.findings.iter().all(|finding| finding.rule != rule), "{rule}, {what}:\n{report}");
    }
}

/// Returns a URL of this many characters.
fn long(length: usize) -> Value {
    let start = "https://a/";
    json!(format!("{start}{}", "x".repeat(length - start.len())))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unusual_urls_and_values_of_the_greatest_length_pass_for_cloud_foundry() {
    let brokers: [(&str, Mutate); 7] = [
        ("quick", |a, r| field(a, r, Endpoint::Bind, 201, "route_service_url", json!("https://[2001:db8::1]/x"))),
        ("quick", |a, r| field(a, r, Endpoint::Bind, 201, "route_service_url", json!("HTTPS://example.com/x"))),
        ("quick", |a, r| field(a, r, Endpoint::Bind, 201, "route_service_url", long(255))),
        ("quick", |a, r| field(a, r, Endpoint::Bind, 201, "syslog_drain_url", long(10_000))),
        ("quick", |a, r| field(a, r, Endpoint::Provision, 201, "dashboard_url", long(16_000))),
        ("quick", |a, r| field(a, r, Endpoint::Bind, 201, "credentials", json!({ "uri": "a".repeat(49_135 - 10) }))),
        ("slow", |a, r| field(a, r, Endpoint::Provision, 202, "operation", json!("a".repeat(10_000)))),
    ];
    let platform = Some(Platform::CloudFoundry);
    let brokers = brokers.map(|(plan, mutate)| Changed { platform, ..Changed::of(("a value", "", plan, mutate)) });
    for (Changed { occurred, .. }, report) in reports(brokers).await {
        let refused = report.findings.iter().any(|finding| ["CF-10", "CF-15", "CF-21"].contains(&finding.rule));
        assert!(occurred && !refused, "{report}");
    }
}

#[tokio::test(start_paused = true)]
async fn polls_pause_as_long_as_the_broker_asks_for() {
    let pause: Mutate = |asked, reply| {
        if asked.endpoint == Some(Endpoint::PollInstance) && asked.before == 0 && reply.status == 200 {
            reply.body = json!({ "state": "in progress" });
            reply.headers.insert(RETRY_AFTER, HeaderValue::from_static("30"));
        }
    };
    let began = tokio::time::Instant::now();
    for (_, report) in reports([Changed::of(("a pause of 30 s", "", "slow", pause))]).await {
        assert!(report.is_clean() && report.findings.is_empty(), "{report}");
    }
    assert!(began.elapsed() >= Duration::from_secs(30), "{:?}", began.elapsed());
}

/// Returns the rule ids in string literals of the sources and in comments of the schemas.
fn checked_rules(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("the folder is read").map(|entry| entry.expect("an entry").path());
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
fn each_checked_rule_is_broken_by_one_broker_and_obeyed_in_an_unusual_way_by_another() {
    let mut checked = checked_rules(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../osb-check/src"));
    assert!(checked.len() > 100 && checked.contains("BIND-10"), "{checked:?}");
    let refused: BTreeSet<_> = REFUSED.iter().map(|(_, rule, ..)| (*rule).to_owned()).collect();
    let mutations = MUTATIONS.iter().map(|(_, rule, ..)| *rule);
    let broken = mutations.chain(FAULTS.iter().chain(RARE).map(|(_, rule, ..)| *rule)).map(str::to_owned);
    let broken: BTreeSet<_> = broken.chain(refused.clone()).collect();
    let missing: Vec<_> = checked.difference(&broken).collect();
    assert!(missing.is_empty(), "no defect violates {missing:?}");
    // Some rules of schemas are those of another crate.
    checked.extend(broken);

    // For other platforms, the behaviour that one refuses is right.
    let obeyed = unusual::PLANS.iter().chain(unusual::all()).flat_map(|(_, rules, ..)| rules.split(' '));
    let obeyed: BTreeSet<_> = obeyed.map(str::to_owned).chain(refused).collect();
    let missing: Vec<_> = checked.difference(&obeyed).collect();
    assert!(missing.is_empty(), "no unusual broker obeys {missing:?}");
    let unknown: Vec<_> = obeyed.difference(&checked).collect();
    assert!(unknown.is_empty(), "the check has no rule {unknown:?}");
}

#[tokio::test]
async fn resources_that_cannot_be_deleted_are_reported() {
    let (lab, service) = lab().await;
    lab.deletions_go(Behaviour::Refuse);
    let report = checked(checker(Client::over(service), "succeed").plan("quick")).await;
    assert!(!report.is_clean());
    let left = &report.left_behind;
    assert!(left.iter().all(|left| left.starts_with("DELETE /v2/service_instances/")), "{left:?}");
    assert!(left[0].ends_with("422 Unprocessable Entity: It is in use."), "{left:?}");
    assert!(!lab.inventory().is_empty());
}

/// A request may have had its effect although its response was lost, or was an error of the server (ORP-04).
#[tokio::test]
async fn resources_that_a_failed_request_may_have_made_are_deleted() {
    let brokers: [Mutate; 2] = [
        |asked, reply| {
            if asked.endpoint == Some(Endpoint::Provision) {
                reply.fate = mutated::Fate::IsLost;
            }
        },
        |asked, reply| {
            if asked.endpoint == Some(Endpoint::Provision) && reply.status == 201 {
                reply.become_(500, json!({ "description": "It was made all the same." }));
            }
        },
    ];
    for mutate in brokers {
        let (lab, service) = lab().await;
        let client = Client::over(Mutated::new((lab.clone(), service), [mutate]));
        let report = checked(checker(client, "succeed").plan("quick")).await;
        assert!(!report.is_clean());
        assert_eq!((lab.inventory(), &report.left_behind), (Vec::new(), &Vec::new()), "{report}");
    }
}

/// A rule may be a MUST in other respects.
#[tokio::test]
async fn a_violated_recommendation_is_a_warning() {
    let unchallenged: Mutate = |_, reply| _ = reply.headers.remove("www-authenticate");
    let report = checked(checker_of(unchallenged, "succeed").await.plan("quick")).await;
    let warned: Vec<_> = report.warnings().map(|finding| finding.rule).collect();
    assert!(report.is_clean() && warned == ["AUTH-01"], "{report}");
}

#[tokio::test]
async fn cat_39_an_operation_is_polled_as_long_as_its_plan_says() {
    let endless: Mutate = |asked, reply| {
        if asked.endpoint == Some(Endpoint::PollInstance) {
            reply.become_(200, json!({ "state": "in progress" }));
        }
        if let Some(plans) = reply.body.pointer_mut("/services/0/plans").and_then(Value::as_array_mut) {
            for plan in plans {
                plan["maximum_polling_duration"] = json!(1);
            }
        }
    };
    let checker = checker_of(endless, "succeed").await.plan("slow").at_most(Duration::from_secs(4));
    let report = checked(checker).await;
    let unchecked: Vec<_> = report.unchecked.iter().map(|one| one.why.as_str()).collect();
    let ended = |why: &&str| ["0 s", "1 s"].iter().any(|after| why.ends_with(&format!("in progress after {after}")));
    assert!(!unchecked.is_empty() && unchecked.iter().any(ended), "{report}");
}

#[tokio::test]
async fn cleanup_respects_the_api_version() {
    // The first deletion fails. Later ones do, too, if they have a parameter that the version doesn't know.
    fn deletion(asked: &Asked, reply: &mut Reply, of: Endpoint) {
        let is_first = asked.earlier.iter().all(|earlier| earlier.endpoint != Some(of));
        if asked.endpoint == Some(of) && (is_first || asked.query.contains("accepts_incomplete")) {
            reply.become_(500, json!({ "description": "The first one fails." }));
        }
    }
    let brokers: [(u32, Mutate); 2] = [
        (13, |asked, reply| deletion(asked, reply, Endpoint::Unbind)),
        (6, |asked, reply| deletion(asked, reply, Endpoint::Deprovision)),
    ];
    for (minor, mutate) in brokers {
        let checker = checker_of(mutate, "succeed").await.plan("quick").version(ApiVersion::new(2, minor));
        let report = checked(checker).await;
        assert!(!report.is_clean(), "2.{minor}: {report}");
        assert_eq!(report.left_behind, [""; 0], "2.{minor}: {report}");
    }
}

#[tokio::test]
async fn cleanup_waits_while_deletions_are_blocked() {
    /// Blocks the deletion of each instance that exists this often.
    fn blocked(asked: &Asked, reply: &mut Reply, status: u16, times: usize) {
        let exists = asked.last(Endpoint::Provision).is_some_and(|made| made.status < 300);
        let is_deletion = |endpoint| endpoint == Some(Endpoint::Deprovision);
        let same = |earlier: &&Arc<mutated::Answered>| is_deletion(earlier.endpoint) && earlier.path == asked.path;
        let blocked = asked.earlier.iter().filter(same).filter(|earlier| earlier.status == status).count();
        if exists && asked.is_whole() && is_deletion(asked.endpoint) && blocked < times {
            reply.become_(status, json!({ "error": "ConcurrencyError", "description": "Another one is in progress." }));
            reply.headers.insert("retry-after", 0.into());
        }
    }
    let brokers: [(Mutate, bool); 3] = [
        (|asked, reply| blocked(asked, reply, 422, 4), true),
        (|asked, reply| blocked(asked, reply, 503, 4), true),
        (|asked, reply| blocked(asked, reply, 422, usize::MAX), false),
    ];
    for (number, (mutate, is_deleted)) in brokers.into_iter().enumerate() {
        let longest = if is_deleted { PATIENCE } else { Duration::from_millis(200) };
        let report = checked(checker_of(mutate, "succeed").await.plan("quick").at_most(longest)).await;
        assert!(report.findings.iter().any(|finding| finding.rule == "DEP-04"), "{number}: {report}");
        assert_eq!(report.left_behind.is_empty(), is_deleted, "{number}: {report}");
    }
}

#[tokio::test]
async fn ids_that_change_are_reported_once() {
    let broker = MUTATIONS.iter().filter(|(_, rule, ..)| *rule == "CAT-03").map(|mutation| Changed::of(*mutation));
    for (_, report) in reports(broker).await {
        let rules: Vec<&str> = report.findings.iter().map(|finding| finding.rule).collect();
        assert_eq!(rules, ["CAT-03"], "{report}");
    }
}

/// Removes the schemas of all plans.
fn without_schemas(reply: &mut Reply) {
    if let Some(plans) = reply.body.pointer_mut("/services/0/plans").and_then(Value::as_array_mut) {
        for plan in plans {
            plan["schemas"] = json!({});
        }
    }
}

#[tokio::test]
async fn plans_without_parameters_are_changed_synchronously_too() {
    let brokers: [Mutate; 2] = [
        |asked, reply| {
            without_schemas(reply);
            if !asked.waits() {
                instead(asked, reply, Endpoint::Update, 200, 202);
            }
        },
        |asked, reply| {
            without_schemas(reply);
            if asked.query.contains("accepts_incomplete=false") {
                instead(asked, reply, Endpoint::Update, 200, 202);
            }
        },
    ];
    for mutate in brokers {
        for minor in [7, 12, 17] {
            let client = Client::over(Mutated::new(lab().await, [mutate])).basic("user", "pass");
            let checker = Checker::new(client).poll_every(Duration::from_millis(20)).at_most(PATIENCE);
            let report = checked(checker.plan("small").version(ApiVersion::new(2, minor))).await;
            let found = report.findings.iter().any(|finding| finding.rule == "ASY-05");
            assert!(found, "2.{minor}: {report}");
        }
    }
}

/// A broker may refuse what a version doesn't have.
#[tokio::test]
async fn requests_have_only_what_their_version_has() {
    let without_context: Mutate = |asked, reply| {
        if asked.body.get("context").is_some() {
            instead(asked, reply, Endpoint::Bind, 201, 400);
        }
    };
    let without_query: Mutate = |asked, reply| {
        if !asked.query.is_empty() {
            instead(asked, reply, Endpoint::PollInstance, 200, 400);
        }
    };
    for (mutate, plan, since) in [(without_context, "quick", 13), (without_query, "slow", 9)] {
        for minor in [since - 1, since] {
            let checker = checker_of(mutate, "succeed").await.plan(plan).version(ApiVersion::new(2, minor));
            let report = checked(checker).await;
            assert_eq!(report.is_clean(), minor < since, "2.{minor}: {report}");
        }
    }
}

#[tokio::test]
async fn upd_14_a_synchronous_change_of_plan_is_refused_with_a_code() {
    let mutate: Mutate = |asked, reply| {
        without_schemas(reply);
        if asked.endpoint == Some(Endpoint::Update) && reply.status == 200 {
            if asked.waits() {
                reply.become_(202, json!({}));
            } else {
                reply.become_(422, json!({ "description": "It takes long." }));
            }
        }
    };
    let client = Client::over(Mutated::new(lab().await, [mutate])).basic("user", "pass");
    let checker = Checker::new(client).poll_every(Duration::from_millis(20)).at_most(PATIENCE);
    let report = checked(checker.plan("small")).await;
    let expected =
        |finding: &osb_check::Finding| finding.rule == "UPD-14" && finding.expected.contains("AsyncRequired");
    assert!(report.findings.iter().any(expected), "{report}");
}

#[tokio::test]
async fn rules_can_be_skipped_or_selected() {
    let mutate: Mutate = |_, reply| {
        reply.headers.remove("content-type");
        reply.headers.remove("x-broker-api-request-identity");
    };
    let rules = async |checker: fn(Checker) -> Checker| {
        let report = checked(checker(checker_of(mutate, "wait").await.plan("closed"))).await;
        report.findings.iter().map(|finding| finding.rule).collect::<Vec<_>>()
    };
    assert_eq!(rules(|checker| checker).await, ["HDR-07", "HDR-05"]);
    assert_eq!(rules(|checker| checker.skip("HDR-07")).await, ["HDR-05"]);
    assert_eq!(rules(|checker| checker.only("HDR-07")).await, ["HDR-07"]);
}

#[tokio::test]
async fn a_check_can_stop_at_the_first_violation_but_not_at_a_warning() {
    let mutate: Mutate = |asked, reply| {
        reply.headers.remove("x-broker-api-request-identity");
        instead(asked, reply, Endpoint::Provision, 200, 201);
    };
    let run = async |checker: fn(Checker) -> Checker| {
        let (lab, service) = lab().await;
        let client = Client::over(Mutated::new((lab.clone(), service), [mutate]));
        let report = checked(checker(self::checker(client, "wait").plan("quick"))).await;
        assert_eq!((lab.inventory(), report.left_behind.as_slice()), (Vec::new(), [].as_slice()), "{report}");
        report
    };
    let whole = run(|checker| checker).await;
    let first = run(Checker::fail_fast).await;
    let rules: Vec<_> = first.findings.iter().map(|finding| finding.rule).collect();
    assert_eq!(rules, ["HDR-05", "PROV-10"], "{first}");
    assert!(first.requests < whole.requests / 2, "{first}");
    let why: Vec<_> = first.unchecked.iter().map(|unchecked| unchecked.why.as_str()).collect();
    assert!(matches!(why[..], [why] if why.ends_with(": the check stopped at the first violation")), "{why:?}");

    let warned = run(|checker| checker.only("HDR-05").fail_fast()).await;
    assert_eq!((warned.requests, warned.unchecked), (whole.requests, whole.unchecked));
}

#[tokio::test]
async fn a_check_that_is_interrupted_deletes_what_it_has_created() {
    let (lab, service) = lab().await;
    let created = lab.clone();
    let interrupted = async move {
        while created.inventory().is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let report = checked(checker(Client::over(service), "wait").plan("slow").until(interrupted)).await;
    let why: Vec<_> = report.unchecked.iter().map(|unchecked| unchecked.why.as_str()).collect();
    assert!(matches!(why[..], [why] if why.ends_with("the check was interrupted")), "{why:?}");
    assert_eq!((lab.inventory(), report.left_behind.as_slice()), (Vec::new(), [].as_slice()), "{report}");
}

/// Interrupts a check when a step of a plan begins that is the one.
fn interrupted(checker: Checker, is_the_one: impl Fn(&str) -> bool + Send + Sync + 'static) -> Checker {
    let begins = Arc::new(Notify::new());
    let interruption = Arc::clone(&begins);
    checker.until(async move { interruption.notified().await }).on_step(move |plan, step| {
        if !plan.is_empty() && is_the_one(step) {
            begins.notify_one();
        }
    })
}

#[tokio::test]
async fn a_check_that_is_interrupted_deletes_only_what_it_has_requested() {
    // A deletion of something that was never requested would be counted as left behind.
    let mutate: Mutate = |asked, reply| instead(asked, reply, Endpoint::Deprovision, 410, 404);
    let report = checked(interrupted(checker_of(mutate, "wait").await.plan("quick"), |_| true)).await;
    let why: Vec<_> = report.unchecked.iter().map(|unchecked| unchecked.why.as_str()).collect();
    assert!(matches!(why[..], [why] if why.ends_with("the check was interrupted")), "{why:?}");
    assert_eq!(report.left_behind, [""; 0], "{report}");
}

/// Refuses to delete an instance under the name of another plan than its own.
fn demands_the_plan(asked: &Asked, reply: &mut Reply) {
    let plan_of = |body: &Value| body["plan_id"].as_str().map(str::to_owned);
    let is_change = |one: &&Arc<mutated::Answered>| {
        let makes = matches!(one.endpoint, Some(Endpoint::Provision | Endpoint::Update));
        one.path == asked.path && makes && one.status < 300
    };
    let plan = asked.earlier.iter().rev().filter(is_change).find_map(|one| plan_of(&one.asked));
    if asked.endpoint == Some(Endpoint::Deprovision)
        && plan.is_some_and(|plan| !asked.query.contains(&format!("plan_id={plan}")))
    {
        reply.become_(400, json!({ "description": "The instance has another plan." }));
    }
}

#[tokio::test]
async fn an_instance_whose_plan_has_changed_is_deleted_with_its_new_plan() {
    // The second change begins after the success of the first.
    let changes = AtomicUsize::new(0);
    let is_second = move |step: &str| {
        step.starts_with("change the instance from plan ") && changes.fetch_add(1, Ordering::Relaxed) == 1
    };
    let report = checked(interrupted(checker_of(demands_the_plan, "wait").await.plan("small"), is_second)).await;
    let why: Vec<_> = report.unchecked.iter().map(|unchecked| unchecked.why.as_str()).collect();
    assert!(matches!(why[..], [why] if why.ends_with("the check was interrupted")), "{why:?}");
    assert_eq!(report.left_behind, [""; 0], "{report}");
}

#[tokio::test]
async fn a_deletion_during_an_operation_may_fail() {
    let (lab, service) = lab().await;
    lab.deletions_go(Behaviour::Fail);
    let report = checked(checker(Client::over(service), "dawdle").plan("twin").only("DEP-06")).await;
    assert_eq!(report.findings, [], "{report}");
    let why: Vec<_> = report.unchecked.iter().map(|unchecked| unchecked.why.as_str()).collect();
    assert!(
        why.iter().any(|why| why.starts_with("delete an instance while it is being created: the deletion failed: ")),
        "{why:?}"
    );
}

#[tokio::test]
async fn a_check_that_stops_at_a_violation_deletes_only_what_it_has_requested() {
    let mutate: Mutate = |asked, reply| {
        instead(asked, reply, Endpoint::Catalog, 401, 403);
        // A deletion of something that was never requested would be reported, and counted as left behind.
        instead(asked, reply, Endpoint::Deprovision, 410, 404);
    };
    let report = checked(checker_of(mutate, "wait").await.plan("quick").fail_fast()).await;
    let rules: BTreeSet<_> = report.findings.iter().map(|finding| finding.rule).collect();
    assert_eq!((rules, report.left_behind.len()), (BTreeSet::from(["AUTH-01"]), 0), "{report}");
}

#[tokio::test]
async fn a_check_of_a_rule_that_does_not_exist_is_an_error_and_not_a_clean_report() {
    let client = Client::over(lab().await.1);
    for checker in [checker(client.clone(), "wait").only("hdr-07"), checker(client, "wait").skip("hdr-07")] {
        let error = checker.run().await.expect_err("there is no such rule");
        assert_eq!(error.to_string(), "there is no rule \"hdr-07\" to check");
    }
}

#[tokio::test]
async fn a_catalog_whose_services_have_no_plans_is_reported() {
    let brokers: [Mutate; 2] = [
        |asked, reply| mutations::catalog(asked, reply, "/services/0/plans", json!([])),
        |asked, reply| {
            if asked.endpoint == Some(Endpoint::Catalog) && reply.status == 200 {
                reply.body["services"] = json!([{ "id": "x", "name": "x", "description": "x", "bindable": false }]);
            }
        },
    ];
    for mutate in brokers {
        let report =
            checked(Checker::new(Client::over(Mutated::new(lab().await, [mutate])).basic("user", "pass"))).await;
        assert!(report.findings.iter().any(|finding| finding.rule == "CAT-22"), "{report}");
    }
}

#[tokio::test]
async fn findings_about_a_repeated_request_say_that_it_was_repeated() {
    fn repeated(asked: &Asked, reply: &mut Reply, first: Option<&str>) {
        if asked.endpoint == Some(Endpoint::Provision) && reply.status == 202 {
            let is_first = asked.last(Endpoint::Provision).is_none_or(|made| made.path != asked.path);
            reply.body["operation"] = if is_first { json!(first) } else { json!("another") };
        }
    }
    let brokers: [(Mutate, &str); 3] = [
        (
            |asked, reply| {
                repeated(asked, reply, None);
                if reply.body["operation"] == "another" {
                    reply.become_(422, json!({ "error": "ConcurrencyError", "description": "It is being created." }));
                }
            },
            "expected 202 for the repeated request, as the operation is in progress",
        ),
        (|asked, reply| repeated(asked, reply, Some("one")), "expected the operation of the first response, \"one\""),
        (|asked, reply| repeated(asked, reply, None), "expected no operation, as in the first response"),
    ];
    for (mutate, expected) in brokers {
        let report = checked(checker_of(mutate, "wait").await.plan("slow").only("PROV-13")).await;
        assert!(report.findings.iter().any(|finding| finding.expected == expected), "{report}");
    }
}

#[tokio::test]
async fn parameters_can_name_service_and_plan_by_id() {
    let (_, service) = lab().await;
    let client = Client::over(service).basic("user", "pass");
    let catalog = client.catalog().await.expect("a catalog");
    let (of, plan) = catalog.find("lab", "quick").expect("a plan");
    // The broker refuses these, so nothing more is checked.
    let given = json!({ "mood": "none" });
    let checker = Checker::new(client).plan("quick").parameters(&of.id, &plan.id, SchemaKind::Create, given);
    let report = checked(checker).await;
    assert!(report.unchecked.iter().any(|unchecked| unchecked.why.contains("provide other parameters")), "{report}");
}

/// A request with the same parameters again does not conflict, although the operator meant it to.
#[tokio::test]
async fn equal_parameters_that_are_given_twice_accuse_no_broker() {
    let (_, service) = lab().await;
    let given = json!({ "mood": "succeed", "size": 2 });
    let checker = Checker::new(Client::over(service).basic("user", "pass")).plan("quick");
    let checker = checker.parameters("lab", "quick", SchemaKind::Create, given.clone());
    let report = checked(checker.parameters("lab", "quick", SchemaKind::Create, given)).await;
    assert!(report.findings.iter().all(|finding| finding.rule != "PROV-14"), "{report}");
}

#[tokio::test]
async fn an_unknown_plan_and_wrong_credentials_are_errors() {
    let client = async || Client::over(lab().await.1).basic("user", "pass");
    let error = Checker::new(client().await).plan("none").run().await.expect_err("no such plan").to_string();
    assert!(error.starts_with("the catalog has no such plan; its plans are lab/small, "), "{error}");
    let checker = Checker::new(client().await).parameters("lab", "smal", SchemaKind::Bind, json!({}));
    let error = checker.run().await.expect_err("no such plan").to_string();
    assert!(
        error.starts_with(
            "parameters are given for plan lab/smal, which the catalog does not have; its plans are lab/small, "
        ),
        "{error}"
    );
    let error = Checker::new(client().await.basic("user", "wrong")).run().await.expect_err("401");
    assert_eq!(error, ClientError::Unauthorized);
}
