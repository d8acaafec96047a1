//! The lifecycle against a model of it: what a platform may believe after any sequence of requests is what there is.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use osb_lab::{
    lab::{Lab, LabBroker, ids},
    wire::Wire,
};
use serde_json::{Value, json};

/// Random enough, and the same each time: SplitMix64.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) >> 33).expect("it has 31 bits") % sides
    }

    fn one_of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

const MOODS: &[&str] = &["succeed", "succeed", "succeed", "refuse", "fail", "fail_half_way", "panic"];

#[derive(Debug, Clone)]
struct Instance {
    plan: &'static str,
    size: usize,
    /// The bindings, with the plan that they were made under.
    bindings: BTreeMap<String, &'static str>,
}

/// The status that a handler of this mood leads to.
fn outcome(mood: &str, success: u16, refusal: u16) -> u16 {
    match mood {
        "succeed" => success,
        "refuse" => refusal,
        _ => 500,
    }
}

#[derive(Default)]
struct Model {
    instances: BTreeMap<String, Instance>,
}

impl Model {
    /// What exists besides records: an instance is a thing, and so is a binding made under the small plan.
    fn things(&self) -> BTreeSet<String> {
        let bindings = self.instances.values().flat_map(|instance| &instance.bindings);
        let keys = bindings.filter(|(_, plan)| **plan == ids::SMALL).map(|(id, _)| id.clone());
        self.instances.keys().cloned().chain(keys).collect()
    }

    fn provision(&mut self, id: &str, plan: &'static str, size: usize, mood: &str) -> u16 {
        if let Some(instance) = self.instances.get(id) {
            let same = instance.plan == plan && (plan == ids::CLOSED || (instance.size == size && mood == "succeed"));
            return if same { 200 } else { 409 };
        }
        let status = if plan == ids::CLOSED { 201 } else { outcome(mood, 201, 400) };
        if status == 201 {
            self.instances.insert(id.to_owned(), Instance { plan, size, bindings: BTreeMap::new() });
        }
        status
    }

    fn update(&mut self, id: &str, size: usize, mood: &str) -> u16 {
        let Some(instance) = self.instances.get_mut(id) else { return 404 };
        if instance.plan == ids::CLOSED {
            return 422;
        }
        if instance.size == size && mood == "succeed" {
            return 200;
        }
        let status = outcome(mood, 200, 422);
        if status == 200 {
            instance.size = size;
        }
        status
    }

    fn change_plan(&mut self, id: &str, plan: &'static str) -> u16 {
        let Some(instance) = self.instances.get_mut(id) else { return 404 };
        match (instance.plan, plan) {
            (now, plan) if now == plan => 200,
            (ids::SMALL, ids::LARGE) => {
                instance.plan = plan;
                200
            }
            _ => 422,
        }
    }

    fn bind(&mut self, id: &str, binding: &str, mood: &str) -> u16 {
        let Some(instance) = self.instances.get_mut(id) else { return 404 };
        if let Some(plan) = instance.bindings.get(binding) {
            let same = *plan == instance.plan && (*plan == ids::LARGE || mood == "succeed");
            return if same { 200 } else { 409 };
        }
        let status = match instance.plan {
            ids::SMALL => outcome(mood, 201, 400),
            ids::LARGE => 201,
            _ => 400,
        };
        if status == 201 {
            instance.bindings.insert(binding.to_owned(), instance.plan);
        }
        status
    }

    fn unbind(&mut self, id: &str, binding: &str) -> u16 {
        let found = self.instances.get_mut(id).and_then(|instance| instance.bindings.remove(binding));
        if found.is_some() { 200 } else { 410 }
    }

    fn deprovision(&mut self, id: &str) -> u16 {
        if self.instances.remove(id).is_some() { 200 } else { 410 }
    }
}

/// A body for PUT of an instance.
fn new(plan: &str, size: usize, mood: &str) -> Value {
    let parameters = if plan == ids::CLOSED { json!({}) } else { json!({ "size": size, "mood": mood }) };
    json!({
        "service_id": ids::LAB, "plan_id": plan, "organization_guid": "o", "space_guid": "s", "parameters": parameters,
    })
}

/// A body for PUT of a binding.
fn bind(plan: &str, mood: &str) -> Value {
    let parameters = if plan == ids::SMALL { json!({ "mood": mood }) } else { json!({}) };
    json!({
        "service_id": ids::LAB, "plan_id": plan, "bind_resource": { "app_guid": "app" }, "parameters": parameters,
    })
}

fn delete(path: &str) -> String {
    format!("{path}?service_id={}&plan_id={}", ids::LAB, ids::SMALL)
}

