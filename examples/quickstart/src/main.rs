//! A broker for disk images: an instance is a file of the chosen size on this machine, to be formatted, mounted or given
//! to a virtual machine; a binding says where it is.

use osb_runtime::prelude::*;

/// A blank disk image on the broker's machine.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "disk-image", tags("files"), plans(Small))]
struct DiskImages;

/// Up to 64 MB, for trying things out.
#[plan(id = "8a4a2b58-0c1d-4f6e-9a57-2f0f6b1c7d02", name = "small", create = NewImage, bindable)]
struct Small;

/// What a user may choose when creating an image.
#[parameters]
struct NewImage {
    /// How large the image is, in MiB.
    #[param(range(min = 1, max = 64), default = 8)]
    size_mb: u64,
}

/// What an application needs to use its image.
#[credentials]
struct Access {
    /// Where the image is.
    path: String,
}

impl Provision<Small> for DiskImages {
    type State = String; // what the runtime is to remember: here, the path
    async fn provision(&self, new: New<Small>, work: &Work<String>) -> Result<Provisioned<String>, ProvisionError> {
        let path = std::path::absolute(format!("{}.img", work.operation_id()))?.display().to_string();
        work.checkpoint(&path).await?; // before it is made, so that it can be removed whatever happens next
        Ok(std::fs::File::create(&path)?.set_len(new.parameters.size_mb << 20).map(|()| Provisioned::new(path))?)
    }
    // It may run twice, so an image that is gone already is no error.
    async fn deprovision(&self, gone: Remains<Small, String>, _: &Work<String>) -> Result<(), DeprovisionError> {
        Ok(gone.state.filter(|path| std::fs::exists(path).unwrap_or(true)).map_or(Ok(()), std::fs::remove_file)?)
    }
}

impl Bind<Small> for DiskImages {
    type Output = Credentials<Access>;
    type State = (); // nothing but the credentials, which the runtime remembers anyway
    async fn bind(&self, new: NewBinding<Small, String>, _: &Work) -> Result<Bound<Credentials<Access>>, BindError> {
        Ok(Bound::new(Credentials(Access { path: new.state })))
    }
    async fn unbind(&self, _: BindingRemains<Small, String>, _: &Work) -> Result<(), UnbindError> {
        Ok(())
    }
}

#[broker]
struct Quickstart(DiskImages);

fn main() -> std::process::ExitCode {
    osb_tool::run(async |()| Ok(Quickstart(DiskImages)))
}
