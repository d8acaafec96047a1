//! Tests of the report as text, JUnit XML and JSON.

use http::{HeaderMap, StatusCode};
use serde_json::json;

use super::*;
use osb_client::{Call, Client, Payload};

fn sent(call: &Call) -> SentRequest {
    SentRequest::new(&head(call), call)
}

fn head(call: &Call) -> RequestHead {
    let client = Client::new("http://broker.example.com").expect("a URL").basic("user", "t0p");
    RequestHead::new(&client, &client.request(call).expect("a request"))
}

fn report() -> Report {
    let create = Call::provision("i", "s", "p")
        .parameters(json!({ "token": "t0p", "list": [{ "password": "t0p" }], "size": 1 }));
    let head = head(&create);
    let answer = |status: u16, body: &Value| {
        Answer::new(StatusCode::from_u16(status).expect("a status"), HeaderMap::new(), body.to_string().as_bytes())
    };
    let finding = |rule: &'static str, plan: &str, tried: &str, answer: &Answer| Finding {
        plan: plan.to_owned(),
        tried: tried.to_owned(),
        ..Finding::new(rule, ApiVersion::LATEST, "expected 409".to_owned(), (&head, &create), Some(answer))
            .expect("a rule")
    };
    let bound =
        answer(201, &json!({ "credentials": { "uri": "t0p", "nested": ["t0p"] }, "a\u{1b}[31m": "<&\">\u{0}" }));
    let mut report = Report { requests: 1, ..Report::default() };
    report.add(finding("PROV-14", "kv/<free>", "again", &bound), Counted::WhereTried);
    report.add(finding("PROV-14", "kv/<free>", "again", &bound), Counted::WhereTried);
    report.add(finding("PROV-14", "kv/<free>", "elsewhere", &bound), Counted::WhereTried);
    report.add(finding("HDR-05", "", "a", &bound), Counted::Everywhere);
    report.add(finding("HDR-05", "kv/<free>", "b", &bound), Counted::Everywhere);
    report.add(finding("CF-10", "", "a", &bound), Counted::Everywhere);
    report.examined.insert(("kv/<free>".to_owned(), "PROV-11"));
    report.unchecked.push(Unchecked { plan: "kv/<free>".to_owned(), why: "bind: no & no".to_owned() });
    report
}

#[test]
fn the_text_lists_errors_first() {
    let text = report().text(false);
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} is missing in {text}"));
    assert!(at("error PROV-14 MUST, \"Provisioning\"") < at("warning HDR-05 SHOULD, \"Request Identity\""), "{text}");
    assert!(text.contains("error CF-10 Cloud Foundry: `operation` is absent"), "{text}");
    assert!(text.contains("kv/<free>: again: expected 409 (2 times)"), "{text}");
    assert!(text.contains("kv/<free>: elsewhere: expected 409\n"), "{text}");
    assert_eq!(text.matches("warning HDR-05").count(), 1, "a finding in several plans is listed once: {text}");
    assert!(
        text.ends_with(
            "not checked\n  kv/<free>: bind: no & no\n\n3 errors, 1 warning, 1 step not checked; 1 request sent\n"
        ),
        "{text}"
    );
    assert!(!text.contains('\u{1b}'), "{text}");
    assert!(report().text(true).contains("\u{1b}[1;31merror PROV-14\u{1b}[0m"));
}

#[test]
fn the_text_has_no_control_characters_of_the_broker() {
    let mut report = report();
    let bell = || "kv/\u{1b}]0;x\u{7}\u{9b}\u{202e}\u{2066}".to_owned();
    report.unchecked.push(Unchecked { plan: bell(), why: bell() });
    report.left_behind.push(bell());
    for finding in &mut report.findings {
        (finding.plan, finding.tried, finding.expected) = (bell(), bell(), bell());
    }
    let text = report.text(false);
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    assert!(!text.contains(['\u{202e}', '\u{2066}']), "{text:?}");
}

#[test]
fn errors_and_warnings_of_one_rule_are_listed_once_each() {
    let mut report = report();
    report.findings.truncate(1);
    let warning = Finding { severity: Severity::Warning, tried: "seldom".to_owned(), ..report.findings[0].clone() };
    report.findings.push(warning);
    let text = report.text(false);
    let (errors, warnings) = text.split_once("warning PROV-14").expect("a warning");
    assert!(errors.contains(": again: ") && !errors.contains(": seldom: "), "{text}");
    assert!(warnings.contains(": seldom: ") && !warnings.contains(": again: "), "{text}");
}

