//! The trace of a request, in the log and in handlers.

use std::fs;

use osb_client::Call;
use serde_json::json;

use crate::world::{SERVICE, SMALL, Serving, bare, home, logged, ran, shelf, until};

pub(crate) const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
pub(crate) const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

#[tokio::test]
async fn the_trace_is_in_the_log_and_passed_on_by_handlers_and_the_client() {
    let home = home();
    let serving = Serving::logging(shelf(&home, &["--store", "memory"]), home.path());
    let parent = PARENT.parse().expect("well-formed");
    let call = Call::provision("one", SERVICE, SMALL).parameters(json!({ "width": 80 }));
    let answer = serving.client().trace(Some(&parent)).send(&call).await.expect("an answer");
    assert_eq!(answer.status, 201);
    assert_eq!(fs::read_to_string(home.path().join("trace")).expect("the handler writes it"), PARENT);

    let url = ["--url", &serving.url, "--username", "user", "--password", "password"];
    assert_eq!(ran(bare(&home, &["client", "catalog"]).args(url).env("TRACEPARENT", PARENT)).0, 0);

    until(|| logged(home.path(), "answered").len() == 2);
    for line in logged(home.path(), "answered") {
        assert_eq!(line["trace_id"], TRACE, "{line}");
    }
    for stage in ["provision began", "provision succeeded"] {
        let line = logged(home.path(), stage).remove(0);
        assert_eq!(line["trace_id"], TRACE, "{line}");
    }
    let made = logged(home.path(), "making a shelf").remove(0);
    let spans = made["spans"].as_array().expect("spans");
    let handler = spans.iter().find(|span| span["name"] == "handler").expect("the handler");
    assert_eq!((&handler["trace_id"], &handler["parent_span_id"]), (&json!(TRACE), &json!("b7ad6b7169203331")));
}
