//! What parameters may look like: a JSON Schema held as a constant.
//!
//! One [`Schema`] drives everything that is said or done about a parameter type: the draft-04 document in the catalog,
//! the check of what users send, the documentation, and the type of an update. It is built by `#[parameters]`, and by
//! this crate for the types of the standard library.

mod json;
mod model;
mod parameter;

pub use model::{
    Array, Choice, Decimal, Foreign, Format, Integer, Kind, Literal, Map, Number, Object, Pattern, Property, Schema,
    StringRules, Tagged, Text, Variant,
};
pub use parameter::{Change, NoParameters, Parameter, Parameters};

pub(crate) mod writer {
    pub(crate) use super::json::Writer;
}
#[doc(hidden)]
pub use json::{measure, render};
mod shim;
pub use shim::*;
