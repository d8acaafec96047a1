//! Enums of strings with a mistake, which other code prints: only one error about each.

#![deny(warnings)]

use osb_runtime::prelude::*;

// Mistake: An enum of strings has a mistake: only one error.
#[parameters(rename_all = lowercase)]
pub enum Level {
    Low,
    High,
}

// Mistake: An enum of strings has a variant with a value: only one error.
#[parameters]
pub enum Policy {
    Strict,
    Custom(u8),
}

// Mistake: A generic enum of strings is printed: only one error.
#[parameters]
pub enum Mode<const N: u8> {
    On,
    Off,
}

pub fn print_texts(level: &Level, policy: &Policy, mode: &Mode<3>) -> String {
    println!("{level} {}", level.as_str());
    format!("{policy} {mode}")
}

fn main() {}
