//! A service borrows its data, its handlers name the lifetime, and its values are owned already.

use std::borrow::Cow;

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv<'a> {
    host: &'a str,
    paths: Cow<'a, [u32]>,
}

plans!(Free);

provisions!(Kv<'_>);

fn main() {
    let kv = Kv { host: String::from("kv.example.com"), paths: Vec::new() };
    println!("{} of {}", kv.paths.len(), kv.host.to_uppercase());
}
