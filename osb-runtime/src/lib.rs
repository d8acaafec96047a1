//! Write service brokers for the [Open Service Broker API](https://www.openservicebrokerapi.org) as annotated Rust
//! types: the compiler checks the catalog, and the runtime implements the protocol.
//!
//! A broker consists of
//!
//! * **plans**, structs with [`#[plan]`](macro@plan), and the parameters they take, structs with
//!   [`#[parameters]`](macro@parameters);
//! * **services**, structs with [`#[service]`](macro@service), which list their plans and implement the operations:
//!   [`Provision`](service::Provision) for every plan, and [`Bind`](service::Bind), [`Update`](service::Update) and
//!   [`ChangePlan`](service::ChangePlan) where the attributes declare them;
//! * one struct with [`#[broker]`](macro@broker), whose fields are the services.
//!
//! `osb_tool::run` turns the broker into a command-line program that serves it and prints its catalog, schemas and
//! documentation. [`http::BrokerService`] is the same broker as a `tower::Service`, for use in an existing program.
//!
//! The [guide](https://docs.rs/osb-tool/latest/osb_tool/guide/) explains everything from a first broker to operation.
//!
//! ```no_run
//! use osb_runtime::prelude::*;
//!
//! /// A greeting for each application that is bound to it.
//! #[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "greeting", plans(Polite))]
//! struct Greeting;
//!
//! /// One greeting, in one language.
//! #[plan(id = "8a4a2b58-0c1d-4f6e-9a57-2f0f6b1c7d02", name = "polite", create = NewGreeting, bindable)]
//! struct Polite;
//!
//! /// Parameters of a new greeting.
//! #[parameters]
//! struct NewGreeting {
//!     /// The text of the greeting.
//!     #[param(length(min = 1, max = 80), default = "Good day")]
//!     words: String,
//! }
//!
//! /// The credentials of an application.
//! #[credentials]
//! struct GreetingAccess {
//!     /// The text of the greeting.
//!     words: String,
//! }
//!
//! impl Provision<Polite> for Greeting {
//!     type State = ();
//!     async fn provision(&self, _: ProvisionRequest<Polite>, _: &Operation) -> Result<Provisioned, ProvisionError> {
//!         Ok(Provisioned::new(()))
//!     }
//!     async fn deprovision(&self, _: DeprovisionRequest<Polite>, _: &Operation) -> Result<(), DeprovisionError> {
//!         Ok(())
//!     }
//! }
//!
//! impl Bind<Polite> for Greeting {
//!     type Output = Credentials<GreetingAccess>;
//!     type BindingState = ();
//!     async fn bind(&self, request: BindRequest<Polite, ()>, _: &Operation) -> Result<Bound<Self::Output>, BindError> {
//!         Ok(Bound::new(Credentials(GreetingAccess { words: request.instance_parameters.words }), ()))
//!     }
//!     async fn unbind(&self, _: UnbindRequest<Polite, ()>, _: &Operation) -> Result<(), UnbindError> {
//!         Ok(())
//!     }
//! }
//!
//! #[broker]
//! struct Greetings(Greeting);
//!
//! # mod osb_tool { // A crate of its own, which depends on this one.
//! #     pub fn run<B>(_: impl AsyncFnOnce(()) -> Result<B, std::io::Error>) -> std::process::ExitCode { 0.into() }
//! # }
//! fn main() -> std::process::ExitCode {
//!     osb_tool::run(async |()| Ok(Greetings(Greeting)))
//! }
//! ```
//!
//! # What the compiler checks
//!
//! The catalog, JSON Schemas included, is a constant: [`Broker::CATALOG`](service::Broker::CATALOG) exists when
//! `cargo check` ends. A catalog that the specification forbids or Cloud Foundry rejects does not compile. Neither does
//! a catalog that declares a capability without an implementation, or an implementation of an undeclared capability.
//! The error points at the author's own code and says what to write instead; [`mistakes`] lists all errors. A violated
//! recommendation of the specification is a warning, which `#[allow(deprecated)]` on the item silences.
//!
//! # What the runtime does
//!
//! The runtime implements all of OSBAPI 2.17 and accepts the requests of older platforms back to 2.2. A handler is one
//! `async fn`; the runtime takes care of everything around it:
//!
//! * **Idempotency and conflicts.** Of several equal requests, one runs the handler, and the others get its answer. A
//!   different request for an existing id is a conflict (409). Concurrent operations on one resource get a
//!   `ConcurrencyError`. [`lifecycle::transitions`] lists the meaning of each request in each phase.
//! * **Asynchronous operations.** A platform that accepts them gets a 202 after a short wait, and polls; any other
//!   platform waits for the result or for a deadline. The handler is the same for both: it reports its
//!   [progress](service::Operation::progress) and saves [checkpoints](service::Operation::checkpoint).
//! * **Failures.** The runtime rolls back a creation that fails, panics or times out. A deletion cancels a running
//!   creation and removes its leftovers. [Temporary](service::ProvisionError::temporary) errors are retried. If a
//!   process dies, another one with the same records takes over its operations.
//! * **Releases.** Instances outlive the types they were created with: see [when types
//!   change](mod@service#when-types-change). The lock file of `osb-docs` reports the changes in a release that would break
//!   platforms or users.
//! * **Platforms.** Several can share a broker, each with its own credentials and instances ([`http::Platforms`]).
//!
//! [`lifecycle::Settings`] has the timeouts, limits and policies; [`store::Records`] stores the runtime's state.
//!
//! # Features
//!
//! | feature | default | addition |
//! | --- | --- | --- |
//! | `macros` | yes | the attributes |
//! | `tls` | no | `http::Listener::with_tls`, by rustls and ring |
//! | `failpoints` | no | `OSB_FAILPOINT` lets the process die at a chosen place, for crash tests of this project |

