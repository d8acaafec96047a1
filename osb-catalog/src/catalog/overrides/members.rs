//! The plans of families: they go through the rules that the compiler applies to other plans.

use serde_json::{Map, Value};

use super::{
    Overrides, Replacement, ServiceChange,
    apply::{changed_plan, patch},
    read::{DERIVED, PLAN, PROGRAM, Reader, TableRules, list, or_nearest},
    rules,
};
use crate::{
    catalog::{
        Hashes, Member, Offering, ParametersInfo, PlanInfo, PlanJson,
        check::{self, names_alike},
    },
    json::{Json, Members},
    schema::{
        self, Decimal, Limit, Narrowed, Narrowing, NoParameters, Rule, Schema, document, misplaced, narrow_at_start,
        pair, same_property, too_large, wider,
    },
    text::same,
};

const MEMBER: TableRules = TableRules {
    what: "a plan of a family",
    keys: &["family", "id", "description", "free", "hidden", "metadata", "values", "narrow"],
    metadata: PLAN.metadata,
    other_metadata: true,
    refused: &[
        ("name", "the name is the key of the table"),
        ("bindable", PROGRAM),
        ("binding_rotatable", PROGRAM),
        ("plan_updateable", DERIVED),
        ("schemas", "schemas are derived from the types in the program; `narrow` narrows their bounds"),
        ("maximum_polling_duration", PROGRAM),
        ("maintenance_info", PROGRAM),
    ],
};

const BOUNDS: &[&str] = &["min", "max", "exclusive_min", "exclusive_max", "multiple_of", "one_of"];

