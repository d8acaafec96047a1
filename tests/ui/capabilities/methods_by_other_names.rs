//! Methods have names that authors guess.

use osb_runtime::prelude::*;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", bindable)]
pub struct Free;

impl Provision<Free> for Kv {
    type State = String;
    async fn provision(
        &self,
        request: ProvisionRequest<Free>,
        operation: &Operation<String>,
    ) -> Result<Provisioned<String>, ProvisionError> {
        let name = request.id();
        // Mistake: An operation is asked for its id by `operation_id()`.
        let other = format!("store-{}", operation.operation_id());
        // Mistake: An operation is asked for the earlier state by `state()`.
        let name = operation.state().unwrap_or_else(|| name.to_owned() + &other);
        // Mistake: An operation returns the earlier state by `resume`.
        let name = operation.resume().unwrap_or(name);
        // Mistake: An operation returns the earlier state by `last_checkpoint`.
        let name = operation.last_checkpoint().unwrap_or(name);
        // Mistake: An operation saves a state by `save`.
        operation.save(&name).await?;
        // Mistake: An operation reports progress by `description`.
        operation.description("half of it exists");
        // Mistake: An operation reports progress by `log`.
        operation.log("half of it exists");
        // Mistake: An operation fails by a method.
        operation.fail("no room");
        // Mistake: An operation is asked for its deadline by `timeout`.
        let end: std::time::Instant = operation.timeout();
        // Mistake: An operation has a token for its cancellation.
        operation.cancellation_token().cancelled(end).await?;
        // Mistake: An operation is asked for the id of the instance.
        println!("{}", operation.instance_id());
        // Mistake: A tenant is asked for its name by `name`.
        let tenant: String = request.tenant.name();
        println!("{tenant}");
        if name.is_empty() {
            // Mistake: The error of a creation says that the instance still works.
            return Err(ProvisionError::refused("There is no name.").instance_usable(true));
        }
        if name.len() < 3 {
            // Mistake: An error is made by `bad_request`.
            return Err(ProvisionError::bad_request("The name is too short."));
        }
        // Mistake: An operation is cloned for a task.
        let cloned: Operation<String> = operation.clone();
        cloned.progress("half of it exists");
        if name.len() > 60 {
            // Mistake: An error has a status.
            return Err(ProvisionError::refused("The name is too long.").status(422));
        }
        // Mistake: A change is unwrapped like an option.
        println!("{}", Change::To(1_u32).unwrap() + 1_u32);
        // Mistake: The URL of a dashboard is set by `with_url`.
        Ok(Provisioned::new(name).with_url("https://kv.example.com"))
    }
    async fn deprovision(&self, request: DeprovisionRequest<Free, String>, _: &Operation<String>) -> Result<(), DeprovisionError> {
        // Mistake: A stored state is unwrapped.
        let name = request.state.unwrap();
        // Mistake: A stored state is compared with nothing.
        if request.state.is_none() {
            return Ok(());
        }
        // Mistake: A stored state is cloned.
        let _: String = request.state.clone();
        // Mistake: A stored state has a default.
        let other = request.state.unwrap_or_default();
        println!("deleting {} and {}", name.len(), other.len());
        if let StoredState::Unreadable(unreadable) = request.state {
            // Mistake: A state that can't be decoded is read by `json`.
            println!("{:?}", unreadable.json());
        }
        Ok(())
    }
}

impl Bind<Free> for Kv {
    type Output = (LogDrain, RouteService);
    type BindingState = ();
    async fn bind(&self, request: BindRequest<Free, String>, _: &Operation) -> Result<Bound<Self::Output>, BindError> {
        // Mistake: A request is asked whether it is a rotation.
        if request.is_rotation() {
            println!("rotated");
        }
        // Mistake: A log drain is converted from its URL.
        let drain = LogDrain::from(format!("syslog-tls://logs.example.com/{}", request.instance_state))?;
        // Mistake: A route service is converted from its URL.
        let route = RouteService::from("https://filter.example.com")?;
        // Mistake: A binding expires after a duration.
        Ok(Bound::new((drain, route), ()).expires_in(std::time::Duration::from_secs(60)))
    }
    async fn unbind(&self, request: UnbindRequest<Free, String>, _: &Operation) -> Result<(), UnbindError> {
        // Mistake: A stored state is taken out by `into_inner`.
        let Some(name) = request.instance_state.into_inner() else { return Ok(()) };
        println!("removing {}: {name}", request.id());
        Ok(())
    }
}

// Mistake: An operation is made for a test.
pub fn made() -> Operation<String> {
    Operation::default()
}

/// The credentials of a binding.
#[credentials]
pub struct Access {
    /// The address of the store.
    pub uri: String,
}

pub fn access(uri: String) -> Bound<Credentials<Access>> {
    // Mistake: Credentials are made by `new`.
    Bound::new(Credentials::new(Access { uri }), ())
}

pub fn route() -> Result<RouteService, InvalidUrl> {
    // Mistake: A route service is made by `new`.
    RouteService::new("https://filter.example.com")
}

pub fn labelled(drain: LogDrain) -> Bound<LogDrain> {
    // Mistake: A binding has a label.
    Bound::new(drain, ()).label("size", 1)
}

pub fn expiring(uri: String) -> Credentials<Access> {
    // Mistake: Credentials expire.
    Credentials(Access { uri }).expires_at(std::time::SystemTime::now())
}

pub fn gone() -> DeprovisionError {
    // Mistake: A deletion finds nothing.
    DeprovisionError::not_found("There is no such store.")
}

pub fn again() -> BindError {
    // Mistake: An error names the delay before the next attempt.
    BindError::temporary("The store is busy.").retry_after(std::time::Duration::from_secs(5))
}

pub fn refused() -> UnbindError {
    // Mistake: An error is given a code by `with_code`.
    UnbindError::refused("The store is busy.").with_code("StoreBusy")
}

pub fn full() -> Failure {
    // Mistake: A failure says that the instance still works.
    Failure::refused("The store is full.").instance_usable(true)
}

pub fn kept() -> DeprovisionError {
    // Mistake: The error of a deletion says that an update can be repeated.
    DeprovisionError::refused("There are backups.").update_repeatable(true)
}

#[broker]
pub struct Broker(Kv);

fn main() {}
