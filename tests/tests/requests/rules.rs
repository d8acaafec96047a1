//! Requests for instances and bindings, their answers, and what rejected requests leave unchanged.

use osb_lab::{prelude::*, requests::with};

/// Returns the body with each of the values in each of the fields, and without each of the fields.
fn spoilt(body: &Value, fields: &[&str], values: &[Value]) -> Vec<Value> {
    let mut all = Vec::new();
    for field in fields {
        all.extend(values.iter().map(|value| with(body.clone(), field, value.clone())));
        let mut without = body.clone();
        without.as_object_mut().expect("an object").remove(*field);
        all.push(without);
    }
    all
}

#[tokio::test]
async fn prov_01_each_id_is_a_separate_instance() {
    let (wire, lab) = lab().await;
    for (id, size) in [("one", 1), ("two", 2), ("Two", 3), ("two ", 4)] {
        let encoded = id.replace(' ', "%20");
        let reply = wire.put(&instance(&encoded), new(ids::SMALL, json!({ "size": size }))).await;
        assert_eq!(reply.status, 201, "PROV-01, PROV-10: {id:?}");
        assert_eq!(reply.body["dashboard_url"], json!(format!("https://lab.example.com/{encoded}")), "PROV-16");
    }
    assert_eq!(lab.inventory(), ["Two=smallx3", "one=smallx1", "two=smallx2", "two =smallx4"], "PROV-01");
    wire.patch(&instance("two"), change(json!({ "parameters": { "size": 9 } }))).await;
    delete(&wire, &instance("one")).await;
    assert_eq!(lab.inventory(), ["Two=smallx3", "two=smallx9", "two =smallx4"], "PROV-01: later requests refer to it");
    let sizes = [("one", Value::Null), ("two", json!(9)), ("Two", json!(3))];
    for (id, size) in sizes {
        assert_eq!(wire.get(&instance(id)).await.body["parameters"]["size"], size, "PROV-01: {id}");
    }
}

#[tokio::test]
async fn prov_15_incomplete_and_mistyped_create_requests_are_rejected() {
    let (wire, lab) = lab().await;
    let good = new(ids::SMALL, json!({}));
    let mandatory = ["service_id", "plan_id", "organization_guid", "space_guid"];
    let mut bad = spoilt(&good, &mandatory, &[Value::Null, json!(""), json!(1), json!({}), json!(["x"])]);
    for field in ["context", "parameters", "maintenance_info"] {
        bad.extend([json!("x"), json!(1), json!([]), json!(true)].map(|value| with(good.clone(), field, value)));
    }
    bad.push(with(good.clone(), "maintenance_info", json!({ "version": 1 })));
    for body in bad {
        let reply = wire.put(I, body.clone()).await;
        assert_eq!(reply.status, 400, "PROV-15, PROV-03, PROV-04: {body}");
        assert!(!reply.description().is_empty(), "{body}");
    }
    for (field, why) in [
        ("service_id", "service_id \"unknown\" is not a service of this broker."),
        ("plan_id", "plan_id \"unknown\" is not a plan of this service."),
    ] {
        let reply = wire.put(I, with(good.clone(), field, json!("unknown"))).await;
        assert_eq!((reply.status, reply.description()), (400, why), "PROV-03, PROV-04");
    }
    assert_eq!((lab.calls(), wire.get(I).await.status), (0, 404), "ERR-08");
    let bad_query = format!("{I}?accepts_incomplete=yes");
    assert_eq!(wire.put(&bad_query, good.clone()).await.status, 400, "PROV-15, T36");
    assert_eq!(wire.put(I, good).await.status, 201, "only the fields were wrong");
}

#[tokio::test]
async fn upd_13_upd_04_incomplete_and_mistyped_updates_are_rejected() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({ "size": 2 }))).await;
    let before = (lab.inventory(), wire.get(I).await.body);
    let good = change(json!({ "plan_id": ids::SMALL, "parameters": { "size": 3 } }));
    let mut bad = spoilt(&good, &["service_id"], &[Value::Null, json!(""), json!(1), json!({}), json!("no-service")]);
    bad.extend([json!(""), json!(1), json!({}), json!("no-plan")].map(|value| with(good.clone(), "plan_id", value)));
    for field in ["context", "parameters", "maintenance_info", "previous_values"] {
        bad.extend([json!("x"), json!(1), json!([]), json!(true)].map(|value| with(good.clone(), field, value)));
    }
    for body in bad {
        assert_eq!(wire.patch(I, body.clone()).await.status, 400, "UPD-13, UPD-04, UPD-05: {body}");
        assert_eq!((lab.inventory(), wire.get(I).await.body), before, "UPD-17, ERR-08: {body}");
    }
    assert_eq!(wire.patch(&format!("{I}?accepts_incomplete=1"), good.clone()).await.status, 400, "UPD-13, T36");
    assert_eq!(wire.patch(I, good).await.status, 200, "only the fields were wrong");
    assert_eq!(lab.inventory(), ["i=smallx3"]);
}

