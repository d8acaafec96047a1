//! Words of other crates for constraints.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Gigabytes.
    #[param(step = 10)]
    pub size_gb: u32,

    /// Hosts that may connect.
    #[param(each(length(max = 63)))]
    pub hosts: Vec<String>,

    /// Labels.
    #[param(keys(length(max = 63)))]
    pub labels: std::collections::BTreeMap<String, String>,

    /// The former size.
    #[param(deprecated)]
    pub size_mb: Option<u32>,

    /// The mode.
    #[param(rename_all = "kebab-case")]
    pub mode: Option<String>,

    /// The name.
    #[param(custom(function = "check"))]
    pub name: String,

    /// The owner.
    #[param(trim, lowercase)]
    pub owner: String,

    /// The address.
    #[param(with = "address")]
    pub address: String,

    /// The region.
    #[param(long, short, env = "REGION")]
    pub region: String,

    /// Limits by name.
    #[param(values(range(min = 1)))]
    pub limits: std::collections::BTreeMap<String, u32>,

    /// The comment.
    #[param(help = "A comment.")]
    pub comment: String,
}

fn main() {}
