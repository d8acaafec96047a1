//! The metadata of an instance in answers: an update keeps the attributes that it doesn't name, and replaces the labels.

use osb_runtime::prelude::*;
use osb_testing::Client;
use serde_json::{Value, json};

/// Rooms.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "rooms", plans(Small))]
struct Rooms;

/// A small one.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "small", create = NewRoom, update = RoomChanges)]
struct Small;

/// Parameters of a room.
#[parameters(partial = RoomChanges)]
struct NewRoom {
    /// The attributes to set.
    #[param(default = {})]
    attributes: Value,
    /// A label to set.
    label: Option<String>,
}

osb_lab::provision_nothing! {
    Rooms: Small => () = |_new| {
        Provisioned::new(()).attribute("a", 1).attribute("b", 2).attribute("c", Value::Null).label("floor", 1)
    }
}

impl Update<Small> for Rooms {
    async fn update(
        &self,
        request: UpdateRequest<Small, Small, ()>,
        _: &Operation,
    ) -> Result<Updated<()>, UpdateError> {
        let mut updated = Updated::new(());
        for (name, value) in request.parameters.attributes.as_object().into_iter().flatten() {
            let value = if value == "remove" { Value::Null } else { value.clone() };
            updated = updated.attribute(name, value);
        }
        Ok(match request.parameters.label {
            Some(label) => updated.label("wing", label),
            None => updated,
        })
    }
}

#[broker]
struct Hotel(Rooms);

#[tokio::test]
async fn an_update_keeps_or_removes_single_attributes_and_replaces_all_labels() {
    let platform = Client::new(Hotel(Rooms)).await;
    let metadata = |answer: osb_testing::Answer| {
        assert!(answer.status.is_success(), "{answer:?}");
        answer.body["metadata"].clone()
    };
    let made = metadata(platform.provision("i", "rooms", "small", ()).await);
    assert_eq!(made, json!({ "attributes": { "a": 1, "b": 2 }, "labels": { "floor": "1" } }));
    for (change, expected) in [
        (json!({ "attributes": { "a": "remove" } }), json!({ "attributes": { "b": 2 }, "labels": { "floor": "1" } })),
        (json!({ "attributes": { "d": 4 } }), json!({ "attributes": { "b": 2, "d": 4 }, "labels": { "floor": "1" } })),
        (json!({ "label": "east" }), json!({ "attributes": { "b": 2, "d": 4 }, "labels": { "wing": "east" } })),
        (json!({ "attributes": { "b": "remove", "d": "remove" } }), json!({ "labels": { "wing": "east" } })),
    ] {
        assert_eq!(metadata(platform.update("i", change.clone()).await), expected, "{change}");
    }
}
