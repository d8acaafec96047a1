//! The sections about a service and its plans.

use super::{
    document::{Anchor, Block, Form, InlineText, Language, Sample, Section, SectionKind, Table, id_part, paragraphs},
    example,
    fields::{FieldUse, fields},
    published, samples, waiting,
};
use osb_runtime::{
    catalog::{Offering, ParametersInfo, PlanInfo},
    schema::Kind,
};

/// Returns the display name of the service, or else its name.
pub(super) fn title(offering: &Offering) -> &str {
    offering.display_name.unwrap_or(offering.name)
}

pub(super) fn anchor(offering: &Offering) -> Anchor {
    Anchor::of(format!("service.{}", id_part(offering.name)), title(offering))
}

/// Builds the section of a service; `alone` means that the document has no other service.
pub(super) fn service(offering: &Offering, alone: bool) -> Section {
    let mut service = Service { offering, alone, written: Vec::new() };
    let mut section = service.introduction();
    section.sections.push(service.plans());
    section.sections.extend(service.offered().map(|plan| service.plan(plan)));
    section.sections.extend(families(offering).map(|family| service.family(family)));
    section
}

/// Returns the families without plans: a deployment will list them. Those of a deployment are documented as plans.
pub(super) fn families(offering: &Offering) -> impl Iterator<Item = &'static PlanInfo> + use<> {
    let plans = offering.plans;
    let has_plans =
        move |family: &PlanInfo| plans.iter().any(|plan| plan.member.is_some_and(|of| of.family == family.spec.id));
    offering.families.iter().filter(move |family| !family.spec.retired && !has_plans(family))
}

struct Service<'a> {
    offering: &'a Offering,
    alone: bool,
    /// Blocks written so far, each with its plan, so that a plan with the same parameters can refer to them.
    written: Vec<(Vec<Block>, &'static str)>,
}

