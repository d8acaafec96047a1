//! Platforms with an older API version get the responses of that version.

use osb_lab::{
    lab::{Lab, LabBroker, ids},
    requests::{I, bind, new},
    wire::Wire,
};
use serde_json::json;

#[tokio::test]
async fn volume_mounts_have_the_shape_of_the_platforms_version() {
    let mut wire = Wire::serve(LabBroker { lab: Lab::default() }).await;
    wire.put(I, new(ids::LARGE, json!({}))).await;
    let old = json!([{
        "container_path": "/data", "mode": "r", "private": { "driver": "nfs", "group_id": "v1", "config": "" },
    }]);
    let new = json!([{
        "driver": "nfs", "container_dir": "/data", "mode": "r", "device_type": "shared", "device": { "volume_id": "v1" },
    }]);
    for (version, mounts) in [("2.9", old), ("2.10", new)] {
        wire.speak(version);
        let mut body = bind(ids::LARGE, json!({}));
        body["app_guid"] = json!("app");
        for status in [201, 200] {
            let reply = wire.put(&format!("{I}/service_bindings/{version}"), body.clone()).await;
            assert_eq!((reply.status, &reply.body["volume_mounts"]), (status, &mounts), "2.10: {version}");
        }
    }
}
