//! Formats are those of later drafts, or of OpenAPI.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// The last day.
    #[param(format = "date")]
    pub until: String,
    /// The password.
    #[param(format = "password")]
    pub password: String,
    /// The image.
    #[param(format = "binary")]
    pub image: String,
}

fn main() {}
