//! Arguments of the type are those of a field, have a hyphen, or make no sense there; credentials are an enum.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters(range(min = 1, max = 10))]
pub struct Size(u32);

#[parameters(rename = "new-store")]
pub struct Renamed {
    pub size_gb: u32,
}

#[parameters(rename-all = "camelCase")]
pub struct Hyphen {
    pub ttl: u32,
}

#[parameters(rename_all = "camel-case")]
pub struct Case {
    pub ttl: u32,
}

#[parameters(partial = SpeedChange)]
pub enum Speed {
    Slow,
    Fast,
}

#[parameters(partial = New)]
#[derive(Debug)]
pub struct New {
    #[param(default = 60)]
    pub ttl: u32,
}

#[parameters]
#[param(open)]
pub struct Open {
    pub ttl: u32,
}

#[parameters(untagged)]
pub enum Copies {
    Off {},
    On { region: String },
}

#[credentials(partial = Changes)]
pub struct Access {
    pub uri: String,
}

#[credentials]
pub enum Login {
    Uri { uri: String },
}

pub fn used(_: Speed, _: SpeedChange, _: Access, _: Login) {}

fn main() {}
