//! The parameters of a create are the type of an update, or those of a binding or the values of a family have one inside.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "queue", plans(Small, Sized, Large))]
pub struct Queues;

provisions!(Queues);
updates!(Queues, Large);

// Mistake: A parameter of a binding has the type of an update inside.
/// Small.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "small", bind = NewUser)]
pub struct Small;

// Mistake: The type of an update stands in `create` too, and no handler uses it.
/// Large.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "large", create = LimitChanges, update = LimitChanges)]
pub struct Large;

// Mistake: A value of a family has the type of an update inside.
/// A family.
#[plan(name = "sized", family = Values)]
pub struct Sized;

/// The values of a plan.
#[parameters]
pub struct Values {
    /// Limits of the plan.
    pub limits: LimitChanges,
}

impl Bind<Small> for Queues {
    type Output = LogDrain;
    type BindingState = u32;
    async fn bind(&self, request: BindRequest<Small, (), u32>, _: &Operation<u32>) -> Result<Bound<LogDrain, u32>, BindError> {
        let messages = request.parameters.limits.messages;
        Ok(Bound::new(LogDrain::from_static("syslog-tls://logs.example.com:6514"), messages))
    }
    async fn unbind(&self, _: UnbindRequest<Small, (), u32>, _: &Operation<u32>) -> Result<(), UnbindError> {
        Ok(())
    }
}

/// The parameters of a binding.
#[parameters]
pub struct NewUser {
    /// Limits of the user.
    pub limits: LimitChanges,
}

/// Limits.
#[parameters(partial = LimitChanges)]
pub struct Limits {
    /// Number of messages.
    #[param(default = 1_000)]
    pub messages: u32,
}
