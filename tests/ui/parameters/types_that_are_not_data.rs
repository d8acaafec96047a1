//! Fields have types without values in JSON.

use osb_runtime::prelude::*;

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
