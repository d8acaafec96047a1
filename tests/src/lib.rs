//! Helpers that several tests share.

pub mod offered;
pub mod seed;
