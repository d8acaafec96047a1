//! The harness's view of the example `kv`. The stores' own file has no failpoints, but its process is killed as well.

use std::{fs, path::Path, process::Command};

use kv_broker::stores::Stores;
use serde_json::{Value, json};

use crate::{
    process,
    random::Random,
    subject::{Inventory, PlanOf, Subject},
};

/// The broker, as a program.
#[derive(Debug, Clone)]
pub struct UnderTest {
    /// Path of the program.
    pub program: &'static str,
}

const PLANS: [PlanOf; 2] = [
    PlanOf { id: "1258b846-3a8d-4c2c-bcd0-ba4256905e17", name: "free", is_async: false, changes_to: &[1] },
    PlanOf { id: "cd2d157c-d7bc-4361-b3c0-2a9099e9c62e", name: "pro", is_async: false, changes_to: &[0] },
];

/// Writes a file whose import takes several steps.
const FILL: &str = "numbers.jsonl";
const ENTRIES: u32 = 1500;

impl Subject for UnderTest {
    fn command(&self, home: &Path) -> Command {
        let import = home.join("data/import");
        if !import.exists() {
            fs::create_dir_all(&import).expect("the folder can be made");
            let lines: String = (0..ENTRIES).map(|i| format!("{{\"key\": \"k{i}\", \"value\": \"{i}\"}}\n")).collect();
            fs::write(import.join(FILL), lines).expect("the file can be written");
        }
        let mut command = process::command(self.program);
        command.current_dir(home).arg("--store").arg(home.join("records.redb")).args(["--sync-wait", "30ms"]);
        command.args(["--data", "data", "--data-listen", "127.0.0.1:0", "--data-url", "http://kv.example.com"]);
        command
    }

    fn service(&self) -> &'static str {
        "1f2ef9c1-6d91-4a15-b9e6-ac8df27de029"
    }

    fn plans(&self) -> &'static [PlanOf] {
        &PLANS
    }

    fn new_instance(&self, random: &mut Random) -> Value {
        let mut parameters = self.update(random);
        if random.once_in(3) {
            parameters["fill"] = FILL.into();
        }
        parameters
    }

    fn update(&self, random: &mut Random) -> Value {
        json!({ "ttl": 3_600 + random.below(80_000) })
    }

    fn new_binding(&self, random: &mut Random) -> Value {
        json!({ "read_only": random.once_in(2) })
    }

    fn instance(&self, plan: &PlanOf, parameters: &Value) -> Value {
        let entries = if parameters["fill"].is_string() { ENTRIES } else { 0 };
        json!({ "plan": plan.name, "ttl": parameters["ttl"], "entries": entries })
    }

    fn binding(&self, credentials: &Value) -> Value {
        json!({ "read_only": credentials["read_only"], "uri": credentials["uri"] })
    }

    fn inventory(&self, home: &Path) -> Inventory {
        let stores = Stores::open(home.join("data/kv.redb")).expect("the file can be opened");
        let all = stores.inventory().expect("the file can be read");
        let mut found = Inventory::default();
        for store in all.stores.values() {
            let what = json!({ "plan": store.terms.plan, "ttl": store.terms.ttl, "entries": store.entries });
            found.instances.push((store.owner.instance.clone(), what));
        }
        for (id, token) in &all.tokens {
            let Some(store) = all.stores.get(&token.store) else {
                found.orphans.push(format!("token {id} of the store {}, which is not there", token.store));
                continue;
            };
            let uri = format!("http://kv.example.com/stores/{}", token.store);
            let what = json!({ "read_only": token.read_only, "uri": uri });
            found.bindings.push(((store.owner.instance.clone(), token.binding.clone()), what));
        }
        if all.orphans > 0 {
            found.orphans.push(format!("{} entries of stores that are not there", all.orphans));
        }
        found
    }
}
