//! The commands `client` and `check`, with the broker of the same program.

use std::process::{Command, Output};

use osb_testing::Process;

fn program() -> Command {
    let mut command = Process::command(env!("CARGO_BIN_EXE_quickstart"));
    command.env("OSB_USERNAME", "user").env("OSB_PASSWORD", "secret");
    command
}

/// A broker, until the test is over.
struct Serving {
    process: Process,
    _home: tempfile::TempDir,
}

impl Serving {
    fn start() -> Self {
        let home = tempfile::tempdir().expect("a temporary folder is created");
        let mut serve = program();
        serve.args(["--listen", "127.0.0.1:0", "--store", "memory", "--log", "off"]).current_dir(home.path());
        Self { process: Process::start(serve), _home: home }
    }

    fn client(&self, args: &[&str]) -> Output {
        program().args(["client", "--url", self.process.url()]).args(args).output().expect("the program runs")
    }

    /// Returns the output of a command that succeeds.
    fn said(&self, args: &[&str]) -> String {
        let output = self.client(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).expect("it is text")
    }

    /// Returns the message and the exit code of a command that fails.
    fn failed(&self, args: &[&str]) -> (i32, String) {
        let output = self.client(args);
        (output.status.code().expect("it ends"), String::from_utf8(output.stderr).expect("it is text"))
    }
}

#[test]
fn an_instance_is_made_bound_and_deleted() {
    let broker = Serving::start();
    assert!(broker.said(&["catalog"]).contains("\ndisk-image  small  yes   yes"));
    let made = broker.said(&["provision", "disk-image", "small", "one", "-c", r#"{"size_mib":1}"#]);
    assert_eq!(made, "instance one of disk-image small\n");
    assert!(broker.said(&["fetch", "one"]).contains("\"size_mib\": 1"));
    let bound = broker.said(&["bind", "one", "b"]);
    assert!(bound.starts_with("{\n  \"credentials\": {\n    \"path\": "), "for `| jq`: {bound}");
    let bound = broker.said(&["bind", "one", "b", "--json"]);
    assert!(bound.starts_with("{\n  \"credentials\""), "{bound}");
    assert_eq!(broker.said(&["unbind", "one", "b"]), "binding b of one deleted\n");
    assert_eq!(broker.said(&["deprovision", "one"]), "instance one deleted\n");
    assert_eq!(broker.said(&["deprovision", "one"]), "instance one does not exist\n", "as for a platform, a success");
    let random = broker.said(&["provision", "disk-image", "small"]);
    let id = random.split(' ').nth(1).expect("the id is printed");
    assert_eq!(broker.said(&["deprovision", id]), format!("instance {id} deleted\n"));
}

#[test]
fn errors_have_a_message_and_an_exit_code() {
    let broker = Serving::start();
    for (args, code, part) in [
        (["provision", "disk-imge", "small"].as_slice(), 2, "did you mean disk-image?"),
        (&["provision", "disk-image", "smal"], 2, "did you mean small?"),
        (&["provision", "disk-image", "small", "one", "-c", "{"], 2, "invalid JSON"),
        (&["provision", "disk-image", "small", "one", "-c", "@none.json"], 2, "none.json cannot be read"),
        (
            &["provision", "disk-image", "small", "one", "-c", r#"{"size_mib":0}"#],
            1,
            "400 Bad Request: Invalid parameters",
        ),
        (&["fetch", "one"], 1, "404 Not Found"),
        (&["catalog", "--username", "user", "--password", "wrong"], 1, "rejected the credentials"),
        (&["catalog", "--username", "user"], 2, "give both --username and --password"),
        (&["catalog", "--url", "http://user:secret@127.0.0.1"], 2, "it contains a user or password"),
        (&["catalog", "--url", "http://127.0.0.1:1"], 1, "check that the broker is running, and its URL"),
        (&["catalog", "--api-version", "1.0"], 1, "use another --api-version"),
    ] {
        let (exit, said) = broker.failed(args);
        assert!(exit == code && said.contains(part), "{args:?}: {exit}: {said}");
        assert!(!said.contains("secret"), "{said}");
    }
}

#[test]
fn a_broker_is_checked_and_the_report_written() {
    let broker = Serving::start();
    let home = tempfile::tempdir().expect("a temporary folder is created");
    let xml = home.path().join("report.xml");
    let check =
        |args: &[&str]| program().args(["check", broker.process.url()]).args(args).output().expect("the program runs");

    let output = check(&["--junit", &xml.display().to_string()]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = String::from_utf8(output.stdout).expect("it is text");
    assert!(said.starts_with("0 errors, 0 warnings; "), "{said}");
    let xml = std::fs::read_to_string(xml).expect("it is written");
    assert!(xml.contains("<testsuite name=\"disk-image/small\"") && !xml.contains("<failure"), "{xml}");

    let output = check(&["--json", "--plan", "small", "--version", "2.13", "--platform", "kubernetes"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = String::from_utf8(output.stdout).expect("it is text");
    assert!(said.starts_with("{\n  \"findings\": [],\n  \"unchecked\": [],\n"), "{said}");

    // A refusal that a platform could not foresee is not ignored.
    let output = check(&["-c", r#"disk-image/small/create={"size_mib":0}"#]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = String::from_utf8(output.stdout).expect("it is text");
    assert!(
        said.contains("not checked\n  disk-image/small: create an instance: the broker responded 400 Bad Request"),
        "{said}"
    );

    for (args, code, part) in [
        (["--plan", "large"].as_slice(), 1, "the catalog has no such plan; its plans are disk-image/small"),
        (&["--only", "PROV14"], 2, "unknown rule; did you mean PROV-14?"),
        (&["-c", "disk-image={}"], 2, "write SERVICE/PLAN/OPERATION=JSON"),
        (&["--junit", "/nowhere/report.xml"], 1, "/nowhere/report.xml cannot be written"),
        (&["--username", "user", "--password", "wrong"], 1, "rejected the credentials"),
    ] {
        let output = check(args);
        let said = String::from_utf8(output.stderr).expect("it is text");
        assert!(output.status.code() == Some(code) && said.contains(part), "{args:?}: {said}");
    }
}
