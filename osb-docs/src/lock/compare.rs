//! Compares two locks: the services, their properties, and their plans.

use std::collections::BTreeMap;

use super::{
    ChangeKind, Difference, Differences,
    plan::compare_plans,
    schema::compare_members,
    tree::{Lock, Scope, id, is_set, list, members, name},
};
use osb_runtime::json::{Json, Members};

impl Lock {
    /// Returns the changes from this lock to `now`.
    #[must_use]
    pub fn compare(&self, now: &Self) -> Differences {
        let mut comparison = LockComparison { old: self, new: now, found: Vec::new() };
        comparison.catalog();
        Differences::new(comparison.found)
    }

    /// Adds the ids of `before` that this lock no longer has, so that they are never given a new meaning.
    #[must_use]
    pub fn following(mut self, before: &Self) -> Self {
        let gone = before.gone().chain(before.ids()).filter(|(id, _)| self.ids().all(|(own, _)| own != *id));
        let gone: BTreeMap<_, _> = gone.collect();
        if !gone.is_empty() {
            self.0["gone"] = gone.into_iter().map(|(id, what)| (id, what.into())).collect::<Members>().into();
        }
        self
    }

    /// Returns the ids that were removed in earlier releases, each with a description. They must never be reused.
    fn gone(&self) -> impl Iterator<Item = (String, String)> {
        members(&self.0, "gone").map(|(id, what)| (id.to_owned(), what.as_str().unwrap_or_default().to_owned()))
    }

    /// Returns all ids in use, each with a description of its service or plan.
    fn ids(&self) -> impl Iterator<Item = (String, String)> {
        self.services().iter().flat_map(|service| {
            let plans = list(service, "plans").iter();
            let plans = plans.map(|plan| (id(plan).to_owned(), format!("plan {} of {}", name(plan), name(service))));
            plans.chain([(id(service).to_owned(), format!("service {}", name(service)))])
        })
    }

    /// Describes the service or plan that has the id, or once had it.
    fn meaning(&self, id: &str) -> Option<String> {
        self.ids().chain(self.gone()).find(|(own, _)| own == id).map(|(_, what)| what)
    }
}

struct LockComparison<'a> {
    old: &'a Lock,
    new: &'a Lock,
    found: Vec<Difference>,
}

