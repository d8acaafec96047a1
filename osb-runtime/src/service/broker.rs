//! The broker: all services of one program.

use std::sync::Arc;

use super::{Mounted, MountedPlan, Service};
use crate::catalog::Offering;

/// A broker. `#[broker]` implements it for a struct whose fields are services.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a broker",
    label = "not a broker",
    note = "put `#[broker]` on a struct whose fields are the services"
)]
pub trait Broker: Sized + 'static {
    /// The service offerings, in the order of the fields.
    const OFFERINGS: &'static [&'static Offering];

    /// The catalog as JSON. It is complete unless the broker is [dynamic](Self::DYNAMIC) or a service has a dashboard
    /// client, whose secret comes from the environment.
    const CATALOG: &'static [u8];

    /// The same catalog as a string.
    const CATALOG_JSON: &'static str = match core::str::from_utf8(Self::CATALOG) {
        Ok(text) => text,
        Err(_) => panic!("the catalog is not UTF-8"),
    };

    /// `true` if some schemas are missing from [`CATALOG`](Self::CATALOG) and are added at start-up.
    const DYNAMIC: bool;

    /// The version of the crate that declares the broker, from its Cargo.toml; empty if Cargo didn't build it.
    const VERSION: &'static str = "";

    #[doc(hidden)]
    fn mount(self: Arc<Self>) -> Vec<Vec<Arc<dyn MountedPlan>>>;
}

/// A service of a broker: its catalog entry, and the access to its field.
#[doc(hidden)]
pub struct ServicePart<B: 'static> {
    pub offering: &'static Offering,
    pub json: &'static [u8],
    field: &'static dyn Mount<B>,
}

impl<B> ServicePart<B> {
    /// Describes a field. This is the only place that requires `S: Service`, so that a mistake makes one error.
    pub const fn of<S: Service + 'static>(field: &'static Field<B, S>) -> Self
    where
        Field<B, S>: Mount<B>,
    {
        Self { offering: &S::OFFERING, json: S::JSON, field }
    }
}

/// A function from a broker to one of its services.
#[doc(hidden)]
pub struct Field<B, S>(pub fn(&B) -> &S);

#[doc(hidden)]
pub trait Mount<B>: Sync {
    fn mount(&self, broker: &Arc<B>) -> Vec<Arc<dyn MountedPlan>>;
}

impl<B: Send + Sync + 'static, S: Service + Sync + 'static> Mount<B> for Field<B, S> {
    fn mount(&self, broker: &Arc<B>) -> Vec<Arc<dyn MountedPlan>> {
        Mounted::all(broker, self.0)
    }
}

#[doc(hidden)]
pub fn mount<B>(broker: &Arc<B>, parts: &[ServicePart<B>]) -> Vec<Vec<Arc<dyn MountedPlan>>> {
    parts.iter().map(|part| part.field.mount(broker)).collect()
}
