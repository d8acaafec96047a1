//! A change of plan shows a parameter that was secret.
#![deny(warnings)]
use osb_runtime::prelude::*;

include!("../handlers.rs");

#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", description = "A store.", plans(Free, Pro), changes(Free => Pro))]
pub struct Kv;

#[plan(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free", description = "Free.", create = NewFreeStore)]
pub struct Free;

#[plan(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "pro", description = "Pro.", create = NewStore)]
pub struct Pro;

#[parameters]
pub struct NewFreeStore {
    /// The password.
    #[param(secret)]
    pub password: String,
}

#[parameters]
pub struct NewStore {
    /// The password.
    #[param(secret = false)]
    pub password: String,
}

provisions!(Kv);

impl ChangePlan<Free, Pro> for Kv {
    async fn change_plan(&self, _: UpdateRequest<Free, Pro, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        Ok(Updated::new(()))
    }
}

fn main() {}
