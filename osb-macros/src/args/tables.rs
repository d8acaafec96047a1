//! The tables of arguments in the documentation, generated from the doc comments of the argument structs.

use std::{
    env, fs,
    path::Path,
    sync::{Mutex, PoisonError},
};

/// Held while a page is rewritten: some pages have several tables, whose tests run at the same time.
static PAGES: Mutex<()> = Mutex::new(());

/// Compares the table below `heading` in a page of `osb-runtime` with the rows of argument structs. `OSB_UPDATE=1` writes
/// the table anew.
#[track_caller]
pub(crate) fn compare(page: &str, heading: &str, rows: &[&[&str]]) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../osb-runtime/src/macros").join(page);
    let _pages = PAGES.lock().unwrap_or_else(PoisonError::into_inner);
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let (before, after) = text.split_once(&format!("# {heading}\n")).expect("the page has the heading");
    let start = before.len() + heading.len() + 3 + after.find("\n| ").expect("a table is below the heading") + 1;
    let end = text[start..].find("\n\n").map_or(text.len(), |length| start + length + 1);
    let head: String = text[start..end].split_inclusive('\n').take(2).collect();
    let columns = head.lines().next().map_or(0, |line| line.matches('|').count() - 1);
    let rows = rows.iter().copied().flatten().map(|row| {
        let empty = " |".repeat(columns.saturating_sub(row.matches(" | ").count() + 1));
        format!("| {} |{empty}\n", row.trim())
    });
    let table: String = std::iter::once(head).chain(rows).collect();
    if env::var_os("OSB_UPDATE").is_some() {
        let text = format!("{}{table}{}", &text[..start], &text[end..]);
        fs::write(&file, text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    } else {
        assert_eq!(text[start..end], table, "{page}: OSB_UPDATE=1 writes the table anew");
    }
}
