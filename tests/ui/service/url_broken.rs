//! URLs are relative, have no scheme, a port that is not a number, a character that is to be percent-encoded, or a `data:` URL without data.

use osb_runtime::prelude::*;

include!("../case.rs");

plans!(Free, Free2, Free3, Free4, Free5, Free6, Free7, Free8, Free9);

provisions!(Port, DashboardPort);

// Mistake: The documentation URL has a letter that must be percent-encoded.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free), metadata(documentation_url = "https://example.com/aperçu"))]
pub struct Accent;

// Mistake: The fragment of the URL has brackets, which only an IPv6 address can have.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "kv", plans(Free2), metadata(documentation_url = "https://[2001:db8::1]/faq#users[0]"))]
pub struct Brackets;

// Mistake: The URL of the documentation has no scheme.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "kv", plans(Free3), metadata(documentation_url = "docs.example.com/kv"))]
pub struct Schemeless;

// Mistake: A `data:` URL has no data.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "kv", plans(Free4), metadata(image_url = "data:image/png;base64"))]
pub struct Data;

// Mistake: The URL of the image is relative.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "kv", plans(Free5), metadata(image_url = "/kv.png"))]
pub struct Relative;

// Mistake: A picture has a line end.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "kv", plans(Free6), metadata(image_url = "data:image/png;base64,iVBORw0K\nGgo="))]
pub struct LineEnd;

// Mistake: The support URL has a space.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "kv", plans(Free7), metadata(support_url = "https://example.com/get help"))]
pub struct Space;

// Mistake: The port of a URL is not a number.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "kv", plans(Free8), metadata(documentation_url = "https://example.com:x/"))]
pub struct Port;

/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a09", name = "queue", plans(Free9), dashboard_client(id = "queue", secret_env = "SECRET", redirect_uri = "https://example.com:y/"))]
pub struct DashboardPort;
