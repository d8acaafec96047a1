//! Random synchronous requests with parameters, plans and rotation: one client for each instance, compared with a model.

use std::collections::BTreeMap;

use osb_lab::prelude::*;
use osb_tests::random::Random;
use serde_json::Map;

fn mood(random: &mut Random) -> &'static str {
    let sad = ["refuse", "refuse_half_way", "fail", "fail_half_way", "panic", "unspeakable", "moody"];
    if random.below(3) == 0 { random.pick::<&str>(&sad) } else { "succeed" }
}

/// Parameters for a new instance or an update.
fn setup(random: &mut Random) -> Value {
    let mut setup = Map::new();
    if random.below(2) == 0 {
        setup.insert("size".to_owned(), random.pick(&[json!(1), json!(2), json!(3), json!(0), Value::Null]).clone());
    }
    if random.below(2) == 0 {
        setup.insert("ratio".to_owned(), random.pick(&[json!(1), json!(1.0), json!(0.5)]).clone());
    }
    if random.below(4) == 0 {
        setup.insert("name".to_owned(), json!("fixed"));
    }
    if random.below(2) == 0 {
        setup.insert("mood".to_owned(), json!(mood(random)));
    }
    Value::Object(setup)
}

fn access(random: &mut Random) -> Value {
    if random.below(2) == 0 { json!({}) } else { json!({ "mood": mood(random) }) }
}

/// Parameters with their defaults, or `None` if they are not accepted.
#[derive(Clone, PartialEq, Debug)]
struct Setup {
    mood: String,
    size: u64,
    ratio: f64,
    name: bool,
}

impl Setup {
    fn read(raw: &Map<String, Value>) -> Option<Self> {
        let mood = raw.get("mood").map_or("succeed", |mood| mood.as_str().unwrap_or_default()).to_owned();
        let size = raw.get("size").map_or(Some(1), Value::as_u64)?;
        let ratio = raw.get("ratio").map_or(Some(1.0), Value::as_f64)?;
        (size > 0 && mood != "moody").then(|| Self { mood, size, ratio, name: raw.contains_key("name") })
    }
}

/// Returns the status of a create with this mood, and true if the resource exists afterwards.
fn made(mood: &str) -> (u16, bool) {
    match mood {
        "succeed" => (201, true),
        "refuse" | "refuse_half_way" => (400, false),
        _ => (500, false),
    }
}

struct Instance {
    plan: &'static str,
    raw: Map<String, Value>,
    /// The bindings, by number.
    bindings: BTreeMap<u32, Binding>,
}

#[derive(PartialEq)]
struct Binding {
    plan: &'static str,
    mood: String,
    predecessor: Option<u32>,
}

/// A client with its own instance, and the model of it.
struct Client {
    wire: Arc<Wire>,
    lab: Lab,
    id: String,
    random: Random,
    model: Option<Instance>,
}

impl Client {
    fn binding(&self, number: u32) -> String {
        format!("{}-{number}", self.id)
    }

    async fn provision(&mut self) -> (u16, u16) {
        let plan = *self.random.pick(&[ids::SMALL, ids::SMALL, ids::LARGE, ids::CLOSED]);
        let raw = setup(&mut self.random);
        let status = self.wire.put(&instance(&self.id), new(plan, raw.clone())).await.status;
        let raw = raw.as_object().cloned().unwrap_or_default();
        let setup = if raw.is_empty() || plan != ids::CLOSED { Setup::read(&raw) } else { None };
        let expected = match (&self.model, setup) {
            (Some(model), Some(setup)) if model.plan == plan && Setup::read(&model.raw) == Some(setup.clone()) => 200,
            (Some(_), _) => 409,
            (None, None) => 400,
            (None, Some(setup)) => {
                let (status, there) = if plan == ids::CLOSED { (201, true) } else { made(&setup.mood) };
                if setup.mood == "unspeakable" {
                    // The platform cleans up, because the create may have left a part.
                    self.wire.delete(&format!("{}?{DELETE}", instance(&self.id))).await;
                }
                self.model = there.then_some(Instance { plan, raw, bindings: BTreeMap::new() });
                status
            }
        };
        (status, expected)
    }

    async fn update(&mut self) -> (u16, u16) {
        let to = *self.random.pick(&[None, None, Some(ids::SMALL), Some(ids::LARGE)]);
        let changes = setup(&mut self.random);
        let version = *self.random.pick(&[None, None, None, Some("1.2.0"), Some("9.9.9")]);
        let mut fields = json!({ "parameters": changes });
        if let Some(to) = to {
            fields["plan_id"] = json!(to);
        }
        if let Some(version) = version {
            fields["maintenance_info"] = json!({ "version": version });
        }
        let status = self.wire.patch(&instance(&self.id), change(fields)).await.status;
        let changes = changes.as_object().cloned().unwrap_or_default();
        (status, self.expect_update(to, &changes, version))
    }

    fn expect_update(
        &mut self,
        to: Option<&'static str>,
        changes: &Map<String, Value>,
        version: Option<&'static str>,
    ) -> u16 {
        let Some(model) = &mut self.model else { return 404 };
        let to = to.unwrap_or(model.plan);
        let moves = to != model.plan;
        if moves && (model.plan, to) != (ids::SMALL, ids::LARGE) {
            return 422;
        }
        if version.is_some_and(|version| to != ids::SMALL || version != "1.2.0") {
            return 422;
        }
        if to == ids::CLOSED {
            return if changes.is_empty() { 200 } else { 422 };
        }
        let mut raw = model.raw.clone();
        for (name, value) in changes {
            if value.is_null() {
                raw.remove(name)
            } else {
                raw.insert(name.clone(), value.clone())
            };
        }
        let Some(after) = Setup::read(&raw) else { return 400 };
        if changes.contains_key("name") {
            return 400;
        }
        if !moves && Setup::read(&model.raw).as_ref() == Some(&after) {
            return 200;
        }
        // A plan change uses the mood of the request.
        let sent = || changes.get("mood").and_then(Value::as_str).unwrap_or("succeed");
        let status = match if moves { sent() } else { after.mood.as_str() } {
            "succeed" => 200,
            "refuse" | "refuse_half_way" => 422,
            _ => 500,
        };
        if status == 200 {
            (model.plan, model.raw) = (to, raw);
        }
        status
    }

