//! Names are spelt where there are none.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters(rename_all_fields = "camelCase")]
pub struct NewStore {
    /// Seconds after which a key expires.
    pub time_to_live: u32,
    /// Where it is.
    pub region: Region,
    /// The megabytes.
    pub size: Size,
}

/// A region.
#[parameters(rename_all_fields = "camelCase")]
pub enum Region {
    /// Frankfurt.
    EuCentral,
    /// Virginia.
    UsEast,
}

/// Megabytes.
#[parameters(rename_all = "camelCase")]
pub struct Size(#[param(rename = "size")] u32);

fn main() {}
