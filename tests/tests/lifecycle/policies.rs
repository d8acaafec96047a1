//! The policies that an operator can set, over real connections.

use crate::{
    directed::World,
    served::{Answered, Served},
};
use osb_lab::{direct::exchange, prelude::*, wire::credentials};
use osb_runtime::{
    lifecycle::CredentialReads,
    protocol::{ApiVersion, Guids, MalformedDelete, MalformedIdentity, Policies},
};

/// `user:pass`
const AUTHORIZATION: (&str, &str) = ("Authorization", "Basic dXNlcjpwYXNz");

async fn serve(change: impl FnOnce(&mut HttpSettings)) -> Served {
    let mut settings = HttpSettings::default();
    change(&mut settings);
    Served::start(credentials(), settings).await
}

async fn serve_with(change: impl FnOnce(&mut Policies)) -> Served {
    serve(|settings| change(&mut settings.policies)).await
}

/// Sends a request of a platform with a version.
async fn ask(broker: &Served, version: &str, method: &str, path: &str, body: &Value) -> Answered {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    broker.send(method, path, &[AUTHORIZATION, ("X-Broker-API-Version", version)], &body).await
}

async fn put(broker: &Served, path: &str, body: &Value) -> u16 {
    ask(broker, "2.17", "PUT", path, body).await.status
}

async fn delete(broker: &Served, path: &str) -> u16 {
    ask(broker, "2.17", "DELETE", path, &Value::Null).await.status
}

#[tokio::test]
async fn x02_a_malformed_delete_of_an_unknown_resource_is_400_or_410() {
    for (deprovision, unbind) in [
        (MalformedDelete::BadRequest, MalformedDelete::BadRequest),
        (MalformedDelete::BadRequest, MalformedDelete::Gone),
        (MalformedDelete::Gone, MalformedDelete::BadRequest),
        (MalformedDelete::Gone, MalformedDelete::Gone),
    ] {
        let broker = serve_with(|policies| {
            policies.malformed_deprovision = deprovision;
            policies.malformed_unbind = unbind;
        })
        .await;
        let status = |policy| if policy == MalformedDelete::Gone { 410 } else { 400 };
        for query in ["", "?service_id=s", "?service_id=&plan_id=p", "?service_id=s&plan_id=%ff"] {
            let unknown = format!("{}{query}", instance("unknown"));
            assert_eq!(delete(&broker, &unknown).await, status(deprovision), "{unknown}");
            let unknown = format!("{}{query}", binding("unknown", "unknown"));
            assert_eq!(delete(&broker, &unknown).await, status(unbind), "{unknown}");
        }
        assert_eq!(delete(&broker, &format!("{}?{DELETE}", instance("unknown"))).await, 410, "well-formed");

        assert_eq!(put(&broker, &instance("i"), &new(ids::LARGE, json!({}))).await, 201);
        let mut body = bind(ids::LARGE, json!({}));
        body["bind_resource"] = json!({ "app_guid": "app" });
        assert_eq!(put(&broker, &binding("i", "b"), &body).await, 201);
        let unknown = format!("{}?plan_id=p", binding("i", "unknown"));
        assert_eq!(delete(&broker, &unknown).await, status(unbind), "{unknown}");
        for known in [binding("i", "b"), instance("i")] {
            for query in ["", "?service_id=s", "?plan_id=p", "?service_id=s&plan_id=p&accepts_incomplete=maybe"] {
                let answered = ask(&broker, "2.17", "DELETE", &format!("{known}{query}"), &Value::Null).await;
                assert_eq!(answered.status, 400, "S38, UNB-02, DEP-03: {known}{query}");
                assert!(
                    answered.body["description"].as_str().unwrap_or_default().contains("the query"),
                    "{answered:?}"
                );
            }
            let path = format!("{known}?service_id={}&plan_id={}", ids::LAB, ids::LARGE);
            assert_eq!(delete(&broker, &path).await, 200, "{known} was not touched before");
        }
    }
}

