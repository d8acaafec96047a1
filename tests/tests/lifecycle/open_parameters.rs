//! Parameters of open types: members without a field are the user's, not those of another release.

use osb_lab::prelude::*;
use osb_runtime::prelude::*;

/// Machines.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5d01",
    name = "machines",
    plans(Small, Large),
    changes(Small => Large)
)]
struct Machines;

/// A small machine.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5d02", name = "small", create = NewMachine, update = MachineChanges)]
struct Small;

/// A large machine.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5d03", name = "large", create = NewMachine, update = MachineChanges)]
struct Large;

/// The parameters of a machine.
#[parameters(partial = MachineChanges, open)]
struct NewMachine {
    /// Cores.
    #[param(default = 1)]
    cores: u8,
}

osb_lab::provision_nothing!(Machines);
osb_lab::update_nothing!(Machines: Small, Large);
osb_lab::change_nothing!(Machines: Small => Large);

#[broker]
struct Broker(Machines);

#[tokio::test]
async fn members_without_a_field_are_kept_and_removed_as_others_are() {
    let wire = Wire::serve(Broker(Machines)).await;
    let body = |plan: u8, parameters: Value| {
        let plan = format!("8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5d{plan:02}");
        new_of("3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5d01", &plan, parameters)
    };
    let parameters = async || wire.get(I).await.body["parameters"].clone();
    assert_eq!(wire.put(I, body(2, json!({ "zone": "a", "rack": 1, "row": 2 }))).await.status, 201);
    assert_eq!(parameters().await, json!({ "zone": "a", "rack": 1, "row": 2 }));
    assert_eq!(wire.patch(I, body(2, json!({ "cores": 2, "rack": null }))).await.status, 200);
    assert_eq!(parameters().await, json!({ "cores": 2, "zone": "a", "row": 2 }));
    assert_eq!(wire.patch(I, body(3, json!({ "row": null }))).await.status, 200);
    assert_eq!(parameters().await, json!({ "cores": 2, "zone": "a" }), "of the other plan");
}
