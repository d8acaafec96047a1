//! Requests for bindings, and the answers for each type of binding.

use osb_lab::{
    lab::ids,
    requests::{B, I, bind, binding, instance, lab, new, with},
    wire::Wire,
};
use osb_runtime::{
    prelude::*,
    service::{Endpoint, Endpoints},
};
use serde_json::{Map, Value, json};

#[tokio::test]
async fn bind_15_bind_03_incomplete_and_mistyped_requests_are_rejected() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    let before = lab.inventory();
    let good = bind(ids::SMALL, json!({}));
    let mut bad = Vec::new();
    for field in ["service_id", "plan_id"] {
        let values = [Value::Null, json!(""), json!(1), json!({}), json!("unknown"), json!(ids::LARGE)];
        bad.extend(values.map(|value| with(good.clone(), field, value)));
        let mut without = good.clone();
        without.as_object_mut().expect("an object").remove(field);
        bad.push(without);
    }
    for field in ["context", "parameters", "bind_resource"] {
        bad.extend([json!("x"), json!(1), json!([]), json!(true)].map(|value| with(good.clone(), field, value)));
    }
    bad.push(with(good.clone(), "app_guid", json!(1)));
    bad.push(with(good.clone(), "bind_resource", json!({ "app_guid": 1 })));
    for body in bad {
        assert_eq!(wire.put(B, body.clone()).await.status, 400, "BIND-15, BIND-03: {body}");
        assert_eq!((lab.inventory(), wire.get(B).await.status), (before.clone(), 404), "ERR-08: {body}");
    }
    assert_eq!(wire.put(&format!("{B}?accepts_incomplete=1"), good.clone()).await.status, 400, "BIND-15, T36");
    assert_eq!(wire.put(B, good).await.status, 201, "only the fields were wrong");
}

#[tokio::test]
async fn getb_01_bindings_of_every_bindable_plan_can_be_fetched() {
    let (wire, _) = lab().await;
    let catalog = wire.get("/v2/catalog").await;
    assert_eq!(catalog.body["services"][0]["bindings_retrievable"], json!(true));
    for plan in [ids::SMALL, ids::LARGE, ids::TWIN] {
        wire.put(&instance(plan), new(plan, json!({}))).await;
        let bound = wire.put(&binding(plan, "b"), with(bind(plan, json!({})), "app_guid", json!("a"))).await;
        assert_eq!(bound.status, 201, "BIND-07");
        for hints in ["", "?service_id=s&plan_id=p"] {
            let fetched = wire.get(&format!("{}{hints}", binding(plan, "b"))).await;
            assert_eq!(fetched.status, 200, "GETB-01, GETB-03");
            for (name, value) in bound.body.as_object().expect("an object") {
                assert_eq!(&fetched.body[name], value, "GETB-01: {name}");
            }
        }
    }
}

/// All types of bindings.
#[service(id = "9f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "every", plans(Forwarded, Aside, Wired, Mounted))]
struct Every;

/// The platform forwards requests.
#[plan(id = "9f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "forwarded", bindable)]
struct Forwarded;

/// The proxy is set up without the platform.
#[plan(id = "9f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "aside", bindable)]
struct Aside;

/// Over the network.
#[plan(id = "9f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "wired", bindable)]
struct Wired;

/// In the file system, with its logs.
#[plan(id = "9f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "mounted", bindable)]
struct Mounted;

/// The credentials.
#[credentials]
struct Password {
    /// The password.
    word: String,
}

osb_lab::provision_nothing!(Every);

