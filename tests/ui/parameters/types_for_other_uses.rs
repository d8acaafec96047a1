//! Fields have types without values in JSON, or whose values belong to one machine, one moment or one owner.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    // Mistake: A field is a `Duration`.
    pub ttl: std::time::Duration,
    // Mistake: A field is a `SystemTime`.
    pub until: Option<std::time::SystemTime>,
    // Mistake: A field is a path of this machine.
    pub path: std::path::PathBuf,
    // Mistake: A field is a `Result`.
    pub result: Result<u8, String>,
    // Mistake: A field is a tuple.
    pub range: (u8, u8),
    // Mistake: A field is an `Arc`.
    pub region: std::sync::Arc<String>,
    // Mistake: A field is an `Arc<str>`.
    pub name: std::sync::Arc<str>,
    // Mistake: An `Option` is in an `Option`.
    pub comment: Option<Option<String>>,
    // Mistake: An `Option` is in a `Box`, an array or a map.
    pub prefix: Box<Option<String>>,
    pub replicas: [Option<u8>; 2],
    pub labels: std::collections::BTreeMap<String, Option<String>>,
    // Mistake: A field is a reference without a lifetime.
    pub place: Option<&str>,
    // Mistake: A field is a slice.
    pub readers: &[String],
    // Mistake: Floats have no order, so that a set can't have them.
    pub shares: Option<std::collections::BTreeSet<f64>>,
    // Mistake: A field has 128 bits.
    pub bits: u128,
    // Mistake: An array is longer than those that serde reads.
    pub key: [u8; 64],
    pub salt: [u8; 33],
}

// Mistake: Fields have types without values in JSON.
/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// A function.
    pub function: fn(u32) -> u32,
    /// A pointer.
    pub pointer: *const u32,
    /// Bytes.
    pub bytes: Box<[u8]>,
    /// Text.
    pub text: Box<str>,
    /// A number.
    pub number: std::num::NonZeroI32,
    /// Nothing.
    pub nothing: (),
    /// A large number in parentheses.
    #[allow(unused_parens)]
    pub large: (u128),
    /// Lists of what may be absent.
    pub lists: Vec<Option<String>>,
    /// A map by numbers.
    pub map: std::collections::BTreeMap<u32, String>,
    /// A map by borrowed text in a box.
    pub names: std::collections::HashMap<Box<str>, String>,
}

fn main() {}
