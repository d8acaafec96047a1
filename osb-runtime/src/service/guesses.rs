//! Methods that authors guess. Each requires a trait that no type has, whose message names the right method: by itself, the
//! compiler finds similar names only. None has a name that authors guess for a field, too: of that, it would say that parentheses
//! are missing.

use super::{
    BindError, LogDrain, Operation, ProvisionError, Provisioned, RouteService, StoredState, UnbindError, Updated,
};

// The result has any type, so that the compiler reports nothing about its use.
macro_rules! guesses {
    ($($guess:ident $message:literal $label:literal {
        $(($($of:tt)*): $($method:ident $([$this:ident])? $(($argument:tt))?),+;)+
    })+) => {$(
        #[diagnostic::on_unimplemented(message = $message, label = $label)]
        pub trait $guess<R> {}
        $($($of)* {$(
            #[doc(hidden)]
            pub fn $method<R>($(&$this,)? $($argument: impl Sized)?) -> R where Self: $guess<R> { unreachable!() }
        )+})+
    )+};
}

guesses! {
    ReadsState "a stored state is read with `decoded`" "write `decoded()?`: `None` if no state was saved" {
        (impl<S> StoredState<S>): as_ref[self], expect[self](_), into_inner[self], is_some[self], unwrap[self];
    }
    SavesState "an operation saves a state with `checkpoint`" "write `checkpoint(&state).await?`" {
        (impl<S> Operation<S>): persist[self](_), save[self](_), save_state[self](_), set_state[self](_), store[self](_);
    }
    HasCheckpoint "`checkpointed` returns the state that an earlier attempt saved" "write `checkpointed()`" {
        (impl<S> Operation<S>): load[self], state[self];
    }
    ReportsProgress "an operation reports progress with `progress`" "write `progress(\"...\")`" {
        (impl<S> Operation<S>): description[self](_), report[self](_), set_description[self](_), status[self](_);
    }
    HasId "`id` returns the id of an operation" "write `id()`" { (impl<S> Operation<S>): operation_id[self]; }
    HasDashboard "the URL of a dashboard is set with `dashboard`" "write `dashboard(DashboardUrl::new(url)?)`" {
        (impl<S> Provisioned<S>): url[self](_), with_dashboard[self](_), with_dashboard_url[self](_), with_url[self](_);
        (impl<S> Updated<S>): url[self](_), with_dashboard[self](_), with_dashboard_url[self](_), with_url[self](_);
    }
    SaysWhatWorks "only the errors of updates and deletions say what still works" "write `UpdateError` or `DeprovisionError`" {
        (impl ProvisionError): instance_usable[self](_), update_repeatable[self](_);
        (impl BindError): instance_usable[self](_), update_repeatable[self](_);
        (impl UnbindError): instance_usable[self](_), update_repeatable[self](_);
    }
    IsUrl "a URL is checked when it is created" "write `LogDrain::new(url)?` or `RouteService::proxied(url)?`" {
        (impl LogDrain): from(_);
        (impl RouteService): from(_);
    }
}
