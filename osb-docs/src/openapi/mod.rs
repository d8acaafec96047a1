//! The API of this very broker as OpenAPI 3.1: the endpoints that it has, with the parameters of its plans in their places.

mod dialect;
mod schemas;

use osb_runtime::catalog::{Offering, PlanInfo};
use osb_runtime::json::{Json, Members, json};
use osb_runtime::protocol::ApiVersion;

/// What a path has, besides its parameters.
type Operations = Vec<(&'static str, Json)>;

/// The whole document.
pub(super) fn openapi(offerings: &[&Offering], title: &str) -> Json {
    let mut definitions = Members::default();
    let api = Api { offerings, plans: plans(offerings) };
    let paths = api.paths(&mut definitions);
    let mut schemas = schemas::common();
    schemas.extend(definitions);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": title,
            "description": "The Open Service Broker API as this broker serves it, with the parameters of its plans.",
            "version": ApiVersion::LATEST.to_string(),
        },
        "externalDocs": { "description": "The specification", "url": "https://www.openservicebrokerapi.org" },
        "security": [{ "basic": [] }, { "bearer": [] }],
        "tags": [
            { "name": "Catalog", "description": "What there is to be had" },
            { "name": "Instances", "description": "Making, changing and deleting service instances" },
            { "name": "Bindings", "description": "Making and deleting bindings to service instances" },
        ],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "basic": { "type": "http", "scheme": "basic" },
                "bearer": { "type": "http", "scheme": "bearer" },
            },
            "parameters": parameters(),
            "headers": {
                "RequestIdentity": {
                    "description": "What the request had as its identity, if it had one.",
                    "schema": { "type": "string" },
                },
            },
            "responses": responses(),
            "schemas": schemas,
        },
    })
}

/// A plan that can be had, and the service that it is of.
#[derive(Clone, Copy)]
struct Offer<'a> {
    service: &'a Offering,
    plan: &'a PlanInfo,
}

fn plans<'a>(offerings: &[&'a Offering]) -> Vec<Offer<'a>> {
    let of = |service: &&'a Offering| {
        let service = *service;
        service.plans.iter().filter(|plan| !plan.spec.retired).map(move |plan| Offer { service, plan })
    };
    offerings.iter().flat_map(of).collect()
}

impl Offer<'_> {
    /// Whether an update can bring anything.
    fn updates(self) -> bool {
        let Self { service, plan } = self;
        plan.update.is_some() || plan.updateable || plan.spec.maintenance.is_some() || service.allow_context_updates
    }
}

struct Api<'a> {
    offerings: &'a [&'a Offering],
    plans: Vec<Offer<'a>>,
}

