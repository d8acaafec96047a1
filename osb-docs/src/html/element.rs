//! An HTML writer whose output is well-formed and escaped by construction: only the names of elements and attributes,
//! which are constants, are written as they are.

use std::fmt::Write;

/// Returns whether Unicode reserves the code point for internal use.
fn is_noncharacter(c: char) -> bool {
    matches!(c, '\u{fdd0}'..='\u{fdef}') || u32::from(c) & 0xfffe == 0xfffe
}

/// The HTML written so far.
#[derive(Debug, Default)]
pub(super) struct Html(String);

/// Pairs of a name and a value.
pub(super) type Attributes<'a> = &'a [(&'static str, &'a str)];

impl Html {
    /// Writes an element; `inside` writes its content.
    pub(super) fn element(&mut self, name: &'static str, attributes: Attributes, inside: impl FnOnce(&mut Self)) {
        self.void(name, attributes);
        inside(self);
        _ = write!(self.0, "</{name}>");
    }

    /// Writes an element that contains only text.
    pub(super) fn leaf(&mut self, name: &'static str, attributes: Attributes, text: &str) {
        self.element(name, attributes, |html| html.text(text));
    }

    /// Writes a start tag: an element without content has no end tag.
    pub(super) fn void(&mut self, name: &'static str, attributes: Attributes) {
        _ = write!(self.0, "<{name}");
        for (attribute, value) in attributes {
            _ = write!(self.0, " {attribute}=\"");
            self.text(value);
            self.0.push('"');
        }
        self.0.push('>');
    }

    pub(super) fn text(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\n' | '\t' => self.0.push(c),
                // HTML must not have other control characters or noncharacters, not even as references.
                c if c.is_control() || is_noncharacter(c) => self.0.push('\u{fffd}'),
                c => self.0.push(c),
            }
        }
    }

    /// Writes a style or a script of this crate, unescaped as HTML requires it.
    pub(super) fn raw(&mut self, name: &'static str, content: &'static str) {
        self.element(name, &[], |html| html.0.push_str(content));
    }

    pub(super) fn page(self) -> String {
        format!("<!doctype html>\n{}\n", self.0)
    }
}
