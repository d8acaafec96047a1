//! The records and the resources of one run.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use serde_json::{Map, Value, json};
use tokio::time::{Instant, sleep};

use super::{Left, step::Step};
use crate::{Answer, Client, compare::without, interrupter::Interrupter};
use osb_runtime::{
    lifecycle::{Audit, Event, RetryPolicy, Settings},
    store::{Key, Record, Records},
};

/// The observed effects of one step.
#[derive(Debug, Clone, Default)]
pub(super) struct Observation {
    pub(super) checkpoints: usize,
    /// How often the handler has waited.
    pub(super) waits: usize,
    /// The recorded instance and its bindings after the step.
    pub(super) result: Value,
    /// The resources, compared to those before the first step.
    pub(super) left: Option<Difference>,
}

/// The difference between the resources before a run and at a point of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) added: BTreeSet<String>,
    /// Earlier resources that no longer exist.
    pub(super) missing: BTreeSet<String>,
}

impl Difference {
    /// Returns how the resources differ from those of an undisturbed run. Names may differ.
    pub(super) fn problem(&self, expected: &Self) -> Option<String> {
        if !self.missing.is_empty() {
            return Some(format!("it deleted resources that existed before the run: {}", listed(&self.missing)));
        }
        if self.added.len() == expected.added.len() {
            return None;
        }
        let here = match self.added.len() {
            1 => format!("there is 1 resource, but {}", expected.added.len()),
            number => format!("there are {number} resources, but {}", expected.added.len()),
        };
        let named = if self.added.is_empty() { String::new() } else { format!(": {}", listed(&self.added)) };
        Some(format!("{here} in an undisturbed run{named}"))
    }
}

/// Formats the first names.
pub(super) fn listed(names: &BTreeSet<String>) -> String {
    const SHOWN: usize = 8;
    let shown = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(SHOWN);
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

/// The records and the operations of one run.
#[derive(Clone)]
pub(super) struct Run {
    pub(super) records: Records,
    pub(super) operations: Operations,
    pub(super) left: Option<Left>,
    /// The resources before the first step.
    pub(super) before: BTreeSet<String>,
    pub(super) patience: Duration,
    /// The pointers into states and outputs whose values are not compared.
    pub(super) may_differ: Arc<[String]>,
}

/// The ids of the operations, in the order of their start.
#[derive(Clone, Default)]
pub(super) struct Operations(Arc<Mutex<Vec<String>>>);

impl Audit for Operations {
    fn record(&self, event: &Event) {
        let mut operations = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !operations.contains(&event.operation) {
            operations.push(event.operation.clone());
        }
    }
}

impl Run {
    pub(super) fn settings(&self) -> Settings {
        let mut retries = RetryPolicy::default();
        (retries.initial_delay, retries.max_delay) = (Duration::from_millis(1), Duration::from_millis(20));
        let mut settings = Settings::default();
        settings.store = self.records.clone();
        settings.audit = Some(Arc::new(self.operations.clone()));
        (settings.retry, settings.max_operation_time) = (retries, self.patience);
        settings
    }

    /// The record as JSON; `null` if there is none.
    pub(super) async fn record(&self, key: &Key) -> Value {
        let mut seen = Value::Null;
        let mut see = |record: Option<&Record>| seen = serde_json::to_value(record).expect("records are JSON");
        self.records.store().read(key, &mut see).await.expect("records in memory can be read");
        seen
    }

    /// Expires the lease, so that another process takes over the operation.
    pub(super) async fn expire(&self, key: &Key, accepted: bool) {
        self.change_operation(key, |operation| operation["accepted"] = accepted.into()).await;
    }

    /// Expires the lease and the deadline, so that another process ends the operation without calling its handler.
    pub(super) async fn time_out(&self, key: &Key) {
        let late = |operation: &mut Value| {
            operation["accepted"] = true.into();
            operation["deadline"] = 1.into();
        };
        self.change_operation(key, late).await;
    }

    async fn change_operation(&self, key: &Key, change: impl Fn(&mut Value) + Send + Sync) {
        let expire = |found: &mut Value| {
            if let Some(operation) = found.pointer_mut("/status/operation") {
                // 0 would stand for an operation that was handed over.
                operation["lease"] = 1.into();
                change(operation);
            }
        };
        self.change(key, expire).await;
    }

    /// Lets an instance have had no maintenance yet.
    async fn outdate(&self, key: &Key) {
        self.change(key, |instance| instance["maintenance_version"] = "0.0.0-before".into()).await;
    }

    /// Changes the content of a record.
    async fn change(&self, key: &Key, change: impl Fn(&mut Value) + Send + Sync) {
        let mut decide = |records: &mut [Option<Record>]| {
            let mut json = serde_json::to_value(&*records).expect("records are JSON");
            if let Some(found) = json[0].as_object_mut().and_then(|record| record.values_mut().next()) {
                change(found);
                records[0] = serde_json::from_value(json[0].take()).expect("it is a record still");
            }
        };
        let keys = std::slice::from_ref(key);
        self.records.store().transact(keys, &mut decide).await.expect("records in memory can be written");
    }

    /// Runs a step, which has to succeed.
    pub(super) async fn step(
        &self,
        step: &Step,
        platform: &Client,
        service: &str,
        plan: &str,
        interrupter: &Interrupter,
    ) {
        if let Step::Maintain(_) = step {
            self.outdate(&step.key()).await;
        }
        let answer = step.ask(platform, service, plan).await;
        if let Some(failure) = self.ended(answer, &step.key(), interrupter).await {
            let parameters = |sent: &Value, method: &str| match sent.as_object() {
                Some(none) if none.is_empty() => String::new(),
                _ => format!("\n  help: its parameters were {sent}; set others with `.{method}(json!({{ ... }}))`"),
            };
            let help = match step {
                Step::Provision(sent) => parameters(sent, "parameters"),
                Step::Bind { parameters: sent, .. } => parameters(sent, "bind"),
                Step::Update(sent) => parameters(sent, "update"),
                Step::ChangePlan(..) => {
                    "\n  help: a change that the handler refuses is left out with `.without_change(from, to)`"
                        .to_owned()
                }
                _ => String::new(),
            };
            panic!("`{}` of plan `{service}/{plan}` fails even without interruption: {failure}{help}", step.name());
        }
    }

    /// Waits for the end of a requested operation. Returns the reason if it failed.
    pub(super) async fn ended(&self, answer: Answer, key: &Key, interrupter: &Interrupter) -> Option<String> {
        match answer.status.as_u16() {
            200 | 201 | 410 => None,
            202 => self.finished(key, interrupter).await,
            status => Some(interrupter.error().unwrap_or_else(|| format!("{status} {}", answer.body))),
        }
    }

    /// Waits for the end of the latest operation. Returns the reason if it failed.
    pub(super) async fn finished(&self, key: &Key, interrupter: &Interrupter) -> Option<String> {
        let end = Instant::now() + self.patience;
        while Instant::now() < end {
            let record = self.record(key).await;
            let ended = match record.get("tombstone") {
                Some(tombstone) => Some(&tombstone["f"]),
                None => {
                    content(&record).and_then(|found| found.pointer("/status/operation/end")).map(|end| &end["failure"])
                }
            };
            match ended.map(|failure| failure["description"].as_str()) {
                None => sleep(Duration::from_millis(2)).await,
                Some(None) => return None,
                Some(Some(description)) => return Some(interrupter.error().unwrap_or_else(|| description.to_owned())),
            }
        }
        Some(format!("the operation did not finish within {:?}", self.patience))
    }

    pub(super) async fn state(&self, key: &Key) -> Value {
        content(&self.record(key).await).map(|found| found["state"]["value"].clone()).unwrap_or_default()
    }

    /// Summarizes the records. There is one instance.
    async fn summary(&self) -> Value {
        let records = self.records.store().list(None, usize::MAX).await.expect("records in memory can be read");
        let json = records.iter().map(|(key, record)| {
            let record = record.as_ref().expect("records in memory can be read");
            let record = serde_json::to_value(record).expect("records are JSON");
            (key.binding.clone(), content(&record).cloned())
        });
        let (bindings, instance): (Vec<_>, Vec<_>) = json.partition(|(binding, _)| binding.is_some());
        let bindings = bindings.into_iter().filter_map(|(id, binding)| Some((id?.to_string(), binding?)));
        let instance = instance.into_iter().find_map(|(_, instance)| instance);
        summary(instance.as_ref(), &bindings.collect::<Vec<_>>(), &self.may_differ)
    }

    pub(super) async fn observe(&self, interrupter: &Interrupter) -> Observation {
        let result = self.summary().await;
        let mut text = result.to_string();
        let operations = self.operations.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for (number, operation) in operations.iter().enumerate() {
            text = text.replace(operation, &format!("<operation {}>", number + 1));
        }
        let left = match &self.left {
            None => None,
            Some(left) => {
                let now = left().await;
                let less = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).cloned().collect();
                Some(Difference { added: less(&now, &self.before), missing: less(&self.before, &now) })
            }
        };
        Observation {
            checkpoints: interrupter.checkpoints(),
            waits: interrupter.waits(),
            result: osb_runtime::json::from_str(&text).unwrap_or(result),
            left,
        }
    }
}

