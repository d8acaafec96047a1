//! Databases as a service: an instance is a database on a PostgreSQL server, and a binding is a login role.
//!
//! `service` has the catalog and the handlers, `server` does their work, and `sql` is the only way to write a statement. The
//! README of the repository shows how to try it.

mod server;
mod service;
mod sql;
#[cfg(test)]
mod tests;

pub use server::Server;
pub use service::{Broker, Databases};
