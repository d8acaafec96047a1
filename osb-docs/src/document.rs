//! The documentation as a tree, before it becomes Markdown or HTML: sections, tables, samples, and inline text. Text from
//! the catalog enters the tree only as text or code, so that the writers cannot mistake it for markup.

/// A heading, the content below it, and its subsections.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) kind: SectionKind,
    pub(super) anchor: Anchor,
    pub(super) blocks: Vec<Block>,
    pub(super) sections: Vec<Section>,
}

/// The subject of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SectionKind {
    /// All services.
    Broker,
    Service,
    Plan,
    /// A part of the broker, a service or a plan.
    Part,
    /// A part that few readers need; collapsed in HTML.
    Aside,
}

/// The target of links to a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Anchor {
    /// Unique in the document. Contains a dot, and otherwise only ASCII letters, digits, `-`, `_` and `~`.
    pub(super) id: String,
    /// The heading; unique in the document if a link leads to the section.
    pub(super) heading: String,
    /// The heading for places where the surrounding section is visible.
    pub(super) short: String,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Block {
    /// A picture as a `data:` URL, so that the page makes no request for it.
    Picture(&'static str),
    Paragraph(InlineText),
    List(Vec<InlineText>),
    /// Pairs of a label and a short value.
    Facts(Vec<(&'static str, InlineText)>),
    Table(Table),
    Samples(Language, Vec<Sample>),
    /// A form; HTML only.
    Form(Form),
}

/// A table in which each row has one cell per column, and the first cell is the row's header.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Table {
    /// The subject of the table, for screen readers.
    pub(super) caption: String,
    pub(super) columns: Vec<&'static str>,
    pub(super) rows: Vec<Vec<InlineText>>,
}

/// Code to copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sample {
    pub(super) title: String,
    pub(super) text: String,
}

/// A form for parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Form {
    /// The schema that the catalog publishes, as JSON.
    pub(super) schema: String,
    /// The command to which the parameters are appended.
    pub(super) command: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Shell,
    Json,
}

/// One line of inline text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct InlineText(pub(super) Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    Strong(String),
    Code(String),
    /// A link to a section of the document, and its label.
    Section(Anchor, InlineText),
    /// A link to an `http` or `https` URL.
    Web(String),
}

impl Section {
    pub(super) fn new(kind: SectionKind, anchor: Anchor) -> Self {
        Self { kind, anchor, blocks: Vec::new(), sections: Vec::new() }
    }

    pub(super) fn say(&mut self, words: impl Into<InlineText>) {
        self.blocks.push(Block::Paragraph(words.into()));
    }
}

impl Anchor {
    /// Makes an anchor whose heading is the same everywhere.
    pub(super) fn of(id: String, heading: &str) -> Self {
        Self { id, heading: heading.to_owned(), short: heading.to_owned() }
    }
}

impl Table {
    /// Builds a table without the columns whose cells are all empty; `None` if no column is left.
    pub(super) fn new<const N: usize>(
        caption: String,
        columns: [&'static str; N],
        rows: Vec<[InlineText; N]>,
    ) -> Option<Self> {
        let shown = |column: &usize| rows.iter().any(|row| !row[*column].0.is_empty());
        let shown: Vec<usize> = (0..N).filter(shown).collect();
        let rows = rows.iter().map(|row| shown.iter().map(|column| row[*column].clone()).collect()).collect();
        let columns: Vec<_> = shown.iter().map(|column| columns[*column]).collect();
        (!columns.is_empty()).then_some(Self { caption, columns, rows })
    }
}

impl InlineText {
    /// Converts text from the catalog to one line. Text between backticks becomes code.
    pub(super) fn quote(raw: &str) -> Self {
        let line = one_line(raw);
        let mut words = Self::default();
        let mut rest = line.as_str();
        while let Some((before, after)) = rest.split_once('`') {
            let Some((code, after)) = after.split_once('`').filter(|(code, _)| !code.trim().is_empty()) else { break };
            words = words.text(before).code(code);
            rest = after;
        }
        words.text(rest)
    }

    pub(super) fn text(mut self, text: &str) -> Self {
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.0.push(Piece::Text(text.to_owned())),
        }
        self
    }

    pub(super) fn strong(mut self, raw: &str) -> Self {
        self.0.push(Piece::Strong(one_line(raw)));
        self
    }

    pub(super) fn code(mut self, raw: &str) -> Self {
        self.0.push(Piece::Code(raw.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()));
        self
    }

    pub(super) fn section(mut self, anchor: Anchor, label: Self) -> Self {
        self.0.push(Piece::Section(anchor, label));
        self
    }

