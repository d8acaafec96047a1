//! Methods that authors guess. Each requires a trait that no type has, whose message names the right method: by itself, the
//! compiler finds similar names only. None has a name that authors guess for a field, too: of that, it would say that parentheses
//! are missing.

use super::{
    BindError, Credentials, Endpoints, Failure, LogDrain, Operation, ProvisionError, Provisioned, RouteService,
    StoredState, UnbindError, Updated, VolumeMounts,
};

macro_rules! explain {
    ($($guess:ident: $message:literal, $label:literal;)+) => {$(
        #[diagnostic::on_unimplemented(message = $message, label = $label)]
        pub trait $guess<R> {}
    )+};
}

// The result has any type, so that the compiler reports nothing about its use. The whole bound is from the invocation: the compiler
// shows where it stands.
macro_rules! guesses {
    ($($(($($of:tt)*)),+ where $bound:tt: $methods:tt;)+) => {
        $($($($of)* { guesses! { $bound $methods } })+)+
    };
    ($bound:tt { $($method:ident $arguments:tt),+ }) => {
        $(guesses! { $bound $method $arguments })+
    };
    (($($bound:tt)*) $method:ident ($($arguments:tt)*)) => {
        #[doc(hidden)]
        #[allow(clippy::new_ret_no_self, reason = "the result of each guess has any type")]
        pub fn $method<R>($($arguments)*) -> R where $($bound)* { unreachable!() }
    };
}

explain! {
    ReadsState: "a stored state is read with `decoded`", "write `decoded()?`: `None` if no state was saved";
    SavesState: "an operation saves a state with `checkpoint`", "write `checkpoint(&state).await?`";
    HasCheckpoint: "`checkpointed` returns the state that an earlier attempt saved", "write `checkpointed()`";
    ReportsProgress: "an operation reports progress with `progress`", "write `progress(\"...\")`";
    HasId: "`id` returns the id of an operation", "write `id()`";
    HasDashboard: "the URL of a dashboard is set with `dashboard`", "write `dashboard(DashboardUrl::new(url)?)`";
    SaysWhatWorks: "only the errors of updates and deletions say what still works", "write `UpdateError` or `DeprovisionError`";
    IsTuple: "an output of a binding is written with its value", "write `Credentials(...)`, `Endpoints(...)` or `VolumeMounts(...)`";
    IsUrl: "a URL is checked when it is created", "write `LogDrain::new(url)?` or `RouteService::proxied(url)?`";
}

guesses! {
    (impl<S> StoredState<S>) where (Self: ReadsState<R>):
        { as_ref(&self), expect(&self, _: impl Sized), into_inner(&self), is_some(&self), unwrap(&self) };
    (impl<S> Operation<S>) where (Self: SavesState<R>):
        { persist(&self, _: impl Sized), save(&self, _: impl Sized), save_state(&self, _: impl Sized), set_state(&self, _: impl Sized), store(&self, _: impl Sized) };
    (impl<S> Operation<S>) where (Self: HasCheckpoint<R>): { load(&self), state(&self) };
    (impl<S> Operation<S>) where (Self: ReportsProgress<R>):
        { description(&self, _: impl Sized), report(&self, _: impl Sized), set_description(&self, _: impl Sized), status(&self, _: impl Sized) };
    (impl<S> Operation<S>) where (Self: HasId<R>): { operation_id(&self) };
    (impl<S> Provisioned<S>), (impl<S> Updated<S>) where (Self: HasDashboard<R>):
        { url(&self, _: impl Sized), with_dashboard(&self, _: impl Sized), with_dashboard_url(&self, _: impl Sized), with_url(&self, _: impl Sized) };
    (impl ProvisionError), (impl BindError), (impl UnbindError), (impl Failure) where (Self: SaysWhatWorks<R>):
        { instance_usable(&self, _: impl Sized), update_repeatable(&self, _: impl Sized) };
    (impl<T> Credentials<T>), (impl Endpoints), (impl VolumeMounts) where (Self: IsTuple<R>): { new(_: impl Sized) };
    (impl LogDrain), (impl RouteService) where (Self: IsUrl<R>): { from(_: impl Sized) };
}
