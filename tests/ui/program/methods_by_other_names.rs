//! Methods of the program, of the platform in tests and of its answers have names that authors guess, or a test sends a struct in place of JSON, starts a name in place of a command, or saves the states of a platform.

use osb_runtime::prelude::*;

include!("../case.rs");

broker!();

pub fn run() -> std::process::ExitCode {
    let program = osb_tool::Program::new(async |()| Ok(Broker { kv: Kv }));
    // Mistake: A program is asked to listen at a port.
    let program: osb_tool::Program<'_, (), Broker> = program.port(8080);
    // Mistake: A program is run by `serve`.
    program.serve()
}

pub fn secret(password: &osb_tool::Secret) -> &str {
    // Mistake: A secret is read by `as_str`.
    password.as_str()
}

pub fn exposed(password: &osb_tool::Secret) -> &str {
    // Mistake: A secret is read by `expose_secret`.
    password.expose_secret()
}

pub async fn test() {
    // Mistake: A platform for tests is created by `start`.
    let _: osb_testing::Client = osb_testing::Client::start(Broker { kv: Kv }).await;
    // Mistake: A platform for tests is unwrapped like a result.
    let _: osb_testing::Client = osb_testing::Client::new(Broker { kv: Kv }).await.unwrap();
    let platform = osb_testing::Client::new(Broker { kv: Kv }).await;
    // Mistake: A platform creates an instance by `create_instance`.
    platform.create_instance("one", "kv", "free", ()).await;
    // Mistake: A platform waits for an instance by `last_operation`.
    platform.last_operation("one").await;
    // Mistake: A platform waits for an instance by `wait`.
    platform.wait("one").await;
    // Mistake: A platform fetches an instance by `fetch`.
    platform.fetch("one").await;
    let fetched = platform.fetch_instance("one").await;
    // Mistake: An answer is unwrapped like a result.
    let _: osb_testing::Answer = fetched.clone().unwrap();
    // Mistake: The body of an answer is read by `json`.
    assert!(fetched.json().is_object());
    // Mistake: A header of an answer is read by `header`.
    let tag: Option<&str> = fetched.header("etag");
    println!("{tag:?}");
    // Mistake: A platform deletes an instance by `delete_instance`.
    platform.delete_instance("one").await;
    // Mistake: A platform sends a request by `get`.
    platform.get("/v2/catalog").await;
    let replay = osb_testing::Replay::of(async || Broker { kv: Kv });
    // Mistake: A replay has a list of leftovers.
    let replay: osb_testing::Replay = replay.leftovers(async || Vec::<String>::new());
    // Mistake: A replay has a timeout.
    let replay: osb_testing::Replay = replay.timeout(std::time::Duration::from_secs(5));
    // Mistake: A replay is run by `check`.
    replay.check().await;
}

/// The parameters of a store.
#[parameters]
pub struct NewStore {
    /// Seconds.
    ttl: u32,
}

pub async fn parameters() {
    let platform = osb_testing::Client::new(Broker { kv: Kv }).await;
    // Mistake: A test sends a struct in place of JSON.
    platform.provision("one", "kv", "free", NewStore { ttl: 60 }).await;
    let replay = osb_testing::Replay::of(async || Broker { kv: Kv });
    // Mistake: A replay has parameters that are a text.
    replay.parameters("{}").run().await;
}

// Mistake: A test starts a program by its name in place of a command.
pub fn process() -> osb_testing::Process {
    osb_testing::Process::start("target/debug/kv")
}

// Mistake: A test saves the states of a platform in place of its settings.
pub async fn states() {
    let platform = osb_testing::Client::new(Broker { kv: Kv }).await;
    osb_testing::save_states(&platform, "tests/states.json").await;
}
