//! What was found.

mod junit;
mod text;

use std::{collections::BTreeSet, fmt};

use serde::Serialize;
use serde_json::Value;

use super::refusals::{self, Refusal};
use crate::rules::{self, Level};
use osb_client::{Answer, Call, Payload, Platform};

/// What a check has found.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// What the broker does wrong, in the order in which it was found. What is found again is counted, and shown as it was
    /// found first.
    pub findings: Vec<Finding>,
    /// What could not be checked, so that nothing is known of it.
    pub unchecked: Vec<Unchecked>,
    /// What was made and could not be deleted again: it is left at the broker.
    pub left_behind: Vec<String>,
    /// How many requests were sent.
    pub requests: usize,
    /// The rules that were asked for in particular, by place; those of every single answer are not among them.
    #[serde(skip)]
    pub(super) examined: BTreeSet<(String, &'static str)>,
}

/// Something that a broker does wrong.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The id of the [rule](crate::rules), or of something that a platform refuses, such as `CF-05`.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// How strongly the rule binds, such as `MUST`; or the platform that refuses it.
    pub level: String,
    /// The rule in a sentence.
    pub text: &'static str,
    /// Where the specification says so.
    pub section: &'static str,
    /// The service and plan, as `kv/free`; empty if it is not about one.
    pub plan: String,
    /// What was being tried.
    pub tried: String,
    /// What was expected, or what is wrong.
    pub expected: String,
    /// What was sent: the first line, and the body if there was one. Secrets are hidden.
    pub sent: String,
    /// What came back: the status, and the body. Secrets are hidden.
    pub answer: String,
    /// How often it was found.
    pub times: usize,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Severity {
    /// The specification forbids it, or the platform refuses it.
    Error,
    /// The specification advises against it: SHOULD (NOT) and RECOMMENDED.
    Warning,
}

/// Something that could not be checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Unchecked {
    /// The service and plan, as `kv/free`; empty if it is not about one.
    pub plan: String,
    /// What was to be checked, and why it was not.
    pub why: String,
}

impl Report {
    /// Whether the broker does everything right, and everything could be checked. Warnings are no objection.
    pub fn is_clean(&self) -> bool {
        self.errors().next().is_none() && self.unchecked.is_empty() && self.left_behind.is_empty()
    }

    /// The findings that the specification forbids or the platform refuses.
    pub fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.severity == Severity::Error)
    }

    /// The findings that the specification advises against.
    pub fn warnings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.severity == Severity::Warning)
    }

    /// The report for people, with colours for a terminal or without.
    pub fn text(&self, colours: bool) -> String {
        text::text(self, colours)
    }

    /// The report as JUnit XML, as servers for continuous integration read it: a test for each rule and plan.
    pub fn junit(&self) -> String {
        junit::junit(self)
    }

    pub(super) fn add(&mut self, finding: Finding, counted: Counted) {
        let known = |known: &&mut Finding| {
            let same = (known.rule, &known.expected) == (finding.rule, &finding.expected);
            let there = (&known.plan, &known.tried) == (&finding.plan, &finding.tried);
            same && (counted == Counted::Everywhere || there)
        };
        match self.findings.iter_mut().find(known) {
            Some(known) => known.times += 1,
            None => self.findings.push(finding),
        }
    }
}

/// Which findings are the same one again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted {
    /// Those of the same answer, wherever it is given.
    Everywhere,
    /// Those of the same request only.
    WhereTried,
}

/// For people, without colours.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(false))
    }
}

impl Finding {
    /// A finding by a rule or a refusal.
    pub(super) fn new(id: &'static str, expected: String, call: &Call, answer: Option<&Answer>) -> Self {
        let (severity, level, text, section) = match (rules::rule(id), refusals::refusal(id)) {
            (Some(rule), _) => (severity(rule.level), rule.level.to_string(), rule.text, rule.section),
            (None, Some(Refusal { platform, text, .. })) => {
                (Severity::Error, platform_name(*platform).to_owned(), *text, "")
            }
            (None, None) => (Severity::Error, String::new(), "", ""),
        };
        Self {
            rule: id,
            severity,
            level,
            text,
            section,
            plan: String::new(),
            tried: String::new(),
            expected,
            sent: sent(call),
            answer: answer.map_or_else(|| "no answer".to_owned(), came_back),
            times: 1,
        }
    }
}

const fn platform_name(platform: Platform) -> &'static str {
    match platform {
        Platform::CloudFoundry => "Cloud Foundry",
        Platform::Kubernetes => "Kubernetes",
    }
}

/// What is optional is not optional to be done right.
const fn severity(level: Level) -> Severity {
    match level {
        Level::Should | Level::ShouldNot | Level::Recommended => Severity::Warning,
        Level::Must | Level::MustNot | Level::May | Level::Platform => Severity::Error,
    }
}

fn sent(call: &Call) -> String {
    let line = format!("{} {}", call.method, call.target());
    match &call.payload {
        Payload::None => line,
        Payload::Json(body) => format!("{line} {}", short(&hidden(body).to_string())),
        Payload::Text(text) => format!("{line} {}", short(text)),
    }
}

fn came_back(answer: &Answer) -> String {
    let body = if answer.body.is_null() { answer.text.clone() } else { hidden(&answer.body).to_string() };
    let body = if body.is_empty() { "without a body".to_owned() } else { short(&body) };
    format!("{} {body}", answer.status)
}

/// A body of which something is seen.
fn short(text: &str) -> String {
    const LONGEST: usize = 400;
    let shown: String = text.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if shown.len() < text.len() { format!("{shown}...") } else { shown }
}

/// A body whose secrets are hidden: what stands below a name that promises some.
fn hidden(body: &Value) -> Value {
    const SECRET: [&str; 6] = ["credentials", "secret", "password", "token", "syslog_drain_url", "mount_config"];
    match body {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| {
                let secret = SECRET.contains(&name.as_str()) && !value.is_null();
                (name.clone(), if secret { masked(value) } else { hidden(value) })
            })
            .collect(),
        Value::Array(values) => values.iter().map(hidden).collect(),
        value => value.clone(),
    }
}

fn masked(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), masked(value))).collect(),
        Value::Array(values) => values.iter().map(masked).collect(),
        Value::String(text) if text.is_empty() => text.as_str().into(),
        Value::Null => Value::Null,
        _ => "***".into(),
    }
}

#[cfg(test)]
mod tests;
