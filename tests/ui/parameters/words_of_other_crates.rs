//! Words of other crates for constraints, or with typos.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    // Mistake: Words of other crates for constraints.
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
    #[param(size(max = 5))]
    pub zones: Vec<String>,
    #[param(range(min = 1), message = "too few")]
    pub copies: u32,
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
    #[param(between(1, 5))]
    pub nodes: u32,
    #[param(non_empty)]
    pub label: String,
    #[param(unit = "MB")]
    pub memory: u32,
    #[param(divisible_by = 5)]
    pub minutes: u32,
    #[param(matches = "^[a-z]+$")]
    pub zone: String,
    #[param(uuid)]
    pub tenant: String,
    #[param(fixed, private)]
    pub account: String,
    // Mistake: The bounds have the names of JSON Schema.
    #[param(minimum = 1, maximum = 60)]
    pub ttl: u32,
    // Mistake: A property is renamed as in other frameworks.
    #[param(name = "filter-mode")]
    pub filter: String,
    // Mistake: Two arguments are of other frameworks, each for something else.
    #[param(min_length = 1, sensitive)]
    pub title: String,
    // Mistake: A keyword of JSON Schema, and one of OpenAPI.
    #[param(const = "eu", write_only)]
    pub place: String,
    // Mistake: An argument is in upper case.
    #[param(DEFAULT = 3)]
    pub weeks: u32,
    // Mistake: `required` is not an argument.
    #[param(required)]
    pub keys: u32,
    // Mistake: An argument is misspelt.
    #[param(rnage(min = 1))]
    pub days: u32,
    // Mistake: An argument of serde's attribute in `#[param]`.
    #[param(flatten)]
    pub files: u32,
    // Mistake: Constraints are written as JSON Schema does.
    #[param(minLength = 1, maxLength = 10)]
    pub caption: String,
    // Mistake: Bounds are written as in Python, or a pattern has flags.
    #[param(ge = 1, le = 10)]
    pub score: u32,
    #[param(pattern = "^[a-z]+$", flags = "i")]
    pub code: String,
    // Mistake: A parameter is `public`.
    #[param(public)]
    pub shown: String,
}

fn main() {}
