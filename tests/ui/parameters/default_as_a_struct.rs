//! A default as an expression of Rust.

use osb_runtime::prelude::*;

/// When an instance may restart.
#[parameters]
pub struct Window {
    /// The day.
    pub day: String,
}

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// When it may restart.
    #[param(default = Window { day: "sunday" })]
    pub window: Window,

    /// The separator.
    #[param(default = ',')]
    pub separator: String,
}

fn main() {}
