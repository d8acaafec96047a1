//! Regular expressions: ECMA-262 in the schema, the same meaning in Rust.
//!
//! A schema's pattern is read by platforms and users in other languages, so only what ECMA-262 and `regex` have in
//! common is accepted, and syntax that differs in meaning (`\d`, `\w`, `\s`, `.`, `\b`) is rewritten.

use regex_syntax::ast::{
    self, AssertionKind, Ast, ClassPerl, ClassPerlKind, ClassSet, ClassSetItem, ClassUnicode, ClassUnicodeKind,
    ClassUnicodeOpKind, ErrorKind, GroupKind, HexLiteralKind, LiteralKind, Span, SpecialLiteralKind,
};

/// White space as ECMA-262 defines it.
const WHITE_SPACE: &str =
    r"\t\n\x0B\x0C\r \u{A0}\u{1680}\u{2000}-\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}\u{FEFF}";

/// A mistake in a pattern, and its correction.
#[derive(Debug)]
pub(crate) struct Mistake {
    pub(crate) message: String,
    pub(crate) help: String,
}

/// The expression for `regex` that matches what `source` matches in ECMA-262.
pub(crate) fn translate(source: &str) -> Result<String, Mistake> {
    if let Some(inner) = between_slashes(source) {
        return Err(Mistake {
            message: format!("the slashes around `{inner}` are part of the pattern, so no value matches it"),
            help: format!("write `pattern = {inner:?}`"),
        });
    }
    let ast = ast::parse::Parser::new().parse(source).map_err(|error| syntax(source, &error))?;
    let mut reader = Reader {
        source,
        changes: Vec::new(),
        mistake: None,
        in_class: false,
        has_properties: false,
        lenient: Vec::new(),
    };
    reader.read(&ast);
    reader.refuse_lenient();
    if let Some(mistake) = reader.mistake {
        return Err(mistake);
    }
    let mut out = String::with_capacity(source.len());
    let mut from = 0;
    for (span, text) in reader.changes {
        out.push_str(&source[from..span.start.offset]);
        out.push_str(&text);
        from = span.end.offset;
    }
    out.push_str(&source[from..]);
    match regex::Regex::new(&out) {
        Ok(_) => Ok(out),
        Err(regex::Error::CompiledTooBig(limit)) => Err(Mistake {
            message: format!("the pattern needs more than {limit} bytes when compiled"),
            help: "repeat less: `length(max = ...)` limits a string too".to_owned(),
        }),
        Err(error) => {
            let error = error.to_string();
            let last = error.trim().lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            Err(Mistake {
                message: format!("the pattern cannot be matched: {last}"),
                help: "change that part".to_owned(),
            })
        }
    }
}

/// Returns a class such as `\d` whose backslash `source` escapes once too often, so that it is a backslash and a letter.
pub(crate) fn escaped_class(source: &str) -> Option<String> {
    let mut rest = source.chars();
    while let Some(c) = rest.next() {
        if c == '\\'
            && rest.next() == Some('\\')
            && let Some(class) = rest.clone().next().filter(|class| "dDwWsS".contains(*class))
        {
            return Some(format!("\\{class}"));
        }
    }
    None
}

/// Returns the part of `/^...$/` between the slashes, which other languages write around an expression.
fn between_slashes(source: &str) -> Option<&str> {
    let (inner, flags) = source.strip_prefix('/')?.rsplit_once('/')?;
    let is_anchored = inner.starts_with('^') || (inner.ends_with('$') && !inner.ends_with("\\$"));
    (is_anchored && flags.chars().all(|flag| "dgimsuvy".contains(flag))).then_some(inner)
}

