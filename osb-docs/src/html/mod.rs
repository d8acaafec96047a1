//! Writes the document as one self-contained HTML page.

mod element;

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use sha2::{Digest, Sha256};

use super::document::{Block, InlineText, Language, Piece, Sample, Section, SectionKind, Table};
use element::Html;

pub(super) const STYLE: &str = include_str!("page.css");
pub(super) const SCRIPT: &str = concat!(include_str!("check.js"), include_str!("page.js"), include_str!("form.js"));

/// Returns the Content Security Policy of the page: its own script, its own style and embedded pictures, nothing else.
pub(crate) fn policy() -> String {
    let hash = |own: &str| BASE64.encode(Sha256::digest(own));
    format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(STYLE)
    )
}

pub(super) fn html(document: &Section) -> String {
    let mut html = Html::default();
    html.element("html", &[("lang", "en")], |html| {
        html.element("head", &[], |html| head(html, document));
        html.element("body", &[], |html| body(html, document));
    });
    html.page()
}

fn head(html: &mut Html, document: &Section) {
    html.void("meta", &[("charset", "utf-8")]);
    html.void("meta", &[("http-equiv", "Content-Security-Policy"), ("content", &policy())]);
    html.void("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
    html.void("meta", &[("name", "color-scheme"), ("content", "light dark")]);
    html.void("meta", &[("name", "referrer"), ("content", "no-referrer")]);
    // Without it, browsers request `/favicon.ico`.
    html.void("link", &[("rel", "icon"), ("href", "data:,")]);
    html.leaf("title", &[], &document.anchor.heading);
    html.raw("style", STYLE);
}

fn body(html: &mut Html, document: &Section) {
    html.leaf("a", &[("class", "skip"), ("href", "#content")], "Skip to the services");
    html.element("header", &[], |html| {
        html.leaf("a", &[("class", "home"), ("href", "#top")], &document.anchor.heading);
        // Hidden until the script runs, as the search needs it.
        html.element("search", &[("id", "search"), ("hidden", "")], |html| {
            html.leaf("label", &[("for", "query")], "Search");
            let help = "Services, plans and parameters";
            let query = [("id", "query"), ("type", "search"), ("autocomplete", "off"), ("spellcheck", "false")];
            html.void("input", &[&query[..], &[("placeholder", help)]].concat());
            html.leaf("p", &[("id", "found"), ("role", "status"), ("aria-live", "polite")], "");
        });
    });
    html.element("nav", &[("aria-label", "Services and plans")], |html| navigation(html, document));
    html.element("main", &[("id", "content"), ("tabindex", "-1")], |html| {
        section(html, document, 1);
        html.leaf(
            "p",
            &[("id", "nothing"), ("hidden", "")],
            "No service, plan or parameter matches all of these words.",
        );
    });
    html.leaf("p", &[("id", "copied"), ("role", "status"), ("aria-live", "polite")], "");
    html.raw("script", SCRIPT);
}

fn navigation(html: &mut Html, document: &Section) {
    let services =
        if document.kind == SectionKind::Service { std::slice::from_ref(document) } else { &document.sections[..] };
    html.element("ul", &[], |html| {
        for service in services {
            html.element("li", &[("data-for", &service.anchor.id)], |html| {
                link(html, &service.anchor.id, |html| html.text(&service.anchor.short));
                let plans = service.sections.iter().filter(|section| section.kind == SectionKind::Plan);
                html.element("ul", &[], |html| {
                    for plan in plans {
                        html.element("li", &[("data-for", &plan.anchor.id)], |html| {
                            link(html, &plan.anchor.id, |html| html.text(&plan.anchor.short));
                        });
                    }
                });
            });
        }
    });
}

fn link(html: &mut Html, id: &str, inside: impl FnOnce(&mut Html)) {
    html.element("a", &[("href", &format!("#{id}"))], inside);
}

fn section(html: &mut Html, section: &Section, level: usize) {
    let id = section.anchor.id.as_str();
    let class = match section.kind {
        SectionKind::Broker => "broker",
        SectionKind::Service => "service",
        SectionKind::Plan => "plan",
        SectionKind::Part | SectionKind::Aside => "part",
    };
    let heading = ["h1", "h2", "h3", "h4", "h5", "h6"][level.min(6) - 1];
    // A named section is a landmark for screen readers; a page should have few of them.
    let title = format!("{id}.heading");
    let named = section.kind == SectionKind::Service || section.kind == SectionKind::Plan;
    let attributes = [("id", id), ("class", class), ("aria-labelledby", title.as_str())];
    html.element("section", &attributes[..if named { 3 } else { 2 }], |html| {
        let write_heading = |html: &mut Html| {
            html.element(heading, &[("id", &title)], |html| {
                html.text(&section.anchor.short);
                if named {
                    let label = format!("Link to: {}", section.anchor.heading);
                    html.text(" ");
                    html.leaf("a", &[("class", "link"), ("href", &format!("#{id}")), ("aria-label", &label)], "#");
                }
            });
        };
        let content = |html: &mut Html| {
            for block in &section.blocks {
                self::block(html, block);
            }
            for inner in &section.sections {
                self::section(html, inner, level + 1);
            }
        };
        if section.kind == SectionKind::Aside {
            html.element("details", &[], |html| {
                html.element("summary", &[], write_heading);
                content(html);
            });
        } else {
            write_heading(html);
            content(html);
        }
    });
}

fn block(html: &mut Html, block: &Block) {
    match block {
        Block::Picture(url) => html.void("img", &[("class", "picture"), ("src", url), ("alt", "")]),
        Block::Paragraph(words) => html.element("p", &[], |html| line(html, words)),
        Block::List(items) => html.element("ul", &[], |html| {
            for item in items {
                html.element("li", &[], |html| line(html, item));
            }
        }),
        Block::Facts(facts) => html.element("dl", &[], |html| {
            for (name, words) in facts {
                html.element("div", &[], |html| {
                    html.leaf("dt", &[], name);
                    html.element("dd", &[], |html| line(html, words));
                });
            }
        }),
        Block::Table(table) => self::table(html, table),
        Block::Form(form) => {
            let data = [("data-schema", form.schema.as_str()), ("data-command", form.command.as_str())];
            let attributes = [&[("class", "fill"), ("hidden", "")], &data[..]].concat();
            html.element("details", &attributes, |html| html.leaf("summary", &[], "Fill in the parameters"));
        }
        Block::Samples(language, samples) => {
            for sample in samples {
                self::sample(html, *language, sample);
            }
        }
    }
}

/// Writes explicit roles: on phones, the style shows tables as blocks, and some browsers then drop the implied roles.
fn table(html: &mut Html, table: &Table) {
    // Focusable, so that a table wider than the screen can be scrolled with the keyboard.
    let wide = [("class", "wide"), ("role", "group"), ("aria-label", table.caption.as_str()), ("tabindex", "0")];
    html.element("div", &wide, |html| {
        html.element("table", &[("role", "table"), ("aria-label", &table.caption)], |html| {
            html.element("thead", &[("role", "rowgroup")], |html| {
                html.element("tr", &[("role", "row")], |html| {
                    for column in &table.columns {
                        html.leaf("th", &[("scope", "col"), ("role", "columnheader")], column);
                    }
                });
            });
            html.element("tbody", &[("role", "rowgroup")], |html| {
                for row in &table.rows {
                    html.element("tr", &[("role", "row")], |html| cells(html, &table.columns, row));
                }
            });
        });
    });
}

fn cells(html: &mut Html, columns: &[&'static str], row: &[InlineText]) {
    for (i, (column, words)) in columns.iter().zip(row).enumerate() {
        if i == 0 {
            html.element("th", &[("scope", "row"), ("role", "rowheader")], |html| line(html, words));
        } else if !words.is_empty() {
            html.element("td", &[("role", "cell"), ("data-column", column)], |html| {
                html.element("span", &[], |html| line(html, words));
            });
        } else {
            html.leaf("td", &[("role", "cell")], "");
        }
    }
}

fn sample(html: &mut Html, language: Language, sample: &Sample) {
    html.element("figure", &[("class", "sample")], |html| {
        html.element("figcaption", &[], |html| {
            html.leaf("span", &[], &sample.title);
            let label = format!("Copy: {}", sample.title);
            html.leaf(
                "button",
                &[("type", "button"), ("class", "copy"), ("aria-label", &label), ("hidden", "")],
                "Copy",
            );
        });
        let language = match language {
            Language::Shell => "sh",
            Language::Json => "json",
        };
        html.element("pre", &[("role", "group"), ("tabindex", "0"), ("aria-label", &sample.title)], |html| {
            html.leaf("code", &[("data-language", language)], &sample.text);
        });
    });
}

fn line(html: &mut Html, words: &InlineText) {
    for piece in &words.0 {
        match piece {
            Piece::Text(text) => html.text(text),
            Piece::Strong(text) => html.leaf("strong", &[], text),
            Piece::Code(text) if text.trim().is_empty() => {
                html.leaf("em", &[], if text.is_empty() { "(empty)" } else { "(blank)" });
            }
            Piece::Code(text) => html.leaf("code", &[], text),
            Piece::Section(anchor, label) => link(html, &anchor.id, |html| line(html, label)),
            Piece::Web(url) => html.leaf("a", &[("href", url), ("rel", "noopener noreferrer")], url),
        }
    }
}
