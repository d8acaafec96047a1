//! A parameter is a `str`, a slice, or the type itself, or two types contain each other.

use osb_runtime::prelude::*;

// Mistake: A parameter is a `str`, a slice, or the type itself.
/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Prefix of the keys.
    pub prefix: str,
}

/// The parameters of a folder.
#[parameters]
pub struct NewFolder {
    /// The folder in it.
    pub folder: Option<NewFolder>,
}

/// The parameters of a copy.
#[parameters]
pub struct NewCopy {
    /// The copy of the copy.
    pub copy: Self,
}

/// The parameters of a certificate.
#[parameters]
pub struct NewCertificate {
    /// The certificate.
    pub certificate: [u8],
}

/// The parameters of a key.
#[parameters(partial = KeyChanges)]
pub struct NewKey {
    /// The key.
    pub key: [u8],
}

/// The parameters of a part.
#[parameters(partial = PartChanges)]
pub struct NewPart {
    /// The part of the part.
    pub part: Self,
}

const _: &[u8] = <NewCertificate as Parameters>::JSON;

// Mistake: Two types contain each other, so that their schemas have no end.
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