impl Service<'_> {
    fn offered(&self) -> impl Iterator<Item = &'static PlanInfo> + use<> {
        self.offering.plans.iter().filter(|plan| !plan.spec.retired)
    }

    fn introduction(&self) -> Section {
        let offering = self.offering;
        let mut section = Section::new(SectionKind::Service, anchor(offering));
        section.blocks.extend(offering.image_url.filter(|url| is_picture(url)).map(Block::Picture));
        section.say(InlineText::quote(offering.description));
        section.blocks.extend(offering.long_description.into_iter().flat_map(paragraphs).map(Block::Paragraph));
        let mut facts = vec![("Name in the marketplace", InlineText::default().code(offering.name))];
        if !offering.tags.is_empty() {
            facts.push(("Tags", InlineText::join(InlineText::codes(offering.tags.iter().copied()), ", ")));
        }
        for (label, url) in [("Documentation", offering.documentation_url), ("Support", offering.support_url)] {
            facts.extend(url.map(|url| (label, InlineText::default().web(url))));
        }
        section.blocks.push(Block::Facts(facts));
        section
    }

    fn plans(&self) -> Section {
        let id = format!("{}.plans", anchor(self.offering).id);
        let mut section = Section::new(SectionKind::Part, Anchor::of(id, "Plans"));
        let row = |plan: &PlanInfo| {
            let spec = &plan.spec;
            [self.link(spec.name), InlineText::quote(spec.description), price(plan), bindings(plan).into()]
        };
        let rows: Vec<_> = self.offered().map(row).collect();
        let table = Table::new("Plans".to_owned(), ["Plan", "Description", "Price", "Bindings"], rows);
        section.blocks.extend(table.map(Block::Table));
        let changes: Vec<_> = self.offered().filter_map(|plan| self.changes_from(plan)).collect();
        if self.offered().count() > 1 {
            if changes.is_empty() {
                section.say("The plan of an instance cannot be changed.");
            } else {
                section.say("The plan of an instance can be changed:");
                section.blocks.push(Block::List(changes));
            }
        }
        for family in families(self.offering) {
            section.say(
                InlineText::from("A deployment lists the plans of the family ")
                    .and(self.link(family.spec.name))
                    .text("."),
            );
        }
        section
    }

    /// The heading is unique in the document, as Markdown links refer to it.
    fn anchor(&self, plan: &str) -> Anchor {
        let (service, noun) = (self.offering.name, self.noun(plan));
        let short = format!("{}{} {plan}", noun[..1].to_uppercase(), &noun[1..]);
        let heading = if self.alone { short.clone() } else { format!("{service}: {noun} {plan}") };
        Anchor { id: format!("plan.{}.{}", id_part(service), id_part(plan)), heading, short }
    }

    fn noun(&self, plan: &str) -> &'static str {
        let is_family = self.offering.families.iter().any(|family| family.spec.name == plan);
        if is_family { "family" } else { "plan" }
    }

    fn link(&self, plan: &str) -> InlineText {
        InlineText::default().section(self.anchor(plan), InlineText::default().code(plan))
    }

    fn targets(&self, plan: &PlanInfo) -> Vec<&'static PlanInfo> {
        self.offered().filter(|to| self.offering.changes(plan.spec.id, to.spec.id)).collect()
    }

    fn changes_from(&self, plan: &PlanInfo) -> Option<InlineText> {
        let targets = self.targets(plan);
        let names = InlineText::either(InlineText::codes(targets.iter().map(|to| to.spec.name)));
        (!targets.is_empty()).then(|| InlineText::from("from ").code(plan.spec.name).text(" to ").and(names))
    }

    fn plan(&mut self, plan: &'static PlanInfo) -> Section {
        let spec = &plan.spec;
        let anchor = self.anchor(spec.name);
        let mut section = Section::new(SectionKind::Plan, anchor.clone());
        if let Some(name) = spec.display_name {
            section.say(InlineText::default().strong(name));
        }
        section.say(InlineText::quote(spec.description));
        if !spec.bullets.is_empty() {
            section.blocks.push(Block::List(spec.bullets.iter().map(|bullet| InlineText::quote(bullet)).collect()));
        }
        section.blocks.push(Block::Facts(self.facts(plan)));
        if let Some(words) = waiting::waiting(spec) {
            section.say(words);
        }
        let samples = |kind, part: &str, heading: &str, samples: Vec<Sample>| {
            let mut section = Section::new(kind, Anchor::of(format!("{}.{part}", anchor.id), heading));
            section.blocks.push(Block::Samples(Language::Shell, samples));
            section
        };
        let targets = self.targets(plan);
        let commands = samples::Commands::of(self.offering, plan);
        let [create, update, bind] = operations(plan);
        section.sections = [
            self.parameters(plan, create, commands.create),
            self.parameters(plan, update, commands.update),
            self.parameters(plan, bind, commands.bind),
            self.binding(plan),
            Some(samples(
                SectionKind::Part,
                "cf",
                "Cloud Foundry commands",
                samples::cloud_foundry(self.offering, plan, &targets),
            )),
            Some(samples(
                SectionKind::Aside,
                "curl",
                "Requests with curl",
                samples::curl(self.offering, plan, &targets),
            )),
        ]
        .into_iter()
        .flatten()
        .collect();
        section
    }

    /// Describes a family for those who list its plans.
    fn family(&mut self, family: &'static PlanInfo) -> Section {
        let anchor = self.anchor(family.spec.name);
        let mut section = Section::new(SectionKind::Plan, anchor.clone());
        section.say(InlineText::quote(family.spec.description));
        section.say("A deployment lists the plans of this family.");
        section.blocks.push(Block::Facts(self.facts(family)));
        let values = family.family.map(|values| fields(values.schema, FieldUse::Parameters)).unwrap_or_default();
        let mut part = |part: &str, heading: &str, blocks: Vec<Block>| {
            if !blocks.is_empty() {
                let anchor = Anchor::of(format!("{}.{part}", anchor.id), heading);
                section.sections.push(Section { blocks, ..Section::new(SectionKind::Part, anchor) });
            }
        };
        part("values", "Values that distinguish the plans", values);
        for (name, heading, info) in operations(family) {
            let blocks = info.map(|info| fields(info.schema, FieldUse::Parameters)).unwrap_or_default();
            part(name, heading, self.deduplicated(family, blocks, "parameters"));
        }
        section.sections.extend(self.binding(family));
        section
    }

    fn facts(&self, plan: &PlanInfo) -> Vec<(&'static str, InlineText)> {
        let mut facts = vec![("Price", price(plan)), ("Bindings", bindings(plan).into())];
        let targets = self.targets(plan);
        if !targets.is_empty() {
            let links = targets.iter().map(|to| self.link(to.spec.name));
            facts.push(("Can be changed to", InlineText::either(links)));
        }
        if let Some(maintenance) = &plan.spec.maintenance {
            let mut words = InlineText::default().code(maintenance.version);
            if let Some(description) = maintenance.description {
                words = words.text(". ").and(InlineText::quote(description));
            }
            facts.push(("Version", words));
        }
        facts
    }

    fn parameters(
        &mut self,
        plan: &'static PlanInfo,
        (part, heading, info): (&str, &str, Option<&ParametersInfo>),
        command: String,
    ) -> Option<Section> {
        let info = info?;
        let mut blocks = fields(info.schema, FieldUse::Parameters);
        if blocks.is_empty() {
            return None;
        }
        if let Kind::Object(object) = &info.schema.kind
            && object.properties.iter().any(|property| property.schema.nullable)
        {
            let words = InlineText::from("Omitted parameters keep their values; ").code("null");
            blocks.insert(
                0,
                Block::Paragraph(words.text(
                    " resets a value to its default, or removes it. Lists, and objects of one of several kinds, are replaced as a whole.",
                )),
            );
        }
        if let Some(example) = example::parameters(info) {
            let text = serde_json::to_string_pretty(&example).unwrap_or_default();
            blocks.push(Block::Samples(Language::Json, vec![Sample { title: "Example".to_owned(), text }]));
        }
        let mut section =
            Section::new(SectionKind::Part, Anchor::of(format!("{}.{part}", self.anchor(plan.spec.name).id), heading));
        section.blocks = self.deduplicated(plan, blocks, "parameters");
        section.blocks.push(Block::Form(Form { schema: published(info).to_string(), command }));
        Some(section)
    }

    fn binding(&mut self, plan: &'static PlanInfo) -> Option<Section> {
        if !plan.spec.bindable {
            return None;
        }
        let notes: Vec<InlineText> = [
            (plan.requires.syslog_drain, "The platform sends the application's logs to the service."),
            (plan.requires.route_forwarding, "The platform routes requests to applications through the service."),
            (plan.requires.volume_mount, "The platform mounts volumes into the application."),
            (plan.spec.requires_app, "A binding requires an application; service keys are refused."),
            (plan.spec.rotatable, "Credentials can be rotated: a new binding replaces an old one."),
        ]
        .into_iter()
        .filter(|(holds, _)| *holds)
        .map(|(_, note)| note.into())
        .collect();
        let credentials = plan.credentials.map(|schema| fields(schema, FieldUse::Credentials)).unwrap_or_default();
        if notes.is_empty() && credentials.is_empty() {
            return None;
        }
        let anchor = Anchor::of(format!("{}.credentials", self.anchor(plan.spec.name).id), "Contents of a binding");
        let mut section = Section::new(SectionKind::Part, anchor);
        if !notes.is_empty() {
            section.blocks.push(Block::List(notes));
        }
        let shown = self.deduplicated(plan, credentials.clone(), "credentials");
        let is_new = shown == credentials;
        section.blocks.extend(shown);
        if is_new && let Some(credentials) = plan.credentials.and_then(example::credentials) {
            let [vcap, files] = [
                samples::vcap_services(self.offering, plan, &credentials),
                samples::service_binding_root(self.offering, &credentials),
            ];
            section.blocks.push(Block::Samples(Language::Json, vec![vcap]));
            section.blocks.push(Block::Samples(Language::Shell, vec![files]));
        }
        Some(section)
    }

    /// Returns the blocks, or a reference to the plan or family that has the same ones.
    fn deduplicated(&mut self, plan: &'static PlanInfo, blocks: Vec<Block>, what: &str) -> Vec<Block> {
        match self.written.iter().find(|(written, _)| *written == blocks) {
            Some((_, other)) if *other != plan.spec.name && !blocks.is_empty() => {
                let same = format!("The same {what} as for {} ", self.noun(other));
                vec![Block::Paragraph(InlineText::from(same).and(self.link(other)).text("."))]
            }
            _ => {
                self.written.push((blocks.clone(), plan.spec.name));
                blocks
            }
        }
    }
}

