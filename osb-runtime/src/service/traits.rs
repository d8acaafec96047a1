//! The traits of the operations.

use std::future::Future;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    BindError, BindRequest, Bindable, BindingOutput, Bound, BoxError, Changes, DashboardUrl, DeprovisionError,
    DeprovisionRequest, Operation, Plan, ProvisionError, ProvisionRequest, Provisioned, Service, UnbindError,
    UnbindRequest, Updatable, UpdateError, UpdateRequest, Updated,
};
use crate::protocol::Tenant;

/// Creates and deletes instances of a plan. Every plan that a service offers needs an implementation.
///
/// Plans that differ only in numbers can share one implementation that is generic over a trait of your own:
///
/// ```
/// # use osb_runtime::prelude::*;
/// # #[service(id = "0f7b1a3e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", description = "A store.", plans(Free, Pro))]
/// # struct Kv;
/// /// 10 MB, for trying things out.
/// #[plan(id = "1f7b1a3e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
/// struct Free;
/// /// 1 GB.
/// #[plan(id = "2f7b1a3e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "pro", free = false)]
/// struct Pro;
///
/// trait Quota: Plan { const BYTES: u64; }
/// impl Quota for Free { const BYTES: u64 = 10 << 20; }
/// impl Quota for Pro { const BYTES: u64 = 1 << 30; }
///
/// impl<P: Quota> Provision<P> for Kv {
///     type State = u64;
///     async fn provision(&self, request: ProvisionRequest<P>, _: &Operation<u64>) -> Result<Provisioned<u64>, ProvisionError> {
///         println!("creating a store of {} bytes for {}", P::BYTES, request.id());
///         Ok(Provisioned::new(P::BYTES))
///     }
///     async fn deprovision(&self, _: DeprovisionRequest<P, u64>, _: &Operation<u64>) -> Result<(), DeprovisionError> {
///         Ok(())
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "service `{Self}` offers plan `{P}`, but does not implement `Provision<{P}>`",
    label = "no `impl Provision<{P}> for {Self}`",
    note = "write `impl Provision<{P}> for {Self}`, or take `{P}` out of `plans(...)`",
    note = "where the plan is a type parameter `P`, write `where {Self}: Provision<P, State = ...>`"
)]
pub trait Provision<P: Plan>: Service {
    /// The data that the runtime stores for an instance, so that later operations can find it in the backend.
    type State: Storable;

    /// The version of [`State`](Self::State), saved with each state. Raise it when earlier states no longer decode or
    /// change their meaning, and write [`migrate_state`](Self::migrate_state). Default: 0.
    const STATE_VERSION: u32 = 0;

    /// Converts a state that was saved with another version: an earlier one, or a later one after a rollback.
    ///
    /// It is called each time such a state is read, until a handler saves a new one:
    ///
    /// ```
    /// # use osb_runtime::prelude::*;
    /// # use serde::{Deserialize, Serialize};
    /// # use serde_json::Value;
    /// # #[service(id = "0f7b1a3e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", description = "A store.", plans(Free))]
    /// # struct Kv;
    /// # /// 10 MB.
    /// # #[plan(id = "1f7b1a3e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
    /// # struct Free;
    /// #[derive(Serialize, Deserialize)]
    /// struct Store { volume: u64, region: String }
    ///
    /// impl Provision<Free> for Kv {
    ///     type State = Store;
    ///     const STATE_VERSION: u32 = 1;
    ///
    ///     fn migrate_state(version: u32, state: Value) -> Result<Store, BoxError> {
    ///         match version {
    ///             // The state was only the volume, and there was one region.
    ///             0 => Ok(Store { volume: serde_json::from_value(state)?, region: "eu".to_owned() }),
    ///             later => Err(format!("this release doesn't know version {later}").into()),
    ///         }
    ///     }
    /// #   async fn provision(&self, _: ProvisionRequest<Free>, _: &Operation<Store>) -> Result<Provisioned<Store>, ProvisionError> {
    /// #       Ok(Provisioned::new(Store { volume: 1, region: "us".to_owned() }))
    /// #   }
    /// #   async fn deprovision(&self, _: DeprovisionRequest<Free, Store>, _: &Operation<Store>) -> Result<(), DeprovisionError> { Ok(()) }
    ///     // ...
    /// }
    /// # let store = <Kv as Provision<Free>>::migrate_state(0, 7.into()).unwrap();
    /// # assert_eq!((store.volume, store.region.as_str()), (7, "eu"));
    /// ```
    ///
    /// # Errors
    ///
    /// If the state can't be converted. The broker then refuses to start, unless
    /// [`Settings::allow_unreadable_state`](crate::lifecycle::Settings::allow_unreadable_state) is set. The default implementation
    /// always fails, and it doesn't build if `STATE_VERSION` has been raised.
    fn migrate_state(version: u32, state: Value) -> Result<Self::State, BoxError> {
        const { assert!(Self::STATE_VERSION == 0, "STATE_VERSION is raised: write `migrate_state`") };
        _ = state;
        Err(not_migrated(version))
    }

