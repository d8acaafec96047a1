//! The catalog of any broker.

use std::time::Duration;

use serde_json::Value;

/// The catalog of a broker. Fields with a wrong type count as absent; the command `check` reports them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Catalog {
    /// The services.
    pub services: Vec<CatalogService>,
    /// The whole catalog.
    pub json: Value,
    /// The JSON text that the broker sent.
    pub text: String,
}

/// A service.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CatalogService {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// `true` if instances can be fetched.
    pub instances_retrievable: bool,
    /// `true` if bindings can be fetched.
    pub bindings_retrievable: bool,
    /// `true` if updates of the context alone are accepted.
    pub allow_context_updates: bool,
    /// `true` if instances can change to another plan, unless their plan says otherwise.
    pub plan_updateable: bool,
    /// The permissions that its bindings require.
    pub requires: Vec<String>,
    /// Its plans.
    pub plans: Vec<CatalogPlan>,
}

/// A plan.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CatalogPlan {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// `true` if it is free of charge; `true` if the catalog does not say so.
    pub free: bool,
    /// `true` if instances can be bound; inherited from the service if the plan does not set it.
    pub bindable: bool,
    /// `true` if bindings can be rotated.
    pub binding_rotatable: bool,
    /// `true` if instances can change to another plan; inherited from the service if the plan does not set it.
    pub plan_updateable: bool,
    /// The maximum time to poll an operation.
    pub maximum_polling_duration: Option<Duration>,
    /// The maintenance version.
    pub maintenance: Option<String>,
    /// The JSON Schemas of its parameters.
    pub schemas: Schemas,
}

/// The JSON Schemas of a plan's parameters.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Schemas {
    /// For creating an instance.
    pub create: Option<Value>,
    /// For updating an instance.
    pub update: Option<Value>,
    /// For creating a binding.
    pub bind: Option<Value>,
}

impl Catalog {
    /// Reads a catalog; `None` if it has no list of services.
    pub fn read(json: Value) -> Option<Self> {
        let services = json["services"].as_array()?.iter().map(CatalogService::read).collect();
        Some(Self { services, text: json.to_string(), json })
    }

    /// Finds a plan by the name or id of its service and its own name or id.
    pub fn find(&self, service: &str, plan: &str) -> Option<(&CatalogService, &CatalogPlan)> {
        let service = self.services.iter().find(|known| known.name == service || known.id == service)?;
        Some((service, service.plan(plan)?))
    }
}

impl CatalogService {
    fn read(json: &Value) -> Self {
        let plans = json["plans"].as_array().into_iter().flatten();
        Self {
            id: text(&json["id"]),
            name: text(&json["name"]),
            description: text(&json["description"]),
            instances_retrievable: json["instances_retrievable"] == true,
            bindings_retrievable: json["bindings_retrievable"] == true,
            allow_context_updates: json["allow_context_updates"] == true,
            plan_updateable: json["plan_updateable"] == true,
            requires: json["requires"].as_array().into_iter().flatten().map(text).collect(),
            plans: plans.map(|plan| CatalogPlan::read(plan, json)).collect(),
        }
    }

    /// Finds a plan by name or id.
    pub fn plan(&self, plan: &str) -> Option<&CatalogPlan> {
        self.plans.iter().find(|known| known.name == plan || known.id == plan)
    }
}

impl CatalogPlan {
    fn read(json: &Value, service: &Value) -> Self {
        let flag = |name: &str| json[name].as_bool().or(service[name].as_bool()).unwrap_or(false);
        let schema =
            |of: &str, to: &str| json["schemas"][of][to].get("parameters").filter(|it| it.is_object()).cloned();
        Self {
            id: text(&json["id"]),
            name: text(&json["name"]),
            description: text(&json["description"]),
            free: json["free"].as_bool().unwrap_or(true),
            bindable: flag("bindable"),
            binding_rotatable: json["binding_rotatable"] == true,
            plan_updateable: flag("plan_updateable"),
            maximum_polling_duration: json["maximum_polling_duration"].as_u64().map(Duration::from_secs),
            maintenance: json["maintenance_info"]["version"].as_str().map(str::to_owned),
            schemas: Schemas {
                create: schema("service_instance", "create"),
                update: schema("service_instance", "update"),
                bind: schema("service_binding", "create"),
            },
        }
    }
}

fn text(json: &Value) -> String {
    json.as_str().unwrap_or_default().to_owned()
}
