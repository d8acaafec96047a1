//! Writes the API of a broker as OpenAPI 3.1: the endpoints that it serves, with the parameters of its plans.

mod dialect;
mod schemas;

use crate::service::families;
use osb_runtime::{
    catalog::{Offering, PlanInfo},
    json::{Json, Members, json},
    protocol::{ApiVersion, Endpoint},
};

/// The operations of a path, by HTTP method.
type Operations = Vec<(Endpoint, Json)>;

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
            "description": "The Open Service Broker API of this broker, with the parameters of its plans. Send integers without a fraction or an exponent: `60`, not `60.0`.",
            "version": ApiVersion::LATEST.to_string(),
        },
        "externalDocs": { "description": "The specification", "url": "https://www.openservicebrokerapi.org" },
        "security": [{ "basic": [] }, { "bearer": [] }],
        "tags": [
            { "name": "Catalog", "description": "Services and plans on offer" },
            { "name": "Instances", "description": "Create, update and delete service instances" },
            { "name": "Bindings", "description": "Create and delete service bindings" },
        ],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "basic": { "type": "http", "scheme": "basic" },
                "bearer": { "type": "http", "scheme": "bearer" },
            },
            "headers": {
                "RequestIdentity": {
                    "description": "The `X-Broker-API-Request-Identity` of the request, if it had one.",
                    "schema": { "type": "string" },
                },
            },
            "responses": responses(),
            "schemas": schemas,
        },
    })
}

/// A plan that is not retired, or a family whose plans a deployment will list, and its service.
#[derive(Clone, Copy)]
struct Offer<'a> {
    service: &'a Offering,
    plan: &'a PlanInfo,
}

fn plans<'a>(offerings: &[&'a Offering]) -> Vec<Offer<'a>> {
    let of = |service: &&'a Offering| {
        let service = *service;
        let plans = service.plans.iter().chain(families(service)).filter(|plan| !plan.spec.retired);
        plans.map(move |plan| Offer { service, plan })
    };
    offerings.iter().flat_map(of).collect()
}

impl Offer<'_> {
    /// Returns whether the plan supports any kind of update.
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
        let poll = |endpoint, summary| operation(endpoint, summary, &POLL, polled(), &["404", "410"]);
        let mut operations = vec![catalog()];
        operations.extend(self.instances(definitions));
        operations.push(poll(Endpoint::PollInstance, "Poll the last operation of an instance"));
        if self.plans.iter().any(|offer| offer.plan.spec.bindable) {
            operations.extend(self.bindings(definitions));
            operations.push(poll(Endpoint::PollBinding, "Poll the last operation of a binding"));
        }
        let mut paths = Json::Object(Members::default());
        for (endpoint, operation) in operations {
            paths[endpoint.path()][&*endpoint.method().to_lowercase()] = operation;
        }
        paths
    }

    fn instances(&self, definitions: &mut dialect::Definitions) -> Operations {
        let instance = |description: &str| answer(description, &schemas::reference("Instance"));
        let mut operations = Vec::new();
        if self.offerings.iter().any(|offering| offering.instances_retrievable) {
            let found = answer("The instance.", &schemas::instance());
            let answers = vec![("200", found)];
            let failures = ["404", "422"];
            operations.push(operation(Endpoint::FetchInstance, "Fetch an instance", &[], answers, &failures));
        }
        let create = operation(
            Endpoint::Provision,
            "Create an instance",
            &["accepts_incomplete"],
            vec![
                ("200", instance("The instance already exists with the same attributes.")),
                ("201", instance("The instance was created.")),
                ("202", accepted()),
            ],
            &["409", "413", "422"],
        );
        operations.push(with_body(create, &schemas::provision(&self.plans, definitions)));
        if self.plans.iter().any(|offer| offer.updates()) {
            let update = operation(
                Endpoint::Update,
                "Update an instance",
                &["accepts_incomplete"],
                vec![("200", instance("The instance was updated.")), ("202", accepted())],
                &["404", "413", "422"],
            );
            operations.push(with_body(update, &schemas::update(&self.plans, definitions)));
        }
        operations.push(self.delete(Endpoint::Deprovision, "Delete an instance"));
        operations
    }

    fn bindings(&self, definitions: &mut dialect::Definitions) -> Operations {
        let bindable: Vec<_> = self.plans.iter().copied().filter(|offer| offer.plan.spec.bindable).collect();
        let binding = schemas::binding(&bindable, definitions);
        let mut operations = Vec::new();
        if self.offerings.iter().any(|offering| offering.bindings_retrievable) {
            let answers = vec![("200", answer("The binding.", &binding))];
            let failures = ["404", "422"];
            operations.push(operation(Endpoint::FetchBinding, "Fetch a binding", &[], answers, &failures));
        }
        let bind = operation(
            Endpoint::Bind,
            "Create a binding",
            &["accepts_incomplete"],
            vec![
                ("200", answer("The binding already exists with the same attributes.", &binding)),
                ("201", answer("The binding was created.", &binding)),
                ("202", accepted()),
            ],
            &["404", "409", "413", "422"],
        );
        operations.push(with_body(bind, &schemas::bind(&bindable, definitions)));
        operations.push(self.delete(Endpoint::Unbind, "Delete a binding"));
        operations
    }

    fn delete(&self, endpoint: Endpoint, summary: &str) -> (Endpoint, Json) {
        let deleted = answer("Deleted.", &schemas::reference("Nothing"));
        let mut delete = operation(
            endpoint,
            summary,
            &["accepts_incomplete"],
            vec![("200", deleted), ("202", accepted())],
            &["410", "422"],
        );
        if let Some(parameters) = delete.1["parameters"].as_array_mut() {
            parameters.extend([self.required_id("service_id"), self.required_id("plan_id")]);
        }
        delete
    }

    /// Describes `service_id` or `plan_id` as a required query parameter.
    fn required_id(&self, name: &str) -> Json {
        // A deployment lists the ids of the plans of a family.
        let is_open = name == "plan_id" && self.plans.iter().any(|offer| offer.plan.family.is_some());
        let mut described = parameter(name);
        described["required"] = true.into();
        if !is_open {
            let ids: Vec<&str> = match name {
                "service_id" => self.offerings.iter().map(|offering| offering.id).collect(),
                _ => self.plans.iter().map(|offer| offer.plan.spec.id).collect(),
            };
            described["schema"] = json!({ "type": "string", "enum": ids });
        }
        described
    }
}