impl Api<'_> {
    fn paths(&self, definitions: &mut dialect::Definitions) -> Json {
        let instance = "/v2/service_instances/{instance_id}";
        let binding = "/v2/service_instances/{instance_id}/service_bindings/{binding_id}";
        let mut paths = Members::default();
        let mut add = |path: String, ids: &[&str], operations: Operations| {
            let mut item = Members::default();
            let named = ids.iter().chain(&["ApiVersion", "OriginatingIdentity", "RequestIdentity"]);
            item.insert("parameters", named.map(|name| reference("parameters", name)).collect::<Json>());
            item.extend(operations.into_iter().map(|(method, operation)| (method.to_owned(), operation)));
            paths.insert(path, Json::Object(item));
        };
        add("/v2/catalog".to_owned(), &[], vec![("get", catalog())]);
        add(instance.to_owned(), &["InstanceId"], self.instances(definitions));
        let poll =
            operation("Instances", "pollInstance", "Ask how the work on an instance is going", &POLL, polled(), &[]);
        add(format!("{instance}/last_operation"), &["InstanceId"], vec![("get", poll)]);
        if self.plans.iter().any(|offer| offer.plan.spec.bindable) {
            let ids = ["InstanceId", "BindingId"];
            add(binding.to_owned(), &ids, self.bindings(definitions));
            let poll =
                operation("Bindings", "pollBinding", "Ask how the work on a binding is going", &POLL, polled(), &[]);
            add(format!("{binding}/last_operation"), &ids, vec![("get", poll)]);
        }
        Json::Object(paths)
    }

    fn instances(&self, definitions: &mut dialect::Definitions) -> Operations {
        let made = |what: &str| answer(what, &schemas::reference("Instance"));
        let later = answer("It is being done: ask how it is going.", &schemas::reference("Accepted"));
        let mut operations = Vec::new();
        if self.offerings.iter().any(|offering| offering.instances_retrievable) {
            let found = answer("The instance.", &schemas::instance());
            let answers = vec![("200", found)];
            let failures = ["400", "404", "422"];
            operations
                .push(("get", operation("Instances", "fetchInstance", "Look at an instance", &[], answers, &failures)));
        }
        let mut create = operation(
            "Instances",
            "provision",
            "Create an instance",
            &["AcceptsIncomplete"],
            vec![("200", made("It exists already.")), ("201", made("It was created.")), ("202", later.clone())],
            &["400", "409", "422"],
        );
        create["requestBody"] = body(&schemas::provision(&self.plans, definitions));
        operations.push(("put", create));
        if self.plans.iter().any(|offer| offer.updates()) {
            let mut update = operation(
                "Instances",
                "update",
                "Change an instance",
                &["AcceptsIncomplete"],
                vec![("200", made("It was changed.")), ("202", later)],
                &["400", "404", "422"],
            );
            update["requestBody"] = body(&schemas::update(&self.plans, definitions));
            operations.push(("patch", update));
        }
        operations.push(("delete", self.delete("Instances", "deprovision", "Delete an instance")));
        operations
    }

    fn bindings(&self, definitions: &mut dialect::Definitions) -> Operations {
        let bindable: Vec<_> = self.plans.iter().copied().filter(|offer| offer.plan.spec.bindable).collect();
        let gives = schemas::binding(&bindable, definitions);
        let mut operations = Vec::new();
        if self.offerings.iter().any(|offering| offering.bindings_retrievable) {
            let answers = vec![("200", answer("The binding.", &gives))];
            let failures = ["400", "404", "422"];
            operations
                .push(("get", operation("Bindings", "fetchBinding", "Look at a binding", &[], answers, &failures)));
        }
        let later = answer("It is being done: ask how it is going.", &schemas::reference("Accepted"));
        let mut bind = operation(
            "Bindings",
            "bind",
            "Create a binding",
            &["AcceptsIncomplete"],
            vec![
                ("200", answer("It exists already.", &gives)),
                ("201", answer("It was created.", &gives)),
                ("202", later),
            ],
            &["400", "404", "409", "422"],
        );
        bind["requestBody"] = body(&schemas::bind(&bindable, definitions));
        operations.push(("put", bind));
        operations.push(("delete", self.delete("Bindings", "unbind", "Delete a binding")));
        operations
    }

    fn delete(&self, tag: &str, id: &str, summary: &str) -> Json {
        let done = answer("It was deleted.", &schemas::reference("Nothing"));
        let later = answer("It is being done: ask how it is going.", &schemas::reference("Accepted"));
        let mut delete = operation(
            tag,
            id,
            summary,
            &["AcceptsIncomplete"],
            vec![("200", done), ("202", later)],
            &["400", "410", "422"],
        );
        if let Some(parameters) = delete["parameters"].as_array_mut() {
            parameters.extend([self.id_of("service_id", true), self.id_of("plan_id", true)]);
        }
        delete
    }

    /// `service_id` or `plan_id` in a query.
    fn id_of(&self, name: &str, required: bool) -> Json {
        let ids: Vec<&str> = match name {
            "service_id" => self.offerings.iter().map(|offering| offering.id).collect(),
            _ => self.plans.iter().map(|offer| offer.plan.spec.id).collect(),
        };
        json!({
            "name": name,
            "in": "query",
            "required": required,
            "description": "That of the instance.",
            "schema": { "type": "string", "enum": ids },
        })
    }
}

/// What a poll may say in its query.
const POLL: [&str; 3] = ["ServiceId", "PlanId", "Operation"];

fn polled() -> Vec<(&'static str, Json)> {
    let mut going = answer("How it is going.", &schemas::reference("LastOperation"));
    going["headers"]["Retry-After"] =
        json!({ "description": "After how many seconds to ask again.", "schema": { "type": "integer" } });
    vec![("200", going)]
}

