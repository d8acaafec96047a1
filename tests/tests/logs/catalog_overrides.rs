//! Catalog overrides: the catalog that platforms see, hidden plans, and keys that can't be overridden.

use std::{cell::Cell, collections::BTreeMap};

use osb_lab::{
    direct::{InProcess, exchange},
    messages::violations,
    prelude::*,
    wire::credentials,
};
use osb_runtime::{
    catalog::{Overrides, StartError},
    json::Json,
    prelude::*,
    service::{Broker, Changes, Updatable},
};
use osb_tool::Metrics;
use proptest::{
    prelude::*,
    sample::select,
    test_runner::{TestCaseError, TestRunner},
};

use crate::logged;

const KV: &str = "9c0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a01";
const FREE: &str = "9c0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a02";
const PRO: &str = "9c0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a03";

/// A store of keys and values.
#[service(
    id = "9c0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "kv",
    tags("kv"),
    plans(Free, Pro, Old),
    changes(Free => Pro, Pro => Free),
    metadata(display_name = "Key-value store", support_url = "https://help.example", "vendor": "Example")
)]
#[derive(Clone, Copy)]
struct Kv;

/// For trying things out.
#[plan(id = "9c0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free", create = NewStore, update = StoreChanges)]
struct Free;

/// For work.
#[plan(
    id = "9c0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a03",
    name = "pro",
    free = false,
    create = NewStore,
    update = StoreChanges,
    bindable,
    maintenance_info(version = "1.0.0"),
    metadata(bullets("Backups"), costs((eur = 4.90, unit = "MONTHLY")))
)]
struct Pro;

/// No longer sold.
#[plan(id = "9c0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "old", retired)]
struct Old;

/// The parameters of a store.
#[parameters(partial = StoreChanges)]
#[derive(Debug)]
struct NewStore {
    /// Seconds until a key expires.
    #[param(range(min = 1), default = 60)]
    ttl: u32,
}

/// The credentials of a binding.
#[credentials]
struct Access {
    /// Where the store is.
    uri: String,
}

/// A line of messages, of which nothing is said but what has to be.
#[service(
    id = "9c0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a05",
    name = "queue",
    plans(Small, Typed),
    dashboard_client(id = "queue", secret_env = "CATALOG_OVERRIDES_SECRET", redirect_uri = "https://queue.example")
)]
#[derive(Clone, Copy)]
struct Queue;

/// A short one.
#[plan(id = "9c0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "small")]
struct Small;

/// One with a type that only schemars knows.
#[plan(id = "9c0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "typed", create = Foreign<Length>)]
struct Typed;

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Length {
    messages: u8,
}

osb_lab::provision_nothing!(Kv, Queue);

trait Stored: Updatable<Create = NewStore, Update = StoreChanges> {}
impl Stored for Free {}
impl Stored for Pro {}

impl<P: Stored> Update<P> for Kv {
    async fn update(&self, _: UpdateRequest<P, P, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        Ok(Updated::new(()))
    }
}

impl<Old: Stored, New: Stored> ChangePlan<Old, New> for Kv
where
    Self: Changes<Old, New>,
{
    async fn change_plan(&self, _: UpdateRequest<Old, New, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        Ok(Updated::new(()))
    }
}

osb_lab::bind_nothing! {
    Kv: Pro => Credentials<Access> = |_new| Credentials(Access { uri: "kv://".to_owned() });
}

#[broker]
struct Stores(Kv);

/// A broker whose catalog has a secret and a schema that only the running program knows.
#[broker(dynamic)]
struct Both(Kv, Queue);

fn with(said: &Value) -> Settings {
    let mut settings = Settings::default();
    settings.overrides = Overrides::from(said.clone());
    settings
}

async fn start<B: Broker>(broker: B, settings: Settings) -> Result<BrokerService, StartError> {
    let mut http = HttpSettings::default();
    http.render_docs = Some(osb_docs::page);
    BrokerService::start_with(broker, credentials(), http, settings).await
}

