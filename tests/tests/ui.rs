//! What must not compile, with the messages that authors see, and what has to compile without a warning.
//!
//! One mistake a file, named by the mistake; names are not used again. `TRYBUILD=overwrite` writes the messages anew:
//! read them before they are committed. Part of their text is the compiler's, which rewords it from release to
//! release, so that other compilers than that of `rust-version` are left out.

use std::process::Command;

const COMPILER: &str = concat!("rustc ", env!("CARGO_PKG_RUST_VERSION"), ".");

#[test]
fn mistakes_are_reported_well() {
    let version = Command::new("rustc").arg("--version").output().expect("rustc is there, since it has compiled this");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    if !version.starts_with(COMPILER) {
        assert!(std::env::var_os("CI").is_none(), "the messages are those of {COMPILER}x, but this is {version}");
        eprintln!("SKIPPED: the messages are those of {COMPILER}x, but this is {version}");
        return;
    }
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/*/*.rs");
    cases.pass("ui/pass/*.rs");
}
