//! The operations.

use std::future::Future;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    BindError, Bindable, BindingOutput, BindingRemains, Bound, BoxError, Changes, DeprovisionError, New, NewBinding,
    Plan, PlanUpdate, ProvisionError, Provisioned, Remains, Service, UnbindError, Updatable, UpdateError, Updated,
    Work,
};
use crate::protocol::Tenant;

/// Creating and removing instances of a plan. Every plan that a service offers needs it.
///
/// Plans that differ only in numbers can share one implementation, generic over a trait of the author's own:
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
///     async fn provision(&self, new: New<P>, _: &Work<u64>) -> Result<Provisioned<u64>, ProvisionError> {
///         println!("a store of {} bytes for {}", P::BYTES, new.id());
///         Ok(Provisioned::new(P::BYTES))
///     }
///     async fn deprovision(&self, _: Remains<P, u64>, _: &Work<u64>) -> Result<(), DeprovisionError> {
///         Ok(())
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "service `{Self}` offers plan `{P}`, but does not implement `Provision<{P}>`",
    label = "no `impl Provision<{P}> for {Self}`",
    note = "write `impl Provision<{P}> for {Self}`, or take `{P}` out of `plans(...)`"
)]
pub trait Provision<P: Plan>: Service {
    /// What the runtime is to remember of an instance: whatever the other operations need to find it again.
    type State: Serialize + DeserializeOwned + Send + Sync + 'static;

    /// The version of [`State`](Self::State), saved beside each state. Raise it with every change of the type after
    /// which what was saved before no longer decodes, or means something else, and write
    /// [`migrate_state`](Self::migrate_state). Default: 0.
    const STATE_VERSION: u32 = 0;

    /// Makes today's state of one that was saved with another version: an earlier one, or after a rollback a later one.
    ///
    /// It is called whenever such a state is read, until a handler saves a new one, and has nothing but the JSON:
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
    ///             // It was the volume alone, and there was one region.
    ///             0 => Ok(Store { volume: serde_json::from_value(state)?, region: "eu".to_owned() }),
    ///             later => Err(format!("this release doesn't know version {later}").into()),
    ///         }
    ///     }
    /// #   async fn provision(&self, _: New<Free>, _: &Work<Store>) -> Result<Provisioned<Store>, ProvisionError> {
    /// #       Ok(Provisioned::new(Store { volume: 1, region: "us".to_owned() }))
    /// #   }
    /// #   async fn deprovision(&self, _: Remains<Free, Store>, _: &Work<Store>) -> Result<(), DeprovisionError> { Ok(()) }
    ///     // ...
    /// }
    /// # let store = <Kv as Provision<Free>>::migrate_state(0, 7.into()).unwrap();
    /// # assert_eq!((store.volume, store.region.as_str()), (7, "eu"));
    /// ```
    ///
    /// # Errors
    ///
    /// If it can't be done, which is what the provided one says. Then the log has the reason;
    /// [`deprovision`](Self::deprovision) and [`unbind`](Bind::unbind) get no state, but
    /// [what was saved](Remains::raw_state); a checkpoint counts as none; and what needs the state fails as unexpected.
    fn migrate_state(version: u32, state: Value) -> Result<Self::State, BoxError> {
        _ = state;
        Err(not_migrated(version))
    }

    /// Makes the instance. Write `async fn provision(...)`.
    ///
    /// When it fails unexpectedly, panics, takes too long or is cancelled, [`deprovision`](Self::deprovision) is called
    /// for what it may have left behind.
    fn provision(
        &self,
        new: New<P>,
        work: &Work<Self::State>,
    ) -> impl Future<Output = Result<Provisioned<Self::State>, ProvisionError>> + Send;

    /// Where users will find the dashboard of the tenant's instance with this id, if that is known before it is made.
    ///
    /// Platforms look for it in the first answer only (PROV-16). An answer that comes while the instance is still being
    /// made can't have what [`Provisioned::dashboard`](super::Provisioned::dashboard) says, but it has this.
    fn dashboard_url(&self, tenant: &Tenant, instance: &str) -> Option<String> {
        _ = (tenant, instance);
        None
    }

    /// Removes the instance, and everything that making it left behind. Write `async fn deprovision(...)`.
    ///
    /// Also called for what a failed or cancelled create left behind, so the state may be missing.
    fn deprovision(
        &self,
        gone: Remains<P, Self::State>,
        work: &Work<Self::State>,
    ) -> impl Future<Output = Result<(), DeprovisionError>> + Send;
}

