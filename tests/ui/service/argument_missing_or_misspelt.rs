//! Arguments are misspelt, without names, commas or quotes, or missing.

use osb_runtime::prelude::*;

include!("../case.rs");

plans!(Free, Free3, Free4, FreeA, ProA, FreeB, FreeC, Free5, Free6, Pro6, Free7, Free10, Free12, Pro12);

// Mistake: An argument is misspelt.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free), instance_retrievable)]
pub struct Misspelt;

// Mistake: The name of a service stands without `name =`.
/// A store.
#[service("kv")]
pub struct Nameless;

// Mistake: There is no comma between two arguments.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "kv" plans(Free3))]
pub struct Commaless;

// Mistake: A semicolon stands between two arguments.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "kv"; plans(Free4))]
pub struct Semicolon;

// Mistake: A list has a comma too many.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a1a", name = "kv", plans(FreeA,, ProA))]
pub struct Comma;

// Mistake: JSON members follow a comma too many.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a1b", name = "kv", plans(FreeB), extensions(, "x:a": 1))]
pub struct Leading;

// Mistake: A service has no id.
/// A store.
#[service(name = "kv", plans(Free5))]
pub struct Idless;

// Mistake: The id has no quotes.
/// A store.
#[service(id = 3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a06, name = "kv", plans(Free6, Pro6), changes(Free6 => Pro6))]
pub struct Unquoted;

// Mistake: A required argument is misspelt: no error about a missing one.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a07", nmae = "kv", plans(Free7))]
pub struct Name;

// Mistake: A required argument has its name in the specification: no error about a missing one.
/// A store.
#[service(service_id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a1c", name = "kv", plans(FreeC))]
pub struct ServiceId;

// Mistake: The list of plans is empty.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "kv", plans())]
pub struct Empty;

// Mistake: A service has no plans.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a09", name = "kv")]
pub struct Planless;

// Mistake: A service with tags has no plans, and an argument of a plan.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a11", name = "kv", tags("kv"), free)]
pub struct Paid;

// Mistake: An argument is half-typed: the next line lacks no comma.
/// A store.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a10",
    name
    plans(Free10),
)]
pub struct HalfTyped;

// Mistake: Words for changes of plan and for what platforms fetch are those of other frameworks.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a12", name = "kv", plans(Free12, Pro12), upgrade(Free12 => Pro12), retrievable, metadata(icon = "https://example.com/kv.png"))]
pub struct OtherWords;

// Mistake: A service has no arguments: all missing ones are reported at once (CAT-10, CAT-11, CAT-12, CAT-22).
#[service]
pub struct Nothing;
