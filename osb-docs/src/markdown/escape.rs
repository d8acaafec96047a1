//! Escapes text from a catalog for Markdown.

use std::fmt::Write;

/// Escapes inline text, also for table cells; `first` means that the line starts with it.
pub(super) fn text(raw: &str, first: bool) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut before = ' ';
    for (i, c) in raw.char_indices() {
        let after = raw[i + c.len_utf8()..].chars().next().unwrap_or(' ');
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '[' | ']' | '|' | '~' => {
                out.push('\\');
                out.push(c);
            }
            // Inside a word, `_` is not emphasis; left alone, names like `max_size` stay readable.
            '_' if before.is_alphanumeric() && after.is_alphanumeric() => out.push(c),
            '_' => out.push_str("\\_"),
            // At the start of a line, these begin a heading or a list, or underline a heading.
            '#' | '-' | '+' | '=' if first && i == 0 => {
                out.push('\\');
                out.push(c);
            }
            '.' | ')' if first && i > 0 && after == ' ' && raw[..i].bytes().all(|b| b.is_ascii_digit()) => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => out.push(' '),
            _ => out.push(c),
        }
        before = c;
    }
    out
}

/// Writes a code span that is also valid in a table cell.
pub(super) fn code(raw: &str) -> String {
    let line: String = raw.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.trim().is_empty() {
        return if line.is_empty() { "(empty)".to_owned() } else { "(blank)".to_owned() };
    }
    if line.contains('|') {
        // Markdown parsers disagree about `\|` after a backslash, which occurs in regular expressions. They agree on HTML.
        return format!("<code>{}</code>", entities(&line));
    }
    let fence = fence(&line, 1);
    let pad = if line.starts_with(['`', ' ']) || line.ends_with(['`', ' ']) { " " } else { "" };
    format!("{fence}{pad}{line}{pad}{fence}")
}

pub(super) fn block(language: &str, code: &str) -> String {
    let fence = fence(code, 3);
    format!("{fence}{language}\n{}\n{fence}\n", code.trim_end())
}

pub(super) fn link(url: &str) -> String {
    let mut target = String::with_capacity(url.len());
    for c in url.chars() {
        match c {
            '&' => target.push_str("&amp;"),
            '<' | '>' | '\\' | '|' | '`' => _ = write!(target, "%{:02X}", u32::from(c)),
            c => target.push(c),
        }
    }
    format!("[{}](<{target}>)", text(url, false))
}

/// Returns the fragment that GitHub, GitLab and most site generators derive from a heading.
pub(super) fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Returns one backtick more than the longest run of them in `code`, and at least `least`.
fn fence(code: &str, least: usize) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(if longest == 0 { least } else { least.max(longest + 1) })
}

fn entities(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        if c.is_ascii_punctuation() && !matches!(c, ',' | '.' | '-' | '/' | ':') {
            _ = write!(out, "&#{};", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        let text = |raw| text(raw, true);
        assert_eq!(text("a | b <script>alert(1)</script>"), r"a \| b &lt;script&gt;alert(1)&lt;/script&gt;");
        assert_eq!(text("use `x` & [y](javascript:z)"), r"use \`x\` &amp; \[y\](javascript:z)");
        assert_eq!(text("max_size _and_ **more**"), r"max_size \_and\_ \*\*more\*\*");
        assert_eq!(text("# one\n- two\u{1b}[31m"), r"\# one - two \[31m");
        assert_eq!(text("1. first"), r"1\. first");
        assert_eq!(text("1.50 usd"), "1.50 usd");
        assert_eq!(text("- a"), r"\- a");
        assert_eq!(text("+ a"), r"\+ a");
        assert_eq!(text("= a"), r"\= a");
        assert_eq!(text("1) ~~a~~"), r"1\) \~\~a\~\~");
    }

    #[test]
    fn code_spans_can_contain_backticks_and_pipes() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`a"), "`` `a ``");
        assert_eq!(code(r"^(a|b\|)$"), "<code>&#94;&#40;a&#124;b&#92;&#124;&#41;&#36;</code>");
        assert_eq!(code(""), "(empty)");
        assert_eq!(block("json", "```\n"), "````json\n```\n````\n");
    }

    #[test]
    fn links_escape_special_characters() {
        assert_eq!(
            link("https://a.example/?a=1&b=<2>"),
            "[https://a.example/?a=1&amp;b=&lt;2&gt;](<https://a.example/?a=1&amp;b=%3C2%3E>)"
        );
    }

    #[test]
    fn slugs_are_those_of_github() {
        assert_eq!(slug("Key-value store, 2nd"), "key-value-store-2nd");
    }
}
