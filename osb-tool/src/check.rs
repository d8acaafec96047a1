//! The command `check`: checks any broker for conformance with the specification.

use std::{
    fs::File,
    io::{IsTerminal as _, Write as _},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use clap::{ArgMatches, Args, FromArgMatches};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    Failure,
    broker_args::AuthArgs,
    cli::one_of,
    client::broken,
    client_args::{PLATFORMS, json_or_file},
    look_up::nearest,
    print,
    progress::StatusLine,
};
use osb_check::{Checker, Report, SchemaKind, rule_ids};
use osb_client::Platform;
use osb_docs::pretty;
use osb_runtime::http::shutdown_signal;

#[derive(Debug, Args)]
#[group(skip)]
struct CheckArgs {
    /// URL of the broker, without /v2
    #[arg(value_name = "URL", env = "OSB_CLIENT_URL", default_value = "http://127.0.0.1:8080")]
    url: String,

    /// Print the report as JSON, with each request as a `curl` line
    #[arg(long)]
    json: bool,

    /// Also write the report to this file as JUnit XML, for CI
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    // Its heading is that of the arguments after it, too.
    #[command(flatten)]
    auth: AuthArgs,

    /// Send requests as this platform does, and also report what it rejects although the specification allows it; without the
    /// option, requests are those of cloudfoundry
    #[arg(long, value_name = "PLATFORM", value_parser = one_of(PLATFORMS), help_heading = CHECKS)]
    platform: Option<Platform>,

    /// Check only the plans of this service, by name or id [default: all services in the catalog]
    #[arg(long, help_heading = CHECKS)]
    service: Option<String>,

    /// Check only plans with this name or id [default: all plans]
    #[arg(long, help_heading = CHECKS)]
    plan: Option<String>,

    /// Parameters for an operation, in place of those derived from the plan's schema: SERVICE and PLAN are names or ids, OPERATION
    /// is create, update or bind, and @FILE reads the JSON from a file. Repeat it for other operations. A second value for the
    /// same one is for a request with different parameters
    #[arg(
        long = "parameters",
        short = 'c',
        value_name = "SERVICE/PLAN/OPERATION=JSON|@FILE",
        value_parser = parameters,
        help_heading = CHECKS
    )]
    parameters: Vec<Given>,

    /// Report only violations of this rule, by its id; can be repeated. The requests stay the same
    #[arg(long, value_name = "RULE", value_parser = rule, help_heading = CHECKS)]
    only: Vec<&'static str>,

    /// Don't report violations of this rule, by its id; can be repeated
    #[arg(long, value_name = "RULE", value_parser = rule, help_heading = CHECKS)]
    skip: Vec<&'static str>,

    /// Stop at the first violation (not at warnings), and delete what was created
    #[arg(long, help_heading = CHECKS)]
    fail_fast: bool,

    /// Delay between two polls, unless the broker requests a longer one
    #[arg(long, value_name = "DURATION", default_value = "1s", value_parser = super::duration::parse, help_heading = CHECKS)]
    poll_every: Duration,

    /// Maximum time to poll an asynchronous operation; a plan's maximum_polling_duration can shorten it
    #[arg(long, value_name = "DURATION", default_value = "1h", value_parser = super::duration::parse, help_heading = CHECKS)]
    at_most: Duration,
}

const CHECKS: &str = "Checks";

#[derive(Debug, Clone)]
struct Given {
    service: String,
    plan: String,
    operation: SchemaKind,
    /// Service, plan and operation as they were given.
    text: String,
    parameters: Value,
}

/// Parses an argument such as `kv/free/create={"ttl": 60}`.
fn parameters(text: &str) -> Result<Given, String> {
    let form =
        "write SERVICE/PLAN/OPERATION=JSON, such as kv/free/create={\"ttl\":60}; OPERATION is create, update or bind";
    let (of, json) = text.split_once('=').ok_or(form)?;
    // Names may contain slashes, operations don't.
    let (service_and_plan, operation) = of.rsplit_once('/').ok_or(form)?;
    let (service, plan) = service_and_plan.split_once('/').ok_or(form)?;
    let operation = match operation {
        "create" => SchemaKind::Create,
        "update" => SchemaKind::Update,
        "bind" => SchemaKind::Bind,
        _ => return Err(form.to_owned()),
    };
    let parameters = json_or_file(json)?;
    if !parameters.is_object() {
        return Err("parameters are a JSON object, such as {\"ttl\":60}".to_owned());
    }
    Ok(Given { service: service.to_owned(), plan: plan.to_owned(), operation, text: of.to_owned(), parameters })
}

/// Parses the id of a rule.
fn rule(text: &str) -> Result<&'static str, String> {
    let known: Vec<&'static str> = rule_ids().collect();
    known.iter().find(|id| **id == text).copied().ok_or_else(|| {
        let near = nearest(&known, text).map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        format!("unknown rule{near}")
    })
}

