//! Commands to copy, from the creation of an instance to its deletion: with the `cf` command line, and with `curl`.

use std::iter;

use super::{
    document::{Sample, one_line},
    example,
};
use osb_runtime::{
    catalog::{Offering, ParametersInfo, PlanInfo},
    json::{Json, Members, json},
    protocol::ApiVersion,
};

/// Builds a sample. The title becomes a shell comment, so it must not contain a line break.
fn sample(title: impl AsRef<str>, text: String) -> Sample {
    Sample { title: one_line(title.as_ref()), text }
}

/// The `cf` commands that accept parameters, without the parameters.
pub(super) struct Commands {
    pub(super) create: String,
    pub(super) update: String,
    pub(super) bind: String,
}

impl Commands {
    pub(super) fn of(offering: &Offering, plan: &PlanInfo) -> Self {
        let instance = instance(offering);
        Self {
            create: format!("cf create-service {} {} {instance}", shell(offering.name), shell(plan.spec.name)),
            update: format!("cf update-service {instance}"),
            bind: if plan.requires.route_forwarding {
                format!("cf bind-route-service apps.example.com {instance} --hostname my-app")
            } else {
                format!("cf bind-service my-app {instance}")
            },
        }
    }
}

fn instance(offering: &Offering) -> String {
    shell(&format!("my-{}", offering.name))
}

/// Returns `cf` commands. `targets` are the plans to which the plan can be changed.
pub(super) fn cloud_foundry(offering: &Offering, plan: &PlanInfo, targets: &[&PlanInfo]) -> Vec<Sample> {
    let instance = instance(offering);
    let Commands { create, update, bind } = Commands::of(offering, plan);
    let given = |info: Option<&ParametersInfo>| {
        let example = info.and_then(example::parameters);
        example.map(|value| format!(" -c {}", shell(&value.to_string()))).unwrap_or_default()
    };
    let mut samples = vec![sample("Create an instance", create + &given(plan.create.as_ref()))];
    if plan.update.is_some() {
        samples.push(sample("Update its parameters", format!("{update}{}", given(plan.update.as_ref()))));
    }
    if plan.spec.maintenance.is_some() {
        samples.push(sample("Upgrade it to the latest version", format!("cf upgrade-service {instance}")));
    }
    for to in targets {
        let name = to.spec.name;
        samples.push(sample(format!("Change its plan to {name}"), format!("{update} -p {}", shell(name))));
    }
    if plan.spec.bindable {
        let given = given(plan.bind.as_ref());
        if plan.requires.route_forwarding {
            samples.push(sample("Bind a route to it", bind + &given));
            let route = format!("cf unbind-route-service apps.example.com {instance} --hostname my-app");
            samples.push(sample("Unbind the route", route));
        } else {
            samples.push(sample("Bind an application to it", bind + &given));
            if !plan.spec.requires_app && plan.credentials.is_some() {
                let key = format!("{instance} my-key");
                let get = format!("cf create-service-key {key}{given}\ncf service-key {key}");
                samples.push(sample("Create a service key: credentials without an application", get));
                samples.push(sample("Delete the service key", format!("cf delete-service-key {key}")));
            }
            samples.push(sample("Unbind the application", format!("cf unbind-service my-app {instance}")));
        }
    }
    samples.push(sample("Delete the instance", format!("cf delete-service {instance}")));
    samples
}

/// Returns the environment of an application with a binding on Cloud Foundry: `VCAP_SERVICES`.
pub(super) fn vcap_services(offering: &Offering, plan: &PlanInfo, credentials: &Members) -> Sample {
    let binding = json!({
        "name": format!("my-{}", offering.name),
        "label": offering.name,
        "plan": plan.spec.name,
        "tags": offering.tags,
        "credentials": credentials.clone(),
    });
    let mut services = Members::default();
    services.insert(offering.name, json!([binding]));
    let text = serde_json::to_string_pretty(&Json::Object(services)).unwrap_or_default();
    sample("VCAP_SERVICES of an application on Cloud Foundry", text)
}

