//! Parameters that only updates have: they are not stored, and each update with one of them calls the handler.

use std::collections::BTreeMap;

use osb_lab::{
    Notes,
    requests::{I, new_of},
    wire::Wire,
};
use osb_runtime::prelude::*;
use serde_json::{Value, json};

/// Machines, with the actions that their updates have started.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5b31", name = "machines", plans(Machine, Printer))]
#[derive(Clone, Default)]
struct Machines(Notes);

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
    /// Takes a copy of it.
    #[param(update_only)]
    backup: Backup,
    /// Runs commands on it, by their names.
    #[param(update_only, length(min = 1))]
    run: BTreeMap<String, String>,
    /// Adds a disk.
    #[param(update_only)]
    add: Disk,
}

/// A copy. An update has it as a whole.
#[parameters]
#[derive(Debug, Clone)]
struct Backup {
    /// Its target.
    to: String,
    /// How many are kept.
    #[param(default = 2)]
    keep: u8,
    /// A note.
    note: Option<String>,
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
        self.0.add(format!("size {size}, disk {:?}", disk.map(|Disk { size }| size)));
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
        done.extend(changes.backup.map(|Backup { to, keep, note }| format!("backup to {to}, keep {keep}, {note:?}")));
        done.extend(changes.add.map(|Disk { size }| format!("add {size}")));
        done.extend(changes.run.map(|commands| format!("run {commands:?}")));
        if let Change::To(DiskChanges { check: Some(check), .. }) = changes.disk {
            done.push(format!("check {check}"));
        }
        self.0.add(format!("size {}: {}", request.parameters.size, done.join(", ")));
        Ok(Updated::new(()))
    }
}

/// A printer, of which nothing can be changed.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5b33", name = "printer", create = NewPrinter, update = PrinterChanges)]
struct Printer;

/// The parameters of a printer.
#[parameters(partial = PrinterChanges)]
struct NewPrinter {
    /// Its name.
    #[param(immutable)]
    name: String,
    /// Prints a page.
    #[param(update_only)]
    print_page: bool,
}

impl Provision<Printer> for Machines {
    type State = ();
    async fn provision(
        &self,
        request: ProvisionRequest<Printer>,
        _: &Operation,
    ) -> Result<Provisioned, ProvisionError> {
        self.0.add(request.parameters.name);
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Printer>, _: &Operation) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

impl Update<Printer> for Machines {
    async fn update(
        &self,
        request: UpdateRequest<Printer, Printer, ()>,
        _: &Operation,
    ) -> Result<Updated, UpdateError> {
        let page = request.changes.and_then(|changes| changes.print_page);
        self.0.add(format!("page {page:?}"));
        Ok(Updated::new(()))
    }
}

#[broker]
struct Broker(Machines);

fn body(parameters: &Value) -> Value {
    new_of("3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5b31", "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5b32", parameters.clone())
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
        json!({ "backup": { "to": "b" } }),
        json!({ "run": { "a": "b" } }),
        json!({ "add": { "size": 4 } }),
        // No change.
        json!({ "size": 3 }),
        json!({ "size": 3.0 }),
    ] {
        let reply = wire.patch(I, body(&changes)).await;
        assert_eq!(reply.status, 200, "{changes}: {reply:?}");
    }
    let done = machines.0.all();
    assert_eq!(
        done,
        [
            "size 2, disk Some(9)",
            "size 2: restart true",
            "size 2: restart true",
            "size 3: restart true",
            "size 3: new secret",
            "size 3: check full",
            "size 3: backup to b, keep 2, None",
            "size 3: run {\"a\": \"b\"}",
            "size 3: add 4",
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
        (json!({ "backup": { "keep": 3 } }), "/backup/to: "),
        (json!({ "backup": { "to": "b", "note": null } }), "/backup/note: "),
        (json!({ "run": {} }), "/run: "),
        (json!({ "add": {} }), "/add/size: "),
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

#[tokio::test]
async fn a_plan_may_have_no_other_parameter_of_an_update() {
    let machines = Machines::default();
    let wire = Wire::serve(Broker(machines.clone())).await;
    let of_printer = |parameters: Value| {
        let mut body = body(&parameters);
        body["plan_id"] = json!("8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5b33");
        body
    };
    assert_eq!(wire.put(I, of_printer(json!({ "name": "laser" }))).await.status, 201);
    assert_eq!(wire.patch(I, of_printer(json!({ "print_page": true }))).await.status, 200);
    assert_eq!(machines.0.all(), ["laser", "page Some(true)"]);
}
