//! The handlers are for all plans with a trait, which a new plan lacks: only one error.

use osb_runtime::prelude::*;

/// A store.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "kv",
    plans(Free, Pro),
    changes(Free => Pro, Pro => Free)
)]
pub struct Kv;

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro")]
pub struct Pro;

pub trait Quota: Plan {
    const BYTES: u64;
}

impl Quota for Free {
    const BYTES: u64 = 10 << 20;
}

impl<P: Quota> Provision<P> for Kv {
    type State = u64;
    async fn provision(&self, _: ProvisionRequest<P>, _: &Operation<u64>) -> Result<Provisioned<u64>, ProvisionError> {
        Ok(Provisioned::new(P::BYTES))
    }
    async fn deprovision(&self, _: DeprovisionRequest<P, u64>, _: &Operation<u64>) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

impl<Old: Quota, New: Quota> ChangePlan<Old, New> for Kv
where
    Kv: Changes<Old, New>,
{
    async fn change_plan(
        &self,
        request: UpdateRequest<Old, New, u64>,
        _: &Operation<u64>,
    ) -> Result<Updated<u64>, UpdateError> {
        Ok(Updated::new(request.state))
    }
}

fn main() {}
