//! Validation of overrides against the offerings.

use std::fmt::Display;

use serde_json::{Map, Value};

use super::{
    Overrides, Replacement, ServiceChange, Source,
    rules::{self, ValueRule},
};
use crate::{
    catalog::{Offering, PlanInfo, check, model::DashboardClient},
    schema::nearest,
};

/// The keys of a table.
pub(super) struct TableRules {
    pub(super) what: &'static str,
    pub(super) keys: &'static [&'static str],
    pub(super) metadata: &'static [(&'static str, ValueRule)],
    /// True if `metadata` may have other members.
    pub(super) other_metadata: bool,
    /// Keys that can't be overridden, with the reason.
    pub(super) refused: &'static [(&'static str, &'static str)],
}

pub(super) const PROGRAM: &str = "it describes the behaviour of the program";
pub(super) const DERIVED: &str = "it is derived from the visible plans";

const SERVICE: TableRules = TableRules {
    what: "a service",
    keys: &["dashboard_client", "description", "metadata", "plans"],
    metadata: &[
        ("displayName", rules::short),
        ("imageUrl", rules::picture),
        ("longDescription", rules::text),
        ("providerDisplayName", rules::short),
        ("documentationUrl", rules::url),
        ("supportUrl", rules::url),
    ],
    other_metadata: false,
    refused: &[
        ("id", "platforms know a service by its id (CAT-03)"),
        ("name", "set `prefix` at the top level, which is prepended to the names of all services"),
        ("hidden", "hide its plans instead; a service whose plans are all hidden is omitted"),
        ("tags", "applications find services by their tags"),
        ("requires", PROGRAM),
        ("bindable", DERIVED),
        ("plan_updateable", DERIVED),
        ("instances_retrievable", PROGRAM),
        ("bindings_retrievable", PROGRAM),
        ("allow_context_updates", PROGRAM),
    ],
};

pub(super) const PLAN: TableRules = TableRules {
    what: "a plan",
    keys: &["description", "hidden", "metadata"],
    metadata: &[("displayName", rules::short), ("bullets", rules::bullets), ("costs", rules::costs)],
    other_metadata: false,
    refused: &[
        ("id", "platforms know a plan by its id (CAT-03)"),
        ("name", "users and their scripts know a plan by its name"),
        ("free", "platforms grant access to the plan by it, and the program defines it"),
        ("bindable", PROGRAM),
        ("binding_rotatable", PROGRAM),
        ("plan_updateable", DERIVED),
        ("schemas", "schemas are derived from the types in the program"),
        ("maximum_polling_duration", PROGRAM),
        ("maintenance_info", PROGRAM),
    ],
};

const ROOT: TableRules = TableRules {
    what: "the top level",
    keys: &["deny_warnings", "prefix", "services"],
    metadata: &[],
    other_metadata: false,
    refused: &[],
};

/// A line and a column, by which problems are listed, and the message.
pub(super) type Problem = (Option<(usize, usize)>, String);

