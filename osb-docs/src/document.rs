//! What there is to say of a catalog, before it is Markdown or HTML: sections, tables, samples, and words that are text or
//! code and nothing else. Whatever the catalog says arrives here as text, which the writers can only show.

/// A heading, what is said under it, and the sections below it.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) what: What,
    pub(super) place: Place,
    pub(super) blocks: Vec<Block>,
    pub(super) sections: Vec<Section>,
}

/// What a section is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// All services.
    Broker,
    Service,
    Plan,
    /// A part of one of these.
    Part,
    /// A part that few readers need.
    Aside,
}

/// Where a section is, for whatever leads there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Unique in the document; has a dot in it, and otherwise letters, digits, `-`, `_` and `~` of ASCII.
    pub(super) id: String,
    /// The heading; unique as well if something leads there.
    pub(super) heading: String,
    /// The heading where it is clear what it belongs to.
    pub(super) short: String,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Block {
    /// A picture that is a `data:` URL, so that nobody is asked for it.
    Picture(&'static str),
    Paragraph(Words),
    List(Vec<Words>),
    /// What is said in a word or two: a name, and the words.
    Facts(Vec<(&'static str, Words)>),
    Table(Table),
    Samples(Language, Vec<Sample>),
    /// For readers who can fill in something.
    Form(Form),
}

/// Rows of as many cells as there are columns; the first cell says what the row is about.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Table {
    /// What the rows are, for readers who can't see them.
    pub(super) caption: String,
    pub(super) columns: Vec<&'static str>,
    pub(super) rows: Vec<Vec<Words>>,
}

/// Something to copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sample {
    /// What it does.
    pub(super) what: String,
    pub(super) text: String,
}

/// Parameters to be filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Form {
    /// Their schema, as the catalog publishes it: JSON.
    pub(super) schema: String,
    /// The command that takes them, without them.
    pub(super) command: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Shell,
    Json,
}

/// A line of text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Words(pub(super) Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    Strong(String),
    Code(String),
    /// A link within the document.
    Section(Place, Words),
    /// A link to the address, which is of the web.
    Web(String),
}

impl Section {
    pub(super) fn new(what: What, place: Place) -> Self {
        Self { what, place, blocks: Vec::new(), sections: Vec::new() }
    }

    pub(super) fn say(&mut self, words: impl Into<Words>) {
        self.blocks.push(Block::Paragraph(words.into()));
    }
}

impl Place {
    /// A section that nothing leads to by its heading.
    pub(super) fn of(id: String, heading: &str) -> Self {
        Self { id, heading: heading.to_owned(), short: heading.to_owned() }
    }
}

impl Table {
    /// A table without the columns whose cells are all empty; nothing if none is left.
    pub(super) fn new<const N: usize>(
        caption: String,
        columns: [&'static str; N],
        rows: Vec<[Words; N]>,
    ) -> Option<Self> {
        let shown = |column: &usize| rows.iter().any(|row| !row[*column].0.is_empty());
        let shown: Vec<usize> = (0..N).filter(shown).collect();
        let rows = rows.iter().map(|row| shown.iter().map(|column| row[*column].clone()).collect()).collect();
        let columns: Vec<_> = shown.iter().map(|column| columns[*column]).collect();
        (!columns.is_empty()).then_some(Self { caption, columns, rows })
    }
}

impl Words {
    /// A sentence or a name out of the catalog, on one line. What stands between backticks is code.
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

    pub(super) fn section(mut self, place: Place, label: Self) -> Self {
        self.0.push(Piece::Section(place, label));
        self
    }

    /// A link if `url` is a web address; code if a browser could take it for anything else.
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

    /// Several pieces of code, as in “`a`, `b`”.
    pub(super) fn codes<'a>(all: impl IntoIterator<Item = &'a str>, between: &str) -> Self {
        Self::join(all.into_iter().map(|one| Self::default().code(one)), between)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a sentence ends here.
    pub(super) fn ends_a_sentence(&self) -> bool {
        matches!(self.0.last(), Some(Piece::Text(text)) if text.ends_with(['.', '!', '?', ':']))
    }
}

/// Words that are this crate's own.
impl From<&str> for Words {
    fn from(text: &str) -> Self {
        Self::default().text(text)
    }
}

impl From<String> for Words {
    fn from(text: String) -> Self {
        Self::default().text(&text)
    }
}

/// The paragraphs of a longer text out of the catalog.
pub(super) fn paragraphs(raw: &str) -> impl Iterator<Item = Words> {
    let raw = raw.replace("\r\n", "\n");
    let lines: Vec<_> = raw.lines().map(|line| if line.trim().is_empty() { "" } else { line }).collect();
    let paragraphs: Vec<_> =
        lines.join("\n").split("\n\n").map(Words::quote).filter(|words| !words.is_empty()).collect();
    paragraphs.into_iter()
}

pub(super) fn one_line(raw: &str) -> String {
    let spaced: String = raw.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A name as a part of an id: letters, digits, `-` and `_` as they are, everything else so that no two names get the same.
pub(super) fn id_part(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    name.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("~{byte:02x}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::{Piece, Words, paragraphs};

    #[test]
    fn what_stands_between_backticks_is_code() {
        let words = Words::quote("use `x` \n and `y");
        let expected = [Piece::Text("use ".into()), Piece::Code("x".into()), Piece::Text(" and `y".into())];
        assert_eq!(words.0, expected);
        assert_eq!(Words::quote("`` ` `").0, [Piece::Text("`` ` `".into())]);
    }

    #[test]
    fn paragraphs_are_kept_and_nothing_else() {
        let got: Vec<_> = paragraphs("One\ntwo.\n\n \n# Three\r\n\r\nfour").collect();
        assert_eq!(got, ["One two.", "# Three", "four"].map(Words::from));
    }

    #[test]
    fn links_lead_to_the_web_only() {
        let of = |url| Words::default().web(url).0;
        assert_eq!(of("HTTPS://a.example/"), [Piece::Web("HTTPS://a.example/".into())]);
        for other in ["javascript:alert(1)", "", "//a.example", " https://a.example", "https://a\n.example", "data:,"] {
            assert!(matches!(of(other)[..], [Piece::Code(_)]), "{other}");
        }
    }
}
