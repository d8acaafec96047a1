//! Tables of Markdown.

use std::fmt::Write;

/// A table with a header; nothing if it has no rows. A column whose cells are all empty is left out.
pub(super) fn table<const N: usize>(header: [&str; N], rows: &[[String; N]]) -> String {
    let shown: Vec<usize> = (0..N).filter(|column| rows.iter().any(|row| !row[*column].is_empty())).collect();
    let mut out = String::new();
    if shown.is_empty() {
        return out;
    }
    let header: Vec<&str> = shown.iter().map(|column| header[*column]).collect();
    _ = writeln!(out, "| {} |", header.join(" | "));
    _ = writeln!(out, "|{}", " --- |".repeat(shown.len()));
    for row in rows {
        let cells: Vec<&str> = shown.iter().map(|column| row[*column].as_str()).collect();
        _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out
}
