//! The services of one program, together.

use std::sync::Arc;

use super::{Mounted, MountedPlan, Service};
use crate::catalog::Offering;

/// A broker: implemented by `#[broker]` on a struct whose fields are services.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a broker",
    label = "not a broker",
    note = "put `#[broker]` on a struct whose fields are the services"
)]
pub trait Broker: Sized + Send + Sync + 'static {
    /// What it offers.
    const OFFERINGS: &'static [&'static Offering];

    /// The catalog, as JSON. Complete unless the broker is dynamic or a service has a dashboard client, whose secret
    /// comes from the environment.
    const CATALOG: &'static [u8];

    /// The catalog as text.
    const CATALOG_JSON: &'static str = match core::str::from_utf8(Self::CATALOG) {
        Ok(text) => text,
        Err(_) => panic!("the catalog is made of strings"),
    };

    /// Whether schemas are missing from the constant, to be put in at start-up.
    const DYNAMIC: bool;

    #[doc(hidden)]
    fn mount(self: Arc<Self>) -> Vec<Vec<Arc<dyn MountedPlan>>>;
}

/// A service in a broker: what the catalog says of it, and how to get at it.
#[doc(hidden)]
pub struct Part<B: 'static> {
    pub offering: &'static Offering,
    pub json: &'static [u8],
    field: &'static dyn Mount<B>,
}

impl<B: Send + Sync> Part<B> {
    /// The one place that asks for the field to be a service.
    pub const fn of<S: Service>(field: &'static Field<B, S>) -> Self {
        Self { offering: &S::OFFERING, json: S::JSON, field }
    }
}

/// The service's place in the broker.
#[doc(hidden)]
pub struct Field<B, S>(pub fn(&B) -> &S);

trait Mount<B>: Sync {
    fn mount(&self, broker: &Arc<B>) -> Vec<Arc<dyn MountedPlan>>;
}

impl<B: Send + Sync + 'static, S: Service> Mount<B> for Field<B, S> {
    fn mount(&self, broker: &Arc<B>) -> Vec<Arc<dyn MountedPlan>> {
        Mounted::all(broker, self.0)
    }
}

#[doc(hidden)]
pub fn mount<B>(broker: &Arc<B>, parts: &[Part<B>]) -> Vec<Vec<Arc<dyn MountedPlan>>> {
    parts.iter().map(|part| part.field.mount(broker)).collect()
}
