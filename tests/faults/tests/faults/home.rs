//! A broker of files in a temporary directory, and requests to it.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use osb_faults::{Answer, Reply, ask, files::UnderTest, process::Serving, subject::Subject};
use serde_json::{Value, json};

pub(crate) const PROGRAM: UnderTest = UnderTest { program: env!("CARGO_BIN_EXE_files") };

/// A broker's directory.
pub(crate) struct Home(tempfile::TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder can be made"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn records(&self) -> PathBuf {
        self.path().join("records.redb")
    }

    pub(crate) fn command(&self) -> Command {
        PROGRAM.command(self.path())
    }

    #[track_caller]
    pub(crate) fn start(&self) -> Serving {
        Serving::start(&mut self.command()).unwrap_or_else(|ended| panic!("it does not start: {}", ended.log))
    }

    /// Returns a directory in which a broker has created instances before it was killed or stopped.
    pub(crate) fn with_instances(count: u32, killed: bool) -> Self {
        let home = Self::new();
        let mut serving = home.start();
        for number in 0..count {
            assert_eq!(create(serving.at, number).status, 201);
        }
        if killed {
            serving.kill();
        } else {
            serving.end();
        }
        home
    }
}

#[track_caller]
pub(crate) fn answer(reply: Reply) -> Answer {
    match reply {
        Reply::Answer(answer) => answer,
        _ => panic!("there was no answer"),
    }
}

pub(crate) fn instance(number: u32) -> String {
    format!("/v2/service_instances/i{number}")
}

pub(crate) fn parameters(number: u32) -> Value {
    json!({ "text": format!("text of {number} {}", "x".repeat(300)) })
}

#[track_caller]
pub(crate) fn create(at: SocketAddr, number: u32) -> Answer {
    let body = json!({
        "service_id": PROGRAM.service(), "plan_id": PROGRAM.plans()[0].id,
        "organization_guid": "o", "space_guid": "s", "parameters": parameters(number),
    });
    answer(ask(at, "PUT", &instance(number), &body))
}

#[track_caller]
pub(crate) fn fetch(at: SocketAddr, number: u32) -> Answer {
    answer(ask(at, "GET", &instance(number), &Value::Null))
}

/// Asserts that all created instances exist.
#[track_caller]
pub(crate) fn assert_there(at: SocketAddr, numbers: impl IntoIterator<Item = u32>) {
    for number in numbers {
        let answer = fetch(at, number);
        assert_eq!((answer.status, &answer.body["parameters"]), (200, &parameters(number)), "instance {number}");
    }
}

/// Creates an instance whose first request failed, once the rollback is done.
#[track_caller]
pub(crate) fn create_in_the_end(serving: &Serving, number: u32) {
    let since = Instant::now();
    while !matches!(create(serving.at, number).status, 200 | 201) {
        assert!(since.elapsed() < Duration::from_secs(30), "{}", serving.log);
        thread::sleep(Duration::from_millis(20));
    }
}
