//! A field of a type with a partial type is a newtype of a map.
#![deny(warnings)]
use std::collections::BTreeMap;

use osb_runtime::prelude::*;

#[parameters]
pub struct Labels(#[param(length(max = 9))] BTreeMap<String, String>);

#[parameters(partial = Changes)]
pub struct New {
    pub ttl: u32,
    pub labels: Option<Labels>,
}

fn main() {}