    /// Creates the instance. Write `async fn provision(...)`. It may run [again](mod@crate::service) after a crash.
    ///
    /// If it fails unexpectedly, panics, times out or is cancelled, the runtime rolls back by calling
    /// [`deprovision`](Self::deprovision).
    fn provision(
        &self,
        request: ProvisionRequest<P>,
        operation: &Operation<Self::State>,
    ) -> impl AsyncHandler<Output = Result<Provisioned<Self::State>, ProvisionError>> + Send
    where
        Self: Sync;

    /// Returns the dashboard URL of an instance if it is known before the instance is created. Default: `None`.
    ///
    /// Platforms read the URL from the first answer only (PROV-16). A 202 is sent before
    /// [`Provisioned::dashboard`](super::Provisioned::dashboard) is known, but it can contain this one.
    ///
    /// # Errors
    ///
    /// If there is no valid URL. The request then fails with an unexpected error before it changes anything, and the
    /// log has the details.
    fn dashboard_url(&self, tenant: &Tenant, instance: &str) -> Result<Option<DashboardUrl>, BoxError> {
        _ = (tenant, instance);
        Ok(None)
    }

    /// Deletes the instance and everything that was created for it. Write `async fn deprovision(...)`.
    ///
    /// It is also called to roll back a failed or cancelled creation; then there may be no state.
    fn deprovision(
        &self,
        request: DeprovisionRequest<P, Self::State>,
        operation: &Operation<Self::State>,
    ) -> impl AsyncHandler<Output = Result<(), DeprovisionError>> + Send
    where
        Self: Sync;
}

/// The state of the instances of a plan, which is that of the service's [`Provision`]. `IS_SINGLE` is for `#[service]`.
///
/// It is a trait of its own so that a missing `Provision<P>` is one error, at the plan in `plans(...)`: the state is then
/// unknown, and the compiler reports nothing about the service's other handlers for the plan.
#[diagnostic::on_unimplemented(
    message = "service `{Self}` does not implement `Provision<{P}>`",
    label = "no `impl Provision<{P}> for {Self}`",
    note = "write `impl Provision<{P}> for {Self}`, and list `{P}` in `plans(...)`; if another type is the service of `{P}`, write its handlers for that one",
    note = "where the plan is a type parameter `P`, write `where {Self}: Provision<P, State = ...>`"
)]
pub trait InstanceState<P, const IS_SINGLE: bool = true> {
    /// See [`Provision::State`].
    type State: Storable;

    #[doc(hidden)]
    const VERSION: u32 = 0;

    #[doc(hidden)]
    fn migrate(version: u32, state: Value) -> Result<Self::State, BoxError> {
        _ = state;
        Err(not_migrated(version))
    }
}

#[diagnostic::do_not_recommend] // the error should name `Provision`
impl<S: Provision<P>, P: Plan, const IS_SINGLE: bool> InstanceState<P, IS_SINGLE> for S {
    type State = S::State;
    const VERSION: u32 = S::STATE_VERSION;
    fn migrate(version: u32, state: Value) -> Result<S::State, BoxError> {
        S::migrate_state(version, state)
    }
}

/// Data that the runtime stores as JSON from one operation to the next: the state of an instance or of a binding. Every type
/// with these traits of serde is one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be stored as a state",
    label = "not `Serialize` and `Deserialize`",
    note = "put `#[derive(serde::Serialize, serde::Deserialize)]` on `{Self}`, or write a struct of your own with what later operations need",
    note = "a state owns its values, and threads share it: write `String` for `Arc<String>` or `&str`"
)]
// serde's traits aren't supertraits: the compiler would report each of them.
pub trait Storable: Send + Sync + Sized + 'static {
    #[doc(hidden)]
    fn to_json(&self) -> Result<Value, serde_json::Error>;
    #[doc(hidden)]
    fn from_json(value: &Value) -> Result<Self, serde_json::Error>;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned + Send + Sync + 'static> Storable for T {
    fn to_json(&self) -> Result<Value, serde_json::Error> {
        serde_json::to_value(self)
    }

    fn from_json(value: &Value) -> Result<Self, serde_json::Error> {
        T::deserialize(value)
    }
}

/// Updates an instance within its plan: its parameters and its maintenance version.
///
/// Plans with `update = ...` or `maintenance_info(...)` need an implementation; no other plan may have one.
#[diagnostic::on_unimplemented(
    message = "plan `{P}` is declared updatable, but `{Self}` does not implement `Update<{P}>`",
    label = "no `impl Update<{P}> for {Self}`",
    note = "write `impl Update<{P}> for {Self}`, or drop `update` and `maintenance_info` from the plan"
)]
pub trait Update<P: Updatable>: InstanceState<P> {
    /// Applies one PATCH. Write `async fn update(...)`. If it fails, it has to leave the instance unchanged (UPD-17).
    fn update(
        &self,
        request: UpdateRequest<P, P, Self::State>,
        operation: &Operation<Self::State>,
    ) -> impl AsyncHandler<Output = Result<Updated<Self::State>, UpdateError>> + Send
    where
        Self: Sync;
}

