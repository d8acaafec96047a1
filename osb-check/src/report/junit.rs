//! Writes a report as JUnit XML.
//!
//! Hand-written because `quick-junit` would bring a calendar, UUIDs and a reader of XML for six kinds of elements.

use std::collections::BTreeSet;

use super::{Finding, Report, Severity, Unchecked};

/// Writes a suite for each plan, and one for the rest, with a test for each rule, and one for each step that could not be checked
/// and each resource that is left behind. Warnings are printed to `system-out` instead of failing a test.
pub(super) fn junit(report: &Report) -> String {
    let found = report.findings.iter().map(|finding| (finding.plan.clone(), finding.rule));
    let tests: BTreeSet<(String, &str)> = report.examined.iter().cloned().chain(found).collect();
    let unchecked =
        report.unchecked.iter().map(|Unchecked { plan, why }| (plan.as_str(), "everything was checked", why));
    let left = report.left_behind.iter().map(|left| ("", "everything was deleted", left));
    let errors: Vec<_> = unchecked.chain(left).collect();
    let places = tests.iter().map(|(place, _)| place.as_str()).chain(errors.iter().map(|(place, ..)| *place));
    let places: BTreeSet<&str> = places.collect();
    let mut out =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"Open Service Broker API\">\n".to_owned();
    for place in places {
        let rules: Vec<&str> = tests.iter().filter(|(known, _)| known == place).map(|(_, rule)| *rule).collect();
        let of_rule = |rule: &str, severity: Severity| {
            let here =
                |finding: &&Finding| finding.rule == rule && finding.plan == place && finding.severity == severity;
            report.findings.iter().filter(here).collect::<Vec<_>>()
        };
        let errors: Vec<_> = errors.iter().filter(|(of, ..)| *of == place).collect();
        let failures = rules.iter().filter(|rule| !of_rule(rule, Severity::Error).is_empty()).count();
        let name = if place.is_empty() { "broker" } else { place };
        out += &format!(
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"{}\" skipped=\"0\">\n",
            escaped(name),
            rules.len() + errors.len(),
            errors.len()
        );
        for rule in rules {
            let title = format!("{rule}: {}", text_of(report, rule));
            out += &format!("    <testcase classname=\"{}\" name=\"{}\">\n", escaped(name), escaped(&title));
            for finding in of_rule(rule, Severity::Error) {
                let (message, body) = message_and_body(finding);
                out += &format!(
                    "      <failure message=\"{}\" type=\"{rule}\">{}</failure>\n",
                    escaped(&message),
                    escaped(&body)
                );
            }
            let warnings: Vec<String> = of_rule(rule, Severity::Warning)
                .into_iter()
                .map(|finding| {
                    let (message, body) = message_and_body(finding);
                    format!("warning: {message}\n{body}")
                })
                .collect();
            if !warnings.is_empty() {
                out += &format!("      <system-out>{}</system-out>\n", escaped(&warnings.join("\n")));
            }
            out += "    </testcase>\n";
        }
        for (_, title, why) in errors {
            out += &format!(
                "    <testcase classname=\"{}\" name=\"{title}\">\n      <error message=\"{}\"/>\n    </testcase>\n",
                escaped(name),
                escaped(why)
            );
        }
        out += "  </testsuite>\n";
    }
    out + "</testsuites>\n"
}

fn text_of(report: &Report, rule: &str) -> &'static str {
    let of_finding = report.findings.iter().find(|finding| finding.rule == rule).map(|finding| finding.text);
    crate::rules::rule(rule).map(|rule| rule.text).or(of_finding).unwrap_or_default()
}

fn message_and_body(finding: &Finding) -> (String, String) {
    let message = format!("{}: {}", finding.tried, finding.expected);
    (message, format!("request: {}\nresponse: {}", finding.sent, finding.answer))
}

/// Escapes text for an element or an attribute; characters that XML 1.0 does not allow become U+FFFD.
fn escaped(text: &str) -> String {
    let character = |c: char| match c {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        '\n' => "&#10;".to_owned(),
        '\t' => "&#9;".to_owned(),
        c if c.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&c) => '\u{fffd}'.to_string(),
        c => c.to_string(),
    };
    text.chars().map(character).collect()
}
