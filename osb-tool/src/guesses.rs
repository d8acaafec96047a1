//! Methods that authors guess, see [`osb_runtime::__private::guesses`].

use osb_runtime::__private::{explain, guesses};

use crate::{Program, Secret};

explain! {
    Runs: "a program is run with `run`", "write `run()`";
    HasAddress: "operators set the address of the server, with the option `--listen HOST:PORT`", "leave it out";
    Exposes: "a secret is read with `expose`", "write `expose()`";
    HasReadiness: "the check of the backend is set with `readiness`", "write `readiness(|broker: &Broker| ...)`";
}

guesses! {
    (impl<C, B> Program<'_, C, B>) where (Self: Runs<R>): { execute(&self), launch(&self), serve(&self), start(&self) };
    (impl<C, B> Program<'_, C, B>) where (Self: HasAddress<R>):
        { address(&self, _: impl Sized), bind(&self, _: impl Sized), listen(&self, _: impl Sized), port(&self, _: impl Sized) };
    (impl<C, B> Program<'_, C, B>) where (Self: HasReadiness<R>):
        { health(&self, _: impl Sized), health_check(&self, _: impl Sized), ready(&self, _: impl Sized) };
    (impl Secret) where (Self: Exposes<R>): { as_str(&self), expose_secret(&self), get(&self), into_inner(&self), reveal(&self), value(&self) };
}
