//! The document as Markdown.

mod escape;

use std::fmt::Write;

use super::document::{Block, Language, Piece, Sample, Section, Table, Words};
use escape::{anchor, block, code, link, text};

/// The whole document.
pub(super) fn markdown(document: &Section) -> String {
    let mut out = String::new();
    section(&mut out, document, 1);
    out
}

fn section(out: &mut String, section: &Section, level: usize) {
    add(out, &format!("{} {}", "#".repeat(level), text(&section.place.heading, false)));
    for block in section.blocks.iter().filter_map(block_of) {
        add(out, &block);
    }
    for inner in &section.sections {
        self::section(out, inner, level + 1);
    }
}

/// With an empty line before it.
fn add(out: &mut String, block: &str) {
    if !out.is_empty() {
        out.push('\n');
    }
    *out += block;
    if !block.ends_with('\n') {
        out.push('\n');
    }
}

fn block_of(block: &Block) -> Option<String> {
    Some(match block {
        Block::Paragraph(words) => line(words),
        Block::List(items) => items.iter().map(|item| format!("* {}\n", line(item))).collect(),
        // Another marker, or a list before it would go on.
        Block::Facts(facts) => facts.iter().map(|(name, words)| format!("- {name}: {}\n", line(words))).collect(),
        Block::Table(table) => self::table(table),
        // Many places where Markdown is shown refuse pictures like these, and nothing can be filled in.
        Block::Picture(_) | Block::Form(_) => return None,
        Block::Samples(Language::Json, samples) => samples.iter().map(json).collect::<Vec<_>>().join("\n"),
        Block::Samples(Language::Shell, samples) => {
            let lines: Vec<_> = samples.iter().map(|sample| format!("# {}\n{}", sample.what, sample.text)).collect();
            self::block("sh", &lines.join("\n"))
        }
    })
}

fn json(sample: &Sample) -> String {
    format!("{}:\n\n{}", text(&sample.what, true), block("json", &sample.text))
}

fn table(table: &Table) -> String {
    let mut out = String::new();
    _ = writeln!(out, "| {} |", table.columns.join(" | "));
    _ = writeln!(out, "|{}", " --- |".repeat(table.columns.len()));
    for row in &table.rows {
        _ = writeln!(out, "| {} |", row.iter().map(line).collect::<Vec<_>>().join(" | "));
    }
    out
}

fn line(words: &Words) -> String {
    let mut out = String::new();
    for piece in &words.0 {
        out += &match piece {
            Piece::Text(raw) => text(raw, out.is_empty()),
            Piece::Strong(raw) => format!("**{}**", text(raw, false)),
            Piece::Code(raw) => code(raw),
            Piece::Section(place, label) => format!("[{}](#{})", line(label), anchor(&place.heading)),
            Piece::Web(url) => link(url),
        };
    }
    out
}
