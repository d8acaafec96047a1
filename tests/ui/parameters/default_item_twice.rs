//! Lists without duplicates whose defaults have the same value twice, however it is written.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// The regions.
    #[param(unique, default = ["eu", "us", "eu"])]
    pub regions: Vec<String>,

    /// The weights.
    #[param(unique, default = [1, 1.0])]
    pub weights: Vec<f64>,

    /// The pairs of ports.
    #[param(unique, default = [[80, 443], [80, 443]])]
    pub ports: Vec<Vec<u16>>,

    /// Weights that differ.
    #[param(unique, default = [1, 1.5, -1])]
    pub others: Vec<f64>,
}

fn main() {}
