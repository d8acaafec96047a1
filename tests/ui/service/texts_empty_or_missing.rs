//! Texts are empty or missing, the attribute is there twice, or a field has `#[param]`.

use osb_runtime::prelude::*;

include!("../case.rs");

plans!(Free, Free2, Free3, Free4);

// Mistake: The attribute is there twice.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01")]
#[service(name = "kv", plans(Free))]
pub struct Twice;

// Mistake: A value is missing.
/// A store.
#[service(id = , name = , plans(Free2))]
pub struct Missing;

// Mistake: A field of a service has `#[param]`.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "kv", plans(Free3))]
pub struct Param {
    #[param(secret)]
    password: String,
}

// Mistake: Texts without characters.
/// A store.
#[service(id = "", name = "", plans(Free4), tags(""), metadata(display_name = ""))]
pub struct Empty;

provisions!(Twice, Missing, Param, Empty);
