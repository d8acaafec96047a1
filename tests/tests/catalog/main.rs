//! The catalog, its lock, and documents about the broker and the project.

mod architecture;
mod catalog;
mod catalog_rules;
mod documents;
mod lock;
mod lock_of_brokers;
mod lock_of_schemas;
mod manifests;
mod mistakes;
mod openapi;
mod readme;
mod rules;
