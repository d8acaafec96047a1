//! Writes the document as Markdown.

mod escape;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use super::document::{Block, InlineText, Language, Piece, Sample, Section, Table};
use escape::{block, code, link, slug, text};

pub(super) fn markdown(document: &Section) -> String {
    let mut fragments = Fragments::default();
    fragments.add(document);
    let mut out = String::new();
    section(&mut out, document, 1, &fragments);
    out
}

/// The fragments of links to sections, by the ids of these.
#[derive(Default)]
struct Fragments<'a> {
    of: BTreeMap<&'a str, String>,
    taken: BTreeSet<String>,
}

impl<'a> Fragments<'a> {
    /// Adds those of a section and of the sections in it, in the order of the document: equal ones are numbered.
    fn add(&mut self, section: &'a Section) {
        let first = slug(&section.anchor.heading);
        let mut fragment = first.clone();
        let mut number = 0;
        while !self.taken.insert(fragment.clone()) {
            number += 1;
            fragment = format!("{first}-{number}");
        }
        self.of.insert(&section.anchor.id, fragment);
        section.sections.iter().for_each(|inner| self.add(inner));
    }
}

fn section(out: &mut String, section: &Section, level: usize, fragments: &Fragments<'_>) {
    add(out, &format!("{} {}", "#".repeat(level), text(&section.anchor.heading, false)));
    for block in section.blocks.iter().filter_map(|block| block_of(block, fragments)) {
        add(out, &block);
    }
    for inner in &section.sections {
        self::section(out, inner, level + 1, fragments);
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

fn block_of(block: &Block, fragments: &Fragments<'_>) -> Option<String> {
    let line = |words: &InlineText| line(words, fragments);
    Some(match block {
        Block::Paragraph(words) => line(words),
        Block::List(items) => items.iter().map(|item| format!("* {}\n", line(item))).collect(),
        // A different marker from that of `List`, so that two adjacent lists stay separate.
        Block::Facts(facts) => facts.iter().map(|(name, words)| format!("- {name}: {}\n", line(words))).collect(),
        Block::Table(table) => self::table(table, fragments),
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

fn table(table: &Table, fragments: &Fragments<'_>) -> String {
    let line = |words: &InlineText| line(words, fragments);
    let mut out = String::new();
    _ = writeln!(out, "| {} |", table.columns.join(" | "));
    _ = writeln!(out, "|{}", " --- |".repeat(table.columns.len()));
    for row in &table.rows {
        _ = writeln!(out, "| {} |", row.iter().map(line).collect::<Vec<_>>().join(" | "));
    }
    out
}

fn line(words: &InlineText, fragments: &Fragments<'_>) -> String {
    let mut out = String::new();
    for piece in &words.0 {
        out += &match piece {
            Piece::Text(raw) => text(raw, out.is_empty()),
            Piece::Strong(raw) => format!("**{}**", text(raw, false)),
            Piece::Code(raw) => code(raw),
            Piece::Section(anchor, label) => {
                let fragment = fragments.of.get(&*anchor.id).map_or_else(|| slug(&anchor.heading), String::clone);
                format!("[{}](#{fragment})", line(label, fragments))
            }
            Piece::Web(url) => link(url),
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::markdown;
    use crate::document::{Anchor, Block, InlineText, Section, SectionKind};

    /// GitHub drops the dot, and numbers equal fragments.
    #[test]
    fn links_lead_to_sections_with_similar_names() {
        let anchors = ["1.5gb", "15gb"].map(|name| Anchor::of(format!("plan.{name}"), name));
        let mut document = Section::new(SectionKind::Broker, Anchor::of("broker.services".to_owned(), "Services"));
        for anchor in anchors {
            let link = InlineText::default().section(anchor.clone(), InlineText::from("it"));
            document.blocks.push(Block::Paragraph(link));
            document.sections.push(Section::new(SectionKind::Broker, anchor));
        }
        assert_eq!(markdown(&document), "# Services\n\n[it](#15gb)\n\n[it](#15gb-1)\n\n## 1.5gb\n\n## 15gb\n");
    }
}
