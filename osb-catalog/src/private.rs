//! Only for code that the macros of `osb-runtime` generate, and for these crates: anything here can change in any release.

pub use regex::Regex;
pub use schemars;
pub use serde;
pub use serde_json::Value;

pub use crate::{
    arguments,
    catalog::{
        check::*,
        json::*,
        lints::*,
        model::{count_plans, select_plans},
        warnings::*,
    },
    explain, guesses,
    schema::*,
};
