//! The program `osb`, with a broker of another process: this one.

use std::{
    io::{BufRead, BufReader, Write},
    net::SocketAddr,
    process::{Command, Output},
    sync::{Arc, Mutex},
};

use osb_runtime::{
    http::{AcceptedCredentials, BrokerService, HttpSettings, serve},
    prelude::*,
};
use tokio::{net::TcpListener, task::spawn_blocking};

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
struct Kv;

/// A small store.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", bindable, rotatable)]
struct Free;

/// The credentials of a binding.
#[credentials]
struct Key {
    /// The binding that this one replaces.
    #[param(public)]
    replaces: Option<String>,
}

impl Provision<Free> for Kv {
    type State = ();
    async fn provision(&self, _: ProvisionRequest<Free>, _: &Operation<()>) -> Result<Provisioned<()>, ProvisionError> {
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Free, ()>, _: &Operation<()>) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

impl Bind<Free> for Kv {
    type Output = Credentials<Key>;
    type BindingState = ();
    async fn bind(&self, request: BindRequest<Free>, _: &Operation) -> Result<Bound<Credentials<Key>>, BindError> {
        let replaces = request.predecessor.map(|old| old.binding_id.to_string());
        if replaces.as_deref() == Some("worn") {
            return Err("there are no keys left".into());
        }
        Ok(Bound::new(Credentials(Key { replaces }), ()))
    }
    async fn unbind(&self, _: UnbindRequest<Free>, _: &Operation) -> Result<(), UnbindError> {
        Ok(())
    }
}

#[broker]
struct Broker(Kv);

async fn start() -> SocketAddr {
    let credentials = AcceptedCredentials::basic("user", "secret").expect("valid credentials");
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

/// Checks the exit code and a part of the output, and returns the output.
#[track_caller]
fn says((code, said): (Option<i32>, String), expected: i32, part: &str) -> String {
    assert!(code == Some(expected) && said.contains(part), "{part:?} in {code:?} {said}");
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn a_binding_is_replaced_by_one_with_a_new_id() {
    let url = format!("http://{}", start().await);
    let client = move |args: &[&str]| {
        osb(&[&["client", "--url", &url, "--username", "user", "--password", "secret"], args].concat())
    };
    let commands = spawn_blocking(move || {
        assert_eq!(client(&["provision", "kv", "free", "one"]).0, Some(0));
        for binding in ["old", "worn"] {
            assert_eq!(client(&["bind", "one", binding]).0, Some(0));
        }
        let (code, said) = client(&["bind", "one", "--rotate", "old"]);
        assert!(code == Some(0) && said.contains(r#""replaces": "old""#), "{said}");

        let (code, said) = client(&["bind", "one", "--predecessor", "worn"]);
        let id = said.lines().find_map(|line| line.strip_prefix("binding ")).unwrap_or_default();
        assert!(
            code == Some(1) && id.len() == 36,
            "the id is known even if the broker may have made the binding: {said}"
        );
        assert_eq!(client(&["unbind", "one", id, "--service", "kv", "--plan", "free"]).0, Some(0));
        for said in ["instance one deleted\n", "instance one does not exist\n"] {
            let deleted = client(&["deprovision", "one", "--service", "kv", "--plan", "free"]);
            assert_eq!(deleted, (Some(0), said.to_owned()), "410 is a success for platforms");
        }
    });
    commands.await.expect("the commands succeed");
}

/// Answers one request with a 500, and returns its request identity.
fn fail_once(listener: &std::net::TcpListener) -> String {
    let (stream, _) = listener.accept().expect("a connection");
    let mut lines = BufReader::new(&stream).lines().map(|line| line.expect("text").to_lowercase());
    let mut identity = String::new();
    for line in lines.by_ref().take_while(|line| !line.is_empty()) {
        if let Some(value) = line.strip_prefix("x-broker-api-request-identity: ") {
            value.clone_into(&mut identity);
        }
    }
    let body = r#"{"description":"out of disks"}"#;
    let head = "HTTP/1.1 500 Internal Server Error\r\nContent-Type: application/json\r\nConnection: close";
    write!(&stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).expect("sent");
    identity
}

#[test]
fn a_failure_of_the_broker_is_printed_with_the_identity_of_the_request() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let failing = std::thread::spawn(move || fail_once(&listener));
    let (code, said) = osb(&["client", "--url", &url, "--username", "user", "--password", "secret", "fetch", "one"]);
    let identity = failing.join().expect("it answers");
    assert_eq!(identity.len(), 36, "{identity}");
    assert!(code == Some(1) && said.contains("500") && said.contains("out of disks"), "{said}");
    assert!(said.contains(&format!("(request identity {identity})")), "{said}");
}

/// Serves the catalog of two services, and an instance of either that is being created. Returns the URL, and the requests.
fn start_creating() -> (String, Arc<Mutex<Vec<String>>>) {
    const CATALOG: &str = r#"{ "services": [
        { "id": "s", "name": "kv", "description": "Kv.", "bindable": false, "instances_retrievable": true,
          "plans": [{ "id": "p", "name": "free", "description": "Free." }] },
        { "id": "t", "name": "db\u001b[31m\u009b\u202e", "description": "Db.", "bindable": false, "instances_retrievable": true,
          "plans": [{ "id": "q", "name": "pro", "description": "Pro." }] }
    ] }"#;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&asked);
    std::thread::spawn(move || {
        let mut polls = 0;
        for stream in listener.incoming().map_while(Result::ok) {
            let mut lines = BufReader::new(&stream).lines().map(|line| line.expect("text"));
            let request = lines.next().unwrap_or_default();
            lines.take_while(|line| !line.is_empty()).for_each(drop);
            let (status, body) = match request.split(' ').nth(1) {
                Some("/v2/catalog") => ("200 OK", CATALOG),
                Some(path) if path.starts_with("/v2/service_instances/failing/last_operation") => {
                    ("200 OK", r#"{ "state": "failed", "description": "f\u001b\u202eull" }"#)
                }
                Some(path) if path.starts_with("/v2/service_instances/away/last_operation") => {
                    polls += 1;
                    match polls {
                        1..=3 => ("503 Service Unavailable", r#"{ "description": "It restarts." }"#),
                        _ => ("200 OK", r#"{ "state": "succeeded" }"#),
                    }
                }
                Some(path) if path.starts_with("/v2/service_instances/failing?") => ("202 Accepted", "{}"),
                Some(path) if path.starts_with("/v2/service_instances/away?") => ("202 Accepted", "{}"),
                Some(path) if path.ends_with("/last_operation") => ("200 OK", r#"{ "state": "in progress" }"#),
                Some("/v2/service_instances/busy") => {
                    ("422 Unprocessable Entity", r#"{ "error": "ConcurrencyError", "description": "An update runs." }"#)
                }
                _ => ("404 Not Found", "{}"),
            };
            log.lock().expect("no thread panics").push(request);
            let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nConnection: close");
            write!(&stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).expect("sent");
        }
    });
    (url, asked)
}

#[test]
fn an_instance_that_is_being_created_is_not_deleted_as_one_of_another_service() {
    let (url, asked) = start_creating();
    says(osb(&["client", "--url", &url, "--token", "secret", "deprovision", "one"]), 2, "give --service and --plan");
    let asked = asked.lock().expect("no thread panics");
    assert!(asked.iter().all(|request| request.starts_with("GET ")), "{asked:?}");
}

#[test]
fn the_reason_why_a_plan_can_not_be_fetched_is_printed() {
    let (url, asked) = start_creating();
    let said = says(osb(&["client", "--url", &url, "--token", "secret", "deprovision", "busy"]), 1, "An update runs.");
    assert!(said.contains("give --service and --plan"), "{said}");
    let asked = asked.lock().expect("no thread panics");
    assert!(asked.iter().all(|request| request.starts_with("GET ")), "{asked:?}");
}

#[test]
fn a_failure_that_polls_repeat_is_printed_once() {
    let (url, _) = start_creating();
    let client =
        ["client", "--url", &url, "--token", "secret", "--poll-every", "1ms", "provision", "kv", "free", "away"];
    let (code, said) = osb(&client);
    assert!(code == Some(0) && said.matches("the poll failed and is repeated: ").count() == 1, "{said}");
    assert!(said.contains("It restarts.") && said.ends_with("\nsucceeded\n"), "{said}");
}

/// Those that change the direction of the text after them make an id look like another one.
#[test]
fn no_output_has_control_characters_of_a_broker_or_those_that_change_the_direction() {
    let (url, _) = start_creating();
    let client = |args: &[&str]| {
        let (code, said) = osb(&[&["client", "--url", &url, "--token", "secret"], args].concat());
        assert!(!said.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{said:?}");
        (code, said)
    };
    for args in [["provision", "none", "pro"], ["provision", "t", "none"]] {
        assert_eq!(client(&args).0, Some(2));
    }
    let (code, said) = client(&["provision", "kv", "free", "failing"]);
    assert!(code == Some(1) && said.ends_with("error: the operation failed: f  ull\n"), "{said:?}");
    assert_eq!(said.matches("f  ull").count(), 1, "{said:?}");
    says(client(&["poll", "failing"]), 0, "failed: f  ull\n");
    let (code, said) = client(&["catalog", "--json"]);
    assert!(code == Some(0) && said.contains(r"\u009b\u202e"), "{said:?}");
    #[cfg(feature = "check")]
    {
        let (_, said) = osb(&["catalog", &url, "--json", "--token", "secret"]);
        assert!(said.contains(r"\u009b\u202e") && !said.contains(['\u{9b}', '\u{202e}']), "{said:?}");
    }
}

/// The place of a finding has the names of properties.
#[cfg(feature = "check")]
#[test]
fn no_finding_has_control_characters_of_a_catalog() {
    let evil = "\u{1b}]0;title\u{7}\u{9b}31m";
    let schema = serde_json::json!({ "$schema": evil, "type": evil, "properties": { evil: { "type": evil } } });
    let catalog = serde_json::json!({ "services": [{ "id": "s", "name": "s", "description": "S.", "bindable": true, "plans": [{
        "id": "p", "name": "p", "description": "P.", "schemas": { "service_instance": { "create": { "parameters": schema } } },
    }] }] });
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("catalog.json");
    std::fs::write(&file, catalog.to_string()).expect("it is written");
    let (code, out) = osb(&["catalog", file.to_str().expect("a path")]);
    assert_eq!(code, Some(1), "{out:?}");
    assert!(out.contains("]0;title") && out.chars().all(|c| c == '\n' || !c.is_control()), "{out:?}");
}

#[cfg(feature = "check")]
#[test]
fn no_error_has_control_characters_of_its_cause() {
    let (code, said) = osb(&["catalog", "none\u{9b}31m\u{1b}[2J"]);
    assert!(code != Some(0) && said.contains("none 31m [2J"), "{said:?}");
}

#[cfg(feature = "check")]
#[test]
fn parameters_of_an_unknown_plan_end_the_check_before_it_creates_anything() {
    let (url, asked) = start_creating();
    let (code, said) = osb(&["check", &url, "--token", "secret", "-c", "kv/fre/create={}"]);
    assert!(
        code == Some(2)
            && said.contains("plan kv/fre, which the catalog does not have")
            && said.contains("did you mean kv/free?"),
        "{said}"
    );
    let asked = asked.lock().expect("no thread panics");
    assert!(asked.iter().all(|request| request.starts_with("GET /v2/catalog")), "{asked:?}");
}

#[cfg(feature = "check")]
#[test]
fn a_check_stops_at_the_first_violation_with_fail_fast() {
    let (url, _) = start_creating();
    says(osb(&["check", &url, "--token", "secret", "--fail-fast"]), 1, "the check stopped at the first violation");
}

#[cfg(feature = "check")]
#[test]
fn a_check_that_could_not_be_run_is_an_error_in_the_junit_report() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("report.xml");
    let (code, _) = osb(&["check", "http://127.0.0.1:1", "--junit", path.to_str().expect("a path of text")]);
    assert_eq!(code, Some(1));
    let report = std::fs::read_to_string(path).expect("the report is written");
    assert!(report.contains(r#"<testsuite name="broker" tests="1" failures="0" errors="1""#), "{report}");
    assert!(report.contains("http://127.0.0.1:1") && report.contains("<error message="), "{report}");
}

#[cfg(feature = "check")]
#[test]
fn a_check_of_nothing_and_parameters_that_are_no_object_are_refused() {
    says(osb(&["check", "--only", "PROV-11", "--skip", "PROV-11"]), 2, "--skip names all rules of --only");
    says(osb(&["check", "--parameters", "kv/free/create=[1]"]), 2, "parameters are a JSON object, such as");
    let thrice = [1, 2, 3].map(|ttl| format!("--parameters=kv/free/create={{\"ttl\":{ttl}}}"));
    let (code, said) = osb(&["check", &thrice[0], &thrice[1], &thrice[2]]);
    assert!(code == Some(2) && said.contains("--parameters kv/free/create has more than two values"), "{said}");
}

#[cfg(feature = "check")]
#[test]
fn a_junit_report_that_cannot_be_written_is_an_error_before_the_check() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("missing").join("report.xml");
    let (url, asked) = start_creating();
    says(osb(&["check", &url, "--junit", path.to_str().expect("a path of text")]), 1, "report.xml cannot be written: ");
    assert!(asked.lock().expect("no thread panics").is_empty(), "no request was sent");
}

#[test]
fn no_command_names_an_option_that_it_does_not_have() {
    for command in ["check", "catalog"] {
        let said = says(osb(&[command, "http://127.0.0.1:1"]), 1, "check that the broker is running, and its URL");
        assert!(!said.contains("set --url"), "{said}");
    }
}

#[test]
fn the_help_of_the_client_fits_a_small_terminal() {
    let (code, help) = osb(&["client", "--help"]);
    let lines: Vec<&str> = help.lines().collect();
    assert!(code == Some(0) && lines.len() <= 24, "{} lines:\n{help}", lines.len());
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{help}");
}

#[cfg(feature = "check")]
#[test]
fn the_format_of_a_report_is_not_an_option_of_the_broker() {
    for command in ["check", "catalog"] {
        let (_, help) = osb(&[command, "-h"]);
        let (options, of_broker) = help.split_once("\nBroker:\n").expect("two headings");
        assert!(options.contains("\n      --json "), "{help}");
        assert!(!of_broker.contains("\n      --json ") && !of_broker.contains("\n      --junit "), "{help}");
    }
}

#[test]
fn a_url_that_ends_in_v2_is_explained() {
    let (code, said) = osb(&["client", "--url", "https://broker.example.com/v2", "catalog"]);
    assert!(code == Some(2) && said.contains("requests add /v2 to it; use https://broker.example.com"), "{said}");
}

/// Builds with the lock file and the dependencies of this workspace, so that nothing is fetched.
#[test]
fn a_new_project_compiles_and_passes_its_tests() {
    let directory = tempfile::tempdir().expect("a directory");
    let workspace = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let new = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_osb"));
        command.args(["new", "my-db", "--path"]).arg(&workspace).current_dir(directory.path());
        command.output().expect("it runs")
    };
    let written = new();
    assert!(written.status.success(), "{written:?}");
    let again = new();
    assert!(
        again.status.code() == Some(2) && String::from_utf8_lossy(&again.stderr).contains("exists already"),
        "{again:?}"
    );
    let project = directory.path().join("my-db");
    std::fs::create_dir(project.join(".cargo")).expect("a new folder");
    // The profiles of dependencies too: Cargo compiles all of them again if one differs.
    for name in ["Cargo.lock", ".cargo/config.toml"] {
        std::fs::copy(workspace.join(name), project.join(name)).expect("it is copied");
    }
    let cargo = |args: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.env("CARGO_INCREMENTAL", "0");
        cargo.env("CARGO_TARGET_DIR", std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(".."));
        cargo.args(args).current_dir(&project).output().expect("it runs")
    };
    let tested = cargo(&["test", "--offline", "--quiet"]);
    assert!(tested.status.success(), "{}", String::from_utf8_lossy(&[tested.stdout, tested.stderr].concat()));
    let help = cargo(&["run", "--offline", "--quiet", "--", "serve", "--help"]);
    let help = String::from_utf8(help.stdout).expect("text");
    let read = |name: &str| std::fs::read_to_string(project.join(name)).expect("a file of the project");
    let (image, manifest, objects) = (read("Containerfile"), read("manifest.yml"), read("kubernetes.yaml"));
    for text in [&image, &manifest, &objects] {
        let variables = text.match_indices("OSB_").map(|(at, _)| text[at..].split(|c| !matches!(c, 'A'..='Z' | '_')));
        for variable in variables.filter_map(|mut words| words.next()) {
            assert!(
                ["=", "]"].iter().any(|end| help.contains(&format!("[env: {variable}{end}"))),
                "{variable}: {help}"
            );
        }
        assert!(text.contains("my-db") && !text.contains("{name}"), "{text}");
    }
    let options = objects.match_indices(" --").filter_map(|(at, _)| objects[at + 1..].split_once('='));
    let options: Vec<&str> = options.map(|(option, _)| option).filter(|option| !option.contains(' ')).collect();
    assert!(options.contains(&"--monitor-listen"), "{options:?}");
    for option in options.iter().filter(|option| **option != "--from-literal") {
        assert!(help.contains(&format!("{option} <")), "{option}: {help}");
    }
    assert!(image.contains("cp target/release/my-db /image/") && image.contains("ENTRYPOINT [\"/my-db\"]"), "{image}");
    // `podman build` copies the checkout to the path that `Cargo.toml` has.
    let checkout = std::fs::canonicalize(&workspace).expect("a path").display().to_string();
    for line in [&format!(" --build-context osb={checkout:?} ."), &format!("\nCOPY --from=osb [\".\", {checkout:?}]\n")]
    {
        assert!(image.contains(line), "{line} in {image}");
    }
    assert!(read("Cargo.toml").contains(&checkout));
    assert!(manifest.contains("command: ./my-db serve\n"), "{manifest}");
}

#[cfg(feature = "check")]
#[test]
fn catalogs_in_files_are_validated() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("catalog.json");
    let file = path.to_str().expect("a path of text");
    let plan = r#"{ "id": "p", "name": "free", "description": "Free." }"#;
    let catalog = |bindable: &str| {
        format!(
            r#"{{ "services": [{{ "id": "s", "name": "kv", "description": "Kv.", "bindable": {bindable}, "plans": [{plan}] }}] }}"#
        )
    };
    std::fs::write(&path, catalog("true")).expect("it is written");
    let (code, said) = osb(&["catalog", file]);
    assert!(code == Some(0) && said.contains("kv") && !said.contains("error"), "{said}");
    std::fs::write(&path, catalog("1")).expect("it is written");
    says(osb(&["catalog", file]), 1, "error CAT-15 /services/0/bindable: the value is not");
    let (_, said) = osb(&["catalog", file, "--json"]);
    assert!(said.contains(r#""pointer": "/services/0/bindable""#), "{said}");
    std::fs::write(&path, "{").expect("it is written");
    assert_eq!(osb(&["catalog", file]).0, Some(1));
}

#[cfg(feature = "check")]
#[test]
fn a_mistyped_url_of_a_catalog_is_shown_without_its_password() {
    for url in ["https:/user:secret@broker.example.com", "user:secret@broker.example.com"] {
        let said = says(osb(&["catalog", url]), 2, "...@broker.example.com");
        assert!(!said.contains("secret"), "{said}");
    }
}

#[cfg(feature = "check")]
#[tokio::test(flavor = "multi_thread")]
async fn brokers_are_checked() {
    let url = format!("http://{}", start().await);
    // The program `script` gives the other one a terminal.
    #[cfg(target_os = "linux")]
    let on_a_terminal = format!("{} check {url} --username user --password secret", env!("CARGO_BIN_EXE_osb"));
    let check = move |password| osb(&["check", &url, "--username", "user", "--password", password]);
    let commands = spawn_blocking(move || {
        let (code, report) = check("secret");
        assert!(code == Some(0) && report.starts_with("0 errors, 0 warnings; "), "{report}");
        let said = report.matches("\nchecking kv/free\n").count();
        assert_eq!(said, 1, "the log of a CI job says how far it is: {report}");
        assert_eq!(check("wrong").0, Some(1));
        #[cfg(target_os = "linux")]
        {
            let shown = Command::new("script").args(["-qec", &on_a_terminal, "/dev/null"]).output().expect("it runs");
            let shown = String::from_utf8(shown.stdout).expect("text");
            assert!(shown.contains("kv/free: create an instance\r"), "{shown:?}");
        }
    });
    commands.await.expect("the commands succeed");
}

#[cfg(not(feature = "check"))]
#[test]
fn a_program_without_the_check_says_how_to_get_it() {
    for command in ["check", "catalog"] {
        says(osb(&[command, "http://127.0.0.1:1"]), 2, "cargo install osb-tool --features check,tls");
    }
}

#[test]
fn help_version_and_completions_need_no_broker() {
    let (code, version) = osb(&["--version"]);
    assert!(code == Some(0) && version.starts_with("osb with osb-runtime "), "{version}");
    let (code, help) = osb(&["client", "--help"]);
    assert!(code == Some(0) && help.contains("osb client provision"), "{help}");
    let (code, script) = osb(&["completions", "bash"]);
    assert!(code == Some(0) && script.contains("complete -F _osb"), "{script}");
    for args in [&[][..], &["serve"], &["client"], &["completions"]] {
        assert_eq!(osb(args).0, Some(2), "{args:?}");
    }
}
