//! The commands that change one instance or binding: `retry`, `abandon`, `purge` and `cancel`.

use std::io::{self, BufRead, IsTerminal};

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use http::{Method, StatusCode};
use osb_client::{Client, encode};
use osb_runtime::{
    lifecycle::admin::{abandon, cancel},
    store::Key,
};

use super::{AccessArgs, ask, call, instance};
use crate::{
    Failure, blocking, cli::optionally, config, log::LogArgs, operations::OperationArgs, overrides::OverrideArgs,
    own_store::OwnStores, print, tell,
};

#[derive(Debug, Args)]
#[group(skip)]
struct ActionArgs {
    /// Id of a binding, to act on the binding in place of the instance
    #[arg(long, value_name = "ID")]
    binding: Option<String>,
    /// Name of the instance's platform, if it is behind a prefix
    #[arg(long, value_name = "NAME", default_value = "")]
    tenant: String,
    /// Skip the confirmation
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    access: AccessArgs,
}

/// A command that changes one instance or binding.
struct AdminCommand {
    name: &'static str,
    about: &'static str,
    more: &'static str,
    on_stopped: OnStopped,
}

/// The work of a command on the records of a stopped broker.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OnStopped {
    /// The broker is started for it, because its handlers are called.
    CallHandlers,
    Abandon,
    Cancel,
}

const ACTIONS: [AdminCommand; 4] = [
    AdminCommand {
        name: "retry",
        about: "Retry a failed deletion or rollback",
        more: "For an instance or a binding whose deletion failed, or whose failed creation could not be rolled back.",
        on_stopped: OnStopped::CallHandlers,
    },
    AdminCommand {
        name: "abandon",
        about: "Forget an instance or a binding that can't be deleted",
        more: "No handler is called: remove its resources by hand, because the broker no longer knows them.",
        on_stopped: OnStopped::Abandon,
    },
    AdminCommand {
        name: "purge",
        about: "Delete an instance that its platform has lost, with its bindings",
        more: "The effect is that of a deletion request from the platform. If the platform still knows the instance, it continues to list it. On a stopped broker, the operations that its \
               process left unfinished continue first, and the command waits for their end.",
        on_stopped: OnStopped::CallHandlers,
    },
    AdminCommand {
        name: "cancel",
        about: "Cancel the running operation of an instance or a binding",
        more: "The operation fails, as at its deadline: its handler is cancelled within a third of --lease, and aborted after --cancel-grace. \
               A creation is rolled back, a deletion can be retried, and after an update the old plan and parameters apply. \
               On a stopped broker, the operation fails when the broker starts.",
        on_stopped: OnStopped::Cancel,
    },
];

/// Builds the commands; those that call handlers also have the author's options.
pub(super) fn commands<C: Args>() -> impl Iterator<Item = Command> {
    ACTIONS.iter().map(|action| {
        let instance = Arg::new("instance").value_name("INSTANCE").help("Id of the instance").required(true);
        let mut command = ActionArgs::augment_args(Command::new(action.name).arg(instance).arg(config::arg()));
        if action.on_stopped == OnStopped::CallHandlers {
            // A running broker, at --admin, needs none of them.
            command = optionally::<C>(OverrideArgs::augment_args(command), "Broker (if stopped)");
        }
        command = LogArgs::augment_args(command).mut_arg("osb_log", |arg| arg.default_value(LOG));
        let command = with_settings(command);
        command.about(action.about).long_about(format!("{}. {}", action.about, action.more))
    })
}

/// The default log of a command on a stopped broker. Its result is on standard output.
const LOG: &str = "warn,osb_runtime::audit=info";

/// Adds the settings of operations, which apply to a stopped broker as to `serve`. The help of `serve` describes them.
fn with_settings(command: Command) -> Command {
    let own = OperationArgs::augment_args(Command::new("settings"));
    let ids = own.get_arguments().map(|arg| arg.get_id().clone());
    ids.fold(OperationArgs::augment_args(command), |command, id| command.mut_arg(id, |arg| arg.hide(true)))
}

fn action(name: &str) -> Option<&'static AdminCommand> {
    ACTIONS.iter().find(|action| action.name == name)
}

pub(crate) fn is_action(name: &str) -> bool {
    action(name).is_some()
}

/// A request to an admin address that needs a broker with handlers.
pub(crate) struct Pending {
    action: &'static str,
    instance: String,
    binding: Option<String>,
    query: Vec<(String, String)>,
}