#[tokio::test]
async fn prov_05_the_guids_are_required_or_optional() {
    let (strict, lenient) = (serve(|_| {}).await, serve_with(|policies| policies.guids = Guids::Optional).await);
    for (id, organization, space, context) in [
        ("absent", None, None, json!({ "platform": "kubernetes", "namespace": "n" })),
        ("empty", Some(json!("")), Some(json!("")), json!({ "platform": "cloudfoundry" })),
        ("null", Some(Value::Null), Some(json!("s")), json!({})),
        ("in-context", None, None, json!({ "platform": "cloudfoundry", "organization_guid": "o", "space_guid": "s" })),
    ] {
        let mut body = new(ids::SMALL, json!({}));
        body["context"] = context;
        let fields = body.as_object_mut().expect("an object");
        for (name, value) in [("organization_guid", organization), ("space_guid", space)] {
            fields.remove(name);
            fields.extend(value.map(|value| (name.to_owned(), value)));
        }
        assert_eq!(put(&strict, &instance(id), &body).await, 400, "{id}");
        assert_eq!(put(&lenient, &instance(id), &body).await, 201, "{id}");
        assert_eq!(put(&lenient, &instance(id), &body).await, 200, "{id} again");
    }
    let mut wrong = new(ids::SMALL, json!({}));
    wrong["space_guid"] = json!(1);
    assert_eq!(put(&lenient, &instance("wrong"), &wrong).await, 400, "an optional GUID still has to be a string");
    assert_eq!(put(&lenient, &instance("both"), &new(ids::SMALL, json!({}))).await, 201);
    let mut elsewhere = new(ids::SMALL, json!({}));
    elsewhere["space_guid"] = json!("elsewhere");
    assert_eq!(put(&lenient, &instance("both"), &elsewhere).await, 409, "T04");
}

#[tokio::test]
async fn t41_a_malformed_identity_is_ignored_or_rejected() {
    let refuse = serve_with(|policies| policies.malformed_identity = MalformedIdentity::Refuse).await;
    let ignore = serve(|_| {}).await;
    for (identity, refused) in [
        ("cloudfoundry eyJ1c2VyX2lkIjoidSJ9", 200),
        ("", 400),
        ("cloudfoundry", 400),
        ("cloudfoundry !!!", 400),
        ("cloudfoundry W10=", 400),
    ] {
        let headers =
            [AUTHORIZATION, ("X-Broker-API-Version", "2.17"), ("X-Broker-API-Originating-Identity", identity)];
        assert_eq!(ignore.send("GET", "/v2/catalog", &headers, "").await.status, 200, "{identity}");
        let answered = refuse.send("GET", "/v2/catalog", &headers, "").await;
        assert_eq!(answered.status, refused, "{identity}");
        if refused == 400 {
            let description = answered.body["description"].as_str().unwrap_or_default();
            assert!(description.contains("X-Broker-API-Originating-Identity must consist of"), "{description}");
            assert!(!description.contains("W10"), "{description}");
        }
    }
    let unauthenticated = [("X-Broker-API-Originating-Identity", "x")];
    assert_eq!(refuse.send("GET", "/v2/catalog", &unauthenticated, "").await.status, 401, "T59");
    assert_eq!(ask(&refuse, "2.17", "GET", "/v2/catalog", &Value::Null).await.status, 200, "the header is optional");
}

/// A value that the broker rejects only if it parses `accepts_incomplete`.
const MAYBE: &str = "accepts_incomplete=maybe";

#[tokio::test]
async fn g3_accepts_incomplete_of_bindings_is_parsed_since_a_version() {
    let usual = serve(|_| {}).await;
    let early = serve_with(|policies| policies.asynchronous_bindings_since = ApiVersion::new(2, 7)).await;
    let path = format!("{}?{MAYBE}&{DELETE}", binding("i", "b"));
    for (version, by_default, when_early) in
        [("2.6", 410, 410), ("2.7", 410, 400), ("2.13", 410, 400), ("2.14", 400, 400)]
    {
        for (broker, status) in [(&usual, by_default), (&early, when_early)] {
            assert_eq!(ask(broker, version, "DELETE", &path, &Value::Null).await.status, status, "{version}");
        }
    }
}

