//! Tests of URLs.

use super::{DashboardUrl, InvalidUrl};

const LITERAL: DashboardUrl = DashboardUrl::from_static("https://example.com");

#[test]
fn valid_urls_are_accepted() {
    assert_eq!(LITERAL.as_str(), "https://example.com");
    let longest = format!("https://a/{}", "x".repeat(15_990));
    for url in [
        "http://a",
        "HTTPS://a.example.com:8443/x?y=z#top",
        "https://10.0.0.1/",
        "https://[::1]:8443",
        "https://user:word@a/",
        "https://a/%C3%A9",
        "https://a_b:",
        &longest,
    ] {
        assert_eq!(DashboardUrl::new(url).map(|url| url.as_str().to_owned()).as_deref(), Ok(url));
    }
}

#[test]
fn invalid_urls_are_refused() {
    let flaw = |url: &str| DashboardUrl::new(url).map(drop).map_err(|InvalidUrl { flaw, .. }| flaw);
    for (expected, urls) in [
        ("must not be empty", &[""][..]),
        (
            "has a character that must be percent-encoded",
            &[
                " ",
                "https://a b",
                "https://a/{id}",
                "https://a/é",
                "https://a/%f",
                "https://a/%zz",
                "https://a/|",
                "https://a/^",
                "https://a/\"",
                "https://a/[1]",
                "https://a/?q=[1]",
                "https://a/#1#2",
                "https://a\n",
                "https://é/",
                "https://a/\\",
                "https://a/`",
                "https://a/<b>",
            ],
        ),
        ("must be absolute, such as `https://example.com`", &["a", "/stores/1", "//a", "https:a", "://a", "1://a"]),
        ("must be https or http", &["ftp://a", "javascript://a/%0a"]),
        (
            "has no valid host",
            &[
                "https://",
                "https:///x",
                "https://.a",
                "https://:1",
                "https://@",
                "https://a:x",
                "https://[]",
                "https://[::1",
            ],
        ),
    ] {
        for url in urls {
            assert_eq!(flaw(url), Err(expected), "{url}");
        }
    }
    assert_eq!(flaw(&format!("https://a/{}", "x".repeat(15_991))), Err("is longer than Cloud Foundry can store"));
}
