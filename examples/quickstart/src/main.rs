//! The broker of the README.
fn main() {}
