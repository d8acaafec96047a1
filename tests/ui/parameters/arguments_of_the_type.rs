//! Arguments of the type are those of a field, have a hyphen, or make no sense there; credentials are an enum.
#![deny(warnings)]
use osb_runtime::prelude::*;

// Mistake: Constraints of a newtype stand on the type.
#[parameters(range(min = 1, max = 10))]
pub struct Size(u32);

// Mistake: A type has no name on the wire.
#[parameters(rename = "new-store")]
pub struct Renamed {
    pub size_gb: u32,
}

// Mistake: The name of an argument has a hyphen.
#[parameters(rename-all = "camelCase")]
pub struct Hyphen {
    pub ttl: u32,
}

// Mistake: A `rename_all` rule that serde does not have.
#[parameters(rename_all = "camel-case")]
pub struct Case {
    pub ttl: u32,
}

// Mistake: An enum has a partial type.
#[parameters(partial = SpeedChange)]
pub enum Speed {
    Slow,
    Fast,
}

// Mistake: The partial type has the name of the type itself.
#[parameters(partial = New)]
#[derive(Debug)]
pub struct New {
    #[param(default = 60)]
    pub ttl: u32,
}

// Mistake: `#[param]` is on the type.
#[parameters]
#[param(open)]
pub struct Open {
    pub ttl: u32,
}

// Mistake: An enum without a tag has fields.
#[parameters(untagged)]
pub enum Copies {
    Off {},
    On { region: String },
}

// Mistake: Credentials have a partial type.
#[credentials(partial = Changes)]
pub struct Access {
    pub uri: String,
}

// Mistake: Credentials are an enum.
#[credentials]
pub enum Login {
    Uri { uri: String },
}

pub fn used(_: Speed, _: SpeedChange, _: Access, _: Login) {}

// Mistake: Parameters and credentials name their plan.
/// The parameters of a new key.
#[parameters(plan = Free)]
pub struct NewKey {
    /// A label.
    pub label: String,
}

/// The credentials.
#[credentials(plan = Free)]
pub struct KeyAccess {
    /// The address.
    pub uri: String,
}

fn main() {}
