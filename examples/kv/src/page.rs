//! The dashboard of a store: a page at an unguessable URL, with statistics and the prefix.

use bytes::Bytes;
use http::{
    HeaderValue, Response, StatusCode,
    header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY},
};
use http_body_util::Full;

use crate::stores::Store;

/// Returns the page of a store, or a 404.
pub(crate) fn answer(store: Option<&Store>) -> Response<Full<Bytes>> {
    let (status, html) = match store {
        Some(store) => (StatusCode::OK, page("Key-value store", &about(store))),
        None => {
            let text = "<p>There is no store here: it is still being created, or has been deleted.</p>";
            (StatusCode::NOT_FOUND, page("No store", text))
        }
    };
    let mut answer = Response::new(Full::from(html));
    *answer.status_mut() = status;
    for (name, value) in [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
        // The URL grants access to the page.
        (REFERRER_POLICY, "no-referrer"),
    ] {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}

fn about(store: &Store) -> String {
    let (bytes, quota) = (store.bytes, store.terms.quota);
    let prefix = if store.prefix.is_empty() { "anything".to_owned() } else { escape(&store.prefix) };
    let rows = [
        ("Plan", escape(&store.terms.plan)),
        ("Keys", store.entries.to_string()),
        ("Keys begin with", prefix),
        ("Keys expire after", format!("{} s", store.terms.ttl)),
        ("Used", format!("<meter max=\"{quota}\" value=\"{bytes}\"></meter> {} of {}", amount(bytes), amount(quota))),
    ];
    let rows: String = rows.iter().map(|(name, value)| format!("<tr><th>{name}</th><td>{value}</td></tr>\n")).collect();
    format!(
        "<table>\n{rows}</table>\n\
         <p>With <code>uri</code> and <code>token</code> from the credentials of a binding:</p>\n\
         <pre>curl -H \"Authorization: Bearer $TOKEN\" -X PUT --data-binary hello \"$URI/keys/greeting\"\n\
         curl -H \"Authorization: Bearer $TOKEN\" \"$URI/keys/greeting\"\n\
         curl -H \"Authorization: Bearer $TOKEN\" \"$URI/keys?limit=10\"</pre>\n"
    )
}

fn page(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>body {{ font-family: sans-serif; margin: 2em; }} th {{ text-align: left; padding-right: 2em; }}</style>\n\
         </head>\n<body>\n<h1>{title}</h1>\n{body}</body>\n</html>\n"
    )
}

/// Formats a number of bytes, rounded down.
fn amount(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

/// Escapes text for HTML.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::about;
    use crate::stores::{Store, Terms};

    #[test]
    fn user_input_is_escaped() {
        let page = about(&Store {
            owner: crate::stores::Owner { platform: "not shown".to_owned(), instance: "not shown".to_owned() },
            terms: Terms { plan: "free".to_owned(), quota: 10_000_000, ttl: 60 },
            prefix: "<script>&\"'".to_owned(),
            page: "not shown".to_owned(),
            entries: 3,
            bytes: 1_234,
        });
        assert!(page.contains("&lt;script&gt;&amp;&quot;&#39;"), "{page}");
        assert!(page.contains("1 kB of 10 MB") && page.contains("<td>60 s</td>"), "{page}");
        assert!(!page.contains("not shown"), "{page}");
    }
}
