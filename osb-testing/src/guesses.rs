//! Methods that authors guess, see [`osb_runtime::__private::guesses`]. None has a name for which authors write an extension trait
//! of their own, such as `wait_for`: it would hide theirs.

use osb_runtime::__private::{explain, guesses};

use crate::{Answer, Client, Replay};

explain! {
    Starts: "a platform is created with `Client::new`, which starts the broker", "write `Client::new(broker).await`";
    IsStarted: "`Client::new` panics if the broker can't start, and returns the platform", "leave it out";
    Fetches: "an instance is fetched with `fetch_instance`, a binding with `fetch_binding`", "write `fetch_instance(instance)`";
    Provisions: "an instance is created with `provision`", "write `provision(instance, service, plan, parameters)`";
    Deprovisions: "an instance is deleted with `deprovision`", "write `deprovision(instance)`";
    Binds: "a binding is created with `bind`", "write `bind(instance, binding, parameters)`";
    Unbinds: "a binding is deleted with `unbind`", "write `unbind(instance, binding)`";
    Requests: "any request is sent with `request`", "write `request(\"GET\", path, None)`";
    Polls: "`follow` waits for the end of an operation, and `poll` asks once", "write `follow(instance, None)`, with the binding in `Some` for its operation";
    HasStatus: "the status of an answer is its field `status`", "compare `status` with a number: `assert_eq!(answer.status, 201)`";
    HasBody: "the body of an answer is its field `body`, as JSON", "write `body[\"name\"]`";
    HasHeader: "the headers of an answer are its field `headers`", "write `headers.get(\"name\")`";
    Runs: "a replay is run with `run`", "write `run().await`";
    HasPatience: "the time of an operation is limited with `patience`", "write `patience(duration)`";
    Lists: "the resources that are left are listed with `left`", "write `left(async || ...)`";
}

guesses! {
    (impl Client) where (Self: Starts<R>): { connect(_: impl Sized), start(_: impl Sized) };
    (impl Client) where (Self: IsStarted<R>): { expect(&self, _: impl Sized), unwrap(&self) };
    (impl Client) where (Self: Fetches<R>): { fetch(&self, _: impl Sized) };
    (impl Client) where (Self: Provisions<R>):
        { create_instance(&self, _: impl Sized, _: impl Sized, _: impl Sized, _: impl Sized) };
    (impl Client) where (Self: Deprovisions<R>):
        { delete(&self, _: impl Sized), delete_instance(&self, _: impl Sized) };
    (impl Client) where (Self: Binds<R>): { create_binding(&self, _: impl Sized, _: impl Sized, _: impl Sized) };
    (impl Client) where (Self: Unbinds<R>): { delete_binding(&self, _: impl Sized, _: impl Sized) };
    (impl Client) where (Self: Requests<R>): { get(&self, _: impl Sized) };
    (impl Client) where (Self: Polls<R>): { last_operation(&self, _: impl Sized), wait(&self, _: impl Sized), wait_until_done(&self, _: impl Sized) };
    (impl Answer) where (Self: HasStatus<R>):
        { expect(&self, _: impl Sized), is_err(&self), is_ok(&self), status_code(&self), unwrap(&self) };
    (impl Answer) where (Self: HasBody<R>): { as_json(&self), json(&self), text(&self) };
    (impl Answer) where (Self: HasHeader<R>): { header(&self, _: impl Sized) };
    (impl Replay) where (Self: Runs<R>): { check(&self), execute(&self), start(&self), verify(&self) };
    (impl Replay) where (Self: HasPatience<R>): { timeout(&self, _: impl Sized) };
    (impl Replay) where (Self: Lists<R>):
        { leaves(&self, _: impl Sized), leftovers(&self, _: impl Sized), list(&self, _: impl Sized), resources(&self, _: impl Sized) };
}
