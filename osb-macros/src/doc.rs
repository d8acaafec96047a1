//! Doc comments are descriptions.

use quote::ToTokens;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The text of a doc comment.
pub(crate) struct Doc {
    /// The lines, each without the space that follows the slashes.
    lines: Vec<String>,
    /// A part that a macro cannot read, such as `include_str!`.
    pub(crate) unreadable: Option<proc_macro2::TokenStream>,
}

impl Doc {
    pub(crate) fn of(attributes: &[Attribute]) -> Self {
        let mut doc = Self { lines: Vec::new(), unreadable: None };
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("doc")) {
            if let Meta::NameValue(pair) = &attribute.meta {
                if let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value {
                    // `lines` gives nothing for an empty line, which ends a paragraph.
                    let text = text.value();
                    let lines = text.split('\n').map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end());
                    doc.lines.extend(lines.map(str::to_owned));
                } else {
                    doc.unreadable = Some(pair.value.to_token_stream());
                }
            }
        }
        doc
    }

    /// The first paragraph, joined to one line: the catalog's `description`.
    pub(crate) fn summary(&self) -> Option<String> {
        let lines = self.lines.iter().map(|line| line.trim());
        let first: Vec<&str> = lines.skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty()).collect();
        (!first.is_empty()).then(|| first.join(" "))
    }

    /// All of it, without blank lines around it: a schema's `description`.
    pub(crate) fn text(&self) -> Option<String> {
        let text = self.lines.join("\n");
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }
}
