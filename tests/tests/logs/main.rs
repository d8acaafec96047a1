//! The log of the process. These tests install a subscriber for the whole process, so they have a program of their own.

mod catalog_overrides;
mod debug_output;
mod log;
mod logged;
mod plans_in_hints;
mod renamed_broker;
mod secrets;
mod sloppy_author;
mod stored_parameters;
