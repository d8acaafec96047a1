//! A broker that is made to be cut: an instance is a file, a binding is another one, each written in several steps with
//! pauses between them, and each call of a handler is noted in a third before anything else happens.

mod folder;
pub mod service;
mod under_test;

pub use self::under_test::UnderTest;
