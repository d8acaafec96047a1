//! The harness's view of the broker.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::folder::{Folder, StoredFile, StoredSecret};
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

const PLANS: [PlanOf; 3] = [
    PlanOf { id: "c3b0a4de-7c4e-4b43-a4e6-0c6ce5f2f002", name: "plain", is_async: false, changes_to: &[1] },
    PlanOf { id: "c3b0a4de-7c4e-4b43-a4e6-0c6ce5f2f003", name: "roomy", is_async: false, changes_to: &[0] },
    PlanOf { id: "c3b0a4de-7c4e-4b43-a4e6-0c6ce5f2f004", name: "slow", is_async: true, changes_to: &[] },
];

fn mood(random: &mut Random) -> &'static str {
    random.pick::<&str>(&["succeed", "succeed", "succeed", "succeed", "succeed", "temporary", "refuse", "fail"])
}

fn pause(random: &mut Random) -> u32 {
    *random.pick(&[0, 0, 1, 5, 20, 60])
}

fn folder(home: &Path) -> PathBuf {
    home.join("files")
}

impl Subject for UnderTest {
    fn command(&self, home: &Path) -> Command {
        let mut command = process::command(self.program);
        command.current_dir(home).env("OSB_STORE", home.join("records.redb")).args(["--sync-wait", "30ms"]);
        command
    }

    fn service(&self) -> &'static str {
        "c3b0a4de-7c4e-4b43-a4e6-0c6ce5f2f001"
    }

    fn plans(&self) -> &'static [PlanOf] {
        &PLANS
    }

    fn new_instance(&self, random: &mut Random) -> Value {
        json!({
            "text": random.below(1_000_000).to_string(),
            "blocks": 1 + random.below(6),
            "pause": pause(random),
            "mood": mood(random),
        })
    }

    fn update(&self, random: &mut Random) -> Value {
        json!({ "text": random.below(1_000_000).to_string(), "pause": pause(random), "mood": mood(random) })
    }

    fn new_binding(&self, random: &mut Random) -> Value {
        json!({ "pause": pause(random), "mood": mood(random) })
    }

    fn fails(&self, parameters: &Value) -> bool {
        parameters["mood"] == "fail" || parameters["mood"] == "refuse"
    }

    fn instance(&self, plan: &PlanOf, parameters: &Value) -> Value {
        json!({ "plan": plan.name, "text": parameters["text"], "blocks": parameters["blocks"] })
    }

    fn binding(&self, credentials: &Value) -> Value {
        credentials["secret"].clone()
    }

    fn inventory(&self, home: &Path) -> Inventory {
        let (mut found, mut orphans) = (Inventory::default(), Vec::new());
        for StoredFile { instance, plan, text, blocks } in all(&folder(home).join("files"), &mut orphans) {
            found.instances.push((instance, json!({ "plan": plan, "text": text, "blocks": blocks })));
        }
        for StoredSecret { instance, binding, secret } in all(&folder(home).join("secrets"), &mut orphans) {
            found.bindings.push(((instance, binding), Value::String(secret)));
        }
        Inventory { orphans, ..found }
    }

    fn calls(&self, home: &Path) -> Option<String> {
        fs::read_to_string(Folder::calls(&folder(home))).ok()
    }
}

/// Reads all files in a directory; invalid ones are orphans.
fn all<T: DeserializeOwned>(folder: &Path, orphans: &mut Vec<String>) -> Vec<T> {
    let Ok(files) = fs::read_dir(folder) else { return Vec::new() };
    let paths = files.map(|file| file.expect("the folder can be read").path());
    let read = paths.filter_map(|path| {
        let content = fs::read(&path).expect("the file can be read");
        let parsed = serde_json::from_slice(&content);
        parsed.inspect_err(|error| orphans.push(format!("{}: {error}", path.display()))).ok()
    });
    read.collect()
}