/// The query parameters of a poll.
const POLL: [&str; 3] = ["service_id", "plan_id", "operation"];

/// The headers of all requests.
const HEADERS: [&str; 3] =
    ["X-Broker-API-Version", "X-Broker-API-Originating-Identity", "X-Broker-API-Request-Identity"];

fn polled() -> Vec<(&'static str, Json)> {
    let mut state = answer("The state of the operation.", &schemas::reference("LastOperation"));
    state["headers"]["Retry-After"] = retry_after("Seconds to wait before the next poll.");
    vec![("200", state)]
}

fn retry_after(description: &str) -> Json {
    json!({ "description": description, "schema": { "type": "integer" } })
}

fn accepted() -> Json {
    answer("The operation continues asynchronously; poll `last_operation`.", &schemas::reference("Accepted"))
}

fn catalog() -> (Endpoint, Json) {
    let mut catalog = answer("The catalog.", &schemas::reference("Catalog"));
    catalog["headers"]["ETag"] =
        json!({ "description": "Changes whenever the catalog changes.", "schema": { "type": "string" } });
    let answers =
        vec![("200", catalog), ("304", json!({ "description": "The catalog is the one named by `If-None-Match`." }))];
    operation(Endpoint::Catalog, "Get the catalog", &["If-None-Match"], answers, &[])
}

/// Describes an operation. `parameters` are those besides its ids and the headers of all requests; `answers` are the successful
/// responses; `failures` are the error statuses besides those of every endpoint.
fn operation(
    endpoint: Endpoint,
    summary: &str,
    parameters: &[&str],
    answers: Vec<(&'static str, Json)>,
    failures: &[&str],
) -> (Endpoint, Json) {
    let every = ["400", "401", "412", "414", "431", "500", "503"];
    let mut failures: Vec<_> = failures
        .iter()
        .chain(&every)
        .map(|status| (*status, json!({ "$ref": format!("#/components/responses/Status{status}") })))
        .collect();
    failures.sort_by_key(|(status, _)| *status);
    let responses: Members =
        answers.into_iter().chain(failures).map(|(status, answer)| (status.to_owned(), answer)).collect();
    let (tag, ids): (_, &[_]) = match endpoint.path() {
        path if path.contains("{binding_id}") => ("Bindings", &["instance_id", "binding_id"]),
        path if path.contains("{instance_id}") => ("Instances", &["instance_id"]),
        _ => ("Catalog", &[]),
    };
    let parameters: Vec<_> = ids.iter().chain(&HEADERS).chain(parameters).map(|name| parameter(name)).collect();
    let described = json!({
        "tags": [tag],
        "operationId": camel_case(endpoint.name()),
        "summary": summary,
        "parameters": parameters,
        "responses": responses,
    });
    (endpoint, described)
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| name + &word[..1].to_uppercase() + &word[1..])
}

