//! A service with parameters of every kind: a plan whose parameters only schemars knows, and one without parameters.

use osb_runtime::prelude::*;
use serde_json::{Value, json};

/// A bit of everything.
#[service(id = "d9f3a0a4-3c5e-4c53-a0a6-6a2f1a0b0001", name = "every", plans(Rich, Elsewhere, Nothing), changes(Rich => Nothing))]
pub struct Every;

/// With all kinds of parameters.
#[plan(id = "d9f3a0a4-3c5e-4c53-a0a6-6a2f1a0b0002", name = "rich", create = Everything, update = Changes, bind = Narrow, rotatable)]
pub struct Rich;

/// With parameters that only schemars knows.
#[plan(id = "d9f3a0a4-3c5e-4c53-a0a6-6a2f1a0b0003", name = "elsewhere", create = Planted)]
pub struct Elsewhere;

/// Without parameters.
#[plan(id = "d9f3a0a4-3c5e-4c53-a0a6-6a2f1a0b0004", name = "nothing")]
pub struct Nothing;

/// Everything.
#[parameters(partial = Changes)]
pub struct Everything {
    /// A multiple of five.
    #[param(range(exclusive_min = 0, exclusive_max = 100), multiple_of = 5)]
    pub fives: Option<u16>,
    /// A part.
    #[param(range(min = 0, exclusive_max = 1))]
    pub ratio: Option<f64>,
    /// A name.
    #[param(pattern = "^[a-z]{1,3}$", immutable)]
    pub name: String,
    /// The target.
    pub target: Option<Target>,
    /// The colours.
    #[param(length(max = 2))]
    pub which: Option<Vec<Colour>>,
    /// The maintenance window.
    pub window: Option<Window>,
    /// Labels.
    pub labels: Option<std::collections::BTreeMap<String, String>>,
}

/// A time of the week.
#[parameters(partial = WindowChanges)]
pub struct Window {
    /// The hour.
    #[param(range(max = 23))]
    pub hour: u8,
    /// Days to leave out.
    #[param(length(max = 6), unique)]
    pub without: Option<Vec<String>>,
}

/// One or the other.
#[parameters(tag = "kind")]
pub enum Target {
    /// A bucket.
    Bucket {
        /// The name of the bucket.
        name: String,
    },
    /// None.
    Nowhere,
}

/// A colour.
#[parameters]
pub enum Colour {
    /// Like blood.
    Red,
    /// Like the sea.
    Blue,
}

/// Little.
#[parameters]
pub struct Narrow {
    /// Read access only.
    #[param(default = false)]
    pub read_only: bool,
}

/// A parameter whose schema comes from schemars.
#[parameters]
pub struct Planted {
    /// The root.
    pub tree: Foreign<Tree>,
}

/// A recursive type.
#[derive(Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Tree {
    /// A number greater than zero.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub size: f64,
    /// A list that has two items.
    pub pair: Option<(bool, u8)>,
    /// The branches.
    pub branches: Option<Vec<Tree>>,
}

/// The credentials.
#[credentials]
pub struct Way {
    /// The address.
    pub uri: String,
}

crate::provision_nothing!(Every);
crate::bind_nothing!(Every: Rich => Credentials<Way> = |_new| Credentials(Way { uri: "every:1".to_owned() }););
crate::update_nothing!(Every: Rich);
crate::change_nothing!(Every: Rich => Nothing);

/// The broker.
#[broker(dynamic)]
pub struct EveryBroker(pub Every);

/// Returns values that are valid for at least one parameter, and similar invalid ones.
pub fn values() -> Vec<Value> {
    let Value::Array(values) = json!([
        null, true, 0, 5, 7, 24, 95, 100, -5, 0.5, 1.0, "a", "abcd", "A",
        [], ["x"], ["a", "a"], ["Red"], ["Red", "Red"], ["Red", "Blue", "Red"],
        {}, { "a": "b" }, { "a": 1 },
        { "kind": "Bucket" }, { "kind": "Bucket", "name": "n" }, { "kind": "Nowhere" }, { "kind": "Nowhere", "name": "n" },
        { "hour": 3 }, { "hour": 24 }, { "hour": 3, "without": ["a", "a"] },
        { "size": 1 }, { "size": 0 }, { "size": 1, "pair": [true, 1] }, { "size": 1, "pair": [1, true] },
        { "size": 1, "pair": [true, 1, 1] }, { "size": 1, "branches": [{ "size": 1 }] },
        { "size": 1, "branches": [{ "size": 0 }] }
    ]) else {
        unreachable!("it is an array")
    };
    values
}
