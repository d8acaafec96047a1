//! Authentication, the API version, and the order of the checks.

use http::{Request, StatusCode, request::Parts};

use super::*;
use crate::{
    http::{Authenticate, BoxError, MissingVersion, Platforms},
    protocol::ApiVersion,
};

async fn with_authorization(service: &BrokerService, value: &str) -> StatusCode {
    let request = Request::get("/v2/catalog").header("X-Broker-API-Version", "2.17").header("Authorization", value);
    get(service, request).await.status
}

fn basic(pair: &str) -> String {
    use base64::Engine as _;
    format!("Basic {}", base64::prelude::BASE64_STANDARD.encode(pair))
}

#[tokio::test]
async fn auth_01_every_path_needs_credentials() {
    let recorder = Recorder::new();
    let service = service(&recorder, HttpSettings::default());
    for (method, path) in
        [("GET", "/v2/catalog"), ("PUT", "/v2/service_instances/i"), ("POST", "/"), ("GET", "//x//"), ("GET", "/docs")]
    {
        let answered = get(&service, Request::builder().method(method).uri(path)).await;
        assert_eq!(answered.status, 401);
        assert_eq!(answered.headers["www-authenticate"], "Basic realm=\"service broker\", charset=\"UTF-8\"", "T58");
        assert!(!answered.description().is_empty());
    }
    assert!(recorder.asked().is_empty());
}

#[tokio::test]
async fn auth_02_basic_follows_rfc_7617() {
    let service = service(&Recorder::new(), HttpSettings::default());
    for good in
        [BASIC.to_owned(), BASIC.replace("Basic", "bAsIc"), basic("platform:secret").replace("Basic ", "basic  ")]
    {
        assert_eq!(with_authorization(&service, &good).await, 200, "{good}");
    }
    for bad in ["", "Basic", "Basic ", "Basic !", "Basic =", "Bearer cGxhdGZvcm06c2VjcmV0", "Basic\u{e9}"] {
        assert_eq!(with_authorization(&service, bad).await, 401, "{bad}");
    }
    for bad in ["platform:secret2", "platform:", "platform", ":secret", "Platform:secret", "platform:secre", "", ":"] {
        assert_eq!(with_authorization(&service, &basic(bad)).await, 401, "{bad}");
    }
}

#[tokio::test]
async fn auth_05_several_passwords_are_accepted() {
    let credentials = credentials().or_basic("platform", "a:new sécret").unwrap().or_basic("other", "secret").unwrap();
    let service = BrokerService::new(Recorder::new(), credentials.into(), HttpSettings::default());
    for good in ["platform:secret", "platform:a:new sécret", "other:secret"] {
        assert_eq!(with_authorization(&service, &basic(good)).await, 200, "{good}");
        assert_eq!(with_authorization(&service, basic(good).trim_end_matches('=')).await, 200, "{good}, unpadded");
    }
    assert_eq!(with_authorization(&service, &basic("other:a:new sécret")).await, 401);
}

#[test]
fn invalid_basic_credentials_are_rejected_and_debug_shows_none() {
    for (user, password) in [("", "p"), ("u", ""), ("u:v", "p"), ("u", "p\n"), ("\0u", "p")] {
        assert!(AcceptedCredentials::basic(user, password).is_err(), "{user:?} {password:?}");
    }
    let printed = format!("{:?}", credentials().or_basic("other", "pass").unwrap());
    assert_eq!(printed, "AcceptedCredentials(2 passwords, 0 tokens, 0 custom)");
}

