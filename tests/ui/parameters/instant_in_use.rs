//! A field is an `Instant`, which other code prints.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters(partial = StoreChanges)]
pub struct NewStore {
    /// The end of the store.
    pub until: std::time::Instant,
}

/// Prints it.
pub fn print(new: &NewStore) {
    println!("{}", new.until);
}

fn main() {}
