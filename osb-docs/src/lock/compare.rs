//! Compares two locks: the services, their properties, and their plans.

use super::{
    ChangeKind, Difference, Differences,
    members::{Plan, Service},
    plan::compare as compare_plans,
    tree::Lock,
};

impl Lock {
    /// Returns the changes from this lock to `now`.
    #[must_use]
    pub fn compare(&self, now: &Self) -> Differences {
        let mut comparison = Comparison { old: self, new: now, found: Vec::new() };
        comparison.catalog();
        Differences::new(comparison.found)
    }

    /// Adds the ids of `before` that this lock no longer has, so that they are never given a new meaning.
    #[must_use]
    pub fn following(mut self, before: &Self) -> Self {
        let gone = before.gone.clone().into_iter().chain(before.ids());
        self.gone = gone.filter(|(id, _)| self.ids().all(|(own, _)| own != *id)).collect();
        self
    }

    /// Returns all ids in use, each with a description of its service or plan.
    fn ids(&self) -> impl Iterator<Item = (String, String)> {
        self.services.iter().flat_map(|service| {
            let plans = service.plans.iter();
            let plans = plans.map(|plan| (plan.id.clone(), format!("plan {} of {}", plan.name, service.name)));
            plans.chain([(service.id.clone(), format!("service {}", service.name))])
        })
    }

    /// Describes the service or plan that has the id, or once had it.
    fn meaning(&self, id: &str) -> Option<String> {
        let gone = self.gone.iter().map(|(id, what)| (id.clone(), what.clone()));
        self.ids().chain(gone).find(|(own, _)| own == id).map(|(_, what)| what)
    }
}

struct Comparison<'a> {
    old: &'a Lock,
    new: &'a Lock,
    found: Vec<Difference>,
}

impl Comparison<'_> {
    fn catalog(&mut self) {
        let (old, new) = (&self.old.services, &self.new.services);
        for was in old {
            if let Some(is) = new.iter().find(|is| is.id == was.id) {
                self.service(was, is);
                continue;
            }
            if let Some(is) = new.iter().find(|is| is.name == was.name && self.old.meaning(&is.id).is_none()) {
                self.about(was, ChangeKind::ServiceIdChanged, &was.id, &is.id);
                self.service(was, is);
            } else if was.plans.iter().all(|plan| plan.retired) {
                self.about(was, ChangeKind::RetiredServiceRemoved, "", "");
            } else {
                self.about(was, ChangeKind::ServiceRemoved, "", "");
            }
        }
        for is in new.iter().filter(|is| old.iter().all(|was| was.id != is.id)) {
            let namesake = old.iter().find(|was| was.name == is.name);
            match (self.old.meaning(&is.id), namesake) {
                (Some(was), _) => self.about(is, ChangeKind::IdReused, &was, &format!("service {}", is.name)),
                // Reported above as a changed id, together with the other changes of the service.
                (None, Some(was)) if new.iter().all(|other| other.id != was.id) => continue,
                (None, Some(was)) => self.about(is, ChangeKind::NameReused, &was.id, &is.id),
                (None, None) => self.about(is, ChangeKind::ServiceAdded, "", ""),
            }
            for plan in &is.plans {
                if let Some(was) = self.reused(plan) {
                    self.push(of_plan(is, plan, ChangeKind::IdReused, &was, &format!("plan {}", plan.name)));
                }
            }
        }
    }

    fn service(&mut self, was: &Service, is: &Service) {
        if was.name != is.name {
            if self.old.services.iter().any(|other| other.name == is.name) {
                let [was_named, is_named] = [was, is].map(|service| format!("service {}", service.name));
                return self.about(was, ChangeKind::IdReused, &was_named, &is_named);
            }
            self.about(was, ChangeKind::ServiceRenamed, &was.name, &is.name);
        }
        for (change, before, now) in was.changes(is) {
            self.about(was, change, &before, &now);
        }
        self.plans(was, is);
    }

    fn plans(&mut self, was: &Service, is: &Service) {
        let moved = |id: &str| self.new.services.iter().find(|to| to.plans.iter().any(|plan| plan.id == id));
        let (old, new) = (&was.plans, &is.plans);
        let mut found = Vec::new();
        for plan in old {
            if let Some(now) = new.iter().find(|now| now.id == plan.id) {
                found.extend(compare_plans((was, plan), (is, now)));
            } else if let Some(to) = moved(&plan.id) {
                found.push(of_plan(was, plan, ChangeKind::PlanMoved, "", &format!("in {}", to.name)));
            } else if let Some(now) = self.renumbered(plan, new) {
                found.push(of_plan(was, plan, ChangeKind::PlanIdChanged, &plan.id, &now.id));
                found.extend(compare_plans((was, plan), (is, now)));
            } else {
                let change = if plan.retired { ChangeKind::RetiredPlanRemoved } else { ChangeKind::PlanRemoved };
                found.push(of_plan(was, plan, change, "", ""));
            }
        }
        for plan in new.iter().filter(|plan| old.iter().all(|before| before.id != plan.id)) {
            let numbered_anew = || old.iter().any(|before| self.renumbered(before, new) == Some(plan));
            let still_there = |before: &&Plan| before.name == plan.name && new.iter().any(|now| now.id == before.id);
            if let Some(before) = self.reused(plan) {
                found.push(of_plan(is, plan, ChangeKind::IdReused, &before, &format!("plan {}", plan.name)));
            } else if let Some(before) = old.iter().find(still_there) {
                found.push(of_plan(is, plan, ChangeKind::NameReused, &before.id, &plan.id));
            } else if self.old.meaning(&plan.id).is_none() && !numbered_anew() {
                found.push(of_plan(is, plan, ChangeKind::PlanAdded, "", ""));
            }
        }
        for one in found {
            self.push(one);
        }
    }

    /// Describes the former owner of a new plan's id: a service, or a plan of an earlier release. A plan that moved here
    /// from another service is reported at that service.
    fn reused(&self, plan: &Plan) -> Option<String> {
        let was_a_plan = self.old.services.iter().any(|service| service.plans.iter().any(|one| one.id == plan.id));
        self.old.meaning(&plan.id).filter(|_| !was_a_plan)
    }

    /// Finds the plan that replaces `was` under the same name with a new id. `was` was not retired, and its id is gone.
    fn renumbered<'p>(&self, was: &Plan, new: &'p [Plan]) -> Option<&'p Plan> {
        let gone = !was.retired && new.iter().all(|plan| plan.id != was.id);
        new.iter().find(|plan| gone && plan.name == was.name && self.old.meaning(&plan.id).is_none())
    }

    fn about(&mut self, service: &Service, change: ChangeKind, was: &str, is: &str) {
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

fn of_service(service: &Service, change: ChangeKind, was: &str, is: &str) -> Difference {
    Difference {
        change,
        service: service.name.clone(),
        plans: Vec::new(),
        schemas: Vec::new(),
        pointer: String::new(),
        was: was.to_owned(),
        is: is.to_owned(),
    }
}

pub(super) fn of_plan(service: &Service, plan: &Plan, change: ChangeKind, was: &str, is: &str) -> Difference {
    Difference { plans: vec![plan.name.clone()], ..of_service(service, change, was, is) }
}
