//! The options of the command `client`.

use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::Value;

use super::{broker_args::BrokerArgs, cli::one_of};
use osb_client::Platform;
use osb_runtime::protocol::TraceParent;

#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct ClientArgs {
    #[command(flatten)]
    pub(super) broker: BrokerArgs,

    /// Platform to imitate in context, user and application
    #[arg(
        long,
        global = true,
        value_name = "PLATFORM",
        default_value = "cloudfoundry",
        value_parser = one_of(PLATFORMS),
        help_heading = REQUEST
    )]
    pub(super) platform: Platform,

    /// Context in place of the platform's; JSON, or @FILE
    #[arg(long, global = true, value_name = "JSON", value_parser = json_or_file, help_heading = REQUEST)]
    pub(super) context: Option<Value>,

    /// Trace that the requests belong to, as in the header traceparent
    #[arg(long, global = true, value_name = "TRACEPARENT", env = "TRACEPARENT", help_heading = REQUEST)]
    pub(super) trace: Option<TraceParent>,

    /// Don't send accepts_incomplete, so that the broker can't answer 202
    #[arg(long, global = true, help_heading = REQUEST)]
    pub(super) synchronous: bool,

    /// Don't wait for the end of an asynchronous operation; `poll` shows its progress
    #[arg(long, global = true, help_heading = REQUEST)]
    pub(super) no_wait: bool,

    /// Delay between two polls, unless the broker requests a longer one
    #[arg(
        long,
        global = true,
        value_name = "DURATION",
        default_value = "2s",
        value_parser = super::duration::parse,
        help_heading = REQUEST
    )]
    pub(super) poll_every: Duration,

    /// Print the body of the response, for scripts
    #[arg(long, global = true, help_heading = REQUEST)]
    pub(super) json: bool,

    #[command(subcommand)]
    pub(super) command: Command,
}

const REQUEST: &str = "Request";

pub(super) const PLATFORMS: &[(&str, &str, Platform)] = &[
    ("cloudfoundry", "Cloud Foundry, Korifi, SAP BTP", Platform::CloudFoundry),
    ("kubernetes", "Kubernetes with its service catalog", Platform::Kubernetes),
];

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Show the services and plans
    Catalog,
    /// Create an instance
    #[command(after_help = "Like `cf create-service`: client provision kv free my-store --parameters '{\"ttl\": 60}'")]
    Provision {
        /// Name or id of the service
        service: String,
        /// Name or id of the plan
        plan: String,
        /// Id for the instance [default: a random one, which is printed]
        instance: Option<String>,
        #[command(flatten)]
        given: Given,
    },
    /// Show an instance or a binding, if the broker supports fetches
    Fetch {
        /// Id of the instance
        instance: String,
        /// Id of the binding
        binding: Option<String>,
    },
    /// Update the parameters, the plan or the context of an instance
    #[command(after_help = "Like `cf update-service`: client update my-store --plan pro --parameters '{\"ttl\": 60}'")]
    Update {
        /// Id of the instance
        instance: String,
        /// Name or id of the new plan
        #[arg(long, visible_alias = "to", value_name = "NEW")]
        plan: Option<String>,
        /// Upgrade to the plan's maintenance version in the catalog
        #[arg(long)]
        upgrade: bool,
        #[command(flatten)]
        given: Given,
        /// Name or id of the instance's service [default: fetched from the broker]
        #[arg(long, requires = "from")]
        service: Option<String>,
        /// Name or id of the instance's current plan [default: fetched from the broker]
        #[arg(long, value_name = "PLAN", requires = "service")]
        from: Option<String>,
    },
    /// Create a binding, and show its credentials
    #[command(after_help = "Like `cf create-service-key`: client bind my-store my-key")]
    Bind {
        /// Id of the instance
        instance: String,
        /// Id for the binding [default: a random one, which is printed]
        binding: Option<String>,
        /// Id of the binding that the new one replaces
        #[arg(long, value_name = "BINDING", visible_alias = "predecessor")]
        rotate: Option<String>,
        #[command(flatten)]
        given: Given,
        #[command(flatten)]
        offering: Offering,
    },
    /// Delete a binding
    Unbind {
        /// Id of the instance
        instance: String,
        /// Id of the binding
        binding: String,
        #[command(flatten)]
        offering: Offering,
    },
    /// Delete an instance
    Deprovision {
        /// Id of the instance
        instance: String,
        #[command(flatten)]
        offering: Offering,
    },
    /// Show the state of the last operation on an instance or a binding
    Poll {
        /// Id of the instance
        instance: String,
        /// Id of the binding
        binding: Option<String>,
        /// The `operation` in the broker's response
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

/// The service and the plan of an instance, which every request contains.
#[derive(Debug, Args)]
pub(super) struct Offering {
    /// Name or id of the instance's service [default: fetched from the broker]
    #[arg(long, requires = "plan")]
    pub(super) service: Option<String>,
    /// Name or id of the instance's plan [default: fetched from the broker]
    #[arg(long, requires = "service")]
    pub(super) plan: Option<String>,
}

/// Parses JSON, or reads it from a file for `@FILE`.
pub(super) fn json_or_file(text: &str) -> Result<Value, String> {
    let read = |path: &str| std::fs::read_to_string(path).map_err(|error| format!("{path} cannot be read: {error}"));
    let json = text.strip_prefix('@').map_or_else(|| Ok(text.to_owned()), read)?;
    osb_runtime::json::from_str(&json).map_err(|error| format!("invalid JSON: {error}; write JSON, or @FILE"))
}

/// Builds the command.
pub(super) fn command(program: &str) -> clap::Command {
    ClientArgs::augment_args(clap::Command::new("client"))
        .about("Send any broker the requests that a platform would send")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        // One screen: the options, which every command has, are in the help of each.
        .help_template("{about}\n\n{usage-heading} {usage}\n\nCommands:\n{subcommands}{after-help}")
        .override_usage(format!("{program} client COMMAND [OPTIONS]   (options: {program} client COMMAND --help)"))
        .after_help(format!(
            "Set the broker by --url, --username and --password, or in the environment by\n\
             OSB_CLIENT_URL, OSB_CLIENT_USERNAME and OSB_CLIENT_PASSWORD. For a broker on\n\
             this machine OSB_USERNAME and OSB_PASSWORD work too, which `serve` may print.\n\
             Asynchronous operations are polled; their progress goes to standard error.\n\n\
             Example: {program} client provision SERVICE PLAN my-instance -c '{{\"size\": 1}}'\n\
             Exit codes: 0 success, 1 the broker refused or failed, 2 invalid command line."
        ))
}
