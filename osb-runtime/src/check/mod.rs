//! Any broker, held against the rules of the specification.

#[doc(hidden)]
pub mod judge;
mod parameters;