impl Reader<'_> {
    /// Reads a plan of a family. Nothing comes of it if there are problems; then it serves to find more of them.
    pub(super) fn member(&mut self, at: &str, name: &str, table: &Value, offering: &Offering) -> Option<PlanInfo> {
        let table = self.table(at, name, table)?;
        let mut change = Replacement::default();
        self.entry(at, table, &MEMBER, &mut change);
        rules::plan_name(self, at, name);
        let id = match table.get("id") {
            Some(id) => rules::plan_id(self, &Overrides::path(at, "id"), id),
            None => {
                let why = "write `id = \"...\"` with a GUID (`uuidgen` makes one), and never change it";
                self.wrong(at, format_args!("plan `{name}` has no `id`; {why}: platforms know it by its id"));
                None
            }
        };
        let family = self.family(&Overrides::path(at, "family"), table.get("family")?, offering)?;
        let free = match table.get("free") {
            Some(Value::Bool(free)) => *free,
            Some(_) => {
                self.wrong(&Overrides::path(at, "free"), "`free` must be true or false");
                true
            }
            None => family.spec.free,
        };
        let values = self.values(&Overrides::path(at, "values"), table.get("values"), family)?;
        let narrowings = self.narrowed(&Overrides::path(at, "narrow"), table.get("narrow"), name, family);
        let (id, name): (&str, &str) = (id?.leak(), name.to_owned().leak());

        let change: &Replacement = Box::leak(Box::new(change));
        let mut plan = changed_plan(family, change);
        if free && !plan.spec.costs.is_empty() {
            let problem =
                "the plan has costs but does not say `free = false`, so platforms take it to cost nothing (CAT-34)";
            self.warn(&Overrides::path(&Overrides::path(at, "metadata"), "costs"), problem);
        }
        (plan.spec.id, plan.spec.name, plan.spec.free) = (id, name, free);
        plan.spec.hashes = Hashes::of(id, name);
        plan.spec.json = PlanJson { head: head(&plan, family, change), ..family.spec.json };
        if let (Some(narrowings), Some(create)) = (narrowings, plan.create) {
            let of_update = Narrowed::Update(create.schema);
            plan.create = Some(self.bounded(at, &create, narrowings, Narrowed::Create, name));
            plan.update = plan.update.map(|update| self.bounded(at, &update, narrowings, of_update, name));
        }
        Some(PlanInfo { family: None, member: Some(Member { family: family.spec.id, values }), ..plan })
    }

    fn family(&mut self, at: &str, value: &Value, offering: &Offering) -> Option<&'static PlanInfo> {
        let name = rules::string(self, at, value)?;
        let found = offering.families.iter().find(|family| family.spec.name == name);
        if found.is_none() {
            let names = || offering.families.iter().map(|family| family.spec.name);
            let help = or_nearest(name, names(), || match names().next() {
                Some(_) => format!("; it has to be one of {}", list(names())),
                None => "; the plans of this service are in the program".to_owned(),
            });
            self.wrong(at, format_args!("service {:?} has no family `{name}`{help}", offering.name));
        }
        found
    }

    /// Decodes the values of the plan.
    fn values(
        &mut self,
        at: &str,
        value: Option<&Value>,
        family: &PlanInfo,
    ) -> Option<&'static (dyn std::any::Any + Send + Sync)> {
        let values = family.family?;
        let nothing = Value::Object(Map::new());
        let value = value.unwrap_or(&nothing);
        if self.table(at, "values", value).is_some() {
            match (values.decode)(values.schema, value) {
                Ok(values) => return Some(Box::leak(values)),
                Err(violations) => {
                    for wrong in violations {
                        let path = wrong.dotted();
                        let path = path.trim_start_matches('.');
                        let (place, name) = match path {
                            "" => (at.to_owned(), "values"),
                            path => (Overrides::path(at, path), path),
                        };
                        let of = family.spec.name;
                        self.wrong(&place, format_args!("`{name}` of family `{of}`: {}", wrong.message));
                    }
                }
            }
        }
        Some(&NoParameters {})
    }

    /// Reads narrower bounds, and checks them against the parameters of the family.
    fn narrowed(
        &mut self,
        at: &str,
        value: Option<&Value>,
        plan: &str,
        family: &PlanInfo,
    ) -> Option<&'static [Narrowing]> {
        let table = self.table(at, "narrow", value?)?;
        let Some(create) = &family.create else {
            let problem = "`narrow` is about the parameters of `create`, which the family does not have; remove it";
            self.wrong(at, problem);
            return None;
        };
        let mut narrowings: Vec<Narrowing> = Vec::new();
        for (property, bounds) in table {
            let at = Overrides::path(at, property);
            let (keys, rules): (Vec<_>, Vec<_>) = self.bounds(&at, property, bounds).into_iter().unzip();
            let folded = |name: &str| name.replace(['_', '-'], "").to_lowercase();
            let is_same = |one: &&Narrowing| {
                folded(one.property) == folded(property) || same_property(create.schema, one.property, property)
            };
            if let Some(earlier) = narrowings.iter().find(is_same) {
                let (one, other) = (earlier.property, property);
                self.wrong(
                    &at,
                    format_args!("`{one}` and `{other}` are the same property; write all bounds in one table"),
                );
            }
            let narrowing = Narrowing { property: property.clone().leak(), rules: rules.leak() };
            if self.is_narrower(&at, create.schema, &narrowing, &keys) {
                self.check_narrowing(&at, plan, create.schema, &narrowing);
                narrowings.push(narrowing);
            }
        }
        Some(narrowings.leak())
    }

    /// Returns whether the bounds of a property are within those of its type; `keys` are those of the bounds.
    fn is_narrower(&mut self, at: &str, create: &Schema, narrowing: &Narrowing, keys: &[&str]) -> bool {
        let before = self.problems.len();
        for (i, key) in keys.iter().enumerate() {
            if let Some(message) = wider(create, narrowing, i) {
                self.wrong(&Overrides::path(at, key), message.get());
            }
        }
        self.problems.len() == before
    }

    /// Checks that the parameters have the property, and that its bounds leave a value, and the default.
    fn check_narrowing(&mut self, at: &str, plan: &str, create: &Schema, narrowing: &Narrowing) {
        let narrower = narrow_at_start(create, &[*narrowing], Narrowed::Create);
        if let Some(message) = misplaced(plan, create, narrower, narrowing) {
            self.wrong(at, message.get());
        } else if let Some((own, narrower)) = pair(create, narrower, narrowing.property) {
            self.default_fits(at, narrowing.property, own, narrower);
        }
    }

    fn default_fits(&mut self, at: &str, property: &str, own: &Schema, narrower: &Schema) {
        let Some(default) = own.default else { return };
        for wrong in schema::check(narrower, &Value::from(&default)) {
            self.wrong(at, format_args!("`narrow` excludes the default of `{property}`: {}", wrong.message));
        }
    }

    /// Reads the bounds of a property, each with its key.
    fn bounds(&mut self, at: &str, property: &str, value: &Value) -> Vec<(&'static str, Rule)> {
        let before = self.problems.len();
        let mut rules: Vec<(&'static str, Rule)> = Vec::new();
        for (key, value) in self.table(at, property, value).into_iter().flatten() {
            let at = Overrides::path(at, key);
            let Some(key) = BOUNDS.iter().copied().find(|known| known == key) else {
                self.unknown(&at, "a property in `narrow`", key, BOUNDS, &[]);
                continue;
            };
            if key == "one_of" {
                let whole = |value: &Value| value.as_number().and_then(schema::whole);
                match value.as_array().and_then(|values| values.iter().map(whole).collect::<Option<Vec<_>>>()) {
                    Some(values) if !values.is_empty() => rules.push((key, Rule::OneOf(values.leak()))),
                    _ => self.wrong(&at, "`one_of` must be a list of whole numbers, such as `[1, 3]`"),
                }
                continue;
            }
            let Value::Number(number) = value else {
                self.wrong(&at, format_args!("`{key}` must be a number"));
                continue;
            };
            let text: &str = number.to_string().leak();
            let limit = match (schema::whole(number), number.as_f64()) {
                (Some(whole), _) => Limit::integer(whole, text),
                (None, value) => Limit::decimal(Decimal { value: value.unwrap_or_default(), text }),
            };
            let (other, rule) = match key {
                "min" => ("exclusive_min", Rule::Minimum(limit, false)),
                "exclusive_min" => ("min", Rule::Minimum(limit, true)),
                "max" => ("exclusive_max", Rule::Maximum(limit, false)),
                "exclusive_max" => ("max", Rule::Maximum(limit, true)),
                _ => ("", Rule::MultipleOf(limit)),
            };
            if rules.iter().any(|(key, _)| *key == other) {
                self.wrong(&at, format_args!("`{key}` and `{other}` exclude each other"));
            }
            rules.push((key, rule));
        }
        if rules.len() > 1 && rules.iter().any(|(key, _)| *key == "one_of") {
            self.wrong(at, "`one_of` lists all values; leave out the other bounds, and list the values that fit");
        }
        if rules.is_empty() && self.problems.len() == before {
            self.wrong(at, format_args!("`{property}` has no bounds; write `{property} = {{ max = .. }}`"));
        }
        rules
    }

    /// Returns parameters with narrower bounds.
    fn bounded(
        &mut self,
        at: &str,
        info: &ParametersInfo,
        narrowings: &[Narrowing],
        of: Narrowed<'_>,
        plan: &str,
    ) -> ParametersInfo {
        let schema = narrow_at_start(info.schema, narrowings, of);
        // The document of a foreign type is put together later.
        let json: &[u8] = if info.json.is_empty() { b"" } else { document(schema).leak().as_bytes() };
        if let Some(message) = too_large(json, plan) {
            self.wrong(&Overrides::path(at, "narrow"), message.get());
        }
        ParametersInfo { schema, json, ..*info }
    }

    /// Checks ids and names across the plans of all services.
    pub(super) fn check_members(&mut self, offerings: &[&Offering], changes: &[ServiceChange]) {
        for (i, (offering, change)) in offerings.iter().zip(changes).enumerate() {
            let mut earlier = offering.plans.to_vec();
            for member in &change.members {
                let at = self.service_path(offering, &format!("plans.{}", member.spec.name));
                let id = Overrides::path(&at, "id");
                for other in &earlier {
                    if let Some(message) = check::not_distinct(offering.name, member, std::slice::from_ref(other)) {
                        let same_id = other.spec.hashes.id == member.spec.hashes.id;
                        self.wrong(if same_id { &id } else { &at }, message.get());
                    }
                }
                if names_alike(member, &earlier) {
                    let advice = "which Cloud Foundry on MySQL treats as the same name (CAT-31); rename one of them";
                    self.warn(&at, format_args!("another plan's name differs from this one only in case, {advice}"));
                }
                for (j, (other, change)) in offerings.iter().zip(changes).enumerate() {
                    // Two such plans are reported once.
                    let listed = if j < i { &*change.members } else { &[] };
                    for plans in [other.plans, listed].into_iter().filter(|_| i != j) {
                        if let Some(message) = check::plan_id_conflict(offering.name, member, other.name, plans) {
                            self.wrong(&id, message.get());
                        }
                    }
                }
                if offerings.iter().any(|offering| same(offering.id, member.spec.id)) {
                    let advice = "which platforms allow but people confuse; give one of them a new GUID";
                    self.warn(&id, format_args!("a service and this plan have the same id, {advice}"));
                }
                earlier.push(*member);
            }
        }
    }
}

/// Returns the first part of the plan's JSON: that of the family with the values of the plan.
fn head(plan: &PlanInfo, family: &PlanInfo, change: &Replacement) -> &'static str {
    let mut json =
        Json::read(format!("{}}}", family.spec.json.head).as_bytes()).unwrap_or_else(|_| Members::default().into());
    patch(&mut json, change);
    json["id"] = plan.spec.id.into();
    json["name"] = plan.spec.name.into();
    json["free"] = plan.spec.free.into();
    let mut head = json.to_string();
    head.pop();
    head.leak()
}