fn catalog() -> Json {
    let mut catalog = answer("The catalog.", &schemas::reference("Catalog"));
    catalog["headers"]["ETag"] = json!({ "description": "Changes with the catalog.", "schema": { "type": "string" } });
    let answers =
        vec![("200", catalog), ("304", json!({ "description": "It is the one that `If-None-Match` names." }))];
    operation("Catalog", "catalog", "Get the catalog", &["IfNoneMatch"], answers, &[])
}

/// `answers` are those of success; `failures` the statuses of others besides those that every endpoint has.
fn operation(
    tag: &str,
    id: &str,
    summary: &str,
    parameters: &[&str],
    answers: Vec<(&'static str, Json)>,
    failures: &[&str],
) -> Json {
    let every = ["401", "412", "500"];
    let mut failures: Vec<_> =
        failures.iter().chain(&every).map(|status| (*status, reference("responses", status))).collect();
    failures.sort_by_key(|(status, _)| *status);
    let responses: Members =
        answers.into_iter().chain(failures).map(|(status, answer)| (status.to_owned(), answer)).collect();
    let parameters: Vec<_> = parameters.iter().map(|name| reference("parameters", name)).collect();
    json!({
        "tags": [tag],
        "operationId": id,
        "summary": summary,
        "parameters": parameters,
        "responses": responses,
    })
}

fn reference(kind: &str, name: &str) -> Json {
    let name = if kind == "responses" { format!("Status{name}") } else { name.to_owned() };
    json!({ "$ref": format!("#/components/{kind}/{name}") })
}

fn answer(description: &str, schema: &Json) -> Json {
    json!({
        "description": description,
        "headers": { "X-Broker-API-Request-Identity": reference("headers", "RequestIdentity") },
        "content": { "application/json": { "schema": schema } },
    })
}

fn body(schema: &Json) -> Json {
    json!({ "required": true, "content": { "application/json": { "schema": schema } } })
}

fn parameters() -> Json {
    let parameter = |place: &str, name: &str, required: bool, description: &str, schema: Json| json!({ "name": name, "in": place, "required": required, "description": description, "schema": schema });
    let text = || json!({ "type": "string" });
    let id = || json!({ "type": "string", "minLength": 1 });
    let version = json!({ "type": "string", "pattern": "^2\\.[0-9]+$", "examples": [ApiVersion::LATEST.to_string()] });
    json!({
        "ApiVersion": parameter("header", "X-Broker-API-Version", true, "The version of the API that the platform speaks.", version),
        "OriginatingIdentity": parameter(
            "header",
            "X-Broker-API-Originating-Identity",
            false,
            "Who asks: the name of the platform, a space, and a JSON object in base64.",
            text(),
        ),
        "RequestIdentity": parameter(
            "header",
            "X-Broker-API-Request-Identity",
            false,
            "What this request is called in logs; the answer has it too.",
            text(),
        ),
        "InstanceId": parameter("path", "instance_id", true, "The platform's id of the instance.", id()),
        "BindingId": parameter("path", "binding_id", true, "The platform's id of the binding.", id()),
        "AcceptsIncomplete": parameter(
            "query",
            "accepts_incomplete",
            false,
            "Whether the platform takes 202 for an answer, and asks how the work is going.",
            json!({ "type": "boolean", "default": false }),
        ),
        "ServiceId": parameter("query", "service_id", false, "That of the instance.", text()),
        "PlanId": parameter("query", "plan_id", false, "That of the instance.", text()),
        "Operation": parameter("query", "operation", false, "What the 202 said.", text()),
        "IfNoneMatch": parameter("header", "If-None-Match", false, "The `ETag` of the catalog that the platform has.", text()),
    })
}

fn responses() -> Json {
    let statuses = [
        ("400", "The request is malformed, or its parameters are not what the plan takes."),
        ("401", "The credentials are missing or wrong."),
        ("404", "There is no such instance or binding."),
        ("409", "The id is taken by something else."),
        ("410", "There is nothing to delete."),
        ("412", "The version of the API is not served."),
        ("422", "What is asked for cannot be done, or not now: `error` says more."),
        ("500", "The broker failed."),
    ];
    let responses = statuses
        .map(|(status, description)| (format!("Status{status}"), answer(description, &schemas::reference("Error"))));
    Json::Object(responses.into_iter().collect())
}
