//! A broker for disk images. An instance is a file of the chosen size on the broker's machine, which can be formatted,
//! mounted or attached to a virtual machine. A binding contains the path of the file.

use osb_runtime::prelude::*;

/// A blank disk image on the broker's machine.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "disk-image", tags("files"), plans(Small))]
struct DiskImages;

/// Up to 64 MiB, for trying things out.
#[plan(id = "8a4a2b58-0c1d-4f6e-9a57-2f0f6b1c7d02", name = "small", create = NewImage, bindable)]
struct Small;

/// The parameters of a new image.
#[parameters]
struct NewImage {
    /// Size of the image in MiB.
    #[param(range(min = 1, max = 64), default = 8)]
    size_mib: u64,
}

/// The credentials of a binding.
#[credentials]
struct Access {
    /// Path of the image.
    path: String,
}

impl Provision<Small> for DiskImages {
    type State = String; // the path, which the runtime stores
    async fn provision(
        &self,
        request: ProvisionRequest<Small>,
        operation: &Operation<String>,
    ) -> Result<Provisioned<String>, ProvisionError> {
        let path = std::path::absolute(format!("{}.img", operation.id()))?.display().to_string();
        operation.checkpoint(&path).await?; // saved before the file exists, so that a crash leaves no orphan
        tokio::fs::File::create(&path).await?.set_len(request.parameters.size_mib << 20).await?;
        Ok(Provisioned::new(path))
    }
    // A handler may run more than once, so a missing file is not an error.
    async fn deprovision(
        &self,
        request: DeprovisionRequest<Small, String>,
        _: &Operation<String>,
    ) -> Result<(), DeprovisionError> {
        let Some(path) = request.state.decoded()? else { return Ok(()) };
        match tokio::fs::remove_file(path).await {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}

impl Bind<Small> for DiskImages {
    type Output = Credentials<Access>;
    type BindingState = (); // the credentials are all there is to a binding, and the runtime stores them
    async fn bind(
        &self,
        request: BindRequest<Small, String>,
        _: &Operation,
    ) -> Result<Bound<Credentials<Access>>, BindError> {
        Ok(Bound::new(Credentials(Access { path: request.instance_state }), ()))
    }
    async fn unbind(&self, _: UnbindRequest<Small, String>, _: &Operation) -> Result<(), UnbindError> {
        Ok(())
    }
}

#[broker]
struct Quickstart(DiskImages);

fn main() -> std::process::ExitCode {
    osb_tool::run(async |()| Ok(Quickstart(DiskImages)))
}
