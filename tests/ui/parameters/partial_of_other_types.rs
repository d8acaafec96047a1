//! Fields of a type with `partial` have newtypes of maps and structs, nested types without one, or an `Option` behind an alias.
#![deny(warnings)]
use osb_runtime::prelude::*;
use std::collections::BTreeMap;

#[parameters]
pub struct Labels(#[param(length(max = 9))] BTreeMap<String, String>);

#[parameters(partial = LimitChanges)]
pub struct Limits {
    #[param(default = 5)]
    pub keys: u64,
}

#[parameters]
pub struct Bounds(Limits);

#[parameters]
pub struct Quota {
    #[param(default = 5)]
    pub keys: u64,
}

#[parameters]
pub struct Place {
    #[param(immutable)]
    pub zone: String,
    pub rack: u8,
}

pub type Maybe = Option<u32>;

#[parameters(partial = Changes)]
pub struct New {
    // Mistake: A field of a type with a partial type is a newtype of a map.
    pub labels: Option<Labels>,
    // Mistake: A field of a type with a partial type is a newtype of a struct that has one too.
    pub bounds: Bounds,
    // Mistake: A nested type with a property that may not change has no partial type, so that an update would change it.
    pub quota: Quota,
    pub place: Place,
    // Mistake: An alias of an `Option` in a type with `partial`.
    pub size: Maybe,
}

fn main() {}
