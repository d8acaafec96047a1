//! Property tests: no text of a catalog adds elements, links or scripts to the generated documentation.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::LazyLock,
};

use html5gum::{Token, Tokenizer, emitters::default::DefaultEmitter};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::{
    document,
    document::{Block, Language},
    fixture::{BARE, KV},
    html, markdown, openapi,
};
use osb_runtime::{
    catalog::{Maintenance, Offering, ParametersInfo, PlanChange, PlanInfo, PlanSpec},
    schema::{Choice, Kind, Literal, Object, Pattern, Property, Schema, StringRules, Tagged, Text, Variant},
};

/// Text that is markup or code in at least one of the formats.
const PIECES: &[&str] = &[
    "a",
    " ",
    "\n",
    "\n\n",
    "\r",
    "\t",
    "\0",
    "\u{1b}[31m",
    "\u{202e}",
    "é",
    "\u{fffe}",
    "'",
    "\"",
    "`",
    "```",
    "~~~",
    "<",
    ">",
    "&",
    "=",
    "/",
    "\\",
    "|",
    "*",
    "_",
    "#",
    "# ",
    "- ",
    "1. ",
    "> ",
    "![x](http://evil.example/x.png)",
    "[x](javascript:alert(1))",
    "<b>",
    "<img src=x onerror=alert(1)>",
    "\" onclick=\"alert(1)",
    "' onclick='alert(1)",
    "</script><script>alert(1)</script>",
    "</style><style>*{display:none}</style>",
    "</title>",
    "</code></pre>",
    "</td></tr></table>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<svg onload=alert(1)>",
    "<iframe src=//evil.example>",
    "<base href=//evil.example>",
    "&lt;b&gt;",
    "&#60;b&#62;",
    "&#0;",
    "javascript:alert(1)",
    "data:image/svg+xml;base64,",
    "data:text/html,<script>alert(1)</script>",
    "//evil.example",
    "https://",
    "http://evil.example/\"onclick=",
    "<a href=https://evil.example>",
    "$(reboot)",
    "'; reboot; '",
    "%0a",
    "{{7*7}}",
    "${7*7}",
];

fn text() -> impl Strategy<Value = &'static str> {
    let piece = prop_oneof![8 => prop::sample::select(PIECES).prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| leak(pieces.concat()))
}

/// Catalogs hold `&'static str`.
fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

fn list<T>(items: Vec<T>) -> &'static [T] {
    Box::leak(items.into_boxed_slice())
}

/// Builds a service that uses these texts in every field that takes text.
fn offering(texts: &[&'static str]) -> Offering {
    let mut next = texts.iter().copied().cycle();
    let mut say = move || next.next().unwrap_or_default();
    let mut texts = || Text::new(say(), "\"\"");
    let said = |kind, texts: &mut dyn FnMut() -> Text| Schema {
        title: Some(texts()),
        description: Some(texts()),
        default: Some(Literal::String(texts())),
        examples: list(vec![Literal::String(texts())]),
        ..Schema::new(kind)
    };
    let pattern = Pattern { source: texts(), matches: super::fixture::prefix };
    let string = Kind::String(StringRules { pattern: Some(pattern), ..StringRules::default() });
    let choice = Kind::Choice(list(vec![
        Choice { value: texts(), description: Some(texts()) },
        Choice { value: texts(), description: None },
    ]));
    let inner = said(string, &mut texts);
    let property = |name, schema, required| Property {
        name,
        aliases: &[],
        schema,
        required,
        immutable: false,
        update_only: false,
    };
    let object = Object { properties: list(vec![property(texts(), inner, true)]), open: true };
    let variant = Variant { name: texts(), description: Some(texts()), object };
    let tagged = Kind::Tagged(Tagged { tag: texts(), variants: list(vec![variant]) });
    let kinds = [string, choice, tagged, Kind::Object(object)];
    let properties: Vec<_> = kinds.into_iter().map(|kind| property(texts(), said(kind, &mut texts), true)).collect();
    let object = Schema::new(Kind::Object(Object { properties: list(properties), open: true }));
    let schema: &'static Schema = Box::leak(Box::new(object));
    let parameters =
        Some(ParametersInfo { schema, json: b"{}", decode: |_, _| Ok(Box::new(())), check_stored: |_| Ok(()) });
    let plan = |id, texts: &mut dyn FnMut() -> Text| PlanInfo {
        spec: PlanSpec {
            id,
            // Names have to be unique.
            name: leak(format!("{id}{}", texts().get())),
            description: texts().get(),
            display_name: Some(texts().get()),
            bullets: list(vec![texts().get()]),
            costs: list(vec![texts().get()]),
            maintenance: Some(Maintenance { version: texts().get(), description: Some(texts().get()) }),
            ..KV.plans[0].spec
        },
        create: parameters,
        update: parameters,
        bind: parameters,
        credentials: Some(schema),
        ..KV.plans[0]
    };
    let plans = list(vec![plan("1", &mut texts), plan("2", &mut texts)]);
    Offering {
        id: texts().get(),
        name: leak(format!("s{}", texts().get())),
        description: texts().get(),
        display_name: Some(texts().get()),
        long_description: Some(texts().get()),
        documentation_url: Some(texts().get()),
        support_url: Some(texts().get()),
        image_url: Some(texts().get()),
        tags: list(vec![texts().get()]),
        plans,
        changes: list(vec![PlanChange { from: "1", to: "2" }]),
        ..KV
    }
}

/// An element of a page, with its attributes and the text that is directly in it.
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    text: String,
}

