//! HTTP: the server, the gate in front of the broker (authentication, API version), the routes, and the limits.
//!
//! Each request passes, in this order: limits, request identity, a guard against panics, the platform's path prefix,
//! authentication, API version, route, query and body, and then the broker. Every answer is a JSON object, errors
//! included, except for the documentation page at `/docs`.

mod access;
mod admin;
mod auth;
mod body;
mod broker;
mod catalog;
mod connection;
mod current;
mod dispatch;
mod docs;
mod gate;
mod handle;
mod listener;
mod monitor;
mod mounted;
mod platforms;
mod refusal;
mod respond;
mod route;
mod server;
mod service;
mod settings;
mod slots;
mod stream;
#[cfg(test)]
#[path = "../../tests/unit/http/mod.rs"]
mod tests;
#[cfg(feature = "tls")]
mod tls;

pub use crate::{catalog::StartError, service::BoxError};
pub use admin::Admin;
pub use auth::{AcceptedCredentials, Authenticate, InvalidCredentials};
pub use broker::Starting;
pub use docs::{DocsPage, HtmlPage};
pub use listener::Listener;
pub use monitor::Monitor;
pub use mounted::{HttpService, IntoBrokerService, IntoListener};
pub use platforms::{IntoCredentials, IntoPlatforms, InvalidPlatform, Platforms};
pub use server::{Serving, serve, serve_admin, serve_monitor, serve_mounted, shutdown_signal};
pub use service::BrokerService;
pub use settings::{HttpSettings, MissingVersion};
#[cfg(feature = "tls")]
pub use tls::{Tls, TlsError};