#[tokio::test]
async fn any_sequence_of_requests_is_answered_as_the_model_says() {
    for seed in 0..8 {
        let lab = Lab::default();
        let wire = Wire::serve(LabBroker { lab: lab.clone() }).await;
        let (mut dice, mut model) = (Dice(seed), Model::default());
        for step in 0..400 {
            let (id, binding) = (dice.one_of(&["i1", "i2"]), dice.one_of(&["b1", "b2", "b3"]));
            let (size, mood) = (1 + dice.below(3), dice.one_of(MOODS));
            let plan = [ids::SMALL, ids::SMALL, ids::LARGE, ids::CLOSED][dice.below(4)];
            // A binding's id belongs to one instance.
            let binding = format!("{binding}-of-{id}");
            let now = model.instances.get(id).map_or(ids::SMALL, |instance| instance.plan);
            let path = format!("/v2/service_instances/{id}");
            let bound = format!("{path}/service_bindings/{binding}");
            let (did, expected, got) = match dice.below(8) {
                0 | 1 => {
                    ("provision", model.provision(id, plan, size, mood), wire.put(&path, new(plan, size, mood)).await)
                }
                2 => {
                    let body = json!({ "service_id": ids::LAB, "parameters": { "size": size, "mood": mood } });
                    ("update", model.update(id, size, mood), wire.patch(&path, body).await)
                }
                3 => {
                    let body = json!({ "service_id": ids::LAB, "plan_id": plan });
                    ("change plan", model.change_plan(id, plan), wire.patch(&path, body).await)
                }
                4 | 5 => ("bind", model.bind(id, &binding, mood), wire.put(&bound, bind(now, mood)).await),
                6 => ("unbind", model.unbind(id, &binding), wire.delete(&delete(&bound)).await),
                _ => ("deprovision", model.deprovision(id), wire.delete(&delete(&path)).await),
            };
            let context = format!("seed {seed}, step {step}: {did} {id} {binding} {plan} {size} {mood}");
            assert_eq!(got.status, expected, "{context}: {got:?}");

            let fetched = wire.get(&path).await;
            match model.instances.get(id) {
                None => assert_eq!(fetched.status, 404, "{context}"),
                Some(instance) => {
                    assert_eq!((fetched.status, &fetched.body["plan_id"]), (200, &json!(instance.plan)), "{context}");
                    if instance.plan != ids::CLOSED {
                        assert_eq!(fetched.body["parameters"]["size"], json!(instance.size), "{context}");
                    }
                }
            }
            let known = model.instances.get(id).is_some_and(|instance| instance.bindings.contains_key(&binding));
            assert_eq!(wire.get(&bound).await.status, if known { 200 } else { 404 }, "{context}");
            let things: BTreeSet<_> =
                lab.inventory().iter().filter_map(|thing| Some(thing.split_once('=')?.0.to_owned())).collect();
            assert_eq!(things, model.things(), "{context}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_many_clients_do_at_once_everything_can_be_deleted_afterwards() {
    let lab = Lab::default();
    let wire = Arc::new(Wire::serve(LabBroker { lab: lab.clone() }).await);
    let mut clients = tokio::task::JoinSet::new();
    for seed in 0..8 {
        let wire = Arc::clone(&wire);
        clients.spawn(async move {
            let mut dice = Dice(1000 + seed);
            for _ in 0..150 {
                let (id, binding) = (dice.one_of(&["i1", "i2"]), dice.one_of(&["b1", "b2"]));
                let (size, mood) = (1 + dice.below(2), dice.one_of(&["succeed", "succeed", "refuse", "fail_half_way"]));
                let path = format!("/v2/service_instances/{id}");
                let bound = format!("{path}/service_bindings/{binding}-of-{id}");
                let (reply, allowed): (_, &[u16]) = match dice.below(6) {
                    0 | 1 => (wire.put(&path, new(ids::SMALL, size, mood)).await, &[200, 201, 400, 409, 422, 500]),
                    2 => {
                        let body = json!({ "service_id": ids::LAB, "parameters": { "size": size, "mood": mood } });
                        (wire.patch(&path, body).await, &[200, 404, 422, 500])
                    }
                    3 | 4 => (wire.put(&bound, bind(ids::SMALL, mood)).await, &[200, 201, 400, 404, 409, 422, 500]),
                    _ if dice.below(2) == 0 => (wire.delete(&delete(&bound)).await, &[200, 410, 422]),
                    _ => (wire.delete(&delete(&path)).await, &[200, 410, 422]),
                };
                assert!(allowed.contains(&reply.status), "{reply:?}");
                if reply.status == 422 && reply.description() != "Not now." {
                    assert_eq!(reply.body["error"], json!("ConcurrencyError"), "{reply:?}");
                }
            }
        });
    }
    clients.join_all().await;
    for id in ["i1", "i2"] {
        let path = format!("/v2/service_instances/{id}");
        assert!([200, 410].contains(&wire.delete(&delete(&path)).await.status), "nothing is stuck");
        assert_eq!(wire.delete(&delete(&path)).await.status, 410);
    }
    assert!(lab.inventory().is_empty(), "{:?}", lab.inventory());
}
