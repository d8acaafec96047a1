//! The OpenAPI document against the broker, by schemathesis: valid requests are accepted, others are refused, and each answer
//! fits. The tests are the same in each run.

use std::process::Command;

use osb_lab::all_parameter_types::{Every, EveryBroker};
use osb_runtime::http::{AcceptedCredentials, BrokerService, HttpSettings, serve};
use osb_tests::other_tools::installed;
use tokio::net::TcpListener;

/// Number of requests for each operation and phase.
const EXAMPLES: &str = "40";

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_fits_the_openapi_document() {
    let Some(program) = installed("python/bin/st") else { return };
    let folder = tempfile::tempdir().expect("a temporary folder is created");
    let document = folder.path().join("openapi.json");
    std::fs::write(&document, osb_docs::openapi::<EveryBroker>()).expect("the file is written");
    let login = AcceptedCredentials::basic("user", "password").expect("a user without colon");
    let broker = BrokerService::start(EveryBroker(Every), login, HttpSettings::default()).await.expect("it starts");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    tokio::spawn(serve(listener, broker, std::future::pending()));

    let mut command = Command::new(program);
    let settings = concat!(env!("CARGO_MANIFEST_DIR"), "/other-tools/schemathesis.toml");
    command.args(["--config-file", settings, "--no-color", "run"]).arg(document).current_dir(folder.path());
    command.args(["--url", &url, "--auth", "user:password", "--checks", "all", "--continue-on-failure"]);
    command.args(["--generation-deterministic", "--max-examples", EXAMPLES, "--suppress-health-check", "all"]);
    // The version is checked before the method, so that an unknown method with a wrong version is a 400.
    command.args(["--exclude-checks", "unsupported_method"]);
    let output =
        tokio::task::spawn_blocking(move || command.output().expect("the program runs")).await.expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("Tested: 10"), "{said}");
}
