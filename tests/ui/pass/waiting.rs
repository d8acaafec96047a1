//! Each way to say how long platforms wait for a plan.

#![deny(warnings)]

use osb_runtime::{
    catalog::{Asynchronous, Mode},
    prelude::*,
};

include!("../handlers.rs");

/// A store whose bindings cannot be fetched: unless they are always asynchronous, they are made synchronously.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "kv",
    plans(Adaptive, Slow, Quick),
    bindings_retrievable = false
)]
pub struct Kv;

provisions!(Kv);

/// Nothing is said.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "adaptive", bindable)]
pub struct Adaptive;

/// One of the two is said.
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02",
    name = "slow",
    bindable,
    asynchronous(instances = always),
    maximum_polling_duration = 7_200
)]
pub struct Slow;

/// Both are said.
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03",
    name = "quick",
    bindable,
    asynchronous(instances = never, bindings = never)
)]
pub struct Quick;

binds!(Kv, Adaptive = LogDrain, Slow = LogDrain, Quick = LogDrain);

/// A service of its own, whose bindings can be fetched.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "kv2", plans(Hours))]
pub struct Kv2;

provisions!(Kv2);

/// Durations of hours are written in hours.
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04",
    name = "hours",
    bindable,
    asynchronous(bindings = always),
    maximum_polling_duration = "2h"
)]
pub struct Hours;

binds!(Kv2, Hours = LogDrain);

pub(super) fn main() {
    assert_eq!(Adaptive::SPEC.asynchronous, Asynchronous::ADAPTIVE);
    assert_eq!(Adaptive::SPEC.maximum_polling_duration, None);
    assert_eq!(Slow::SPEC.asynchronous, Asynchronous { instances: Mode::Always, ..Asynchronous::ADAPTIVE });
    assert_eq!(Slow::SPEC.maximum_polling_duration, Some(7_200));
    assert_eq!(Quick::SPEC.asynchronous, Asynchronous { instances: Mode::Never, bindings: Mode::Never });
    assert_eq!(Hours::SPEC.asynchronous.bindings, Mode::Always);
    assert_eq!(Hours::SPEC.maximum_polling_duration, Some(7_200));
}
