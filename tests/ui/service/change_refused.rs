//! Changes lead to a plan that requires a parameter, of another type too, shows a secret, is retired, of another service or none, or is the plan itself.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "kv",
    plans(BySize, ByText, Secret, Shown, Free, Region, Old, Own, Meant),
    changes(
        // Mistake: A plan requires a parameter that has another type in the plan from which instances can change to it.
        BySize => ByText,
        // Mistake: A change of plan shows a parameter that was secret.
        Secret => Shown,
        // Mistake: No request for a change of plan can have a parameter that the new plan requires.
        Free => Region,
        // Mistake: A change to a retired plan.
        Free => Old,
        // Mistake: A change from a plan to itself.
        Own => Own,
    ),
)]
pub struct Kv;

provisions!(Kv);
changes!(Kv, BySize => ByText);
changes!(Kv, Secret => Shown);
changes!(Kv, Free => Region);
changes!(Kv, Free => Old);
changes!(Kv, Own => Meant);

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "bysize", create = SizedStore)]
pub struct BySize;

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "bytext", create = NamedSize)]
pub struct ByText;

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "secret", create = SecretStore)]
pub struct Secret;

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "shown", create = ShownStore)]
pub struct Shown;

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "free")]
pub struct Free;

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "region", create = NewStore)]
pub struct Region;

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "old", retired)]
pub struct Old;

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "own")]
pub struct Own;

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a09", name = "meant")]
pub struct Meant;

/// A size in GB.
#[parameters]
pub struct SizedStore {
    pub size: u32,
}

/// A size, such as "5 TB".
#[parameters]
pub struct NamedSize {
    pub size: String,
}

/// A secret.
#[parameters]
pub struct SecretStore {
    #[param(secret)]
    pub password: String,
}

/// The same, not secret.
#[parameters]
pub struct ShownStore {
    #[param(secret = false)]
    pub password: String,
}

/// A required parameter.
#[parameters]
pub struct NewStore {
    pub region: String,
}

/// A queue.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02",
    name = "queue",
    plans(Small),
    changes(
        // Mistake: A change leads to a plan of another service.
        Small => Free,
        // Mistake: A change leads to a plan that the service does not offer.
        Small => Large,
    ),
)]
pub struct Queue;

provisions!(Queue);

/// 10 messages.
#[plan(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "small")]
pub struct Small;

/// Of no service.
#[plan(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "large")]
pub struct Large;

#[broker]
pub struct Broker(Kv, Queue);
