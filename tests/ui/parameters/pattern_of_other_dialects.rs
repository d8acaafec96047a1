//! Patterns have flags, groups, classes, look-around or numbers of other dialects, or several of them.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    // Mistake: A pattern with a flag that ECMA-262 does not have.
    #[param(pattern = "(?i)^a$")]
    pub name: String,
    // Mistake: A pattern has look-around.
    #[param(pattern = "^(?!x)a$")]
    pub zone: String,
    // Mistake: A pattern names a group in Python's syntax.
    #[param(pattern = "^(?P<n>a)$")]
    pub group: String,
    // Mistake: A pattern with several mistakes: all are reported.
    #[param(pattern = r"\A[[:alpha:]]\z")]
    pub host: String,
    // Mistake: Patterns have flags, or an octal number, as in other dialects.
    #[param(pattern = "(?s)^a.b$")]
    pub text: String,
    #[param(pattern = "(?m)^a$")]
    pub lines: String,
    #[param(pattern = "(?x) ^a$")]
    pub word: String,
    #[param(pattern = r"^[^\0]*$")]
    pub user: String,
    #[param(pattern = r"^a\0$")]
    pub other_user: String,
    // Mistake: Classes of characters whose names or spelling other dialects don't share.
    #[param(pattern = r"^\pL+$")]
    pub short: String,
    #[param(pattern = r"^\p{Greek}+$")]
    pub script: String,
    #[param(pattern = r"^\p{gc=Lu}+$")]
    pub property: String,
    #[param(pattern = r"^\p{Script!=Greek}+$")]
    pub other_script: String,
    #[param(pattern = r"^\p{^L}+$")]
    pub negated: String,
    #[param(pattern = r"^\p{L}\p{Lu}\P{Lu}\p{Script=Greek}\p{sc=Greek}+$")]
    pub fine: String,
}

fn main() {}
