//! rust-analyzer completes the fields of parameters inside a handler, while a field of the same type is half-typed.
//!
//! Speaks the Language Server Protocol with the server of the toolchain (`rustup component add rust-analyzer`), which builds the
//! macros for itself. Without the server the test is skipped, and says so.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::mpsc::{self, Receiver},
    time::Duration,
};

use serde_json::{Value, json};

/// A broker whose parameters have the line `EDIT`, and whose handlers have places to complete at: [`PLACES`].
const PROGRAM: &str = r#"
use osb_runtime::prelude::*;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv {
    cache: Cache,
}

pub struct Cache {
    kept_entries: u32,
}

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = New)]
pub struct Free;

/// A new store.
#[parameters]
pub struct New {
    /// Seconds.
    #[param(default = 60)]
    pub ttl_in_seconds: u32,
    EDIT
}

impl Provision<Free> for Kv {
    type State = ();
    async fn provision(&self, request: ProvisionRequest<Free>, _: &Operation<()>) -> Result<Provisioned<()>, ProvisionError> {
        request.parameters.HERE
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Free, ()>, _: &Operation<()>) -> Result<(), DeprovisionError> {
        self.cache.PLACE_IN_SERVICE
        Ok(())
    }
}
"#;

/// The longest wait for one message; the first one comes when the dependencies are built.
const PATIENCE: Duration = Duration::from_secs(600);

struct Server {
    process: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    requests: u64,
}

impl Server {
    fn start(folder: &Path) -> Self {
        let mut process = Command::new("rust-analyzer")
            .current_dir(folder)
            // It builds the macros, and finds what they depend on.
            .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join(".."))
            .env_remove("RUSTC_WRAPPER")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("rust-analyzer starts");
        let input = process.stdin.take().expect("its input");
        let output = process.stdout.take().expect("its output");
        let (send, messages) = mpsc::channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read(&mut output) {
                if send.send(message).is_err() {
                    return;
                }
            }
        });
        Self { process, input, messages, requests: 0 }
    }

    fn write(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("rust-analyzer reads");
        self.input.flush().expect("rust-analyzer reads");
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Returns the next message; requests of the server, for its settings for example, are answered with `null`.
    fn next(&mut self) -> Value {
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("a message of rust-analyzer");
            match (message.get("id"), message.get("method")) {
                (Some(id), Some(_)) => self.write(&json!({"jsonrpc": "2.0", "id": id, "result": null})),
                _ => return message,
            }
        }
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.next();
            if message["id"] == id {
                assert_eq!(message.get("error"), None, "{method}");
                return message["result"].clone();
            }
        }
    }

    /// Waits until the workspace is loaded and nothing is being built.
    fn wait_until_quiescent(&mut self) {
        loop {
            let message = self.next();
            if message["method"] == "experimental/serverStatus" && message["params"]["quiescent"] == true {
                let health = &message["params"]["health"];
                assert_ne!(health, "error", "{}", message["params"]["message"]);
                return;
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Reads one message, which follows its length.
fn read(output: &mut BufReader<ChildStdout>) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim().strip_prefix("Content-Length: ") {
            Some(digits) => length = digits.parse().ok()?,
            None if line.trim().is_empty() => break,
            None => {}
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

/// The places to complete at, each with the field that has to be among the completions.
const PLACES: [(&str, &str); 2] = [("HERE", "ttl_in_seconds"), ("PLACE_IN_SERVICE", "kept_entries")];

/// Returns the program with this edit, and the position of a place to complete at.
fn program(edit: &str, place: &str) -> (String, Value) {
    let text = PROGRAM.replace("EDIT", edit);
    let (line, column) = text
        .lines()
        .enumerate()
        .find_map(|(number, line)| line.find(place).map(|column| (number, column)))
        .expect("the place to complete at");
    let text = PLACES.iter().fold(text, |text, (place, _)| text.replace(place, ""));
    (text, json!({"line": line, "character": column}))
}

#[test]
fn completion_works_while_a_field_is_half_typed() {
    if !Command::new("rust-analyzer").arg("--version").output().is_ok_and(|output| output.status.success()) {
        // Straight to the terminal: the test harness keeps what a passing test prints.
        let _ = writeln!(std::io::stderr(), "SKIPPED: there is no rust-analyzer (rustup component add rust-analyzer)");
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rust-analyzer");
    fs::create_dir_all(folder.join("src")).expect("the folder is created");
    let manifest = format!(
        "[package]\nname = \"edited\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
         osb-runtime = {{ path = {:?}, default-features = false, features = [\"macros\"] }}\n",
        root.join("osb-runtime"),
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("the manifest");
    fs::create_dir_all(folder.join(".cargo")).expect("the folder is created");
    for name in ["Cargo.lock", ".cargo/config.toml"] {
        fs::copy(root.join(name), folder.join(name)).expect("the versions and profiles of the dependencies");
    }
    let (text, _) = program("", PLACES[0].0);
    let file = folder.join("src/lib.rs");
    fs::write(&file, &text).expect("the program");

    let mut server = Server::start(&folder);
    let folder = format!("file://{}", folder.display());
    server.request(
        "initialize",
        &json!({
            "processId": std::process::id(),
            "rootUri": folder,
            "workspaceFolders": [{"uri": folder, "name": "edited"}],
            "capabilities": {
                "experimental": {"serverStatusNotification": true},
                "textDocument": {"completion": {"completionItem": {"snippetSupport": false}}},
            },
            "initializationOptions": {"checkOnSave": false, "cachePriming": {"enable": false}},
        }),
    );
    server.notify("initialized", &json!({}));
    let uri = format!("file://{}", file.display());
    let document = json!({"uri": uri, "languageId": "rust", "version": 0, "text": text});
    server.notify("textDocument/didOpen", &json!({"textDocument": document}));
    server.wait_until_quiescent();

    let edits = ["", "pub prefix", "pub prefix:", "pub prefix: Vec<", "#[param(range(min = ))] pub size: u32,"];
    let places = edits.into_iter().flat_map(|edit| PLACES.map(|(place, field)| (edit, place, field)));
    for (version, (edit, place, field)) in (1..).zip(places) {
        let (text, position) = program(edit, place);
        let change = json!({"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]});
        server.notify("textDocument/didChange", &change);
        let asked = json!({"textDocument": {"uri": uri}, "position": position});
        let found = server.request("textDocument/completion", &asked);
        let items = found["items"].as_array().or(found.as_array()).cloned().unwrap_or_default();
        let labels: Vec<_> = items.iter().filter_map(|item| item["label"].as_str()).collect();
        assert!(labels.contains(&field), "with `{edit}` the completions are {labels:?}");
    }
}
