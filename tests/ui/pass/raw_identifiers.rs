//! Names are keywords.

use osb_runtime::prelude::*;
use serde_json::{Value, json};

include!("../handlers.rs");

mod r#mod {
    use osb_runtime::prelude::*;

    /// 10 MB, for trying things out.
    #[allow(non_camel_case_types)]
    #[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = super::NewStore, narrow(r#type(max = 8)))]
    pub struct r#type;
}

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// The kind.
    pub r#type: String,
}

/// A store.
#[allow(non_camel_case_types)]
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(r#mod::r#type))]
pub struct r#struct;

provisions!(r#struct);

/// The broker.
#[broker]
pub struct Broker {
    r#fn: r#struct,
}

pub(super) fn main() {
    let catalog: Value = serde_json::from_slice(Broker::CATALOG).expect("JSON");
    let schema = &catalog["services"][0]["plans"][0]["schemas"]["service_instance"]["create"]["parameters"];
    assert_eq!(schema["properties"]["type"]["maxLength"], json!(8), "{schema:#}");
}
