// Handlers for the cases. Not a crate, because the compiler would list its plans.

/// Implements `Provision` for every plan of a service, for tests about something else.
#[allow(unused_macros)] // a case needs one or the other
macro_rules! provisions {
    ($($service:ty),+) => {$(
        impl<P: ::osb_runtime::service::Plan> ::osb_runtime::service::Provision<P> for $service {
            type State = ();
            async fn provision(
                &self,
                _: ::osb_runtime::service::ProvisionRequest<P>,
                _: &::osb_runtime::service::Operation<()>,
            ) -> ::core::result::Result<::osb_runtime::service::Provisioned<()>, ::osb_runtime::service::ProvisionError> {
                ::core::result::Result::Ok(::osb_runtime::service::Provisioned::new(()))
            }
            async fn deprovision(
                &self,
                _: ::osb_runtime::service::DeprovisionRequest<P, ()>,
                _: &::osb_runtime::service::Operation<()>,
            ) -> ::core::result::Result<(), ::osb_runtime::service::DeprovisionError> {
                ::core::result::Result::Ok(())
            }
        }
    )+};
}

/// Implements `Update` for plans of a service that `provisions!` them.
#[allow(unused_macros)] // a case needs one or the other
macro_rules! updates {
    ($service:ty, $($plan:ty),+) => {$(
        impl ::osb_runtime::service::Update<$plan> for $service {
            async fn update(
                &self,
                update: ::osb_runtime::service::UpdateRequest<$plan, $plan, ()>,
                _: &::osb_runtime::service::Operation<()>,
            ) -> ::core::result::Result<::osb_runtime::service::Updated<()>, ::osb_runtime::service::UpdateError> {
                ::core::result::Result::Ok(::osb_runtime::service::Updated::new(update.state))
            }
        }
    )+};
}
