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
                    let text = text.value();
                    let has_stars = has_stars(&text);
                    // `lines` gives nothing for an empty line, which ends a paragraph.
                    let lines = text.split('\n').map(|line| {
                        let line = if has_stars { without_star(line) } else { line };
                        line.strip_prefix(' ').unwrap_or(line).trim_end()
                    });
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

/// Returns whether each line after the first begins with an asterisk, as in most comments of the form `/** ... */`. White
/// space follows the start of a comment; a list in `#[doc = "..."]` stays.
fn has_stars(text: &str) -> bool {
    if !text.starts_with(char::is_whitespace) {
        return false;
    }
    let mut lines = text.split('\n').skip(1).map(str::trim_start).filter(|line| !line.is_empty()).peekable();
    lines.peek().is_some() && lines.all(|line| line.starts_with('*'))
}

fn without_star(line: &str) -> &str {
    line.trim_start().strip_prefix('*').unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::Doc;

    #[test]
    fn a_block_comment_is_read_without_its_asterisks() {
        let item: syn::ItemStruct = parse_quote! {
            /**
             * Small stores.
             *
             * * With a list,
             *   and its second line.
             */
            struct Small;
        };
        let doc = Doc::of(&item.attrs);
        assert_eq!(doc.summary().as_deref(), Some("Small stores."));
        assert_eq!(doc.text().as_deref(), Some("Small stores.\n\n* With a list,\n  and its second line."));
    }

    #[test]
    fn a_list_in_line_comments_keeps_its_asterisks() {
        let item: syn::ItemStruct = parse_quote! {
            /// * One.
            /// * Two.
            struct Small;
        };
        assert_eq!(Doc::of(&item.attrs).text().as_deref(), Some("* One.\n* Two."));
        let item: syn::ItemStruct = parse_quote! {
            #[doc = "A list:\n* one\n* two"]
            struct Small;
        };
        assert_eq!(Doc::of(&item.attrs).text().as_deref(), Some("A list:\n* one\n* two"));
    }
}
