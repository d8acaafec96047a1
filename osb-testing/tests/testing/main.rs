//! The in-process platform, programs, and the suite for stores.

mod platform;
#[cfg(unix)]
mod process;
mod store_suite;
