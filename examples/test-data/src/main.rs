//! A broker whose instances take a while to make: files of test data, the same for the same seed, written block by block.
//! Shown here: work in the background with progress, checkpoints, cancelling, and errors that pass.

use std::{fs, io, io::Write, path::PathBuf, time::Duration};

use osb_runtime::prelude::*;
use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

/// Files of test data on the broker's machine.
#[service(id = "5d0c6c1e-7a0b-4a53-8a4e-3d1f0b9c2e01", name = "test-data", tags("files"), plans(File))]
struct TestData(PathBuf);

/// Up to 10 GB of it, written as fast as you like.
// It always takes longer than a platform should be kept waiting, so it is always asynchronous.
#[plan(id = "5d0c6c1e-7a0b-4a53-8a4e-3d1f0b9c2e02", name = "file", create = NewFile, bindable, asynchronous(instances = always))]
struct File;

/// What a user may choose when creating a file.
#[parameters]
struct NewFile {
    /// How large it is, in MB.
    #[param(range(min = 1, max = 10_000), default = 20)]
    size_mb: u32,
    /// How many MB are written in a second.
    #[param(range(min = 1, max = 1_000), default = 2)]
    mb_per_second: u32,
    /// Where the data begins: the same seed, the same file.
    #[param(default = 1)]
    seed: u32,
}

/// What an application needs to read its file.
#[credentials]
struct Access {
    /// Where the file is.
    path: String,
}

/// What is remembered of a file, from the moment before it is made.
#[derive(Serialize, Deserialize)]
struct Written {
    path: PathBuf,
    blocks: u32,
}

const BLOCK: usize = 1_000_000;

impl Provision<File> for TestData {
    type State = Written;
    async fn provision(&self, new: New<File>, work: &Work<Written>) -> Result<Provisioned<Written>, ProvisionError> {
        let NewFile { size_mb, mb_per_second, seed } = new.parameters;
        // A further attempt goes on where the last one has saved how far it was. All of them have the operation's id,
        // which is good for a file name; the instance's could be anything.
        let path = self.0.join(work.operation_id());
        let mut written = work.checkpointed().unwrap_or(Written { path, blocks: 0 });
        // Before the file, so that whoever has to remove it knows where it is, whatever happens next.
        work.checkpoint(&written).await?;
        let mut file = fs::File::options().create(true).append(true).open(&written.path)?;
        // A block may have been written after the last checkpoint: once more, or the file is too long.
        file.set_len(u64::from(written.blocks) * BLOCK as u64)?;
        while written.blocks < size_mb {
            // A full disk may have room again in a while: the runtime tries again, after longer and longer pauses.
            file.write_all(&block(seed, written.blocks)).map_err(|error| match error.kind() {
                io::ErrorKind::StorageFull => ProvisionError::temporary(error),
                _ => ProvisionError::unexpected(error),
            })?;
            written.blocks += 1;
            work.checkpoint(&written).await?;
            work.progress(format!("{} of {size_mb} MB ({} %)", written.blocks, written.blocks * 100 / size_mb));
            tokio::select! {
                () = tokio::time::sleep(Duration::from_secs(1) / mb_per_second) => {}
                // Somebody has deleted the instance, or there is no more time. The runtime calls `deprovision` next.
                () = work.cancelled() => return Err("the file is no longer wanted".into()),
            }
        }
        Ok(Provisioned::new(written))
    }

    /// Removes a file, whole or not. It may run twice, so one that is gone already is no error.
    async fn deprovision(&self, gone: Remains<File, Written>, _: &Work<Written>) -> Result<(), DeprovisionError> {
        match gone.state.map(|written| fs::remove_file(written.path)) {
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}

/// One megabyte of noise: xorshift, from a start of its own for each block.
fn block(seed: u32, number: u32) -> Vec<u8> {
    let mut x = (u64::from(seed) << 32 | u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x.to_le_bytes()
    };
    std::iter::repeat_with(next).take(BLOCK / 8).flatten().collect()
}

impl Bind<File> for TestData {
    type Output = Credentials<Access>;
    type State = ();
    async fn bind(&self, new: NewBinding<File, Written>, _: &Work) -> Result<Bound<Credentials<Access>>, BindError> {
        Ok(Bound::new(Credentials(Access { path: new.state.path.display().to_string() })))
    }
    async fn unbind(&self, _: BindingRemains<File, Written>, _: &Work) -> Result<(), UnbindError> {
        Ok(())
    }
}

#[broker]
struct Broker(TestData);

fn main() -> std::process::ExitCode {
    osb_tool::run(async |()| {
        fs::create_dir_all("test-data-files")?;
        Ok(Broker(TestData(fs::canonicalize("test-data-files")?)))
    })
}