/// Reads overrides and collects problems.
pub(super) struct Reader<'a> {
    source: &'a Source,
    pub(super) problems: Vec<Problem>,
    warnings: Vec<Problem>,
    denies_warnings: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Self { source, problems: Vec::new(), warnings: Vec::new(), denies_warnings: false }
    }

    /// Returns the problems, or else the warnings.
    pub(super) fn finish(mut self) -> Result<Vec<String>, Vec<String>> {
        if self.denies_warnings {
            self.problems.append(&mut self.warnings);
        }
        let sorted = |mut problems: Vec<Problem>| {
            problems.sort_by_key(|(position, _)| *position);
            problems.into_iter().map(|(_, text)| text).collect()
        };
        if self.problems.is_empty() { Ok(sorted(self.warnings)) } else { Err(sorted(self.problems)) }
    }

    pub(super) fn wrong(&mut self, at: &str, problem: impl Display) {
        self.problems.push(self.problem(at, problem));
    }

    pub(super) fn warn(&mut self, at: &str, warning: impl Display) {
        self.warnings.push(self.problem(at, warning));
    }

    /// Describes a problem at the position of a key or of the table around it, or at its path if no position is known.
    fn problem(&self, at: &str, text: impl Display) -> Problem {
        let mut parents = std::iter::successors(Some(at), |path| path.rsplit_once('.').map(|(parent, _)| parent));
        let position = parents.find_map(|path| self.source.positions.get(path)).copied();
        let text = match position {
            Some((line, column)) => format!("{}:{line}:{column}: {text}", self.source.file),
            None => format!("{}: {text}", if at.is_empty() { "overrides" } else { at }),
        };
        (position, text)
    }

    /// Returns the changes to each offering, in their order.
    pub(super) fn read(&mut self, values: &Value, offerings: &[&Offering]) -> Vec<ServiceChange> {
        let nothing = |offering: &&Offering| ServiceChange {
            name: None,
            own: Replacement::default(),
            client: None,
            plans: offering.plans.iter().map(|_| Replacement::default()).collect(),
            members: Vec::new(),
        };
        let mut changes: Vec<ServiceChange> = offerings.iter().map(nothing).collect();
        let nothing = Value::Object(Map::new());
        let values = if values.is_null() { &nothing } else { values };
        for (key, value) in self.table("", "overrides", values).into_iter().flatten() {
            match key.as_str() {
                "deny_warnings" => match value {
                    Value::Bool(denies) => self.denies_warnings = *denies,
                    _ => self.wrong(key, "`deny_warnings` must be true or false"),
                },
                "prefix" => self.prefix(value, offerings, &mut changes),
                "services" => self.services(value, offerings, &mut changes),
                key => self.unknown(key, ROOT.what, key, ROOT.keys, ROOT.refused),
            }
        }
        self.check_members(offerings, &changes);
        self.check_clients(offerings, &changes);
        let hidden = |(plan, change): (&PlanInfo, &Replacement)| plan.spec.retired || change.hidden;
        let is_empty = |(offering, change): (&&Offering, &ServiceChange)| {
            offering.plans.iter().zip(&change.plans).all(hidden) && change.members.iter().all(|plan| plan.spec.retired)
        };
        let all = || offerings.iter().zip(&changes);
        // `EffectiveCatalog::json` reports services without plans.
        let has_plans = all().any(|(offering, change)| !offering.plans.is_empty() || !change.members.is_empty());
        if has_plans && all().all(is_empty) {
            self.wrong(
                "services",
                "all plans are hidden, but Cloud Foundry rejects an empty catalog; show one of them",
            );
        }
        changes
    }

    fn prefix(&mut self, value: &Value, offerings: &[&Offering], changes: &mut [ServiceChange]) {
        let at = "prefix";
        let Some(prefix) = rules::string(self, at, value) else { return };
        if !rules::can_be_stored(self, at, "service name", prefix, "write a shorter prefix") {
            return;
        }
        rules::can_be_typed(self, at, "service name", prefix);
        // Different names stay different with the same prefix (CAT-10).
        for (offering, change) in offerings.iter().zip(changes) {
            let name = format!("{prefix}{}", offering.name);
            if !rules::can_be_stored(self, at, "service name", &name, "write a shorter prefix") {
                return;
            }
            change.name = Some(name);
        }
    }

    fn services(&mut self, value: &Value, offerings: &[&Offering], changes: &mut [ServiceChange]) {
        let names: Vec<_> = offerings.iter().map(|offering| (offering.name, offering.id)).collect();
        for (at, i, table) in self.named("services", value, "service", "", &names, None) {
            self.entry(&at, table, &SERVICE, &mut changes[i].own);
            if let Some(client) = table.get("dashboard_client") {
                changes[i].client = self.client(&Overrides::path(&at, "dashboard_client"), client, offerings[i]);
            }
            if let Some(plans) = table.get("plans") {
                self.plans(&Overrides::path(&at, "plans"), plans, offerings[i], &mut changes[i]);
            }
        }
    }

    fn client(&mut self, at: &str, value: &Value, offering: &Offering) -> Option<DashboardClient> {
        let table = self.table(at, "dashboard_client", value)?;
        let Some(mut client) = offering.dashboard_client else {
            self.wrong(at, format_args!("service {:?} has no dashboard client in the program", offering.name));
            return None;
        };
        let secret = "it is the value of the environment variable that the program names";
        let refused = [("secret", secret), ("secret_env", PROGRAM)];
        for (key, value) in table {
            let at = Overrides::path(at, key);
            match key.as_str() {
                "id" => {
                    let what = "dashboard client id";
                    if let Some(id) = rules::string(self, &at, value)
                        && rules::can_be_stored(self, &at, what, id, "write a shorter one")
                    {
                        client.id = id.to_owned().leak();
                    }
                }
                "redirect_uri" => {
                    if let Some(uri) = rules::redirect_uri(self, &at, value) {
                        client.redirect_uri = uri.leak();
                    }
                }
                key => self.unknown(&at, "`dashboard_client`", key, &["id", "redirect_uri"], &refused),
            }
        }
        Some(client)
    }

    fn check_clients(&mut self, offerings: &[&Offering], changes: &[ServiceChange]) {
        let all = || offerings.iter().zip(changes).enumerate();
        for (i, (offering, change)) in all().filter(|(_, (_, change))| change.client.is_some()) {
            // Two such clients are reported once.
            for (_, (other, by)) in all().filter(|(j, (_, other))| i != *j && (i < *j || other.client.is_none())) {
                let theirs = by.client.or(other.dashboard_client);
                if let Some(message) = check::client_conflict(offering.name, change.client, other.name, theirs) {
                    self.wrong(&self.service_path(offering, "dashboard_client.id"), message.get());
                }
            }
        }
    }

    /// Returns the path of a key of a service, which is listed by its name or by its id.
    pub(super) fn service_path(&self, offering: &Offering, key: &str) -> String {
        let path = |service: &str| format!("services.{service}.{key}");
        let by_id = path(offering.id);
        if self.source.positions.contains_key(&by_id) { by_id } else { path(offering.name) }
    }

    fn plans(&mut self, at: &str, value: &Value, offering: &Offering, change: &mut ServiceChange) {
        let Some(tables) = self.table(at, "plans", value) else { return };
        let (mut members, plans): (Vec<_>, Vec<_>) =
            tables.iter().partition(|(_, table)| table.get("family").is_some());
        // Marketplaces show plans in the order of the catalog.
        members.sort_by_key(|(name, _)| self.source.positions.get(&Overrides::path(at, name)));
        for (name, table) in members {
            change.members.extend(self.member(&Overrides::path(at, name), name, table, offering));
        }
        let plans = plans.into_iter().map(|(name, table)| (name.clone(), table.clone())).collect();
        let names: Vec<_> = offering.plans.iter().map(|plan| (plan.spec.name, plan.spec.id)).collect();
        let of = format!(" of service {:?}", offering.name);
        let families = (!offering.families.is_empty()).then(|| {
            let families = list(offering.families.iter().map(|family| family.spec.name));
            format!("; a plan of a family names it, `family = \"...\"`; the families are {families}")
        });
        let changes = &mut change.plans;
        for (at, i, table) in self.named(at, &plans, "plan", &of, &names, families.as_deref()) {
            self.entry(&at, table, &PLAN, &mut changes[i]);
            let (plan, metadata) = (&offering.plans[i].spec, Overrides::path(&at, "metadata"));
            if plan.retired && table.get("hidden") == Some(&Value::Bool(false)) {
                let problem = format_args!("plan {:?} is retired in the program and can't be shown", plan.name);
                self.wrong(&Overrides::path(&at, "hidden"), problem);
            }
            if plan.free && changes[i].metadata.get("costs").is_some_and(|costs| *costs != Value::Array(Vec::new())) {
                self.warn(
                    &Overrides::path(&metadata, "costs"),
                    "the plan has costs but the program says that it is free, so platforms take it to cost nothing \
                     (CAT-34)",
                );
            }
        }
    }

    /// Returns the tables of services or plans: the path and content of each, and the index of its service or plan.
    fn named<'v>(
        &mut self,
        at: &str,
        value: &'v Value,
        what: &str,
        of: &str,
        names: &[(&str, &str)],
        otherwise: Option<&str>,
    ) -> Vec<(String, usize, &'v Map<String, Value>)> {
        let mut found: Vec<(String, usize, &Map<String, Value>)> = Vec::new();
        for (key, value) in self.table(at, &format!("{what}s"), value).into_iter().flatten() {
            let at = Overrides::path(at, key);
            let Some(i) = names.iter().position(|(name, id)| key == name || key == id) else {
                let names = || names.iter().map(|(name, _)| *name);
                let one_of = || format!("; it has to be one of {}", list(names()));
                let help = or_nearest(key, names(), || otherwise.map_or_else(one_of, str::to_owned));
                self.wrong(&at, format_args!("there is no {what} `{key}`{of}{help}"));
                continue;
            };
            if found.iter().any(|(_, other, _)| *other == i) {
                let name = names[i].0;
                self.wrong(&at, format_args!("{what} `{name}`{of} is listed by name and by id; remove one of them"));
            } else if let Some(table) = self.table(&at, key, value) {
                found.push((at, i, table));
            }
        }
        found
    }

    /// Reads the keys that services and plans have in common.
    pub(super) fn entry(&mut self, at: &str, table: &Map<String, Value>, kind: &TableRules, change: &mut Replacement) {
        for (key, value) in table {
            let at = Overrides::path(at, key);
            match key.as_str() {
                key if kind.metadata.iter().any(|(name, _)| *name == key) => {
                    self.wrong(&at, format_args!("`{key}` belongs in `metadata`"));
                }
                key if !kind.keys.contains(&key) => self.unknown(&at, kind.what, key, kind.keys, kind.refused),
                "description" => change.description = rules::description(self, &at, value),
                "hidden" => match value {
                    Value::Bool(hidden) => change.hidden = *hidden,
                    _ => self.wrong(&at, "`hidden` must be true or false"),
                },
                "metadata" => self.metadata(&at, value, kind, &mut change.metadata),
                // `services` reads `plans`.
                _ => {}
            }
        }
    }

    fn metadata(&mut self, at: &str, value: &Value, kind: &TableRules, metadata: &mut Map<String, Value>) {
        for (key, value) in self.table(at, "metadata", value).into_iter().flatten() {
            let at = Overrides::path(at, key);
            match kind.metadata.iter().find(|(name, _)| name == key) {
                Some((_, rule)) => {
                    if let Some(value) = rule(self, &at, value) {
                        metadata.insert(key.clone(), value);
                    }
                }
                None => {
                    let known: Vec<&str> = kind.metadata.iter().map(|(name, _)| *name).collect();
                    let what = format!("`metadata` of {}", kind.what);
                    let refused = [("description", "it belongs beside `metadata`"), ("shareable", PROGRAM)];
                    let names = refused.iter().map(|(name, _)| *name).chain(known.iter().copied());
                    if kind.other_metadata && nearest(key, names).is_none() {
                        metadata.extend(rules::json(self, &at, value).map(|value| (key.clone(), value)));
                        continue;
                    }
                    self.unknown(&at, &what, key, &known, &refused);
                }
            }
        }
    }

    /// Returns the table with this key. A key may have points itself, such as the name of a plan.
    pub(super) fn table<'v>(&mut self, at: &str, key: &str, value: &'v Value) -> Option<&'v Map<String, Value>> {
        if !value.is_object() {
            self.wrong(at, format_args!("`{key}` must be a table"));
        }
        value.as_object()
    }

    pub(super) fn unknown(&mut self, at: &str, what: &str, key: &str, known: &[&str], refused: &[(&str, &str)]) {
        if let Some((_, why)) = refused.iter().find(|(name, _)| *name == key) {
            return self.wrong(at, format_args!("`{key}` of {what} can't be overridden: {why}"));
        }
        let names = || known.iter().copied();
        let help = or_nearest(key, names(), || format!("; the keys are {}", list(names())));
        self.wrong(at, format_args!("{what} has no key `{key}`{help}"));
    }
}

/// Returns the end of a message about an unknown name: the known one that is most similar, or else `otherwise`.
pub(super) fn or_nearest<'a>(
    name: &str,
    known: impl Iterator<Item = &'a str>,
    otherwise: impl FnOnce() -> String,
) -> String {
    nearest(name, known).map_or_else(otherwise, |near| format!("; did you mean `{near}`?"))
}

pub(super) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
