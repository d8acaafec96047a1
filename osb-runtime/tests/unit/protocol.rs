//! Which requests are accepted from which versions, and the errors for all others.

use std::sync::Arc;

use http::{HeaderMap, HeaderValue, StatusCode};
use serde_json::{Map, Value, json};

use super::{
    Answer, ApiVersion, BindingId, Context, DeleteResource, Endpoint, GetLastOperation, InstanceId, Origin,
    PatchInstance, Policies, PutBinding, PutInstance, Query, RequestMeta, Tenant,
    headers::RequestHeaders,
    parse::{Malformed, Unparsed},
    path_id,
};

fn meta(minor: u32) -> RequestMeta {
    RequestMeta {
        tenant: Tenant::default(),
        version: ApiVersion::new(2, minor),
        origin: None,
        request_identity: None,
        trace: None,
        accepts_incomplete: false,
    }
}

fn unparsed<T>(minor: u32, query: &str, body: impl ToString, parse: impl FnOnce(Unparsed<'_>) -> T) -> T {
    let (policies, body) = (Policies::default(), body.to_string());
    parse(Unparsed { policies: &policies, meta: meta(minor), query: Query::of(query), body: body.as_bytes() })
}

fn provision(minor: u32, query: &str, body: &Value) -> Result<PutInstance, Malformed> {
    unparsed(minor, query, body, |request| request.provision("i".into()))
}

fn update(minor: u32, query: &str, body: &Value) -> Result<PatchInstance, Malformed> {
    unparsed(minor, query, body, |request| request.update("i".into()))
}

fn bind(minor: u32, query: &str, body: &Value) -> Result<PutBinding, Malformed> {
    unparsed(minor, query, body, |request| request.bind("i".into(), "b".into()))
}

fn delete(minor: u32, binding: bool, query: &str) -> Result<DeleteResource, Malformed> {
    let endpoint = if binding { Endpoint::Unbind } else { Endpoint::Deprovision };
    unparsed(minor, query, "", |request| request.delete(endpoint, "i".into()))
}

fn poll(query: &str) -> Result<GetLastOperation, Malformed> {
    unparsed(17, query, "", |request| request.poll("i".into(), None))
}

fn error<T: std::fmt::Debug>(outcome: Result<T, Malformed>) -> String {
    outcome.unwrap_err().0
}

/// The fields that are mandatory in a provision.
fn ids() -> Value {
    json!({"service_id": "s", "plan_id": "p", "organization_guid": "o", "space_guid": "sp"})
}

fn with(mut object: Value, more: &Value) -> Value {
    let fields = object.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    object
}

#[test]
fn t68_debug_output_has_names_and_no_values() {
    for context in [
        json!({ "platform": "cloudfoundry", "organization_guid": "MARK", "space_guid": "MARK", "instance_name": "MARK" }),
        json!({ "platform": "kubernetes", "namespace": "MARK", "clusterid": "MARK" }),
        json!({ "platform": "MARK", "namespace": "MARK" }),
    ] {
        let secrets = json!({
            "context": context, "parameters": { "password": "MARK" },
            "bind_resource": { "app_guid": "MARK", "credential_client_id": "MARK" }, "app_guid": "MARK",
            "organization_guid": "MARK", "space_guid": "MARK",
        });
        let body = with(ids(), &secrets);
        let answer = Answer::object(StatusCode::CREATED, json!({ "credentials": { "password": "MARK" } }));
        let identity = Origin {
            platform: "cloudfoundry".to_owned(),
            user: Map::from_iter([("email".to_owned(), "MARK".into())]).into(),
        };
        for shown in [
            format!("{:?}", provision(17, "", &body)),
            format!("{:?}", update(17, "", &body)),
            format!("{:?}", bind(17, "", &body)),
            format!("{:?}", RequestMeta { origin: Some(Arc::new(identity.clone())), ..meta(17) }),
            format!("{answer:?}"),
        ] {
            assert!(!shown.contains("MARK"), "{shown}");
            let names = ["namespace", "space_guid", "credentials", "email"];
            assert!(names.iter().any(|name| shown.contains(name)), "{shown}");
        }
    }
}

#[test]
fn prov_a_request_of_cloud_foundry_is_parsed_completely() {
    let body = with(
        ids(),
        &json!({
            "context": {"platform": "cloudfoundry", "organization_guid": "o", "space_guid": "sp", "instance_name": "mine"},
            "parameters": {"size": 3},
            "maintenance_info": {"version": "1.2.3+x", "description": "ignored"},
            "unknown": [1],
        }),
    );
    let request = provision(15, "accepts_incomplete=true", &body).unwrap();
    assert!(request.meta.accepts_incomplete);
    assert_eq!((request.service_id.as_str(), request.plan_id.as_str()), ("s", "p"));
    assert_eq!(request.organization_guid.as_deref(), Some("o"));
    assert_eq!(request.maintenance_version.as_deref(), Some("1.2.3+x"));
    assert_eq!(request.parameters["size"], 3);
    let context = Context::from_fields(request.context);
    let place = context.cloud_foundry().expect("it is Cloud Foundry");
    assert_eq!((place.instance_name.as_deref(), context.kubernetes()), (Some("mine"), None));

    let request = provision(15, "", &with(ids(), &json!({ "context": {"platform": "kubernetes", "namespace": "ns"} })));
    let context = Context::from_fields(request.unwrap().context);
    assert_eq!(context.kubernetes().map(|place| place.namespace.as_str()), Some("ns"));
    assert_eq!(context.cloud_foundry(), None);
}

#[test]
fn err_12_all_errors_are_listed_without_values() {
    let body =
        json!({"service_id": 7, "plan_id": "", "space_guid": null, "parameters": ["hidden"], "context": "hidden"});
    let description = error(provision(17, "accepts_incomplete=hidden", &body));
    for part in [
        "the query parameter `accepts_incomplete` must be `true` or `false`",
        "`service_id` has to be a string, not a number",
        "`plan_id` must not be empty",
        "`organization_guid` is missing",
        "`space_guid` is missing",
        "`parameters` has to be an object, not an array",
        "`context` has to be an object, not a string",
    ] {
        assert!(description.contains(part), "{part} in {description}");
    }
    assert_eq!(description.matches("service_id").count(), 1, "{description}");
    assert!(!description.contains("hidden"), "{description}");
}

#[test]
fn hdr_09_a_body_has_to_be_a_json_object() {
    let policies = Policies::default();
    let parse = |body: &[u8]| {
        let request = Unparsed { policies: &policies, meta: meta(17), query: Query::of(""), body };
        error(request.provision("i".into()))
    };
    assert_eq!(parse(b""), "the body is empty; it has to be a JSON object");
    assert_eq!(parse(b" \n"), "the body is empty; it has to be a JSON object");
    assert_eq!(parse(b"[\"hidden\"]"), "the body has to be a JSON object, not an array");
    assert_eq!(parse(b"\"hidden\""), "the body has to be a JSON object, not a string");
    assert_eq!(parse(b"null"), "the body has to be a JSON object, not null");
    assert_eq!(parse(b"{\n  \"hidden\" 1}"), "the body can't be read as JSON: expected `:` at line 2 column 12");
    assert!(parse(b"{\"a\": 1, }").starts_with("the body can't be read as JSON: "), "S46");
    assert!(parse(b"{\"a\": \"\xff\"}").starts_with("the body can't be read as JSON: invalid unicode"));
    assert_eq!(parse("[".repeat(10_000).as_bytes()), "the body is nested deeper than 100 levels");
}

#[test]
fn a_missing_context_is_created_from_the_guids() {
    let context = provision(11, "", &ids()).unwrap().context;
    let Context::CloudFoundry(place) = Context::from_fields(context) else { panic!("not Cloud Foundry") };
    assert_eq!((place.organization_guid.as_str(), place.space_guid.as_str()), ("o", "sp"));

    let context = provision(12, "", &ids()).unwrap().context;
    assert_eq!(context.string("platform"), None);
    assert_eq!(context["organization_guid"], "o");
}

#[test]
fn t39b_empty_objects_and_nulls_count_as_absent() {
    for empty in [json!({}), Value::Null] {
        let body = with(
            ids(),
            &json!({
                "maintenance_info": empty, "previous_values": empty, "bind_resource": empty, "context": empty,
            }),
        );
        assert_eq!(provision(17, "", &body).unwrap().maintenance_version, None);
        let updated = update(17, "", &body).unwrap();
        assert_eq!((updated.maintenance_version, updated.context), (None, None));
        assert_eq!((updated.previous.service_id, updated.previous.plan_id), (None, None));
        assert!(bind(17, "", &body).unwrap().bind_resource.fields.is_empty());
    }
    let body = with(ids(), &json!({"maintenance_info": {"version": ""}, "parameters": null}));
    let request = provision(17, "", &body).unwrap();
    assert_eq!(request.maintenance_version, None);
    assert_eq!(*request.parameters, json!({}));
}

#[test]
fn t26_an_update_distinguishes_absent_and_empty_parameters() {
    assert_eq!(update(17, "", &json!({"service_id": "s"})).unwrap().parameters, None);
    assert_eq!(update(17, "", &json!({"service_id": "s", "parameters": null})).unwrap().parameters, None);
    let request = update(17, "", &json!({"service_id": "s", "parameters": {}})).unwrap();
    assert!(request.parameters.is_some_and(|parameters| parameters.is_empty()));
}

#[test]
fn s09_t35_the_app_guid_is_read_in_both_places() {
    let catalog_ids = json!({"service_id": "s", "plan_id": "p"});
    let guid = |more: &Value| bind(17, "", &with(catalog_ids.clone(), more)).unwrap().bind_resource;
    assert_eq!(guid(&json!({})).app_guid, None);
    assert_eq!(guid(&json!({"app_guid": ""})).app_guid, None);
    let old = guid(&json!({"app_guid": "a"}));
    assert_eq!(old.app_guid.as_deref(), Some("a"));
    assert_eq!(old, guid(&json!({"bind_resource": {"app_guid": "a"}})));
    let both = guid(&json!({"app_guid": "old", "bind_resource": {"app_guid": "a", "route": "r", "extra": true}}));
    assert_eq!((both.app_guid.as_deref(), both.route.as_deref()), (Some("a"), Some("r")));
    assert_eq!(both.fields["extra"], true);
    assert_eq!(
        error(bind(17, "", &with(catalog_ids, &json!({"bind_resource": {"route": 1}})))),
        "`bind_resource.route` has to be a string, not a number"
    );
}

#[test]
fn t32_a_rotation_needs_only_its_predecessor() {
    let request = bind(17, "", &json!({"predecessor_binding_id": "old"})).unwrap();
    assert_eq!(request.predecessor, Some(BindingId::from("old")));
    assert_eq!(request.service_id, None);
    assert_eq!(error(bind(17, "", &json!({}))), "`service_id` is missing; `plan_id` is missing");
    assert!(error(bind(17, "", &json!({"predecessor_binding_id": "\0"}))).contains("must not contain U+0000"));
}

#[test]
fn t36_accepts_incomplete_is_true_or_false() {
    let accepts = |minor, query| provision(minor, query, &ids()).map(|request| request.meta.accepts_incomplete);
    assert_eq!(accepts(17, "accepts_incomplete=true"), Ok(true));
    assert_eq!(accepts(17, "a&accepts%5Fincomplete=%74rue&b=%"), Ok(true));
    assert_eq!(accepts(17, "accepts_incomplete=false"), Ok(false));
    assert_eq!(accepts(17, "x=accepts_incomplete=true"), Ok(false));
    for wrong in ["accepts_incomplete", "accepts_incomplete=", "accepts_incomplete=1", "accepts_incomplete=%ff"] {
        assert!(accepts(17, wrong).is_err(), "{wrong}");
    }
}

#[test]
fn g3_bindings_are_synchronous_before_2_14() {
    let catalog_ids = json!({"service_id": "s", "plan_id": "p"});
    let accepts = |minor, query| bind(minor, query, &catalog_ids).map(|request| request.meta.accepts_incomplete);
    assert_eq!(accepts(13, "accepts_incomplete=true"), Ok(false));
    assert_eq!(accepts(13, "accepts_incomplete=maybe"), Ok(false));
    assert_eq!(accepts(14, "accepts_incomplete=true"), Ok(true));
    assert!(accepts(14, "accepts_incomplete=maybe").is_err());
    let query = "service_id=s&plan_id=p&accepts_incomplete=true";
    assert!(!delete(13, true, query).unwrap().meta.accepts_incomplete);
    assert!(delete(13, false, query).unwrap().meta.accepts_incomplete);
}

#[test]
fn unb_02_dep_03_a_delete_needs_service_and_plan() {
    let request = delete(17, false, "plan_id=a+plan&service_id=a%20service").unwrap();
    assert_eq!((request.service_id.as_str(), request.plan_id.as_str()), ("a service", "a plan"));
    assert_eq!(
        error(delete(17, true, "")),
        "the query parameter `service_id` is missing; the query parameter `plan_id` is missing"
    );
    assert_eq!(error(delete(17, true, "service_id=s&plan_id=")), "the query parameter `plan_id` must not be empty");
    for wrong in ["%f", "%00"] {
        assert_eq!(
            error(delete(17, true, &format!("service_id={wrong}&plan_id=p"))),
            "the query parameter `service_id` is not percent-encoded UTF-8 without NUL"
        );
    }
}

#[test]
fn t37_a_decoded_id_may_contain_any_character() {
    let id = |segment: &str| path_id::<InstanceId>(segment, "instance id").map(|id| id.as_str().to_owned());
    assert_eq!(id("a%2Fb%20c+d%c3%a9").as_deref(), Ok("a/b c+dé"));
    for wrong in ["", "%", "%4", "%4g", "%ff", "%00"] {
        assert!(id(wrong).is_err(), "{wrong}");
    }
    assert!(id(&"x".repeat(1024)).is_ok());
    assert!(id(&"x".repeat(1025)).is_err());
}

#[test]
fn t41_an_originating_identity_is_read_or_ignored() {
    let read = |value: &str| {
        let mut map = HeaderMap::new();
        map.insert("X-Broker-Api-Originating-Identity", HeaderValue::from_str(value).unwrap());
        RequestHeaders::of(&map).origin(&Policies::default()).unwrap()
    };
    for value in ["cloudfoundry eyJ1c2VyX2lkIjoidSJ9Cg==", "cloudfoundry  eyJ1c2VyX2lkIjoidSJ9Cg"] {
        let origin = read(value).unwrap();
        assert_eq!((origin.platform.as_str(), &origin.user["user_id"]), ("cloudfoundry", &json!("u")));
        let written = serde_json::to_value(&*origin).expect("it can be written");
        assert_eq!(written["user"]["user_id"], "u", "its user is an object, not a text");
    }
    for wrong in ["", "cloudfoundry", "cloudfoundry ", "cloudfoundry !!!", "cloudfoundry W10=", "cloudfoundry eyJ1"] {
        assert_eq!(read(wrong), None, "{wrong}");
    }
    assert_eq!(RequestHeaders::of(&HeaderMap::new()).origin(&Policies::default()), Ok(None));
}

#[test]
fn t39_a_poll_needs_no_hints_and_is_malformed_only_if_undecodable() {
    let hints = |query: &str| {
        let request = poll(query).unwrap();
        (request.operation, request.service_id, request.plan_id)
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(hints(""), (None, None, None));
    assert_eq!(hints("operation=&service_id&plan_id="), (None, None, None));
    assert_eq!(hints("operation=a%2Fb+c&plan_id=p&unknown=%ff"), (some("a/b c"), None, some("p")));
    assert_eq!(hints(&format!("operation={}", "x".repeat(10_000))).0, some(&"x".repeat(10_000)));

    let description = error(poll("operation=%zz&service_id=%ff"));
    assert!(description.contains("`operation` is not percent-encoded"), "{description}");
    assert!(description.contains("`service_id` is not percent-encoded"), "{description}");
}

#[test]
fn geti_03_a_fetch_has_hints() {
    let fetch = |query| unparsed(17, query, "", |request| request.fetch("i".into()));
    let request = fetch("service_id=s&plan_id=").unwrap();
    assert_eq!((request.service_id.as_deref(), request.plan_id), (Some("s"), None));
    assert!(fetch("plan_id=%ff").is_err());
}

#[test]
fn s11_accepts_incomplete_in_the_body_can_be_turned_off() {
    let mut policies = Policies::default();
    let body = with(ids(), &json!({"accepts_incomplete": true})).to_string();
    let mut accepts = |in_body| {
        policies.accepts_incomplete_in_body = in_body;
        let request = Unparsed { policies: &policies, meta: meta(9), query: Query::of(""), body: body.as_bytes() };
        request.provision("i".into()).unwrap().meta.accepts_incomplete
    };
    assert!(accepts(true) && !accepts(false));
}

#[test]
fn a_description_is_cut_after_10000_characters() {
    for letter in ["x", "é", "日", "🦀"] {
        assert_eq!(super::shorten(letter.repeat(10_000)), letter.repeat(10_000));
        assert_eq!(super::shorten(letter.repeat(10_001)), letter.repeat(9_999) + "…");
    }
    assert_eq!(super::shorten(String::new()), "");
}