/// Elements without an end tag.
const VOID: &[&str] = &["br", "img", "input", "link", "meta"];

/// The elements that end a paragraph in which they begin.
const BLOCKS: &[&str] = &[
    "dd", "details", "div", "dl", "dt", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "header", "li", "main", "nav",
    "p", "pre", "search", "section", "summary", "table", "ul",
];

/// Reads a page. Refuses comments, and errors, which browsers would correct.
fn elements(page: &str) -> Result<Vec<Element>, String> {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (mut elements, mut open) = (Vec::<Element>::new(), Vec::<usize>::new());
    for Ok(token) in Tokenizer::new_with_emitter(page, emitter) {
        match token {
            Token::StartTag(tag) => {
                let name = text(&tag.name);
                let is_in = |outer: &str| open.iter().any(|&it| elements[it].name == outer);
                if (BLOCKS.contains(&&*name) && is_in("p")) || (name == "a" && is_in("a")) {
                    return Err(format!("<{name}> ends the element around it"));
                }
                if !VOID.contains(&&*name) {
                    open.push(elements.len());
                }
                let attributes = tag.attributes.iter().map(|(name, value)| (text(name), text(value))).collect();
                elements.push(Element { name, attributes, text: String::new() });
            }
            Token::EndTag(tag) => {
                let (expected, found) = (open.pop().map(|it| &*elements[it].name), text(&tag.name));
                if expected != Some(&found) {
                    return Err(format!("</{found}> in {expected:?}"));
                }
            }
            Token::String(it) => {
                if let Some(&last) = open.last() {
                    elements[last].text += &text(&it);
                }
            }
            Token::Doctype(_) => {}
            other => return Err(format!("{other:?}")),
        }
    }
    if open.is_empty() { Ok(elements) } else { Err(format!("{} elements have no end", open.len())) }
}

/// The elements of a page without any markup in its texts, each with its attributes.
static HARMLESS: LazyLock<BTreeMap<String, BTreeSet<String>>> = LazyLock::new(|| {
    let offering = offering(&["", "https://a.example"]);
    let mut found = BTreeMap::<_, BTreeSet<_>>::new();
    for element in elements(&html::html(&document(&[&offering, &KV, &BARE]))).expect("a valid page") {
        found.entry(element.name).or_default().extend(element.attributes.into_iter().map(|(name, _)| name));
    }
    found
});

fn is_web(url: &str) -> bool {
    let url = url.to_ascii_lowercase();
    url.starts_with("http://") || url.starts_with("https://")
}

