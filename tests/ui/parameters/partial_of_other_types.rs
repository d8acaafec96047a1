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
    pub labels: Option<Labels>,
    pub bounds: Bounds,
    pub quota: Quota,
    pub place: Place,
    pub size: Maybe,
}

fn main() {}