/// Asked in this process: `Wire` refuses responses that the stated version doesn't have.
#[tokio::test]
async fn g3_bindings_are_asynchronous_since_a_version() {
    for (since, is_asynchronous) in [(14, false), (13, true)] {
        let mut settings = HttpSettings::default();
        settings.policies.asynchronous_bindings_since = ApiVersion::new(2, since);
        let broker = BrokerService::start(LabBroker { lab: Lab::default() }, credentials(), settings).await;
        let broker = broker.expect("it starts");
        let ask = async |method: &str, path: &str, body: &Value| {
            let headers = [AUTHORIZATION, ("X-Broker-API-Version", "2.13"), ("Content-Type", "application/json")];
            let (head, text) = exchange(&broker, method, path, &headers, &body.to_string()).await;
            (head.status.as_u16(), text)
        };
        let end = async |path: &str| loop {
            let (status, text) = ask("GET", &format!("{path}/last_operation"), &Value::Null).await;
            if !text.contains("in progress") {
                break (status, text.contains("succeeded"));
            }
            tokio::task::yield_now().await;
        };
        assert_eq!(ask("PUT", &accepting(I), &new(ids::SLOW, json!({}))).await.0, 202);
        assert_eq!(end(I).await, (200, true));
        let (status, text) = ask("PUT", &accepting(B), &bind(ids::SLOW, json!({}))).await;
        if is_asynchronous {
            assert_eq!((status, end(B).await), (202, (200, true)), "{text}");
            let (status, text) = ask("GET", B, &Value::Null).await;
            assert!(status == 200 && text.contains("credentials"), "{status} {text}");
            let unbind = format!("{B}?{DELETE}&accepts_incomplete=true");
            assert_eq!(ask("DELETE", &unbind, &Value::Null).await.0, 202);
            assert_eq!(end(B).await.0, 410);
        } else {
            assert!(status == 422 && text.contains("AsyncRequired"), "{text}");
        }
    }
}

#[tokio::test]
async fn prov_02_an_id_whose_creation_was_refused_can_be_used_again() {
    for unique_ids in [false, true] {
        let (wire, _) = lab_with(|settings| settings.unique_ids = unique_ids).await;
        let creations: [(_, fn(_, _) -> _, _); 2] = [(I, new, "The lab is full."), (B, bind, "No more keys.")];
        for (path, body, why) in creations {
            for _ in 0..2 {
                let refused = wire.put(path, body(ids::SMALL, json!({ "mood": "refuse" }))).await;
                assert_eq!((refused.status, refused.description()), (400, why), "{unique_ids}: {refused:?}");
            }
            assert_eq!(wire.put(path, body(ids::SMALL, json!({}))).await.status, 201, "{unique_ids}: {path}");
        }
    }
}

/// The binding is replaced while the store fails, after the old one was read.
#[tokio::test(start_paused = true)]
async fn bind_17_a_response_of_a_deleted_binding_does_not_take_the_credentials_of_the_next() {
    let once = |settings: &mut Settings| settings.credential_reads = CredentialReads::Once;
    let (mut world, a) = World::with(once).await;
    let b = world.process_with("b", once).await;
    world.create(&a, "made").await;
    world.bind(&a, "x", "old").await;
    a.refuse_commits(true);
    let path = "i/service_bindings/x";
    let replaced = async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        b.delete(path).await;
        world.call("b unbind x 1").await.end_deletion(&b).await;
        b.put(path).await;
        world.call("b bind x 1").await.end_creation("new", &b).await;
        a.refuse_commits(false);
    };
    let (fetched, ()) = tokio::join!(a.send("GET", path, None), replaced);
    assert_eq!(fetched.body.get("credentials"), None, "the old ones were not taken: {fetched:?}");
    let fetched = b.send("GET", path, None).await;
    assert_eq!(fetched.body["credentials"]["password"], "new", "{fetched:?}");
}

#[tokio::test]
async fn bind_17_a_client_that_hangs_up_takes_no_credentials() {
    let (wire, lab) = lab_with(|settings| settings.credential_reads = CredentialReads::Once).await;
    assert_eq!(wire.put(I, new(ids::SMALL, json!({}))).await.status, 201);
    let body = bind(ids::SMALL, json!({ "mood": "wait" }));
    tokio::select! {
        answer = wire.put(B, body.clone()) => panic!("it waits: {answer:?}"),
        () = lab.called(2) => {}
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    lab.gate.open();
    assert_eq!(wire.settled(B).await.body["state"], "succeeded");
    let repeated = wire.put(B, body.clone()).await;
    assert_eq!(repeated.body["credentials"]["password"], "password of b", "{repeated:?}");
    assert_eq!(wire.put(B, body).await.body, json!({}), "they are read once");
}