fn syntax(source: &str, error: &ast::Error) -> Mistake {
    let part = &source[error.span().start.offset..error.span().end.offset];
    let (message, help) = match error.kind() {
        ErrorKind::UnsupportedLookAround => (
            format!("look-around (`{part}`) is not supported in a pattern: it takes time without limit to match"),
            "say what has to be there instead of what must not, or check it in the handler".to_owned(),
        ),
        ErrorKind::UnsupportedBackreference if part == r"\0" => {
            (r"`\0` is an octal number in other dialects".to_owned(), r"write `\u0000`".to_owned())
        }
        ErrorKind::UnsupportedBackreference => (
            format!("a back-reference (`{part}`) is not supported in a pattern: it takes time without limit to match"),
            "check it in the handler".to_owned(),
        ),
        ErrorKind::EscapeUnrecognized => {
            (format!("`{part}` is not a portable escape"), "write the character itself, or `\\uXXXX`".to_owned())
        }
        ErrorKind::FlagUnrecognized | ErrorKind::FlagUnexpectedEof | ErrorKind::FlagDanglingNegation => {
            (format!("`{part}` is not a group in ECMA-262"), "a group that only groups is `(?:...)`".to_owned())
        }
        ErrorKind::RepetitionCountDecimalEmpty if source[error.span().start.offset..].starts_with(',') => (
            "a repetition in the pattern lacks its smallest number".to_owned(),
            "write both numbers: `{0,9}`, or `{1,}` without a largest one".to_owned(),
        ),
        ErrorKind::ClassUnclosed => (
            "the pattern has a `[` without its `]`".to_owned(),
            r"write `]` after the class; a bracket that is meant itself is `\[`".to_owned(),
        ),
        ErrorKind::GroupUnclosed => (
            "the pattern has a `(` without its `)`".to_owned(),
            r"write `)` after the group; a parenthesis that is meant itself is `\(`".to_owned(),
        ),
        kind => (
            format!(
                "the pattern is not a valid regular expression: {kind}{}",
                if part.is_empty() { String::new() } else { format!(" (`{part}`)") }
            ),
            "a character that means something else is written with a backslash: `\\{`, `\\(`, `\\[`".to_owned(),
        ),
    };
    Mistake { message, help }
}

struct Reader<'a> {
    source: &'a str,
    changes: Vec<(Span, String)>,
    mistake: Option<Mistake>,
    in_class: bool,
    /// True after a `\p{...}`, which readers understand only with the flag `u`.
    has_properties: bool,
    /// Characters as the flag `u` doesn't allow them, with how to write them.
    lenient: Vec<(Span, String)>,
}

