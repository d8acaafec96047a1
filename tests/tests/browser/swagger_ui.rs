//! The OpenAPI document in Swagger UI, which sends a request to a broker that listens.

use std::fs;

use osb_lab::all_parameter_types::{Every, EveryBroker};
use osb_runtime::{
    http::{AcceptedCredentials, BrokerService, HttpSettings, serve},
    service::Broker,
};
use osb_tests::other_tools::installed;
use serde_json::{Value, json};
use tokio::{net::TcpListener, runtime::Runtime};

use crate::chromium::Chromium;

/// Replaces the text of the field with this selector.
fn fill(browser: &mut Chromium, selector: &str, text: &str) {
    let selector = json!(selector);
    browser.evaluate(&format!("{{ const field = document.querySelector({selector}); field.focus(); field.select() }}"));
    browser.call("Input.insertText", json!({ "text": text }));
}

fn click(browser: &mut Chromium, selector: &str) {
    browser.until(&format!("document.querySelector({}) !== null", json!(selector)));
    browser.evaluate(&format!("document.querySelector({}).click()", json!(selector)));
}

#[test]
fn try_it_out_sends_a_request_that_the_broker_accepts() {
    let Some(script) = installed("swagger-ui/swagger-ui-bundle.js") else { return };
    // The page is a file, and the broker allows no other origins.
    let Some(mut browser) = Chromium::start_with(&["--disable-web-security"]) else { return };
    let runtime = Runtime::new().expect("threads");
    let url = runtime.block_on(async {
        let login = AcceptedCredentials::basic("user", "password").expect("a user without colon");
        let broker = BrokerService::start(EveryBroker(Every), login, HttpSettings::default()).await.expect("it starts");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("its address"));
        tokio::spawn(serve(listener, broker, std::future::pending()));
        url
    });
    let mut document: Value = serde_json::from_str(&osb_docs::openapi::<EveryBroker>()).expect("JSON");
    document["servers"] = json!([{ "url": url }]);
    let folder = tempfile::tempdir().expect("a temporary folder is created");
    let page = folder.path().join("page.html");
    let html = format!(
        "<!doctype html><meta charset=utf-8><div id=ui></div><script src=\"file://{}\"></script><script>\
         const onComplete = () => {{ ui.preauthorizeBasic('basic', 'user', 'password'); window.ready = true }};\
         window.ui = SwaggerUIBundle({{ spec: {document}, dom_id: '#ui', onComplete }})</script>",
        script.display()
    );
    fs::write(&page, html).expect("the file is written");
    browser.open(&format!("file://{}", page.display()));
    browser.until("window.ready === true");

    let create = "#operations-Instances-provision";
    click(&mut browser, &format!("{create} .opblock-summary-control"));
    click(&mut browser, &format!("{create} .try-out__btn"));
    browser.until(&format!("document.querySelector('{create} textarea.body-param__text') !== null"));
    let names =
        format!("[...document.querySelectorAll('{create} [data-param-name]')].map((it) => it.dataset.paramName)");
    let expected = [
        "instance_id",
        "X-Broker-API-Version",
        "X-Broker-API-Originating-Identity",
        "X-Broker-API-Request-Identity",
        "accepts_incomplete",
    ];
    assert_eq!(browser.evaluate(&names), json!(expected));
    let service = EveryBroker::OFFERINGS[0];
    let plan = service.plans.iter().find(|plan| plan.create.is_none()).expect("a plan without parameters");
    let body = json!({
        "service_id": service.id, "plan_id": plan.spec.id, "organization_guid": "o", "space_guid": "s",
    });
    fill(&mut browser, &format!("{create} [data-param-name=instance_id] input"), "one two");
    fill(&mut browser, &format!("{create} textarea.body-param__text"), &body.to_string());
    click(&mut browser, &format!("{create} .execute"));
    let status = format!("{create} .live-responses-table tbody .response-col_status");
    browser.until(&format!("document.querySelector('{status}') !== null"));
    let text = browser.evaluate(&format!("document.querySelector('{create} .live-responses-table').innerText"));
    let status = browser.evaluate(&format!("document.querySelector('{status}').innerText"));
    assert!(status.as_str().is_some_and(|status| status.starts_with("201")), "{status}: {text}");
}
