//! What must not compile, and what the compiler says then.
//!
//! One mistake a file, named by the mistake; the first line says it in a sentence. `TRYBUILD=overwrite cargo test -p
//! osb-tests --test ui` writes the `.stderr` files anew: read them as the author of a broker would.

use std::{io::Write as _, process::Command};

/// The compiler whose words the `.stderr` files hold: its part of them changes between releases.
const COMPILER: &str = "rustc 1.95.";

#[test]
fn mistakes_are_explained() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = Command::new(rustc).arg("--version").output().expect("the compiler that builds this test runs");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    if !version.starts_with(COMPILER) {
        assert!(std::env::var_os("CI").is_none(), "the messages have to be checked with {COMPILER}x, not {version}");
        // Straight to the terminal: the test harness keeps what a passing test prints.
        let _ = writeln!(std::io::stderr(), "SKIPPED: the messages are those of {COMPILER}x, and this is {version}");
        return;
    }
    let cases = trybuild::TestCases::new();
    for folder in ["plan", "service", "broker", "capabilities", "parameters"] {
        cases.compile_fail(format!("ui/{folder}/*.rs"));
    }
    cases.pass("ui/pass/*.rs");
}
