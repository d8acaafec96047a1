//! Methods that authors guess. Each requires a trait that no type has, whose message names the right method: by itself, the
//! compiler finds similar names only. Where a type has fields, none has a name that authors guess for one: of that, it would say that
//! parentheses are missing. Nor is there one for a name with which the compiler finds the right method itself.
//!
//! The macros are for the other crates, too, whose types have methods. `arguments` is about values in place of methods.

use crate::schema::Change;

/// Arguments that convert into a type, each a trait for the compiler's message about others: of an argument of the type itself, it
/// says no more than that the types differ, and of `impl Into<T>` that a trait of the standard library isn't implemented.
#[doc(hidden)]
#[macro_export]
macro_rules! arguments {
    ($($(#[$doc:meta])* $name:ident($into:ty): $message:literal, $label:literal $(, $note:literal)?;)+) => {$(
        $(#[$doc])*
        ///
        /// The trait exists for the compiler's message about other types.
        #[diagnostic::on_unimplemented(message = $message, label = $label $(, note = $note)?)]
        pub trait $name: Into<$into> {}

        #[diagnostic::do_not_recommend]
        impl<T: Into<$into>> $name for T {}
    )+};
}

#[doc(hidden)]
#[macro_export]
macro_rules! explain {
    ($($guess:ident: $message:literal, $label:literal;)+) => {$(
        #[diagnostic::on_unimplemented(message = $message, label = $label)]
        pub trait $guess<R> {}
    )+};
}

// The result has any type, so that the compiler reports nothing about its use. The whole bound is from the invocation: the compiler
// shows where it stands.
#[doc(hidden)]
#[macro_export]
macro_rules! guesses {
    ($($(($($of:tt)*)),+ where $bound:tt: $methods:tt;)+) => {
        $($($($of)* { $crate::guesses! { $bound $methods } })+)+
    };
    ($bound:tt { $($method:ident $arguments:tt),+ }) => {
        $($crate::guesses! { $bound $method $arguments })+
    };
    (($($bound:tt)*) $method:ident ($($arguments:tt)*)) => {
        #[doc(hidden)]
        #[allow(clippy::new_ret_no_self, reason = "the result of each guess has any type")]
        pub fn $method<R>($($arguments)*) -> R where $($bound)* { unreachable!() }
    };
}

explain! {
    HasValue: "the new value in a change is read with `value`", "write `value()`: `None` unless the property is set; or match `Change::Keep`, `Change::Reset` and `Change::To(value)`";
}

guesses! {
    (impl<T> Change<T>) where (Self: HasValue<R>):
        { as_ref(&self), expect(&self, _: impl Sized), is_none(&self), is_some(&self), map(&self, _: impl Sized), unwrap(&self), unwrap_or(&self, _: impl Sized), unwrap_or_default(&self) };
}
