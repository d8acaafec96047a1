//! Tests that need no broker.

use http::StatusCode;
use serde_json::json;

use super::*;

#[test]
fn invalid_urls_are_refused_with_a_reason() {
    for (url, why) in [
        ("broker.example.com", "it has no scheme; write https://broker.example.com"),
        ("broker.example.com/cf", "https://broker.example.com/cf"),
        ("localhost:8080", "it has no scheme; write http://localhost:8080"),
        ("localhost", "it has no scheme; write http://localhost"),
        ("127.0.0.1:8080/cf", "it has no scheme; write http://127.0.0.1:8080/cf"),
        ("user:secret@broker.example.com", "it has no scheme; write https://broker.example.com"),
        ("ftp://broker.example.com", "the scheme ftp is not supported"),
        ("http://user:secret@broker.example.com", "it contains a user or password"),
        ("http://broker.example.com/?a=b", "it has a query"),
        ("http://broker.example.com:99999", "its port is not a number"),
        ("http://[::1]:80801/prefix", "its port is not a number"),
        ("http://", "; a valid URL looks like https://broker.example.com"),
    ] {
        let error = Client::new(url).expect_err(url).to_string();
        assert!(error.contains(why) && !error.contains("secret"), "{url}: {error}");
    }
}

#[test]
fn errors_show_no_part_of_a_password() {
    for password in ["secret", "un@secret", "sec@ret@secret", "sec/ret", "1/sec", "1?sec", "1#sec"] {
        let error = Client::new(&format!("http://user:{password}@b")).expect_err("it has a password").to_string();
        assert!(error.contains("http://...@b ") && !error.contains("sec"), "{error}");
    }
}

#[test]
fn hosts_of_every_form_are_accepted() {
    for url in ["http://[::1]", "http://[::1]:8080/prefix", "http://127.0.0.1:65535", "http://broker.example.com:"] {
        assert!(Client::new(url).is_ok(), "{url}");
    }
}

#[test]
fn paths_follow_the_prefix_and_ids_are_encoded() {
    let client = Client::new("http://broker.example.com:8080/a/b/").expect("a good URL");
    let call = Call::unbind("1/2", "\u{e9} ~", "s&p", "p").accepts_incomplete();
    let request = client.request(&call).expect("a good request");
    assert_eq!(
        request.uri().to_string(),
        "http://broker.example.com:8080/a/b/v2/service_instances/1%2F2/service_bindings/%C3%A9%20~\
         ?service_id=s%26p&plan_id=p&accepts_incomplete=true"
    );
}

#[test]
fn a_client_sends_the_headers_of_its_version() {
    let headers = |version: ApiVersion| {
        let client =
            Client::new("http://b").expect("a URL").version(version).user("cloudfoundry", &json!({ "user_id": "u" }));
        let request = client.request(&Call::catalog()).expect("a request");
        request.headers().clone()
    };
    let new = headers(ApiVersion::LATEST);
    assert_eq!(new[VERSION], "2.17");
    assert_eq!(new[ORIGINATING_IDENTITY], "cloudfoundry eyJ1c2VyX2lkIjoidSJ9");
    assert_eq!(new[REQUEST_IDENTITY].len(), 36, "a guid");
    assert_ne!(new[REQUEST_IDENTITY], headers(ApiVersion::LATEST)[REQUEST_IDENTITY], "unique for each request");
    assert!(headers(ApiVersion::new(2, 15)).contains_key(REQUEST_IDENTITY), "HDR-05: since 2.15");
    assert!(!headers(ApiVersion::new(2, 14)).contains_key(REQUEST_IDENTITY));
}

#[test]
fn polls_name_the_old_plan_and_the_operation() {
    let query = |call: &Call, operation: Option<&str>| call.poll_of_it(operation).target();
    let update = Call::update("i", "s").to_plan("new").previous_plan("old");
    assert_eq!(
        query(&update, Some("a b")),
        "/v2/service_instances/i/last_operation?service_id=s&plan_id=old&operation=a%20b"
    );
    let bind = Call::bind("i", "b", "s", "p");
    assert_eq!(query(&bind, None), "/v2/service_instances/i/service_bindings/b/last_operation?service_id=s&plan_id=p");
    let delete = Call::deprovision("i", "s", "p").accepts_incomplete();
    assert_eq!(query(&delete, None), "/v2/service_instances/i/last_operation?service_id=s&plan_id=p");
}

