//! Families of several services, and their effect on the services.

use osb_lab::wire;
use osb_runtime::{
    catalog::{Offering, Overrides},
    lifecycle::Settings,
    prelude::*,
};
use osb_testing::Client;
use serde_json::{Value, json};

const LOGS: &str = "7d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5b01";
const ID: &str = "7d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5b09";

/// A collector of logs, with plans of a deployment only.
#[service(id = "7d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5b01", name = "logs", tags("logs"), plans(Kept))]
struct Logs;

/// Logs that are kept for a while.
#[plan(family = Retention, name = "kept", create = Foreign<Filter>, bindable, asynchronous(instances = never))]
struct Kept;

/// The time for which logs are kept.
#[parameters]
struct Retention {
    /// Days.
    days: u32,
    /// The key of the archive.
    #[param(length(min = 8), secret)]
    key: String,
}

/// The logs to keep.
#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Filter {
    level: u8,
}

/// A service with a plan of the program.
#[service(id = "7d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5b02", name = "files", plans(Plain, OfSize))]
struct Files;

/// A directory.
#[plan(id = "7d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5b03", name = "plain")]
struct Plain;

/// A directory of a size.
#[plan(family = NoParameters, name = "other", bindable)]
struct OfSize;

osb_lab::provision_nothing!(Files);
osb_lab::bind_nothing! {
    Files: OfSize => Endpoints = |_new| Endpoints(vec![Endpoint::tcp("files.example.com", 2049)]);
}

impl Provision<Kept> for Logs {
    type State = ();
    async fn provision(&self, request: ProvisionRequest<Kept>, _: &Operation) -> Result<Provisioned, ProvisionError> {
        assert!(!format!("{request:?}").contains("hunter"), "{request:?}");
        assert_eq!((request.plan.values.days, &*request.plan.values.key), (7, "hunter22"));
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Kept>, _: &Operation) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

impl Bind<Kept> for Logs {
    type Output = LogDrain;
    type BindingState = ();
    async fn bind(&self, _: BindRequest<Kept, ()>, _: &Operation) -> Result<Bound<LogDrain>, BindError> {
        Err(BindError::refused("No drain."))
    }
    async fn unbind(&self, _: UnbindRequest<Kept, ()>, _: &Operation) -> Result<(), UnbindError> {
        Ok(())
    }
}

#[broker(dynamic)]
struct Both {
    logs: Logs,
    files: Files,
}

fn with(services: Value) -> Settings {
    let mut settings = Settings::default();
    settings.overrides = Overrides::from(json!({ "services": services }));
    settings
}

fn week(id: &str) -> Value {
    json!({ "family": "kept", "id": id, "values": { "days": 7, "key": "hunter22" } })
}

async fn problems(settings: Settings) -> Vec<String> {
    let started = wire::start(Both { logs: Logs, files: Files }, settings).await;
    started.map_or_else(|error| error.problems().to_vec(), |_| Vec::new())
}

#[tokio::test]
async fn cat_22_a_service_without_plans_is_refused() {
    assert_eq!(
        problems(Settings::default()).await,
        [
            "service \"logs\" has no plans (CAT-22): its families have none in this deployment; list them in the file of catalog \
             overrides (--catalog-overrides), `[services.logs.plans.NAME]` with `family` and `id`"
        ]
    );
    let mut hidden = week(ID);
    hidden["hidden"] = json!(true);
    assert!(problems(with(json!({ "logs": { "plans": { "week": hidden } } }))).await.is_empty(), "it has a plan");
}

/// CAT-22
#[test]
fn a_plan_of_a_family_can_be_the_only_one_that_is_shown() {
    #[broker(dynamic)]
    struct OnlyLogs(Logs);

    #[broker]
    struct OnlyFiles(Files);

    let hide = |mut plan: Value, hidden: bool| {
        plan["hidden"] = json!(hidden);
        plan
    };
    let names = |offerings: &'static [&'static Offering], services: Value| {
        let shown = with(services).overrides.apply(offerings).map_err(|error| error.problems().join("\n"))?;
        let plans = shown.in_catalog().into_iter().flat_map(|service| service.plans);
        Ok::<_, String>(plans.filter(|plan| !plan.spec.retired).map(|plan| plan.spec.name).collect::<Vec<_>>())
    };
    let nothing = "services: all plans are hidden, but Cloud Foundry rejects an empty catalog; show one of them";

