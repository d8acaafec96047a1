//! Warning: texts are long, a heading, or have links; tags have commas or spaces; or a name has to be quoted on a command line.
#![deny(deprecated)]
use osb_runtime::prelude::*;

include!("../case.rs");

plans!(Free, Free2, Free3, Free4, Free5, Free6, Free7, Free8, Free9, Free10);

// Mistake: Warning: the provider's name has more than 255 characters.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free), metadata(display_name = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"))]
pub struct Display;

// Mistake: Warning: the display name has more than 255 characters.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "kv", plans(Free2), metadata(provider_display_name = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"))]
pub struct Provider;

// Mistake: Warning: a tag has more than 255 characters.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "kv", plans(Free3), tags("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"))]
pub struct Tag;

// Mistake: Warning: a tag is listed twice.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "kv", plans(Free4), tags("kv", "cache", "kv"))]
pub struct Twice;

// Mistake: A tag with white space around it.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "kv", plans(Free5), tags("sql", " relational", "fast "))]
pub struct Space;

// Mistake: Warning: two tags are in one string.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "kv", plans(Free6), tags("sql, relational"))]
pub struct One;

// Mistake: A doc comment with links is the description.
/// A store: see [the guide](https://example.com), and [`Free7`].
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "kv", plans(Free7))]
pub struct Link;

// Mistake: Warning: the description is a heading.
/// # Stores
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "kv", plans(Free8))]
pub struct Heading;

/// ## Stores
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a10", name = "kv", plans(Free10))]
pub struct SecondHeading;

// Mistake: Warning: users would have to quote the name on a command line.
/// A store.
#[service(id = "8a4a2b53-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "key value", plans(Free9))]
pub struct Name;

provisions!(Display, Provider, Tag, Twice, Space, One, Link, Heading, SecondHeading, Name);
