//! Patterns have flags, groups, classes, look-around or numbers of other dialects, or several of them.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    #[param(pattern = "(?i)^a$")]
    pub name: String,
    #[param(pattern = "^(?!x)a$")]
    pub zone: String,
    #[param(pattern = "^(?P<n>a)$")]
    pub group: String,
    #[param(pattern = r"\A[[:alpha:]]\z")]
    pub host: String,
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