impl<'a> Reader<'a> {
    fn text(&self, span: &Span) -> &'a str {
        &self.source[span.start.offset..span.end.offset]
    }

    /// Refuses the part at `span`, which is `what`: something that ECMA-262 does not have.
    fn foreign(&mut self, span: &Span, what: &str, help: &str) {
        self.refuse(span, &format!("is {what}"), help);
    }

    fn refuse(&mut self, span: &Span, is_what: &str, help: &str) {
        let part = self.text(span).to_owned();
        match &mut self.mistake {
            None => {
                let message = format!("`{part}` {is_what}: a schema's pattern is ECMA-262");
                self.mistake = Some(Mistake { message, help: help.to_owned() });
            }
            // A pattern of another dialect has often several parts that ECMA-262 lacks.
            Some(first) => first.help.push_str(&format!("; for `{part}`, {help}")),
        }
    }

    fn flags(&mut self, span: &Span, flags: &ast::Flags) {
        let help = match flags.items.first().map(|item| &item.kind) {
            Some(ast::FlagsItemKind::Flag(ast::Flag::DotMatchesNewLine)) => {
                r"write `[\s\S]` for any character, line ends too"
            }
            Some(ast::FlagsItemKind::Flag(ast::Flag::MultiLine)) => {
                r"`^` and `$` are the ends of the text; write `(?:^|\n)` and `(?:\n|$)` for those of a line"
            }
            Some(ast::FlagsItemKind::Flag(ast::Flag::IgnoreWhitespace)) => {
                "write the pattern without the space, and comments beside it"
            }
            _ => "spell both cases out, as in `[aA]`",
        };
        self.foreign(span, "a flag of other dialects", help);
    }

    fn change(&mut self, span: &Span, text: impl Into<String>) {
        self.changes.push((*span, text.into()));
    }

    fn refuse_lenient(&mut self) {
        if !self.has_properties {
            return;
        }
        for (span, help) in std::mem::take(&mut self.lenient) {
            self.refuse(&span, r"is wrong beside `\p{...}`, which needs the flag `u`", &help);
        }
    }

    fn read(&mut self, ast: &Ast) {
        match ast {
            Ast::Empty(_) => {}
            Ast::Flags(set) => self.flags(&set.span, &set.flags),
            Ast::Literal(literal) => self.literal(literal),
            Ast::Dot(span) => self.change(span, r"[^\n\r\u{2028}\u{2029}]"),
            Ast::Assertion(assertion) => self.assertion(assertion),
            Ast::ClassUnicode(class) => self.unicode(class),
            Ast::ClassPerl(class) => self.perl(class),
            Ast::ClassBracketed(class) => self.class(class),
            Ast::Repetition(repetition) => self.repetition(repetition),
            Ast::Group(group) => {
                match &group.kind {
                    GroupKind::CaptureName { starts_with_p: true, name } => {
                        let help = format!("write `(?<{}>...)`, or `(?:...)` where the name is not needed", name.name);
                        let mut end = name.span.end;
                        end.offset += 1; // the bracket
                        let start = Span::new(group.span.start, end);
                        self.refuse(&start, "is the syntax of other dialects", &help);
                    }
                    GroupKind::CaptureName { name, .. } if !is_identifier(&name.name) => {
                        let help = "write a name of letters, digits and `_`, or `(?:...)` where it is not needed";
                        self.foreign(&name.span, "a name of a group in other dialects", help);
                    }
                    GroupKind::NonCapturing(flags) if !flags.items.is_empty() => {
                        self.flags(&flags.span, flags);
                    }
                    _ => {}
                }
                self.read(&group.ast);
            }
            Ast::Alternation(alternation) => alternation.asts.iter().for_each(|ast| self.read(ast)),
            Ast::Concat(concat) => concat.asts.iter().for_each(|ast| self.read(ast)),
        }
    }

    fn literal(&mut self, literal: &ast::Literal) {
        match &literal.kind {
            LiteralKind::HexBrace(kind) => {
                let help = format!("write `{}`", escaped(literal.c));
                let what = match kind {
                    HexLiteralKind::UnicodeShort => "an escape that needs the flag `u`, which a schema cannot set",
                    _ => "an escape of other dialects",
                };
                self.foreign(&literal.span, what, &help);
            }
            LiteralKind::HexFixed(HexLiteralKind::UnicodeLong) => {
                let help = format!("write `{}`", escaped(literal.c));
                self.foreign(&literal.span, "an escape of other dialects", &help);
            }
            LiteralKind::Special(SpecialLiteralKind::Bell) => {
                self.foreign(&literal.span, "an escape of other dialects", r"write `\u0007`");
            }
            LiteralKind::Meta | LiteralKind::Superfluous
                if !(r"^$\.*+?()[]{}|/".contains(literal.c) || self.in_class && literal.c == '-') =>
            {
                self.lenient.push((literal.span, format!("write `{}`", literal.c)));
            }
            LiteralKind::Verbatim if !self.in_class && "]}".contains(literal.c) => {
                self.lenient.push((literal.span, format!("write `\\{}`", literal.c)));
            }
            _ => {}
        }
    }

    fn assertion(&mut self, assertion: &ast::Assertion) {
        match assertion.kind {
            AssertionKind::StartLine | AssertionKind::EndLine => {}
            AssertionKind::WordBoundary => self.change(&assertion.span, r"(?-u:\b)"),
            AssertionKind::NotWordBoundary => self.change(&assertion.span, r"(?-u:\B)"),
            AssertionKind::StartText => {
                self.foreign(&assertion.span, "the start of the text in other dialects", "write `^`");
            }
            AssertionKind::EndText => {
                self.foreign(&assertion.span, "the end of the text in other dialects", "write `$`");
            }
            _ => self.foreign(&assertion.span, "a word boundary of other dialects", r"write `\b`"),
        }
    }

    fn repetition(&mut self, repetition: &ast::Repetition) {
        let range: String = self.text(&repetition.op.span).split_whitespace().collect();
        if range != self.text(&repetition.op.span) {
            let help = format!("write `{range}`");
            self.foreign(&repetition.op.span, "a text and no repetition, because of the white space", &help);
        }
        match &*repetition.ast {
            Ast::Repetition(_) => {
                self.foreign(
                    &repetition.span,
                    "a repetition of a repetition",
                    "put the inner one in a group: `(?:...)`",
                );
            }
            Ast::Assertion(_) => {
                self.foreign(
                    &repetition.span,
                    "a repetition of something without characters",
                    "leave the repetition out; any characters are `.*`",
                );
            }
            _ => {}
        }
        self.read(&repetition.ast);
    }

    fn perl(&mut self, class: &ClassPerl) {
        let inside = match class.kind {
            ClassPerlKind::Digit => "0-9",
            ClassPerlKind::Space => WHITE_SPACE,
            ClassPerlKind::Word => "0-9A-Za-z_",
        };
        self.change(&class.span, format!("[{}{inside}]", if class.negated { "^" } else { "" }));
    }

    fn unicode(&mut self, class: &ClassUnicode) {
        self.has_properties = true;
        let help = r"write `\p{L}`, `\p{Lu}` or `\p{Script=Greek}`, or spell the characters out";
        match &class.kind {
            ClassUnicodeKind::OneLetter(_) => self.foreign(&class.span, "a class of other dialects", help),
            ClassUnicodeKind::Named(name) if !(1..=2).contains(&name.len()) => {
                self.foreign(&class.span, "a name of a class that other dialects don't share", help);
            }
            ClassUnicodeKind::Named(name) if !name.starts_with('^') && !CATEGORIES.contains(&&**name) => {
                self.foreign(&class.span, "no category, or not in its exact spelling", help);
            }
            ClassUnicodeKind::NamedValue { value, .. } if !is_script(value) => {
                self.foreign(&class.span, "a script that is not in its exact spelling", help);
            }
            ClassUnicodeKind::NamedValue { op, name, .. }
                if *op != ClassUnicodeOpKind::Equal || !["Script", "sc"].contains(&&**name) =>
            {
                self.foreign(&class.span, "a name of a class that other dialects don't share", help);
            }
            _ if self.text(&class.span).contains('^') => {
                self.foreign(&class.span, "a class of other dialects", r"negate with `\P{...}`");
            }
            _ => {}
        }
    }

    fn class(&mut self, class: &ast::ClassBracketed) {
        let text = self.text(&class.span);
        if text.starts_with("[]") || text.starts_with("[^]") {
            self.foreign(&class.span, "an empty class in ECMA-262", r"a bracket in a class is written `\]`");
        }
        // Elsewhere it is an operation on sets.
        if let Some(rest) = text.strip_prefix("[--").or_else(|| text.strip_prefix("[^--"))
            && !rest.starts_with(']')
        {
            let help = r"a hyphen that is meant itself stands at the end of the class, once";
            self.foreign(&class.span, "a class with a range from `-`, not with hyphens", help);
        }
        self.in_class = true;
        match &class.kind {
            ClassSet::Item(item) => self.item(item),
            ClassSet::BinaryOp(_) => {
                self.foreign(
                    &class.span,
                    "a class with a set operation (`&&`, `--`, `~~`)",
                    "spell the characters out",
                );
            }
        }
        self.in_class = false;
    }

    fn item(&mut self, item: &ClassSetItem) {
        match item {
            ClassSetItem::Empty(_) => {}
            ClassSetItem::Literal(literal) => self.literal(literal),
            ClassSetItem::Range(range) => {
                self.literal(&range.start);
                self.literal(&range.end);
            }
            ClassSetItem::Ascii(class) => {
                self.foreign(&class.span, "a class of POSIX", "spell it out, as in `[A-Za-z]`");
            }
            ClassSetItem::Unicode(class) => self.unicode(class),
            ClassSetItem::Perl(class) => self.perl(class),
            ClassSetItem::Bracketed(class) => {
                self.foreign(&class.span, "a class in a class", r"write one class; a bracket in it is written `\[`");
            }
            ClassSetItem::Union(union) => union.items.iter().for_each(|item| self.item(item)),
        }
    }
}

