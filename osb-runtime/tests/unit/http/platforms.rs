//! Several platforms: the platform of a path, and the tenant in requests.

use super::*;
use crate::{http::Platforms, protocol::Tenant};

fn credentials_of(password: &str) -> AcceptedCredentials {
    AcceptedCredentials::basic("platform", password).unwrap()
}

fn platforms() -> Platforms {
    let platforms = Platforms::from(credentials_of("secret-1"));
    let platforms = platforms.and_behind("one", "/cf", credentials_of("secret-2")).unwrap();
    platforms.and_behind("two", "/cf/staging", credentials_of("secret-3")).unwrap()
}

fn find(platforms: &Platforms, path: &'static str) -> (&'static str, &'static str) {
    let place = platforms.find(path);
    let name = match place.tenant.as_str() {
        "one" => "one",
        "two" => "two",
        _ => "",
    };
    (name, &path[path.len() - place.path.len()..])
}

#[test]
fn auth_05_the_longest_prefix_of_whole_segments_counts() {
    let platforms = platforms();
    for (path, found) in [
        ("/v2/catalog", ("", "/v2/catalog")),
        ("/cf/v2/catalog", ("one", "/v2/catalog")),
        ("//cf//v2/catalog", ("one", "//v2/catalog")),
        ("/cf", ("one", "")),
        ("/cf/stag", ("one", "/stag")),
        ("/cf/staging/v2/catalog", ("two", "/v2/catalog")),
        ("/cf/stagings/v2/catalog", ("one", "/stagings/v2/catalog")),
        ("/cfs/v2/catalog", ("", "/cfs/v2/catalog")),
        ("/%63f/v2/catalog", ("", "/%63f/v2/catalog")),
        ("/CF/v2/catalog", ("", "/CF/v2/catalog")),
        ("/cf%2Fstaging/v2/catalog", ("", "/cf%2Fstaging/v2/catalog")),
        ("/v2/service_instances/cf", ("", "/v2/service_instances/cf")),
        ("*", ("", "*")),
        ("", ("", "")),
    ] {
        assert_eq!(find(&platforms, path), found, "{path}");
    }
}

#[tokio::test]
async fn every_request_has_its_tenant() {
    let recorder = Recorder::new();
    let only = Platforms::behind("one", "/cf", credentials()).unwrap();
    let service = BrokerService::new(Arc::<Recorder>::clone(&recorder), only, HttpSettings::default());
    for (method, path) in HANDLED {
        let path = format!("/cf{path}?service_id=s&plan_id=p");
        let answered = ask(&service, request(method, &path).body(provision_body().to_string()).unwrap()).await;
        assert_eq!(answered.status, 200, "{method} {path}");
    }
    for path in [INSTANCE, BINDING] {
        assert_eq!(get(&service, request("GET", &format!("/cf{path}/last_operation"))).await.status, 200);
    }
    let asked = recorder.asked();
    assert_eq!(asked.len(), 9);
    let tenant: Tenant = "one".parse().unwrap();
    for asked in asked {
        let meta = match &asked {
            Received::Catalog => panic!("not requested"),
            Received::Api(ApiRequest::Provision(request)) => &request.meta,
            Received::Api(ApiRequest::Update(request)) => &request.meta,
            Received::Api(ApiRequest::Bind(request)) => &request.meta,
            Received::Api(ApiRequest::Deprovision(request) | ApiRequest::Unbind(_, request)) => &request.meta,
            Received::Api(ApiRequest::FetchInstance(request) | ApiRequest::FetchBinding(_, request)) => &request.meta,
            Received::Api(ApiRequest::Poll(request)) => &request.meta,
        };
        assert_eq!(meta.tenant, tenant, "{asked:?}");
    }
}
