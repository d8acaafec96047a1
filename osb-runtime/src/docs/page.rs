//! The page of one service.

use serde_json::{Value, json};

use super::{
    escape::{anchor, block, code, link, paragraphs, shell, text},
    example,
    fields::{Use, fields},
    table::table,
    waiting,
};
use crate::{
    catalog::{Offering, ParametersInfo, PlanInfo},
    schema::Kind,
};

/// The service's name for people.
pub(super) fn title(offering: &Offering) -> &str {
    offering.display_name.unwrap_or(offering.name)
}

/// The page, its heading of level `level`.
pub(super) fn page(offering: &Offering, level: usize) -> String {
    let mut page = Page { offering, level, out: String::new(), said: Vec::new() };
    page.introduction();
    page.plans();
    for plan in page.offered() {
        page.plan(plan);
    }
    page.without_a_platform();
    page.out
}

struct Page<'a> {
    offering: &'a Offering,
    level: usize,
    out: String,
    /// Tables that are on the page already, each with its plan, so that plans that share their parameters say so.
    said: Vec<(String, &'static str)>,
}

impl Page<'_> {
    fn offered(&self) -> impl Iterator<Item = &'static PlanInfo> + use<> {
        self.offering.plans.iter().filter(|plan| !plan.spec.retired)
    }

    /// A block of Markdown, with an empty line before it.
    fn add(&mut self, block: &str) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out += block;
        if !block.ends_with('\n') {
            self.out.push('\n');
        }
    }

    fn heading(&mut self, deeper: usize, words: &str) {
        self.add(&format!("{} {words}", "#".repeat(self.level + deeper)));
    }

    fn introduction(&mut self) {
        let offering = self.offering;
        self.heading(0, &text(title(offering)));
        self.add(&text(offering.description));
        if let Some(long) = offering.long_description.map(paragraphs).filter(|long| !long.is_empty()) {
            self.add(&long);
        }
        let mut facts = vec![format!("* Name in the marketplace: {}", code(offering.name))];
        if !offering.tags.is_empty() {
            let tags: Vec<_> = offering.tags.iter().map(|tag| code(tag)).collect();
            facts.push(format!("* Tags: {}", tags.join(", ")));
        }
        for (label, url) in [("Documentation", offering.documentation_url), ("Support", offering.support_url)] {
            if let Some(url) = url {
                facts.push(format!("* {}", link(label, url).unwrap_or_else(|| format!("{label}: {}", code(url)))));
            }
        }
        self.add(&facts.join("\n"));
    }

    fn plans(&mut self) {
        self.heading(1, "Plans");
        let rows: Vec<_> = self.offered().map(|plan| plan_row(plan, &self.plan_heading(plan.spec.name))).collect();
        self.add(&table(["Plan", "Description", "Price", "Bindings"], &rows));
        let changes: Vec<_> = self.offered().filter_map(|plan| self.changes_from(plan)).collect();
        if self.offered().count() > 1 {
            self.add(&if changes.is_empty() {
                "The plan of an instance cannot be changed.".to_owned()
            } else {
                format!("The plan of an instance can be changed:\n\n{}", changes.join("\n"))
            });
        }
    }

    /// Unique in the document, because links lead to it.
    fn plan_heading(&self, plan: &str) -> String {
        if self.level == 1 { format!("Plan {plan}") } else { format!("{}: plan {plan}", self.offering.name) }
    }

    fn targets(&self, plan: &PlanInfo) -> Vec<&'static PlanInfo> {
        self.offered().filter(|to| self.offering.changes(plan.spec.id, to.spec.id)).collect()
    }

    fn changes_from(&self, plan: &PlanInfo) -> Option<String> {
        let targets: Vec<_> = self.targets(plan).iter().map(|to| code(to.spec.name)).collect();
        (!targets.is_empty()).then(|| format!("* from {} to {}", code(plan.spec.name), targets.join(" or ")))
    }

    fn plan(&mut self, plan: &'static PlanInfo) {
        let spec = &plan.spec;
        self.heading(1, &text(&self.plan_heading(spec.name)));
        if let Some(name) = spec.display_name {
            self.add(&format!("**{}**", text(name)));
        }
        self.add(&text(spec.description));
        if !spec.bullets.is_empty() {
            let bullets: Vec<_> = spec.bullets.iter().map(|bullet| format!("* {}", text(bullet))).collect();
            self.add(&bullets.join("\n"));
        }
        if let Some(maintenance) = &spec.maintenance {
            let mut words = format!("Version {}.", code(maintenance.version));
            if let Some(description) = maintenance.description {
                words += &format!(" {}", text(description));
            }
            self.add(&words);
        }
        if let Some(words) = waiting::waiting(spec) {
            self.add(&words);
        }
        self.parameters(plan, "To create an instance", plan.create.as_ref());
        self.parameters(plan, "To update an instance", plan.update.as_ref());
        self.parameters(plan, "To create a binding", plan.bind.as_ref());
        self.binding(plan);
        self.commands(plan);
    }

    fn parameters(&mut self, plan: &'static PlanInfo, title: &str, info: Option<&ParametersInfo>) {
        let Some(info) = info else { return };
        let Some(mut words) = fields(info.schema, Use::Parameters) else { return };
        if let Kind::Object(object) = &info.schema.kind
            && object.properties.iter().any(|property| property.schema.nullable)
        {
            words = format!(
                "What is left out stays as it is; `null` takes a value back to its default, or to nothing.\n\n{words}"
            );
        }
        if let Some(example) = example::parameters(info) {
            let json = serde_json::to_string_pretty(&example).unwrap_or_default();
            words += &format!("\n{}", block("json", &json));
        }
        self.heading(2, title);
        self.say_once(plan, words, "The same parameters as with plan");
    }

    fn binding(&mut self, plan: &'static PlanInfo) {
        if !plan.spec.bindable {
            return;
        }
        let mut notes = Vec::new();
        for (needed, note) in [
            (plan.requires.syslog_drain, "The platform sends the application's logs to the service."),
            (plan.requires.route_forwarding, "The platform sends the requests of a route through the service."),
            (plan.requires.volume_mount, "The application gets volumes mounted."),
            (plan.spec.requires_app, "A binding is for an application: service keys are refused."),
            (plan.spec.rotatable, "Credentials can be rotated: a new binding can succeed an old one."),
        ] {
            if needed {
                notes.push(format!("* {note}"));
            }
        }
        let credentials = plan.credentials.and_then(|schema| fields(schema, Use::Credentials));
        if notes.is_empty() && credentials.is_none() {
            return;
        }
        self.heading(2, "What a binding gives");
        if !notes.is_empty() {
            self.add(&notes.join("\n"));
        }
        if let Some(words) = credentials {
            self.say_once(plan, words, "The same credentials as with plan");
        }
    }

    fn say_once(&mut self, plan: &'static PlanInfo, words: String, same: &str) {
        match self.said.iter().find(|(said, _)| *said == words) {
            Some((_, other)) if *other != plan.spec.name => {
                let target = anchor(&self.plan_heading(other));
                self.add(&format!("{same} [{}](#{target}).", text(other)));
            }
            _ => {
                self.add(&words);
                self.said.push((words, plan.spec.name));
            }
        }
    }

    /// Lines to try on Cloud Foundry.
    fn commands(&mut self, plan: &PlanInfo) {
        let service = shell(self.offering.name);
        let instance = shell(&format!("my-{}", self.offering.name));
        let name = shell(plan.spec.name);
        let given = |info: Option<&ParametersInfo>| {
            let example = info.and_then(example::parameters);
            example.map(|value| format!(" -c {}", shell(&value.to_string()))).unwrap_or_default()
        };
        let mut lines = vec![format!("cf create-service {service} {name} {instance}{}", given(plan.create.as_ref()))];
        if plan.update.is_some() {
            lines.push(format!("cf update-service {instance}{}", given(plan.update.as_ref())));
        }
        if plan.spec.maintenance.is_some() {
            lines.push(format!("cf upgrade-service {instance}"));
        }
        for to in self.targets(plan) {
            lines.push(format!("cf update-service {instance} -p {}", shell(to.spec.name)));
        }
        if plan.spec.bindable {
            let given = given(plan.bind.as_ref());
            if plan.requires.route_forwarding {
                lines.push(format!("cf bind-route-service apps.example.com {instance} --hostname my-app{given}"));
            } else {
                lines.push(format!("cf bind-service my-app {instance}{given}"));
                if !plan.spec.requires_app && plan.credentials.is_some() {
                    lines.push(format!("cf create-service-key {instance} my-key{given}"));
                }
            }
        }
        lines.push(format!("cf delete-service {instance}"));
        self.heading(2, "With Cloud Foundry");
        self.add(&block("sh", &lines.join("\n")));
    }

    /// The same without a platform, for whoever runs or tries the broker.
    fn without_a_platform(&mut self) {
        let Some(plan) = self.offered().next() else { return };
        let common = || json!({ "service_id": self.offering.id, "plan_id": plan.spec.id });
        let with = |mut body: Value, info: Option<&ParametersInfo>| {
            if let Some(example) = info.and_then(example::parameters) {
                body["parameters"] = example;
            }
            body
        };
        let mut create = common();
        create["organization_guid"] = "my-org".into();
        create["space_guid"] = "my-space".into();
        let instance = "$BROKER/v2/service_instances/my-instance";
        let curl = r#"curl -u "$OSB_USERNAME:$OSB_PASSWORD" -H "X-Broker-API-Version: 2.17""#;
        let mut lines = vec![
            "BROKER=http://127.0.0.1:8080".to_owned(),
            put(curl, &format!("{instance}?accepts_incomplete=true"), &with(create, plan.create.as_ref())),
        ];
        let ids = format!("service_id={}&plan_id={}", query(self.offering.id), query(plan.spec.id));
        if plan.spec.bindable {
            let url = format!("{instance}/service_bindings/my-binding?accepts_incomplete=true");
            let mut body = common();
            if plan.spec.requires_app {
                body["bind_resource"] = json!({ "app_guid": "my-app" });
            }
            lines.push(put(curl, &url, &with(body, plan.bind.as_ref())));
            lines.push(delete(curl, &format!("{instance}/service_bindings/my-binding"), &ids));
        }
        lines.push(delete(curl, instance, &ids));
        self.heading(1, "Without a platform");
        self.add(&format!("An instance of plan {}, straight from the broker:", code(plan.spec.name)));
        self.add(&block("sh", &lines.join("\n")));
    }
}

fn put(curl: &str, url: &str, body: &Value) -> String {
    let body = shell(&body.to_string());
    format!("{curl} \\\n  -X PUT \"{url}\" \\\n  -H \"Content-Type: application/json\" -d {body}")
}

fn delete(curl: &str, url: &str, ids: &str) -> String {
    format!("{curl} \\\n  -X DELETE \"{url}?accepts_incomplete=true&{ids}\"")
}

/// A value in a URL's query, also inside the double quotes of a shell.
fn query(value: &str) -> String {
    let keep = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~');
    value.bytes().map(|b| if keep(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

fn plan_row(plan: &PlanInfo, heading: &str) -> [String; 4] {
    let spec = &plan.spec;
    let price = match (spec.costs, spec.free) {
        ([], true) => "free".to_owned(),
        ([], false) => "not free".to_owned(),
        (costs, _) => costs.iter().map(|cost| text(cost)).collect::<Vec<_>>().join("; "),
    };
    let bindings = match (spec.bindable, spec.requires_app) {
        (false, _) => "no",
        (true, false) => "yes",
        (true, true) => "for applications only",
    };
    let link = format!("[{}](#{})", code(spec.name), anchor(heading));
    [link, text(spec.description), price, bindings.to_owned()]
}
