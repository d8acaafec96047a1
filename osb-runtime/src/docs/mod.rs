//! What the catalog says, for people: Markdown, a page of HTML, and OpenAPI out of the same constants, ready to be
//! published. The page is also what a broker serves at `/docs` ([`DocsPage`](crate::http::DocsPage)).
//!
//! Retired plans are left out. Text from the catalog is only ever text: a description cannot break a table or smuggle HTML
//! into the place where the page is shown. What stands between backticks is shown as code.

mod document;
mod example;
mod fields;
mod html;
mod markdown;
mod openapi;
pub(crate) mod pretty;
mod samples;
mod service;
mod waiting;
mod words;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod hostile;

use serde_json::Value;

use crate::{
    catalog::{Offering, ParametersInfo},
    schema::fill_foreign,
    service::Broker,
};
use document::{Block, Place, Section, What, Words};
pub(crate) use html::policy;

/// The services of `B` as Markdown: plans, prices, parameters, what a binding gives, and lines to copy.
///
/// ```
/// # use osb_runtime::{docs, service::Broker};
/// fn publish<B: Broker>(path: &str) -> std::io::Result<()> {
///     std::fs::write(path, docs::markdown::<B>())
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
/// # use osb_runtime::{docs, service::Broker};
/// fn publish<B: Broker>(path: &str) -> std::io::Result<()> {
///     std::fs::write(path, docs::html::<B>())
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
/// # use osb_runtime::{docs, service::Broker};
/// fn publish<B: Broker>(path: &str) -> std::io::Result<()> {
///     std::fs::write(path, docs::openapi::<B>())
/// }
/// ```
#[must_use]
pub fn openapi<B: Broker>() -> String {
    openapi_of(B::OFFERINGS)
}

/// The same of services as an operator has them shown; so the next two.
pub(crate) fn markdown_of(offerings: &[&Offering]) -> String {
    markdown::markdown(&document(offerings))
}

pub(crate) fn html_of(offerings: &[&Offering]) -> String {
    html::html(&document(offerings))
}

pub(crate) fn openapi_of(offerings: &[&Offering]) -> String {
    let document = openapi::openapi(offerings, &document(offerings).place.heading);
    pretty::pretty(&document.to_string())
}

/// The schema of parameters, as the catalog has it.
fn published(info: &ParametersInfo) -> Value {
    // Only the running program knows some.
    serde_json::from_slice(info.json).unwrap_or_else(|_| fill_foreign(info.schema))
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
            let path = format!("{}/src/docs/golden/{name}", env!("CARGO_MANIFEST_DIR"));
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
