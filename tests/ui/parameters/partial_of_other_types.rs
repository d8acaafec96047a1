//! Fields have an `Option` behind an alias, or, in a type with `partial`, newtypes of maps and structs or nested types without one.
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

pub type Hidden = Option<String>;

// Mistake: An alias hides the `Option` of the elements of a list, and of the values of a map in a type with `partial`.
#[parameters]
pub struct NewStore {
    pub zones: Vec<Hidden>,
}

#[parameters(partial = QueueChanges)]
pub struct NewQueue {
    pub labels: Option<BTreeMap<String, Vec<Hidden>>>,
}

fn main() {}
