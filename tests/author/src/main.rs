//! A broker for shelves in one directory, with everything that an author can add to a program.

mod shelf;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use axum::{
    Router,
    extract::{Path as PathOf, State},
    routing::get,
};
use http::{HeaderValue, StatusCode, request::Parts};
use osb_runtime::{
    http::{Authenticate, BoxError},
    lifecycle::{Action, Audit, Event, HookError, Hooks, Readiness},
    store::{Records, StoredBinding},
};
use osb_tool::{
    ConfigError, Invocation, Program, Secret, StoreLocation, clap, duration,
    prometheus_client::metrics::counter::Counter,
};
use tokio_util::sync::CancellationToken;

use shelf::{Broker, Shelf, Shelves};

/// The author's options.
#[derive(Debug, clap::Args)]
struct Config {
    /// Directory of the shelves
    #[arg(long, env = "SHELF_DIRECTORY")]
    directory: PathBuf,

    /// URL of the database, with its password
    #[arg(long, env = "PG_URL")]
    pg_url: Option<Secret>,

    /// A plain option, whose value may be secret all the same
    #[arg(long, env = "SHELF_PLAIN", default_value = "")]
    plain: String,

    /// Time to wait before the broker is open
    #[arg(long, env = "SHELF_DELAY", default_value = "1ms", value_parser = duration)]
    delay: Duration,

    /// Makes `open` fail: `config`, `temporary` or `panic`
    #[arg(long, default_value = "")]
    fail: String,
}

fn main() -> ExitCode {
    let shutdown = CancellationToken::new();
    let stop = shutdown.clone();
    let usage = clap::Command::new("usage").about("Count the instances").arg(clap::Arg::new("plan"));
    Program::new(async |config: Config| {
        let broker = open(&config).await?;
        fs::write(config.directory.join("opened"), "")?;
        tokio::spawn(stop_on_request(config.directory, stop));
        Ok(broker)
    })
    .offline(async |config: Config| open(&config).await)
    .settings(|_, settings| settings.retry_after = Duration::from_secs(77))
    .http_settings(|_, settings| settings.max_body = 2048)
    .hooks(|broker: &Broker| Notes(broker.shelves.directory.clone()))
    .audit(|broker| Journal(broker.shelves.directory.clone()))
    .readiness(|broker| NotClosed(broker.shelves.directory.clone()))
    .metrics(|broker, registry| registry.register("shelf_made", "Shelves made", broker.shelves.made.clone()))
    .authenticate(|_| Tickets)
    .mount(|broker| {
        append(&broker.shelves.directory, "mounted", "");
        let labels = Router::new().route("/{shelf}", get(label)).with_state(broker.shelves.directory.clone());
        move |broker| Router::new().nest("/labels", labels).fallback_service(broker)
    })
    .command(usage, count)
    .store("box", open_box)
    .shutdown(shutdown)
    .run()
}

async fn open(config: &Config) -> Result<Broker, BoxError> {
    match &*config.fail {
        "" => {}
        "panic" => panic!("--fail says that there is a bug"),
        "config" => return Err(ConfigError::new("--fail says that the configuration is wrong").into()),
        _ => return Err("the database is away".into()),
    }
    tokio::time::sleep(config.delay).await;
    let length = config.pg_url.as_ref().map_or(0, |url| url.expose().len());
    append(&config.directory, "config", &format!("{config:?}, of a secret of {length} characters"));
    let made = Counter::default();
    Ok(Broker { shelves: Shelves { directory: config.directory.clone(), made } })
}

/// Returns the width of a shelf, as its dashboard.
async fn label(State(directory): State<PathBuf>, PathOf(shelf): PathOf<String>) -> Result<String, StatusCode> {
    fs::read_to_string(directory.join(shelf)).map_err(|_| StatusCode::NOT_FOUND)
}

/// Opens records in a store of its own: a file in a directory, which it creates if it may.
async fn open_box(at: StoreLocation) -> Result<Records, BoxError> {
    let path = at.url.expose().strip_prefix("box://").ok_or("no box")?;
    let file = Path::new(path).join(&at.program);
    if !at.may_create && !file.exists() {
        return Err(ConfigError::new("there is no such box").into());
    }
    Ok(Records::new(osb_store::Redb::open(file, at.keys)?))
}

/// Prints the number of instances and the directory.
async fn count(invocation: Invocation<Config>) -> Result<(), BoxError> {
    if let Some(plan) = invocation.matches().get_one::<String>("plan").filter(|plan| *plan != "small") {
        return Err(ConfigError::new(format!("there is no plan {plan}")).into());
    }
    let (records, again) = (invocation.records().await?, invocation.records().await?);
    if again.instances(None, 1).await?.entries.is_empty() {
        return Err("the records can be opened more than once".into());
    }
    let (mut instances, mut width, mut last) = (0, 0, None);
    loop {
        let page = records.instances(last.as_ref(), 100).await?;
        for instance in page.entries {
            instances += 1;
            width += instance.state.map_or(Ok(0), |state| state.decode::<Shelf>().map(|shelf| shelf.width))?;
        }
        last = page.next;
        if last.is_none() {
            break;
        }
    }
    println!("{instances} of {width} cm in {}", invocation.config()?.directory.display());
    Ok(())
}

/// Cancels the token when there is a file `stop`.
async fn stop_on_request(directory: PathBuf, stop: CancellationToken) {
    while !directory.join("stop").exists() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    stop.cancel();
}

/// Adds a line to a file of the directory.
fn append(directory: &Path, file: &str, line: &str) {
    let file = fs::OpenOptions::new().create(true).append(true).open(directory.join(file));
    if let Err(error) = file.and_then(|mut file| writeln!(file, "{line}")) {
        eprintln!("{error}");
    }
}

/// Refuses instances while there is a file `full`, and notes bindings that expire.
struct Notes(PathBuf);

impl Hooks for Notes {
    async fn before(&self, event: &Event) -> Result<(), HookError> {
        if event.action == Action::Provision && self.0.join("full").exists() {
            return Err(HookError::refused("All shelves are taken."));
        }
        Ok(())
    }

    async fn expired(&self, binding: &StoredBinding) {
        append(&self.0, "expired", &binding.key.binding.as_ref().map(ToString::to_string).unwrap_or_default());
    }
}

/// Writes events to the file `journal`.
struct Journal(PathBuf);

impl Audit for Journal {
    fn record(&self, event: &Event) {
        append(&self.0, "journal", &format!("{} {}", event.action.as_str(), event.stage.as_str()));
    }
}

/// Not ready while there is a file `closed`.
struct NotClosed(PathBuf);

impl Readiness for NotClosed {
    async fn check(&self) -> Result<(), BoxError> {
        if self.0.join("closed").exists() { Err("the shop is closed".into()) } else { Ok(()) }
    }
}

/// Admits requests with the header `Ticket: good`.
struct Tickets;

impl Authenticate for Tickets {
    async fn admit(&self, request: &Parts) -> Result<bool, BoxError> {
        Ok(request.headers.get("ticket").is_some_and(|ticket| ticket == "good"))
    }

    fn challenge(&self) -> HeaderValue {
        HeaderValue::from_static("Ticket realm=\"shelves\"")
    }
}
