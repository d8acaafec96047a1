//! Plans that share a type of parameters and differ in numbers: `#[plan(narrow(...))]`.

use osb_lab::Notes;
use osb_runtime::{
    prelude::*,
    service::{Changes, Service as _, Updatable},
};
use osb_testing::Client;
use serde_json::{Value, json};

/// A database.
#[service(
    id = "6e1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "db",
    plans(Small, Large),
    changes(Small => Large, Large => Small)
)]
#[derive(Default, Clone)]
struct Databases {
    limits: Notes<u32>,
}

/// For trying things out.
#[plan(
    id = "6e1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02",
    name = "small",
    create = NewDatabase,
    update = DatabaseChanges,
    narrow(
        connection_limit(max = SMALL_LIMIT),
        share(exclusive_max = 0.5),
        name(min = 2, max = 8),
        zones(max = 1),
        copies(one_of(1, THREE))
    )
)]
struct Small;

const SMALL_LIMIT: u32 = 20;
const THREE: u8 = 3;

/// For production.
#[plan(
    id = "6e1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03",
    name = "large",
    create = NewDatabase,
    update = DatabaseChanges,
    narrow(connection_limit(multiple_of = 10))
)]
struct Large;

/// The parameters of both plans.
#[parameters(partial = DatabaseChanges, rename_all = "camelCase")]
struct NewDatabase {
    /// Connections at once.
    #[param(range(min = 1, max = 100), default = 10, example = 50)]
    connection_limit: u32,
    /// The share of a processor.
    #[param(range(min = 0.0, max = 1.0))]
    share: Option<f64>,
    /// The name.
    #[param(length(max = 32), immutable)]
    name: Option<String>,
    /// The zones.
    zones: Option<Vec<String>>,
    /// The copies.
    #[param(one_of(1, THREE, 5))]
    copies: Option<u8>,
}

