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
//!     osb_runtime::run(async |()| Ok(Greetings(Greeting)))
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
//! OSBAPI 2.17, and the requests of every older platform back to 2.2, synchronously: identical requests are recognised
//! and answered without calling a handler again, different ones for the same id are conflicts, concurrent ones wait or
//! are told to come back. A handler runs on a task of its own, so that a platform that hangs up stops nothing; when it
//! fails, panics or takes too long, what it left behind is removed. State is kept in memory, and ends with the program.
//! Not there yet: asynchronous operations (202 and polling), and stores that last.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `macros` | yes | the attributes |
//! | `tool` | yes | [`run`]: the command line and its log, by clap and tracing-subscriber |
//! | `testing` | no | `testing`: an in-process client, and the catalog held against a golden file |

// So that what the macros write works in this crate too.
extern crate self as osb_runtime;

pub mod catalog;
pub mod docs;
pub mod http;
mod lifecycle;
#[cfg(doc)]
pub mod mistakes {
    #![doc = include_str!("mistakes.md")]
    #![expect(rustdoc::bare_urls, reason = "they are quoted from messages, which show wrong ones")]
}
pub mod prelude;
pub mod protocol;
pub mod rules;
pub mod schema;
pub mod service;
mod store;
#[cfg(feature = "testing")]
pub mod testing;
#[cfg(feature = "tool")]
mod tool;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

#[cfg(feature = "tool")]
pub use clap;
#[cfg(feature = "tool")]
pub use tool::run;

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
