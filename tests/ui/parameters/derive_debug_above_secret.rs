//! `Debug` is derived above the attribute, and there is a secret.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[derive(Debug)]
#[parameters]
pub struct New {
    pub ttl: u32,
    #[param(secret)]
    pub password: String,
}

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
