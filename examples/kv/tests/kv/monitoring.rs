//! Checks that the dashboard and the alerts use existing metrics.

use std::collections::{BTreeMap, BTreeSet};

use http::Request;
use serde_json::Value;

use crate::{
    program::{Serving, bound},
    world::send,
};

const ALERTS: &str = include_str!("../../deploy/monitoring/alerts.yaml");
const DASHBOARD: &str = include_str!("../../deploy/monitoring/dashboard.json");

/// The labels that Prometheus adds.
const OF_THE_SCRAPE: [&str; 2] = ["job", "instance"];

/// The labels of each metric, with their values.
type Metrics = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

fn is_name(c: char) -> bool {
    c.is_ascii_lowercase() || c == '_'
}

/// Splits `name{label="value",...}`; `operator` is between label and value.
fn selector(text: &str) -> (&str, Vec<(&str, &str)>) {
    let (name, rest) = text.split_at(text.find(|c| !is_name(c)).unwrap_or(text.len()));
    let inside = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')).map_or("", |(inside, _)| inside);
    let labels = inside.split("\",").filter_map(|label| label.trim().split_once('"'));
    (
        name,
        labels.map(|(label, value)| (label.trim_end_matches(['=', '~', '!']), value.trim_end_matches('"'))).collect(),
    )
}

fn exported(text: &str) -> Metrics {
    let mut metrics = Metrics::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, labels) = selector(line);
        let known = metrics.entry(name.to_owned()).or_default();
        for (label, value) in labels {
            known.entry(label.to_owned()).or_default().insert(value.to_owned());
        }
    }
    metrics
}

/// Returns the strings with this name anywhere in a document.
fn strings<'a>(document: &'a Value, name: &str, found: &mut Vec<&'a str>) {
    match document {
        Value::Object(members) => members.iter().for_each(|(key, value)| match value.as_str() {
            Some(text) if key == name => found.push(text),
            _ => strings(value, name, found),
        }),
        Value::Array(items) => items.iter().for_each(|item| strings(item, name, found)),
        _ => {}
    }
}

/// Returns the words between two texts.
fn between<'a>(text: &'a str, begin: &str, end: &str) -> Vec<&'a str> {
    let found = text.match_indices(begin).map(|(at, _)| &text[at + begin.len()..]);
    found.flat_map(|rest| rest.split(end).next().unwrap_or_default().split(',')).map(str::trim).collect()
}

/// Panics unless each metric and label in these queries is exported, and the stages and actions exist.
fn assert_exported(text: &str, metrics: &Metrics) {
    let mut count = 0;
    for (at, _) in text.match_indices("osb_") {
        let (name, labels) = selector(&text[at..]);
        let known = metrics.get(name).unwrap_or_else(|| panic!("{name} is not in {:?}", metrics.keys()));
        for (label, value) in labels.into_iter().filter(|(label, _)| !OF_THE_SCRAPE.contains(label)) {
            let values = known.get(label).unwrap_or_else(|| panic!("{name} has no label {label}"));
            let is_fixed = label == "stage" || label == "action";
            let unknown = value.split('|').find(|value| is_fixed && !values.contains(*value));
            assert_eq!(unknown, None, "{label} of {name}: {values:?}");
        }
        count += 1;
    }
    assert!(count > 5, "{text}");
    let labels: BTreeSet<&str> = metrics.values().flat_map(BTreeMap::keys).map(String::as_str).collect();
    for (begin, end) in [("by (", ")"), ("on (", ")"), ("{{ $labels.", " "), ("\"{{", "}}")] {
        for label in between(text, begin, end).into_iter().filter(|label| label.chars().all(is_name)) {
            assert!(labels.contains(label) || OF_THE_SCRAPE.contains(&label), "there is no label {label}");
        }
    }
}

#[tokio::test]
async fn the_dashboard_and_the_alerts_use_metrics_that_exist() {
    let directory = tempfile::tempdir().expect("a directory");
    let serving = Serving::start(directory.path());
    bound(&serving).await;
    let answer = send(Request::builder(), &format!("{}/metrics", serving.broker), "").await;
    let metrics = exported(&String::from_utf8_lossy(&answer.body));
    assert_exported(ALERTS, &metrics);
    let dashboard: Value = serde_json::from_str(DASHBOARD).expect("JSON");
    let mut texts = Vec::new();
    for name in ["expr", "query"] {
        strings(&dashboard, name, &mut texts);
    }
    let mut legends = Vec::new();
    strings(&dashboard, "legendFormat", &mut legends);
    let legends = legends.iter().map(|legend| format!("\"{}", legend.replace("}} {{", "}}\"{{")));
    assert_exported(&texts.into_iter().map(str::to_owned).chain(legends).collect::<Vec<_>>().join("\n"), &metrics);
}