#[tokio::test]
async fn auth_03_bearer_tokens_are_accepted() {
    let credentials = credentials().or_bearer("new.token-1==").unwrap().or_bearer("old~token").unwrap();
    assert_eq!(format!("{credentials:?}"), "AcceptedCredentials(1 passwords, 2 tokens, 0 custom)");
    let service = BrokerService::new(Recorder::new(), credentials.into(), HttpSettings::default());
    for good in ["Bearer new.token-1==", "bEARER old~token", "Bearer   old~token ", BASIC] {
        assert_eq!(with_authorization(&service, good).await, 200, "{good}");
    }
    for bad in ["Bearer", "Bearer ", "Bearer new.token-1", "Bearer Old~token", "Bearer platform:secret", "old~token"] {
        assert_eq!(with_authorization(&service, bad).await, 401, "{bad}");
    }
    assert_eq!(with_authorization(&service, &basic("old~token")).await, 401, "a token is not a password");

    let only = AcceptedCredentials::bearer("platform:secret").unwrap();
    let service = BrokerService::new(Recorder::new(), only.into(), HttpSettings::default());
    assert_eq!(with_authorization(&service, BASIC).await, 401, "a password is not a token");
    for bad in ["", "a b", "a\n", "\u{e9}"] {
        assert!(AcceptedCredentials::bearer(bad).is_err(), "{bad:?}");
    }
}

