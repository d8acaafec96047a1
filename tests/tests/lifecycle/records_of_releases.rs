//! Opens the records files that earlier releases wrote. They are in `golden/records`, one for each version of the layout,
//! and never change; `OSB_UPDATE=1` writes the file of the current version if it does not exist.

use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use osb_lab::prelude::*;
use osb_store::{Keys, Redb};

const KEY: &str = "8f5d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea";
/// The file of the current layout.
const LAYOUT: &str = "layout-2.redb";
/// The time at which the files are written and served, since 1970. The operations in them may last for 7 days.
const SERVED: Duration = Duration::from_hours(498_705);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/records")
}

async fn serve(file: &Path, lab: &Lab) -> (Wire, Records) {
    let mut settings = Settings::default();
    settings.sync_wait = Duration::from_millis(20);
    settings.clock = Clock::starting_at(SystemTime::UNIX_EPOCH + SERVED);
    settings.store = Redb::open(file, KEY.parse::<Keys>().expect("a key")).expect("it opens").into();
    let records = settings.store.clone();
    (Wire::serve_with(LabBroker { lab: lab.clone() }, settings).await, records)
}

/// Writes an instance with a binding, a tombstone, and an instance that is being created.
async fn write(file: &Path) {
    let (wire, records) = serve(file, &Lab::default()).await;
    for name in ["ready", "gone"] {
        wire.put(&format!("/v2/service_instances/{name}"), new(ids::SMALL, json!({ "size": 3 }))).await.has_status(201);
    }
    wire.put("/v2/service_instances/ready/service_bindings/b", bind(ids::SMALL, json!({}))).await.has_status(201);
    assert_eq!(wire.delete(&format!("/v2/service_instances/gone?{DELETE}")).await.status, 200);
    let slow = new(ids::SMALL, json!({ "mood": "wait" }));
    assert_eq!(wire.put("/v2/service_instances/half?accepts_incomplete=true", slow).await.status, 202);
    until(async || !wire.get("/v2/service_instances/half/last_operation").await.body["description"].is_null()).await;
    records.close().await;
}

#[tokio::test]
async fn the_records_of_each_release_are_served() {
    let newest = folder().join(LAYOUT);
    if std::env::var_os("OSB_UPDATE").is_some() && !newest.exists() {
        fs::create_dir_all(folder()).expect("the folder is created");
        write(&newest).await;
    }
    assert!(newest.exists(), "OSB_UPDATE=1 writes {}", newest.display());
    for written in fs::read_dir(folder()).expect("the folder is read") {
        let written = written.expect("a file").path();
        let temporary = tempfile::tempdir().expect("a temporary folder is created");
        let file = temporary.path().join("records.redb");
        fs::copy(&written, &file).expect("it can be copied");

        let lab = Lab::default();
        lab.gate.open();
        let (wire, records) = serve(&file, &lab).await;
        for instance in records.instances(None, 9).await.expect("they are read").entries {
            let place = [&instance.organization_guid, &instance.space_guid].map(Option::as_deref);
            assert_eq!(place, [Some("o"), Some("s")], "{written:?}: {instance:?}");
            assert_eq!(instance.maintenance_version.as_deref(), Some("1.2.0"), "{written:?}: {instance:?}");
        }
        let ready = wire.get("/v2/service_instances/ready").await;
        assert_eq!((ready.status, &ready.body["parameters"]["size"]), (200, &json!(3)), "{written:?}: {ready:?}");
        let bound = wire.get("/v2/service_instances/ready/service_bindings/b").await;
        assert_eq!(bound.body["credentials"]["user"], "b", "{written:?}: {bound:?}");
        assert_eq!(wire.get("/v2/service_instances/gone").await.status, 404, "{written:?}");
        let half = wire.settled("/v2/service_instances/half").await;
        assert_eq!(half.body["state"], "succeeded", "{written:?}: it was finished");
        assert_eq!(wire.delete(&format!("/v2/service_instances/ready?{DELETE}")).await.status, 200, "{written:?}");
        assert_eq!(lab.remains().len(), 2, "{written:?}: the binding was unbound, and the instance deleted");
        records.close().await;
    }
}
