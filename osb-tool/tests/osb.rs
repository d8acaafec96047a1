//! The program `osb`, with a broker of another process: this one.

use std::{
    net::SocketAddr,
    process::{Command, Output},
};

use osb_runtime::{
    http::{BrokerService, Credentials, HttpSettings, serve},
    prelude::*,
};
use tokio::{net::TcpListener, task::spawn_blocking};

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
struct Kv;

/// A small store.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
struct Free;

impl Provision<Free> for Kv {
    type State = ();
    async fn provision(&self, _: ProvisionRequest<Free>, _: &Operation<()>) -> Result<Provisioned<()>, ProvisionError> {
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Free, ()>, _: &Operation<()>) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

#[broker]
struct Broker(Kv);

async fn start() -> SocketAddr {
    let credentials = Credentials::basic("user", "secret").expect("valid credentials");
    let service = BrokerService::start(Broker(Kv), credentials, HttpSettings::default()).await.expect("it starts");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(serve(listener, service, std::future::pending()));
    address
}

/// Runs the program, without variables of the machine, and returns its exit code and all of its output.
fn osb(args: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_osb"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("OSB_")) {
        command.env_remove(name);
    }
    let Output { status, stdout, stderr } = command.args(args).output().expect("it runs");
    (status.code(), [stdout, stderr].map(|text| String::from_utf8(text).expect("text")).concat())
}

#[tokio::test(flavor = "multi_thread")]
async fn instances_are_created_and_deleted() {
    let url = format!("http://{}", start().await);
    let client = move |args: &[&str]| {
        osb(&[&["client", "--url", &url, "--username", "user", "--password", "secret"], args].concat())
    };
    let commands = spawn_blocking(move || {
        assert!(client(&["catalog"]).1.contains("free"));
        let created = client(&["provision", "kv", "free", "one"]);
        assert_eq!(created, (Some(0), "instance one of kv free\n".to_owned()));
        let created = client(&["provision", "kv", "large"]);
        assert!(created.0 == Some(2) && created.1.starts_with("error: "), "{created:?}");
        assert_eq!(client(&["deprovision", "one", "--service", "kv", "--plan", "free"]).0, Some(0));
        assert_eq!(client(&["deprovision", "one", "--service", "kv", "--plan", "free"]).0, Some(1));
    });
    commands.await.expect("the commands succeed");
}

#[cfg(feature = "check")]
#[tokio::test(flavor = "multi_thread")]
async fn brokers_are_checked() {
    let url = format!("http://{}", start().await);
    let check = move |password| osb(&["check", &url, "--username", "user", "--password", password]);
    let commands = spawn_blocking(move || {
        let (code, report) = check("secret");
        assert!(code == Some(0) && report.starts_with("0 errors, 0 warnings; "), "{report}");
        assert_eq!(check("wrong").0, Some(1));
    });
    commands.await.expect("the commands succeed");
}

#[test]
fn help_version_and_completions_need_no_broker() {
    let (code, version) = osb(&["--version"]);
    assert!(code == Some(0) && version.starts_with("osb with osb-runtime "), "{version}");
    let (code, help) = osb(&["client", "--help"]);
    assert!(code == Some(0) && help.contains("osb client catalog"), "{help}");
    let (code, script) = osb(&["completions", "bash"]);
    assert!(code == Some(0) && script.contains("complete -F _osb"), "{script}");
    for args in [&[][..], &["serve"], &["client"], &["completions"]] {
        assert_eq!(osb(args).0, Some(2), "{args:?}");
    }
}