#[tokio::test]
async fn upd_05_upd_06_absent_fields_of_an_update_do_not_change() {
    let (wire, lab) = lab().await;
    let chosen = json!({ "size": 7, "ratio": 2, "name": "first" });
    wire.put(I, new(ids::SMALL, chosen.clone())).await;
    for fields in [
        json!({}),
        json!({ "parameters": null }),
        json!({ "plan_id": ids::SMALL }),
        json!({ "context": { "platform": "cloudfoundry", "space_name": "n" } }),
        json!({ "maintenance_info": { "version": "1.2.0" } }),
        json!({ "previous_values": { "plan_id": ids::LARGE } }),
    ] {
        assert_eq!(wire.patch(I, change(fields.clone())).await.status, 200, "UPD-11: {fields}");
        let fetched = wire.get(I).await.body;
        assert_eq!(fetched["parameters"], chosen, "UPD-06, T26: {fields}");
        assert_eq!(fetched["plan_id"], ids::SMALL, "UPD-05: {fields}");
    }
    assert_eq!(lab.inventory(), ["i=smallx7"], "UPD-06");
    assert_eq!(wire.patch(I, change(json!({ "parameters": { "size": 8 } }))).await.status, 200);
    assert_eq!(wire.get(I).await.body["plan_id"], ids::SMALL, "UPD-05");
    assert_eq!(wire.patch(I, change(json!({ "plan_id": ids::LARGE }))).await.status, 200);
    let expected = json!({ "size": 8, "ratio": 2, "name": "first" });
    assert_eq!(wire.get(I).await.body["parameters"], expected, "UPD-06: also when the plan changes");
    assert_eq!(lab.inventory(), ["i=largex8"], "UPD-06");
}

#[tokio::test]
async fn geti_01_getb_01_instances_and_bindings_of_every_plan_can_be_fetched() {
    let (wire, _) = lab().await;
    let catalog = wire.get("/v2/catalog").await;
    for what in ["instances_retrievable", "bindings_retrievable"] {
        assert_eq!(catalog.body["services"][0][what], json!(true));
    }
    for plan in [ids::SMALL, ids::LARGE, ids::TWIN, ids::CLOSED] {
        wire.put(&instance(plan), new(plan, json!({}))).await;
        let bound = wire.put(&binding(plan, "b"), with(bind(plan, json!({})), "app_guid", json!("a"))).await;
        assert_eq!(bound.status == 201, plan != ids::CLOSED, "BIND-07: {bound:?}");
        for hints in ["", "?service_id=s&plan_id=p", "?plan_id=p"] {
            let fetched = wire.get(&format!("{}{hints}", instance(plan))).await;
            assert_eq!((fetched.status, &fetched.body["plan_id"]), (200, &json!(plan)), "GETI-01, T39: {hints}");
            assert_eq!(fetched.body["service_id"], ids::LAB, "GETI-04");
            if bound.status == 201 {
                let fetched = wire.get(&format!("{}{hints}", binding(plan, "b"))).await;
                assert_eq!(fetched.status, 200, "GETB-01, GETB-03: {hints}");
                for (name, value) in bound.body.as_object().expect("an object") {
                    assert_eq!(&fetched.body[name], value, "GETB-01: {name}");
                }
            }
        }
    }
}

#[tokio::test]
async fn bind_15_bind_03_incomplete_and_mistyped_requests_are_rejected() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    let before = lab.inventory();
    let good = bind(ids::SMALL, json!({}));
    let wrong = [Value::Null, json!(""), json!(1), json!({}), json!("unknown"), json!(ids::LARGE)];
    let mut bad = spoilt(&good, &["service_id", "plan_id"], &wrong);
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
