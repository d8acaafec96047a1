//! Methods that authors guess, see [`osb_catalog::__private::guesses`].

use osb_catalog::__private::{explain, guesses};

use super::{
    BindError, BindRequest, Bound, Credentials, DeprovisionError, Endpoints, Failure, LogDrain, Operation, Plan,
    ProvisionError, Provisioned, RouteService, StoredState, UnbindError, UnreadableState, UpdateError, Updated,
    VolumeMounts,
};
use crate::protocol::Tenant;

explain! {
    ReadsSaved: "the JSON of a state that can't be decoded is `saved().value`", "write `saved().value`";
    ReadsState: "a stored state is read with `decoded`", "write `decoded()?`: `None` if no state was saved";
    SavesState: "an operation saves a state with `checkpoint`", "write `checkpoint(&state).await?`";
    HasCheckpoint: "`checkpointed` returns the state that an earlier attempt saved", "write `checkpointed()`";
    ReturnsResult: "an operation ends with the result of its handler", "write `return Ok(...)` or `return Err(...)`";
    ReportsProgress: "an operation reports progress with `progress`", "write `progress(\"...\")`";
    HasText: "the name of a tenant is read with `as_str`", "write `as_str()`";
    HasId: "`id` returns the id of an operation", "write `id()`";
    HasDeadline: "an operation has a deadline", "write `deadline()`";
    TellsCancellation: "an operation says whether it is cancelled", "write `cancelled().await` or `is_cancelled()`";
    IsNoRequest: "the ids of instances and bindings are in the request", "write `request.instance_id` or `request.binding_id`";
    HasPredecessor: "a rotation names the binding that it replaces", "write `predecessor.is_some()`";
    HasCode: "the code of an error is set with `code`", "write `code(CODE)`, with `const CODE: ErrorCode = ErrorCode::from_static(\"...\");`";
    FixesStatus: "the status of a response follows from the kind of error", "leave it out: `code(CODE)` names the reason";
    IsOfKind: "an error is a refusal that the user reads, an unexpected error, or a temporary one", "write `refused(\"...\")`, `invalid(\"...\")`, `unexpected(error)` or `temporary(error)`; if there is nothing left to delete, `Ok(())`";
    IsRetried: "the runtime waits between the attempts after temporary errors", "leave it out: `Settings::retry` has the delays";
    BindingExpires: "a binding expires, not its credentials", "write `Bound::new(...).expires_at(time)`";
    HasNoMetadata: "instances have labels and attributes, bindings have none", "leave it out, or put it on `Provisioned` or `Updated`";
    IsOfRuntime: "the runtime makes operations", "leave it out: tests send requests with `osb_testing::Client`, and the runtime calls the handlers";
    StaysInHandler: "an operation belongs to its handler", "leave it out: `tokio::join!` and `tokio::select!` run other work beside a use of the operation";
    Expires: "a binding expires at a time", "write `expires_at(SystemTime::now() + duration)`";
    HasAttribute: "an attribute of the instance is set with `attribute`", "write `attribute(\"name\", value)`";
    HasDashboard: "the URL of a dashboard is set with `dashboard`", "write `dashboard(DashboardUrl::new(url)?)`";
    SaysWhatWorks: "only the errors of updates and deletions say what still works", "write `UpdateError` or `DeprovisionError`";
    IsOfInstance: "the error of a deletion says only whether the instance still works", "write `instance_usable(true)`";
    IsRepeatable: "an update says with `update_repeatable` whether it can be repeated", "write `update_repeatable(true)`";
    IsTuple: "an output of a binding is written with its value", "write `Credentials(...)`, `Endpoints(...)` or `VolumeMounts(...)`";
    IsUrl: "a URL is checked when it is created", "write `LogDrain::new(url)?` or `RouteService::proxied(url)?`";
}

