//! Write service brokers for the [Open Service Broker API](https://www.openservicebrokerapi.org) as annotated Rust types:
//! the compiler reviews the catalog, and the runtime does the protocol.
//!
//! A broker is made of
//!
//! * **plans**, structs with [`#[plan]`](macro@plan), and the parameters they take, structs with
//!   [`#[parameters]`](macro@parameters);
//! * **services**, structs with [`#[service]`](macro@service), which list their plans and do the work:
//!   [`Provision`](service::Provision) for every plan, [`Bind`](service::Bind), [`Update`](service::Update) and
//!   [`ChangePlan`](service::ChangePlan) for what the attributes promise;
//! * one struct with [`#[broker]`](macro@broker), whose fields are the services.
//!
//! [`run`] makes a command-line program of it, which serves the broker and shows its catalog, schemas and documentation.
//! [`http::BrokerService`] is the same broker as a `tower::Service`, for a program that exists already.
//!
//! ```no_run
//! use osb_runtime::prelude::*;
//!
//! /// A greeting for everybody who binds to it.
//! #[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "greeting", plans(Polite))]
//! struct Greeting;
//!
//! /// One greeting, in one language.
//! #[plan(id = "8a4a2b58-0c1d-4f6e-9a57-2f0f6b1c7d02", name = "polite", create = NewGreeting, bindable)]
//! struct Polite;
//!
//! /// What to say.
//! #[parameters]
//! struct NewGreeting {
//!     /// The words.
//!     #[param(length(min = 1, max = 80), default = "Good day")]
//!     words: String,
//! }
//!
//! /// What an application gets.
//! #[credentials]
//! struct Said {
//!     /// The words.
//!     words: String,
//! }
//!
//! impl Provision<Polite> for Greeting {
//!     type State = ();
//!     async fn provision(&self, _: New<Polite>, _: &Work) -> Result<Provisioned, ProvisionError> {
//!         Ok(Provisioned::new(()))
//!     }
//!     async fn deprovision(&self, _: Remains<Polite>, _: &Work) -> Result<(), DeprovisionError> {
//!         Ok(())
//!     }
//! }
//!
//! impl Bind<Polite> for Greeting {
//!     type Output = Credentials<Said>;
//!     type State = ();
//!     async fn bind(&self, new: NewBinding<Polite, ()>, _: &Work) -> Result<Bound<Credentials<Said>>, BindError> {
//!         Ok(Bound::new(Credentials(Said { words: new.instance_parameters.words })))
//!     }
//!     async fn unbind(&self, _: BindingRemains<Polite, ()>, _: &Work) -> Result<(), UnbindError> {
//!         Ok(())
//!     }
//! }
//!
//! #[broker]
//! struct Greetings(Greeting);
//!
//! fn main() -> std::process::ExitCode {
//!     osb_tool::run(async |()| Ok(Greetings(Greeting)))
//! }
//! ```
//!
//! # What the compiler checks
//!
//! The catalog, JSON Schemas included, is a constant: [`Broker::CATALOG`](service::Broker::CATALOG) exists when
//! `cargo check` ends. What the specification forbids or Cloud Foundry refuses does not compile, and neither does a
//! catalog that promises what no code does, or code that does what the catalog does not promise. The message is at the
//! author's own words and says what to write instead; [`mistakes`] has the list. What the specification only recommends
//! is a warning, which `#[allow(deprecated)]` on the item silences.
//!
//! # What the runtime does
//!
//! OSBAPI 2.17 whole, and the requests of every older platform back to 2.2. A handler is one `async fn`, and everything
//! around it is the runtime's:
//!
//! * **Repeats and conflicts.** Of equal requests one runs the handler, and the others get its answer; different ones
//!   for the same id are conflicts; what gets in each other's way is told to come back.
//!   [`lifecycle::table`] says what each request means in each phase.
//! * **Slow work.** A platform that accepts it is answered 202 after a moment, and polls; one that does not waits until
//!   the end or a deadline. The handler doesn't see the difference: it tells of its [progress](service::Work::progress)
//!   and [saves](service::Work::checkpoint) how far it has come.
//! * **Failures.** A handler that fails, panics or takes too long is cleaned up after; a deletion cancels a creation and
//!   removes what it made; errors that are [temporary](service::ProvisionError::temporary) are tried again; what a
//!   process leaves behind that dies is taken over by another one with the same records.
//! * **Releases.** Instances outlive the types that they were made with: see [when types
//!   change](mod@service#when-types-change). [`catalog::lock`] tells what a release would break of what platforms and
//!   users rely on.
//! * **Platforms.** Several can share a broker, each with credentials and instances of its own ([`http::Platforms`]).
//!
//! [`lifecycle::Settings`] has the times, limits and policies; [`store::Records`] says where the state is kept.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `macros` | yes | the attributes |
//! | `tls` | no | `http::serve_tls`, by rustls and ring |
//! | `failpoints` | no | `OSB_FAILPOINT` lets the process die at a chosen place, for crash tests of this project |

// So that what the macros write works in this crate too.
extern crate self as osb_runtime;

pub mod catalog;
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
pub mod schema;
pub mod service;
pub mod store;

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
