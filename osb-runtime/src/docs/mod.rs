//! What the catalog says, for people: a page of Markdown out of the same constants, ready to be published.
//!
//! Retired plans are left out. Text from the catalog is escaped, so that a description cannot break a table or smuggle
//! HTML into the place where the page is shown.

mod escape;
mod example;
mod fields;
mod page;
#[cfg(any(feature = "tool", feature = "testing"))]
pub(crate) mod pretty;
mod table;
mod waiting;
mod words;

#[cfg(test)]
pub(crate) mod fixture;

use crate::{catalog::Offering, service::Broker};

/// The services of `B` as Markdown: plans, parameters, what a binding gives, and lines to try.
#[must_use]
pub fn markdown<B: Broker>() -> String {
    services(B::OFFERINGS)
}

fn services(offerings: &[&Offering]) -> String {
    if let [offering] = offerings {
        return page::page(offering, 1);
    }
    let mut out = "# Services\n\n".to_owned();
    for offering in offerings {
        let title = page::title(offering);
        let description = escape::text(offering.description);
        out += &format!("* [{}](#{}): {description}\n", escape::text(title), escape::anchor(title));
    }
    for offering in offerings {
        out += "\n";
        out += &page::page(offering, 2);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{fixture, services};

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
        let got = services(&[&fixture::KV]);
        assert_page("one.md", include_str!("golden/one.md"), &got);
    }

    #[test]
    fn several_services() {
        let got = services(&[&fixture::BARE, &fixture::KV]);
        assert_page("several.md", include_str!("golden/several.md"), &got);
    }

    #[test]
    fn nothing_of_the_catalog_is_html_or_a_script() {
        let page = services(&[&fixture::KV]);
        assert!(!page.contains("<script>") && !page.contains("<b>"), "{page}");
        assert!(!page.contains("](<javascript:"), "{page}");
        assert!(!page.contains("hunter2"), "secrets are not shown as examples: {page}");
        assert!(!page.contains("`old`"), "retired plans are left out: {page}");
    }
}