/// Moves an instance from one plan to another, and applies the other changes in the same PATCH.
///
/// Changes that the service declares as `changes(Old => New)` need an implementation; no other change may have one.
#[diagnostic::on_unimplemented(
    message = "service `{Self}` declares the change `{Old} => {New}`, but does not implement `ChangePlan<{Old}, {New}>`",
    label = "no `impl ChangePlan<{Old}, {New}> for {Self}`",
    note = "write `impl ChangePlan<{Old}, {New}> for {Self}`, or drop the change from `changes(...)`"
)]
pub trait ChangePlan<Old: Plan, New: Plan>: InstanceState<Old> + InstanceState<New> + Changes<Old, New> {
    /// Moves the instance. Write `async fn change_plan(...)`. If it fails, it has to leave the instance unchanged (UPD-17).
    fn change_plan(
        &self,
        request: UpdateRequest<Old, New, <Self as InstanceState<Old>>::State>,
        operation: &Operation<<Self as InstanceState<New>>::State>,
    ) -> impl AsyncHandler<Output = Result<Updated<<Self as InstanceState<New>>::State>, UpdateError>> + Send
    where
        Self: Sync;
}

/// Creates and deletes bindings to instances of a plan, for example credentials for an application.
///
/// Plans with `bind = ...` or `bindable` need an implementation; no other plan may have one.
#[diagnostic::on_unimplemented(
    message = "plan `{P}` is declared bindable, but `{Self}` does not implement `Bind<{P}>`",
    label = "no `impl Bind<{P}> for {Self}`",
    note = "write `impl Bind<{P}> for {Self}`, or drop `bind` and `bindable` from the plan"
)]
pub trait Bind<P: Bindable>: InstanceState<P> {
    /// The output of a binding: [`Credentials`](super::Credentials), [`LogDrain`](super::LogDrain),
    /// [`RouteService`](super::RouteService), [`VolumeMounts`](super::VolumeMounts), [`Endpoints`](super::Endpoints),
    /// or a tuple of them. It determines `requires` in the catalog.
    type Output: BindingOutput;

    /// The data that the runtime stores for a binding.
    type BindingState: Storable;

    /// The version of the binding's state, see [`Provision::STATE_VERSION`]. Default: 0.
    const STATE_VERSION: u32 = 0;

    /// Converts a binding's state that was saved with another version, see [`Provision::migrate_state`].
    ///
    /// # Errors
    ///
    /// If the state can't be converted. The default implementation is like that of `Provision`.
    fn migrate_state(version: u32, state: Value) -> Result<<Self as Bind<P>>::BindingState, BoxError> {
        const { assert!(<Self as Bind<P>>::STATE_VERSION == 0, "STATE_VERSION is raised: write `migrate_state`") };
        _ = state;
        Err(not_migrated(version))
    }

    /// Creates the binding. Write `async fn bind(...)`.
    ///
    /// On a rotation [`predecessor`](BindRequest::predecessor) is the binding to replace. Both have to work until the
    /// old one is unbound (ROT-03), so return new credentials.
    fn bind(
        &self,
        request: BindRequest<P, <Self as InstanceState<P>>::State, <Self as Bind<P>>::BindingState>,
        operation: &Operation<<Self as Bind<P>>::BindingState>,
    ) -> impl AsyncHandler<Output = Result<Bound<Self::Output, <Self as Bind<P>>::BindingState>, BindError>> + Send
    where
        Self: Sync;

    /// Deletes the binding and everything that was created for it. Write `async fn unbind(...)`.
    ///
    /// It is also called to roll back a failed or cancelled bind; then there may be no state.
    fn unbind(
        &self,
        request: UnbindRequest<P, <Self as InstanceState<P>>::State, <Self as Bind<P>>::BindingState>,
        operation: &Operation<<Self as Bind<P>>::BindingState>,
    ) -> impl AsyncHandler<Output = Result<(), UnbindError>> + Send
    where
        Self: Sync;
}

/// The future that an `async fn` returns. Every future is one; the trait exists for the compiler's message about a handler
/// without `async`.
#[diagnostic::on_unimplemented(
    message = "handlers and hooks are `async fn`s",
    label = "`async` is missing before `fn`",
    note = "write `async fn`: the runtime runs many of them at once"
)]
pub trait AsyncHandler: Future {}

#[diagnostic::do_not_recommend]
impl<F: Future> AsyncHandler for F {}

fn not_migrated(version: u32) -> BoxError {
    format!("no `migrate_state` is implemented that converts version {version}").into()
}
