//! What the command `client` takes.

use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::Value;

use super::{cli::one_of, client_at::At};
use osb_client::Platform;

#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct ClientArgs {
    #[command(flatten)]
    pub(super) at: At,

    /// The platform whose context, user and application the requests have
    #[arg(
        long,
        global = true,
        value_name = "PLATFORM",
        default_value = "cloudfoundry",
        value_parser = one_of(PLATFORMS),
        help_heading = REQUEST
    )]
    pub(super) platform: Platform,

    /// The context, in place of the platform's; JSON, or @FILE
    #[arg(long, global = true, value_name = "JSON", value_parser = json_or_file, help_heading = REQUEST)]
    pub(super) context: Option<Value>,

    /// Waits for the answer itself: the broker is not told that it may answer 202
    #[arg(long, global = true, help_heading = REQUEST)]
    pub(super) synchronous: bool,

    /// Does not wait for the end of what goes on after the answer; `poll` tells how far it is
    #[arg(long, global = true, help_heading = REQUEST)]
    pub(super) no_wait: bool,

    /// The pause between two polls, unless the broker asks for a longer one
    #[arg(
        long,
        global = true,
        value_name = "SECONDS",
        default_value = "2",
        value_parser = super::operations::seconds,
        help_heading = REQUEST
    )]
    pub(super) poll_every: Duration,

    /// Prints what the broker answered as it is, for scripts
    #[arg(long, global = true, help_heading = REQUEST)]
    pub(super) json: bool,

    #[command(subcommand)]
    pub(super) command: Command,
}

const REQUEST: &str = "Request";

pub(super) const PLATFORMS: &[(&str, &str, Platform)] = &[
    ("cloudfoundry", "Cloud Foundry, Korifi, SAP BTP", Platform::CloudFoundry),
    ("kubernetes", "Kubernetes, by its service catalog", Platform::Kubernetes),
];

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Shows the services and plans
    Catalog,
    /// Creates an instance
    #[command(after_help = "Like `cf create-service`: client provision kv free my-store --parameters '{\"ttl\": 60}'")]
    Provision {
        /// The service, by name or id
        service: String,
        /// The plan, by name or id
        plan: String,
        /// The id for the instance [default: a random one, which is printed]
        instance: Option<String>,
        #[command(flatten)]
        given: Given,
    },
    /// Shows an instance or a binding, if the broker lets them be fetched
    Fetch {
        /// The id of the instance
        instance: String,
        /// The id of the binding
        binding: Option<String>,
    },
    /// Changes the parameters of an instance, its plan, or its context
    #[command(after_help = "Like `cf update-service`: client update my-store --to pro --parameters '{\"ttl\": 60}'")]
    Update {
        /// The id of the instance
        instance: String,
        /// The plan to move to, by name or id
        #[arg(long, value_name = "PLAN")]
        to: Option<String>,
        /// Asks for the maintenance that the catalog has for the plan
        #[arg(long)]
        upgrade: bool,
        #[command(flatten)]
        given: Given,
        #[command(flatten)]
        what: What,
    },
    /// Creates a binding, and shows what it gives
    #[command(after_help = "Like `cf create-service-key`: client bind my-store my-key")]
    Bind {
        /// The id of the instance
        instance: String,
        /// The id for the binding [default: a random one, which is printed]
        binding: Option<String>,
        /// The id of the binding that this one is to replace
        #[arg(long, value_name = "BINDING")]
        rotate: Option<String>,
        #[command(flatten)]
        given: Given,
        #[command(flatten)]
        what: What,
    },
    /// Deletes a binding
    Unbind {
        /// The id of the instance
        instance: String,
        /// The id of the binding
        binding: String,
        #[command(flatten)]
        what: What,
    },
    /// Deletes an instance
    Deprovision {
        /// The id of the instance
        instance: String,
        #[command(flatten)]
        what: What,
    },
    /// Asks once how far what goes on with an instance or a binding is
    Poll {
        /// The id of the instance
        instance: String,
        /// The id of the binding
        binding: Option<String>,
        /// The operation, as it was in the answer
        #[arg(long)]
        operation: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(super) struct Given {
    /// Parameters; JSON, or @FILE
    #[arg(long, short = 'c', value_name = "JSON", value_parser = json_or_file)]
    pub(super) parameters: Option<Value>,
}

/// What an instance is. Requests have to say it, and only platforms remember.
#[derive(Debug, Args)]
pub(super) struct What {
    /// The service of the instance, by name or id [default: what the broker says that it is]
    #[arg(long, requires = "plan")]
    pub(super) service: Option<String>,
    /// The plan of the instance, by name or id [default: what the broker says that it is]
    #[arg(long, requires = "service")]
    pub(super) plan: Option<String>,
}

/// `{"a": 1}`, or `@FILE` with that in it.
pub(super) fn json_or_file(text: &str) -> Result<Value, String> {
    let read = |path: &str| std::fs::read_to_string(path).map_err(|error| format!("{path} cannot be read: {error}"));
    let json = text.strip_prefix('@').map_or_else(|| Ok(text.to_owned()), read)?;
    osb_runtime::json::from_str(&json).map_err(|error| format!("it is no JSON: {error}; write JSON, or @FILE"))
}

/// The whole command, with its help.
pub(super) fn command(program: &str) -> clap::Command {
    ClientArgs::augment_args(clap::Command::new("client"))
        .about("Asks a broker, this one or any other, for what platforms ask it")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .after_help(format!(
            "Examples:\n  \
             {program} client catalog\n  \
             {program} client provision SERVICE PLAN my-instance --parameters '{{\"size\": 1}}'\n  \
             {program} client bind my-instance my-key\n  \
             {program} client unbind my-instance my-key\n  \
             {program} client deprovision my-instance\n\n\
             Where is the broker, and who asks? --url, --username and --password, or OSB_CLIENT_URL,\n\
             OSB_CLIENT_USERNAME and OSB_CLIENT_PASSWORD. A broker on this machine is also asked with\n\
             OSB_USERNAME and OSB_PASSWORD, which `serve` prints if it makes them.\n\n\
             What goes on after the answer is followed to its end, with a line on standard error for each\n\
             change. The result is on standard output.\n\n\
             Exit codes: 0 it is done, 1 the broker refused or failed, 2 it was called in a wrong way."
        ))
}