/// Sends a request, and returns the response as text.
async fn ask(service: &impl InProcess, method: &str, path: &str, body: &str) -> String {
    let headers = [("Authorization", AUTHORIZATION), ("X-Broker-API-Version", "2.17")];
    exchange(service, method, path, &headers, body).await.1
}

async fn get(service: &BrokerService, path: &str) -> String {
    ask(service, "GET", path, "").await
}

async fn catalog(service: &BrokerService) -> Value {
    serde_json::from_str(&get(service, "/v2/catalog").await).expect("it is JSON")
}

/// The catalog of a broker to which this is said.
async fn shown<B: Broker>(broker: B, said: Value) -> Value {
    catalog(&start(broker, with(&said)).await.unwrap_or_else(|error| panic!("{said}: {error}"))).await
}

fn hide(plans: &[&str]) -> Value {
    let hidden = plans.iter().map(|plan| ((*plan).to_owned(), json!({ "hidden": true })));
    json!({ "services": { "kv": { "plans": hidden.collect::<Value>() } } })
}

fn keys(object: &Json) -> Vec<&str> {
    object.as_object().expect("an object").iter().map(|(name, _)| name).collect()
}

#[tokio::test]
async fn texts_and_prices_are_the_deployments_own() {
    let before = shown(Stores(Kv), json!(null)).await;
    let said = json!({
            "prefix": "dev-",
            "services": { "kv": {
                "description": "For developers.",
                "metadata": { "displayName": "Store", "longDescription": "Emptied every night." },
                "plans": {
                    "free": { "metadata": { "displayName": "Gratis" } },
                    PRO: {
                        "description": "For the work of developers.",
                        "metadata": { "bullets": [], "costs": [{ "amount": { "usd": 9 }, "unit": "DAILY" }] },
                    },
                },
            } },
    });
    let service = start(Stores(Kv), with(&said)).await.expect("it starts");
    let text = get(&service, "/v2/catalog").await;
    let after: Value = serde_json::from_str(&text).expect("it is JSON");
    let mut expected = before.clone();
    let kv = &mut expected["services"][0];
    kv["name"] = json!("dev-kv");
    kv["description"] = json!("For developers.");
    kv["metadata"]["displayName"] = json!("Store");
    kv["metadata"]["longDescription"] = json!("Emptied every night.");
    kv["plans"][0]["metadata"] = json!({ "displayName": "Gratis" });
    kv["plans"][1]["description"] = json!("For the work of developers.");
    kv["plans"][1]["metadata"] = json!({ "costs": [{ "amount": { "usd": 9.0 }, "unit": "DAILY" }] });
    assert_eq!(after, expected);
    let [before, after] = [Stores::CATALOG_JSON, &text].map(|text| Json::read(text.as_bytes()).expect("it is JSON"));
    assert_eq!(keys(&after["services"][0]), keys(&before["services"][0]), "in the specification's order");
    let [free, pro] = [0, 1].map(|plan| keys(&after["services"][0]["plans"][plan]));
    assert_eq!(pro, keys(&before["services"][0]["plans"][1]));
    assert_eq!(free[..4], ["id", "name", "description", "metadata"], "where the specification has it");
}

#[tokio::test]
async fn a_hidden_plan_is_in_neither_catalog_nor_documentation() {
    let service = start(Stores(Kv), with(&hide(&["pro"]))).await.expect("it starts");
    let kv = &catalog(&service).await["services"][0];
    let ids: Vec<_> = kv["plans"].as_array().into_iter().flatten().map(|plan| &plan["id"]).collect();
    assert_eq!(ids, [FREE]);
    assert_eq!(kv["plan_updateable"], false, "the only change led to it");
    assert_eq!(kv["plans"][0]["plan_updateable"], false);
    assert_eq!((&kv["bindable"], &kv["bindings_retrievable"]), (&json!(false), &json!(false)), "CAT-15: no plan is");
    let page = get(&service, "/docs").await;
    assert!(page.contains("For trying things out.") && !page.contains("For work."), "{page}");
    assert!(
        get(&start(Stores(Kv), Settings::default()).await.expect("it starts"), "/docs").await.contains("For work.")
    );
}

