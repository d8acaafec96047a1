//! x
pub mod schema;