/// Checks that text from the catalog appears only in quotes, where the shell does not interpret it.
fn is_quoted(commands: &str) -> bool {
    let (mut quote, mut escaped) = (None, false);
    let fine = commands.chars().all(|c| {
        let plain = c.is_ascii_alphanumeric() || " \n-_./:".contains(c);
        match quote {
            _ if std::mem::take(&mut escaped) => matches!(c, '\n' | '\''),
            Some('\'') if c != '\'' => true,
            Some(open) if c == open => {
                quote = None;
                true
            }
            None if matches!(c, '\'' | '"') => {
                quote = Some(c);
                true
            }
            None if c == '\\' => {
                escaped = true;
                true
            }
            None => plain || c == '=',
            Some(_) => plain || "$?&=%~".contains(c),
        }
    });
    fine && quote.is_none()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn html_treats_the_catalog_as_text(texts in prop::collection::vec(text(), 1..40)) {
        let offering = offering(&texts);
        let elements = elements(&html::html(&document(&[&offering, &KV])));
        prop_assert!(elements.is_ok(), "{:?}", elements.err());
        let elements = elements.unwrap();
        let mut ids = HashSet::new();
        for Element { name: element, attributes, .. } in &elements {
            prop_assert!(HARMLESS.contains_key(element), "<{element}>");
            for (name, value) in attributes {
                prop_assert!(HARMLESS[element].contains(name), "<{element} {name}={value:?}>");
                match &**name {
                    "href" => prop_assert!(value.starts_with('#') || value == "data:," || is_web(value), "{value}"),
                    "src" => prop_assert!(value.starts_with("data:image/"), "{value}"),
                    "id" => prop_assert!(ids.insert(value), "{value} occurs twice"),
                    _ => {}
                }
            }
        }
        let own = |name: &str| elements.iter().filter(|it| it.name == name).map(|it| &*it.text).collect::<Vec<_>>();
        prop_assert_eq!(own("script"), [html::SCRIPT]);
        prop_assert_eq!(own("style"), [html::STYLE]);
    }

    #[test]
    fn markdown_treats_the_catalog_as_text(texts in prop::collection::vec(text(), 1..40)) {
        let offering = offering(&texts);
        let page = document(&[&offering, &KV]);
        let (mut headings, mut sections) = (0, vec![&page]);
        let markdown = markdown::markdown(&page);
        for event in Parser::new_ext(&markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
            match event {
                Event::Html(raw) => prop_assert!(false, "HTML: {raw}"),
                Event::InlineHtml(raw) => prop_assert!(["<code>", "</code>"].contains(&&*raw), "HTML: {raw}"),
                Event::Start(Tag::Link { dest_url, .. }) => {
                    prop_assert!(dest_url.starts_with('#') || is_web(&dest_url), "{dest_url}");
                }
                Event::Start(tag @ (Tag::Image { .. } | Tag::BlockQuote(_) | Tag::Emphasis | Tag::Strikethrough)) => {
                    prop_assert!(false, "{tag:?} in {markdown}");
                }
                Event::End(TagEnd::Heading(_)) => headings += 1,
                _ => {}
            }
        }
        while let Some(section) = sections.pop() {
            headings -= 1;
            sections.extend(&section.sections);
        }
        prop_assert_eq!(headings, 0, "{}", markdown);
    }

    #[test]
    fn shell_commands_quote_the_catalog(texts in prop::collection::vec(text(), 1..40)) {
        let offering = offering(&texts);
        let mut sections = vec![document(&[&offering])];
        while let Some(section) = sections.pop() {
            for block in section.blocks {
                let Block::Samples(Language::Shell, samples) = block else { continue };
                for sample in samples {
                    prop_assert!(!sample.title.contains(['\n', '\r']), "{:?}", sample.title);
                    prop_assert!(is_quoted(&sample.text), "{}", sample.text);
                }
            }
            sections.extend(section.sections);
        }
    }

    #[test]
    fn openapi_is_valid_json(texts in prop::collection::vec(text(), 1..40)) {
        let offering = offering(&texts);
        let text = openapi::openapi(&[&offering], "").to_string();
        prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
    }
}
