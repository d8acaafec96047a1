//! Dashboard clients lack arguments, or have a long id, a wrong `redirect_uri` or, in place of the name of a variable, a secret.

use osb_runtime::prelude::*;

include!("../handlers.rs");

plans!(Free, Free2, Free3, Free4, Free5, Free6, Free7, Free8, Free9, Free10);

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free), dashboard_client())]
pub struct Empty;

/// A store.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02",
    name = "kv",
    plans(Free2),
    dashboard_client(
        id = "kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-",
        secret_env = "KV_DASHBOARD_SECRET",
        redirect_uri = "https://kv.example.com",
    ),
)]
pub struct Long;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "kv", plans(Free3), dashboard_client(id = "kv", secret_env = "KV_SECRET", redirect_uri = "dashboard"))]
pub struct Url;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "kv", plans(Free4), dashboard_client(id = "kv", secret_env = "KV_SECRET", redirect_uri = "https://example.com/#/done"))]
pub struct Fragment;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "kv", plans(Free5), dashboard_client(id = "kv", secret_env = "", redirect_uri = "https://example.com"))]
pub struct Blank;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "kv", plans(Free6), dashboard_client(id = "kv", secret_env = "KV_SECRET=abc", redirect_uri = "https://example.com"))]
pub struct Pair;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "kv", plans(Free7), dashboard_client(id = "kv", secret_env = "$KV_SECRET", redirect_uri = "https://example.com"))]
pub struct Dollar;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "kv", plans(Free8), dashboard_client(id = "kv", secret_env = "s3cr3t-Passw0rd!", redirect_uri = "https://example.com"))]
pub struct Value;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a09", name = "kv", plans(Free9), dashboard_client(id = "kv", secret = "s3cr3t", redirect_uri = "https://example.com"))]
pub struct Secret;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a10", name = "kv", plans(Free10), dashboard_client(id = "kv", secret_env = "KV_SECRET"))]
pub struct Redirect;

fn main() {}
