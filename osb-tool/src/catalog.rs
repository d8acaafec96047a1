//! The command `osb catalog`: validates and prints any catalog.

use std::path::Path;

use clap::{ArgMatches, Args, FromArgMatches};
use serde_json::{Value, json};

use super::{
    Failure,
    broker_args::AuthArgs,
    client::{at_a_glance, broken},
    overview::one_line,
    print,
};
use osb_check::{
    Severity,
    judge::{CatalogFinding, catalog_findings},
};
use osb_client::{Call, Catalog};
use osb_docs::pretty;

#[derive(Debug, Args)]
#[group(skip)]
struct CatalogArgs {
    /// URL of a broker, without /v2; or a file with a catalog
    #[arg(value_name = "URL|FILE", env = "OSB_CLIENT_URL", default_value = "http://127.0.0.1:8080")]
    source: String,

    /// Print the catalog and the findings as JSON
    #[arg(long)]
    json: bool,

    // Its heading is that of the arguments after it, too.
    #[command(flatten)]
    auth: AuthArgs,
}

/// Builds the command.
pub(super) fn command(program: &str) -> clap::Command {
    CatalogArgs::augment_args(clap::Command::new("catalog"))
        .about("Validate any catalog against the specification and Cloud Foundry, and show it")
        .after_help(format!(
            "Examples:\n  \
             {program} catalog https://broker.example.com\n  \
             {program} catalog catalog.json --json | jq .findings\n\n\
             Exit codes: 0 no errors (there may be warnings), 1 errors, or there is no catalog, 2 invalid command line."
        ))
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let options = CatalogArgs::from_arg_matches(matches)?;
    let catalog = read(&options)?;
    let findings = catalog_findings(&catalog);
    if options.json {
        print(&pretty(&json!({ "catalog": catalog, "findings": findings }).to_string()))?;
    } else {
        let table = Catalog::read(catalog).map(|catalog| at_a_glance(&catalog)).unwrap_or_default();
        print(&format!("{table}{}", listed(&findings)))?;
    }
    match findings.iter().filter(|finding| finding.severity == Severity::Error).count() {
        0 => Ok(()),
        1 => Err(Failure::Broken("1 error in the catalog".to_owned())),
        number => Err(Failure::Broken(format!("{number} errors in the catalog"))),
    }
}

/// Reads the file, or fetches the catalog from the broker.
fn read(options: &CatalogArgs) -> Result<Value, Failure> {
    let source = options.source.as_str();
    // A mistyped URL can have a password, which the client leaves out of its error.
    if source.contains("://") || (source.contains('@') && !Path::new(source).exists()) {
        let client = options.auth.client(source, |name| std::env::var(name).ok())?;
        let answer = super::blocking(async { client.send(&Call::catalog()).await })?;
        return Ok(answer.and_then(osb_client::Answer::success).map_err(broken)?.body);
    }
    let text = std::fs::read(Path::new(source))
        .map_err(|error| Failure::Broken(format!("{source} cannot be read: {error}; a URL begins with https://")))?;
    osb_runtime::json::from_slice(&text).map_err(|error| Failure::Broken(format!("{source} is not JSON: {error}")))
}

fn listed(findings: &[CatalogFinding]) -> String {
    let mut out = String::new();
    for finding in findings {
        let word = if finding.severity == Severity::Error { "error" } else { "warning" };
        let place = if finding.pointer.is_empty() { "/" } else { &finding.pointer };
        // Both have names and values of the catalog.
        let (place, what) = (one_line(place), one_line(&finding.what));
        out += &format!("\n{word} {} {place}: {what}\n  {}\n", finding.rule, finding.text);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalog(change: impl FnOnce(&mut Value)) -> Vec<String> {
        let mut catalog = json!({ "services": [{
            "id": "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", "name": "kv", "description": "Stores.", "bindable": true,
            "plans": [{ "id": "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", "name": "free", "description": "Small." }],
        }] });
        change(&mut catalog);
        catalog_findings(&catalog).iter().map(|finding| format!("{} {}", finding.rule, finding.pointer)).collect()
    }

    #[test]
    fn findings_have_the_rule_and_the_place() {
        assert_eq!(catalog(|_| {}), [""; 0]);
        assert_eq!(catalog(|it| it["services"] = json!([])), ["CF-01 /services"]);
        assert_eq!(catalog(|it| it["services"][0]["bindable"] = Value::Null), ["CAT-15 /services/0/bindable"]);
        assert_eq!(catalog(|it| it["services"][0]["tags"] = Value::Null), ["CF-03 /services/0/tags"]);
        let again = catalog(|it| {
            let plan = it["services"][0]["plans"][0].clone();
            it["services"][0]["plans"].as_array_mut().expect("a list").push(plan);
        });
        assert_eq!(again, ["CAT-30 /services/0/plans/1/id", "CAT-31 /services/0/plans/1/name"]);
        let schema = catalog(|it| {
            it["services"][0]["plans"][0]["schemas"] =
                json!({ "service_instance": { "create": { "parameters": { "type": "object" } } } });
        });
        assert!(schema.iter().any(|finding| finding.starts_with("CAT-51 /services/0/plans/0/schemas/")), "{schema:?}");
    }
}
