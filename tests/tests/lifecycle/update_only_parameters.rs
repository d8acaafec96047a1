//! Parameters that only updates have: they are not stored, and each update with one of them calls the handler.

use std::sync::{Arc, Mutex};

use osb_lab::{requests::I, wire::Wire};
use osb_runtime::prelude::*;
use serde_json::{Value, json};

/// Machines, with the actions that their updates have started.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5b31", name = "machines", plans(Machine))]
#[derive(Clone, Default)]
struct Machines(Arc<Mutex<Vec<String>>>);

/// A machine.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5b32", name = "machine", create = NewMachine, update = MachineChanges)]
struct Machine;

/// The parameters of a machine.
#[parameters(partial = MachineChanges, open)]
#[derive(Debug)]
struct NewMachine {
    /// Its size.
    #[param(default = 1)]
    size: u8,
    /// Restarts it.
    #[param(update_only, alias = "reboot")]
    restart: bool,
    /// Sets the password of its user.
    #[param(update_only, secret, length(min = 8))]
    password: String,
    /// Its disk.
    disk: Option<Disk>,
}

/// A disk.
#[parameters(partial = DiskChanges)]
#[derive(Debug)]
struct Disk {
    /// Its size.
    size: u8,
    /// Checks it.
    #[param(update_only)]
    check: Check,
}

/// A check.
#[parameters(rename_all = "snake_case")]
#[derive(Debug)]
enum Check {
    /// Reads everything.
    Full,
}

impl Provision<Machine> for Machines {
    type State = ();
    async fn provision(
        &self,
        request: ProvisionRequest<Machine>,
        _: &Operation,
    ) -> Result<Provisioned, ProvisionError> {
        // Neither type has the fields of updates.
        let NewMachine { size, disk } = request.parameters;
        self.0.lock().unwrap().push(format!("size {size}, disk {:?}", disk.map(|Disk { size }| size)));
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Machine>, _: &Operation) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

impl Update<Machine> for Machines {
    async fn update(
        &self,
        request: UpdateRequest<Machine, Machine, ()>,
        _: &Operation,
    ) -> Result<Updated, UpdateError> {
        let changes = request.changes.expect("the update has parameters");
        assert!(!format!("{changes:?}").contains("new secret"), "{changes:?}");
        let mut done = Vec::new();
        done.extend(changes.restart.map(|restart| format!("restart {restart}")));
        done.extend(changes.password);
        if let Change::To(DiskChanges { check: Some(check), .. }) = changes.disk {
            done.push(format!("check {check}"));
        }
        self.0.lock().unwrap().push(format!("size {}: {}", request.parameters.size, done.join(", ")));
        Ok(Updated::new(()))
    }
}

#[broker]
struct Broker(Machines);

fn body(parameters: &Value) -> Value {
    json!({
        "service_id": "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5b31", "plan_id": "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5b32",
        "organization_guid": "o", "space_guid": "s", "parameters": parameters,
    })
}

#[tokio::test]
async fn each_update_with_one_calls_the_handler() {
    let machines = Machines::default();
    let wire = Wire::serve(Broker(machines.clone())).await;
    assert_eq!(wire.put(I, body(&json!({ "size": 2, "disk": { "size": 9 } }))).await.status, 201);
    for changes in [
        json!({ "restart": true }),
        json!({ "restart": true }),
        json!({ "reboot": true, "size": 3 }),
        json!({ "password": "new secret" }),
        json!({ "disk": { "check": "full" } }),
        json!({ "size": 3 }),
    ] {
        let reply = wire.patch(I, body(&changes)).await;
        assert_eq!(reply.status, 200, "{changes}: {reply:?}");
    }
    let done = machines.0.lock().unwrap().clone();
    assert_eq!(
        done,
        [
            "size 2, disk Some(9)",
            "size 2: restart true",
            "size 2: restart true",
            "size 3: restart true",
            "size 3: new secret",
            "size 3: check full",
        ]
    );
    assert_eq!(wire.get(I).await.body["parameters"], json!({ "size": 3, "disk": { "size": 9 } }), "none is stored");
}

#[tokio::test]
async fn an_update_validates_them() {
    let wire = Wire::serve(Broker(Machines::default())).await;
    assert_eq!(wire.put(I, body(&json!({ "disk": { "size": 9 } }))).await.status, 201);
    for (changes, expected) in [
        (json!({ "restart": "now" }), "/restart: "),
        (json!({ "restart": null }), "/restart: "),
        (json!({ "password": "short" }), "/password: "),
        (json!({ "disk": { "check": "half" } }), "/disk/check: "),
    ] {
        let reply = wire.patch(I, body(&changes)).await;
        assert!(reply.status == 400 && reply.description().contains(expected), "{changes}: {reply:?}");
    }
}

#[tokio::test]
async fn the_schema_of_a_creation_has_none() {
    let wire = Wire::serve(Broker(Machines::default())).await;
    let catalog = wire.get("/v2/catalog").await.body;
    let schemas = &catalog["services"][0]["plans"][0]["schemas"]["service_instance"];
    let [create, update] = ["create", "update"].map(|name| schemas[name]["parameters"]["properties"].clone());
    assert_eq!([&create["restart"], &create["disk"]["properties"]["check"]], [&Value::Null; 2]);
    assert_eq!(update["restart"], json!({ "type": "boolean", "description": "Restarts it." }));
    let refused = wire.put(I, body(&json!({ "disk": { "size": 9, "check": "full" } }))).await;
    assert!(refused.status == 400 && refused.description().contains("/disk/check: "), "{refused:?}");
}
