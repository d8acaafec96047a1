//! The attribute macros of `osb-runtime`, which documents them; nothing here is meant to be used without it.

mod args;
mod doc;
mod errors;
mod json;
mod runtime;
