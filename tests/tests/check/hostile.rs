//! Responses that must not harm the check, its user or its report.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use osb_check::judge::Endpoint;
use osb_client::Client;
use serde_json::json;

use crate::{
    checked, checker, lab,
    mutated::{Mutate, Mutated},
};

#[tokio::test]
async fn no_report_contains_credentials_that_are_almost_right() {
    let forbids: Mutate = |_, reply| {
        if reply.status == 401 {
            reply.become_(403, json!({}));
        }
    };
    let client = Client::over(Mutated::new(lab().await, [forbids]));
    let report = checked(checker(client, "succeed").plan("quick")).await;
    let text = report.text(false);
    assert!(text.contains("with the beginning of the password"), "{text}");
    for text in [text, report.junit(), serde_json::to_string(&report).expect("JSON")] {
        for word in text.split("Basic ").skip(1) {
            let end = word.find(['"', '\'', '&']).unwrap_or(word.len());
            assert!(STANDARD.decode(&word[..end]).is_err(), "credentials: Basic {}", &word[..end]);
        }
    }
}

#[tokio::test]
async fn a_poll_that_asks_for_an_endless_pause_ends_the_check_of_the_operation() {
    let endless: Mutate = |asked, reply| {
        if asked.endpoint == Some(Endpoint::PollInstance) {
            reply.become_(200, json!({ "state": "in progress" }));
            // The pause overflows if it is added to a second or more.
            let pause = if asked.before == 0 { 1 } else { u64::MAX };
            reply.headers.insert("retry-after", pause.into());
        }
    };
    let client = Client::over(Mutated::new(lab().await, [endless]));
    let report = checked(checker(client, "succeed").plan("slow")).await;
    assert!(report.to_string().contains("the operation was still in progress after "), "{report}");
}
