//! Re-encrypts a whole file.

use std::{ffi::OsString, fs, io, path::Path};

use redb::{Database, ReadableDatabase};

use super::{
    open::{self, Creation, OpenError, OpenFailure},
    tables::{self, Facts},
};
use crate::{
    codec::{Codec, CodecError},
    copied::Progress,
    seal::Keys,
};

/// Number of records in each transaction.
const CHUNK: usize = 1000;

/// Re-encrypts all records of a file with the first key, including records that are not sealed. Returns the number of
/// records.
///
/// The records are copied into a new file, which then replaces the old one, so that an interruption loses nothing and
/// nothing readable is left in free pages. The blocks of the old file are not overwritten on the disk.
///
/// # Errors
///
/// As [`Redb::open`](super::Redb::open). The file has to exist, and no other process may have it open.
pub fn reseal(path: impl AsRef<Path>, keys: Keys, progress: Progress<'_>) -> Result<u64, OpenError> {
    let path = path.as_ref();
    let codec = &Codec { keys: Some(keys), reads_unsealed: true };
    let fail = |failure| OpenError::new(path, failure);
    let old = open::file(path, Creation::Never, codec)?;
    // Replaces the target of a symbolic link, and not the link.
    let target = fs::canonicalize(path).map_err(|error| fail(OpenFailure::Io(error)))?;
    let mut name = OsString::from(&target);
    name.push(".resealed");
    let new_path = Path::new(&name);
    match fs::remove_file(new_path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(fail(OpenFailure::Io(error))),
        // There is none, or the one that an interrupted run left is removed now.
        _ => {}
    }
    let new = open::file(new_path, Creation::IfMissing, codec)?;
    let copied = copy(&old, &new, codec, progress).map_err(&fail)?;
    new.close().map_err(|error| fail(error.into()))?;
    let replaced = copy_permissions(&target, new_path)
        .and_then(|()| fs::rename(new_path, &target))
        .and_then(|()| open::sync_folder(&target));
    replaced.map_err(|error| fail(OpenFailure::Io(error)))?;
    Ok(copied)
}

/// Copies owner and mode, so that the broker can open the new file even if another user, such as root, resealed it.
fn copy_permissions(old: &Path, new: &Path) -> io::Result<()> {
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

fn copy(old: &Database, new: &Database, codec: &Codec, progress: Progress<'_>) -> Result<u64, OpenFailure> {
    let mut copied = 0;
    let mut last: Option<Vec<u8>> = None;
    loop {
        let from = old.begin_read().map_err(redb::Error::from)?;
        let to = new.begin_write().map_err(redb::Error::from)?;
        let chunk = tables::records(&from, last.as_deref(), CHUNK)?;
        for (key, stored) in &chunk {
            let sealed = resealed(codec, key, stored).map_err(OpenFailure::UnreadableRecord)?;
            tables::put(&to, key, Some(&sealed.0), &Facts::default(), &sealed.1)?;
            copied += 1;
        }
        to.commit().map_err(redb::Error::from)?;
        progress(chunk.len() as u64);
        last = match chunk.into_iter().next_back() {
            Some((key, _)) => Some(key),
            None => return Ok(copied),
        };
    }
}

fn resealed(codec: &Codec, key: &[u8], stored: &[u8]) -> Result<(Vec<u8>, Facts), CodecError> {
    let plain = codec.open(key, stored)?;
    Ok((codec.seal(key, &plain)?, Facts::of(Some(&Codec::read(&plain)?))))
}
