//! The fields of requests have names that authors guess: the compiler lists those that they probably mean.

use osb_runtime::prelude::*;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", update = Changes, bindable)]
pub struct Free;

/// Changes.
#[parameters]
pub struct Changes {}

impl Provision<Free> for Kv {
    type State = String;
    async fn provision(
        &self,
        request: ProvisionRequest<Free>,
        _: &Operation<String>,
    ) -> Result<Provisioned<String>, ProvisionError> {
        // Mistake: Parameters are called `params`.
        println!("{:?}", request.params);
        // Mistake: The id of an instance is called `instance`.
        Ok(Provisioned::new(request.instance.to_string()))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Free, String>, _: &Operation<String>) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

impl Update<Free> for Kv {
    async fn update(&self, request: UpdateRequest<Free, Free, String>, _: &Operation<String>) -> Result<Updated<String>, UpdateError> {
        // Mistake: The parameters before an update are called `previous_values`.
        println!("{:?}", request.previous_values);
        Ok(Updated::new(request.state))
    }
}

impl Bind<Free> for Kv {
    type Output = Endpoints;
    type BindingState = ();
    async fn bind(&self, request: BindRequest<Free, String>, _: &Operation) -> Result<Bound<Endpoints>, BindError> {
        // Mistake: The id of a binding is called by a method.
        println!("{}", request.binding_id());
        // Mistake: The application is a field of the request.
        println!("{:?}", request.app_guid);
        Ok(addresses())
    }
    async fn unbind(&self, _: UnbindRequest<Free, String>, _: &Operation) -> Result<(), UnbindError> {
        Ok(())
    }
}

fn addresses() -> Bound<Endpoints> {
    // Mistake: The output of a binding is returned without `Bound`.
    Endpoints(vec![Endpoint::tcp("kv.example.com", 6379)])
}

#[broker]
pub struct Broker(Kv);

fn main() {}
