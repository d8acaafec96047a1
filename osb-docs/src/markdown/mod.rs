//! Writes the document as Markdown.

mod escape;

use std::fmt::Write;

use super::document::{Block, InlineText, Language, Piece, Sample, Section, Table};
use escape::{block, code, link, slug, text};

pub(super) fn markdown(document: &Section) -> String {
    let mut out = String::new();
    section(&mut out, document, 1);
    out
}

fn section(out: &mut String, section: &Section, level: usize) {
    add(out, &format!("{} {}", "#".repeat(level), text(&section.anchor.heading, false)));
    for block in section.blocks.iter().filter_map(block_of) {
        add(out, &block);
    }
    for inner in &section.sections {
        self::section(out, inner, level + 1);
    }
}

/// Appends a block after an empty line.
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
        // A different marker from that of `List`, so that two adjacent lists stay separate.
        Block::Facts(facts) => facts.iter().map(|(name, words)| format!("- {name}: {}\n", line(words))).collect(),
        Block::Table(table) => self::table(table),
        // Many Markdown viewers refuse `data:` pictures, and Markdown has no forms.
        Block::Picture(_) | Block::Form(_) => return None,
        Block::Samples(Language::Json, samples) => samples.iter().map(json).collect::<Vec<_>>().join("\n"),
        Block::Samples(Language::Shell, samples) => {
            let lines: Vec<_> = samples.iter().map(|sample| format!("# {}\n{}", sample.title, sample.text)).collect();
            self::block("sh", &lines.join("\n"))
        }
    })
}

fn json(sample: &Sample) -> String {
    format!("{}:\n\n{}", text(&sample.title, true), block("json", &sample.text))
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

fn line(words: &InlineText) -> String {
    let mut out = String::new();
    for piece in &words.0 {
        out += &match piece {
            Piece::Text(raw) => text(raw, out.is_empty()),
            Piece::Strong(raw) => format!("**{}**", text(raw, false)),
            Piece::Code(raw) => code(raw),
            Piece::Section(anchor, label) => format!("[{}](#{})", line(label), slug(&anchor.heading)),
            Piece::Web(url) => link(url),
        };
    }
    out
}
