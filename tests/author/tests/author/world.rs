//! Runs the program `shelf` in a directory of its own.

use std::{
    borrow::BorrowMut,
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, ChildStderr, Command, Output, Stdio},
    time::{Duration, Instant},
};

use osb_client::{Answer, Call, Client};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) const SERVICE: &str = "5a3c0f86-5e43-4f4a-9a69-0f3c7c6b6d01";
pub(crate) const SMALL: &str = "5a3c0f86-5e43-4f4a-9a69-0f3c7c6b6d02";

/// Builds a command without variables of the machine.
pub(crate) fn bare(home: impl AsRef<Path>, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shelf"));
    for (name, _) in std::env::vars_os() {
        if ["OSB_", "SHELF_", "PG_", "PORT"].iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command.current_dir(home).args(args).stdin(Stdio::null());
    command
}

/// Builds a command with the required option, a free port to listen on, and credentials of the platform.
pub(crate) fn shelf(home: impl AsRef<Path>, args: &[&str]) -> Command {
    let mut command = bare(&home, args);
    command.env("SHELF_DIRECTORY", home.as_ref()).env("OSB_LOG_FORMAT", "text");
    command.env("OSB_LISTEN", "127.0.0.1:0").env("OSB_USERNAME", "user").env("OSB_PASSWORD", "password");
    command
}

/// Builds a command of another program that runs a command, whose words follow these.
pub(crate) fn within(words: &[&str], command: &Command) -> Command {
    let mut outer = Command::new(words[0]);
    outer.args(&words[1..]).arg(command.get_program()).args(command.get_args());
    in_its_place(outer, command)
}

/// Gives a command the directory and the variables of another one.
fn in_its_place(mut outer: Command, command: &Command) -> Command {
    outer.current_dir(command.get_current_dir().expect("a directory of its own")).stdin(Stdio::null());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => outer.env(name, value),
            None => outer.env_remove(name),
        };
    }
    outer
}

pub(crate) fn home() -> TempDir {
    tempfile::tempdir().expect("a directory")
}

/// Returns the directory of a program that has made these instances, and was stopped.
pub(crate) async fn home_with(instances: &[&str]) -> TempDir {
    let home = home();
    let mut serving = Serving::start(&home, &[]);
    for id in instances {
        assert_eq!(serving.provision(id).await.status, 201);
    }
    serving.stop(&home);
    home
}

/// Returns the exit code, standard output and standard error.
pub(crate) fn ran(mut command: impl BorrowMut<Command>) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command.borrow_mut().output().expect("the program runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (status.code().unwrap_or(-1), text(stdout), text(stderr))
}

/// Checks that a command has succeeded. Returns standard output.
#[track_caller]
pub(crate) fn succeeds((code, out, err): (i32, String, String)) -> String {
    assert_eq!(code, 0, "{out}{err}");
    out
}

/// Checks that a command has succeeded, with this text on standard output.
#[track_caller]
pub(crate) fn prints(ran: (i32, String, String), said: &str) {
    let out = succeeds(ran);
    assert!(out.contains(said), "{said:?} in {out}");
}

/// Checks that a command has failed with this exit code and this text. Returns standard error.
#[track_caller]
pub(crate) fn fails((code, out, err): (i32, String, String), expected: i32, said: &str) -> String {
    assert!(code == expected && err.contains(said), "{said:?} in {code} {out}{err}");
    err
}

/// Runs a command of an operator at the admin address of a process. Returns the exit code, standard output and standard error.
pub(crate) fn operate(home: impl AsRef<Path>, serving: &Serving, args: &[&str]) -> (i32, String, String) {
    let mut command = bare(home, args);
    ran(command.env("OSB_ADMIN_URL", serving.admin_url()).env("OSB_ADMIN_CREDENTIALS", "operator:secret"))
}

/// Returns all that a command prints to a terminal, which the program `script` gives it.
#[cfg(target_os = "linux")]
pub(crate) fn on_a_terminal(command: &Command) -> String {
    let words = [command.get_program()].into_iter().chain(command.get_args());
    let line: Vec<String> = words.map(|word| format!("'{}'", word.to_str().expect("UTF-8"))).collect();
    let mut script = Command::new("script");
    script.args(["-qec", &line.join(" "), "/dev/null"]);
    succeeds(ran(in_its_place(script, command)))
}

