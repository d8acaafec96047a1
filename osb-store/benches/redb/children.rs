//! This program again, as a process of its own: so that what it does can be counted from outside.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// A place on the disk that the project is built on.
pub(crate) fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Whether a program is there that counts.
pub(crate) fn has(program: &str) -> bool {
    let there = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !there {
        println!("\n{program} is missing, and without it this is not counted: install the package `{program}`.");
    }
    there
}

/// Runs it, and returns what it printed.
pub(crate) fn run(arguments: &[&str]) -> String {
    output(Command::new(env::current_exe().expect("a program has a path")).args(arguments))
}

/// The same under strace, with how often it synced a file; each time takes at least so many milliseconds.
pub(crate) fn run_counting_syncs(arguments: &[&str], sync_ms: u64) -> (String, u64) {
    let out = place("strace.txt");
    let mut strace = Command::new("strace");
    strace.args(["-f", "--seccomp-bpf", "-e", "trace=fsync,fdatasync", "-o"]).arg(&out);
    if sync_ms > 0 {
        strace.arg("-e").arg(format!("inject=fsync,fdatasync:delay_exit={}", sync_ms * 1000));
    }
    let said = output(strace.arg(env::current_exe().expect("a program has a path")).args(arguments));
    let calls = fs::read_to_string(&out).expect("strace has written what it saw");
    // A call that was interrupted by another thread's is on two lines.
    let begun = calls.lines().filter(|line| line.contains("sync(") && !line.contains("resumed"));
    (said, begun.count() as u64)
}

/// The user instructions of it under callgrind, from one call of a function to the next, the start first.
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

/// The number that a child has printed under a name.
pub(crate) fn number(said: &str, name: &str) -> f64 {
    let found = said.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok());
    found.unwrap_or_else(|| panic!("{name} is not in {said:?}"))
}

/// The middle one, and where the middle half of them begins and ends.
pub(crate) fn quartiles(mut numbers: Vec<f64>) -> [f64; 3] {
    numbers.sort_by(f64::total_cmp);
    [2, 1, 3].map(|quarter| numbers[(numbers.len() - 1) * quarter / 4])
}

/// The same as text.
pub(crate) fn spread([middle, low, high]: [f64; 3], digits: usize) -> String {
    format!("{middle:.digits$} ({low:.digits$} to {high:.digits$})")
}
