//! The id of a dashboard client has more than 255 characters.

use osb_runtime::prelude::*;

/// A store.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "kv",
    plans(Free),
    dashboard_client(
        id = "kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-kv-dashboard-",
        secret_env = "KV_DASHBOARD_SECRET",
        redirect_uri = "https://kv.example.com",
    ),
)]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

fn main() {}