/// A running program that is killed at the end of the test.
pub(crate) struct Serving {
    pub(crate) child: Child,
    pub(crate) url: String,
    pub(crate) banner: String,
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Serving {
    pub(crate) fn start(home: impl AsRef<Path>, args: &[&str]) -> Self {
        Self::of(shelf(home, args))
    }

    /// Starts the program, and waits for nothing.
    pub(crate) fn begin(mut command: impl BorrowMut<Command>) -> Self {
        let child = command.borrow_mut().stderr(Stdio::null()).spawn().expect("the program starts");
        Self { child, url: String::new(), banner: String::new() }
    }

    pub(crate) fn of(command: impl BorrowMut<Command>) -> Self {
        let (serving, mut lines) = Self::piped(command);
        // Drains standard error, so that the program does not block.
        std::thread::spawn(move || lines.read_to_end(&mut Vec::new()));
        serving
    }

    /// Starts the program, and returns what it writes after its banner.
    pub(crate) fn piped(mut command: impl BorrowMut<Command>) -> (Self, BufReader<ChildStderr>) {
        let mut child = command.borrow_mut().stderr(Stdio::piped()).spawn().expect("the program starts");
        let mut lines = BufReader::new(child.stderr.take().expect("it is piped"));
        let mut banner = String::new();
        while !banner.contains("documentation:") {
            assert_ne!(lines.read_line(&mut banner).expect("it is text"), 0, "{banner}");
        }
        let (_, rest) = banner.split_once(" plans at ").expect("the banner says where it listens");
        let url = rest.lines().next().expect("a line").to_owned();
        (Self { child, url, banner }, lines)
    }

    /// Starts the program with a log as JSON in the file `log` of a directory.
    pub(crate) fn logging(mut command: Command, home: &Path) -> Self {
        command.env("OSB_LOG_FORMAT", "json");
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the program starts");
        let mut lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
        let mut log = fs::File::create(home.join("log")).expect("created");
        let mut url = None;
        while url.is_none() {
            let line: Value = serde_json::from_str(&lines.next().expect("a line").expect("text")).expect("JSON");
            url = line["url"].as_str().map(str::to_owned);
        }
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                writeln!(log, "{line}").expect("the line is written");
            }
        });
        Self { child, url: url.unwrap_or_default(), banner: String::new() }
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(&self.url).expect("a URL").basic("user", "password")
    }

    pub(crate) async fn send(&self, call: &Call) -> Answer {
        self.client().send(call).await.expect("an answer")
    }

    pub(crate) async fn provision(&self, id: &str) -> Answer {
        self.send(&Call::provision(id, SERVICE, SMALL).parameters(serde_json::json!({ "width": 80 }))).await
    }

    /// Sends a plain request, and returns the status and the whole response.
    pub(crate) fn get(&self, path: &str, headers: &str) -> (u16, String) {
        get(self.url.strip_prefix("http://").expect("http"), path, headers)
    }

    /// Returns the URL for operators.
    pub(crate) fn admin_url(&self) -> &str {
        let (_, rest) = self.banner.split_once("administration: ").expect("the banner has it");
        rest.lines().next().expect("a line")
    }

    pub(crate) fn terminate(&self) {
        self.signal("-TERM");
    }

    pub(crate) fn hang_up(&self) {
        self.signal("-HUP");
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(sent.expect("there is a `kill`").success());
    }

    /// Ends the program, and waits for its end.
    pub(crate) fn stop(&mut self, home: impl AsRef<Path>) {
        fs::write(home.as_ref().join("stop"), "").expect("the file is written");
        assert_eq!(self.ended(), 0);
    }

    /// Waits for the end, and returns the exit code.
    pub(crate) fn ended(&mut self) -> i32 {
        let mut ended = None;
        until(|| {
            ended = self.child.try_wait().expect("it is a child");
            ended.is_some()
        });
        ended.and_then(|status| status.code()).unwrap_or(-1)
    }
}

/// Returns the lines with this message in the log of a directory.
pub(crate) fn logged(home: &Path, message: &str) -> Vec<Value> {
    let text = fs::read_to_string(home.join("log")).expect("the log");
    let all = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    all.filter(|line| line["message"] == message).collect()
}

/// Waits for a condition.
pub(crate) fn until(mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_mins(1);
    while !holds() {
        assert!(Instant::now() < end, "it takes too long");
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub(crate) fn get(at: &str, path: &str, headers: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(at).expect("it listens");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{headers}\r\n").expect("sent");
    let mut text = Vec::new();
    // A peer that resets the connection has answered before.
    let _ = stream.read_to_end(&mut text);
    let text = String::from_utf8_lossy(&text).into_owned();
    (text.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default(), text)
}
