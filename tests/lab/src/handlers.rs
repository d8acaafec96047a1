//! Handlers that do nothing, for brokers of which a test needs something else.

/// Implements `Provision`: nothing is done, and there is no state, for all plans of services; or with what a new instance
/// of a plan has, `Service: Plan => State = |request| provisioned`.
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
    ($service:ty: $plan:ty => $state:ty = |$new:ident| $given:expr) => {
        impl Provision<$plan> for $service {
            type State = $state;
            async fn provision(
                &self,
                $new: ProvisionRequest<$plan>,
                _: &Operation<$state>,
            ) -> Result<Provisioned<$state>, ProvisionError> {
                Ok($given)
            }
            async fn deprovision(
                &self,
                _: DeprovisionRequest<$plan, $state>,
                _: &Operation<$state>,
            ) -> Result<(), DeprovisionError> {
                Ok(())
            }
        }
    };
}

/// The state of the instances of a plan.
#[macro_export]
macro_rules! state {
    ($service:ty: $plan:ty) => {
        <$service as Provision<$plan>>::State
    };
}

/// Implements `Bind` for plans of a service: `Service: Plan => Output = |request| output`. Nothing is done, and a binding
/// has no state.
#[macro_export]
macro_rules! bind_nothing {
    ($($service:ty: $plan:ty => $output:ty = |$new:ident| $given:expr;)+) => {$(
        impl Bind<$plan> for $service {
            type Output = $output;
            type BindingState = ();
            async fn bind(
                &self,
                $new: BindRequest<$plan, $crate::state!($service: $plan)>,
                _: &Operation,
            ) -> Result<Bound<$output>, BindError> {
                Ok(Bound::new($given, ()))
            }
            async fn unbind(
                &self,
                _: UnbindRequest<$plan, $crate::state!($service: $plan)>,
                _: &Operation,
            ) -> Result<(), UnbindError> {
                Ok(())
            }
        }
    )+};
}

/// Implements `Update` for plans of a service: nothing is done, and the state remains.
#[macro_export]
macro_rules! update_nothing {
    ($service:ty: $($plan:ty),+) => {$(
        impl Update<$plan> for $service {
            async fn update(
                &self,
                request: UpdateRequest<$plan, $plan, $crate::state!($service: $plan)>,
                _: &Operation<$crate::state!($service: $plan)>,
            ) -> Result<Updated<$crate::state!($service: $plan)>, UpdateError> {
                Ok(Updated::new(request.state))
            }
        }
    )+};
}

/// Implements a change of plan of a service: nothing is done, and the state remains.
#[macro_export]
macro_rules! change_nothing {
    ($service:ty: $old:ty => $new:ty) => {
        impl ChangePlan<$old, $new> for $service {
            async fn change_plan(
                &self,
                request: UpdateRequest<$old, $new, $crate::state!($service: $old)>,
                _: &Operation<$crate::state!($service: $new)>,
            ) -> Result<Updated<$crate::state!($service: $new)>, UpdateError> {
                Ok(Updated::new(request.state))
            }
        }
    };
}