    let logs = |hidden| names(OnlyLogs::OFFERINGS, json!({ "logs": { "plans": { "week": hide(week(ID), hidden) } } }));
    assert_eq!((logs(false), logs(true)), (Ok(vec!["week"]), Err(nothing.to_owned())));

    let files = |plain, big| {
        let (plain, big) = (hide(json!({}), plain), hide(json!({ "family": "other", "id": ID }), big));
        names(OnlyFiles::OFFERINGS, json!({ "files": { "plans": { "plain": plain, "big": big } } }))
    };
    assert_eq!((files(true, false), files(true, true)), (Ok(vec!["big"]), Err(nothing.to_owned())));
}

#[tokio::test]
async fn cat_30_ids_are_unique_across_services() {
    let of = |logs: &str, files: &str| {
        let other = json!({ "family": "other", "id": files });
        with(json!({ "logs": { "plans": { "week": week(logs) } }, "files": { "plans": { "big": other } } }))
    };
    assert!(problems(of(ID, LOGS)).await.is_empty(), "an offering's id is a warning");
    let warned = of(ID, LOGS).overrides.apply(Both::OFFERINGS).expect("warnings stop nothing").warnings;
    let expected = "services.files.plans.big.id: a service and this plan have the same id, which platforms allow but people \
                    confuse; give one of them a new GUID";
    assert_eq!(warned, [expected]);
    for (settings, place, plans) in [
        (
            of("7D1F9D0E-54A5-4A3C-9E0A-6B1C4F6F5B03", ID),
            "services.logs.plans.week.id",
            "plan `plain` of `files` and plan `week` of `logs`",
        ),
        (of(ID, ID), "services.files.plans.big.id", "plan `week` of `logs` and plan `big` of `files`"),
    ] {
        let found = problems(settings).await;
        assert!(
            matches!(&*found, [found] if found.starts_with(&format!("{place}: {plans} share the id"))),
            "{place}: {found:?}"
        );
    }
}

#[tokio::test]
async fn messages_have_no_secrets() {
    let mut plan = week(ID);
    plan["values"]["key"] = json!("hunter2");
    let found = problems(with(json!({ "logs": { "plans": { "week": plan } } }))).await;
    assert!(
        found.len() == 1 && found[0].contains("`key` of family `kept`: ") && !found[0].contains("hunter"),
        "{found:?}"
    );
}

#[tokio::test]
async fn the_service_has_what_its_plans_need() {
    let platform =
        Client::with(Both { logs: Logs, files: Files }, with(json!({ "logs": { "plans": { "week": week(ID) } } })))
            .await;
    let catalog = platform.catalog().await.body;
    let logs = &catalog["services"][0];
    assert_eq!((&logs["requires"], &logs["bindable"]), (&json!(["syslog_drain"]), &json!(true)), "{logs}");
    let names: Vec<_> = logs.as_object().into_iter().flatten().map(|(name, _)| name).collect();
    assert!(names.contains(&&"requires".to_owned()), "{names:?}");
    let create = &logs["plans"][0]["schemas"]["service_instance"]["create"]["parameters"];
    assert_eq!(create["properties"]["level"]["maximum"], 255, "the schema of a foreign type: {logs}");
    let files = &catalog["services"][1];
    assert_eq!((files.get("requires"), &files["bindable"]), (None, &json!(false)), "CAT-15: the family has no plan");
    assert_eq!(platform.provision("one", "logs", "week", json!({ "level": 300 })).await.status, 400);
    assert_eq!(platform.provision("one", "logs", "week", json!({ "level": 3 })).await.status, 201);
}
