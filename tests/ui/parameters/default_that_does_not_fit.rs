//! Defaults, their elements, or examples are out of bounds, secret, there twice, or not of the type, format or enum of their fields.

#![deny(warnings)]

use osb_runtime::prelude::*;

// Mistake: A default is not in its format.
#[parameters]
pub struct Listen {
    #[param(format = "ipv4", default = "300.1.1.1")]
    pub listen: String,
}

// Mistake: An element of a default is not in its format.
#[parameters]
pub struct Hooks {
    #[param(items(format = "uri"), default = ["https://example.com/{id}"])]
    pub hooks: Vec<String>,
}

// Mistake: The default of an address is none.
#[parameters]
pub struct Address {
    #[param(default = "fe80::1::2")]
    pub address: std::net::Ipv6Addr,
}

#[parameters(rename_all = "lowercase")]
pub enum Speed {
    Slow,
    Fast,
}

#[parameters(tag = "kind", rename_all = "snake_case")]
pub enum Overflow {
    Reject,
    DropOldest { batch: u32 },
}

#[parameters]
pub struct Enum {
    // Mistake: A default is no value of the enum.
    #[param(default = "fsat")]
    pub speed: Speed,
    #[param(default = 1)]
    pub other_speed: Speed,
    // Mistake: The default of an enum with a tag is the name of a variant.
    #[param(default = "reject")]
    pub overflow: Overflow,
}

// Mistake: A default has another type than its field.
#[parameters]
pub struct Number {
    #[param(default = "5")]
    pub ttl: u32,
    #[param(default = "10 MB")]
    pub size: u32,
    #[param(default = "default_count")]
    pub count: u32,
}

// Mistake: A default has an element that the list may not have.
#[parameters]
pub struct Names {
    #[param(default = ["a", 1])]
    pub names: Vec<String>,
}

// Mistake: The default of a list is one of its elements.
#[parameters]
pub struct Regions {
    #[param(default = "eu")]
    pub regions: Vec<String>,
}

// Mistake: A default is below the minimum.
#[parameters]
pub struct Ttl {
    #[param(range(min = 1), default = 0)]
    pub ttl: u32,
}

// Mistake: A default is the excluded bound.
#[parameters]
pub struct Share {
    #[param(range(exclusive_min = 0, max = 1), default = 0)]
    pub share: f64,
}

// Mistake: A default does not fit into its type.
#[parameters]
pub struct Keys {
    #[param(default = 4_294_967_296)]
    pub keys: u32,
}

// Mistake: A default is longer than its string may be.
#[parameters]
pub struct Name {
    #[param(length(max = 2), default = "abc")]
    pub name: String,
}

// Mistake: The default has fewer items than the minimum, which is one.
#[parameters]
pub struct Nodes {
    #[param(length(min = 1), default = [])]
    pub nodes: Vec<String>,
}

#[parameters]
pub struct Login {
    pub user: String,
    #[param(secret)]
    pub password: String,
}

#[parameters]
pub struct Password(#[param(secret)] String);

#[parameters]
pub struct Secret {
    // Mistake: A default has a member that is secret.
    #[param(default = {"user": "root", "password": "hunter2"})]
    pub login: Login,
    // Mistake: A field of a secret type has a default.
    #[param(default = "hunter2")]
    pub password: Password,
}

// Mistake: Lists without duplicates whose defaults have the same value twice, however it is written.
/// The parameters of a new store.
#[parameters]
pub struct Lists {
    /// The regions.
    #[param(unique, default = ["eu", "us", "eu"])]
    pub regions: Vec<String>,

    /// The weights.
    #[param(unique, default = [1, 1.0])]
    pub weights: Vec<f64>,

    /// The pairs of ports.
    #[param(unique, default = [[80, 443], [80, 443]])]
    pub ports: Vec<Vec<u16>>,

    /// Weights that differ.
    #[param(unique, default = [1, 1.5, -1])]
    pub others: Vec<f64>,
}

// Mistake: An example is out of range.
#[parameters]
pub struct Expiry {
    #[param(range(max = 10), example = 11)]
    pub ttl: u32,
}

// Mistake: The second of two examples is out of range.
#[parameters]
pub struct Replicas {
    #[param(range(max = 10), examples(1, 11))]
    pub replicas: u32,
}

// Mistake: An example is not in the format.
#[parameters]
pub struct Until {
    #[param(format = "date-time", example = "2030-02-30T12:00:00Z")]
    pub until: Option<String>,
}

// Mistake: Several examples of a number are written as a list.
#[parameters]
pub struct Megabytes {
    #[param(example = [1, 2])]
    pub size: u32,
}

fn main() {}
