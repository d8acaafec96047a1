//! Re-encrypts a whole file.

use std::{ffi::OsString, fs, io, path::Path};

use redb::{Database, ReadableDatabase};

use super::{
    open::{self, Creation},
    open_error::{OpenError, OpenFailure},
    tables::{self, Facts},
};
use crate::{
    codec::{Codec, CodecError},
    copied::Progress,
    seal::{Keys, key_of},
};

/// Number of records in each transaction.
const CHUNK: usize = 1000;

/// Re-encrypts all records of a file with the first key, or encrypts those of a file that was written without keys. Returns the
/// number of records.
///
/// The records are copied into a new file, which then replaces the old one, so that an interruption loses nothing and
/// nothing readable is left in free pages. The blocks of the old file are not overwritten on the disk.
///
/// # Errors
///
/// As [`Redb::open`](super::Redb::open). The file has to exist, and no other process may have it open. If only some of the
/// records are sealed, the others may be forged.
pub fn reseal(path: impl AsRef<Path>, keys: Keys, progress: Progress<'_>) -> Result<u64, OpenError> {
    let path = path.as_ref();
    let codec = &Codec { keys: Some(keys), reads_unsealed: true };
    let fail = |error| OpenError::new(path, OpenFailure::Io(error));
    let old = open::file(path, Creation::Never, codec)?;
    // Replaces the target of a symbolic link, and not the link.
    let target = fs::canonicalize(path).map_err(fail)?;
    let mut name = OsString::from(&target);
    name.push(".resealed");
    let new_path = Path::new(&name);
    let new = open::file(new_path, Creation::Always, codec)?;
    let copied = copy((path, &old), (new_path, new), codec, progress).and_then(|copied| {
        let named = copy_permissions(&target, new_path).and_then(|()| fs::rename(new_path, &target));
        named.map(|()| copied).map_err(fail)
    });
    if copied.is_err() {
        // The file takes up the space of a full disk. The first error is reported.
        _ = fs::remove_file(new_path);
    }
    let copied = copied?;
    open::sync_folder(&target).map_err(fail)?;
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

/// Copies the records into a new file, and returns their number.
fn copy(
    (path, old): (&Path, &Database),
    (new_path, new): (&Path, Database),
    codec: &Codec,
    progress: Progress<'_>,
) -> Result<u64, OpenError> {
    let unreadable = |failure| OpenError::new(path, failure);
    let unwritable = |error: redb::Error| OpenError::new(new_path, error.into());
    let mut copied = 0;
    let mut last: Option<Vec<u8>> = None;
    let mut were_sealed = None;
    loop {
        let from = old.begin_read().map_err(|error| unreadable(redb::Error::from(error).into()))?;
        let to = new.begin_write().map_err(|error| unwritable(error.into()))?;
        let chunk = tables::records(&from, last.as_deref(), CHUNK).map_err(|error| unreadable(error.into()))?;
        for (key, stored) in &chunk {
            let is_sealed = key_of(stored).is_some();
            if *were_sealed.get_or_insert(is_sealed) != is_sealed {
                return Err(unreadable(OpenFailure::PartlySealed));
            }
            let sealed =
                resealed(codec, key, stored).map_err(|error| unreadable(OpenFailure::UnreadableRecord(error)))?;
            tables::put(&to, key, Some(&sealed.0), &Facts::default(), &sealed.1).map_err(unwritable)?;
            copied += 1;
        }
        to.commit().map_err(|error| unwritable(error.into()))?;
        progress(chunk.len() as u64);
        last = match chunk.into_iter().next_back() {
            Some((key, _)) => Some(key),
            None => break,
        };
    }
    new.close().map_err(|error| unwritable(error.into()))?;
    Ok(copied)
}

fn resealed(codec: &Codec, key: &[u8], stored: &[u8]) -> Result<(Vec<u8>, Facts), CodecError> {
    let plain = codec.open(key, stored)?;
    Ok((codec.seal(key, &plain)?, Facts::of(Some(&Codec::read(&plain)?))))
}
