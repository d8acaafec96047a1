//! Handlers that do nothing, for brokers of which a test needs something else.

/// Implements `Provision` for all plans of a service: nothing is done, and there is no state.
#[macro_export]
macro_rules! provision_nothing {
    ($($service:ty),+) => {$(
        impl<P: ::osb_runtime::service::Plan> Provision<P> for $service {
            type State = ();
            async fn provision(&self, _: ProvisionRequest<P>, _: &Operation) -> Result<Provisioned, ProvisionError> {
                Ok(Provisioned::new(()))
            }
            async fn deprovision(&self, _: DeprovisionRequest<P>, _: &Operation) -> Result<(), DeprovisionError> {
                Ok(())
            }
        }
    )+};
}

/// Implements `Bind` for plans of a service: `Service: Plan => Output = |request| output`. Nothing is done, and there is
/// no state.
#[macro_export]
macro_rules! bind_nothing {
    ($($service:ty: $plan:ty => $output:ty = |$new:ident| $given:expr;)+) => {$(
        impl Bind<$plan> for $service {
            type Output = $output;
            type BindingState = ();
            async fn bind(&self, $new: BindRequest<$plan, ()>, _: &Operation) -> Result<Bound<$output>, BindError> {
                Ok(Bound::new($given, ()))
            }
            async fn unbind(&self, _: UnbindRequest<$plan, ()>, _: &Operation) -> Result<(), UnbindError> {
                Ok(())
            }
        }
    )+};
}

/// Implements `Update` for plans of a service: nothing is done, and there is no state.
#[macro_export]
macro_rules! update_nothing {
    ($service:ty: $($plan:ty),+) => {$(
        impl Update<$plan> for $service {
            async fn update(&self, _: UpdateRequest<$plan, $plan, ()>, _: &Operation) -> Result<Updated, UpdateError> {
                Ok(Updated::new(()))
            }
        }
    )+};
}

/// Implements a change of plan of a service: nothing is done, and there is no state.
#[macro_export]
macro_rules! change_nothing {
    ($service:ty: $old:ty => $new:ty) => {
        impl ChangePlan<$old, $new> for $service {
            async fn change_plan(
                &self,
                _: UpdateRequest<$old, $new, ()>,
                _: &Operation,
            ) -> Result<Updated, UpdateError> {
                Ok(Updated::new(()))
            }
        }
    };
}
