//! Services have a type parameter or a lifetime, which their handlers use or leave out.

use osb_runtime::prelude::*;

include!("../case.rs");

// Mistake: A service has a type parameter, and is used with an argument; its handlers don't say `'static`.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv<Store>(Store);

plans!(Free, Small, Basic);

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

#[broker]
pub struct Broker(Kv<u8>, Queue, Disks);
