//! Plans that a deployment lists: `#[plan(family = ...)]`.

use std::sync::{Arc, Mutex, PoisonError};

use osb_lab::{
    requests::{binding, instance},
    wire::Wire,
};
use osb_runtime::{
    catalog::{Overrides, StartError},
    http::{BrokerService, Credentials as Login, HttpSettings},
    lifecycle::Settings,
    prelude::*,
    service::{Changes, InstancePlan},
};
use serde_json::{Value, json};

const DB: &str = "7d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01";
const TRIAL: &str = "7d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02";
const SMALL: &str = "7d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03";
const LARGE: &str = "7d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04";

/// A database.
#[service(
    id = "7d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "db",
    plans(Trial, BySize),
    changes(Trial => BySize, BySize => BySize)
)]
#[derive(Default, Clone)]
struct Databases {
    calls: Arc<Mutex<Vec<String>>>,
}

/// For trying things out.
#[plan(
    id = "7d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02",
    name = "trial",
    create = NewDatabase,
    update = DatabaseChanges,
    bindable
)]
struct Trial;

/// A database of a size.
#[plan(
    family = Size,
    name = "sized",
    free = false,
    create = NewDatabase,
    update = DatabaseChanges,
    bindable,
    metadata(bullets("Backups"), "vendor": "Example"),
    extensions("acme:zone": "a")
)]
struct BySize;

/// The size of a database.
#[parameters]
struct Size {
    /// Storage in GB.
    #[param(range(min = 1, max = 1_000))]
    gigabytes: u32,
    /// Copies.
    #[param(range(min = 1, max = 5), default = 1)]
    replicas: u8,
}

/// The parameters of both plans.
#[parameters(partial = DatabaseChanges)]
struct NewDatabase {
    /// Connections at once.
    #[param(range(min = 1, max = 100), default = 10)]
    connections: u32,
    /// Whether to log queries.
    log: Option<bool>,
}

/// What handlers need of a plan.
trait Storage: Plan<Create = NewDatabase, Update = DatabaseChanges> + Bindable {
    fn gigabytes(values: &Self::Family) -> u32;
}

impl Storage for Trial {
    fn gigabytes(_: &NoParameters) -> u32 {
        0
    }
}

impl Storage for BySize {
    fn gigabytes(values: &Size) -> u32 {
        values.gigabytes * u32::from(values.replicas)
    }
}

impl Databases {
    fn called<P: Storage>(&self, handler: &str, plan: InstancePlan<P>) {
        let call = format!("{handler} {} {}", plan.name, P::gigabytes(plan.values));
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(call);
    }