    /// Appends a link if `url` starts with `http://` or `https://` and has no white space; otherwise code, as a browser
    /// could execute it.
    pub(super) fn web(mut self, url: &str) -> Self {
        let start = url.get(..8).or_else(|| url.get(..7)).unwrap_or_default().to_ascii_lowercase();
        let web = start.starts_with("https://") || start.starts_with("http://");
        if !web || url.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return self.code(url);
        }
        self.0.push(Piece::Web(url.to_owned()));
        self
    }

    pub(super) fn and(mut self, more: impl Into<Self>) -> Self {
        for piece in more.into().0 {
            match piece {
                Piece::Text(text) => self = self.text(&text),
                other => self.0.push(other),
            }
        }
        self
    }

    pub(super) fn join(all: impl IntoIterator<Item = Self>, between: &str) -> Self {
        let mut words = Self::default();
        for (i, one) in all.into_iter().enumerate() {
            words = if i == 0 { one } else { words.text(between).and(one) };
        }
        words
    }

    /// Joins alternatives, as in “one, two or three”.
    pub(super) fn either(all: impl IntoIterator<Item = Self>) -> Self {
        let mut all: Vec<Self> = all.into_iter().collect();
        let last = all.pop().unwrap_or_default();
        if all.is_empty() { last } else { Self::join(all, ", ").text(" or ").and(last) }
    }

    /// Makes pieces of code of texts.
    pub(super) fn codes<'a>(all: impl IntoIterator<Item = &'a str>) -> impl Iterator<Item = Self> {
        all.into_iter().map(|one| Self::default().code(one))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn ends_a_sentence(&self) -> bool {
        matches!(self.0.last(), Some(Piece::Text(text)) if text.ends_with(['.', '!', '?', ':']))
    }
}

impl From<&str> for InlineText {
    fn from(text: &str) -> Self {
        Self::default().text(text)
    }
}

impl From<String> for InlineText {
    fn from(text: String) -> Self {
        Self::default().text(&text)
    }
}

/// Splits a text from the catalog into paragraphs.
pub(super) fn paragraphs(raw: &str) -> impl Iterator<Item = InlineText> {
    let raw = raw.replace("\r\n", "\n");
    let lines: Vec<_> = raw.lines().map(|line| if line.trim().is_empty() { "" } else { line }).collect();
    let paragraphs: Vec<_> =
        lines.join("\n").split("\n\n").map(InlineText::quote).filter(|words| !words.is_empty()).collect();
    paragraphs.into_iter()
}

pub(super) fn one_line(raw: &str) -> String {
    let spaced: String = raw.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Encodes a name for use in an id. Letters, digits, `-` and `_` stay; other bytes are escaped, so that the ids of two
/// names differ.
pub(super) fn id_part(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    name.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("~{byte:02x}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::{InlineText, Piece, id_part, paragraphs};

    #[test]
    fn text_between_backticks_is_code() {
        let words = InlineText::quote("use `x` \n and `y");
        let expected = [Piece::Text("use ".into()), Piece::Code("x".into()), Piece::Text(" and `y".into())];
        assert_eq!(words.0, expected);
        assert_eq!(InlineText::quote("`` ` `").0, [Piece::Text("`` ` `".into())]);
        assert_eq!(InlineText::quote("a\u{7}b").0, [Piece::Text("a b".into())]);
        assert_eq!(InlineText::default().code("a\u{7}b").0, [Piece::Code("a b".into())]);
    }

    #[test]
    fn the_parts_of_ids_of_different_names_differ() {
        assert_eq!(id_part("a~b_c-d.\u{e9}"), "a~7eb_c-d~2e~c3~a9");
    }

    #[test]
    fn only_paragraph_breaks_are_kept() {
        let got: Vec<_> = paragraphs("One\ntwo.\n\n \n# Three\r\n\r\nfour").collect();
        assert_eq!(got, ["One two.", "# Three", "four"].map(InlineText::from));
    }

    #[test]
    fn the_last_of_several_alternatives_follows_or() {
        let either = |all: &[&str]| {
            let all = InlineText::either(InlineText::codes(all.iter().copied()));
            let piece = |piece| match piece {
                Piece::Text(text) => text,
                Piece::Code(code) => code.to_uppercase(),
                other => unreachable!("{other:?}"),
            };
            all.0.into_iter().map(piece).collect::<String>()
        };
        let all = ["a", "b", "c", "d"];
        assert_eq!([0, 1, 2, 4].map(|count| either(&all[..count])), ["", "A", "A or B", "A, B, C or D"]);
    }

    #[test]
    fn only_http_urls_become_links() {
        let of = |url| InlineText::default().web(url).0;
        assert_eq!(of("HTTPS://a.example/"), [Piece::Web("HTTPS://a.example/".into())]);
        let others = ["javascript:alert(1)", "", "//a.example", " https://a.example", "https://a\n.example", "data:,"];
        for other in others.into_iter().chain(["https://a b", "https://a\u{7f}b"]) {
            assert!(matches!(of(other)[..], [Piece::Code(_)]), "{other}");
        }
    }
}
