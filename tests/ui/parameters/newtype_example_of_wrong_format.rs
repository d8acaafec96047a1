//! An example of a newtype is not in its format.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct Contact(#[param(format = "email", example = "someone at example.com")] pub String);

#[parameters]
pub struct New {
    pub contact: Contact,
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
