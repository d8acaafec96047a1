//! The fields of answers.

use osb_lab::{
    lab::ids,
    requests::{B, DELETE, I, bind, lab, new},
    wire::Reply,
};
use osb_runtime::{
    json::{Json, Members},
    prelude::*,
};
use serde_json::{Value, json};

#[tokio::test]
async fn members_of_a_response_come_in_the_order_of_the_specification() {
    fn names(json: &Json) -> Vec<&str> {
        json.as_object().into_iter().flat_map(Members::iter).map(|(name, _)| name).collect()
    }
    let body = |reply: &Reply| Json::read(reply.text.as_bytes()).expect("a body is JSON");
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    let instance = body(&wire.get(I).await);
    let expected = ["service_id", "plan_id", "parameters", "dashboard_url", "metadata", "maintenance_info"];
    assert_eq!(names(&instance), expected);
    let bound = wire.put(B, bind(ids::SMALL, json!({}))).await;
    for binding in [bound, wire.get(B).await] {
        assert_eq!(names(&body(&binding)["credentials"]), ["user", "password"], "as the struct's fields: {binding:?}");
    }
    lab.deletions_go(osb_lab::lab::Behaviour::Refuse);
    wire.delete(&format!("{B}?{DELETE}")).await;
    assert_eq!(names(&body(&wire.get(&format!("{B}/last_operation")).await)), ["state", "description"]);
    let large = "/v2/service_instances/large";
    wire.put(large, new(ids::LARGE, json!({}))).await;
    let refused = wire.put(&format!("{large}/service_bindings/b"), bind(ids::LARGE, json!({}))).await;
    assert_eq!(names(&body(&refused)), ["error", "description"]);
}

#[tokio::test]
async fn a_failed_unbind_has_no_instance_usable() {
    let (wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    wire.put(B, bind(ids::SMALL, json!({}))).await;
    lab.deletions_go(osb_lab::lab::Behaviour::Refuse);
    assert_eq!(wire.delete(&format!("{B}?{DELETE}")).await.status, 422);
    let reply = wire.get(&format!("{B}/last_operation")).await;
    assert_eq!(reply.body, json!({ "state": "failed", "description": "It is in use." }), "LOB-03");
}

#[test]
fn times_have_the_format_that_platforms_parse() {
    use std::time::{Duration, SystemTime};
    let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    let write = |bound: Bound<Endpoints, ()>| {
        let mut fields = Members::default();
        bound.write(&mut fields).map(|()| Value::from(Json::from(fields)))
    };
    let bound = || Bound::new(Endpoints(Vec::new()), ());
    let written = write(bound().expires_at(at(1_577_836_799)).renew_before(at(1_577_750_399))).expect("in order");
    assert_eq!(
        written["metadata"],
        json!({ "expires_at": "2019-12-31T23:59:59.0Z", "renew_before": "2019-12-30T23:59:59.0Z" }),
        "BIND-24, BIND-25, T50"
    );
    assert!(write(bound().expires_at(at(1)).renew_before(at(2))).is_err(), "BIND-25: renewed too late");
}
