//! Services have a type parameter or a lifetime, which their handlers use or leave out.

use std::borrow::Cow;

use osb_runtime::prelude::*;

include!("../handlers.rs");

// Mistake: A service has a type parameter, and is used with an argument; its handlers don't say `'static`.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv<Store>(Store);

plans!(Free, Small, Basic, Medium);

impl<Store: Clone> Provision<Free> for Kv<Store> {
    provision_items!(Free);
}

// Mistake: A service borrows its data; its handlers don't name the lifetime.
/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "queue", plans(Small))]
pub struct Queue<'a> {
    host: &'a str,
}

provisions!(Queue);

// Mistake: A service has a type parameter, which its handlers leave out; they use its values.
/// A disk.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "disk", plans(Basic))]
pub struct Disks<Sizes> {
    sizes: Sizes,
}

provisions!(Disks);

impl Disks {
    pub async fn size(&self, name: &str) -> usize {
        self.sizes.lock().await.get(name).map_or(0, |size| size.bytes)
    }
}

// Mistake: A service borrows its data, its handlers name the lifetime, and its values are owned already.
/// Mail.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "mail", plans(Medium))]
pub struct Mail<'a> {
    host: &'a str,
    paths: Cow<'a, [u32]>,
}

provisions!(Mail<'_>);

#[broker]
pub struct Broker(Kv<u8>, Queue, Disks);

fn main() {
    let mail = Mail { host: String::from("mail.example.com"), paths: Vec::new() };
    println!("{} of {}", mail.paths.len(), mail.host.to_uppercase());
}
