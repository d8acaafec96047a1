//! One implementation serves some plans, another one a plan of its own.

use osb_runtime::prelude::*;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro, Old, Dedicated))]
pub(crate) struct Kv;

/// 10 MB, for trying things out.
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "free",
    free = true,
    metadata(costs((usd = 1, unit = "MONTHLY"))),
)]
pub struct Free;

/// 1 GB, billed monthly.
#[plan(id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "pro", free = false)]
pub struct Pro;

/// 5 MB, no longer offered.
#[plan(id = "8a4a2b52-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "old", retired)]
pub(crate) struct Old {}

/// A machine of its own.
#[plan(id = "8a4a2b53-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "dedicated", free = false)]
struct Dedicated();

trait Quota: Plan {
    const BYTES: u64;
}
impl Quota for Free {
    const BYTES: u64 = 10 << 20;
}
impl Quota for Pro {
    const BYTES: u64 = 1 << 30;
}
impl Quota for Old {
    const BYTES: u64 = 5 << 20;
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

fn machine(id: &str) -> String {
    format!("machine-{id}")
}

impl Provision<Dedicated> for Kv {
    type State = String;
    async fn provision(
        &self,
        request: ProvisionRequest<Dedicated>,
        _: &Operation<String>,
    ) -> Result<Provisioned<String>, ProvisionError> {
        Ok(Provisioned::new(machine(&request.instance_id)))
    }
    async fn deprovision(
        &self,
        _: DeprovisionRequest<Dedicated, String>,
        _: &Operation<String>,
    ) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

/// The broker.
#[broker]
struct Broker(Kv);

pub(super) fn main() {
    let catalog = Broker::CATALOG_JSON;
    assert!(catalog.contains("\"dedicated\"") && !catalog.contains("\"old\""), "{catalog}");
    let _ = Broker(Kv).0;
}
