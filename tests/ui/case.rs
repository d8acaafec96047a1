// Handlers for the cases, and the empty `main` that each of them has.

include!("handlers.rs");

fn main() {}
