//! x

pub mod protocol;
pub mod schema;
