//! A password that is not secret.

#![deny(deprecated)]

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// The password of the administrator.
    pub admin_password: String,

    /// A token that everyone may see.
    #[param(secret = false)]
    pub invitation_token: Option<String>,

    /// The length of passwords.
    pub password_length: u8,

    /// The password of the backup.
    pub backup_pwd: String,

    /// The credential of the registry.
    pub registry_credential: String,
}

fn main() {}