impl<P: Plan<Create = NewDatabase>> Provision<P> for Databases {
    type State = ();
    async fn provision(&self, request: ProvisionRequest<P>, _: &Operation) -> Result<Provisioned, ProvisionError> {
        self.limits.add(request.parameters.connection_limit);
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, _: DeprovisionRequest<P>, _: &Operation) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

impl<P: Plan<Create = NewDatabase, Update = DatabaseChanges> + Updatable> Update<P> for Databases {
    async fn update(&self, request: UpdateRequest<P, P, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        self.limits.add(request.parameters.connection_limit);
        Ok(Updated::new(()))
    }
}

impl<Old, New> ChangePlan<Old, New> for Databases
where
    Old: Plan<Create = NewDatabase>,
    New: Plan<Create = NewDatabase, Update = DatabaseChanges>,
    Self: Changes<Old, New>,
{
    async fn change_plan(&self, request: UpdateRequest<Old, New, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        self.limits.add(request.parameters.connection_limit);
        Ok(Updated::new(()))
    }
}

#[broker]
struct Broker {
    databases: Databases,
}

#[tokio::test]
async fn a_plan_validates_by_its_own_bounds() {
    let databases = Databases::default();
    let client = Client::new(Broker { databases: databases.clone() }).await;
    for (plan, parameters, status, place) in [
        ("small", json!({ "connectionLimit": 21 }), 400, "/connectionLimit"),
        ("small", json!({ "connectionLimit": 0 }), 400, "/connectionLimit"),
        ("small", json!({ "share": 0.5 }), 400, "/share"),
        ("small", json!({ "name": "d" }), 400, "/name"),
        ("small", json!({ "name": "databases" }), 400, "/name"),
        ("small", json!({ "zones": ["a", "b"] }), 400, "/zones"),
        ("small", json!({ "copies": 5 }), 400, "/copies"),
        ("small", json!({ "copies": 2 }), 400, "/copies"),
        (
            "small",
            json!({ "connectionLimit": 20, "share": 0.49, "name": "database", "zones": ["a"], "copies": 3 }),
            201,
            "",
        ),
        ("large", json!({ "connectionLimit": 25 }), 400, "/connectionLimit"),
        (
            "large",
            json!({ "connectionLimit": 50, "share": 1.0, "name": "d", "zones": ["a", "b"], "copies": 5 }),
            201,
            "",
        ),
    ] {
        let answer = client.provision(plan, "db", plan, parameters.clone()).await;
        assert_eq!(answer.status, status, "{plan} {parameters}: {answer:?}");
        let description = answer.body["description"].as_str().unwrap_or_default();
        assert!(description.contains(place), "{plan} {parameters}: {description}");
    }

    assert_eq!(client.update("small", json!({ "connectionLimit": 21 })).await.status, 400);
    assert_eq!(client.update("small", json!({ "copies": 5 })).await.status, 400);
    assert_eq!(client.update("small", json!({ "connectionLimit": 19, "copies": 1 })).await.status, 200);
    assert_eq!(client.update("small", json!({ "connectionLimit": null })).await.status, 200);
    assert_eq!(
        client.change_plan("large", "small", ()).await.status,
        422,
        "UPD-14: its parameters are beyond the new bounds"
    );
    let smaller = json!({ "connectionLimit": 5, "share": 0.1, "zones": [] });
    assert_eq!(
        client.change_plan("large", "small", smaller).await.status,
        422,
        "UPD-14: its name, which can't change, is short"
    );
    assert_eq!(client.change_plan("small", "large", json!({ "connectionLimit": 90 })).await.status, 200);
    assert_eq!(databases.limits.all(), [20, 50, 19, 10, 90], "handlers get the values that were accepted");
}

#[test]
fn a_plan_publishes_its_own_bounds() {
    let catalog: Value = serde_json::from_str(Broker::CATALOG_JSON).expect("JSON");
    let plans = &catalog["services"][0]["plans"];
    for operation in ["create", "update"] {
        let of = |plan: usize| {
            let schema = &plans[plan]["schemas"]["service_instance"][operation]["parameters"];
            assert!(jsonschema::draft4::meta::is_valid(schema), "{schema}");
            schema["properties"].clone()
        };
        let (small, large) = (of(0), of(1));
        assert_eq!(
            (&small["connectionLimit"]["minimum"], &small["connectionLimit"]["maximum"]),
            (&json!(1), &json!(20))
        );
        assert_eq!(small["connectionLimit"]["description"], "Connections at once.");
        let limit = &large["connectionLimit"];
        assert_eq!((&limit["maximum"], &limit["multipleOf"]), (&json!(100), &json!(10)));
        assert_eq!((&small["share"]["maximum"], &small["share"]["exclusiveMaximum"]), (&json!(0.5), &json!(true)));
        assert_eq!((&large["share"]["maximum"], &large["share"]["exclusiveMaximum"]), (&json!(1.0), &Value::Null));
        assert_eq!((&small["zones"]["maxItems"], &large["zones"]["maxItems"]), (&json!(1), &Value::Null));
        let (fewer, all) = match operation {
            "create" => (json!([1, 3]), json!([1, 3, 5])),
            _ => (json!([1, 3, null]), json!([1, 3, 5, null])),
        };
        assert_eq!((&small["copies"]["enum"], &large["copies"]["enum"]), (&fewer, &all));
    }
    let names = |plan: usize| &plans[plan]["schemas"]["service_instance"]["create"]["parameters"]["properties"]["name"];
    assert_eq!((&names(0)["minLength"], &names(0)["maxLength"]), (&json!(2), &json!(8)));
    assert_eq!((&names(1)["minLength"], &names(1)["maxLength"]), (&Value::Null, &json!(32)));
}

#[test]
fn documents_and_the_lock_follow() {
    let markdown = osb_docs::markdown::<Broker>();
    assert!(markdown.contains("1 to 20") && markdown.contains("1 to 100"), "{markdown}");
    assert!(!markdown.contains("50"), "an example of the type that the plan may refuse: {markdown}");
    let openapi: Value = serde_json::from_str(&osb_docs::openapi::<Broker>()).expect("JSON");
    assert!(openapi.to_string().contains("\"maximum\":20"), "{openapi}");

    let recorded = |plan: usize| {
        let plan = serde_json::to_value(Databases::OFFERING.plans[plan]).expect("JSON");
        plan["create"]["properties"]["connectionLimit"]["maximum"].clone()
    };
    assert_eq!([recorded(0), recorded(1)], [20, 100], "what the lock compares");
}