osb_lab::bind_nothing! {
    Every: Forwarded => RouteService = |_new| RouteService::from_static("https://proxy.example.com/x");
    Every: Aside => RouteService = |_new| RouteService::out_of_band();
    Every: Wired => (Credentials<Password>, Endpoints) = |new| (
        Credentials(Password { word: format!("word of {}", new.id()) }),
        Endpoints(vec![
            Endpoint::tcp("a.example.com", 443).port(8443).ports(9000..=9010),
            Endpoint::udp("10.0.0.1", 53),
        ]),
    );
    Every: Mounted => (LogDrain, VolumeMounts) = |_new| (
        LogDrain::from_static("syslog://logs.example.com"),
        VolumeMounts(vec![
            mount("/a", true, Map::new()),
            mount("/b", false, Map::from_iter([("x".to_owned(), json!(1))])),
        ]),
    );
}

fn mount(path: &str, read_only: bool, mount_config: Map<String, Value>) -> VolumeMount {
    let (driver, container_dir) = ("nfs".to_owned(), path.to_owned());
    VolumeMount { driver, container_dir, read_only, volume_id: format!("v{path}"), mount_config }
}

#[broker]
struct EveryBroker(Every);

/// Returns the answer to binding a plan, and the service in the catalog.
async fn given(plan: &str) -> (Value, Value) {
    let wire = Wire::serve(EveryBroker(Every)).await;
    let service = wire.get("/v2/catalog").await.body["services"][0].clone();
    let mut plans = service["plans"].as_array().expect("plans").iter();
    let plan = plans.find(|listed| listed["name"] == plan).expect("it is listed");
    let names = json!({
        "service_id": service["id"], "plan_id": plan["id"], "organization_guid": "o", "space_guid": "s",
    });
    assert_eq!(wire.put(I, names.clone()).await.status, 201);
    let bound = wire.put(B, names.clone()).await;
    assert_eq!(bound.status, 201, "BIND-07");
    assert_eq!(wire.put(B, names).await.body, bound.body, "BIND-08, X04");
    assert_eq!(wire.get(B).await.body, bound.body, "GETB-03, X05");
    (bound.body, service)
}

fn requires(service: &Value, what: &str) -> bool {
    service["requires"].as_array().expect("an array").contains(&json!(what))
}

#[tokio::test]
async fn bind_19_a_proxied_route_service_has_a_url() {
    let (bound, service) = given("forwarded").await;
    assert_eq!(bound, json!({ "route_service_url": "https://proxy.example.com/x" }), "BIND-19");
    assert!(requires(&service, "route_forwarding"), "BIND-19, CAT-14");
    let (bound, _) = given("aside").await;
    assert_eq!(bound, json!({}), "BIND-19: arranged out of band");
}

#[tokio::test]
async fn bind_18_bind_20_bind_21_volume_mounts_and_log_drains_are_complete() {
    let (bound, service) = given("mounted").await;
    let mount = |path: &str, mode: &str, device: Value| json!({ "driver": "nfs", "container_dir": path, "mode": mode, "device_type": "shared", "device": device });
    let mounts = [
        mount("/a", "r", json!({ "volume_id": "v/a" })),
        mount("/b", "rw", json!({ "volume_id": "v/b", "mount_config": { "x": 1 } })),
    ];
    assert_eq!(bound["volume_mounts"], json!(mounts), "BIND-20, BIND-21");
    assert_eq!(bound["syslog_drain_url"], json!("syslog://logs.example.com"), "BIND-18");
    assert!(requires(&service, "volume_mount"), "BIND-20, CAT-14");
    assert!(requires(&service, "syslog_drain"), "BIND-18, CAT-14");
}

#[tokio::test]
async fn bind_17_bind_22_bind_23_credentials_and_endpoints_are_complete() {
    let (bound, _) = given("wired").await;
    assert_eq!(bound["credentials"], json!({ "word": "word of b" }), "BIND-16, BIND-17");
    let endpoints = json!([
        { "host": "a.example.com", "ports": ["443", "8443", "9000-9010"], "protocol": "tcp" },
        { "host": "10.0.0.1", "ports": ["53"], "protocol": "udp" },
    ]);
    assert_eq!(bound["endpoints"], endpoints, "BIND-22, BIND-23, T51");
}
