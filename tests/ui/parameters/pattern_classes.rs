//! Classes of characters whose names or spelling other dialects don't share.

use osb_runtime::prelude::*;

/// A user.
#[parameters]
pub struct NewUser {
    /// A class without braces.
    #[param(pattern = r"^\pL+$")]
    pub short: String,
    /// A script by its name alone.
    #[param(pattern = r"^\p{Greek}+$")]
    pub script: String,
    /// A property that isn't a script.
    #[param(pattern = r"^\p{gc=Lu}+$")]
    pub property: String,
    /// Letters outside of a script.
    #[param(pattern = r"^\p{Script!=Greek}+$")]
    pub other_script: String,
    /// A negation within the braces.
    #[param(pattern = r"^\p{^L}+$")]
    pub negated: String,
    /// These are fine.
    #[param(pattern = r"^\p{L}\p{Lu}\P{Lu}\p{Script=Greek}\p{sc=Greek}+$")]
    pub fine: String,
}

fn main() {}
