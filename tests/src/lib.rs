//! Helpers that several tests share.

pub mod offered;
pub mod other_tools;
pub mod random;
pub mod seed;
