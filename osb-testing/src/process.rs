//! A broker's program as a process.

use std::{
    borrow::BorrowMut,
    ffi::OsStr,
    io::{BufRead, BufReader},
    process::{Child, ChildStderr, Command, ExitStatus, Stdio},
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
};

/// A broker's program that serves in a process of its own, and is killed when this value is dropped: for tests of its messages,
/// its end after a signal, and its records after a kill.
///
/// The program logs to standard error as text, as it does at a terminal.
///
/// ```no_run
/// use osb_testing::Process;
///
/// // In a test of the program: `env!("CARGO_BIN_EXE_my-broker")`.
/// let broker = Process::start(
///     Process::command("target/debug/my-broker")
///         .args(["--listen", "127.0.0.1:0", "--store", "memory"])
///         .env("OSB_USERNAME", "user")
///         .env("OSB_PASSWORD", "password"),
/// );
/// assert!(broker.url().starts_with("http://127.0.0.1:"));
/// ```
#[derive(Debug)]
pub struct Process {
    /// The process. Its standard error is read by this value.
    pub child: Child,
    url: String,
    output: Arc<Output>,
}

/// A command, or what its methods return. The trait exists for the compiler's message about other types.
#[diagnostic::on_unimplemented(
    message = "expected a command, found `{Self}`",
    label = "not a `std::process::Command`",
    note = "write `Process::command(program)`"
)]
pub trait IntoCommand: BorrowMut<Command> {}

#[diagnostic::do_not_recommend]
impl<T: BorrowMut<Command>> IntoCommand for T {}

/// The text on standard error so far, and whether it has ended.
#[derive(Debug, Default)]
struct Output {
    state: Mutex<(String, bool)>,
    grown: Condvar,
}

impl Process {
    /// Returns the command for a program, without the variables of this process that the runtime reads (`OSB_…` and `PORT`), and
    /// with a log as text.
    #[must_use]
    pub fn command(program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            if name == "PORT" || name.to_string_lossy().starts_with("OSB_") {
                command.env_remove(name);
            }
        }
        command.env("OSB_LOG_FORMAT", "text");
        command
    }

    /// Starts a command that serves, and waits until it listens. It takes a [`Command`], or the `&mut Command` that the methods
    /// of one return.
    ///
    /// # Panics
    ///
    /// If the program can't be started, ends before it listens, or does not print its address; the message contains its output.
    #[must_use]
    pub fn start(mut command: impl IntoCommand) -> Self {
        let command = command.borrow_mut();
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let output = Arc::<Output>::default();
        if let Some(stderr) = child.stderr.take() {
            let output = Arc::clone(&output);
            thread::spawn(move || output.read(stderr));
        }
        let mut process = Self { child, url: String::new(), output };
        // Its last line, but for generated credentials.
        let banner = process.wait_for("\n  documentation: ");
        let url = banner.split_once("\n  state: ").and_then(|(before, _)| before.rsplit_once(" at "));
        process.url = url.map_or_else(|| panic!("no URL is in {banner:?}"), |(_, url)| url.to_owned());
        process
    }

    /// Returns the URL of the program, without a slash at its end.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns its output on standard error so far: the message of its start, then the log.
    #[must_use]
    pub fn output(&self) -> String {
        self.output.state.lock().unwrap_or_else(PoisonError::into_inner).0.clone()
    }

    /// Waits until the program has written a text to standard error, and returns its output so far.
    ///
    /// # Panics
    ///
    /// If it ends before that.
    pub fn wait_for(&self, text: &str) -> String {
        let output = self.output.wait(|output| output.contains(text));
        assert!(output.contains(text), "the program has ended without {text:?}: {output}");
        output
    }

    /// Waits until the program has ended, and returns its status and all that it has written to standard error.
    ///
    /// # Panics
    ///
    /// If the system doesn't say how it has ended.
    pub fn end(mut self) -> (ExitStatus, String) {
        let status = self.child.wait().unwrap_or_else(|error| panic!("the program's end: {error}"));
        (status, self.output.wait(|_| false))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Output {
    /// Reads to the end, so that the program doesn't wait for a reader.
    fn read(&self, stderr: ChildStderr) {
        let mut lines = BufReader::new(stderr);
        loop {
            let mut line = Vec::new();
            let is_end = !matches!(lines.read_until(b'\n', &mut line), Ok(1..));
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.0.push_str(&String::from_utf8_lossy(&line));
            state.1 = is_end;
            self.grown.notify_all();
            if is_end {
                return;
            }
        }
    }

    /// Waits until the text is complete, or satisfies a condition.
    fn wait(&self, is_enough: impl Fn(&str) -> bool) -> String {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = self.grown.wait_while(state, |(text, has_ended)| !*has_ended && !is_enough(text));
        state.unwrap_or_else(PoisonError::into_inner).0.clone()
    }
}
