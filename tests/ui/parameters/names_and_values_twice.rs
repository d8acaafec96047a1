//! Arguments, fields or names are there twice, a default is a list without brackets or that of a secret, or a type contains itself.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    // Mistake: An argument is given twice.
    #[param(default = 1, default = 2)]
    pub keys: u32,
    // Mistake: A list has no brackets, so its second value has no name.
    #[param(default = "a", "b")]
    pub readers: Vec<String>,
    pub ttl: u32,
    // Mistake: Two fields have the same name on the wire.
    #[param(rename = "ttl")]
    pub time_to_live: u32,
    // Mistake: A secret has a default.
    #[param(secret, length(min = 8), default = "change-me")]
    pub password: String,
}

// Mistake: Credentials have a constant type and a field with that name.
#[credentials(type = "postgresql")]
pub struct Access {
    #[param(rename = "type")]
    pub kind: String,
}

// Mistake: A type contains itself.
#[parameters]
pub struct Tree {
    pub children: Vec<Tree>,
}

pub fn used(new: New, tree: Tree) -> usize {
    new.readers.len() + tree.children.len()
}

// Mistake: A field is there twice.
/// Parameters.
#[parameters(partial = StoreChanges)]
pub struct NewStore {
    /// Seconds after which a key expires.
    pub ttl: u32,
    /// Seconds after which a key expires.
    pub ttl: u32,
}

// Mistake: Two fields that both are compiled have one name on the wire.
#[parameters]
pub struct Sizes {
    #[cfg(not(windows))]
    pub size: u8,
    #[cfg(not(target_os = "none"))]
    #[param(rename = "size")]
    pub large_size: u64,
    #[cfg(windows)]
    #[param(rename = "size")]
    pub path_size: u64,
}

// Mistake: Two variants that both are compiled have one name on the wire.
#[parameters]
pub enum Speed {
    Slow,
    #[cfg(not(windows))]
    #[param(rename = "Slow")]
    VerySlow,
}

// Mistake: Two fields of a variant that both are compiled have one name on the wire.
#[parameters(tag = "kind")]
pub enum Copies {
    On {
        #[cfg(not(windows))]
        count: u8,
        #[cfg(not(target_os = "none"))]
        #[param(rename = "count")]
        large_count: u64,
    },
}

fn main() {}
