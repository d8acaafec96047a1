//! Formats have a typo, or are those of later drafts or of OpenAPI.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    #[param(format = "datetime")]
    pub created: String,
    #[param(format = "uuid")]
    pub id: String,
    #[param(format = "ip")]
    pub address: String,
    #[param(format = "int32")]
    pub size_gb: i32,
    #[param(format = "base64")]
    pub certificate: String,
    #[param(format = "date")]
    pub until: String,
    #[param(format = "password")]
    pub password: String,
    #[param(format = "binary")]
    pub image: String,
}

fn main() {}
