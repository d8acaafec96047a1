//! Mistakes that must not compile, and the compiler's messages about them.
//!
//! One kind of mistake a file, named by it; the first line says it in a sentence. If there are several, a comment above each
//! describes it: `// Mistake: ...`, for the table of mistakes in the documentation. A wrong constraint or default of a field has
//! a struct of its own: one such field leaves all fields of its struct to const evaluation. The prelude is not in `case.rs`:
//! the compiler would report mistakes in attributes in the reverse order.
//!
//! `TRYBUILD=overwrite cargo test -p osb-ui-tests --test ui` writes the `.stderr` files anew: read them as the author of a
//! broker would. `-- mistakes trybuild=plan/name` at its end runs only the cases whose path contains `plan/name`.
//!
//! All cases are one `TestCases` without `pass`: trybuild then runs one `cargo check` for all of them, in parallel. A single
//! `pass` among them makes it build every dependency in full, and run cargo twice for each case, one after the other. So
//! the programs in `pass` are targets of this package instead.

use std::{fs, io::Write as _, path::Path, process::Command};

/// The compiler whose words the `.stderr` files hold: its part of them changes between releases.
const COMPILER: &str = "rustc 1.95.";

const FOLDERS: [&str; 6] = ["plan", "service", "broker", "capabilities", "parameters", "program"];

#[test]
fn mistakes_are_explained() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = Command::new(rustc).arg("--version").output().expect("the compiler that builds this test runs");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    if !version.starts_with(COMPILER) {
        let is_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
        assert!(!is_ci, "the messages have to be checked with {COMPILER}x, not {version}");
        // Straight to the terminal: the test harness keeps what a passing test prints.
        let _ = writeln!(std::io::stderr(), "SKIPPED: the messages are those of {COMPILER}x, and this is {version}");
        return;
    }
    share_macros();
    let cases = trybuild::TestCases::new();
    for folder in FOLDERS {
        cases.compile_fail(format!("{folder}/*.rs"));
    }
}

/// Lets trybuild use the macros and build scripts of this workspace, which Cargo would compile again in trybuild's directory.
/// Both have the same profile: see `.cargo/config.toml`.
fn share_macros() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("tests").join("trybuild");
    fs::create_dir_all(&directory).expect("the target directory is writable");
    // It may exist already. Where there are no symbolic links, the test takes longer.
    #[cfg(unix)]
    let _ = std::os::unix::fs::symlink("../../debug", directory.join("debug"));
}

/// The compiler prints lines of the standard library only where the component `rust-src` is installed.
#[test]
fn no_message_points_into_the_standard_library() {
    for folder in FOLDERS {
        for entry in fs::read_dir(folder).expect("the cases") {
            let path = entry.expect("a case").path();
            let text = fs::read_to_string(&path).expect("text");
            let is_message = path.extension().is_some_and(|extension| extension == "stderr");
            assert!(!(is_message && text.contains("$RUST/")), "{} depends on rust-src", path.display());
        }
    }
}

/// Neither Cargo nor the compiler finds the programs in `pass` by itself.
#[test]
fn every_program_runs() {
    let manifest = fs::read_to_string("Cargo.toml").expect("the manifest of this package");
    let main = fs::read_to_string("pass/main.rs").expect("the program that calls the others");
    for entry in fs::read_dir("pass").expect("the programs") {
        let name = entry.expect("a program").file_name().into_string().expect("a name in UTF-8");
        let is_target = manifest.contains(&format!("path = \"pass/{name}\"\nharness = false"));
        let is_called = name.strip_suffix(".rs").is_some_and(|name| main.contains(&format!("    {name}::main();\n")));
        assert!(is_target || is_called, "neither Cargo.toml nor pass/main.rs has pass/{name}");
    }
}
