//! Parameters that only updates have contradict themselves, or have no update.
#![deny(warnings)]
use osb_runtime::prelude::*;

// Mistake: A type has a parameter for updates alone, and no type of an update.
#[parameters]
pub struct NewMachine {
    #[param(update_only)]
    pub restart: bool,
}

#[parameters(partial = DatabaseChanges)]
pub struct NewDatabase {
    pub size: u8,
    // Mistake: A parameter for updates alone is immutable too.
    #[param(update_only, immutable)]
    pub restart: bool,
    // Mistake: A parameter for updates alone has a default.
    #[param(update_only, default = false)]
    pub fail_over: bool,
    // Mistake: A parameter for updates alone is an `Option`.
    #[param(update_only)]
    pub upgrade_to: Option<u8>,
}

// Mistake: A field of a variant is for updates alone.
#[parameters(tag = "kind")]
pub enum Archive {
    None,
    Bucket {
        #[param(update_only)]
        empty: bool,
    },
}

// Mistake: A member of credentials is for updates alone.
#[credentials]
pub struct Access {
    #[param(update_only)]
    pub token: String,
}

fn main() {}
