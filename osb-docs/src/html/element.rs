//! HTML that is well-formed and escaped by construction: names of elements and attributes are this crate's own, and
//! whatever else goes in is text.

use std::fmt::Write;

/// A page, or a part of one, being written.
#[derive(Debug, Default)]
pub(super) struct Html(String);

/// Attributes, each a name and a value.
pub(super) type Attributes<'a> = &'a [(&'static str, &'a str)];

impl Html {
    /// An element, and what is in it.
    pub(super) fn element(&mut self, name: &'static str, attributes: Attributes, inside: impl FnOnce(&mut Self)) {
        self.void(name, attributes);
        inside(self);
        _ = write!(self.0, "</{name}>");
    }

    /// An element with text in it.
    pub(super) fn leaf(&mut self, name: &'static str, attributes: Attributes, text: &str) {
        self.element(name, attributes, |html| html.text(text));
    }

    /// An element that has no end.
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
                // What HTML has no way to say.
                c if c.is_control() && !matches!(c, '\n' | '\t') => self.0.push('\u{fffd}'),
                c => self.0.push(c),
            }
        }
    }

    /// A style or a script of this crate's own, as it is: nothing is escaped inside of these elements.
    pub(super) fn own(&mut self, name: &'static str, content: &'static str) {
        self.element(name, &[], |html| html.0.push_str(content));
    }

    /// The whole page.
    pub(super) fn page(self) -> String {
        format!("<!doctype html>\n{}\n", self.0)
    }
}
