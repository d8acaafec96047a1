//! Plans are misspelt in the list, in a change, or by their module, or do not exist, which the compiler reports: no other error about the changes.

use osb_runtime::prelude::*;

include!("../case.rs");

plans!(Free, Pro, Free2, Pro2, Free3);

pub mod plans {
    plans!(Small, Large);
}

// Mistake: A plan is misspelt in `plans`, but not in `changes`.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pros), changes(Free => Pro))]
pub struct Listed;

// Mistake: A plan is misspelt in `changes`, but not in `plans`.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "kv", plans(Free2, Pro2), changes(Free2 => Prod2, Prod2 => Free2))]
pub struct Changed;

// Mistake: The module of a plan is misspelt in `plans`, but not in `changes`.
/// A store.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03",
    name = "kv",
    plans(plans::Small, plan::Large),
    changes(plans::Small => plans::Large),
)]
pub struct Moved;

// Mistake: A listed type does not exist.
/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "queue", plans(plans::Fre))]
pub struct Queue;

// Mistake: A service has a plan that does not exist, and a change to it.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "kv", plans(Free3, Prro), changes(Free3 => Prro))]
pub struct Both;

provisions!(Listed, Changed, Moved, Queue, Both);
changes!(Listed, Free => Pro);
changes!(Changed, Free2 => Pro2);
changes!(Moved, plans::Small => plans::Large);

#[broker]
pub struct Broker(Listed, Changed, Moved, Queue, Both);
