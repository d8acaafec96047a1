//! Formats have a typo, or are those of later drafts or of OpenAPI.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    // Mistake: A format has a typo.
    #[param(format = "datetime")]
    pub created: String,
    // Mistake: A format that is not validated.
    #[param(format = "uuid")]
    pub id: String,
    // Mistake: There are two formats for IP addresses.
    #[param(format = "ip")]
    pub address: String,
    // Mistake: Formats of OpenAPI.
    #[param(format = "int32")]
    pub size_gb: i32,
    #[param(format = "base64")]
    pub certificate: String,
    // Mistake: Formats are those of later drafts, or of OpenAPI.
    #[param(format = "date")]
    pub until: String,
    #[param(format = "password")]
    pub password: String,
    #[param(format = "binary")]
    pub image: String,
}

fn main() {}
