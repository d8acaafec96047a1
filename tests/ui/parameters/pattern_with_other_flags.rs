//! Patterns have flags, or an octal number, as in other dialects.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Text of several lines.
    #[param(pattern = "(?s)^a.b$")]
    pub text: String,
    /// Lines.
    #[param(pattern = "(?m)^a$")]
    pub lines: String,
    /// A word.
    #[param(pattern = "(?x) ^a$")]
    pub word: String,
    /// A name without NUL.
    #[param(pattern = r"^[^\0]*$")]
    pub name: String,
    /// A name with NUL.
    #[param(pattern = r"^a\0$")]
    pub other_name: String,
}

fn main() {}
