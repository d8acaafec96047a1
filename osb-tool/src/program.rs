//! The program of a broker: its command line, and the author's additions.

use std::{ffi::OsString, fmt, pin::Pin, process::ExitCode, sync::Arc};

use clap::{ArgMatches, Args, Command, FromArgMatches};
use osb_runtime::{
    http::{Authenticate, BoxError, BrokerService, HttpService, HttpSettings},
    lifecycle::{AnyHooks, AnyReadiness, Audit, Hooks, Readiness, Settings},
    service::Broker,
    store::Records,
};
use prometheus_client::registry::Registry;
use tokio::runtime::RuntimeFlavor;
use tokio_util::sync::CancellationToken;

#[cfg(feature = "check")]
use super::check;
use super::{
    Failure,
    cli::{self, config_of},
    client, completions, config,
    extension::Extension,
    fail, features, finish,
    invocation::{self, Invocation},
    lock, operate, overrides,
    own_store::{OwnStore, OwnStores, StoreLocation, invalid_scheme},
    parse, platforms, print, secret, serve,
    serve_args::ServeArgs,
    show_catalog, show_schema,
    start::Start,
    stopped,
    store::with_own_stores,
    transfer, variables, write_docs,
};

/// The program of a broker, with more than [`run`](super::run) gives it. Each addition is a function of the opened broker, so
/// that it can use what the author's `open` has made.
///
/// ```no_run
/// use std::process::ExitCode;
/// use osb_runtime::{http::BoxError, lifecycle::Readiness};
/// use osb_tool::{Program, Secret, clap};
/// # use osb_runtime::{lifecycle::{Audit, Event}, service::Broker};
/// # use osb_tool::prometheus_client::metrics::counter::Counter;
/// # #[derive(Clone)] struct Pool;
/// # impl Pool {
/// #     async fn connect(_: &str) -> Result<Self, std::io::Error> { Ok(Self) }
/// #     async fn ping(&self) -> Result<(), std::io::Error> { Ok(()) }
/// # }
/// # trait Parts: Broker { fn new(pool: Pool) -> Self; fn pool(&self) -> Pool; fn queries(&self) -> Counter; }
/// # struct Journal;
/// # impl Audit for Journal { fn record(&self, _: &Event) {} }
/// # fn example<Kv: Parts>() -> ExitCode {
///
/// #[derive(clap::Args)]
/// struct Config {
///     /// URL of the database
///     #[arg(long, env = "PG_URL")]
///     pg_url: Secret,
/// }
///
/// struct DatabaseIsUp(Pool);
///
/// impl Readiness for DatabaseIsUp {
///     async fn check(&self) -> Result<(), BoxError> {
///         Ok(self.0.ping().await?)
///     }
/// }
///
/// Program::new(async |config: Config| Ok(Kv::new(Pool::connect(config.pg_url.expose()).await?)))
///     .settings(|_, settings| settings.bind_blocks_instance = true)
///     .readiness(|kv: &Kv| DatabaseIsUp(kv.pool()))
///     .metrics(|kv, registry| registry.register("kv_queries", "Queries", kv.queries()))
///     .audit(|_| Journal)
///     .run()
/// # }
/// ```
#[must_use = "`run` runs it"]
pub struct Program<'a, C, B> {
    open: Open<'a, C, B>,
    offline: Option<Open<'a, C, B>>,
    extension: Extension<'a, B>,
    commands: Vec<invocation::AuthorCommand<'a, C>>,
    stores: Vec<OwnStore>,
    shutdown: CancellationToken,
    /// `run_blocking`. It is in a field, so that only `new` requires a broker and options: of other types, the compiler would also
    /// report each method that is called on the program.
    run: fn(Self) -> ExitCode,
}

/// The author's function that opens the broker.
pub(super) type Open<'a, C, B> = Box<dyn FnOnce(C) -> Pin<Box<dyn Future<Output = Result<B, BoxError>> + 'a>> + 'a>;