#[test]
fn no_format_contains_secrets() {
    let report = report();
    let json = serde_json::to_string(&report).expect("JSON");
    for text in [report.text(true), report.junit(), json] {
        assert!(text.contains("***") && !text.contains("t0p"), "{text}");
    }
}

#[test]
fn a_binding_that_is_cut_off_is_not_shown() {
    let call = Call::bind("i", "b", "s", "p");
    let answer = Answer::new(StatusCode::CREATED, HeaderMap::new(), br#"{"credentials":{"uri":"t0p"#);
    let finding = Finding::new("PROV-14", ApiVersion::LATEST, String::new(), (&head(&call), &call), Some(&answer))
        .expect("a rule");
    assert!(finding.answer.starts_with(r#"201 Created {"credentials..."#), "{}", finding.answer);
    assert!(!finding.answer.contains("t0p"), "{}", finding.answer);
}

#[test]
fn json_has_every_finding_with_its_rule() {
    let json = serde_json::to_value(report()).expect("JSON");
    let first = &json["findings"][0];
    assert_eq!((&first["rule"], &first["severity"], &first["times"]), (&json!("PROV-14"), &json!("error"), &json!(2)));
    assert_eq!((&first["level"], &first["section"]), (&json!("MUST"), &json!("Provisioning")));
    assert_eq!(json["findings"][2]["severity"], "warning");
}

#[test]
fn junit_has_a_test_for_each_rule_and_plan() {
    let xml = report().junit();
    for part in [
        "<testsuite name=\"broker\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\">",
        "<testsuite name=\"kv/&lt;free&gt;\" tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"0\">",
        "<testcase classname=\"kv/&lt;free&gt;\" name=\"PROV-11: A repeated provisioning with the same attributes is answered 200 once the instance exists.\">\n    </testcase>",
        "<failure message=\"again: expected 409\" type=\"PROV-14\">request: PUT ",
        "<system-out>warning: a: expected 409&#10;request: ",
        "<error message=\"bind: no &amp; no\"/>",
        "&quot;&lt;&amp;\\&quot;&gt;",
    ] {
        assert!(xml.contains(part), "{part} is missing in {xml}");
    }
    assert_eq!(xml.matches("<testcase").count(), xml.matches("</testcase>").count());
    let text: Vec<char> = xml.chars().filter(|c| c.is_control() && *c != '\n').collect();
    assert_eq!(text, [], "XML has no such characters");
}

#[test]
fn junit_has_a_test_for_each_resource_that_is_left_behind() {
    let xml = Report { left_behind: vec!["DELETE /v2/<i>".to_owned()], ..Report::default() }.junit();
    for part in [
        "<testsuite name=\"broker\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">",
        "<testcase classname=\"broker\" name=\"everything was deleted\">\n      <error message=\"DELETE /v2/&lt;i&gt;\"/>",
    ] {
        assert!(xml.contains(part), "{part} is missing in {xml}");
    }
}

#[test]
fn a_clean_report_has_no_errors_and_no_omissions() {
    assert!(Report::default().is_clean());
    assert!(!report().is_clean());
    let findings = report().findings;
    let with = |rule: &str| {
        let findings = findings.iter().filter(|finding| finding.rule == rule).cloned().collect();
        Report { findings, ..Report::default() }
    };
    assert!(with("HDR-05").is_clean(), "warnings are ignored");
    assert!(!with("PROV-14").is_clean());
    assert!(!Report { left_behind: vec!["i".to_owned()], ..Report::default() }.is_clean());
}

#[test]
fn a_request_is_repeated_by_its_command_line() {
    let call = Call::bind("i", "b", "s", "p").parameters(json!({ "say": "it's" })).accepts_incomplete();
    let request = sent(&call);
    let curl = request.curl.expect("a command line");
    assert!(
        curl.starts_with("curl -i -X PUT 'http://broker.example.com/v2/service_instances/i/service_bindings/b?accepts_incomplete=true'"),
        "{curl}"
    );
    assert!(curl.contains(" -u \"$OSB_CLIENT_USERNAME:$OSB_CLIENT_PASSWORD\""), "{curl}");
    assert!(curl.contains(" -H 'x-broker-api-version: 2.17'"), "{curl}");
    assert!(curl.contains(r#"--data-binary '{"parameters":{"say":"it'\''s"},"#), "{curl}");
    let long = Call { payload: Payload::Text("[".repeat(20_000)), ..call };
    let request = sent(&long);
    assert!(request.curl.is_none() && request.body.is_some_and(|body| body.len() < 1_000));
}