/// Returns the files of a binding on Kubernetes: those of the Service Binding specification.
pub(super) fn service_binding_root(offering: &Offering, credentials: &Members) -> Sample {
    let folder = format!("\"$SERVICE_BINDING_ROOT\"/{}", instance(offering));
    let names = credentials.iter().map(|(name, _)| name).filter(|name| *name != "type");
    let lines: Vec<_> = iter::once("type").chain(names).map(|name| format!("cat {folder}/{}", shell(name))).collect();
    sample("Read the files of an application on Kubernetes", lines.join("\n"))
}

/// Returns `curl` commands for operators and developers of the broker.
pub(super) fn curl(offering: &Offering, plan: &PlanInfo, targets: &[&PlanInfo]) -> Vec<Sample> {
    let common = || json!({ "service_id": offering.id, "plan_id": plan.spec.id });
    let with = |mut body: Json, info: Option<&ParametersInfo>| {
        if let Some(example) = info.and_then(example::parameters) {
            body["parameters"] = example;
        }
        body
    };
    let ids = format!("service_id={}&plan_id={}", query(offering.id), query(plan.spec.id));
    let instance = "$BROKER/v2/service_instances/my-instance";
    let binding = format!("{instance}/service_bindings/my-binding");

    let mut create = common();
    create["organization_guid"] = "my-org".into();
    create["space_guid"] = "my-space".into();
    let create = with(create, plan.create.as_ref());
    let mut samples = vec![
        sample(
            "Set the broker's address and credentials",
            "export BROKER=http://127.0.0.1:8080 OSB_USERNAME=broker OSB_PASSWORD=secret".to_owned(),
        ),
        sample("Create an instance", send("PUT", instance, &create)),
        sample("Poll the operation, if the response was 202", get(&format!("{instance}/last_operation?{ids}"))),
    ];
    if offering.instances_retrievable {
        samples.push(sample("Fetch it", get(instance)));
    }
    if plan.update.is_some() {
        let update = with(json!({ "service_id": offering.id }), plan.update.as_ref());
        samples.push(sample("Update its parameters", send("PATCH", instance, &update)));
    }
    if plan.spec.bindable {
        let mut bind = common();
        if plan.spec.requires_app {
            bind["bind_resource"] = json!({ "app_guid": "my-app" });
        }
        samples.push(sample("Create a binding", send("PUT", &binding, &with(bind, plan.bind.as_ref()))));
        if plan.spec.rotatable {
            let next = json!({ "service_id": offering.id, "predecessor_binding_id": "my-binding" });
            let url = format!("{instance}/service_bindings/my-next-binding");
            samples.push(sample("Rotate the binding", send("PUT", &url, &next)));
        }
        samples.push(sample("Delete the binding", delete(&binding, &ids)));
    }
    // After the bindings, whose requests have the plan of the instance.
    for to in targets {
        let body = json!({ "service_id": offering.id, "plan_id": to.spec.id });
        samples.push(sample(format!("Change its plan to {}", to.spec.name), send("PATCH", instance, &body)));
    }
    samples.push(sample("Delete the instance", delete(instance, &ids)));
    samples
}

fn call() -> String {
    format!(r#"curl -u "$OSB_USERNAME:$OSB_PASSWORD" -H "X-Broker-API-Version: {}""#, ApiVersion::LATEST)
}

fn get(url: &str) -> String {
    format!("{} \\\n  \"{url}\"", call())
}

fn send(method: &str, url: &str, body: &Json) -> String {
    let body = shell(&body.to_string());
    format!(
        "{} \\\n  -X {method} \"{url}?accepts_incomplete=true\" \\\n  -H \"Content-Type: application/json\" -d {body}",
        call()
    )
}

fn delete(url: &str, ids: &str) -> String {
    format!("{} \\\n  -X DELETE \"{url}?accepts_incomplete=true&{ids}\"", call())
}

/// Escapes a value for a URL query within double quotes of a shell.
fn query(value: &str) -> String {
    let keep = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~');
    value.bytes().map(|b| if keep(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// Quotes a word for a POSIX shell, if it needs quotes.
fn shell(word: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'/' | b':');
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::shell;

    #[test]
    fn shell_words_are_quoted_where_needed() {
        assert_eq!(shell("my-store"), "my-store");
        assert_eq!(shell("it's"), r"'it'\''s'");
        assert_eq!(shell(""), "''");
    }
}
