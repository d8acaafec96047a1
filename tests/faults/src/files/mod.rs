//! A broker that is built to be interrupted: an instance is a file, a binding is another one, each written in several steps with
//! pauses between them, and each call of a handler is first logged in a third file.

mod folder;
pub mod service;
mod under_test;

pub use self::under_test::UnderTest;