    async fn bind(&mut self) -> (u16, u16) {
        let (number, access) = (self.random.below(3), access(&mut self.random));
        let predecessor = (self.random.below(4) == 0).then(|| self.random.below(3));
        let plan = self.model.as_ref().map_or(ids::SMALL, |model| model.plan);
        let app = plan == ids::LARGE && self.random.below(3) > 0;
        let mut body = bind(plan, access.clone());
        if app {
            body["app_guid"] = json!("app");
        }
        if let Some(predecessor) = predecessor {
            body["predecessor_binding_id"] = json!(self.binding(predecessor));
        }
        let path = binding(&self.id, &self.binding(number));
        let status = self.wire.put(&path, body).await.status;
        let asked = access["mood"].as_str();
        let Some(model) = &mut self.model else { return (status, 404) };
        let found = |number: &u32| model.bindings.get(number);
        let carried = predecessor.as_ref().and_then(|p| found(p).or(found(&number))).map(|b| b.mood.clone());
        let mood = asked.map(str::to_owned).or(carried).unwrap_or("succeed".to_owned());
        let new = Binding { plan, mood: mood.clone(), predecessor };
        if let Some(found) = model.bindings.get(&number) {
            let same = *found == new && (plan != ids::LARGE || (app && asked.is_none()));
            return (status, if same { 200 } else { 409 });
        }
        let expected = match plan {
            ids::CLOSED => 400,
            _ if predecessor.is_some_and(|p| plan == ids::LARGE || found(&p).is_none()) => 400,
            ids::LARGE if !app => 422,
            ids::LARGE if asked.is_some() => 400,
            ids::LARGE => 201,
            _ if mood == "moody" => 400,
            _ => made(&mood).0,
        };
        if expected == 201 {
            model.bindings.insert(number, new);
        } else if mood == "unspeakable" {
            self.wire.delete(&format!("{path}?{DELETE}")).await;
        }
        (status, expected)
    }

    async fn unbind(&mut self) -> (u16, u16) {
        let number = self.random.below(3);
        let path = binding(&self.id, &self.binding(number));
        let status = self.wire.delete(&format!("{path}?{DELETE}")).await.status;
        let there = self.model.as_mut().and_then(|model| model.bindings.remove(&number));
        (status, if there.is_some() { 200 } else { 410 })
    }

    async fn deprovision(&mut self) -> (u16, u16) {
        let status = self.wire.delete(&format!("{}?{DELETE}", instance(&self.id))).await.status;
        (status, if self.model.take().is_some() { 200 } else { 410 })
    }

    /// Checks the responses and the resources of the laboratory against the model.
    async fn check(&self) {
        let seen = self.wire.get(&instance(&self.id)).await;
        assert_eq!(seen.status, if self.model.is_some() { 200 } else { 404 });
        let mut expected = Vec::new();
        if let Some(model) = &self.model {
            assert_eq!(seen.body["plan_id"], model.plan);
            if model.plan != ids::CLOSED {
                let parameters = seen.body["parameters"].as_object().expect("parameters");
                assert_eq!(Setup::read(parameters), Setup::read(&model.raw));
            }
            expected.push(self.id.clone());
            let made = model.bindings.iter().filter(|(_, binding)| binding.plan == ids::SMALL);
            expected.extend(made.map(|(number, _)| self.binding(*number)));
        }
        for number in 0..3 {
            let status = self.wire.get(&binding(&self.id, &self.binding(number))).await.status;
            let there = self.model.as_ref().is_some_and(|model| model.bindings.contains_key(&number));
            assert_eq!(status, if there { 200 } else { 404 }, "binding {number}");
        }
        let things = self.lab.inventory();
        let mine = |thing: &&str| *thing == self.id || thing.starts_with(&format!("{}-", self.id));
        let things: Vec<_> = things.iter().filter_map(|thing| thing.split('=').next()).filter(mine).collect();
        assert_eq!(things, expected);
    }

    async fn run(mut self, steps: usize) {
        for step in 0..steps {
            let roll = self.random.below(10);
            let (action, (status, expected)) = match roll {
                0..=2 => ("provision", self.provision().await),
                3..=4 => ("update", self.update().await),
                5..=7 => ("bind", self.bind().await),
                8 => ("unbind", self.unbind().await),
                _ => ("deprovision", self.deprovision().await),
            };
            assert_eq!(status, expected, "step {step} of {}: {action}", self.id);
            self.check().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_response_matches_the_tables() {
    let lab = Lab::default();
    let wire = Arc::new(Wire::serve(LabBroker { lab: lab.clone() }).await);
    let mut clients = tokio::task::JoinSet::new();
    for seed in 0..8 {
        let (wire, lab) = (Arc::clone(&wire), lab.clone());
        clients
            .spawn(Client { wire, lab, id: format!("i{seed}"), random: Random::new(seed + 1), model: None }.run(200));
    }
    clients.join_all().await;
    assert_eq!(lab.overlaps(), 0, "T63");
}
