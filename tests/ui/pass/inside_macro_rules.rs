//! Everything is written by a `macro_rules!`, out of fragments.

#![deny(warnings)]

use osb_runtime::{prelude::*, schema::decode};

include!("../handlers.rs");

// rustfmt moves the arguments of attributes further to the right each time.
#[rustfmt::skip]
macro_rules! offering {
    (
        $service:ident, $name:literal, $doc:expr, $plan:ident, $other:path, $plan_name:literal, $free:literal,
        $create:ty, $amount:literal, $unit:literal, $key:literal, $lint:ident, $at:path,
        $mode:ident, $duration:literal
    ) => {
        #[doc = $name]
        #[service(
            id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
            name = $name,
            plans($plan, $other),
            changes($plan => $other),
            tags($name),
            metadata(display_name = $name, shareable = $free, $key: $name),
            crate = $at,
        )]
        pub struct $service;

        #[plan(
            id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01",
            name = $plan_name,
            description = $doc,
            free = $free,
            create = $create,
            asynchronous(instances = $mode),
            maximum_polling_duration = $duration,
            metadata(bullets($plan_name), costs((usd = $amount, unit = $unit))),
            extensions($key: $amount),
            crate = $at,
        )]
        #[allow(deprecated)]
        pub struct $plan;

        provisions!($service);

        changes!($service, $plan => $other);

        /// The broker.
        #[broker(dynamic, deny($lint), crate = $at)]
        pub struct Broker {
            service: $service,
        }
    };
}

/// 1 GB, billed monthly.
#[plan(id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "pro", free = false)]
pub struct Pro;

offering!(
    Kv,
    "kv",
    "10 MB, for trying things out.",
    Free,
    self::Pro,
    "free",
    false,
    NoParameters,
    9.90,
    "MONTHLY",
    "acme:x",
    lowercase_names,
    ::osb_runtime,
    always,
    "2h"
);

macro_rules! parameters {
    ($name:ident, $changes:ident, $field:ident: $ty:ty, $max:literal, $default:literal, $other:ident: $other_ty:ty = $list:expr) => {
        /// Parameters.
        #[parameters(partial = $changes)]
        #[derive(Debug, Clone)]
        pub struct $name {
            /// A number.
            #[param(range(min = 1, max = $max), default = $default, example = $max)]
            pub $field: $ty,
            /// A list.
            #[param(items(length(max = $max)), default = $list)]
            pub $other: Vec<$other_ty>,
        }
    };
}

parameters!(NewStore, Changes, ttl: u32, 86_400, 3_600, tags: String = ["new"]);

macro_rules! optional {
    ($name:ident, $field:ident: $ty:ty) => {
        /// Parameters.
        #[parameters]
        #[derive(Debug)]
        pub struct $name {
            /// A text.
            pub $field: $ty,
        }
    };
}

optional!(Labelled, label: Option<String>);

pub(super) fn main() {
    let labelled: Labelled = decode(&serde_json::json!({})).expect("the label is optional");
    assert_eq!(labelled.label, None);
    let new = NewStore { ttl: 1, tags: Vec::new() };
    let changes = Changes { ttl: Change::Reset, tags: Change::Keep };
    assert!(format!("{new:?}{changes:?}").contains("Reset"));
}