/// The values of `General_Category` in ECMA-262.
const CATEGORIES: [&str; 38] = [
    "C", "Cc", "Cf", "Cn", "Co", "Cs", "L", "LC", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N", "Nd", "Nl",
    "No", "P", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So", "Z", "Zl", "Zp", "Zs",
];

/// Returns whether a name that `regex` finds in any case is spelt as Unicode spells scripts: `Greek`, `Old_Italic`.
fn is_script(name: &str) -> bool {
    let is_word = |word: &str| {
        let mut letters = word.chars();
        letters.next().is_some_and(|first| first.is_ascii_uppercase()) && letters.all(|c| c.is_ascii_lowercase())
    };
    name == "SignWriting" || name.split('_').all(is_word)
}

fn is_identifier(name: &str) -> bool {
    name.chars().all(|c| c == '_' || c.is_ascii_digit() || c.is_alphabetic())
}

fn escaped(c: char) -> String {
    match u32::from(c) {
        code @ 0..=0xFFFF => format!("\\u{code:04X}"),
        _ => c.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::translate;

    fn matches(pattern: &str, text: &str) -> bool {
        let translated = translate(pattern).unwrap_or_else(|mistake| panic!("{pattern}: {mistake:?}"));
        regex::Regex::new(&translated).is_ok_and(|regex| regex.is_match(text))
    }

    #[test]
    fn translated_patterns_match_as_in_ecma_262() {
        assert!(matches(r"^\d$", "7") && !matches(r"^\d$", "٧"));
        assert!(matches(r"^\w+$", "a_1") && !matches(r"^\w$", "é"));
        assert!(matches(r"^[^\W]$", "a") && !matches(r"^[^\W]$", "é"));
        assert!(matches(r"^\s$", "\u{FEFF}") && !matches(r"^\s$", "\u{85}"));
        assert!(!matches(r"^[^\s-]$", "-") && matches(r"^[^\s-]$", "x"));
        assert!(!matches("^.$", "\r") && !matches("^.$", "\u{2028}") && matches("^.$", "\u{85}"));
        assert!(matches(r"é\b", "éa") && matches(r"\bx", "éx"));
        assert!(matches(r"a\B", "ab") && !matches(r"a\B", "aé"));
        assert!(matches("^a{0,3}$", "aaa") && matches("^(?:a{2}){3}$", "aaaaaa"));
        assert!(matches(r"^\/\.\-\x41\u0042$", "/.-AB"));
        assert!(matches(r"^(?<first>a)(?:b|)\p{Lu}\p{Script=Greek}$", "aÄα"));
        assert!(!matches("^a$", "a\n"));
        assert!(matches(r"^\p{Script=SignWriting}$", "\u{1D800}"));
    }

    #[test]
    fn mistakes_name_what_to_write() {
        const UNICODE: &str = "an escape that needs the flag `u`";
        const ESCAPE: &str = "an escape of other dialects";
        for (pattern, message, help) in [
            ("(?i:a)", "a flag of other dialects", "[aA]"),
            (r"\u{41}", UNICODE, r"`\u0041`"),
            (r"\u{1F600}", UNICODE, "`😀`"),
            (r"\x{41}", ESCAPE, r"`\u0041`"),
            (r"\U00000041", ESCAPE, r"`\u0041`"),
            (r"\a", ESCAPE, r"`\u0007`"),
            ("a{3}{4}", "a repetition of a repetition", "(?:...)"),
            ("a{ 1 , 3 }", "a text and no repetition", "`{1,3}`"),
            ("(?<a.b>x)", "a name of a group", "letters, digits and `_`"),
            ("a{name}", "is not a valid regular expression", r"`\{`"),
            (r"\p{L}\@", r"beside `\p{...}`", "write `@`"),
            ("/a$/gi", "the slashes", r#""a$""#),
        ] {
            let mistake = translate(pattern).expect_err(pattern);
            assert!(mistake.message.contains(message) && mistake.help.contains(help), "{pattern}: {mistake:?}");
        }
        // Slashes in the middle of a pattern, and an escaped dollar sign, are meant.
        assert!(["/a/", r"/a\$/", "/^a/b"].iter().all(|pattern| translate(pattern).is_ok()));
    }

    #[test]
    fn unsupported_patterns_are_refused() {
        for pattern in [
            "[a&&b]",
            "[a--b]",
            "[a~~b]",
            "[a[b]]",
            "(?<!a)b",
            r"(a)\1",
            "a++",
            "[]a]",
            "[^]a]",
            r"\<a",
            r"\b{start}a",
            "a{",
            "^[--/]$",
            "^[^--9]$",
            "a{3, 4}",
            "(?<a[0]>x)",
            r"\p{lu}",
            r"\p{Yi}",
            r"\p{Script=greek}",
            r"\p{Script=OldItalic}",
            r"\p{L}a\-b",
            r"\p{L}[\@]",
            r"\p{L}]",
        ] {
            assert!(translate(pattern).is_err(), "{pattern}");
        }
        for pattern in
            ["^[--]$", "^[a-c-]$", r"\@\-]", r"^[\p{Lu}\-_]\/\]$", r"\p{Script=Old_Italic}", r"\P{Cn}", "(?<a_1>x{2,})"]
        {
            assert!(translate(pattern).is_ok(), "{pattern}");
        }
    }
}