    fn calls(&self) -> Vec<String> {
        std::mem::take(&mut *self.calls.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<P: Storage> Provision<P> for Databases {
    type State = ();
    async fn provision(&self, request: ProvisionRequest<P>, _: &Operation) -> Result<Provisioned, ProvisionError> {
        self.called("provision", request.plan);
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, request: DeprovisionRequest<P>, _: &Operation) -> Result<(), DeprovisionError> {
        self.called("deprovision", request.plan);
        Ok(())
    }
}

impl<P: Storage + Updatable> Update<P> for Databases {
    async fn update(&self, request: UpdateRequest<P, P, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        assert_eq!(request.plan.id, request.old_plan.id);
        self.called("update", request.plan);
        Ok(Updated::new(()))
    }
}

impl<Old: Storage, New: Storage> ChangePlan<Old, New> for Databases
where
    Self: Changes<Old, New>,
{
    async fn change_plan(&self, request: UpdateRequest<Old, New, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        self.called("from", request.old_plan);
        self.called("to", request.plan);
        Ok(Updated::new(()))
    }
}

/// The credentials of a binding.
#[credentials]
struct Access {
    /// The database.
    uri: String,
}

impl<P: Storage> Bind<P> for Databases {
    type Output = Credentials<Access>;
    type BindingState = ();
    async fn bind(&self, request: BindRequest<P, ()>, _: &Operation) -> Result<Bound<Self::Output>, BindError> {
        self.called("bind", request.plan);
        Ok(Bound::new(Credentials(Access { uri: "db://".to_owned() }), ()))
    }
    async fn unbind(&self, request: UnbindRequest<P, ()>, _: &Operation) -> Result<(), UnbindError> {
        self.called("unbind", request.plan);
        Ok(())
    }
}

#[broker]
struct Broker {
    databases: Databases,
}

fn small() -> Value {
    json!({ "family": "sized", "id": SMALL, "values": { "gigabytes": 10 } })
}

fn large() -> Value {
    json!({
        "family": "sized",
        "id": LARGE,
        "description": "For production.",
        "metadata": { "displayName": "Large", "costs": [{ "amount": { "usd": 99 }, "unit": "MONTHLY" }] },
        "values": { "gigabytes": 500, "replicas": 2 },
        "narrow": { "connections": { "min": 5, "max": 50 } },
    })
}

fn plans(plans: Value) -> Settings {
    let mut settings = Settings::default();
    settings.overrides = Overrides::from(json!({ "services": { "db": { "plans": plans } } }));
    settings
}

fn deployment() -> Settings {
    plans(json!({ "small": small(), "large": large() }))
}

fn create(plan: &str, parameters: Value) -> Value {
    json!({ "service_id": DB, "plan_id": plan, "organization_guid": "o", "space_guid": "s", "parameters": parameters })
}

async fn start(settings: Settings) -> Result<BrokerService, StartError> {
    let credentials = Login::basic("user", "pass").expect("a user without colon");
    let broker = Broker { databases: Databases::default() };
    BrokerService::start_with(broker, credentials, HttpSettings::default(), settings).await
}

/// The problems of a deployment with these plans.
async fn problems(all: Value) -> Vec<String> {
    match start(plans(all.clone())).await {
        Ok(_) => panic!("it starts: {all}"),
        Err(error) => error.problems().to_vec(),
    }
}

#[tokio::test]
async fn handlers_get_the_values_of_the_plan() {
    let databases = Databases::default();
    let wire = Wire::serve_with(Broker { databases: databases.clone() }, deployment()).await;
    let calls = || databases.calls();
    let query = |plan: &str| format!("?service_id={DB}&plan_id={plan}");

    assert_eq!(wire.put(&instance("i"), create(SMALL, json!({ "connections": 80 }))).await.status, 201);
    assert_eq!(calls(), ["provision small 10"]);
    let body = json!({ "service_id": DB, "parameters": { "log": true } });
    assert_eq!(wire.patch(&instance("i"), body).await.status, 200);
    assert_eq!(calls(), ["update small 10"]);
    let body = json!({ "service_id": DB, "plan_id": SMALL });
    assert_eq!(wire.put(&binding("i", "b"), body).await.status, 201);
    assert_eq!(wire.delete(&format!("{}{}", binding("i", "b"), query(SMALL))).await.status, 200);
    assert_eq!(calls(), ["bind small 10", "unbind small 10"]);

    let to = |plan: &str, parameters: Value| json!({ "service_id": DB, "plan_id": plan, "parameters": parameters });
    let refused = wire.patch(&instance("i"), to(LARGE, json!({}))).await;
    assert_eq!(refused.status, 400, "80 connections are more than the plan allows: {refused:?}");
    assert_eq!(wire.patch(&instance("i"), to(LARGE, json!({ "connections": 20 }))).await.status, 200);
    assert_eq!(calls(), ["from small 10", "to large 1000"]);
    let refused = wire.patch(&instance("i"), to(TRIAL, json!({}))).await;
    assert_eq!(refused.status, 422, "{refused:?}");
    assert_eq!(refused.description(), "Plan \"large\" cannot be changed to \"trial\". It can be changed to \"small\".");

    assert_eq!(wire.put(&instance("t"), create(TRIAL, json!({}))).await.status, 201);
    assert_eq!(wire.patch(&instance("t"), to(LARGE, json!({}))).await.status, 200);
    assert_eq!(calls(), ["provision trial 0", "from trial 0", "to large 1000"]);
    assert_eq!(wire.delete(&format!("{}{}", instance("t"), query(LARGE))).await.status, 200);
    assert_eq!(calls(), ["deprovision large 1000"]);
}

#[tokio::test]
async fn the_catalog_has_the_plans_of_the_deployment() {
    let wire = Wire::serve_with(Broker { databases: Databases::default() }, deployment()).await;
    let reply = wire.get("/v2/catalog").await;
    let plans = &reply.body["services"][0]["plans"];
    let names: Vec<_> = plans.as_array().into_iter().flatten().map(|plan| plan["name"].as_str()).collect();
    assert_eq!(names, [Some("trial"), Some("large"), Some("small")]);
    let plan = |at: usize| {
        let mut plan = plans[at].clone();
        plan.as_object_mut().and_then(|plan| plan.remove("schemas")).expect("it has schemas");
        plan
    };
    assert_eq!(
        plan(1),
        json!({
            "id": LARGE,
            "name": "large",
            "description": "For production.",
            "metadata": {
                "bullets": ["Backups"],
                "vendor": "Example",
                "displayName": "Large",
                "costs": [{ "amount": { "usd": 99.0 }, "unit": "MONTHLY" }],
            },
            "free": false,
            "bindable": true,
            "binding_rotatable": false,
            "plan_updateable": true,
            "acme:zone": "a",
        })
    );
    assert_eq!(
        plan(2),
        json!({
            "id": SMALL,
            "name": "small",
            "description": "A database of a size.",
            "metadata": { "bullets": ["Backups"], "vendor": "Example" },
            "free": false,
            "bindable": true,
            "binding_rotatable": false,
            "plan_updateable": true,
            "acme:zone": "a",
        })
    );
    let connections = |at: usize, operation: &str| {
        let schema = &plans[at]["schemas"]["service_instance"][operation]["parameters"];
        assert!(jsonschema::draft4::meta::is_valid(schema), "{schema}");
        let connections = &schema["properties"]["connections"];
        (connections["minimum"].clone(), connections["maximum"].clone())
    };
    for operation in ["create", "update"] {
        assert_eq!(connections(1, operation), (json!(5), json!(50)));
        assert_eq!(connections(2, operation), (json!(1), json!(100)));
    }
    let refused = wire.put(&instance("i"), create(LARGE, json!({ "connections": 51 }))).await;
    assert_eq!((refused.status, refused.description().contains("/connections")), (400, true), "{refused:?}");
    assert_eq!(wire.put(&instance("i"), create("sized", json!({}))).await.status, 400, "a family is no plan");
}

#[tokio::test]
async fn a_plan_with_instances_cant_vanish() {
    let settings = deployment();
    let wire = Wire::serve_with(Broker { databases: Databases::default() }, settings.clone()).await;
    for id in ["a", "b"] {
        assert_eq!(wire.put(&instance(id), create(LARGE, json!({}))).await.status, 201);
    }
    let body = json!({ "service_id": DB, "plan_id": LARGE });
    assert_eq!(wire.put(&binding("a", "b"), body).await.status, 201);
    wire.end().await;

    let store = settings.store;
    let mut without = plans(json!({ "small": small() }));
    without.store = store.clone();
    let problems = start(without).await.expect_err("two instances have no plan");
    assert_eq!(
        problems.problems(),
        [format!(
            "the records have 2 instances and 1 binding of plan {LARGE}, which service \"db\" no longer has; restore the plan, \
             in the file of catalog overrides (`hidden = true` accepts no new instances) or in the program (`retired`), or \
             delete them with the previous release"
        )]
    );

    let mut hidden = large();
    hidden["hidden"] = json!(true);
    let mut hiding = plans(json!({ "large": hidden }));
    hiding.store = store;
    let databases = Databases::default();
    let wire = Wire::serve_with(Broker { databases: databases.clone() }, hiding).await;
    assert_eq!(wire.put(&instance("c"), create(LARGE, json!({}))).await.status, 400);
    let gone = wire.delete(&format!("{}?service_id={DB}&plan_id={LARGE}", instance("b"))).await;
    assert_eq!(gone.status, 200, "{gone:?}");
    assert_eq!(databases.calls(), ["deprovision large 1000"]);
    assert_eq!(wire.get("/v2/catalog").await.body["services"][0]["plans"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn plans_satisfy_the_rules_of_the_compiler() {
    let place = "services.db.plans.x";
    let with = |key: &str, value: Value| {
        let mut plan = small();
        plan[key] = value;
        plan
    };
    let without = |key: &str| {
        let mut plan = small();
        plan.as_object_mut().and_then(|plan| plan.remove(key)).expect("it has the key");
        plan
    };
    let cases = [
        (json!({ "family": 1, "id": SMALL }), ".family: `family` must be a string"),
        (with("family", json!("size")), ".family: service \"db\" has no family `size`; did you mean `sized`?"),
        (with("family", json!("tier")), ".family: service \"db\" has no family `tier`; it has to be one of `sized`"),
        (
            without("id"),
            ": plan `x` has no `id`; write `id = \"...\"` with a GUID (`uuidgen` makes one), and never change it: platforms \
             know it by its id",
        ),
        (with("id", json!("")), ".id: `id` must not be blank"),
        (with("id", json!("a\u{200B}")), ".id: the plan id contains U+200B, which can't be seen; remove it"),
        (
            with("id", json!("x".repeat(256))),
            ".id: the plan id has 256 characters; Cloud Foundry stores at most 255; write a GUID",
        ),
        (
            with("id", json!(TRIAL.to_uppercase())),
            ".id: plans `trial` and `x` of `db` share the id 7D1F9D0E-54A5-4A3C-9E0A-6B1C4F6F5A02, apart from upper and lower \
             case; a plan's id is globally unique (CAT-30): give one of them a new GUID",
        ),
        (
            with("name", json!("y")),
            ".name: `name` of a plan of a family can't be overridden: the name is the key of the table",
        ),
        (
            with("bindable", json!(false)),
            ".bindable: `bindable` of a plan of a family can't be overridden: it describes the behaviour of the program",
        ),
        (with("valus", json!({})), ".valus: a plan of a family has no key `valus`; did you mean `values`?"),
        (with("description", json!(" ")), ".description: `description` must not be blank"),
        (with("free", json!("no")), ".free: `free` must be true or false"),
        (with("metadata", json!({ "bullets": [""] })), ".metadata.bullets.0: `bullets` must not contain blank strings"),
        (without("values"), ".values.gigabytes: `gigabytes` of family `sized`: is missing"),
        (with("values", json!(1)), ".values: `values` must be a table"),
        (
            with("values", json!({ "gigabytes": 0 })),
            ".values.gigabytes: `gigabytes` of family `sized`: 0 is less than the minimum 1",
        ),
        (
            with("values", json!({ "gigabytes": 1, "replica": 2 })),
            ".values.replica: `replica` of family `sized`: is not a known property; did you mean `replicas`?",
        ),
        (with("narrow", json!({ "connections": {} })), ".narrow.connections: `connections` has no bounds"),
        (
            with("narrow", json!({ "conections": { "max": 5 } })),
            ".narrow.conections: the create parameters of plan `x` have no property `conections`; they have `connections`, `log`",
        ),
        (
            with("narrow", json!({ "connections": { "max": 101 } })),
            ".narrow.connections.max: this maximum is outside the range of the type of `connections`, which is at most 100",
        ),
        (
            with("narrow", json!({ "connections": { "max": 1.5 } })),
            ".narrow.connections.max: `connections` is a whole number, but this is not",
        ),
        (with("narrow", json!({ "connections": { "max": "1" } })), ".narrow.connections.max: `max` must be a number"),
        (
            with("narrow", json!({ "connections": { "mx": 1 } })),
            ".narrow.connections.mx: a property in `narrow` has no key `mx`; did you mean `max`?",
        ),
        (
            with("narrow", json!({ "connections": { "min": 20, "max": 10 } })),
            ".narrow.connections: no value fits: the minimum of `connections`'s `range` is greater than the maximum",
        ),
        (
            with("narrow", json!({ "connections": { "min": 2, "exclusive_min": 1 } })),
            ".narrow.connections.min: `min` and `exclusive_min` exclude each other",
        ),
        (
            with("narrow", json!({ "connections": { "min": 20 } })),
            ".narrow.connections: the bounds exclude the default of `connections`",
        ),
        (
            with("narrow", json!({ "log": { "max": 1 } })),
            ".narrow.log: `log` is a boolean, which has no bounds to narrow",
        ),
    ];
    for (plan, problem) in cases {
        let found = problems(json!({ "x": plan })).await;
        assert!(
            matches!(&*found, [found] if found.starts_with(&format!("{place}{problem}"))),
            "{plan}\n{found:#?}\n{problem}"
        );
    }
}

#[tokio::test]
async fn all_problems_are_listed_at_once() {
    let found = problems(json!({
        "trial": { "family": "sized", "id": SMALL, "values": { "gigabytes": 0, "replicas": 9 } },
        "b": { "family": "sized", "id": SMALL, "values": { "gigabytes": 1 } },
        "sizd": { "id": LARGE },
        "\u{7}": small(),
    }))
    .await;
    let places: Vec<&str> = found.iter().filter_map(|problem| problem.split(": ").next()).collect();
    let expected = ["\u{7}", "b.id", "trial", "sizd", "trial.values.gigabytes", "trial.values.replicas"];
    for place in expected {
        assert!(places.contains(&format!("services.db.plans.{place}").as_str()), "{place}: {found:#?}");
    }
    assert!(
        found.iter().any(|problem| problem.contains(
            "there is no plan `sizd` of service \"db\"; a plan of a family names it, `family = \"...\"`; the families are `sized`"
        )),
        "{found:#?}"
    );
}