/// Admits requests with this text in the header `X-Says`.
struct SaysSo(&'static str);

impl Authenticate for SaysSo {
    async fn admit(&self, request: &Parts) -> Result<bool, BoxError> {
        match request.headers.get("X-Says").map(HeaderValue::as_bytes) {
            Some(b"fail") => Err("the issuer is unavailable".into()),
            Some(b"panic") => panic!("as requested"),
            Some(b"hang") => std::future::pending().await,
            text => Ok(text == Some(self.0.as_bytes())),
        }
    }

    fn challenge(&self) -> HeaderValue {
        HeaderValue::from_static("SaysSo realm=\"x\"")
    }
}

#[tokio::test]
async fn auth_03_custom_methods_are_called() {
    let credentials = credentials().or_custom(SaysSo("one")).or_custom(SaysSo("two"));
    let settings = HttpSettings { authentication_timeout: SHORT, ..HttpSettings::default() };
    let service = BrokerService::new(Recorder::new(), credentials.into(), settings);
    let says = async |says: &str, authorization: &str| {
        let request = Request::get("/v2/catalog").header("X-Broker-API-Version", "2.17").header("X-Says", says);
        get(&service, request.header("Authorization", authorization)).await
    };
    for (text, status) in [("one", 200), ("two", 200), ("three", 401), ("fail", 500), ("panic", 500), ("hang", 500)] {
        let answered = says(text, "").await;
        assert_eq!(answered.status, status, "{text}");
        assert!(!answered.description().contains("issuer"), "{}", answered.description());
    }
    for known in ["one", "three", "fail", "panic", "hang"] {
        assert_eq!(says(known, BASIC).await.status, 200, "{known}: a valid password is sufficient");
    }
}

#[tokio::test]
async fn a_custom_method_that_takes_too_long_is_an_error_with_its_limit() {
    let request = Request::get("/v2/catalog").header("X-Says", "hang").body(()).expect("a request");
    let (parts, ()) = request.into_parts();
    let credentials = AcceptedCredentials::custom(SaysSo("one"));
    let error = credentials.admit(&parts, Duration::from_millis(5)).await.expect_err("it hangs");
    assert_eq!(error.to_string(), "it took longer than 5ms (`authentication_timeout`)");
}

#[tokio::test]
async fn t58_a_401_has_all_challenges() {
    let challenges = async |platforms: Platforms, path: &str| {
        let service = BrokerService::new(Recorder::new(), platforms, HttpSettings::default());
        let answered = get(&service, Request::get(path)).await;
        assert_eq!(answered.status, 401);
        let all = answered.headers.get_all("www-authenticate").iter();
        all.map(|value| value.to_str().unwrap().split(' ').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let token = || AcceptedCredentials::bearer("token").unwrap();
    assert_eq!(challenges(token().into(), "/").await, ["Bearer"]);
    let all = credentials().or_custom(SaysSo("x")).or_custom(SaysSo("y")).or_bearer("token").unwrap();
    assert_eq!(challenges(all.into(), "/").await, ["Basic", "Bearer", "SaysSo"]);
    let platforms = Platforms::behind("one", "/one", token()).unwrap();
    let platforms = platforms.and_behind("two", "/two", credentials()).unwrap();
    for path in ["/", "/one/v2/catalog", "/two/v2/catalog", "/three/v2/catalog"] {
        assert_eq!(challenges(platforms.clone(), path).await, ["Bearer", "Basic"], "{path}");
    }
}

async fn with_version(service: &BrokerService, version: Option<&str>) -> Answered {
    let mut request = Request::get("/v2/catalog").header("Authorization", BASIC);
    if let Some(version) = version {
        request = request.header("x-broker-api-version", version);
    }
    get(service, request).await
}

#[tokio::test]
async fn hdr_01_hdr_02_t40_versions_compare_as_numbers() {
    let settings = HttpSettings { minimum_version: ApiVersion::new(2, 9), ..HttpSettings::default() };
    let service = service(&Recorder::new(), settings);
    for good in ["2.9", "2.10", "2.17", "2.18", "2.400", "2.99999999999", " 2.13 "] {
        assert_eq!(with_version(&service, Some(good)).await.status, 200, "{good}");
    }
    for old in ["2.8", "1.17", "3.0", "0.0", "20.9", "4294967296.0"] {
        let answered = with_version(&service, Some(old)).await;
        assert_eq!(answered.status, 412, "{old}");
        assert!(answered.description().contains("2.9 to 2.17") && answered.description().contains(old), "S03");
    }
    for wrong in ["2", "2.", ".17", "2.x", "-2.17", "2.17.1", "two", "2,17"] {
        assert_eq!(with_version(&service, Some(wrong)).await.status, 400, "{wrong}");
    }
}

#[tokio::test]
async fn hdr_03_t39c_a_missing_version_is_handled_by_the_policy() {
    for (policy, status) in
        [(MissingVersion::Refuse400, 400), (MissingVersion::Refuse412, 412), (MissingVersion::AssumeOldest, 200)]
    {
        let settings = HttpSettings { missing_version: policy, ..HttpSettings::default() };
        let service = service(&Recorder::new(), settings);
        for sent in [None, Some(""), Some("  ")] {
            let answered = with_version(&service, sent).await;
            assert_eq!(answered.status, status, "{policy:?} {sent:?}");
            assert!(status == 200 || answered.description().contains("X-Broker-API-Version"), "S02");
        }
    }
}

#[tokio::test]
async fn s02_the_assumed_version_is_the_oldest_supported_one() {
    let settings = HttpSettings { missing_version: MissingVersion::AssumeOldest, ..HttpSettings::default() };
    let recorder = Recorder::new();
    let service = service(&recorder, settings);
    let delete = Request::delete("/v2/service_instances/i?service_id=s&plan_id=p");
    get(&service, delete.header("Authorization", BASIC)).await;
    let [Received::Api(ApiRequest::Deprovision(request))] = &recorder.asked()[..] else { panic!() };
    assert_eq!(request.meta.version, ApiVersion::new(2, 2));
}

#[tokio::test]
async fn t59_checks_are_in_the_order_of_the_specification() {
    let service = service(&Recorder::new(), HttpSettings::default());
    let ask = async |authorization: &str, version: &str, method: &str, path: &str| {
        let request = Request::builder().method(method).uri(path);
        let request = request.header("Authorization", authorization).header("X-Broker-API-Version", version);
        ask(&service, request.body("no JSON").unwrap()).await.status
    };
    assert_eq!(ask("", "1.0", "POST", "/nowhere").await, 401);
    assert_eq!(ask(BASIC, "1.0", "POST", "/nowhere").await, 412);
    assert_eq!(ask(BASIC, "2.17", "POST", "/nowhere").await, 404);
    assert_eq!(ask(BASIC, "2.17", "POST", "/v2/service_instances/%ff").await, 405);
    assert_eq!(ask(BASIC, "2.17", "PUT", "/v2/service_instances/i").await, 400);
}
