//! Lines to copy: the life of an instance on Cloud Foundry, and straight from the broker.

use super::{
    document::{Sample, one_line},
    example,
};
use osb_runtime::catalog::{Offering, ParametersInfo, PlanInfo};
use osb_runtime::json::{Json, json};
use osb_runtime::protocol::ApiVersion;

/// What it does stands in a comment of the shell, and ends with its line.
fn sample(what: impl AsRef<str>, text: String) -> Sample {
    Sample { what: one_line(what.as_ref()), text }
}

/// The commands of Cloud Foundry that take parameters, without them.
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

/// With the command line of Cloud Foundry. The plan can be changed to those of `targets`.
pub(super) fn cloud_foundry(offering: &Offering, plan: &PlanInfo, targets: &[&PlanInfo]) -> Vec<Sample> {
    let instance = instance(offering);
    let Commands { create, update, bind } = Commands::of(offering, plan);
    let given = |info: Option<&ParametersInfo>| {
        let example = info.and_then(example::parameters);
        example.map(|value| format!(" -c {}", shell(&value.to_string()))).unwrap_or_default()
    };
    let mut samples = vec![sample("Create an instance", create + &given(plan.create.as_ref()))];
    if plan.update.is_some() {
        samples.push(sample("Change its parameters", format!("{update}{}", given(plan.update.as_ref()))));
    }
    if plan.spec.maintenance.is_some() {
        samples.push(sample("Bring it to the newest version", format!("cf upgrade-service {instance}")));
    }
    for to in targets {
        let name = to.spec.name;
        samples.push(sample(format!("Move it to plan {name}"), format!("{update} -p {}", shell(name))));
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
                samples.push(sample("Get credentials without an application", get));
                samples.push(sample("Delete these credentials", format!("cf delete-service-key {key}")));
            }
            samples.push(sample("Unbind the application", format!("cf unbind-service my-app {instance}")));
        }
    }
    samples.push(sample("Delete the instance", format!("cf delete-service {instance}")));
    samples
}

/// The same without a platform, for whoever runs or tries the broker.
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
            "Say where the broker is, and who asks",
            "export BROKER=http://127.0.0.1:8080 OSB_USERNAME=broker OSB_PASSWORD=secret".to_owned(),
        ),
        sample("Create an instance", send("PUT", instance, &create)),
        sample("Ask how far it is, if the answer was 202", get(&format!("{instance}/last_operation?{ids}"))),
    ];
    if offering.instances_retrievable {
        samples.push(sample("Look at it", get(instance)));
    }
    if plan.update.is_some() {
        let update = with(json!({ "service_id": offering.id }), plan.update.as_ref());
        samples.push(sample("Change its parameters", send("PATCH", instance, &update)));
    }
    for to in targets {
        let body = json!({ "service_id": offering.id, "plan_id": to.spec.id });
        samples.push(sample(format!("Move it to plan {}", to.spec.name), send("PATCH", instance, &body)));
    }
    if plan.spec.bindable {
        let mut bind = common();
        if plan.spec.requires_app {
            bind["bind_resource"] = json!({ "app_guid": "my-app" });
        }
        samples.push(sample("Bind to it", send("PUT", &binding, &with(bind, plan.bind.as_ref()))));
        if plan.spec.rotatable {
            let next = json!({ "service_id": offering.id, "predecessor_binding_id": "my-binding" });
            let url = format!("{instance}/service_bindings/my-next-binding");
            samples.push(sample("Have the binding succeeded by another one", send("PUT", &url, &next)));
        }
        samples.push(sample("Unbind", delete(&binding, &ids)));
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

/// A value in a URL's query, also inside the double quotes of a shell.
fn query(value: &str) -> String {
    let keep = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~');
    value.bytes().map(|b| if keep(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// A word of a POSIX shell.
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
