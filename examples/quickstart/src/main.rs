//! A broker for directories: an instance is a directory on this machine, with a quota; a binding says where it is.

use osb_runtime::prelude::*;
use std::{fs, path::PathBuf, process::ExitCode};

/// A directory of your own on the broker's machine.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "directory", tags("files"), plans(Small))]
struct Directories(tempfile::TempDir);

/// Up to 10 MB, for trying things out.
#[plan(id = "8a4a2b58-0c1d-4f6e-9a57-2f0f6b1c7d02", name = "small", create = NewDirectory, bindable)]
struct Small;

/// What a user may choose when creating a directory.
#[parameters]
struct NewDirectory {
    /// How many kB its files may have together; while they have more, it cannot be bound.
    #[param(range(min = 1, max = 10_000), default = 100)]
    quota_kb: u64,
}

/// What an application needs to use its directory.
#[credentials]
struct Access {
    /// Where the directory is.
    path: PathBuf,
}

impl Provision<Small> for Directories {
    type State = PathBuf; // remembered by the runtime, and handed to the other operations
    async fn provision(&self, _: New<Small>, work: &Work<PathBuf>) -> Result<Provisioned<PathBuf>, ProvisionError> {
        let path = self.0.path().join(work.operation_id());
        Ok(fs::create_dir_all(&path).map(|()| Provisioned::new(path))?)
    }
    // May run again after a failure, so it takes what is gone already for done.
    async fn deprovision(&self, gone: Remains<Small, PathBuf>, _: &Work<PathBuf>) -> Result<(), DeprovisionError> {
        Ok(gone.state.filter(|path| path.exists()).map_or(Ok(()), fs::remove_dir_all)?)
    }
}

impl Bind<Small> for Directories {
    type Output = Credentials<Access>;
    type State = ();
    async fn bind(&self, new: NewBinding<Small, PathBuf>, _: &Work) -> Result<Bound<Credentials<Access>>, BindError> {
        let used =
            fs::read_dir(&new.state)?.flatten().flat_map(|file| file.metadata()).map(|data| data.len()).sum::<u64>();
        let bound = Bound::new(Credentials(Access { path: new.state }));
        (used <= new.instance_parameters.quota_kb * 1000)
            .then_some(bound)
            .ok_or(BindError::refused("It is over its quota."))
    }
    async fn unbind(&self, _: BindingRemains<Small, PathBuf>, _: &Work) -> Result<(), UnbindError> {
        Ok(())
    }
}

#[broker]
struct Quickstart(Directories);

fn main() -> ExitCode {
    osb_runtime::run(async |()| Ok(Quickstart(Directories(tempfile::tempdir()?))))
}
