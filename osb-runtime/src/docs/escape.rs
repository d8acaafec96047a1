//! Text from a catalog as Markdown: it stays text, whatever is in it.

use std::fmt::Write;

/// A sentence or a name, on one line; also good for a table's cell.
pub(super) fn text(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let line = one_line(raw);
    let mut before = ' ';
    for (i, c) in line.char_indices() {
        let after = line[i + c.len_utf8()..].chars().next().unwrap_or(' ');
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '[' | ']' | '|' | '~' => {
                out.push('\\');
                out.push(c);
            }
            // Inside a word it is no emphasis, and names like `max_size` stay readable.
            '_' if before.is_alphanumeric() && after.is_alphanumeric() => out.push(c),
            '_' => out.push_str("\\_"),
            // What makes a heading, a list or an underline at the start of a line.
            '#' | '-' | '+' | '=' if i == 0 => {
                out.push('\\');
                out.push(c);
            }
            '.' | ')' if i > 0 && after == ' ' && line[..i].bytes().all(|b| b.is_ascii_digit()) => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
        before = c;
    }
    out
}

/// A longer text, its paragraphs kept.
pub(super) fn paragraphs(raw: &str) -> String {
    let raw = raw.replace("\r\n", "\n");
    let lines = raw.lines().map(|line| if line.trim().is_empty() { "" } else { line }).collect::<Vec<_>>().join("\n");
    let paragraphs = lines.split("\n\n").map(text).filter(|paragraph| !paragraph.is_empty());
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

/// A code span that also survives in a table's cell.
pub(super) fn code(raw: &str) -> String {
    let line: String = raw.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.trim().is_empty() {
        return if line.is_empty() { "(empty)".to_owned() } else { "(blank)".to_owned() };
    }
    if line.contains('|') {
        // Readers of Markdown disagree about `\|` after a backslash, which regular expressions have; not about this.
        return format!("<code>{}</code>", entities(&line));
    }
    let fence = fence(&line, 1);
    let pad = if line.starts_with(['`', ' ']) || line.ends_with(['`', ' ']) { " " } else { "" };
    format!("{fence}{pad}{line}{pad}{fence}")
}

/// A block of code.
pub(super) fn block(language: &str, code: &str) -> String {
    let fence = fence(code, 3);
    format!("{fence}{language}\n{}\n{fence}\n", code.trim_end())
}

/// A link, if `url` is a web address; `None` if a browser could take it for anything else.
pub(super) fn link(label: &str, url: &str) -> Option<String> {
    let start = url.get(..8).or_else(|| url.get(..7)).unwrap_or_default().to_ascii_lowercase();
    if !start.starts_with("https://") && !start.starts_with("http://") {
        return None;
    }
    let mut target = String::with_capacity(url.len());
    for c in url.chars() {
        match c {
            '&' => target.push_str("&amp;"),
            '<' | '>' | '\\' | '|' | '`' => _ = write!(target, "%{:02X}", u32::from(c)),
            c if c.is_whitespace() || c.is_control() => {}
            c => target.push(c),
        }
    }
    Some(format!("[{}](<{target}>)", text(label)))
}

/// The name that a heading gets as an anchor, as GitHub, GitLab and most generators make it.
pub(super) fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// A word of a POSIX shell.
pub(super) fn shell(word: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'/' | b':');
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn one_line(raw: &str) -> String {
    let spaced: String = raw.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// One backtick more than any run of them in `code`, and at least `least`.
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
    fn text_stays_text() {
        assert_eq!(text("a | b <script>alert(1)</script>"), r"a \| b &lt;script&gt;alert(1)&lt;/script&gt;");
        assert_eq!(text("use `x` & [y](javascript:z)"), r"use \`x\` &amp; \[y\](javascript:z)");
        assert_eq!(text("max_size _and_ **more**"), r"max_size \_and\_ \*\*more\*\*");
        assert_eq!(text("# one\n- two\u{1b}[31m"), r"\# one - two \[31m");
        assert_eq!(text("1. first"), r"1\. first");
        assert_eq!(text("1.50 usd"), "1.50 usd");
        assert_eq!(text("- a"), r"\- a");
    }

    #[test]
    fn paragraphs_are_kept_and_nothing_else() {
        assert_eq!(paragraphs("One\ntwo.\n\n \n# Three\r\n\r\nfour"), "One two.\n\n\\# Three\n\nfour");
    }

    #[test]
    fn code_spans_hold_backticks_and_pipes() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`a"), "`` `a ``");
        assert_eq!(code(r"^(a|b\|)$"), "<code>&#94;&#40;a&#124;b&#92;&#124;&#41;&#36;</code>");
        assert_eq!(code(""), "(empty)");
        assert_eq!(block("json", "```\n"), "````json\n```\n````\n");
    }

    #[test]
    fn links_lead_to_the_web_only() {
        assert_eq!(
            link("Help", "https://a.example/?a=1&b=<2>").unwrap(),
            "[Help](<https://a.example/?a=1&amp;b=%3C2%3E>)"
        );
        assert_eq!(link("Help", "javascript:alert(1)"), None);
        assert_eq!(link("Help", ""), None);
    }

    #[test]
    fn shell_words_are_quoted_where_needed() {
        assert_eq!(shell("my-store"), "my-store");
        assert_eq!(shell("it's"), r"'it'\''s'");
        assert_eq!(shell(""), "''");
    }

    #[test]
    fn anchors_are_those_of_github() {
        assert_eq!(anchor("Key-value store, 2nd"), "key-value-store-2nd");
    }
}
