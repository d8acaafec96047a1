//! Brokers name the same service by its name, an alias and paths.
#![deny(warnings)]
#![allow(dead_code)]

use osb_runtime::{broker, service::Broker as _};

mod files {
    use osb_runtime::prelude::*;

    include!("../handlers.rs");

    /// Files.
    #[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "files", plans(Small))]
    pub(super) struct Files;

    /// Small.
    #[plan(id = "8a4a2b58-0c1d-4f6e-9a57-2f0f6b1c7d02", name = "small")]
    pub(super) struct Small;

    provisions!(Files);
}

use files::Files;

type Alias = Files;

#[broker]
struct ByName(Files);

#[broker]
struct ByAlias {
    files: Alias,
}

#[broker]
struct ByPath(self::files::Files);

#[broker]
struct ByModule(files::Files);

pub(super) fn main() {
    #[broker]
    struct Inside(Alias);

    for catalog in [ByAlias::CATALOG, ByPath::CATALOG, ByModule::CATALOG, Inside::CATALOG] {
        assert_eq!(catalog, ByName::CATALOG);
    }
}
