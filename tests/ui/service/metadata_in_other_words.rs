//! Metadata is misspelt, has words of other catalogs, of plans or in another case, or stands among the arguments.

use osb_runtime::prelude::*;

include!("../case.rs");

plans!(Free, Free2, Free3, Free4, Free5, Free6);

// Mistake: A conventional member of the metadata, in another case.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free), metadata("documentationURL": "https://example.com/docs"))]
pub struct Case;

// Mistake: Words of other catalogs for metadata.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "kv", plans(Free2), metadata(docs_url = "https://example.com/docs"))]
pub struct Words;

// Mistake: A name of the metadata is misspelt.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "kv", plans(Free3), metadata(documantation_url = "https://example.com"))]
pub struct Misspelt;

// Mistake: The metadata of a service has an argument of a plan.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "kv", plans(Free4), metadata(bullets("Fast")))]
pub struct Plan;

// Mistake: A flag of the metadata is a string.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "kv", plans(Free5), metadata(shareable = "yes"))]
pub struct Shared;

// Mistake: Metadata is among the arguments.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "kv", plans(Free6), shareable)]
pub struct Outside;
