//! A broker whose manifest doesn't name the runtime, because another crate re-exports it. The attributes find it by the prelude.

use osb_lab::osb_runtime::prelude::*;

/// Disks.
#[service(id = "6c2f3a70-8a4e-4f0b-9d3c-51b7e0a4d001", name = "disk", plans(Basic))]
#[derive(Debug)]
pub struct Disks;

/// A disk.
#[plan(id = "6c2f3a70-8a4e-4f0b-9d3c-51b7e0a4d002", name = "basic", create = NewDisk, update = DiskChange, bindable)]
#[derive(Debug)]
pub struct Basic;

/// Describes a new disk.
#[parameters(partial = DiskChange)]
pub struct NewDisk {
    /// Size in GB.
    #[param(range(min = 1, max = 64), default = 8)]
    pub size_gb: u64,
    /// The kind.
    #[param(default = "Fast")]
    pub kind: Kind,
}

pub use nested::Kind;

mod nested {
    use osb_lab::osb_runtime::prelude::*;

    /// The kind of a disk.
    #[parameters]
    pub enum Kind {
        /// On flash memory.
        Fast,
        /// On tape.
        Cheap,
    }
}

/// The credentials of a binding.
#[credentials]
pub struct Access {
    /// The path of the disk.
    pub path: String,
}

impl Provision<Basic> for Disks {
    type State = u64;
    async fn provision(
        &self,
        request: ProvisionRequest<Basic>,
        _: &Operation<u64>,
    ) -> Result<Provisioned<u64>, ProvisionError> {
        Ok(Provisioned::new(request.parameters.size_gb))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Basic, u64>, _: &Operation<u64>) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

impl Update<Basic> for Disks {
    async fn update(
        &self,
        request: UpdateRequest<Basic, Basic, u64>,
        _: &Operation<u64>,
    ) -> Result<Updated<u64>, UpdateError> {
        Ok(Updated::new(request.parameters.size_gb))
    }
}

impl Bind<Basic> for Disks {
    type Output = Credentials<Access>;
    type BindingState = ();
    async fn bind(
        &self,
        request: BindRequest<Basic, u64>,
        _: &Operation,
    ) -> Result<Bound<Credentials<Access>>, BindError> {
        Ok(Bound::new(Credentials(Access { path: request.instance_id.to_string() }), ()))
    }
    async fn unbind(&self, _: UnbindRequest<Basic, u64>, _: &Operation) -> Result<(), UnbindError> {
        Ok(())
    }
}

/// The broker.
#[broker]
#[derive(Debug)]
pub struct Broker(pub Disks);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalog_is_complete() {
        for part in [r#""name":"disk""#, r#""size_gb":"#, r#""enum":["Fast","Cheap"]"#] {
            assert!(Broker::CATALOG_JSON.contains(part), "{part} in {}", Broker::CATALOG_JSON);
        }
    }
}
