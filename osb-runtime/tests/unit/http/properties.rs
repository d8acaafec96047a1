//! The answer to any request is a JSON object with a status that the specification allows.

use proptest::{prelude::*, sample::select};

use super::*;

/// Paths of the API with arbitrary ids, and arbitrary paths.
fn path() -> impl Strategy<Value = String> {
    let segment = || {
        prop_oneof![
            select(vec!["", "i", "%2F", "%", "%ff", "a+b", "..", "%00"]).prop_map(str::to_owned),
            "[!-~&&[^?#/]]{0,8}"
        ]
    };
    prop_oneof![
        Just("/v2/catalog".to_owned()),
        segment().prop_map(|id| format!("/v2/service_instances/{id}")),
        (segment(), segment()).prop_map(|(id, bid)| format!("//v2/service_instances/{id}/service_bindings/{bid}")),
        prop::collection::vec(segment(), 0..8).prop_map(|segments| format!("/{}", segments.join("/"))),
    ]
}

fn query() -> impl Strategy<Value = String> {
    let pair = (
        select(vec!["accepts_incomplete", "service_id", "plan_id", "operation", "x", ""]),
        prop_oneof![Just("true".to_owned()), Just("s".to_owned()), "[!-~&&[^#]]{0,6}"],
    );
    prop::collection::vec(pair.prop_map(|(key, value)| format!("{key}={value}")), 0..5)
        .prop_map(|pairs| pairs.join("&"))
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let name =
            prop_oneof![Just("version".to_owned()), Just("app_guid".to_owned()), Just("plan_id".to_owned()), ".{0,4}"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..4).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    let name = select(vec![
        "service_id",
        "plan_id",
        "organization_guid",
        "space_guid",
        "context",
        "parameters",
        "maintenance_info",
        "previous_values",
        "bind_resource",
        "predecessor_binding_id",
        "app_guid",
        "accepts_incomplete",
        "other",
    ]);
    let field = (name, prop_oneof![2 => Just(json!("s")), 3 => value()]);
    prop_oneof![
        3 => prop::collection::vec(field, 0..8)
            .prop_map(|fields| Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()))
            .prop_map(|body| body.to_string().into_bytes()),
        1 => value().prop_map(|body| body.to_string().into_bytes()),
        1 => prop::collection::vec(any::<u8>(), 0..64),
    ]
}

fn header() -> impl Strategy<Value = Option<Vec<u8>>> {
    let known = select(vec!["", "2.17", "2.2", "2.9", "1.0", "*", "\"abc,1\"", "W/\"", "cloudfoundry e30=", BASIC]);
    prop_oneof![
        2 => Just(None),
        3 => known.prop_map(|known| Some(known.as_bytes().to_vec())),
        2 => prop::collection::vec(prop_oneof![Just(b'\t'), 0x20..=0x7e_u8, 0x80..=0xff_u8], 0..40).prop_map(Some),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn err_01_every_request_gets_a_json_object_and_an_allowed_status(
        method in select(vec!["GET", "PUT", "PATCH", "DELETE", "POST", "HEAD", "OPTIONS", "X"]),
        path in path(),
        query in query(),
        body in body(),
        passes in prop::bool::weighted(0.8),
        version in header(),
        headers in prop::array::uniform4(header()),
    ) {
        let mut request = Request::builder().method(method).uri(format!("{path}?{query}"));
        if passes {
            request = request.header("Authorization", BASIC);
        }
        request = request.header("X-Broker-API-Version", version.unwrap_or_else(|| b"2.17".to_vec()));
        let names = ["Authorization", "If-None-Match", "X-Broker-API-Originating-Identity", "X-Broker-API-Request-Identity"];
        for (name, value) in names.into_iter().zip(headers) {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        // An invalid URI can't be sent.
        if let Ok(request) = request.body(Bytes::from(body)) {
            let service = service(&Recorder::new(), HttpSettings::default());
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            let answered = runtime.block_on(ask(&service, request));
            let status = answered.status.as_u16();
            prop_assert!([200, 304, 400, 401, 404, 405, 412].contains(&status), "{status}");
            prop_assert!(status < 400 || method == "HEAD" || !answered.description().is_empty());
        }
    }
}
