//! What the catalog says, for people: Markdown, a page of HTML, and OpenAPI out of the same constants, ready to be
//! published. The page is also what a broker serves at `/docs` ([`DocsPage`](osb_runtime::http::DocsPage)).
//!
//! Retired plans are left out. Text from the catalog is only ever text: a description cannot break a table or smuggle HTML
//! into the place where the page is shown. What stands between backticks is shown as code.

mod document;
mod example;
mod fields;
mod html;
pub mod lock;
mod markdown;
mod openapi;
mod pretty;
mod samples;
mod service;
mod waiting;
mod words;

#[cfg(test)]
#[path = "../../osb-runtime/tests/unit/catalog.rs"]
mod fixture;
#[cfg(test)]
mod hostile;

use document::{Block, Place, Section, What, Words};
use osb_runtime::catalog::{Offering, ParametersInfo};
use osb_runtime::http::HtmlPage;
use osb_runtime::json::Json;
use osb_runtime::schema::fill_foreign;
use osb_runtime::service::Broker;
pub use pretty::{catalog, pretty};

/// The services of `B` as Markdown: plans, prices, parameters, what a binding gives, and lines to copy.
///
/// ```
/// # use osb_runtime::service::Broker;
/// fn publish<B: Broker>(path: &str) -> std::io::Result<()> {
///     std::fs::write(path, osb_docs::markdown::<B>())
/// }
/// ```
#[must_use]
pub fn markdown<B: Broker>() -> String {
    markdown_of(B::OFFERINGS)
}

/// The services of `B` as one page of HTML, which says what [`markdown`] does and can be searched: with its style and its
/// script in it, nothing from elsewhere, and a policy that lets browsers run nothing else.
///
/// ```
/// # use osb_runtime::service::Broker;
/// fn publish<B: Broker>(path: &str) -> std::io::Result<()> {
///     std::fs::write(path, osb_docs::html::<B>())
/// }
/// ```
#[must_use]
pub fn html<B: Broker>() -> String {
    html_of(B::OFFERINGS)
}

/// The API of `B` as an OpenAPI 3.1 document, indented JSON: the endpoints of the Open Service Broker API that it has, and
/// in the bodies of requests the parameters that its plans take, beside their ids.
///
/// ```
/// # use osb_runtime::service::Broker;
/// fn publish<B: Broker>(path: &str) -> std::io::Result<()> {
///     std::fs::write(path, osb_docs::openapi::<B>())
/// }
/// ```
#[must_use]
pub fn openapi<B: Broker>() -> String {
    openapi_of(B::OFFERINGS)
}

/// [`markdown`] of offerings, such as those of an [effective catalog](osb_runtime::catalog::Shown::in_catalog).
#[must_use]
pub fn markdown_of(offerings: &[&Offering]) -> String {
    markdown::markdown(&document(offerings))
}

/// [`html`] of offerings.
#[must_use]
pub fn html_of(offerings: &[&Offering]) -> String {
    html::html(&document(offerings))
}

/// The page that a broker serves at `/docs`: [`html`] of the offerings in its catalog, and a policy that lets browsers run
/// nothing but the page's own script.
///
/// ```
/// let mut settings = osb_runtime::http::HttpSettings::default();
/// settings.render_docs = Some(osb_docs::page);
/// ```
#[must_use]
pub fn page(offerings: &[&Offering]) -> HtmlPage {
    HtmlPage { html: html_of(offerings), policy: html::policy() }
}

/// [`openapi`] of offerings.
#[must_use]
pub fn openapi_of(offerings: &[&Offering]) -> String {
    let document = openapi::openapi(offerings, &document(offerings).place.heading);
    pretty(&document.to_string())
}

/// The schema of parameters, as the catalog has it.
fn published(info: &ParametersInfo) -> Json {
    // Only the running program knows some.
    Json::read(info.json).unwrap_or_else(|_| fill_foreign(info.schema))
}

/// What there is to say of the services.
fn document(offerings: &[&Offering]) -> Section {
    if let [offering] = offerings {
        return service::service(offering, true);
    }
    let mut document = Section::new(What::Broker, Place::of("broker.services".to_owned(), "Services"));
    let entry = |offering: &&Offering| {
        Words::default()
            .section(service::place(offering), Words::quote(service::title(offering)))
            .text(": ")
            .and(Words::quote(offering.description))
    };
    document.blocks.push(Block::List(offerings.iter().map(entry).collect()));
    document.sections = offerings.iter().map(|offering| service::service(offering, false)).collect();
    document
}

#[cfg(test)]
mod tests {
    use super::{document, fixture, markdown::markdown};

    /// `OSB_UPDATE=1 cargo test` rewrites the file.
    fn assert_page(name: &str, expected: &str, got: &str) {
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

    #[test]
    fn nothing_of_the_catalog_is_html_or_a_script() {
        let page = markdown(&document(&[&fixture::KV]));
        assert!(!page.contains("<script>") && !page.contains("<b>"), "{page}");
        assert!(!page.contains("](<javascript:"), "{page}");
        assert!(!page.contains("hunter2"), "secrets are not shown as examples: {page}");
        assert!(!page.contains("`old`"), "retired plans are left out: {page}");
    }
}