// The code that the macros generate names `osb_runtime`, even in this crate.
extern crate self as osb_runtime;

pub mod catalog {
    //! The catalog as constants: its model, and the overrides of a deployment, which [`Settings`](crate::lifecycle::Settings)
    //! take.

    #[doc(inline)]
    pub use osb_catalog::{
        Asynchronous, DashboardClient, Decoded, EffectiveCatalog, Hashes, Maintenance, Member, Mode, Offering,
        OfferingJson, Overrides, ParametersInfo, PlanChange, PlanInfo, PlanJson, PlanNames, PlanSpec, Requires,
        StartError, StateInfo, StateTypes,
    };
    // Under this path the compiler's warnings name it.
    #[doc(hidden)]
    pub use osb_catalog::__private::Warning;
}
#[cfg(feature = "failpoints")]
pub mod failpoint;
#[cfg(not(feature = "failpoints"))]
mod failpoint;
pub mod http;
pub mod json;
pub mod lifecycle;
#[cfg(doc)]
pub mod mistakes {
    #![doc = include_str!("mistakes.md")]
    #![expect(rustdoc::bare_urls, reason = "they are quoted from messages, which show wrong ones")]
}
pub mod prelude;
pub mod protocol;
pub mod service;
pub mod store;

#[doc(inline)]
pub use osb_catalog::schema;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

#[cfg(feature = "macros")]
#[doc = include_str!("macros/broker.md")]
pub use osb_macros::broker;
#[cfg(feature = "macros")]
#[doc = include_str!("macros/credentials.md")]
pub use osb_macros::credentials;
#[cfg(feature = "macros")]
#[doc = include_str!("macros/parameters.md")]
pub use osb_macros::parameters;
#[cfg(feature = "macros")]
#[doc = include_str!("macros/plan.md")]
pub use osb_macros::plan;
#[cfg(feature = "macros")]
#[doc = include_str!("macros/service.md")]
pub use osb_macros::service;
