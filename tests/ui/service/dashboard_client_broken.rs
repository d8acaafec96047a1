//! Dashboard clients lack arguments, or have a long id, a wrong `redirect_uri` or, in place of the name of a variable, a secret.

use osb_runtime::prelude::*;

include!("../case.rs");

plans!(Free, Free2, Free3, Free4, Free5, Free6, Free7, Free8, Free9, Free10, Free11, Free12, Free13);

// Mistake: The dashboard client has no arguments.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free), dashboard_client())]
pub struct Empty;

// Mistake: The id of a dashboard client has more than 255 characters.
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

// Mistake: The dashboard client's `redirect_uri` is not a URL.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "kv", plans(Free3), dashboard_client(id = "kv", secret_env = "KV_SECRET", redirect_uri = "dashboard"))]
pub struct Url;

// Mistake: The redirect URI has a fragment.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "kv", plans(Free4), dashboard_client(id = "kv", secret_env = "KV_SECRET", redirect_uri = "https://example.com/#/done"))]
pub struct Fragment;

// Mistake: The name of the environment variable is blank.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "kv", plans(Free5), dashboard_client(id = "kv", secret_env = "", redirect_uri = "https://example.com"))]
pub struct Blank;

// Mistake: The dashboard client's secret is in place of the name of its variable.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "kv", plans(Free6), dashboard_client(id = "kv", secret_env = "KV_SECRET=abc", redirect_uri = "https://example.com"))]
pub struct Pair;

// Mistake: The name of the variable has the dollar of a shell.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "kv", plans(Free7), dashboard_client(id = "kv", secret_env = "$KV_SECRET", redirect_uri = "https://example.com"))]
pub struct Dollar;

// Mistake: The secret itself is in place of the name of its variable.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "kv", plans(Free8), dashboard_client(id = "kv", secret_env = "s3cr3t-Passw0rd!", redirect_uri = "https://example.com"))]
pub struct Value;

// Mistake: The dashboard client's secret is in the source code.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a09", name = "kv", plans(Free9), dashboard_client(id = "kv", secret = "s3cr3t", redirect_uri = "https://example.com"))]
pub struct Secret;

// Mistake: The dashboard client has no `redirect_uri`.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a10", name = "kv", plans(Free10), dashboard_client(id = "kv", secret_env = "KV_SECRET"))]
pub struct Redirect;

// Mistake: The arguments of the dashboard client have no names.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a11", name = "kv", plans(Free11), dashboard_client("kv", "KV_SECRET", "https://example.com"))]
pub struct InOrder;

// Mistake: The name of the variable begins with a digit.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a12", name = "kv", plans(Free12), dashboard_client(id = "kv", secret_env = "2ND_SECRET", redirect_uri = "https://example.com"))]
pub struct Digit;

// Mistake: The id of the dashboard client is called `client_id`.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a13", name = "kv", plans(Free13), dashboard_client(client_id = "kv", secret_env = "KV_SECRET", redirect_uri = "https://example.com"))]
pub struct ClientId;
