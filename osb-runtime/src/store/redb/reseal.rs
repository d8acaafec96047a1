//! Sealing a whole file again.

use std::{ffi::OsString, fs, io, path::Path};

use redb::{Database, ReadableDatabase};

use super::{
    open::{self, Make, OpenError, Why},
    tables::{self, Facts},
};
use crate::store::codec::{Codec, CodecError};

/// How many records share a transaction.
const CHUNK: usize = 1000;

/// Copies the records into a new file, sealed with the newest key, which then takes the place of the old one. What the
/// old file had in its free pages is gone with it. Returns how many records there are.
pub(crate) fn reseal(path: &Path, codec: &Codec) -> Result<u64, OpenError> {
    let fail = |why: Why| OpenError::new(path, why);
    let old = open::file(path, Make::Never, codec)?;
    // A link goes on leading to the file, wherever that is.
    let target = fs::canonicalize(path).map_err(|error| fail(Why::System(error)))?;
    let mut name = OsString::from(&target);
    name.push(".resealed");
    let new_path = Path::new(&name);
    match fs::remove_file(new_path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(fail(Why::System(error))),
        // Left by one that was interrupted.
        _ => {}
    }
    let new = open::file(new_path, Make::IfMissing, codec)?;
    let copied = copy(&old, &new, codec).map_err(&fail)?;
    new.close().map_err(|error| fail(error.into()))?;
    let replaced = give_to_the_same(&target, new_path)
        .and_then(|()| fs::rename(new_path, &target))
        .and_then(|()| open::sync_folder(&target));
    replaced.map_err(|error| fail(Why::System(error)))?;
    Ok(copied)
}

/// Whoever could open the old file has to be able to open the new one, also if somebody else has sealed it.
fn give_to_the_same(old: &Path, new: &Path) -> io::Result<()> {
    let metadata = fs::metadata(old)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, chown};
        let made = fs::metadata(new)?;
        if (made.uid(), made.gid()) != (metadata.uid(), metadata.gid()) {
            chown(new, Some(metadata.uid()), Some(metadata.gid()))?;
        }
    }
    fs::set_permissions(new, metadata.permissions())
}

fn copy(old: &Database, new: &Database, codec: &Codec) -> Result<u64, Why> {
    let mut copied = 0;
    let mut last: Option<Vec<u8>> = None;
    loop {
        let from = old.begin_read().map_err(redb::Error::from)?;
        let to = new.begin_write().map_err(redb::Error::from)?;
        let chunk = tables::records(&from, last.as_deref(), CHUNK)?;
        for (key, stored) in &chunk {
            let sealed = sealed_again(codec, key, stored).map_err(Why::Record)?;
            tables::put(&to, key, Some(&sealed.0), &Facts::default(), &sealed.1)?;
            copied += 1;
        }
        to.commit().map_err(redb::Error::from)?;
        last = match chunk.into_iter().next_back() {
            Some((key, _)) => Some(key),
            None => return Ok(copied),
        };
    }
}

fn sealed_again(codec: &Codec, key: &[u8], stored: &[u8]) -> Result<(Vec<u8>, Facts), CodecError> {
    let plain = codec.open(key, stored)?;
    Ok((codec.seal(key, &plain)?, Facts::of(Some(&Codec::read(&plain)?))))
}
