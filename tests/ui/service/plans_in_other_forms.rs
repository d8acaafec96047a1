//! Plans are values, strings or other tokens, without commas or parentheses, or in other ones.

use osb_runtime::prelude::*;

include!("../case.rs");

plans!(Free, Small2, Basic3, Free6, Free7, Free8, Pro8, Free9, Pro9, Free10, Pro10, Free11, Free12, Pro12, Free13, Free14, Free15);

// Mistake: A plan in the list is conditional (`#[cfg]`).
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(#[cfg(unix)] Free))]
pub struct Kv;

// Mistake: Plans in a macro, and with names.
/// Disks.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "disk", plans(vec![Small2]))]
pub struct Disks;

/// Mail.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "mail", plans(basic = Basic3))]
pub struct Mail;

// Mistake: Plans are listed by their names.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "kv", plans("free", "big-one"))]
pub struct Strings;

// Mistake: Plans are listed by name instead of type.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "kv", plans("free"))]
pub struct Text;

// Mistake: One of two listed plans is in quotes.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "kv", plans(Free6, "pro"))]
pub struct Mixed;

// Mistake: A plan is after an equals sign.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "kv", plans = Free7)]
pub struct Value;

// Mistake: Plans are values.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "kv", plans(Free8 {}, Pro8 {}))]
pub struct Values;

// Mistake: There is no comma between two plans.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a09", name = "kv", plans(Free9 Pro9))]
pub struct Commaless;

// Mistake: Plans are written like generic arguments.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a10", name = "kv", plans<Free10, Pro10>)]
pub struct Angled;

// Mistake: A plan is listed twice.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a11", name = "kv", plans(Free11, Free11))]
pub struct Twice;

// Mistake: A merge left both versions of the plans.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a12", name = "kv", plans(
<<<<<<< HEAD
    Free12,
    Pro12,
=======
    Free12,
>>>>>>> main
))]
pub struct Merged;

// Mistake: Plans are in a `Vec`.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a13", name = "kv", plans(Vec<Free13>))]
pub struct Wrapped;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a15", name = "kv", plans(std::sync::Arc<Free15>))]
pub struct Shared;

// Mistake: A plan has its own name in the list.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a14", name = "kv", plans(free14 = Free14))]
pub struct Named;