guesses! {
    (impl<S> StoredState<S>) where (Self: ReadsState<R>):
        { as_ref(&self), clone(&self), expect(&self, _: impl Sized), get(&self), into_inner(&self), is_none(&self), is_some(&self), map(&self, _: impl Sized), ok(&self), ok_or(&self, _: impl Sized), ok_or_else(&self, _: impl Sized), unwrap(&self), unwrap_or(&self, _: impl Sized), unwrap_or_default(&self), unwrap_or_else(&self, _: impl Sized) };
    (impl UnreadableState) where (Self: ReadsSaved<R>): { json(&self), raw(&self) };
    (impl<S> Operation<S>) where (Self: SavesState<R>):
        { persist(&self, _: impl Sized), save(&self, _: impl Sized), save_state(&self, _: impl Sized), set_state(&self, _: impl Sized), store(&self, _: impl Sized), update(&self, _: impl Sized) };
    (impl<S> Operation<S>) where (Self: HasCheckpoint<R>): { last_checkpoint(&self), load(&self), restore(&self), resume(&self), state(&self) };
    (impl<S> Operation<S>) where (Self: ReportsProgress<R>):
        { description(&self, _: impl Sized), log(&self, _: impl Sized), message(&self, _: impl Sized), report(&self, _: impl Sized), set_description(&self, _: impl Sized), set_status(&self, _: impl Sized), status(&self, _: impl Sized), update_status(&self, _: impl Sized) };
    (impl<S> Operation<S>) where (Self: ReturnsResult<R>):
        { abort(&self, _: impl Sized), complete(&self), done(&self), fail(&self, _: impl Sized), finish(&self), succeed(&self) };
    (impl<S> Operation<S>) where (Self: HasId<R>): { operation_id(&self) };
    (impl<S> Operation<S>) where (Self: HasDeadline<R>): { time_left(&self), timeout(&self) };
    (impl<S> Operation<S>) where (Self: TellsCancellation<R>): { cancellation_token(&self), token(&self) };
    (impl<S> Operation<S>) where (Self: IsNoRequest<R>): { binding_id(&self), instance_id(&self) };
    (impl Tenant) where (Self: HasText<R>): { id(&self), name(&self) };
    (impl<P: Plan, I, B> BindRequest<P, I, B>) where (Self: HasPredecessor<R>): { is_rotation(&self) };
    (impl<O, S> Bound<O, S>) where (Self: Expires<R>): { expires_after(&self, _: impl Sized), expires_in(&self, _: impl Sized) };
    (impl<T> Credentials<T>) where (Self: BindingExpires<R>): { expires_at(&self, _: impl Sized) };
    (impl<O, S> Bound<O, S>) where (Self: HasNoMetadata<R>): { attribute(&self, _: impl Sized, _: impl Sized), label(&self, _: impl Sized, _: impl Sized) };
    (impl<S> Provisioned<S>), (impl<S> Updated<S>) where (Self: HasDashboard<R>):
        { url(&self, _: impl Sized), with_dashboard(&self, _: impl Sized), with_dashboard_url(&self, _: impl Sized), with_url(&self, _: impl Sized) };
    (impl<S> Provisioned<S>), (impl<S> Updated<S>) where (Self: HasAttribute<R>):
        { set(&self, _: impl Sized, _: impl Sized), with_attribute(&self, _: impl Sized, _: impl Sized) };
    (impl ProvisionError), (impl DeprovisionError), (impl UpdateError), (impl BindError), (impl UnbindError), (impl Failure) where (Self: IsOfKind<R>):
        { bad_request(_: impl Sized), conflict(_: impl Sized), gone(_: impl Sized), internal(_: impl Sized), new(_: impl Sized), not_found(_: impl Sized) };
    (impl ProvisionError), (impl DeprovisionError), (impl UpdateError), (impl BindError), (impl UnbindError), (impl Failure) where (Self: IsRetried<R>): { retry_after(&self, _: impl Sized) };
    (impl UpdateError) where (Self: IsRepeatable<R>): { repeatable(&self, _: impl Sized), retryable(&self, _: impl Sized) };
    (impl DeprovisionError) where (Self: IsOfInstance<R>): { update_repeatable(&self, _: impl Sized) };
    (impl ProvisionError), (impl BindError), (impl UnbindError), (impl Failure) where (Self: SaysWhatWorks<R>):
        { instance_usable(&self, _: impl Sized), update_repeatable(&self, _: impl Sized) };
    (impl ProvisionError), (impl DeprovisionError), (impl UpdateError), (impl BindError), (impl UnbindError), (impl Failure) where (Self: HasCode<R>):
        { error_code(&self, _: impl Sized), with_code(&self, _: impl Sized) };
    (impl ProvisionError), (impl DeprovisionError), (impl UpdateError), (impl BindError), (impl UnbindError), (impl Failure) where (Self: FixesStatus<R>):
        { status(&self, _: impl Sized), status_code(&self, _: impl Sized), with_status(&self, _: impl Sized) };
    (impl<T> Credentials<T>), (impl Endpoints), (impl VolumeMounts) where (Self: IsTuple<R>): { new(_: impl Sized) };
    (impl LogDrain), (impl RouteService) where (Self: IsUrl<R>): { from(_: impl Sized) };
    (impl RouteService) where (Self: IsUrl<R>): { new(_: impl Sized) };
    (impl<S> Operation<S>) where (Self: IsOfRuntime<R>): { default() };
    (impl<S> Operation<S>) where (Self: StaysInHandler<R>): { clone(&self) };
}
