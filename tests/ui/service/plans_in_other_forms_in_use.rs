//! Plans are an array, a tuple, in brackets, in quotes, after a semicolon, listed twice, in two lists or misspelt: no error about handlers and
//! changes.

use osb_runtime::prelude::*;

include!("../case.rs");

plans!(Free, Pro, Free2, Pro2, Free3, Pro3, Free4, Pro4, Free5, Pro5, Free6, Pro6, Free7, Pro7, Free8, Pro8, Free9, Pro9);

// Mistake: The plans are an array.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans = [Free, Pro], changes(Free => Pro))]
pub struct Array;

// Mistake: The plans are a tuple.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "kv", plans = (Free2, Pro2), changes(Free2 => Pro2))]
pub struct Tuple;

// Mistake: The plans are in square brackets.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "kv", plans[Free3, Pro3], changes(Free3 => Pro3))]
pub struct Brackets;

// Mistake: `plans` is misspelt: no error about missing plans.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "kv", plnas(Free4, Pro4), changes(Free4 => Pro4))]
pub struct Misspelt;

// Mistake: One of two plans is in quotes: no error about the change to it.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "kv", plans(Free5, "Pro5"), changes(Free5 => Pro5))]
pub struct Quoted;

// Mistake: There is a semicolon between two plans.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "kv", plans(Free6; Pro6), changes(Free6 => Pro6))]
pub struct Semicolon;

// Mistake: A plan is listed twice, in place of another one: no error about the change to that.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "kv", plans(Free7, Free7), changes(Free7 => Pro7))]
pub struct Repeated;

// Mistake: Plans are two lists: no error about the change to the second one.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "kv", plans(Free8), plans(Pro8), changes(Free8 => Pro8))]
pub struct TwoLists;

// Mistake: Plans are values, and changes are a value.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a09", name = "kv", plans(Free9::new(), Pro9), changes = [(Free9, Pro9)])]
pub struct Values;

provisions!(Array, Tuple, Brackets, Misspelt, Quoted, Semicolon, Repeated, TwoLists, Values);
changes!(Array, Free => Pro);
changes!(Tuple, Free2 => Pro2);
changes!(Brackets, Free3 => Pro3);
changes!(Misspelt, Free4 => Pro4);
changes!(Quoted, Free5 => Pro5);
changes!(Semicolon, Free6 => Pro6);
changes!(Repeated, Free7 => Pro7);
changes!(TwoLists, Free8 => Pro8);
changes!(Values, Free9 => Pro9);
