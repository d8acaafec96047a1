//! Immutable parameters keep their values, wherever they are.

use std::collections::BTreeMap;

use osb_lab::prelude::*;
use osb_runtime::prelude::*;

/// Disks.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5b01",
    name = "disks",
    plans(Disk, Tape, Card),
    changes(Disk => Tape, Disk => Card)
)]
struct Disks;

/// A disk.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5b02", name = "disk", create = NewDisk, update = DiskChanges)]
struct Disk;

/// A tape, with formats of short names.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5b03", name = "tape", create = NewDisk, narrow(file_system(max = 4)))]
struct Tape;

/// A memory card.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5b04", name = "card", create = NewCard)]
struct Card;

/// The parameters of a memory card.
#[parameters]
struct NewCard {
    /// The format, which has no other name here.
    file_system: Option<String>,
}

/// The parameters of a disk.
#[parameters(partial = DiskChanges, open)]
struct NewDisk {
    /// The format.
    #[param(immutable, alias = "format")]
    file_system: Option<String>,
    /// The location.
    #[param(default = {})]
    location: Location,
    /// The place of copies.
    copies: Option<Copies>,
    /// A note, which may be `null`.
    #[param(immutable)]
    note: Option<Value>,
    /// The partitions.
    #[param(default = {})]
    partitions: BTreeMap<String, Partition>,
    /// The locations of mirrors.
    #[param(default = {})]
    mirrors: BTreeMap<String, Location>,
    /// The locations of backups.
    #[param(default = [])]
    backups: Vec<Location>,
    /// Partitions whose names are secret.
    #[param(secret)]
    hidden: Option<BTreeMap<String, Partition>>,
}

/// A partition, which may have properties without a field.
#[parameters(partial = PartitionChanges, open)]
struct Partition {
    /// The format.
    #[param(immutable)]
    format: String,
    /// Its size.
    size: Option<u32>,
}

/// A location.
#[parameters(partial = LocationChanges)]
struct Location {
    /// The zone.
    #[param(immutable, default = "a")]
    zone: String,
    /// The rack.
    #[param(default = 1)]
    rack: u8,
    /// The mount point, whose name a pointer escapes.
    #[param(immutable, rename = "~mount/point")]
    mount_point: Option<String>,
}

/// Copies.
#[parameters(partial = CopiesChanges)]
struct Copies {
    /// The region.
    #[param(immutable)]
    region: String,
}

osb_lab::provision_nothing!(Disks);
osb_lab::update_nothing!(Disks: Disk);
osb_lab::change_nothing!(Disks: Disk => Tape);
osb_lab::change_nothing!(Disks: Disk => Card);

#[broker]
struct Broker(Disks);

const IDS: [(&str, &str); 2] =
    [("service_id", "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5b01"), ("plan_id", "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5b02")];

fn body(parameters: &Value) -> Value {
    let mut body = json!({ "organization_guid": "o", "space_guid": "s", "parameters": parameters });
    for (name, id) in IDS {
        body[name] = id.into();
    }
    body
}

#[tokio::test]
async fn an_update_changes_no_immutable_parameter() {
    let wire = Wire::serve(Broker(Disks)).await;
    let created =
        json!({ "format": "ext4", "location": { "zone": "b", "~mount/point": "/a" }, "copies": { "region": "eu" } });
    assert_eq!(wire.put(I, body(&created)).await.status, 201);
    for (change, pointer) in [
        (json!({ "file_system": "xfs" }), "/file_system"),
        (json!({ "format": null }), "/file_system"),
        (json!({ "location": { "zone": "c" } }), "/location/zone"),
        (json!({ "location": null }), "/location/zone"),
        (json!({ "copies": null }), "/copies/region"),
    ] {
        let reply = wire.patch(I, body(&change)).await;
        assert_eq!(reply.status, 400, "{change}: {reply:?}");
        let expected = format!("{pointer}: cannot be changed once the instance exists");
        assert!(reply.description().contains(&expected), "{change}: {reply:?}");
    }
    for change in [json!({ "location": { "~mount/point": "/b" } }), json!({ "location": null })] {
        let reply = wire.patch(I, body(&change)).await;
        let expected = "/location/~0mount~1point: cannot be changed once the instance exists";
        assert!(reply.status == 400 && reply.description().contains(expected), "{change}: {reply:?}");
    }
    assert_eq!(wire.patch(I, body(&json!({ "location": { "rack": 2 } }))).await.status, 200);
    let parameters = wire.get(I).await.body["parameters"].clone();
    let expected = json!({ "zone": "b", "rack": 2, "~mount/point": "/a" });
    assert_eq!((&parameters["file_system"], &parameters["location"]), (&json!("ext4"), &expected));
}

#[tokio::test]
async fn null_is_no_value_of_an_immutable_parameter() {
    let wire = Wire::serve(Broker(Disks)).await;
    assert_eq!(wire.put(I, body(&json!({ "note": null }))).await.status, 201);
    wire.patch(I, body(&json!({ "note": null }))).await.has_status(200);
    assert_eq!(wire.patch(I, body(&json!({ "note": "new" }))).await.status, 400);
}

