//! Only for this project's own fuzz targets: anything here can change in any release.

use crate::store::Keys;

/// Seals as a store does.
///
/// # Errors
///
/// What an operator would read.
pub fn seal(keys: &Keys, place: &[u8], plain: &[u8]) -> Result<Vec<u8>, String> {
    keys.seal(place, plain).map_err(|error| error.to_string())
}

/// Opens as a store does.
///
/// # Errors
///
/// What an operator would read.
pub fn open(keys: &Keys, place: &[u8], sealed: &[u8]) -> Result<Vec<u8>, String> {
    keys.open(place, sealed).map(|plain| plain.to_vec()).map_err(|error| error.to_string())
}