/// The content of a record of an instance or a binding that exists.
fn content(record: &Value) -> Option<&Value> {
    record.get("instance").or_else(|| record.get("binding"))
}

/// Summarizes the records of an instance and its bindings, without the values that may differ.
fn summary(instance: Option<&Value>, bindings: &[(String, Value)], may_differ: &[String]) -> Value {
    let Some(instance) = instance else { return Value::Null };
    let compared = |value: &Value| without(value, may_differ);
    let bindings: Map<String, Value> = bindings
        .iter()
        .map(|(id, binding)| {
            (
                id.clone(),
                json!({ "state": compared(&binding["state"]["value"]), "output": compared(&binding["output"]) }),
            )
        })
        .collect();
    json!({
        "plan_id": instance["plan_id"],
        "parameters": instance["parameters"],
        "state": compared(&instance["state"]["value"]),
        "dashboard_url": instance["extras"]["dashboard_url"],
        "labels": instance["extras"]["labels"],
        "attributes": instance["extras"]["attributes"],
        "bindings": bindings,
    })
}

#[cfg(test)]
mod tests {
    use super::{json, summary};

    #[test]
    fn what_may_differ_is_left_out_of_states_and_outputs() {
        let run = |time: u64| {
            let state = json!({ "value": { "created": time, "size": 1 } });
            let binding = json!({ "state": state, "output": { "credentials": { "token": time } } });
            let may_differ = ["/created", "/credentials/token"].map(str::to_owned);
            summary(Some(&json!({ "state": state, "parameters": {} })), &[("b".to_owned(), binding)], &may_differ)
        };
        assert_eq!(run(1), run(2));
        assert_eq!(run(1)["state"], json!({ "created": null, "size": 1 }));
        assert_eq!(run(1)["bindings"]["b"]["output"], json!({ "credentials": { "token": null } }));
    }
}