fn answer(description: &str, schema: &Json) -> Json {
    json!({
        "description": description,
        "headers": { "X-Broker-API-Request-Identity": { "$ref": "#/components/headers/RequestIdentity" } },
        "content": { "application/json": { "schema": schema } },
    })
}

fn with_body((endpoint, mut described): (Endpoint, Json), schema: &Json) -> (Endpoint, Json) {
    described["requestBody"] = json!({ "required": true, "content": { "application/json": { "schema": schema } } });
    (endpoint, described)
}

/// Describes a parameter. It stands in each operation that has it: Swagger UI shows no parameters of paths, and none that
/// are only referred to there.
fn parameter(name: &str) -> Json {
    let text = || json!({ "type": "string" });
    let id = || json!({ "type": "string", "minLength": 1 });
    let (place, required, description, schema) = match name {
        "instance_id" => ("path", true, "The platform's id of the instance.", id()),
        "binding_id" => ("path", true, "The platform's id of the binding.", id()),
        "X-Broker-API-Version" => {
            let latest = ApiVersion::LATEST.to_string();
            let schema = json!({ "type": "string", "pattern": "^2\\.0*([2-9]|[1-9][0-9]+)$", "default": latest });
            ("header", true, "The version of the API that the platform uses: 2.2 or later.", schema)
        }
        "X-Broker-API-Originating-Identity" => (
            "header",
            false,
            "The user behind the request: the platform's name, a space, and a JSON object encoded as base64.",
            text(),
        ),
        "X-Broker-API-Request-Identity" => {
            ("header", false, "Identifies the request in logs; the response repeats it.", text())
        }
        "If-None-Match" => ("header", false, "The `ETag` of the platform's copy of the catalog.", text()),
        "accepts_incomplete" => (
            "query",
            false,
            "Whether the platform accepts an asynchronous operation (202) and polls it.",
            json!({ "type": "boolean", "default": false }),
        ),
        "operation" => ("query", false, "The `operation` from the 202 response.", text()),
        "service_id" => ("query", false, "The `service_id` of the instance.", text()),
        "plan_id" => ("query", false, "The `plan_id` of the instance.", text()),
        other => unreachable!("{other} has no description"),
    };
    json!({ "name": name, "in": place, "required": required, "description": description, "schema": schema })
}

fn responses() -> Json {
    let statuses = [
        ("400", "The request is malformed, or its parameters are invalid for the plan."),
        ("401", "The credentials are missing or wrong."),
        ("404", "The instance or binding does not exist."),
        ("409", "The id is already in use, with different attributes."),
        ("410", "The instance or binding to delete does not exist."),
        ("412", "The broker does not support this version of the API."),
        ("413", "The body of the request is too large."),
        ("422", "The request cannot be processed, or not now; `error` gives the reason."),
        ("500", "The broker could not complete the request."),
        ("503", "The broker is too busy, or can't reach its records; `Retry-After` says when to repeat the request."),
    ];
    let responses = statuses.map(|(status, description)| {
        let mut response = answer(description, &schemas::reference("Error"));
        if status == "503" {
            response["headers"]["Retry-After"] = retry_after("Seconds to wait before the request is repeated.");
        }
        (format!("Status{status}"), response)
    });
    // The server's own, for a request that it can't read.
    let unread = [("414", "The path and query are too long."), ("431", "The headers are too large, or too many.")];
    let unread = unread.map(|(status, description)| (format!("Status{status}"), json!({ "description": description })));
    Json::Object(responses.into_iter().chain(unread).collect())
}