/// Returns the operations with parameters: their parts in the document, their headings, and their parameters.
fn operations(plan: &PlanInfo) -> [(&'static str, &'static str, Option<&ParametersInfo>); 3] {
    [
        ("create", "Parameters for creating an instance", plan.create.as_ref()),
        ("update", "Parameters for updating an instance", plan.update.as_ref()),
        ("bind", "Parameters for creating a binding", plan.bind.as_ref()),
    ]
}

/// Accepts pictures in `data:` URLs only: they run no script and cause no request.
fn is_picture(url: &str) -> bool {
    let kinds = ["png", "svg+xml", "jpeg", "gif", "webp"];
    let data =
        kinds.iter().find_map(|kind| url.strip_prefix("data:image/")?.strip_prefix(kind)?.strip_prefix(";base64,"));
    data.is_some_and(|data| data.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)))
}

fn price(plan: &PlanInfo) -> InlineText {
    match (plan.spec.costs, plan.spec.free) {
        ([], true) => "free".into(),
        ([], false) => "paid".into(),
        (costs, _) => InlineText::join(costs.iter().map(|cost| InlineText::quote(cost)), "; "),
    }
}

fn bindings(plan: &PlanInfo) -> &'static str {
    match (plan.spec.bindable, plan.spec.requires_app) {
        (false, _) => "no",
        (true, false) => "yes",
        (true, true) => "for applications only",
    }
}
