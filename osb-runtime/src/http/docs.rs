//! The documentation of the services, for people with a browser: it sends no version, and gets a page.

use std::sync::Arc;

use http::{
    HeaderValue, Method, StatusCode,
    header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS},
    request::Parts,
};
use sha2::{Digest, Sha256};

use super::{dispatch::is_known, gate, platforms::Place, refusal::Refusal, service::Shared};
use crate::{
    catalog::Offering,
    protocol::{Answer, Body, Page},
};

/// Who gets the page at `/docs`.
///
/// It is at `/docs`, and behind the prefix of each platform at `/docs` too. It says what the catalog says, examples and
/// prices included, and nothing of instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum DocsPage {
    /// Nobody: the path does not exist.
    Off,
    /// Whoever has credentials for the path's platform. Without, the answer is 401, and browsers ask for user and password.
    #[default]
    WithCredentials,
    /// Everybody, at `/docs`. Behind a prefix it takes credentials all the same, or a stranger could tell which prefixes
    /// there are.
    ForEverybody,
}

/// Renders the documentation of the offerings in the catalog; `osb_docs::page` does.
pub(super) type RenderDocs = fn(&[&Offering]) -> HtmlPage;

/// A page of HTML.
#[derive(Debug, Clone)]
pub struct HtmlPage {
    /// The page.
    pub html: String,
    /// Its `Content-Security-Policy`, such as `default-src 'none'`.
    pub policy: String,
}

/// With the headers of a page that browsers fetch again only when it has changed.
impl From<HtmlPage> for Page {
    fn from(HtmlPage { html, policy }: HtmlPage) -> Self {
        let etag: String = Sha256::digest(&html).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        // A `<meta>` element can't restrict framing.
        let policy = format!("{policy}; frame-ancestors 'none'");
        let header = |text: String| HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""));
        let headers = [
            (CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
            (CONTENT_SECURITY_POLICY, header(policy)),
            (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
            (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
            (CACHE_CONTROL, HeaderValue::from_static("private, no-cache")),
            (ETAG, header(format!("\"{etag}\""))),
        ];
        Self { headers: headers.into_iter().collect(), content: html.into() }
    }
}

/// Answers a request for the page.
pub(super) async fn answer(
    page: Arc<Page>,
    parts: &Parts,
    place: &Place<'_>,
    shared: &Shared,
) -> Result<Answer, Refusal> {
    let open = shared.settings.docs == DocsPage::ForEverybody && place.prefix.is_empty();
    if !open {
        gate::admit(parts, place, &shared.platforms, &shared.settings).await?;
    }
    if !matches!(parts.method, Method::GET | Method::HEAD) {
        return Err(Refusal::Method("GET, HEAD"));
    }
    let known = is_known(&parts.headers, page.headers.get(ETAG));
    let status = if known { StatusCode::NOT_MODIFIED } else { StatusCode::OK };
    Ok(Answer { status, body: Body::Page(page), header: None })
}