impl LockComparison<'_> {
    fn catalog(&mut self) {
        let (old, new) = (self.old.services(), self.new.services());
        for was in old {
            if let Some(is) = new.iter().find(|is| id(is) == id(was)) {
                self.service(was, is);
                continue;
            }
            if let Some(is) = new.iter().find(|is| name(is) == name(was) && self.old.meaning(id(is)).is_none()) {
                self.about(was, ChangeKind::ServiceIdChanged, id(was), id(is));
                self.service(was, is);
            } else if list(was, "plans").iter().all(|plan| is_set(plan, "retired")) {
                self.about(was, ChangeKind::RetiredServiceRemoved, "", "");
            } else {
                self.about(was, ChangeKind::ServiceRemoved, "", "");
            }
        }
        for is in new.iter().filter(|is| old.iter().all(|was| id(was) != id(is))) {
            let namesake = old.iter().find(|was| name(was) == name(is));
            match (self.old.meaning(id(is)), namesake) {
                (Some(was), _) => self.about(is, ChangeKind::IdReused, &was, &format!("service {}", name(is))),
                // Reported above as a changed id, together with the other changes of the service.
                (None, Some(was)) if new.iter().all(|other| id(other) != id(was)) => continue,
                (None, Some(was)) => self.about(is, ChangeKind::NameReused, id(was), id(is)),
                (None, None) => self.about(is, ChangeKind::ServiceAdded, "", ""),
            }
            for plan in list(is, "plans") {
                if let Some(was) = self.reused(plan) {
                    self.push(of_plan(is, plan, ChangeKind::IdReused, &was, &format!("plan {}", name(plan))));
                }
            }
        }
    }

    fn service(&mut self, was: &Json, is: &Json) {
        if name(was) != name(is) {
            if self.old.services().iter().any(|other| name(other) == name(is)) {
                let [was_named, is_named] = [was, is].map(|service| format!("service {}", name(service)));
                return self.about(was, ChangeKind::IdReused, &was_named, &is_named);
            }
            self.about(was, ChangeKind::ServiceRenamed, name(was), name(is));
        }
        for one in compare_members(Scope::Service, was, is) {
            self.about(was, one.change, &one.was, &one.is);
        }
        self.plans(was, is);
    }

    fn plans(&mut self, was: &Json, is: &Json) {
        let moved =
            |plan: &Json| self.new.services().iter().find(|to| list(to, "plans").iter().any(|one| id(one) == id(plan)));
        let (old, new) = (list(was, "plans"), list(is, "plans"));
        let mut found = Vec::new();
        for plan in old {
            if let Some(now) = new.iter().find(|now| id(now) == id(plan)) {
                found.extend(compare_plans((was, plan), (is, now)));
            } else if let Some(to) = moved(plan) {
                found.push(of_plan(was, plan, ChangeKind::PlanMoved, "", &format!("in {}", name(to))));
            } else if let Some(now) = self.renumbered(plan, new) {
                found.push(of_plan(was, plan, ChangeKind::PlanIdChanged, id(plan), id(now)));
                found.extend(compare_plans((was, plan), (is, now)));
            } else {
                let change =
                    if is_set(plan, "retired") { ChangeKind::RetiredPlanRemoved } else { ChangeKind::PlanRemoved };
                found.push(of_plan(was, plan, change, "", ""));
            }
        }
        for plan in new.iter().filter(|plan| old.iter().all(|before| id(before) != id(plan))) {
            let numbered_anew = || old.iter().any(|before| self.renumbered(before, new) == Some(plan));
            let still_there =
                |before: &&Json| name(before) == name(plan) && new.iter().any(|now| id(now) == id(before));
            if let Some(before) = self.reused(plan) {
                found.push(of_plan(is, plan, ChangeKind::IdReused, &before, &format!("plan {}", name(plan))));
            } else if let Some(before) = old.iter().find(still_there) {
                found.push(of_plan(is, plan, ChangeKind::NameReused, id(before), id(plan)));
            } else if self.old.meaning(id(plan)).is_none() && !numbered_anew() {
                found.push(of_plan(is, plan, ChangeKind::PlanAdded, "", ""));
            }
        }
        for one in found {
            self.push(one);
        }
    }

    /// Describes the former owner of a new plan's id: a service, or a plan of an earlier release. A plan that moved here
    /// from another service is reported at that service.
    fn reused(&self, plan: &Json) -> Option<String> {
        let was_a_plan =
            self.old.services().iter().any(|service| list(service, "plans").iter().any(|one| id(one) == id(plan)));
        self.old.meaning(id(plan)).filter(|_| !was_a_plan)
    }

    /// Finds the plan that replaces `was` under the same name with a new id. `was` was not retired, and its id is gone.
    fn renumbered<'p>(&self, was: &Json, new: &'p [Json]) -> Option<&'p Json> {
        let gone = !is_set(was, "retired") && new.iter().all(|plan| id(plan) != id(was));
        new.iter().find(|plan| gone && name(plan) == name(was) && self.old.meaning(id(plan)).is_none())
    }

    fn about(&mut self, service: &Json, change: ChangeKind, was: &str, is: &str) {
        self.found.push(of_service(service, change, was, is));
    }

    /// Adds a difference, or merges it with an equal one of another plan.
    fn push(&mut self, one: Difference) {
        let same = |other: &&mut Difference| {
            !other.plans.is_empty() && Difference { plans: one.plans.clone(), ..(**other).clone() } == one
        };
        match self.found.iter_mut().find(same) {
            Some(other) => other.plans.extend(one.plans),
            None => self.found.push(one),
        }
    }
}

fn of_service(service: &Json, change: ChangeKind, was: &str, is: &str) -> Difference {
    Difference {
        change,
        service: name(service).to_owned(),
        plans: Vec::new(),
        schemas: Vec::new(),
        pointer: String::new(),
        was: was.to_owned(),
        is: is.to_owned(),
    }
}

pub(super) fn of_plan(service: &Json, plan: &Json, change: ChangeKind, was: &str, is: &str) -> Difference {
    Difference { plans: vec![name(plan).to_owned()], ..of_service(service, change, was, is) }
}