impl Pending {
    /// Sends the request, and returns whether the operation has ended. Otherwise it is running.
    pub(crate) async fn send(&self, client: &Client) -> Result<bool, Failure> {
        let (path, action) = (self.instance_path(), self.action);
        let path = match &self.binding {
            None => format!("{path}/{action}"),
            Some(binding) => format!("{path}/bindings/{}/{action}", encode(binding)),
        };
        let answer = ask(client, &call(Method::POST, path, self.query.clone())).await?;
        Ok(answer.status != StatusCode::ACCEPTED)
    }

    fn instance_path(&self) -> String {
        format!("/instances/{}", encode(&self.instance))
    }

    /// Fails if the operation, which has ended, has failed.
    pub(crate) async fn check_end(&self, client: &Client) -> Result<(), Failure> {
        let shown = ask(client, &call(Method::GET, self.instance_path(), self.query.clone())).await?;
        let mut bindings = shown.body["bindings"].as_array().into_iter().flatten();
        let entry = match &self.binding {
            None => Some(&shown.body),
            Some(id) => bindings.find(|binding| binding["binding_id"] == id.as_str()),
        };
        match entry.map(|entry| &entry["operation"]) {
            Some(operation) if operation["state"] == "failed" => {
                let why = operation["description"].as_str().unwrap_or_default();
                Err(Failure::Broken(format!("{}: failed: {why}", self.action)))
            }
            _ => Ok(()),
        }
    }

    /// Prints the result.
    pub(crate) fn report(&self, result: &str) -> Result<(), Failure> {
        print(&format!("{}: {result}\n", self.action))
    }
}

/// Runs a command; returns the request if a broker has to be started for it.
pub(crate) fn act(name: &str, options: &ArgMatches, stores: &OwnStores) -> Result<Option<Pending>, Failure> {
    let Some(action) = action(name) else { return Ok(None) };
    let wanted = ActionArgs::from_arg_matches(options)?;
    let instance = instance(options).unwrap_or_default();
    let client = wanted.access.client()?;
    if !wanted.yes {
        let what = match &wanted.binding {
            None => format!("instance {instance}"),
            Some(binding) => format!("binding {binding} of instance {instance}"),
        };
        confirm(&format!("{name} {what}?\n  {}. {}", action.about, action.more))?;
    }
    let query = vec![("tenant".to_owned(), wanted.tenant.clone())];
    let pending = Pending { action: action.name, instance: instance.clone(), binding: wanted.binding.clone(), query };
    match client {
        Some(client) => {
            let has_ended = blocking(pending.send(&client))??;
            pending.report(if has_ended { "done" } else { "started; `operations` shows its progress" })?;
            Ok(None)
        }
        None if action.on_stopped == OnStopped::CallHandlers => Ok(Some(pending)),
        None => {
            let tenant = wanted.tenant.parse();
            let tenant =
                tenant.map_err(|error| Failure::Usage(format!("invalid --tenant {}: {error}", wanted.tenant)))?;
            let settings = OperationArgs::from_arg_matches(options)?.settings();
            let binding = wanted.binding.clone().map(Into::into);
            let key = Key { tenant, instance: instance.as_str().into(), binding };
            let log = LogArgs::from_arg_matches(options)?.start("")?;
            let done = blocking(async {
                let records = wanted.access.records(stores).await?;
                let store = records.store();
                let (done, result) = match action.on_stopped {
                    OnStopped::Cancel => (cancel(store, &key).await, "the operation fails when the broker starts"),
                    _ => (abandon(store, &settings, &key, "broker").await, "done"),
                };
                records.close().await;
                done.map(|done| done.map(|()| result)).map_err(Failure::broken)
            });
            log.end();
            pending.report(done??.map_err(|reason| Failure::Broken(reason.to_string()))?)?;
            Ok(None)
        }
    }
}

/// Asks the operator to confirm; fails without a terminal.
fn confirm(what: &str) -> Result<(), Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::Usage(format!("{what}\n  there is no terminal to confirm at; pass --yes")));
    }
    tell(&format!("{what}\nType yes to continue: "));
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer);
    if read.is_ok() && answer.trim() == "yes" {
        Ok(())
    } else {
        Err(Failure::Broken("cancelled; nothing was changed".to_owned()))
    }
}
