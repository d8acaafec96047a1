//! Commands of the author.

use std::{fmt, marker::PhantomData, pin::Pin, sync::Arc};

use clap::{ArgMatches, Args, Command, FromArgMatches};
use osb_runtime::{http::BoxError, store::Records};
use tokio::sync::OnceCell;

use super::{
    ConfigError, Failure,
    cli::{config_of, optionally},
    config,
    own_store::OwnStores,
    store::StoreArgs,
};

/// The call of a command that [`Program::command`](super::Program::command) has added.
pub struct Invocation<C> {
    matches: ArgMatches,
    stores: OwnStores,
    opened: Arc<OnceCell<Records>>,
    config: PhantomData<fn() -> C>,
}

impl<C> Invocation<C> {
    /// Returns the arguments of the command.
    #[must_use]
    pub fn matches(&self) -> &ArgMatches {
        &self.matches
    }

    /// Returns the author's options.
    ///
    /// # Errors
    ///
    /// If a required option is missing.
    pub fn config(&self) -> Result<C, BoxError>
    where
        C: Args,
    {
        config_of::<C>(&self.matches).map_err(in_words)
    }

    /// Opens the records that `--store` names. The broker must not be running, unless they are in a database. They are closed when
    /// the command has ended; further calls return the same records.
    ///
    /// # Errors
    ///
    /// If they don't exist, are in use by another process, or can't be decrypted.
    pub async fn records(&self) -> Result<Records, BoxError> {
        let options = StoreArgs::from_arg_matches(&self.matches)?;
        let open = async || options.open_existing(&self.stores).await.map_err(in_words);
        self.opened.get_or_try_init(open).await.cloned()
    }
}

fn in_words(failure: Failure) -> BoxError {
    match failure {
        Failure::Usage(text) => ConfigError::new(text).into(),
        other => other.to_string().into(),
    }
}

impl<C> fmt::Debug for Invocation<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Invocation").finish_non_exhaustive()
    }
}

/// A command of the author.
pub(super) struct AuthorCommand<'a, C> {
    command: Command,
    run: Run<'a, C>,
}

type Run<'a, C> = Box<dyn FnOnce(Invocation<C>) -> Pin<Box<dyn Future<Output = Result<(), BoxError>> + 'a>> + 'a>;

impl<'a, C: 'a> AuthorCommand<'a, C> {
    pub(super) fn new(command: Command, run: impl AsyncFnOnce(Invocation<C>) -> Result<(), BoxError> + 'a) -> Self {
        Self { command, run: Box::new(|invocation| Box::pin(async move { run(invocation).await })) }
    }
}

impl<C: Args> AuthorCommand<'_, C> {
    pub(super) fn name(&self) -> &str {
        self.command.get_name()
    }

    pub(super) fn command(&self) -> Command {
        let about = self.command.get_about().cloned().unwrap_or_default();
        let long = self.command.get_long_about().cloned().unwrap_or_else(|| about.clone());
        let command = optionally::<C>(self.command.clone().arg(config::arg()), "Broker");
        // `augment_args` would take the doc comment of the options for that of the command.
        StoreArgs::augment_args(command).about(about).long_about(long)
    }

    pub(super) fn run(self, matches: &ArgMatches, stores: &OwnStores) -> Result<(), Failure> {
        let runtime = super::multi_threaded()?;
        let opened = Arc::<OnceCell<Records>>::default();
        let invocation = Invocation {
            matches: matches.clone(),
            stores: stores.clone(),
            opened: Arc::clone(&opened),
            config: PhantomData,
        };
        runtime.block_on(async {
            let ended = (self.run)(invocation).await;
            if let Some(records) = opened.get() {
                records.close().await;
            }
            ended.map_err(|error| Failure::of_author("", &error))
        })
    }
}
