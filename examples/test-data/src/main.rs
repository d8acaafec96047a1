//! A broker whose instances take a while to create: files of reproducible test data, written block by block.
//!
//! It shows asynchronous operations with progress, checkpoints, cancellation, and temporary errors.

use std::{io, path::PathBuf, time::Duration};

use osb_runtime::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::{fs, io::AsyncWriteExt};

#[cfg(test)]
mod tests;

/// Files of test data on the broker's machine.
#[service(id = "5d0c6c1e-7a0b-4a53-8a4e-3d1f0b9c2e01", name = "test-data", tags("files"), plans(File))]
struct TestData(PathBuf);

/// Up to 10 GB, written at a speed of your choice.
// Creating a file always takes longer than a platform should wait.
#[plan(id = "5d0c6c1e-7a0b-4a53-8a4e-3d1f0b9c2e02", name = "file", create = NewFile, bindable, asynchronous(instances = always))]
struct File;

/// The parameters of a new file.
#[parameters]
struct NewFile {
    /// Size in MB.
    #[param(range(min = 1, max = 10_000), default = 20)]
    size_mb: u32,
    /// Speed of writing, in MB per second.
    #[param(range(min = 1, max = 1_000), default = 2)]
    mb_per_second: u32,
    /// Seed of the random data: the same seed makes the same file.
    #[param(default = 1)]
    seed: u32,
}

/// The credentials of a binding.
#[credentials]
struct Access {
    /// Path of the file.
    path: String,
}

/// The state of a file, first saved before the file exists.
#[derive(Serialize, Deserialize)]
struct FileState {
    path: PathBuf,
    blocks: u32,
}

const BLOCK: usize = 1_000_000;

impl Provision<File> for TestData {
    type State = FileState;
    async fn provision(
        &self,
        request: ProvisionRequest<File>,
        operation: &Operation<FileState>,
    ) -> Result<Provisioned<FileState>, ProvisionError> {
        let NewFile { size_mb, mb_per_second, seed } = request.parameters;
        // Every attempt resumes at the last checkpoint. The operation id is the same for all of them and valid as a file
        // name; the instance id could contain any character.
        let path = self.0.join(operation.id());
        let mut state = operation.checkpointed().unwrap_or(FileState { path, blocks: 0 });
        // Saved before the file exists, so that `deprovision` knows its path after a crash.
        operation.checkpoint(&state).await?;
        let mut file = fs::File::options().create(true).append(true).open(&state.path).await?;
        // Discards a block that was written after the last checkpoint.
        file.set_len(u64::from(state.blocks) * BLOCK as u64).await?;
        while state.blocks < size_mb {
            append(&mut file, &block(seed, state.blocks)).await.map_err(|error| match error.kind() {
                // There may be space later, so the runtime retries.
                io::ErrorKind::StorageFull => ProvisionError::temporary(error),
                _ => ProvisionError::unexpected(error),
            })?;
            state.blocks += 1;
            operation.checkpoint(&state).await?;
            operation.progress(format!("{} of {size_mb} MB ({} %)", state.blocks, state.blocks * 100 / size_mb));
            tokio::select! {
                () = tokio::time::sleep(Duration::from_secs(1) / mb_per_second) => {}
                // The instance was deleted, or the time is over. The runtime calls `deprovision` next.
                () = operation.cancelled() => return Err("cancelled".into()),
            }
        }
        Ok(Provisioned::new(state))
    }

    /// Deletes a file, complete or not. A missing file is not an error, because a handler may run more than once.
    async fn deprovision(
        &self,
        request: DeprovisionRequest<File, FileState>,
        _: &Operation<FileState>,
    ) -> Result<(), DeprovisionError> {
        let Some(state) = request.state.decoded()? else { return Ok(()) };
        match fs::remove_file(state.path).await {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}

/// Appends a block, and reports errors of the write itself: without the flush they would appear at the next write.
async fn append(file: &mut fs::File, block: &[u8]) -> io::Result<()> {
    file.write_all(block).await?;
    file.flush().await
}

/// Generates one megabyte of pseudo-random data (xorshift), with a separate seed for each block.
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
    type BindingState = ();
    async fn bind(
        &self,
        request: BindRequest<File, FileState>,
        _: &Operation,
    ) -> Result<Bound<Credentials<Access>>, BindError> {
        Ok(Bound::new(Credentials(Access { path: request.instance_state.path.display().to_string() }), ()))
    }
    async fn unbind(&self, _: UnbindRequest<File, FileState>, _: &Operation) -> Result<(), UnbindError> {
        Ok(())
    }
}

#[broker]
struct Broker(TestData);

fn main() -> std::process::ExitCode {
    osb_tool::run(async |()| {
        fs::create_dir_all("test-data-files").await?;
        Ok(Broker(TestData(fs::canonicalize("test-data-files").await?)))
    })
}