/// Builds the command.
pub(super) fn command(program: &str) -> clap::Command {
    CheckArgs::augment_args(clap::Command::new("check"))
        .about("Check any broker for conformance with the specification")
        .after_help(format!(
            "The check takes instances and bindings of each plan through their whole lifecycle, as a platform\n\
             would, and also sends requests that a broker has to refuse. The instances and bindings may cost\n\
             money; they are deleted at the end, even if the check is interrupted.\n\n\
             A violation of a MUST of the specification is an error, of a SHOULD a warning. The report shows\n\
             each with the id of its rule, such as PROV-11; the documentation of the crate osb-check lists all\n\
             rules.\n\n\
             For a broker on this machine OSB_USERNAME and OSB_PASSWORD work too, which `serve` may print.\n\n\
             Examples:\n  \
             {program} check https://broker.example.com --username cf --platform cloudfoundry\n  \
             {program} check --plan free --api-version 2.14 --junit report.xml\n  \
             {program} check --parameters 'kv/free/create={{\"ttl\": 60}}' --skip PROV-11\n\n\
             Exit codes:\n  \
             0  no violations; there may be warnings\n  \
             1  violations, or something could not be checked or deleted\n  \
             2  invalid command line"
        ))
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let options = CheckArgs::from_arg_matches(matches)?;
    let checker = checker(&options)?;
    // Before the check, which takes long and creates instances.
    let cannot_write = |path: &Path, error| Failure::Broken(format!("{} cannot be written: {error}", path.display()));
    let junit = options.junit.as_deref().map(|path| match File::create(path) {
        Ok(file) => Ok((path, file)),
        Err(error) => Err(cannot_write(path, error)),
    });
    let junit = junit.transpose()?;
    let report = super::blocking(async {
        let stop = CancellationToken::new();
        let checker = checker.until(stop.clone().cancelled_owned()).on_step(progress());
        let mut running = Box::pin(checker.run());
        tokio::select! {
            report = &mut running => return Ok(report),
            () = shutdown_signal() => stop.cancel(),
        }
        super::tell("interrupted: deleting instances and bindings (interrupt again to leave them)\n");
        tokio::select! {
            report = running => Ok(report),
            () = shutdown_signal() => Err(Failure::Broken("interrupted again: some instances or bindings were not deleted".to_owned())),
        }
    })??;
    let written = junit.map(|(path, mut file)| {
        let xml = report.as_ref().map_or_else(|error| Report::of_error(error).junit(), Report::junit);
        file.write_all(xml.as_bytes()).map_err(|error| cannot_write(path, error))
    });
    let report = report.map_err(broken)?;
    let colours = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    print(&if options.json { json(&report)? } else { report.text(colours) })?;
    written.transpose()?;
    verdict(&report)
}

/// Shows each step on a terminal, and prints each plan elsewhere, such as in the log of a CI job.
fn progress() -> impl Fn(&str, &str) + Send + Sync {
    let (line, last) = (StatusLine::new(), Mutex::new(String::new()));
    move |plan, step| {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if plan.is_empty() {
            line.show(step);
        } else if line.is_terminal() {
            line.show(&format!("{plan}: {step}"));
        } else if *last != plan {
            super::tell(&format!("checking {plan}\n"));
            plan.clone_into(&mut last);
        }
    }
}

fn checker(options: &CheckArgs) -> Result<Checker, Failure> {
    if !options.only.is_empty() && options.only.iter().all(|rule| options.skip.contains(rule)) {
        return Err(Failure::Usage("no rule is left to report: --skip names all rules of --only".to_owned()));
    }
    for Given { service, plan, operation, text, .. } in &options.parameters {
        let is_same = |other: &&Given| (&other.service, &other.plan, other.operation) == (service, plan, *operation);
        if options.parameters.iter().filter(is_same).count() > 2 {
            let problem = "has more than two values: one for the request, one for a request with different parameters";
            return Err(Failure::Usage(format!("--parameters {text} {problem}")));
        }
    }
    let client = options.auth.client_of_machine(&options.url)?;
    let mut checker =
        Checker::new(client).version(options.auth.api_version).poll_every(options.poll_every).at_most(options.at_most);
    if let Some(platform) = options.platform {
        checker = checker.platform(platform);
    }
    checker = options.service.iter().fold(checker, |checker, service| checker.service(service));
    checker = options.plan.iter().fold(checker, |checker, plan| checker.plan(plan));
    checker = options.only.iter().fold(checker, |checker, rule| checker.only(rule));
    checker = options.skip.iter().fold(checker, |checker, rule| checker.skip(rule));
    if options.fail_fast {
        checker = checker.fail_fast();
    }
    Ok(options.parameters.iter().fold(checker, |checker, given| {
        checker.parameters(&given.service, &given.plan, given.operation, given.parameters.clone())
    }))
}

fn json(report: &Report) -> Result<String, Failure> {
    serde_json::to_string(report).map(|text| pretty(&text)).map_err(Failure::broken)
}

fn verdict(report: &Report) -> Result<(), Failure> {
    match report.errors().count() {
        0 if report.is_clean() => Ok(()),
        0 if report.unchecked.is_empty() => {
            Err(Failure::Broken("some instances or bindings could not be deleted".to_owned()))
        }
        0 => Err(Failure::Broken("some checks could not be run".to_owned())),
        1 => Err(Failure::Broken("1 violation".to_owned())),
        number => Err(Failure::Broken(format!("{number} violations"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_explains_its_words() {
        let help = command("osb").render_long_help().to_string();
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for said in [
            "with the id of its rule, such as PROV-11",
            "OSB_USERNAME and OSB_PASSWORD work too",
            "without the option, requests are those of cloudfoundry",
            "@FILE reads the JSON from a file",
            "Username that the broker accepts from a platform",
            "Version of the API to send in X-Broker-API-Version",
        ] {
            assert!(help.contains(said), "{said:?} in {help}");
        }
        // An option of `serve`, which not every broker has.
        assert!(!help.contains("--tls-client-ca"), "{help}");
    }

    #[test]
    fn the_verdict_tells_whether_the_check_or_the_deletions_are_incomplete() {
        let mut report = Report::default();
        assert!(verdict(&report).is_ok());
        report.left_behind.push("DELETE /v2/service_instances/i".to_owned());
        let text = |report: &Report| verdict(report).expect_err("it is not clean").to_string();
        assert_eq!(text(&report), "some instances or bindings could not be deleted");
        report.unchecked = Report::of_error(&osb_client::ClientError::Unauthorized).unchecked;
        assert_eq!(text(&report), "some checks could not be run");
    }
}