#[test]
fn a_prefix_follows_that_of_the_url() {
    let client = Client::new("http://b/brokers/").expect("a URL");
    let url = |client: Client| client.request(&Call::catalog()).expect("a request").uri().to_string();
    for prefix in ["/cf/", "cf"] {
        assert_eq!(url(client.clone().prefix(prefix)), "http://b/brokers/cf/v2/catalog");
    }
    assert_eq!(url(client.prefix("/")), "http://b/brokers/v2/catalog");
}

#[test]
fn debug_output_has_names_and_no_values() {
    let call = Call::provision("i", "s", "p").parameters(json!({ "password": "hush" }));
    let answer = Answer::new(StatusCode::OK, HeaderMap::new(), br#"{"credentials":"hush"}"#);
    let shown = format!("{call:?} {answer:?} {:?}", Payload::Text("hush".to_owned()));
    assert!(shown.contains("parameters") && shown.contains("credentials") && !shown.contains("hush"), "T68: {shown}");
}

#[test]
fn debug_shows_neither_credentials_nor_users() {
    let user = json!({ "user_id": "jane" });
    let client = Client::new("http://b").expect("a URL").basic("user", "secret").user("cf", &user);
    let other = client.clone().header(&header::AUTHORIZATION, Some("Digest dXNlcjpzZWNyZXQ="));
    for client in [client, other] {
        let (shown, encoded) = (format!("{client:?}"), STANDARD.encode(user.to_string()));
        assert!(!shown.contains(&encoded) && !shown.contains("dXNlcjpzZWNyZXQ="), "{shown}");
    }
}

#[test]
fn a_header_that_cannot_be_sent_is_an_error() {
    let client = Client::new("http://b").expect("a URL").bearer("token\n");
    let error = client.request(&Call::catalog()).expect_err("a line end");
    assert!(error.to_string().contains("the header authorization has a character"), "{error}");
    let client = client.bearer("token");
    assert!(client.request(&Call::catalog()).is_ok(), "another value takes its place");
}

#[test]
fn an_invalid_catalog_is_read_as_far_as_possible() {
    let catalog = Catalog::read(json!({ "services": [
        { "name": "a", "id": 5, "bindable": true, "plan_updateable": true, "plans": [
            { "name": "p", "id": "p1", "plan_updateable": false, "schemas": { "service_instance": { "create": {} } } },
            null,
        ] },
        "b",
    ] }));
    let catalog = catalog.expect("it has services");
    let (service, plan) = catalog.find("a", "p1").expect("by name and by id");
    assert_eq!((service.id.as_str(), plan.bindable, plan.plan_updateable, plan.free), ("", true, false, true));
    assert_eq!(plan.schemas, Schemas::default());
    assert_eq!(Catalog::read(json!({ "services": null })), None);
}

#[cfg(not(feature = "tls"))]
#[test]
fn without_tls_an_https_url_is_refused_with_the_reason() {
    let error = Client::new("https://broker.example.com").expect_err("there is no TLS").to_string();
    assert!(error.ends_with("this program was built without TLS; only http:// works"), "{error}");
}

/// Gives the same answer to each request, which can be repeated at once.
#[derive(Clone)]
struct Fixed(u16, &'static str);

impl Tower<Request<Full<Bytes>>> for Fixed {
    type Response = Response<Full<Bytes>>;
    type Error = std::convert::Infallible;
    type Future = std::future::Ready<Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Self::Error>> {
        std::task::Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<Full<Bytes>>) -> Self::Future {
        let response = Response::builder().status(self.0).header("retry-after", "0").body(Full::from(self.1));
        std::future::ready(Ok(response.expect("a valid response")))
    }
}

#[tokio::test]
async fn loi_11_a_state_counts_only_with_status_200() {
    let polling = Polling::default().every(Duration::from_millis(1)).at_most(Duration::from_millis(20));
    let follow = async |status, body| {
        let client = Client::over(Fixed(status, body)).polling(polling);
        client.follow(&Call::poll("i", None), false, |_| ()).await
    };
    assert!(follow(200, r#"{"state":"succeeded"}"#).await.is_ok());
    for (status, body) in [
        (202, r#"{"state":"succeeded"}"#),
        (410, r#"{"state":"succeeded"}"#),
        (500, r#"{"state":"succeeded"}"#),
        (503, r#"{"state":"failed"}"#),
    ] {
        let ended = follow(status, body).await;
        assert!(matches!(ended, Err(ClientError::StillInProgress { .. })), "{status} {body}: {ended:?}");
    }
}

#[tokio::test]
async fn a_404_ends_polls_and_of_a_deletion_with_its_own_error() {
    let client = Client::over(Fixed(404, r#"{"description":"none"}"#));
    let follow = async |deletion| client.follow(&Call::poll("i", None), deletion, |_| ()).await;
    let forgotten = follow(true).await.expect_err("404");
    assert_eq!(forgotten, ClientError::ForgottenDeletion { description: Some("none".to_owned()) });
    let said = forgotten.to_string();
    assert!(said.starts_with("the broker no longer knows the deletion (404); it has probably ended, "), "{said}");
    assert!(said.ends_with(": none"), "{said}");
    assert!(matches!(follow(false).await, Err(ClientError::Refused { status: StatusCode::NOT_FOUND, .. })));
}

#[tokio::test]
async fn only_a_deletion_has_succeeded_with_a_410() {
    let client = Client::over(Fixed(410, "{}"));
    let complete = async |call| client.complete(&call, |_| ()).await;
    assert!(complete(Call::deprovision("i", "s", "p")).await.expect("it is gone").was_gone);
    assert!(matches!(complete(Call::update("i", "s")).await, Err(ClientError::Refused { .. })));
}

#[tokio::test]
async fn polling_ends_instead_of_a_pause_that_would_be_too_long() {
    let polling = Polling::default().every(Duration::from_hours(1)).at_most(Duration::from_mins(30));
    let client = Client::over(Fixed(200, r#"{"state":"in progress"}"#)).polling(polling);
    let ended = tokio::time::timeout(Duration::from_mins(1), client.follow(&Call::poll("i", None), false, |_| ()))
        .await
        .expect("it does not wait");
    assert!(matches!(ended, Err(ClientError::StillInProgress { .. })), "{ended:?}");
}

/// A broker could otherwise be asked without a pause.
#[tokio::test]
async fn a_shorter_retry_after_does_not_shorten_the_pause() {
    let polling = Polling::default().every(Duration::from_millis(50)).at_most(Duration::from_millis(120));
    let client = Client::over(Fixed(200, r#"{"state":"in progress"}"#)).polling(polling);
    let mut polls = 0;
    let ended = client.follow(&Call::poll("i", None), false, |_| polls += 1).await;
    assert!(matches!(ended, Err(ClientError::StillInProgress { retry_after: None, .. })), "{ended:?}");
    assert!(polls <= 3, "{polls}");
}

/// The table of "Orphans" in the specification.
#[test]
fn an_orphan_is_possible_unless_the_broker_has_refused_the_request() {
    let answered = |status: u16, body: &str| {
        let status = StatusCode::from_u16(status).expect("a status");
        Answer::new(status, HeaderMap::new(), body.as_bytes()).success().map_err(|error| error.may_leave_orphan())
    };
    for (status, may_leave) in [
        (302, false),
        (400, false),
        (401, false),
        (404, false),
        (408, false),
        (409, false),
        (410, false),
        (412, false),
        (422, false),
        (500, true),
        (502, true),
        (504, true),
    ] {
        assert_eq!(answered(status, "{}").expect_err("a failure"), may_leave, "{status}");
        assert_eq!(answered(status, "<html>").expect_err("a failure"), may_leave, "{status}, no JSON");
    }
    for (status, may_leave) in [(200, false), (201, true), (204, true)] {
        assert_eq!(answered(status, "<html>").expect_err("a failure"), may_leave, "{status}");
    }
}

#[test]
fn errors_do_not_quote_the_secrets_of_a_body_that_is_cut_off() {
    for (body, shown) in [
        (r#"{"credentials":{"password":"hush"#, r#"{"credentials... (the rest is not shown, as it may be secret)"#),
        (r#"[{"Token":"hush"}]"#, r#"[{"Token... (the rest is not shown, as it may be secret)"#),
        ("<html>the password", "<html>the password"),
        ("<html>", "<html>"),
    ] {
        let answer = Answer::new(StatusCode::CREATED, HeaderMap::new(), body.as_bytes());
        assert_eq!(answer.excerpt(), shown);
        let error = answer.success().expect_err("it is no object");
        assert!(!format!("{error} {error:?}").contains("hush"), "T68: {error}");
    }
}

#[test]
fn an_error_about_a_url_does_not_show_a_password() {
    for url in ["http://u:hush@h:1", "http//u:hush@h:1", "u:hush@h:1", "ftp:u:hush@h"] {
        let error = Client::new(url).expect_err(url).to_string();
        assert!(!error.contains("hush") && error.contains("...@h"), "{error}");
    }
}