/// An async closure or function that opens a broker. Every one that takes `C` and returns a `Result<B, BoxError>` implements this
/// trait, which exists for the compiler's message about other values.
#[diagnostic::on_unimplemented(
    message = "expected an async closure that opens the broker",
    label = "not an async closure or function with the result `Result<..., BoxError>`",
    note = "write `async |()| Ok(...)` with the broker in the `Ok`, or `async |config: Config| Ok(...)` if it has options of its own"
)]
pub trait OpenBroker<C, B>: AsyncFnOnce(C) -> Result<B, BoxError> {}

#[diagnostic::do_not_recommend]
impl<C, B, F: AsyncFnOnce(C) -> Result<B, BoxError>> OpenBroker<C, B> for F {}

/// An async closure that runs a command. Every one that takes an [`Invocation`] and returns a `Result<(), BoxError>` implements this
/// trait, which exists for the compiler's message about other values.
#[diagnostic::on_unimplemented(
    message = "expected an async closure that runs the command",
    label = "not an async closure or function with the result `Result<(), BoxError>`",
    note = "write `async |invocation| ...` with `Ok(())` at its end"
)]
pub trait RunCommand<C>: AsyncFnOnce(Invocation<C>) -> Result<(), BoxError> {}

#[diagnostic::do_not_recommend]
impl<C, F: AsyncFnOnce(Invocation<C>) -> Result<(), BoxError>> RunCommand<C> for F {}

/// A closure that makes a part of the program from the opened broker. Every one that takes `&B` and returns a `T` implements this
/// trait, which exists for the compiler's message about other values.
#[diagnostic::on_unimplemented(
    message = "expected a closure that takes the broker, found `{Self}`",
    label = "not a closure",
    note = "write `|_| ...` with this value, or `|broker| ...` if it uses what the broker has"
)]
pub trait FromBroker<B, T>: FnOnce(&B) -> T {}

#[diagnostic::do_not_recommend]
impl<B, T, F: FnOnce(&B) -> T> FromBroker<B, T> for F {}

/// A closure that changes settings. Every one that takes `&B` and `&mut T` implements this trait, which exists for the compiler's
/// message about other values.
#[diagnostic::on_unimplemented(
    message = "expected a closure that changes the settings, found `{Self}`",
    label = "not a closure",
    note = "write `|_, settings| settings.NAME = ...`, or `|broker, settings| ...`: what it doesn't change keeps the value of the command line"
)]
pub trait ChangeSettings<B, T>: FnOnce(&B, &mut T) {}

#[diagnostic::do_not_recommend]
impl<B, T, F: FnOnce(&B, &mut T)> ChangeSettings<B, T> for F {}

/// A closure that makes an HTTP service from the broker's. Every one that takes a [`BrokerService`] and returns an `S` implements
/// this trait, which exists for the compiler's message about other values.
#[diagnostic::on_unimplemented(
    message = "expected a closure that takes the broker's service, found `{Self}`",
    label = "the closure returns `{Self}`, which doesn't get the broker's service",
    note = "return a closure: `move |broker| Router::new().fallback_service(broker)`, with routes of its own"
)]
pub trait MountService<S>: FnOnce(BrokerService) -> S {}

#[diagnostic::do_not_recommend]
impl<S, F: FnOnce(BrokerService) -> S> MountService<S> for F {}

/// The author's own options. Every type that implements clap's `Args` has them; the trait exists for the compiler's message about a
/// type without the derive.
#[diagnostic::on_unimplemented(
    message = "the closure takes `{Self}`, which can't be read from the command line",
    label = "not `clap::Args`",
    note = "write `use osb_tool::clap;`, and put `#[derive(clap::Args)]` on `{Self}`",
    note = "a broker without options of its own takes `()`: `async |()| ...`"
)]
pub trait Options: Args {}

#[diagnostic::do_not_recommend]
impl<C: Args> Options for C {}

fn boxed<'a, C: 'a, B: 'a>(open: impl AsyncFnOnce(C) -> Result<B, BoxError> + 'a) -> Open<'a, C, B> {
    Box::new(|config| Box::pin(async move { open(config).await }))
}

impl<'a, C: Options + 'a, B: Broker> Program<'a, C, B> {
    /// A program whose broker is created by `open`, from the author's own options `C`; use `()` if there are none. An error
    /// ends the program with exit code 1, or 2 if it is a [`ConfigError`](super::ConfigError).
    pub fn new(open: impl OpenBroker<C, B> + 'a) -> Self {
        Self {
            open: boxed(open),
            offline: None,
            extension: Extension::default(),
            commands: Vec::new(),
            stores: Vec::new(),
            shutdown: CancellationToken::new(),
            run: Self::run_blocking,
        }
    }
}

