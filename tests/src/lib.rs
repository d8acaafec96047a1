//! What the workspace's tests have in common; the tests are the files in `tests`.

pub mod lab;
pub mod wire;

/// Implements `Provision` for every plan of a service, for tests about something else.
#[macro_export]
macro_rules! provisions {
    ($($service:ty),+) => {$(
        impl<P: ::osb_runtime::service::Plan> ::osb_runtime::service::Provision<P> for $service {
            type State = ();
            async fn provision(
                &self,
                _: ::osb_runtime::service::New<P>,
                _: &::osb_runtime::service::Work<()>,
            ) -> ::core::result::Result<::osb_runtime::service::Provisioned<()>, ::osb_runtime::service::ProvisionError> {
                ::core::result::Result::Ok(::osb_runtime::service::Provisioned::new(()))
            }
            async fn deprovision(
                &self,
                _: ::osb_runtime::service::Remains<P, ()>,
                _: &::osb_runtime::service::Work<()>,
            ) -> ::core::result::Result<(), ::osb_runtime::service::DeprovisionError> {
                ::core::result::Result::Ok(())
            }
        }
    )+};
}
