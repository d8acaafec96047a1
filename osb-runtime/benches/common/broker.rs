//! A broker whose handlers do nothing, so that all that is measured is the runtime's.

use osb_runtime::prelude::*;

/// The ids, for requests and for the yardstick.
pub(crate) const SERVICE: &str = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01";
pub(crate) const PLAN: &str = "8a4a2b58-0c1d-4f6e-9a57-2f0f6b1c7d02";

/// A store of keys and values.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "store", tags("kv"), plans(Single))]
#[derive(Debug)]
pub(crate) struct Store;

/// One machine.
#[plan(
    id = "8a4a2b58-0c1d-4f6e-9a57-2f0f6b1c7d02",
    name = "single",
    create = NewStore,
    asynchronous(instances = never)
)]
#[derive(Debug)]
pub(crate) struct Single;

/// The parameters of a new store.
#[parameters]
#[derive(Debug)]
pub(crate) struct NewStore {
    /// The size in MB.
    #[param(range(min = 1, max = 65536), default = 64)]
    pub(crate) size_mb: u32,
    /// The name.
    #[param(length(min = 1, max = 40), pattern = "^[a-z][a-z0-9-]*$")]
    pub(crate) name: Option<String>,
    /// The behaviour of a full store.
    #[param(default = "refuse")]
    pub(crate) when_full: WhenFull,
    /// Copies of it.
    pub(crate) backup: Option<Backup>,
}

/// The behaviour of a full store.
#[parameters(rename_all = "snake_case")]
#[derive(Debug)]
pub(crate) enum WhenFull {
    /// Refuse writes.
    Refuse,
    /// Forget what was used least.
    Forget,
}

/// Copies of a store.
#[parameters]
#[derive(Debug)]
pub(crate) struct Backup {
    /// The number of days for which they are kept.
    #[param(range(min = 1, max = 365), default = 7)]
    pub(crate) keep_days: u16,
    /// `true` if they are encrypted.
    #[param(default = true)]
    pub(crate) encrypted: bool,
}

impl Provision<Single> for Store {
    type State = ();

    async fn provision(&self, request: ProvisionRequest<Single>, _: &Operation) -> Result<Provisioned, ProvisionError> {
        std::hint::black_box(request.parameters);
        Ok(Provisioned::new(()))
    }

    async fn deprovision(&self, request: DeprovisionRequest<Single>, _: &Operation) -> Result<(), DeprovisionError> {
        std::hint::black_box(request.parameters);
        Ok(())
    }
}

/// The broker.
#[broker]
#[derive(Debug)]
pub(crate) struct Bench {
    /// Its only service.
    pub(crate) store: Store,
}
