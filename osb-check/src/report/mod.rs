//! The report of a check.

mod junit;
mod request;
mod text;

use std::{collections::BTreeSet, fmt};

use serde::Serialize;
use serde_json::Value;

use super::refusals::{self, Refusal};
use crate::rules::{self, Level};
use osb_client::{Answer, Call, ClientError, Platform, SECRET_MEMBERS};
use osb_runtime::protocol::ApiVersion;

pub(crate) use request::RequestHead;
pub use request::SentRequest;

/// The result of a check.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The violations, in order of discovery. Repeated ones are counted in the first.
    pub findings: Vec<Finding>,
    /// The steps that could not be checked.
    pub unchecked: Vec<Unchecked>,
    /// The resources that could not be deleted, and are left at the broker.
    pub left_behind: Vec<String>,
    /// The number of requests sent.
    pub requests: usize,
    /// The rules that were checked explicitly, by plan; without those that apply to every response.
    #[serde(skip)]
    pub(super) examined: BTreeSet<(String, &'static str)>,
}

/// A violation of a rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The id of the [rule](crate::rules), or of a platform's own rule, such as `CF-05`.
    pub rule: &'static str,
    /// The severity.
    pub severity: Severity,
    /// The level of the rule, such as `MUST`; or the name of the platform.
    pub level: String,
    /// The text of the rule.
    pub text: &'static str,
    /// The heading in the specification.
    pub section: &'static str,
    /// The service and plan, as `kv/free`; empty if the finding concerns no plan in particular.
    pub plan: String,
    /// The step of the check.
    pub tried: String,
    /// The expected response, or the reason of the violation.
    pub expected: String,
    /// The request in one line: method, path and query, and the beginning of the body. Secrets are masked.
    pub sent: String,
    /// The whole request.
    pub request: SentRequest,
    /// The response: status and body. Secrets are masked.
    pub answer: String,
    /// The number of occurrences.
    pub times: usize,
}

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Severity {
    /// The specification forbids it, or the platform refuses it.
    Error,
    /// The specification advises against it: SHOULD (NOT) and RECOMMENDED.
    Warning,
}

/// A step that could not be checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Unchecked {
    /// The service and plan, as `kv/free`; empty if the step concerns no plan in particular.
    pub plan: String,
    /// The step, and the reason.
    pub why: String,
}

impl Report {
    /// Returns the report of a check that could not be run, for tools that expect one of each check: the error of
    /// [`Checker::run`](crate::Checker::run) as the step that could not be checked.
    pub fn of_error(error: &ClientError) -> Self {
        let unchecked = Unchecked { plan: String::new(), why: error.to_string() };
        Self { unchecked: vec![unchecked], ..Self::default() }
    }

    /// Returns whether there are no errors, everything could be checked, and nothing is left behind. Warnings are
    /// ignored.
    pub fn is_clean(&self) -> bool {
        self.errors().next().is_none() && self.unchecked.is_empty() && self.left_behind.is_empty()
    }

    /// Returns the errors.
    pub fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.severity == Severity::Error)
    }

    /// Returns the warnings.
    pub fn warnings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.severity == Severity::Warning)
    }

    /// Returns the report as text, optionally with colours for a terminal.
    pub fn text(&self, colours: bool) -> String {
        text::text(self, colours)
    }

    /// Returns the report as JUnit XML for continuous integration, with a test for each rule and plan.
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

/// Decides which findings count as repetitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted {
    /// Findings with the same text, in any step and plan.
    Everywhere,
    /// Only findings of the same step and plan.
    WhereTried,
}

/// The text of the report without colours.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(false))
    }
}

impl Finding {
    /// Creates a finding for a rule or a platform's refusal; `None` if this version does not have the rule.
    pub(super) fn new(
        id: &'static str,
        version: ApiVersion,
        expected: String,
        (head, call): (&RequestHead, &Call),
        answer: Option<&Answer>,
    ) -> Option<Self> {
        let (severity, level, text, section) = match (rules::rule(id), refusals::refusal(id)) {
            (Some(rule), _) => {
                let level = rule.level_at(version)?;
                (severity(level), level.to_string(), rule.text, rule.section)
            }
            (None, Some(Refusal { platform, text, .. })) => {
                (Severity::Error, platform_name(*platform).to_owned(), *text, "")
            }
            (None, None) => (Severity::Error, String::new(), "", ""),
        };
        let request = SentRequest::new(head, call);
        Some(Self {
            rule: id,
            severity,
            level,
            text,
            section,
            plan: String::new(),
            tried: String::new(),
            expected,
            sent: request.line(),
            request,
            answer: answer.map_or_else(|| "no response".to_owned(), came_back),
            times: 1,
        })
    }
}

const fn platform_name(platform: Platform) -> &'static str {
    match platform {
        Platform::CloudFoundry => "Cloud Foundry",
        Platform::Kubernetes => "Kubernetes",
    }
}

/// `May` is an error, as an optional feature has to be implemented correctly if it is offered.
pub(crate) const fn severity(level: Level) -> Severity {
    match level {
        Level::Should | Level::ShouldNot | Level::Recommended => Severity::Warning,
        Level::Must | Level::MustNot | Level::May | Level::Platform => Severity::Error,
    }
}

fn came_back(answer: &Answer) -> String {
    let body = if answer.body.is_null() { answer.excerpt() } else { short(&hidden(&answer.body).to_string()) };
    let body = if body.is_empty() { "without a body".to_owned() } else { body };
    format!("{} {body}", answer.status)
}

/// Shortens a body for the report.
fn short(text: &str) -> String {
    const LONGEST: usize = 400;
    let shown: String = text.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if shown.len() < text.len() { format!("{shown}...") } else { shown }
}

/// Masks all values in [secret members](SECRET_MEMBERS).
fn hidden(body: &Value) -> Value {
    match body {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| {
                let secret = SECRET_MEMBERS.contains(&name.as_str()) && !value.is_null();
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
