//! Benchmarks of records in a file: fsyncs, bindings, memory, and requests and startup with many records.
//!
//! Without arguments all parts run; `provisions`, `bindings`, `memory`, `requests` and `starts` select single parts.

mod bindings;
mod broker;
mod children;
mod groups;
mod many;
mod memory;
mod start;

use std::path::Path;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse().expect("a number");
    match &words[..] {
        ["clients", path, clients, provisions] => {
            groups::child(Path::new(path), clients.parse().expect("a number"), number(provisions));
        }
        ["bare", path, commits, writes] => groups::bare(Path::new(path), number(commits), number(writes)),
        ["counted", path, instances, run] => many::child(Path::new(path), number(instances), number(run)),
        ["resident", store, path, work, count] => memory::child(store, Path::new(path), work, number(count)),
        ["start", path, end] => start::child(Path::new(path), end),
        ["bare start", path] => start::bare(Path::new(path)),
        _ => report(&words),
    }
}

fn report(words: &[&str]) {
    // `cargo bench` passes `--bench`; `cargo test` does not, and gets a short run.
    let is_bench = words.contains(&"--bench");
    let parts = ["provisions", "bindings", "memory", "requests", "starts"];
    let wants = |part| words.contains(&part) || !parts.iter().any(|part| words.contains(part));
    if wants("provisions") {
        groups::report(if is_bench { 16_000 } else { 64 }, if is_bench { 5 } else { 1 });
    }
    if wants("bindings") {
        bindings::report(is_bench);
    }
    if wants("memory") {
        memory::report(if is_bench { 1 } else { 100 });
    }
    if !wants("requests") && !wants("starts") {
        return;
    }
    let many = many::File::new("many", if is_bench { 1_000_000 } else { 4000 });
    if wants("requests") {
        many::report(&many, if is_bench { 6 } else { 1 });
    }
    if wants("starts") {
        start::report(&many, if is_bench { 5 } else { 1 });
    }
}
