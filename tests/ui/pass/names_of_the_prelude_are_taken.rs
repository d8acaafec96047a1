//! Generated code depends on no name that is in scope.

#![no_implicit_prelude]
#![deny(warnings)]
#![allow(dead_code, non_camel_case_types)]

::core::include!("../handlers.rs");

mod core {}
mod std {}
mod serde {}
struct Option;
struct Some;
struct None;
struct Result;
struct Vec;
struct Arc;
struct Send;
struct Plan;
struct Service;
struct Broker;
struct Offering;
struct bool;
struct u8;
struct str;
struct usize;

/// A store.
#[::osb_runtime::service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv",
    plans(Free, Pro),
    changes(Free => Pro),
    tags("kv"),
    metadata(display_name = "Store", shareable),
    dashboard_client(id = "kv", secret_env = "KV", redirect_uri = "https://example.com"),
    bindings_retrievable,
)]
struct Kv;

provisions!(Kv);

const SIZE: ::core::primitive::u8 = 3;
const COLOR: &::core::primitive::str = "red";
const IS_EMPTY: ::core::primitive::bool = true;

/// The parameters of a new store.
#[::osb_runtime::parameters]
struct New {
    /// The size.
    #[param(default = SIZE, range(max = SIZE))]
    size: ::core::primitive::u8,
    /// The colour.
    #[param(default = COLOR)]
    color: ::std::string::String,
    /// True for a store that begins empty.
    #[param(default = IS_EMPTY)]
    is_empty: ::core::primitive::bool,
}

/// 10 MB, for trying things out.
#[::osb_runtime::plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "free",
    create = New,
    bindable,
    rotatable,
    metadata(bullets("10 MB"))
)]
struct Free;

/// 1 GB, billed monthly.
#[::osb_runtime::plan(
    id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "pro",
    free = false,
    update = ::osb_runtime::schema::NoParameters,
    maintenance_info(version = "1.0.0", description = "A restart."),
    metadata(costs((usd = 9.90, unit = "MONTHLY"))),
)]
struct Pro;

/// The broker.
#[::osb_runtime::broker(dynamic)]
struct Brokers {
    kv: Kv,
}

binds!(Kv, Free = ::osb_runtime::service::LogDrain);
updates!(Kv, Pro);
changes!(Kv, Free => Pro);

/// Crates for databases have such a macro, and say to import all that they have.
mod of_a_database {
    macro_rules! params {
        () => {
            1
        };
    }
    pub(crate) use params;
}

mod both_globs {
    use super::of_a_database::*;
    use ::osb_runtime::prelude::*;

    fn parameters(_: &Operation) -> i32 {
        params!()
    }
}

fn main() {}
