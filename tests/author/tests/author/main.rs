//! The program of an author, as a process.

mod collector;
mod families;
mod operators;
mod options;
mod own_store;
mod program_builder;
mod records_check;
#[cfg(unix)]
mod reloaded_credentials;
mod replicas;
mod start;
mod surroundings;
mod tls;
mod traces;
mod transfer;
mod unserved_platforms;
mod world;
