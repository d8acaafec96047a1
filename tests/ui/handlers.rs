// Handlers for the cases. Not a crate, because the compiler would list its plans.

/// Implements `Provision` for every plan of a service, for tests about something else.
#[allow(unused_macros)] // a case needs one or the other
macro_rules! provisions {
    ($($service:ty),+) => {$(
        impl<P: ::osb_runtime::service::Plan> ::osb_runtime::service::Provision<P> for $service {
            provision_items!(P);
        }
    )+};
}

/// The items of an `impl Provision` for a plan, for tests about its first line. They read a field of the parameters, if one is named.
#[allow(unused_macros)] // a case needs one or the other
macro_rules! provision_items {
    ($plan:ty $(, $field:ident)?) => {
        type State = ();
        async fn provision(
            &self,
            _request: ::osb_runtime::service::ProvisionRequest<$plan>,
            _: &::osb_runtime::service::Operation<()>,
        ) -> ::core::result::Result<::osb_runtime::service::Provisioned<()>, ::osb_runtime::service::ProvisionError> {
            $(let _ = _request.parameters.$field;)?
            ::core::result::Result::Ok(::osb_runtime::service::Provisioned::new(()))
        }
        async fn deprovision(
            &self,
            _: ::osb_runtime::service::DeprovisionRequest<$plan, ()>,
            _: &::osb_runtime::service::Operation<()>,
        ) -> ::core::result::Result<(), ::osb_runtime::service::DeprovisionError> {
            ::core::result::Result::Ok(())
        }
    };
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

/// Declares plans for services with mistakes, one for each, because a plan belongs to one. They have the same id, which only a
/// service or a broker without mistakes refuses. Further arguments follow a name: `Free(bindable)`.
#[allow(unused_macros)] // a case needs one or the other
macro_rules! plans {
    ($($plan:ident $(($($argument:tt)+))?),+) => {$(
        /// A plan.
        #[::osb_runtime::plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "plan" $(, $($argument)+)?)]
        pub struct $plan;
    )+};
}

/// Implements a change from one plan to another, for a service that `provisions!` both.
#[allow(unused_macros)] // a case needs one or the other
macro_rules! changes {
    ($service:ty, $old:ty => $new:ty) => {
        impl ::osb_runtime::service::ChangePlan<$old, $new> for $service {
            async fn change_plan(
                &self,
                update: ::osb_runtime::service::UpdateRequest<$old, $new, ()>,
                _: &::osb_runtime::service::Operation<()>,
            ) -> ::core::result::Result<::osb_runtime::service::Updated<()>, ::osb_runtime::service::UpdateError> {
                ::core::result::Result::Ok(::osb_runtime::service::Updated::new(update.state))
            }
        }
    };
}

/// Implements `Bind` with an output, for plans of a service that `provisions!` them.
#[allow(unused_macros)] // a case needs one or the other
macro_rules! binds {
    ($service:ty, $($plan:ty = $output:ty),+ $(,)?) => {$(
        impl ::osb_runtime::service::Bind<$plan> for $service {
            type Output = $output;
            type BindingState = ();
            async fn bind(
                &self,
                _: ::osb_runtime::service::BindRequest<$plan, ()>,
                _: &::osb_runtime::service::Operation<()>,
            ) -> ::core::result::Result<::osb_runtime::service::Bound<$output>, ::osb_runtime::service::BindError> {
                ::core::result::Result::Err(::osb_runtime::service::BindError::unexpected("not yet"))
            }
            async fn unbind(
                &self,
                _: ::osb_runtime::service::UnbindRequest<$plan, ()>,
                _: &::osb_runtime::service::Operation<()>,
            ) -> ::core::result::Result<(), ::osb_runtime::service::UnbindError> {
                ::core::result::Result::Ok(())
            }
        }
    )+};
}

/// Implements `Provision` for plans whose parameters have a `ttl`, which it reads.
#[allow(unused_macros)] // a case needs one or the other
macro_rules! provisions_by_ttl {
    ($service:ty, $($plan:ty),+) => {$(
        impl ::osb_runtime::service::Provision<$plan> for $service {
            provision_items!($plan, ttl);
        }
    )+};
}

/// Declares a service with a plan and its handlers, for tests about something else.
#[allow(unused_macros)] // a case needs one or the other
macro_rules! store {
    () => {
        /// A store.
        #[::osb_runtime::service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
        pub struct Kv;

        /// 10 MB, for trying things out.
        #[::osb_runtime::plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
        pub struct Free;

        provisions!(Kv);
    };
}

/// Declares a broker with the service of `store!`.
#[allow(unused_macros)] // a case needs one or the other
macro_rules! broker {
    () => {
        store!();

        /// The broker.
        #[::osb_runtime::broker]
        pub struct Broker {
            kv: Kv,
        }
    };
}