#[tokio::test]
async fn the_page_has_the_deployments_names_and_prices() {
    let costs = json!([{ "amount": { "usd": 7.25, "chf": 7, "gbp": 6.90 }, "unit": "WEEKLY" }]);
    let said =
        json!({ "prefix": "dev-", "services": { "kv": { "plans": { "pro": { "metadata": { "costs": costs } } } } } });
    let page = get(&start(Stores(Kv), with(&said)).await.expect("it starts"), "/docs").await;
    assert!(
        page.contains("dev-kv") && page.contains("7 CHF or 6.90 GBP or 7.25 USD weekly") && !page.contains("EUR"),
        "{page}"
    );
}

#[tokio::test]
async fn operators_see_the_deployments_names() {
    logged::begin();
    let mut settings =
        with(&json!({ "prefix": "dev_", "services": { "kv": { "plans": { "pro": { "hidden": true } } } } }));
    settings.metrics = Some(Arc::new(Metrics::new()));
    let service = start(Stores(Kv), settings).await.expect("it starts");
    let body = json!({ "service_id": KV, "plan_id": FREE, "organization_guid": "o", "space_guid": "s" });
    ask(&service, "PUT", &instance("i"), &body.to_string()).await;
    let metrics = ask(&service.monitor(), "GET", "/metrics", "").await;
    assert!(metrics.contains("instances{service=\"dev_kv\",plan=\"free\"} 1"), "{metrics}");
    let admin = service.admin(credentials());
    let listed: Value = serde_json::from_str(&ask(&admin, "GET", "/instances", "").await).expect("it is JSON");
    assert_eq!(
        (&listed["instances"][0]["service"], &listed["instances"][0]["plan"]),
        (&json!("dev_kv"), &json!("free"))
    );
    let warned =
        logged::text().lines().any(|line| line.contains(" WARN ") && line.contains("prefix: the service name should"));
    assert!(warned, "{}", logged::text());
}

/// T49, S37
#[tokio::test]
async fn instances_of_a_hidden_plan_live_on() {
    let settings = Settings::default();
    let before = Wire::serve_with(Stores(Kv), settings.clone()).await;
    let new = |plan: &str, ttl: u32| new_of(KV, plan, json!({ "ttl": ttl }));
    let patch = |fields: Value| {
        let mut body = json!({ "service_id": KV });
        fields.as_object().into_iter().flatten().for_each(|(name, value)| body[name] = value.clone());
        body
    };
    for (id, plan) in [("pro", PRO), ("other", PRO), ("free", FREE)] {
        assert_eq!(before.put(&instance(id), new(plan, 5)).await.status, 201);
    }
    before.end().await;

    let mut hiding = with(&hide(&["pro"]));
    hiding.store = settings.store;
    let wire = Wire::serve_with(Stores(Kv), hiding).await;
    let refused = wire.put(&instance("new"), new(PRO, 5)).await;
    assert_eq!((refused.status, refused.description()), (400, "Plan \"pro\" takes no new instances."));
    let refused = wire.patch(&instance("free"), patch(json!({ "plan_id": PRO }))).await;
    assert_eq!(refused.status, 422, "UPD-14: {refused:?}");
    assert_eq!(refused.description(), "Plan \"free\" cannot be changed to \"pro\". It cannot be changed at all.");

    assert_eq!(wire.put(&instance("pro"), new(PRO, 5)).await.status, 200, "PROV-11: what there is, is there");
    let same = patch(json!({ "plan_id": PRO, "parameters": { "ttl": 7 } }));
    assert_eq!(wire.patch(&instance("pro"), same).await.status, 200, "T27: no change of plan");
    let fetched = wire.get(&instance("pro")).await;
    assert_eq!(fetched.body["parameters"], json!({ "ttl": 7 }));
    let bound = binding("pro", "b");
    assert_eq!(wire.put(&bound, json!({ "service_id": KV, "plan_id": PRO })).await.status, 201);
    let query = format!("?service_id={KV}&plan_id={PRO}");
    assert_eq!(wire.delete(&format!("{bound}{query}")).await.status, 200);
    assert_eq!(wire.patch(&instance("other"), patch(json!({ "plan_id": FREE }))).await.status, 200, "it may be left");
    assert_eq!(wire.delete(&format!("{}{query}", instance("pro"))).await.status, 200);
}