impl<'a, C: 'a, B: 'a> Program<'a, C, B> {
    /// Opens the broker in another way for `retry` and `purge` on a stopped broker: they need its handlers, but not the
    /// listeners and background tasks that `open` may start. With `--admin` they send a request to a running broker, and
    /// nothing is opened.
    pub fn offline(mut self, open: impl OpenBroker<C, B> + 'a) -> Self {
        self.offline = Some(boxed(open));
        self
    }

    /// Changes the settings of the lifecycle after the command line has been applied. An operator's options should win, so
    /// change only settings that have no option, or adjust the value that the option gave. A
    /// [`store`](Settings::store) may wrap the one of `--store`, but not replace it: the commands for operators open that one.
    /// [`store`](Self::store) adds one of your own.
    pub fn settings(mut self, change: impl ChangeSettings<B, Settings> + 'a) -> Self {
        self.extension.settings.push(Box::new(change));
        self
    }

    /// Changes the settings of the HTTP server, as [`settings`](Self::settings) does.
    pub fn http_settings(mut self, change: impl ChangeSettings<B, HttpSettings> + 'a) -> Self {
        self.extension.http_settings.push(Box::new(change));
        self
    }

    /// Calls hooks before and after every operation; those of the last call, if it is called more than once.
    pub fn hooks<H: Hooks>(self, hooks: impl FromBroker<B, H> + 'a) -> Self {
        self.settings(|broker, settings| settings.hooks = Some(AnyHooks::of(hooks(broker))))
    }

    /// Sends the events of all operations to an audit, in addition to the log; to that of the last call, if it is called more than
    /// once.
    pub fn audit<A: Audit>(self, audit: impl FromBroker<B, A> + 'a) -> Self {
        self.settings(|broker, settings| settings.audit = Some(Arc::new(audit(broker))))
    }

    /// Sets the condition of `/readyz`, such as a database that is up; that of the last call counts.
    pub fn readiness<R: Readiness>(self, check: impl FromBroker<B, R> + 'a) -> Self {
        self.settings(|broker, settings| settings.readiness = Some(AnyReadiness::of(check(broker))))
    }

    /// Registers metrics, which `/metrics` exports with the broker's own.
    pub fn metrics(mut self, register: impl FnOnce(&B, &mut Registry) + 'a) -> Self {
        self.extension.metrics.push(Box::new(register));
        self
    }

    /// Also authenticates requests of the platform without a prefix by a custom method, such as tokens of an identity
    /// provider. Then the broker needs no other credentials to start at any address.
    pub fn authenticate<A: Authenticate>(mut self, method: impl FromBroker<B, A> + 'a) -> Self {
        self.extension.authenticate(method);
        self
    }

