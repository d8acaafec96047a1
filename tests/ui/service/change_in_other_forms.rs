//! Changes are written both ways at once, chained, as a list, backwards, half-typed, in quotes, or with other signs.

use osb_runtime::prelude::*;

include!("../case.rs");

plans!(Free, Pro, Free2, Pro2, Free3, Pro3, Free4, Pro4, Free5, Pro5, Free6, Pro6);
plans!(Free13, Pro13, Free15, Pro15, Free16, Pro16);
plans!(Free7, Pro7, Free8, Pro8, Free9, Pro9, Free10, Pro10, Free11, Pro11, Free12, Pro12, Free17, Pro17);
plans!(Free18, Pro18, Free19, Pro19, Free20, Pro20, Max20, Free21, Pro21);

// Mistake: A change is written both ways at once.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro), changes(Free <=> Pro))]
pub struct Both;

// Mistake: Two changes are written as one.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "kv", plans(Free2, Pro2), changes(Free2 => Pro2 => Free2))]
pub struct Chained;

// Mistake: The target of a change is missing.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "kv", plans(Free3, Pro3), changes(Free3 => ))]
pub struct Half;

// Mistake: A change is a list.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "kv", plans(Free4, Pro4), changes([Free4, Pro4]))]
pub struct Listed;

// Mistake: A change is written backwards.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "kv", plans(Free5, Pro5), changes(Pro5 <= Free5))]
pub struct Reversed;

// Mistake: A change has the wrong arrow.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "kv", plans(Free6, Pro6), changes(Free6 -> Pro6))]
pub struct Thin;

// Mistake: Two changes are written with another arrow.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "kv", plans(Free7, Pro7), changes(Free7 -> Pro7, Pro7 -> Free7))]
pub struct ThinTwice;

// Mistake: The plans of a change are in quotes.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "kv", plans(Free8, Pro8), changes("free" => "pro"))]
pub struct Quoted;

// Mistake: A plan has another path in `changes` than in `plans`.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a09", name = "kv", plans(Free9, Pro9), changes(self::Free9 => Pro9))]
pub struct Path;

// Mistake: Two changes name a plan by another path.
/// A store.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a17",
    name = "kv",
    plans(Free17, Pro17),
    changes(self::Free17 => Pro17, Pro17 => self::Free17),
)]
pub struct Paths;

// Mistake: A change is listed twice.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a10", name = "kv", plans(Free10, Pro10), changes(Free10 => Pro10, Free10 => Pro10))]
pub struct Twice;

// Mistake: `changes` is written as a flag.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a11", name = "kv", plans(Free11, Pro11), changes = true)]
pub struct Value;

// Mistake: A change stands behind an equals sign.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a12", name = "kv", plans(Free12, Pro12), changes = Free12 => Pro12)]
pub struct Bare;

// Mistake: Changes are separated by a semicolon.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a13", name = "kv", plans(Free13, Pro13), changes(Free13 => Pro13; Pro13 => Free13))]
pub struct Separated;

// Mistake: Plans are listed by their names for users, not by their types.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a14", name = "kv", plans(free, pro), changes(Free => Pro))]
pub struct Names;

// Mistake: A change has a comma in place of the arrow.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a15", name = "kv", plans(Free15, Pro15), changes(Free15, Pro15))]
pub struct Comma;

// Mistake: A change is conditional (`#[cfg]`).
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a16", name = "kv", plans(Free16, Pro16), changes(#[cfg(unix)] Free16 => Pro16))]
pub struct Conditional;

// Mistake: A change is written with a word, another sign, or the names of arguments.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a18", name = "kv", plans(Free18, Pro18), changes(Free18 to Pro18))]
pub struct Word;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a19", name = "kv", plans(Free19, Pro19), changes(Free19 >= Pro19))]
pub struct Greater;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a21", name = "kv", plans(Free21, Pro21), changes(from = Free21, to = Pro21))]
pub struct Named;

// Mistake: The changes from a plan are written as one.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a20", name = "kv", plans(Free20, Pro20, Max20), changes(Free20 => (Pro20, Max20)))]
pub struct Several;