#[tokio::test]
async fn entries_of_a_map_keep_their_immutable_parameters() {
    let wire = Wire::serve(Broker(Disks)).await;
    let created = json!({ "partitions": { "a": { "format": "ext4" }, "b": { "format": "ext4" } } });
    assert_eq!(wire.put(I, body(&created)).await.status, 201);
    let reply = wire.patch(I, body(&json!({ "partitions": { "a": { "format": "xfs" } } }))).await.has_status(400);
    let expected = "/partitions/a/format: cannot be changed once the instance exists";
    assert!(reply.description().contains(expected), "{reply:?}");
    assert_eq!(wire.patch(I, body(&json!({ "hidden": { "h": { "size": 1, "format": "ext4" } } }))).await.status, 200);
    let reply = wire.patch(I, body(&json!({ "hidden": { "h": { "format": "xfs" } } }))).await;
    let expected = "Invalid parameters: /hidden: cannot be changed once the instance exists.";
    assert_eq!((reply.status, reply.description()), (400, expected), "a name may be a part of the secret");
    let reply = wire.patch(I, body(&json!({ "mirrors": { "a": { "zone": "c" } } }))).await;
    let expected = "Invalid parameters: /mirrors/a/zone: cannot be changed once the instance exists.";
    assert_eq!((reply.status, reply.description()), (400, expected));
    let changed = json!({ "partitions": { "a": { "size": 2 }, "b": null, "c": { "format": "xfs" } } });
    let reply = wire.patch(I, body(&changed)).await;
    assert_eq!(reply.status, 200, "an entry can be added and removed: {reply:?}");
    let parameters = wire.get(I).await.body["parameters"].clone();
    let expected = json!({ "a": { "format": "ext4", "size": 2 }, "c": { "format": "xfs" } });
    assert_eq!(parameters["partitions"], expected, "{parameters}");
}

#[tokio::test]
async fn a_list_is_replaced_with_its_immutable_parameters() {
    let wire = Wire::serve(Broker(Disks)).await;
    assert_eq!(wire.put(I, body(&json!({ "backups": [{ "zone": "a" }] }))).await.status, 201);
    assert_eq!(wire.patch(I, body(&json!({ "backups": [{ "zone": "b" }] }))).await.status, 200);
    let reply = wire.patch(I, body(&json!({ "backups": [{ "zone": 1 }] }))).await;
    let expected = "Invalid parameters: /backups/0/zone: 1 is not a string.";
    assert_eq!((reply.status, reply.description()), (400, expected));
}

#[tokio::test]
async fn the_default_of_an_immutable_parameter_is_its_value() {
    let wire = Wire::serve(Broker(Disks)).await;
    assert_eq!(wire.put(I, body(&json!({}))).await.status, 201);
    wire.patch(I, body(&json!({ "location": { "zone": "b" } }))).await.has_status(400);
}

#[tokio::test]
async fn an_object_is_reset_if_its_immutable_parameters_keep_their_defaults() {
    let wire = Wire::serve(Broker(Disks)).await;
    assert_eq!(wire.put(I, body(&json!({ "location": { "zone": "a", "rack": 2 } }))).await.status, 201);
    wire.patch(I, body(&json!({ "location": null }))).await.has_status(200);
    let parameters = wire.get(I).await.body["parameters"].clone();
    assert_eq!(parameters["location"], Value::Null, "{parameters}");
}

#[tokio::test]
async fn a_change_of_plan_changes_no_immutable_parameter() {
    let (wire, _) = lab().await;
    assert_eq!(wire.put(I, new(ids::SMALL, json!({}))).await.status, 201);
    for (parameters, is_immutable) in [(json!({ "name": "other" }), true), (json!({ "size": 1000 }), false)] {
        let reply = wire.patch(I, change(json!({ "plan_id": ids::LARGE, "parameters": parameters }))).await;
        assert_eq!(reply.status, 400, "{reply:?}");
        let says_so = reply.description().contains("cannot be changed once the instance exists");
        assert_eq!(says_so, is_immutable, "{reply:?}");
    }
}

fn to_plan(id: &str) -> Value {
    json!({ "service_id": IDS[0].1, "plan_id": id })
}

#[tokio::test]
async fn a_plan_that_does_not_accept_an_immutable_parameter_can_not_be_changed_to() {
    let wire = Wire::serve(Broker(Disks)).await;
    for (format, status) in [("btrfs", 422), ("ext4", 200)] {
        assert_eq!(wire.put(&instance(format), body(&json!({ "file_system": format }))).await.status, 201);
        let reply = wire.patch(&instance(format), to_plan("8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5b03")).await;
        assert_eq!(reply.status, status, "UPD-14: {reply:?}");
    }
}

#[tokio::test]
async fn a_plan_that_does_not_know_an_alias_gets_the_parameter() {
    let wire = Wire::serve(Broker(Disks)).await;
    assert_eq!(wire.put(I, body(&json!({ "format": "ext4" }))).await.status, 201);
    wire.patch(I, to_plan("8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5b04")).await.has_status(200);
    assert_eq!(wire.get(I).await.body["parameters"], json!({ "file_system": "ext4" }));
}