/// PROF-20
#[tokio::test]
async fn the_client_of_a_dashboard_is_the_deployments_own() {
    // A variable of every process, because a test can't set one.
    #[broker]
    struct Lines(Line);
    #[service(
        id = "9c0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a41",
        name = "line",
        description = "Lines.",
        plans(Short),
        dashboard_client(id = "line", secret_env = "PATH", redirect_uri = "https://line.example")
    )]
    struct Line;
    #[plan(id = "9c0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a42", name = "short", description = "A short one.")]
    struct Short;
    osb_lab::provision_nothing!(Line);

    let client = json!({ "id": "line-dev", "redirect_uri": "https://line.dev.example/login" });
    let catalog = shown(Lines(Line), json!({ "services": { "line": { "dashboard_client": client } } })).await;
    let secret = std::env::var("PATH").expect("every process has it");
    let client = json!({ "id": "line-dev", "secret": secret, "redirect_uri": "https://line.dev.example/login" });
    assert_eq!(catalog["services"][0]["dashboard_client"], client);
}

#[tokio::test]
async fn a_service_without_a_shown_plan_is_left_out_and_needs_no_secret() {
    let both = || Both(Kv, Queue);
    let error = start(both(), Settings::default()).await.expect_err("it does not start");
    assert!(error.to_string().contains("CATALOG_OVERRIDES_SECRET"), "{error}");
    let hidden = json!({ "hidden": true });
    let said = json!({ "services": { "queue": { "plans": { "small": hidden, "typed": hidden } } } });
    let catalog = shown(both(), said).await;
    let names: Vec<_> = catalog["services"].as_array().into_iter().flatten().map(|service| &service["name"]).collect();
    assert_eq!(names, ["kv"]);
}

#[tokio::test]
async fn a_schema_that_only_the_running_program_knows_is_put_into_its_own_plan() {
    #[broker(dynamic)]
    struct Queues(Line);

    /// Without a dashboard.
    #[service(id = "9c0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a15", name = "line", plans(First, Second, Third))]
    struct Line;

    /// To be hidden.
    #[plan(id = "9c0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a16", name = "first", create = Foreign<Length>)]
    struct First;

    /// Without parameters.
    #[plan(id = "9c0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a17", name = "second")]
    struct Second;

    /// With parameters.
    #[plan(id = "9c0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a18", name = "third", create = Foreign<Length>)]
    struct Third;

    osb_lab::provision_nothing!(Line);

    let said = json!({ "services": { "line": { "plans": { "first": { "hidden": true } } } } });
    let plans = &shown(Queues(Line), said).await["services"][0]["plans"];
    assert_eq!(plans[0]["schemas"], json!(null));
    let schema = &plans[1]["schemas"]["service_instance"]["create"]["parameters"];
    assert_eq!(schema["properties"]["messages"]["maximum"], 255, "{plans}");
}

#[tokio::test]
async fn hdr_11_another_catalog_has_another_tag() {
    let tag = async |said: Value| {
        let wire = Wire::serve_with(Stores(Kv), with(&said)).await;
        wire.get("/v2/catalog").await.header("etag").expect("it has a tag").to_owned()
    };
    let plain = tag(json!(null)).await;
    let service = start(Stores(Kv), with(&json!({}))).await.expect("it starts");
    assert_eq!(get(&service, "/v2/catalog").await, Stores::CATALOG_JSON, "the constant, to the byte");
    assert_eq!(plain, tag(json!({})).await, "nothing is said");
    let hidden = tag(hide(&["pro"])).await;
    assert_ne!(plain, hidden);
    assert_eq!(hidden, tag(hide(&["pro"])).await, "it survives a restart");
    assert_ne!(hidden, tag(json!({ "prefix": "dev-" })).await);
}

