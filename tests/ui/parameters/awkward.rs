//! Warning: a password is not secret, or a backslash is escaped in a raw string too.

#![deny(deprecated)]

use osb_runtime::prelude::*;

// Mistake: A password that logs show.
/// The login of an application.
#[credentials]
pub struct Access {
    /// The password.
    #[param(public)]
    pub password: String,
}

// Mistake: A password that is not secret.
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

    /// The token of the registry.
    pub registry_token: Option<String>,

    /// The name of a pastoken, which is no secret.
    pub pastoken: String,

    /// The password of the backup.
    pub backup_pwd: String,

    /// The credential of the registry.
    pub registry_credential: String,
}

// Mistake: A backslash that is escaped in a raw string too.
/// The parameters of a new store.
#[parameters]
pub struct NewLogin {
    /// The PIN.
    #[param(pattern = r"^\\d{4}$")]
    pub pin: String,

    /// A path on Windows.
    #[param(pattern = r"^[A-Z]:\\")]
    pub path: String,
}

fn main() {}