    /// Serves the broker as a part of an HTTP service of the author's, at the same address, such as an axum `Router` that also has
    /// the dashboards of instances; what the last call made, if it is called more than once. The closure gets the opened broker, and
    /// returns one that gets the broker's service. Requests to the broker need their original paths, and get 401 or 404 for others:
    ///
    /// ```no_run
    /// use axum::{Router, extract::{Path, State}, routing::get};
    /// # use osb_runtime::service::Broker;
    /// # use osb_tool::Program;
    /// # #[derive(Clone)] struct Stores;
    /// # impl Stores { async fn summary(&self, _: &str) -> String { String::new() } }
    /// # trait Parts: Broker { fn stores(&self) -> Stores; }
    ///
    /// async fn dashboard(State(stores): State<Stores>, Path(store): Path<String>) -> String {
    ///     stores.summary(&store).await
    /// }
    ///
    /// # fn example<Kv: Parts>(program: Program<'_, (), Kv>) -> std::process::ExitCode {
    /// program
    ///     .mount(|kv| {
    ///         let dashboards = Router::new().route("/{store}", get(dashboard)).with_state(kv.stores());
    ///         move |broker| Router::new().nest("/dashboards", dashboards).fallback_service(broker)
    ///     })
    ///     .run()
    /// # }
    /// ```
    ///
    /// The author's pages authenticate their users themselves. The limits for connections and heads apply to all requests, those for
    /// bodies only to the broker's. When connections run out, one that still receives a long response may be closed. Connections
    /// can't be upgraded, for example to WebSocket.
    pub fn mount<M, S>(mut self, mount: impl FromBroker<B, M> + 'a) -> Self
    where
        M: MountService<S> + 'a,
        S: HttpService,
    {
        self.extension.mount(mount);
        self
    }

    /// Adds a command. Beside its own arguments it has `--config`, the author's options, and those for the records; nothing is
    /// opened until `run` asks the [`Invocation`] for it. An error ends the program as an error of `open` does.
    ///
    /// ```no_run
    /// # use osb_runtime::service::Broker;
    /// # use osb_tool::{clap, Program};
    /// # fn example<B: Broker>(program: Program<'_, (), B>) -> std::process::ExitCode {
    /// let usage = clap::Command::new("usage").about("Count the instances");
    /// program
    ///     .command(usage, async |invocation| {
    ///         let records = invocation.records().await?;
    ///         let instances: u64 = records.store().plan_usage().await?.iter().map(|plan| plan.instances).sum();
    ///         println!("{instances}");
    ///         Ok(())
    ///     })
    ///     .run()
    /// # }
    /// ```
    pub fn command(mut self, command: Command, run: impl RunCommand<C> + 'a) -> Self {
        self.commands.push(invocation::AuthorCommand::new(command, run));
        self
    }

    /// Keeps records in a [`Store`](osb_runtime::store::Store) of the author's own, where `--store` is a URL with this scheme. `serve`
    /// and the commands for operators open it; `import` and `records copy --to` can't write to it.
    ///
    /// ```no_run
    /// # use osb_runtime::{service::Broker, store::{Memory, Records}};
    /// # use osb_tool::{Program, StoreLocation};
    /// # struct MySql;
    /// # impl MySql {
    /// #     async fn connect(_: &str, _: bool) -> Result<Memory, std::io::Error> { Ok(Memory::new()) }
    /// # }
    /// # fn example<B: Broker>(program: Program<'_, (), B>) -> std::process::ExitCode {
    /// // `my-broker serve --store mysql://broker@localhost/records`
    /// program
    ///     .store("mysql", async |at: StoreLocation| {
    ///         Ok(Records::new(MySql::connect(at.url.expose(), at.may_create).await?))
    ///     })
    ///     .run()
    /// # }
    /// ```
    pub fn store(
        mut self,
        scheme: &'static str,
        open: impl AsyncFn(StoreLocation) -> Result<Records, BoxError> + 'static,
    ) -> Self {
        self.stores.push(OwnStore::new(scheme, open));
        self
    }

    /// Begins the shutdown of `serve` when the token is cancelled. A signal cancels the token too, so the author's tasks can
    /// wait for it.
    pub fn shutdown(mut self, token: CancellationToken) -> Self {
        self.shutdown = token;
        self
    }

    /// Runs the command that the command line names, and returns the exit code: see [`run`](super::run).
    #[must_use = "`main` returns it as the exit code of the program"]
    pub fn run(self) -> ExitCode {
        match tokio::runtime::Handle::try_current().map(|outer| outer.runtime_flavor()) {
            Err(_) => (self.run)(self),
            // Within `#[tokio::main]`.
            Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(|| (self.run)(self)),
            Ok(_) => fail(&Failure::Usage(
                "`osb_tool::run` blocks its thread, which the single-threaded tokio runtime around it needs; call it from \
                 `fn main` without `#[tokio::main]`, because it starts a runtime of its own"
                    .to_owned(),
            )),
        }
    }
}

impl<'a, C: Options + 'a, B: Broker> Program<'a, C, B> {
    fn run_blocking(self) -> ExitCode {
        let program = cli::program();
        let command = || self.command_line(&program);
        let matches = match command().and_then(parse) {
            Ok(matches) => matches,
            Err(code) => return code,
        };
        let stores = &OwnStores { program: program.clone(), own: self.stores.clone() };
        let done = match matches.subcommand() {
            Some(("catalog", options)) => show_catalog::<B>(options),
            Some(("schema", options)) => show_schema::<B>(options),
            Some(("lock", options)) => {
                lock::offerings::<B>(options).and_then(|offerings| lock::lock(offerings, options, &program))
            }
            Some(("config", _)) => match command() {
                Ok(command) => print(&config::template(&program, &command)),
                Err(code) => return code,
            },
            Some(("completions", options)) => match command() {
                Ok(command) => completions::write(&program, command, options),
                Err(code) => return code,
            },
            Some(("docs", options)) => write_docs::<B>(options, &program),
            Some(("reseal", options)) => operate::reseal(options, stores),
            Some(("records", options)) => operate::records::<B>(options, stores),
            Some(("import", options)) => overrides::effective_catalog::<B>(options)
                .and_then(|catalog| transfer::import(options, catalog.offerings, stores)),
            Some(("export", options)) => transfer::export(options, stores),
            Some(("client", options)) => client::run(options),
            #[cfg(feature = "check")]
            Some(("check", options)) => check::run(options),
            Some((name, options)) if operate::is_action(name) => self.operate(name, options, stores),
            Some((name, options)) => match operate::kind_of(name) {
                Some(kind) => overrides::effective_catalog::<B>(options)
                    .and_then(|catalog| operate::list(kind, options, catalog.offerings, stores)),
                None => match self.commands.iter().position(|one| one.name() == name) {
                    Some(index) => {
                        let mut commands = self.commands;
                        commands.swap_remove(index).run(options, stores)
                    }
                    None => self.serve_requests(options, stores),
                },
            },
            None => self.serve_requests(&matches, stores),
        };
        finish(done)
    }

