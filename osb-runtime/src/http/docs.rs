//! The documentation page for browsers, which don't send an API version.

use std::sync::Arc;

use http::{
    HeaderValue, Method, StatusCode,
    header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, ETAG, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS},
    request::Parts,
};

use super::{
    catalog::etag, dispatch::is_not_modified, gate, platforms::MatchedPlatform, refusal::Refusal, service::Shared,
};
use crate::{
    catalog::Offering,
    protocol::{Answer, Body, HtmlBody},
};

/// Access to the documentation page at `/docs`.
///
/// The page is at `/docs`, and at `/docs` behind the prefix of each platform. It shows the contents of the catalog with
/// examples and prices, and nothing about instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum DocsPage {
    /// The path does not exist.
    Off,
    /// The page requires the credentials of the path's platform. Without them the answer is 401, and browsers prompt
    /// for user and password.
    #[default]
    WithCredentials,
    /// The page at `/docs` is public. Behind a prefix it still requires credentials, so that strangers can't find out
    /// which prefixes exist.
    Public,
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

/// Adds the headers, with an `ETag`, so that browsers fetch the page again only when it has changed.
impl From<HtmlPage> for HtmlBody {
    fn from(HtmlPage { html, policy }: HtmlPage) -> Self {
        // `frame-ancestors` has no effect in a `<meta>` element.
        let policy = format!("{policy}; frame-ancestors 'none'");
        let header = |text: String| HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""));
        let headers = [
            (CONTENT_SECURITY_POLICY, header(policy)),
            (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
            (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
            (CACHE_CONTROL, HeaderValue::from_static("private, no-cache")),
            (ETAG, etag(html.as_bytes())),
        ];
        Self { headers: headers.into_iter().collect(), content: html.into() }
    }
}

pub(super) async fn answer(
    page: Arc<HtmlBody>,
    parts: &Parts,
    platform: &MatchedPlatform<'_>,
    shared: &Shared,
) -> Result<Answer, Refusal> {
    let is_public = shared.settings.docs == DocsPage::Public && platform.prefix.is_empty();
    if !is_public {
        gate::admit(parts, platform, &shared.settings).await?;
    }
    if !matches!(parts.method, Method::GET | Method::HEAD) {
        return Err(Refusal::Method("GET, HEAD".to_owned()));
    }
    let known = is_not_modified(&parts.headers, page.headers.get(ETAG));
    let status = if known { StatusCode::NOT_MODIFIED } else { StatusCode::OK };
    Ok(Answer { status, body: Body::Html(page), header: None })
}
