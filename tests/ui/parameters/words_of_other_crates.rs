//! Words of other crates for constraints, or with typos.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    #[param(step = 10)]
    pub size_gb: u32,
    #[param(each(length(max = 63)))]
    pub hosts: Vec<String>,
    #[param(keys(length(max = 63)))]
    pub labels: std::collections::BTreeMap<String, String>,
    #[param(deprecated)]
    pub size_mb: Option<u32>,
    #[param(rename_all = "kebab-case")]
    pub mode: Option<String>,
    #[param(custom(function = "check"))]
    pub name: String,
    #[param(trim, lowercase)]
    pub owner: String,
    #[param(with = "address")]
    pub address: String,
    #[param(long, short, env = "REGION")]
    pub region: String,
    #[param(values(range(min = 1)))]
    pub limits: std::collections::BTreeMap<String, u32>,
    #[param(help = "A comment.")]
    pub comment: String,
    #[param(minimum = 1, maximum = 60)]
    pub ttl: u32,
    #[param(name = "filter-mode")]
    pub filter: String,
    #[param(min_length = 1, sensitive)]
    pub title: String,
    #[param(required)]
    pub keys: u32,
    #[param(rnage(min = 1))]
    pub days: u32,
    #[param(flatten)]
    pub files: u32,
    #[param(public)]
    pub shown: String,
}

fn main() {}