    /// Builds the whole command line.
    fn command_line(&self, program: &str) -> Result<Command, ExitCode> {
        if let Some(option) = cli::taken::<C>(program, B::OFFERINGS) {
            let text = format!(
                "the program's own option {option} has the name or the variable of one that `serve`, `retry` or `purge` has; rename its field, or change its `env`"
            );
            return Err(fail(&Failure::Usage(text)));
        }
        let mut command = cli::command::<C>(program, B::VERSION, B::OFFERINGS);
        for own in &self.commands {
            if command.find_subcommand(own.name()).is_some() {
                let text = format!("the program has two commands `{}`; rename the author's own", own.name());
                return Err(fail(&Failure::Usage(text)));
            }
            command = command.subcommand(own.command());
        }
        if let Some(problem) = self.stores.iter().find_map(|own| invalid_scheme(own.scheme)) {
            return Err(fail(&Failure::Usage(problem)));
        }
        let schemes: Vec<_> = self.stores.iter().map(|own| own.scheme).collect();
        Ok(cli::without_values(secret::with_files(with_own_stores(command, &schemes))))
    }

    fn serve_requests(self, matches: &ArgMatches, stores: &OwnStores) -> Result<(), Failure> {
        let options = ServeArgs::from_arg_matches(matches)?;
        let config = config_of::<C>(matches)?;
        let is_set = |(name, value): &(OsString, OsString)| !value.is_empty() && !features::is_met_without(name, value);
        let set = || std::env::vars_os().filter(is_set).map(|(name, _)| name);
        let mut warnings = platforms::check_variables(&options.platforms, set());
        if let Ok(command) = self.command_line(&stores.program) {
            warnings.extend(variables::check_unread(&command, set())?);
        }
        let start = Start::new(self.open, config, self.extension);
        serve::serve(start, &Arc::new(options), stores, &warnings, self.shutdown)
    }

    /// Sends a request to a running broker, or starts the broker to handle the request.
    fn operate(self, name: &str, options: &ArgMatches, stores: &OwnStores) -> Result<(), Failure> {
        let Some(pending) = operate::act(name, options, stores)? else { return Ok(()) };
        let stopped = stopped::StoppedArgs::from_arg_matches(options)?;
        let (open, config) = (self.offline.unwrap_or(self.open), config_of::<C>(options)?);
        let start = Start::new(open, config, self.extension.without_mount());
        stopped::run(start, &stopped, stores, &pending)
    }
}

impl<C, B> fmt::Debug for Program<'_, C, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").finish_non_exhaustive()
    }
}
