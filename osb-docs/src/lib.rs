//! Documentation of a broker's services, generated from its catalog: [Markdown](markdown()), an [HTML page](html()), and
//! an [OpenAPI document](openapi()). A broker serves the same page at `/docs` ([`DocsPage`](osb_runtime::http::DocsPage)).
//! The catalog [`lock`] reveals breaking changes between two releases.
//!
//! ```
//! # use osb_runtime::service::Broker;
//! fn publish<B: Broker>() -> std::io::Result<()> {
//!     std::fs::write("services.md", osb_docs::markdown::<B>())?;
//!     std::fs::write("openapi.json", osb_docs::openapi::<B>())
//! }
//! ```
//!
//! The commands `docs` and `lock` of every broker's program use this crate.
//!
//! Retired plans are left out. A family without plans is documented for operators, except at `/docs`. Text
//! from the catalog is always escaped: a description cannot break a table or inject HTML into the site that shows the page.
//! Text between backticks is shown as code.

mod document;
mod example;
mod fields;
mod html;
mod inline;
pub mod lock;
mod markdown;
mod openapi;
mod pretty;
mod samples;
mod service;
mod waiting;

#[cfg(test)]
#[path = "../../osb-catalog/tests/unit/catalog_fixture.rs"]
mod fixture;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod rare;

use document::{Anchor, Block, InlineText, Section, SectionKind};
use osb_runtime::{
    catalog::{Offering, ParametersInfo},
    http::HtmlPage,
    json::Json,
    schema::fill_foreign,
    service::Broker,
};
pub use pretty::{catalog, escaped, pretty};

/// Returns the documentation of `B` as Markdown: plans, prices, parameters, credentials, and commands to copy.
#[must_use]
pub fn markdown<B: Broker>() -> String {
    markdown_of(B::OFFERINGS)
}

/// Returns the documentation of `B` as one searchable HTML page with the content of [`markdown()`]. Style and script are
/// inline, the page loads nothing, and its Content Security Policy forbids any other script.
#[must_use]
pub fn html<B: Broker>() -> String {
    html_of(B::OFFERINGS)
}

/// Returns the API of `B` as an OpenAPI 3.1 document in indented JSON: the endpoints of the Open Service Broker API that
/// the broker serves, with request bodies that contain the ids and the parameter schemas of its plans.
#[must_use]
pub fn openapi<B: Broker>() -> String {
    openapi_of(B::OFFERINGS)
}

/// Returns [`markdown()`] for offerings, such as those that an operator has enabled.
#[must_use]
pub fn markdown_of(offerings: &[&Offering]) -> String {
    markdown::markdown(&document(offerings))
}

/// Returns [`html()`] for offerings.
#[must_use]
pub fn html_of(offerings: &[&Offering]) -> String {
    html::html(&document(offerings))
}

/// Returns the page that a broker serves at `/docs`: [`html()`] for the offerings in its catalog, and a policy that lets
/// browsers run only the page's own script.
///
/// ```
/// let mut settings = osb_runtime::http::HttpSettings::default();
/// settings.render_docs = Some(osb_docs::page);
/// ```
#[must_use]
pub fn page(offerings: &[&Offering]) -> HtmlPage {
    // Users of a running broker can't order from a family without plans.
    let served: Vec<_> = offerings.iter().map(|offering| Offering { families: &[], ..**offering }).collect();
    HtmlPage { html: html_of(&served.iter().collect::<Vec<_>>()), policy: html::policy() }
}

/// Returns [`openapi()`] for offerings.
#[must_use]
pub fn openapi_of(offerings: &[&Offering]) -> String {
    let document = openapi::openapi(offerings, &document(offerings).anchor.heading);
    pretty(&document.to_string())
}

/// Returns the parameter schema that the catalog publishes.
fn published(info: &ParametersInfo) -> Json {
    // A schema with foreign types has no constant JSON: it is completed at run time.
    Json::read(info.json).unwrap_or_else(|_| fill_foreign(info.schema))
}

fn document(offerings: &[&Offering]) -> Section {
    if let [offering] = offerings {
        return service::service(offering, true);
    }
    let mut document = Section::new(SectionKind::Broker, Anchor::of("broker.services".to_owned(), "Services"));
    let entry = |offering: &&Offering| {
        InlineText::default()
            .section(service::anchor(offering), InlineText::quote(service::title(offering)))
            .text(": ")
            .and(InlineText::quote(offering.description))
    };
    document.blocks.push(Block::List(offerings.iter().map(entry).collect()));
    document.sections = offerings.iter().map(|offering| service::service(offering, false)).collect();
    document
}

#[cfg(test)]
mod tests {
    use super::{document, fixture, markdown::markdown};

    /// `OSB_UPDATE=1 cargo test` rewrites the file.
    pub(super) fn assert_page(name: &str, expected: &str, got: &str) {
        if std::env::var_os("OSB_UPDATE").is_some() {
            let path = format!("{}/src/golden/{name}", env!("CARGO_MANIFEST_DIR"));
            std::fs::write(&path, got).expect("the golden file can be written");
        } else {
            assert_eq!(got, expected, "{name} differs; OSB_UPDATE=1 rewrites it");
        }
    }

    #[test]
    fn one_service() {
        let got = markdown(&document(&[&fixture::KV]));
        assert_page("one.md", include_str!("golden/one.md"), &got);
    }

    #[test]
    fn several_services() {
        let got = markdown(&document(&[&fixture::BARE, &fixture::KV]));
        assert_page("several.md", include_str!("golden/several.md"), &got);
    }
}
