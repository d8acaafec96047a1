//! The services of one program, together.

use std::sync::Arc;

use super::{MountedPlan, Service};
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

/// A service's place in a broker, for the macro: asks that a field is a service.
#[doc(hidden)]
#[must_use]
pub const fn offering<S: Service>() -> &'static Offering {
    &S::OFFERING
}
