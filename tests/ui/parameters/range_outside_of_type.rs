//! Bounds are outside of the type of the field, or of its elements.
#![deny(warnings)]
use osb_runtime::prelude::*;
use std::num::NonZeroU32;

#[parameters]
pub struct Ttl {
    #[param(range(max = 300))]
    pub ttl: u8,
}

#[parameters]
pub struct Keys {
    #[param(range(min = -1))]
    pub keys: u32,
}

#[parameters]
pub struct Size {
    #[param(range(min = 0))]
    pub size: NonZeroU32,
}

#[parameters]
pub struct Ports {
    #[param(items(range(max = 300)))]
    pub ports: Vec<u8>,
}

#[parameters]
pub struct Files {
    #[param(range(min = 0.5))]
    pub files: u32,
}

#[parameters]
pub struct Pages {
    #[param(multiple_of = 0)]
    pub pages: u32,
}

fn main() {}
