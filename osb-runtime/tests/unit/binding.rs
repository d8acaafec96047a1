//! Tests of the outputs of bindings.

use std::{
    ops::RangeInclusive,
    time::{Duration, SystemTime},
};

use serde_json::{Value, json};

use super::{
    BindingOutput, Bound, Credentials, Endpoint, Endpoints, LogDrain, RouteService, VolumeMount, VolumeMounts,
};
use crate::json::{Json, Members};

#[test]
fn required_fields_are_not_empty() {
    let written = |output: Endpoints| {
        let mut fields = Members::default();
        output.write(&mut fields).map(|()| Value::from(Json::from(fields)))
    };
    let range = |first, last| written(Endpoints(vec![Endpoint::all("h", 1).ports(RangeInclusive::new(first, last))]));
    for (first, last, expected) in [(9000, 9010, "9000-9010"), (9010, 9000, "9000-9010"), (7, 7, "7")] {
        let endpoint = json!({ "host": "h", "ports": ["1", expected], "protocol": "all" });
        assert_eq!(range(first, last).unwrap()["endpoints"], json!([endpoint]), "BIND-23");
    }
    assert!(written(Endpoints(vec![Endpoint::tcp(" ", 1)])).is_err(), "BIND-23");
    for endpoint in [Endpoint::tcp("h", 0), Endpoint::udp("h", 1).port(0), Endpoint::all("h", 1).ports(0..=9)] {
        let error = written(Endpoints(vec![endpoint])).expect_err("BIND-23: port 0").to_string();
        assert!(error.contains("the endpoint h has port 0"), "{error}");
    }
}

#[test]
fn empty_lists_are_left_out() {
    let mut fields = Members::default();
    (VolumeMounts(Vec::new()), Endpoints(Vec::new())).write(&mut fields).expect("empty lists are valid");
    assert!(fields.is_empty(), "BIND-20, BIND-22: {fields:?}");
}

#[test]
fn log_drains_have_a_scheme_and_a_host() {
    for url in ["syslog://a.example", "syslog-tls://logs.example.com:6514?token=x", "https://a/drain"] {
        assert!(LogDrain::new(url).is_ok(), "{url}");
    }
    for url in ["", "logs.example.com:6514", "syslog://", "syslog:///x", "syslog://a b"] {
        assert!(LogDrain::new(url).is_err(), "BIND-18: {url}");
    }
    assert!(LogDrain::new(format!("https://a/{}", "x".repeat(9_990))).is_ok());
    assert!(LogDrain::new(format!("https://a/{}", "x".repeat(9_991))).is_err(), "BIND-18");
}

#[test]
fn route_service_urls_are_https_with_a_host() {
    const FIXED: RouteService = RouteService::from_static("https://proxy.example.com/x");
    let mut fields = Members::default();
    FIXED.write(&mut fields).expect("it is valid");
    assert_eq!(Value::from(Json::from(fields)), json!({ "route_service_url": "https://proxy.example.com/x" }));
    for url in ["https://a.example.com", "https://a:8443/x?y=z", "https://10.0.0.1/"] {
        assert!(RouteService::proxied(url).is_ok(), "{url}");
    }
    // Cloud Foundry unbinds if it can't parse the URL.
    for url in ["http://a", "https://", "https:///x", "https://.a", "https://:1", "https://a b", "https://@", "a", ""] {
        assert!(RouteService::proxied(url).is_err(), "{url}");
    }
    // The width of its column on MySQL.
    assert!(RouteService::proxied(format!("https://a/{}", "x".repeat(245))).is_ok());
    assert!(RouteService::proxied(format!("https://a/{}", "x".repeat(246))).is_err());
}

#[test]
fn debug_output_has_no_secrets() {
    let mount_config = json!({ "password": "hunter2" });
    let mount = VolumeMount {
        driver: "nfs".to_owned(),
        container_dir: "/data".to_owned(),
        read_only: true,
        volume_id: "v1".to_owned(),
        mount_config: mount_config.as_object().expect("an object").clone(),
    };
    let route = RouteService::proxied("https://user:hunter2@example.com").expect("it is https");
    let drain = LogDrain::from_static("https://logs.example.com/?token=hunter2");
    let shown = format!("{:?}", (Credentials("hunter2"), &drain, &route, VolumeMounts(vec![mount.clone()])));
    assert!(!shown.contains("hunter2"), "{shown}");
    assert!(shown.contains("nfs") && shown.contains("/data"), "{shown}");
    let shown = format!("{:?}", Bound::new((drain, route, VolumeMounts(vec![mount])), "hunter2"));
    assert!(!shown.contains("hunter2"), "{shown}");
}

fn written(bound: Bound<Endpoints>) -> Result<Value, String> {
    let mut fields = Members::default();
    bound.write(&mut fields).map_err(|error| error.to_string())?;
    Ok(Value::from(Json::from(fields)))
}

#[test]
fn expiry_is_in_the_metadata() {
    let bound = || Bound::new(Endpoints(Vec::new()), ());
    let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    assert_eq!(written(bound()), Ok(json!({})));
    assert_eq!(written(Endpoints(Vec::new()).into()), Ok(json!({})), "an output is a binding without a state");
    assert_eq!(
        written(bound().expires_at(at(86_400))),
        Ok(json!({ "metadata": { "expires_at": "1970-01-02T00:00:00.0Z" } }))
    );
    let both = json!({ "expires_at": "1970-01-02T00:00:00.0Z", "renew_before": "1970-01-01T12:00:00.0Z" });
    assert_eq!(
        written(bound().renew_before(at(43_200)).expires_at(at(86_400))).map(|fields| fields["metadata"].clone()),
        Ok(both),
        "BIND-25"
    );
    assert!(written(bound().expires_at(at(1)).renew_before(at(1))).is_ok(), "BIND-25: equal times are valid");
    for (wrong, why) in [
        (bound().renew_before(at(1)), "needs"),
        (bound().expires_at(at(1)).renew_before(at(2)), "later"),
        (bound().expires_at(at(253_402_300_800)), "9999"),
    ] {
        let error = written(wrong).expect_err("invalid times");
        assert!(error.contains(why), "{error}");
    }
}