#[tokio::test]
async fn a_broker_does_not_start_and_says_everything_that_is_wrong() {
    let said = json!({
        "services": {
            "kv": { "id": "x", "metadata": { "imageUrl": "kv.png" }, "plans": { "free": { "hidden": 1 }, "none": {} } },
            "none": {},
        },
        "prefx": "dev-",
    });
    let error = start(Both(Kv, Queue), with(&said)).await.expect_err("it does not start");
    let problems = error.problems();
    assert_eq!(
        problems[..6],
        [
            "prefx: the top level has no key `prefx`; did you mean `prefix`?",
            "services.none: there is no service `none`; it has to be one of `kv`, `queue`",
            "services.kv.id: `id` of a service can't be overridden: platforms know a service by its id (CAT-03)",
            "services.kv.metadata.imageUrl: `imageUrl` is not a URL: \"kv.png\"; write `https://...` or `data:...`",
            "services.kv.plans.none: there is no plan `none` of service \"kv\"; it has to be one of `free`, `pro`, `old`",
            "services.kv.plans.free.hidden: `hidden` must be true or false",
        ]
    );
    assert!(problems[6].contains("CATALOG_OVERRIDES_SECRET"), "and what else is: {problems:?}");
}

#[test]
fn overrides_can_be_part_of_a_configuration_of_ones_own() {
    #[derive(serde::Deserialize)]
    struct Config {
        #[serde(default)]
        catalog: Overrides,
    }
    let read = |text: &str| serde_json::from_str::<Config>(text).expect("it is good").catalog;
    assert_eq!(read("{}"), Overrides::default());
    assert_eq!(read(r#"{"catalog":{"prefix":"dev-"}}"#), Overrides::from(json!({ "prefix": "dev-" })));
}

/// Mostly good values, for mostly good keys.
fn anything() -> impl Strategy<Value = Value> {
    let text = || prop_oneof![8 => "[ -~]{0,12}[a-z]", 2 => "\\PC{1,300}", 1 => "\\s{0,2}"].prop_map(Value::from);
    let url =
        || prop_oneof![8 => "https://[a-z]{1,9}\\.example(/[a-z]{0,9})?", 1 => "[a-z:/ ]{0,9}"].prop_map(Value::from);
    let amount = prop_oneof![8 => (0..99_999_u32).prop_map(|cents| json!(f64::from(cents) / 100.0)), 1 => text()];
    let amounts = prop::collection::btree_map("[a-z]{3}", amount, 1..3);
    let cost = (amounts, text()).prop_map(|(amount, unit)| json!({ "amount": amount, "unit": unit }));
    let list = prop_oneof![
        prop::collection::vec(text(), 0..3).prop_map(|bullets| ("bullets", json!(bullets))),
        prop::collection::vec(cost, 0..3).prop_map(|costs| ("costs", json!(costs))),
        text().prop_map(|name| ("displayName", name)),
    ];
    let object = |entries: Vec<(&'static str, Value)>| entries.into_iter().collect::<BTreeMap<_, _>>();
    let of_plan = prop::collection::vec(list, 0..3).prop_map(move |entries| json!(object(entries)));
    let link = (select(&["imageUrl", "documentationUrl", "supportUrl"][..]), url());
    let word = (select(&["displayName", "longDescription", "providerDisplayName"][..]), text());
    let of_service =
        prop::collection::vec(prop_oneof![link, word], 0..4).prop_map(move |entries| json!(object(entries)));
    let forbidden = || (select(&["id", "name", "schemas", "free", "bindable", "tags", "plan_updateable"][..]), text());
    let plan = prop::collection::vec(
        prop_oneof![
            8 => text().prop_map(|text| ("description", text)),
            8 => any::<bool>().prop_map(|hidden| ("hidden", json!(hidden))),
            8 => of_plan.prop_map(|metadata| ("metadata", metadata)),
            1 => forbidden(),
        ],
        0..4,
    );
    let plan = plan.prop_map(move |entries| json!(object(entries))).boxed();
    let plans = prop::collection::btree_map(select(&["free", PRO][..]), plan, 0..3).prop_map(|plans| json!(plans));
    let service = prop::collection::vec(
        prop_oneof![
            8 => text().prop_map(|text| ("description", text)),
            16 => plans.prop_map(|plans| ("plans", plans)),
            8 => of_service.prop_map(|metadata| ("metadata", metadata)),
            1 => forbidden(),
        ],
        0..4,
    );
    let service = service.prop_map(move |entries| json!(object(entries)));
    let prefix = prop::option::of(prop_oneof![8 => "[a-z]{1,5}-", 1 => "\\PC{0,260}"]);
    (prefix, service).prop_map(|(prefix, kv)| {
        let mut said = json!({ "services": { "kv": kv } });
        if let Some(prefix) = prefix {
            said["prefix"] = prefix.into();
        }
        said
    })
}

/// Accepted overrides result in a valid catalog, and change nothing that platforms rely on.
#[test]
fn cat_03_no_override_changes_ids_schemas_or_what_plans_can_do() {
    const KEPT: &[&str] =
        &["id", "free", "bindable", "binding_rotatable", "schemas", "maintenance_info", "maximum_polling_duration"];
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let config = ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() };
    let accepted = Cell::new(0);
    let before: Value = serde_json::from_str(Stores::CATALOG_JSON).expect("it is JSON");
    let before = &before["services"][0];
    let held = TestRunner::new(config).run(&anything(), |said| {
        let after = runtime.block_on(async {
            match start(Stores(Kv), with(&said)).await {
                Ok(service) => Ok(catalog(&service).await),
                Err(error) => Err(error),
            }
        });
        let after = match after {
            Ok(catalog) => catalog,
            Err(error) => {
                let placed = |problem: &String| problem.starts_with("prefix: ") || problem.starts_with("services");
                prop_assert!(!error.problems().is_empty() && error.problems().iter().all(placed), "{}", error);
                return Ok(());
            }
        };
        accepted.set(accepted.get() + 1);
        let wrong = violations("catalog", &after);
        prop_assert!(wrong.is_empty(), "{:?} of {}", wrong, after);
        let after = &after["services"][0];
        for field in ["id", "tags", "instances_retrievable", "allow_context_updates"] {
            prop_assert_eq!(&after[field], &before[field]);
        }
        prop_assert_eq!(&after["metadata"]["vendor"], "Example");
        let name = format!("{}kv", said["prefix"].as_str().unwrap_or_default());
        prop_assert_eq!(&after["name"], &json!(name));
        let hidden = |key: &str| said["services"]["kv"]["plans"][key]["hidden"] == true;
        let shown = [(0, hidden("free")), (1, hidden(PRO))].into_iter().filter(|(_, hidden)| !hidden);
        let shown: Vec<&Value> = shown.map(|(plan, _)| &before["plans"][plan]).collect();
        let plans = after["plans"].as_array().cloned().unwrap_or_default();
        prop_assert_eq!(plans.len(), shown.len());
        for (after, before) in plans.iter().zip(&shown) {
            prop_assert_eq!(&after["name"], &before["name"]);
            for field in KEPT {
                prop_assert_eq!(&after[field], &before[field]);
            }
            prop_assert_eq!(&after["plan_updateable"], shown.len() == 2);
        }
        prop_assert_eq!(&after["bindable"], plans.iter().any(|plan| plan["bindable"] == true));
        Ok::<(), TestCaseError>(())
    });
    held.unwrap_or_else(|error| panic!("{error}"));
    assert!(accepted.get() > 100, "{} of 400 were accepted", accepted.get());
}