/// Changing the parameters of an instance, and maintaining it, within its plan.
///
/// Plans that say `update = ...` or `maintenance_info(...)` need it, and no other plan may have it.
#[diagnostic::on_unimplemented(
    message = "plan `{P}` is declared updatable, but `{Self}` does not implement `Update<{P}>`",
    label = "no `impl Update<{P}> for {Self}`",
    note = "write `impl Update<{P}> for {Self}`, or drop `update` and `maintenance_info` from the plan"
)]
pub trait Update<P: Updatable>: Provision<P> {
    /// Applies one PATCH. Write `async fn update(...)`. If it fails, the instance has to be as it was (UPD-17).
    fn update(
        &self,
        update: PlanUpdate<P, P, Self::State>,
        work: &Work<Self::State>,
    ) -> impl Future<Output = Result<Updated<Self::State>, UpdateError>> + Send;
}

/// Moving an instance from one plan to another, along with everything else that one PATCH brings.
///
/// Changes that the service declares as `changes(From => To)` need it, and no other change may have it.
#[diagnostic::on_unimplemented(
    message = "service `{Self}` declares the change `{From} => {To}`, but does not implement `ChangePlan<{From}, {To}>`",
    label = "no `impl ChangePlan<{From}, {To}> for {Self}`",
    note = "write `impl ChangePlan<{From}, {To}> for {Self}`, or drop the change from `changes(...)`"
)]
pub trait ChangePlan<From: Plan, To: Plan>: Provision<From> + Provision<To> + Changes<From, To> {
    /// Moves the instance. Write `async fn change_plan(...)`. If it fails, the instance has to be as it was (UPD-17).
    fn change_plan(
        &self,
        update: PlanUpdate<From, To, <Self as Provision<From>>::State>,
        work: &Work<<Self as Provision<To>>::State>,
    ) -> impl Future<Output = Result<Updated<<Self as Provision<To>>::State>, UpdateError>> + Send;
}

/// Binding instances of a plan, for instance to hand out credentials.
///
/// Plans that say `bind = ...` or `bindable` need it, and no other plan may have it.
#[diagnostic::on_unimplemented(
    message = "plan `{P}` is declared bindable, but `{Self}` does not implement `Bind<{P}>`",
    label = "no `impl Bind<{P}> for {Self}`",
    note = "write `impl Bind<{P}> for {Self}`, or drop `bind` and `bindable` from the plan"
)]
pub trait Bind<P: Bindable>: Provision<P> {
    /// What a binding gives: [`Credentials`](super::Credentials), [`LogDrain`](super::LogDrain),
    /// [`RouteService`](super::RouteService), [`VolumeMounts`](super::VolumeMounts), [`Endpoints`](super::Endpoints),
    /// or a tuple of them. The catalog's `requires` follows from it.
    type Output: BindingOutput;

    /// What the runtime is to remember of a binding.
    type State: Serialize + DeserializeOwned + Send + Sync + 'static;

    /// As [`Provision::STATE_VERSION`], for the state of bindings.
    const STATE_VERSION: u32 = 0;

    /// As [`Provision::migrate_state`], for the state of bindings.
    ///
    /// # Errors
    ///
    /// If it can't be done.
    fn migrate_state(version: u32, state: Value) -> Result<<Self as Bind<P>>::State, BoxError> {
        _ = state;
        Err(not_migrated(version))
    }

    /// Makes the binding. Write `async fn bind(...)`.
    ///
    /// On a rotation [`predecessor`](NewBinding::predecessor) is the binding to succeed. Both have to work in parallel
    /// until the old one is unbound (ROT-03), so hand out new credentials.
    fn bind(
        &self,
        new: NewBinding<P, <Self as Provision<P>>::State, <Self as Bind<P>>::State>,
        work: &Work<<Self as Bind<P>>::State>,
    ) -> impl Future<Output = Result<Bound<Self::Output, <Self as Bind<P>>::State>, BindError>> + Send;

    /// Removes the binding and everything that making it left behind. Write `async fn unbind(...)`.
    ///
    /// Also called for what a failed or cancelled bind left behind, so the state may be missing.
    fn unbind(
        &self,
        gone: BindingRemains<P, <Self as Provision<P>>::State, <Self as Bind<P>>::State>,
        work: &Work<<Self as Bind<P>>::State>,
    ) -> impl Future<Output = Result<(), UnbindError>> + Send;
}

fn not_migrated(version: u32) -> BoxError {
    format!("there is no `migrate_state` that reads version {version}").into()
}
