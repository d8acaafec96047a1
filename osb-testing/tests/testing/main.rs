//! The in-process platform, and programs.

mod platform;
#[cfg(unix)]
mod process;
