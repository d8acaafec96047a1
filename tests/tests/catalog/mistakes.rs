//! Generates the documentation's table of mistakes from the `.stderr` files.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::Path,
};

const TABLE: &str = "../osb-runtime/src/mistakes.md";

const HEAD: &str = "\
The compiler's message for each mistake in the attributes, for each difference between declared and implemented capabilities, and
for mistakes in handlers and `main`. Every line is tested.

Warnings appear as the use of a deprecated item, the only kind of warning that a macro can emit; `#[allow(deprecated)]` on
the item silences them.
";

const FOLDERS: &[(&str, &str)] = &[
    ("service", "`#[service]`"),
    ("plan", "`#[plan]`"),
    ("parameters", "`#[parameters]` and `#[credentials]`"),
    ("broker", "`#[broker]`"),
    ("capabilities", "Declared and implemented"),
    ("program", "`osb_tool::run` and `Program`, own servers and tests"),
];

#[test]
fn the_table_of_mistakes_matches_the_stderr_files() {
    let table = table();
    if std::env::var_os("OSB_UPDATE").is_some() {
        fs::write(TABLE, table).expect("the table can be written");
    } else {
        let there = fs::read_to_string(TABLE).unwrap_or_default();
        assert!(there == table, "{TABLE} is not up to date; update it with OSB_UPDATE=1");
    }
}

fn table() -> String {
    let mut out = HEAD.to_owned();
    for (folder, title) in FOLDERS {
        let folder = Path::new("ui").join(folder);
        let Ok(files) = fs::read_dir(&folder) else { continue };
        let mut cases: Vec<_> = files
            .map(|file| file.expect("the folder can be read").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
            .collect();
        cases.sort();
        write!(out, "\n# {title}\n\n| Mistake | Message |\n| --- | --- |\n").expect("writing to a string succeeds");
        for case in cases {
            let source = fs::read_to_string(&case).expect("a case can be read");
            let mistake = source.lines().next().and_then(|line| line.strip_prefix("//! "));
            let mistake = mistake.unwrap_or_else(|| panic!("{}: the first line describes the mistake", case.display()));
            let output = fs::read_to_string(case.with_extension("stderr"));
            let output = output.unwrap_or_else(|_| panic!("{}: there is no .stderr file", case.display()));
            let mut rows: BTreeMap<usize, (&str, Vec<String>)> = BTreeMap::new();
            for (line, message) in messages(&output, case.strip_prefix("ui").expect("it is in the folder")) {
                let (at, what) = mistake_at(&source, line).unwrap_or((0, mistake));
                let (_, said) = rows.entry(at).or_insert_with(|| (what, Vec::new()));
                // The compiler may repeat a message at other places.
                if !said.contains(&message) {
                    said.push(message);
                }
            }
            assert!(!rows.is_empty(), "{}: the .stderr file has no message", case.display());
            for (what, said) in rows.into_values() {
                let said = without_numbers(said.join("<br>"), &source);
                writeln!(out, "| {} | {said} |", cell(what)).expect("writing to a string succeeds");
            }
        }
    }
    out
}

/// Returns the comment that describes the mistake in a line, and its own line: the nearest one above.
fn mistake_at(source: &str, line: usize) -> Option<(usize, &str)> {
    let above = source.lines().enumerate().take(line);
    above.filter_map(|(at, text)| Some((at, text.trim_start().strip_prefix("// Mistake: ")?))).last()
}

/// Returns the messages of a mistake without the numbers of its plans, which only tell them from those of other mistakes in the
/// file.
fn without_numbers(said: String, source: &str) -> String {
    let lists = source.lines().filter_map(|line| line.strip_prefix("plans!(")?.strip_suffix(");"));
    // From the end, because `Free10` begins with `Free1`.
    let names: BTreeSet<_> = lists.flat_map(|list| list.split(", ")).collect();
    names.iter().rev().fold(said, |said, name| said.replace(name, name.trim_end_matches(char::is_numeric)))
}

/// Returns the messages, each with its help or note, and the lines of the case at which they point.
fn messages(output: &str, case: &Path) -> Vec<(usize, String)> {
    let mut messages: Vec<(usize, String)> = Vec::new();
    let place = format!("{}:", case.display());
    for line in output.lines() {
        let text = line.trim_start();
        if let Some(message) = headline(line) {
            let message = message.strip_prefix("evaluation panicked: ").unwrap_or(message);
            // `use of deprecated macro `name`: the message`
            let message = match message.strip_prefix("use of deprecated ").and_then(|rest| rest.split_once("`: ")) {
                Some((_, message)) => message,
                None => message,
            };
            messages.push((0, cell(&without_place(message))));
        } else if let Some((at, last)) = messages.last_mut() {
            let found = text.strip_prefix("--> ").or_else(|| text.strip_prefix("::: "));
            if let Some(found) = found.and_then(|found| found.strip_prefix(&place)).filter(|_| *at == 0) {
                *at = found.split(':').next().and_then(|line| line.parse().ok()).expect("a line has a number");
            }
            // The help of a macro follows its message; the note of a trait is below the excerpt.
            let help = match (line.strip_prefix("       help: "), text.strip_prefix("= note: ")) {
                (Some(help), _) => Some(help),
                (None, Some(note)) if note.contains('`') && !note.contains("originates in") && is_ours(note) => {
                    Some(note)
                }
                _ => None,
            };
            if let Some(help) = help {
                write!(last, "<br>*{}*", cell(help)).expect("writing to a string succeeds");
            }
        }
    }
    messages
}

/// Returns the message of `error: ...`, `error[E0277]: ...` or `warning: ...`.
fn headline(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("error").or_else(|| line.strip_prefix("warning"))?;
    let (code, message) = rest.split_once(": ")?;
    (code.is_empty() || code.starts_with('[')).then_some(message)
}

/// Returns a message without the file and the lines of an implementation.
fn without_place(message: &str) -> String {
    let place = message.split_once("<impl at ").and_then(|(before, rest)| Some((before, rest.split_once('>')?.1)));
    place.map_or_else(|| message.to_owned(), |(before, after)| format!("{before}_{after}"))
}

/// Returns whether a note is from `on_unimplemented` of our traits rather than from the compiler.
fn is_ours(note: &str) -> bool {
    let starts = [
        "required ",
        "`#[",
        "for local types",
        "for types from",
        "upstream",
        "conflicting ",
        "the question mark",
        "...which",
        "cycle used",
    ];
    !starts.iter().any(|start| note.starts_with(start))
}

/// Returns a text as the cell of a table. Outside of code, a bracket would begin a link.
fn cell(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(i, part)| if i % 2 == 0 { part.replace('[', "\\[") } else { part.to_owned() });
    parts.collect::<Vec<_>>().join("`").replace('|', "\\|")
}
