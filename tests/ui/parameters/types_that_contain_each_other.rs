//! Two types contain each other, so that their schemas have no end.

use osb_runtime::prelude::*;

/// A folder.
#[parameters]
pub struct Folder {
    /// The entries of the folder.
    pub entries: Vec<Entry>,
}

/// An entry of a folder.
#[parameters]
pub struct Entry {
    /// The entry, if it is a folder.
    pub folder: Option<Folder>,
}

fn main() {}
