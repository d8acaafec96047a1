//! The page for operators: the lists with filters, and actions after a confirmation. It has no data of its own, and reads
//! them by the interface that it belongs to.

use std::sync::{Arc, LazyLock};

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use sha2::{Digest, Sha256};

use crate::{http::HtmlPage, protocol::HtmlBody};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page with its headers.
pub(super) static PAGE: LazyLock<Arc<HtmlBody>> = LazyLock::new(|| {
    let html = concat!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
        "<meta name=\"color-scheme\" content=\"light dark\">\n",
        // Without it, browsers request `/favicon.ico`.
        "<link rel=\"icon\" href=\"data:,\">\n",
        "<title>Administration</title>\n<style>",
        include_str!("page.css"),
        "</style>\n</head>\n<body>\n",
        include_str!("page.html"),
        "<script>",
        include_str!("page.js"),
        "</script>\n</body>\n</html>\n"
    );
    let hash = |own: &str| BASE64.encode(Sha256::digest(own));
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; connect-src 'self'; img-src data:; \
         base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(STYLE)
    );
    Arc::new(HtmlPage { html: html.to_owned(), policy }.into())
});
