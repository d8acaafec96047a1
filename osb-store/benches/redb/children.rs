//! Child processes of this program, whose fsyncs and instructions can be counted from outside.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Returns a path on the disk that the project is built on.
pub(crate) fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Returns true if a measuring program is installed.
pub(crate) fn has(program: &str) -> bool {
    let there = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !there {
        println!("\nSkipped, because {program} is missing: install the package `{program}`.");
    }
    there
}

/// Runs a child, and returns its output.
pub(crate) fn run(arguments: &[&str]) -> String {
    output(Command::new(env::current_exe().expect("a program has a path")).args(arguments))
}

/// Runs a child under strace, and returns its output and its number of fsyncs, each delayed by `sync_ms` milliseconds.
pub(crate) fn run_counting_syncs(arguments: &[&str], sync_ms: u64) -> (String, u64) {
    let out = place("strace.txt");
    let mut strace = Command::new("strace");
    strace.args(["-f", "--seccomp-bpf", "-e", "trace=fsync,fdatasync", "-o"]).arg(&out);
    if sync_ms > 0 {
        strace.arg("-e").arg(format!("inject=fsync,fdatasync:delay_exit={}", sync_ms * 1000));
    }
    let said = output(strace.arg(env::current_exe().expect("a program has a path")).args(arguments));
    let calls = fs::read_to_string(&out).expect("strace has written what it saw");
    // A call that was interrupted by a call of another thread is on two lines.
    let begun = calls.lines().filter(|line| line.contains("sync(") && !line.contains("resumed"));
    (said, begun.count() as u64)
}

/// Runs a child under callgrind, and returns the number of user instructions up to the first call of a function, and then
/// from each call to the next.
pub(crate) fn instructions_between(function: &str, arguments: &[&str]) -> Vec<u64> {
    let out = place("callgrind.redb");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--tool=callgrind"]).arg(format!("--dump-before={function}"));
    valgrind.arg(format!("--callgrind-out-file={}", out.display()));
    output(valgrind.arg(env::current_exe().expect("a program has a path")).args(arguments));
    let parts = (1..).map(|number| out.with_extension(format!("redb.{number}")));
    let counts = parts.map_while(|part| {
        let counted = fs::read_to_string(&part).ok()?;
        _ = fs::remove_file(part);
        let total = counted.lines().find_map(|line| line.strip_prefix("totals: "));
        Some(total.and_then(|total| total.trim().parse().ok()).expect("callgrind has counted instructions"))
    });
    counts.collect()
}

fn output(command: &mut Command) -> String {
    let ran = command.stderr(Stdio::inherit()).output().expect("it starts");
    assert!(ran.status.success(), "{command:?}: {}", ran.status);
    String::from_utf8(ran.stdout).expect("it prints text")
}

/// Returns the number that a child has printed after a name.
pub(crate) fn number(said: &str, name: &str) -> f64 {
    let found = said.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok());
    found.unwrap_or_else(|| panic!("{name} is not in {said:?}"))
}

/// Returns the median, and the first and third quartile.
pub(crate) fn quartiles(mut numbers: Vec<f64>) -> [f64; 3] {
    numbers.sort_by(f64::total_cmp);
    [2, 1, 3].map(|quarter| numbers[(numbers.len() - 1) * quarter / 4])
}

/// Formats [`quartiles`].
pub(crate) fn spread([middle, low, high]: [f64; 3], digits: usize) -> String {
    format!("{middle:.digits$} ({low:.digits$} to {high:.digits$})")
}
