//! For this project's own fuzz targets only. Not covered by semantic versioning.

use crate::store::Keys;

/// Seals like a store.
///
/// # Errors
///
/// With the message for operators.
pub fn seal(keys: &Keys, place: &[u8], plain: &[u8]) -> Result<Vec<u8>, String> {
    keys.seal(place, plain).map_err(|error| error.to_string())
}

/// Opens like a store.
///
/// # Errors
///
/// With the message for operators.
pub fn open(keys: &Keys, place: &[u8], sealed: &[u8]) -> Result<Vec<u8>, String> {
    keys.open(place, sealed).map(|plain| plain.to_vec()).map_err(|error| error.to_string())
}
