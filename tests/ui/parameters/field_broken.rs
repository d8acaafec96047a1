//! A field has a keyword for its name, is half-typed, or has no colon, type or comma: the item stays usable.

use std::collections::BTreeMap;

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(ByKeyword, ByHalf, ByColon, ByTypeless, ByComma, BySemicolon, ByBracket, ByMap))]
pub struct Kv;

provisions!(Kv);

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "keyword", create = Keyword)]
pub struct ByKeyword;

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "half", create = Half)]
pub struct ByHalf;

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "colon", create = Colon)]
pub struct ByColon;

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "typeless", create = Typeless)]
pub struct ByTypeless;

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "comma", create = Comma)]
pub struct ByComma;

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "semicolon", create = Semicolon)]
pub struct BySemicolon;

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "bracket", create = Bracket)]
pub struct ByBracket;

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "map", create = Map)]
pub struct ByMap;

// Mistake: A field has a keyword for its name: the item stays usable.
/// A new store.
#[parameters]
#[derive(Debug)]
pub struct Keyword {
    /// Seconds.
    #[param(default = 60)]
    pub ttl: u32,
    pub type: String,
}

// Mistake: The type of a field is half-typed: the item stays usable.
/// A new store.
#[parameters]
#[derive(Debug)]
pub struct Half {
    /// Seconds.
    #[param(default = 60)]
    pub ttl: u32,
    prefix: Vec<
}

// Mistake: A field is only a name: the item stays usable.
/// A new store.
#[parameters]
#[derive(Debug)]
pub struct Colon {
    /// Seconds.
    #[param(default = 60)]
    pub ttl: u32,
    prefix
}

// Mistake: A field has no colon: it stays usable.
/// A new store.
#[parameters]
#[derive(Debug)]
pub struct Colonless {
    /// Seconds.
    #[param(default = 60)]
    ttl u32,
    prefix: String,
}

// Mistake: Two fields are only names: only one error.
/// A new store.
#[parameters]
#[derive(Debug)]
pub struct Names {
    /// Seconds.
    #[param(default = 60)]
    pub ttl: u32,
    prefix
    region
}

// Mistake: The type of a field is missing: the item stays usable.
/// A new store.
#[parameters]
#[derive(Debug)]
pub struct Typeless {
    /// Seconds.
    #[param(default = 60)]
    pub ttl: u32,
    pub prefix: ,
}

// Mistake: There is no comma between two fields: the item stays usable.
/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct Comma {
    #[param(default = 60)]
    pub ttl: u32
    pub prefix: Option<String>,
}

// Mistake: There is a semicolon between two fields: the item stays usable.
/// A new store.
#[parameters]
#[derive(Debug)]
pub struct Semicolon {
    #[param(default = 60)]
    pub ttl: u32;
    pub prefix: Option<String>,
}

// Mistake: The type of a field lacks its last bracket: the item stays usable.
/// A new store.
#[parameters]
#[derive(Debug)]
pub struct Bracket {
    #[param(default = 60)]
    pub ttl: u32,
    pub prefix: Option<Vec<String>,
}

// Mistake: The type of a field with several arguments lacks its last bracket: the item stays usable.
/// A new store.
#[parameters]
#[derive(Debug)]
pub struct Map {
    #[param(default = 60)]
    pub ttl: u32,
    pub labels: BTreeMap<String, Vec<String>,
    pub prefix: String,
}

// Mistake: A field of credentials is half-typed: the item stays usable.
/// The credentials.
#[credentials]
#[derive(Debug)]
pub struct Access {
    /// The address.
    #[param(public)]
    pub uri: String,
    pub token: ,
}

pub fn output(access: Access) -> Credentials<Access> {
    println!("{} {access:?}", access.uri);
    Credentials(access)
}

// Mistake: The type of a field of a variant is missing, and a struct has the enum: only one error.
#[parameters(tag = "kind", rename_all = "snake_case")]
pub enum Overflow {
    Reject,
    #[param(rename = "drop")]
    DropOldest { batch },
}

#[parameters(partial = QueueChanges)]
pub struct Queue {
    pub overflow: Option<Overflow>,
}

pub fn rejects(queue: &Queue) -> bool {
    matches!(queue.overflow, Some(Overflow::Reject))
}

/// Reads the other field of each type, as a handler does.
pub fn used(request: (Keyword, Half, Colon, Typeless, Comma, Semicolon, Bracket, Map), colonless: Colonless, names: Names, changes: Changes) -> (u32, Change<u32>) {
    let (a, b, c, d, e, f, g, h) = request;
    (colonless.ttl + names.ttl + a.ttl + b.ttl + c.ttl + d.ttl + e.ttl + f.ttl + g.ttl + h.ttl + h.labels.len() as u32, changes.ttl)
}
