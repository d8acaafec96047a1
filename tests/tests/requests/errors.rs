//! The answers to failing requests, which leave everything unchanged.

use osb_lab::{prelude::*, requests::with};
use osb_runtime::prelude::*;

/// Sends one request for each kind of failure. Returns the operation, the status according to the specification, and
/// the answer.
async fn failures() -> Vec<(&'static str, u16, Reply)> {
    let (mut wire, lab) = lab().await;
    wire.put(I, new(ids::SMALL, json!({}))).await;
    wire.put(B, bind(ids::SMALL, json!({}))).await;
    wire.put("/v2/service_instances/l", new(ids::LARGE, json!({}))).await;
    wire.put("/v2/service_instances/sticky", new(ids::SMALL, json!({ "name": "sticky" }))).await;
    let other = "/v2/service_instances/other";
    let conflicting = || with(new(ids::SMALL, json!({})), "maintenance_info", json!({ "version": "0.0.1" }));
    let mood = |mood: &str| json!({ "mood": mood });
    let mut all = vec![
        ("catalog", 405, wire.put("/v2/catalog", json!({})).await),
        ("none", 404, wire.get("/v2/nothing").await),
        ("provision", 400, wire.put(other, json!({})).await),
        ("provision", 400, wire.put(other, new("no-plan", json!({}))).await),
        ("provision", 400, wire.put(other, new(ids::SMALL, json!({ "size": 0 }))).await),
        ("provision", 400, wire.put(other, new(ids::SMALL, mood("refuse"))).await),
        ("provision", 409, wire.put(I, new(ids::LARGE, json!({}))).await),
        ("provision", 422, wire.put(other, conflicting()).await),
        ("provision", 500, wire.put(other, new(ids::SMALL, mood("fail"))).await),
        ("provision", 500, wire.put(other, new(ids::SMALL, mood("panic"))).await),
        ("fetch", 404, wire.get(other).await),
        ("update", 400, wire.patch(I, json!({})).await),
        ("update", 400, wire.patch(I, change(json!({ "parameters": { "size": 0 } }))).await),
        ("update", 404, wire.patch(other, change(json!({}))).await),
        ("update", 422, wire.patch(I, change(json!({ "plan_id": ids::CLOSED }))).await),
        ("update", 422, wire.patch(I, change(json!({ "maintenance_info": { "version": "0.0.1" } }))).await),
        ("update", 422, wire.patch(I, change(json!({ "parameters": mood("refuse") }))).await),
        ("update", 500, wire.patch(I, change(json!({ "parameters": mood("fail") }))).await),
        ("bind", 400, wire.put(&binding("i", "c"), json!({})).await),
        ("bind", 400, wire.put(&binding("i", "c"), bind(ids::SMALL, mood("refuse"))).await),
        ("bind", 404, wire.put(&binding("other", "c"), bind(ids::SMALL, json!({}))).await),
        ("bind", 409, wire.put(B, bind(ids::SMALL, mood("dawdle"))).await),
        ("bind", 422, wire.put(&binding("l", "c"), bind(ids::LARGE, json!({}))).await),
        ("bind", 500, wire.put(&binding("i", "c"), bind(ids::SMALL, mood("fail"))).await),
        ("fetch", 404, wire.get(&binding("i", "c")).await),
        ("unbind", 400, wire.delete(B).await),
        ("unbind", 410, delete(&wire, &binding("i", "c")).await),
        ("deprovision", 400, wire.delete(I).await),
        ("deprovision", 410, delete(&wire, other).await),
        ("deprovision", 422, delete(&wire, "/v2/service_instances/sticky").await),
    ];
    lab.deletions_go(Behaviour::Refuse);
    all.push(("unbind", 422, delete(&wire, B).await));
    lab.deletions_go(Behaviour::Fail);
    all.push(("unbind", 500, delete(&wire, B).await));
    all.push(("deprovision", 500, delete(&wire, I).await));
    wire.speak("1.0");
    all.push(("catalog", 412, wire.get("/v2/catalog").await));
    all
}

#[tokio::test]
async fn err_01_every_failure_has_its_status() {
    for (operation, status, reply) in failures().await {
        assert_eq!(reply.status, status, "ERR-01: {operation} {}", reply.body);
    }
}

#[tokio::test]
async fn err_10_err_11_only_failed_updates_and_deletions_have_instance_usable() {
    let mut said = Vec::new();
    for (operation, _, reply) in failures().await {
        let says = |name| reply.body.get(name).is_some();
        let (usable, repeatable) = (says("instance_usable"), says("update_repeatable"));
        assert!(!usable || ["update", "deprovision"].contains(&operation), "ERR-10, T47: {operation} {}", reply.body);
        assert!(!repeatable || operation == "update", "ERR-11, T47: {operation} {}", reply.body);
        assert!(!usable || reply.body["instance_usable"] == false, "ERR-10: {}", reply.body);
        said.extend((usable || repeatable).then_some((operation, usable, repeatable)));
    }
    // Where the author says so, and after a deletion that failed unexpectedly, which has to be repeated.
    let expected = [("update", false, true), ("deprovision", true, false), ("deprovision", true, false)];
    assert_eq!(said, expected, "ERR-10, ERR-11");
}

/// Fails as the id of the instance specifies.
#[service(id = "7f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "rude", plans(Any))]
struct Rude;

/// The only plan.
#[plan(id = "7f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "any")]
struct Any;

impl Provision<Any> for Rude {
    type State = ();

    async fn provision(&self, request: ProvisionRequest<Any>, _: &Operation) -> Result<Provisioned, ProvisionError> {
        let (code, description) = request.id().split_once(':').unwrap_or_default();
        Err(ProvisionError::refused(description).code(ErrorCode::new(code)?))
    }

    async fn deprovision(&self, _: DeprovisionRequest<Any>, _: &Operation) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

#[broker]
struct RudeBroker(Rude);

#[tokio::test]
async fn err_02_err_03_an_author_cannot_set_other_codes() {
    let wire = Wire::serve(RudeBroker(Rude)).await;
    let body = new_of("7f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a01", "7f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a02", json!({}));
    let nothing = "The service broker refused the request without giving a reason.";
    for (said, told) in [
        ("QuotaExceeded:No.", json!({ "error": "QuotaExceeded", "description": "No." })),
        ("QuotaExceeded:", json!({ "error": "QuotaExceeded", "description": nothing })),
    ] {
        let reply = wire.put(&instance(said), body.clone()).await;
        assert_eq!((reply.status, reply.body), (400, told), "ERR-02, ERR-03, T48: {said}");
    }
    // Platforms act on the last two codes, so an author can't set them.
    for said in
        [":No.", "quota_exceeded:No.", "Quota%20exceeded:No.", "Quota.Exceeded:", "AsyncRequired:", "RequiresApp:"]
    {
        let reply = wire.put(&instance(said), body.clone()).await;
        assert_eq!((reply.status, reply.body.get("error")), (500, None), "ERR-02, T48: {said}");
    }
}
