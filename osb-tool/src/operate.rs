//! The commands for operators: `instances`, `bindings`, `operations`, `retry`, `abandon`, `purge` and `reseal`, which work at
//! the admin address of a running broker or on the file of a stopped one.

use std::io::{self, BufRead, IsTerminal, Write};

use clap::{ArgMatches, Args, Command, FromArgMatches};
use http::{Method, StatusCode};

use super::{
    Failure, blocking, cli::optionally, client_at::reach, config, overrides::OverrideArgs, overview::table,
    store::CopyArgs, store::StoreArgs,
};
use osb_client::{Answer, Call, Client, Payload, encode};
use osb_runtime::{
    catalog::Offering,
    json::{Json, Members},
    lifecycle::{
        Settings,
        admin::{Filter, RecordKind, View, abandon},
    },
    store::{Key, Records},
};

/// The other way to the records, for commands that have it.
pub(super) const OR_ADMIN: &str = "if the broker is running, set --admin (OSB_ADMIN_URL) to its admin address";

/// The location of the records: a running broker, or a file.
#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Broker")]
struct At {
    /// Admin address of a running broker, as in its --admin-listen; without it, the command works on the file of a stopped
    /// broker
    #[arg(id = "osb_admin_url", long = "admin", value_name = "URL", env = "OSB_ADMIN_URL")]
    url: Option<String>,

    /// Credentials for the admin address
    #[arg(
        id = "osb_admin_pair",
        long = "admin-credentials",
        value_name = "USER:PASSWORD",
        env = "OSB_ADMIN_CREDENTIALS"
    )]
    credentials: Option<String>,

    /// PEM file with the only authorities to trust for https:// [default: those of the operating system]
    #[cfg(feature = "tls")]
    #[arg(id = "osb_admin_ca", long = "admin-ca", value_name = "FILE", env = "OSB_ADMIN_CA")]
    ca: Option<std::path::PathBuf>,

    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Debug, Args)]
#[group(skip)]
struct ListArgs {
    /// Show only the platform with this name
    #[arg(long, value_name = "NAME")]
    tenant: Option<String>,
    /// Show only this service, by name or id
    #[arg(long, value_name = "SERVICE")]
    service: Option<String>,
    /// Show only this plan, by name or id
    #[arg(long, value_name = "PLAN")]
    plan: Option<String>,
    /// Show only this phase: creating, ready, create_failed, updating, deleting, delete_failed, gone
    #[arg(long, value_name = "PHASE")]
    phase: Option<String>,
    /// Show only entries whose newest operation is in this state: in progress, succeeded, failed
    #[arg(long, value_name = "STATE")]
    state: Option<String>,
    /// Show only entries with all of these words in their ids, names, users or failures
    #[arg(long, value_name = "WORDS")]
    search: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    at: At,
}

#[derive(Debug, Args)]
#[group(skip)]
struct AdminActionArgs {
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
    at: At,
}

/// A command that changes one instance or binding.
struct AdminAction {
    name: &'static str,
    about: &'static str,
    more: &'static str,
    /// `true` if handlers are called.
    works: bool,
}

const DEEDS: [AdminAction; 3] = [
    AdminAction {
        name: "retry",
        about: "Retry a failed deletion or rollback",
        more: "For an instance or a binding whose deletion failed, or whose failed creation could not be rolled back.",
        works: true,
    },
    AdminAction {
        name: "abandon",
        about: "Forget an instance or a binding that can't be deleted",
        more: "No handler is called: remove its resources by hand, because the broker no longer knows them.",
        works: false,
    },
    AdminAction {
        name: "purge",
        about: "Delete an instance that its platform has lost, with its bindings",
        more: "The effect is that of a deletion request from the platform. If the platform still knows the instance, it continues to show it.",
        works: true,
    },
];

const LISTS: [(RecordKind, &str); 3] = [
    (RecordKind::Instances, "List instances, or show one"),
    (RecordKind::Bindings, "List bindings"),
    (RecordKind::Operations, "List the newest operation of each instance and binding"),
];

/// Builds the commands; those that call handlers also have the author's options.
pub(super) fn commands<C: Args>() -> Vec<Command> {
    let lists = LISTS.iter().map(|(kind, about)| {
        let instance = clap::Arg::new("instance").value_name("INSTANCE").help("Id of an instance");
        // `augment_args` would take the doc comment of `OverrideArgs` for that of the command.
        let command = ListArgs::augment_args(Command::new(kind.name()).arg(instance).arg(config::arg()));
        OverrideArgs::augment_args(command).about(*about).long_about(None)
    });
    let deeds = DEEDS.iter().map(|action| {
        let instance = clap::Arg::new("instance").value_name("INSTANCE").help("Id of the instance").required(true);
        let mut command = AdminActionArgs::augment_args(Command::new(action.name).arg(instance).arg(config::arg()));
        if action.works {
            // A running broker, at --admin, needs none of them.
            command = optionally::<C>(OverrideArgs::augment_args(command), "Broker (if stopped)");
        }
        command.about(action.about).long_about(format!("{}. {}", action.about, action.more))
    });
    lists.chain(deeds).chain([reseal_command(), records_command()]).collect()
}

/// Returns the kind of records that a command lists.
pub(super) fn is_list(name: &str) -> Option<RecordKind> {
    LISTS.iter().map(|(kind, _)| *kind).find(|kind| kind.name() == name)
}

fn action(name: &str) -> Option<&'static AdminAction> {
    DEEDS.iter().find(|action| action.name == name)
}

pub(super) fn is_deed(name: &str) -> bool {
    action(name).is_some()
}

fn usage(error: &clap::Error) -> Failure {
    Failure::Usage(error.to_string())
}

fn instance(options: &ArgMatches) -> Option<String> {
    options.get_one::<String>("instance").cloned()
}

impl At {
    /// Returns a client for the running broker, if there is an admin URL.
    fn client(&self) -> Result<Option<Client>, Failure> {
        let Some(url) = &self.url else { return Ok(None) };
        #[cfg(feature = "tls")]
        let ca = self.ca.as_deref();
        #[cfg(not(feature = "tls"))]
        let ca = None;
        let client = reach(url, ca)?;
        let pair = self.credentials.as_deref().and_then(|pairs| pairs.split_whitespace().next());
        match pair.map(|pair| pair.split_once(':')) {
            Some(Some((user, password))) => Ok(Some(client.basic(user, password))),
            Some(None) => Err(Failure::Usage("OSB_ADMIN_CREDENTIALS has no colon; write USER:PASSWORD".to_owned())),
            None => {
                Err(Failure::Usage("no operator credentials; set OSB_ADMIN_CREDENTIALS to USER:PASSWORD".to_owned()))
            }
        }
    }

    async fn records(&self, program: &str) -> Result<Records, Failure> {
        self.store.open_existing(program).await.map_err(|failure| failure.with_advice(OR_ADMIN))
    }
}

fn call(method: Method, path: String, query: Vec<(String, String)>) -> Call {
    // The admin address refuses actions without the content type of JSON.
    let payload = if method == Method::POST { Payload::Text("{}".to_owned()) } else { Payload::None };
    Call { method, path, query, payload }
}

async fn ask(client: &Client, call: &Call) -> Result<Answer, Failure> {
    let answer = client.send(call).await.map_err(|error| Failure::Broken(error.to_string()))?;
    if answer.status.is_success() {
        return Ok(answer);
    }
    let said = answer.description().unwrap_or_else(|| answer.excerpt());
    Err(Failure::Broken(format!("{} {said}", answer.status.as_u16())))
}

/// Lists records, or shows an instance.
pub(super) fn list(
    kind: RecordKind,
    options: &ArgMatches,
    offerings: &[&'static Offering],
    program: &str,
) -> Result<(), Failure> {
    let wanted = ListArgs::from_arg_matches(options).map_err(|error| usage(&error))?;
    let filter = Filter {
        tenant: wanted.tenant,
        instance: instance(options),
        service: wanted.service,
        plan: wanted.plan,
        phase: wanted.phase,
        state: wanted.state,
        search: wanted.search,
    };
    let rows = match wanted.at.client()? {
        Some(client) => blocking(remote(&client, kind, &filter))??,
        None => blocking(async {
            let records = wanted.at.records(program).await?;
            let view = View { store: records.store(), offerings };
            let found = view.list(kind, &filter, None, usize::MAX).await;
            records.close().await;
            found.map(|page| page.found).map_err(|error| Failure::Broken(error.to_string()))
        })??,
    };
    if wanted.json {
        let json = serde_json::to_string_pretty(&rows).map_err(|error| Failure::Broken(error.to_string()))?;
        return super::print(&(json + "\n"));
    }
    match (kind, &filter.instance, &*rows) {
        (RecordKind::Instances, Some(_), [_, ..]) => {
            super::print(&rows.iter().map(|row| details(row, "")).collect::<String>())
        }
        _ => super::print(&formatted(kind, &rows)),
    }
}

/// Formats all fields, one line each.
fn details(row: &Json, indent: &str) -> String {
    let line = |(name, value): (&str, &Json)| match value {
        Json::Object(_) => format!("{indent}{name}:\n{}", details(value, &format!("{indent}  "))),
        Json::String(text) => format!("{indent}{name}: {}\n", text.replace(char::is_control, " ")),
        other => format!("{indent}{name}: {other}\n"),
    };
    row.as_object().into_iter().flat_map(Members::iter).map(line).collect()
}

/// Fetches all pages from a running broker.
async fn remote(client: &Client, kind: RecordKind, filter: &Filter) -> Result<Vec<Json>, Failure> {
    let named = [
        ("tenant", &filter.tenant),
        ("instance", &filter.instance),
        ("service", &filter.service),
        ("plan", &filter.plan),
        ("phase", &filter.phase),
        ("state", &filter.state),
        ("search", &filter.search),
    ];
    let wanted = named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?)));
    let wanted: Vec<(String, String)> = wanted.chain([("limit".to_owned(), "1000".to_owned())]).collect();
    let (mut rows, mut query) = (Vec::new(), wanted.clone());
    loop {
        let answer = ask(client, &call(Method::GET, format!("/{}", kind.name()), query.clone())).await?;
        let Ok(Json::Array(found)) = Json::read(answer.text.as_bytes()).map(|body| body[kind.name()].clone()) else {
            return Err(Failure::Broken("the URL is not the admin address of a broker".to_owned()));
        };
        rows.extend(found);
        let Some(after) = answer.body["next"]["instance_id"].as_str() else { return Ok(rows) };
        let tenant = answer.body["next"]["tenant"].as_str().unwrap_or_default();
        query.clone_from(&wanted);
        query.push(("after".to_owned(), after.to_owned()));
        query.push(("after_tenant".to_owned(), tenant.to_owned()));
        if let Some(binding) = answer.body["next"]["binding_id"].as_str() {
            query.push(("after_binding".to_owned(), binding.to_owned()));
        }
    }
}

/// Formats a table.
fn formatted(kind: RecordKind, rows: &[Json]) -> String {
    let cell = |row: &Json, name: &str| -> String {
        let value = match &row[name] {
            Json::String(text) => text.clone(),
            Json::Null => "-".to_owned(),
            other => other.to_string(),
        };
        value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
    };
    let operation = |row: &Json| format!("{} {}", cell(&row["operation"], "action"), cell(&row["operation"], "state"));
    let header = match kind {
        RecordKind::Instances => ["TENANT", "INSTANCE", "NAME", "SERVICE", "PLAN", "PHASE", "LAST OPERATION"],
        RecordKind::Bindings => ["TENANT", "INSTANCE", "BINDING", "SERVICE", "PLAN", "PHASE", "LAST OPERATION"],
        RecordKind::Operations => ["TENANT", "INSTANCE", "BINDING", "ACTION", "STATE", "ATTEMPT", "DESCRIPTION"],
    };
    let mut lines = vec![header.map(str::to_owned)];
    lines.extend(rows.iter().map(|row| {
        match kind {
            RecordKind::Instances => ["tenant", "instance_id", "instance_name", "service", "plan", "phase"]
                .map(|name| cell(row, name))
                .into_iter()
                .chain([operation(row)])
                .collect::<Vec<_>>(),
            RecordKind::Bindings => ["tenant", "instance_id", "binding_id", "service", "plan", "phase"]
                .map(|name| cell(row, name))
                .into_iter()
                .chain([operation(row)])
                .collect(),
            RecordKind::Operations => {
                let text = if row["description"] == Json::Null { "progress" } else { "description" };
                let mut cells = ["tenant", "instance_id", "binding_id", "action", "state", "attempt", text]
                    .map(|name| cell(row, name));
                if row.get("unreadable").is_some() {
                    cells[6] += &format!(" [unreadable {}]", cell(row, "unreadable"));
                }
                cells.into()
            }
        }
        .try_into()
        .unwrap_or_default()
    }));
    if rows.is_empty() {
        return format!("No {} found.\n", kind.name());
    }
    table(&lines)
}

fn reseal_command() -> Command {
    At::augment_args(Command::new("reseal").arg(config::arg()))
        .about("Re-encrypt all records with the first key")
        .long_about(
            "Re-encrypt all records with the first key, including those that are not encrypted. After that, only backups need \
             the older keys. If the broker is stopped, the command replaces the file. With --admin it works on a running \
             broker, which must have been started with all keys; its file keeps older copies until their space is reused.",
        )
}

fn records_command() -> Command {
    let copy = CopyArgs::augment_args(Command::new("copy").arg(config::arg()))
        .about("Copy all records of a stopped broker to another store")
        .long_about(
            "Copy all records of a stopped broker to another store: from a file to a database, or back. Everything is copied \
             or nothing. The records that are copied stay as they are; start the broker with the new --store afterwards. Stop \
             all processes of the broker before, because changes that they make meanwhile would be lost.",
        );
    Command::new("records").about("Move records to another store").subcommand_required(true).subcommand(copy)
}

/// Runs `records copy`.
pub(super) fn records(options: &ArgMatches, program: &str) -> Result<(), Failure> {
    let Some(("copy", options)) = options.subcommand() else {
        return Err(Failure::Usage("`records` needs a command: copy".to_owned()));
    };
    super::store::copy(&CopyArgs::from_arg_matches(options).map_err(|error| usage(&error))?, program)
}

/// Re-encrypts the records of a running broker, or those in the file of a stopped one.
pub(super) fn reseal(options: &ArgMatches, program: &str) -> Result<(), Failure> {
    let at = At::from_arg_matches(options).map_err(|error| usage(&error))?;
    let Some(client) = at.client()? else { return super::store::reseal(&at.store, program) };
    let answer = blocking(ask(&client, &call(Method::POST, "/reseal".to_owned(), Vec::new())))??;
    let records = answer.body["records"].as_u64().unwrap_or_default();
    let plural = if records == 1 { "" } else { "s" };
    super::print(&format!("{records} record{plural} encrypted with the broker's first key\n"))
}

/// A request to an admin address that needs a broker with handlers.
pub(super) struct Pending {
    action: &'static str,
    path: String,
    query: Vec<(String, String)>,
}

impl Pending {
    /// Sends the request, and returns whether the operation has ended. Otherwise it is running.
    pub(super) async fn send(&self, client: &Client) -> Result<bool, Failure> {
        let answer = ask(client, &call(Method::POST, self.path.clone(), self.query.clone())).await?;
        Ok(answer.status != StatusCode::ACCEPTED)
    }

    /// Prints the result.
    pub(super) fn report(&self, result: &str) -> Result<(), Failure> {
        super::print(&format!("{}: {result}\n", self.action))
    }
}

/// Runs a command; returns the request if a broker has to be started for it.
pub(super) fn act(name: &str, options: &ArgMatches, program: &str) -> Result<Option<Pending>, Failure> {
    let Some(action) = action(name) else { return Ok(None) };
    let wanted = AdminActionArgs::from_arg_matches(options).map_err(|error| usage(&error))?;
    let instance = instance(options).unwrap_or_default();
    let client = wanted.at.client()?;
    if !wanted.yes {
        let what = match &wanted.binding {
            None => format!("instance {instance}"),
            Some(binding) => format!("binding {binding} of instance {instance}"),
        };
        confirm(&format!("{name} {what}?\n  {}. {}", action.about, action.more))?;
    }
    let path = match &wanted.binding {
        None => format!("/instances/{}/{name}", encode(&instance)),
        Some(binding) => format!("/instances/{}/bindings/{}/{name}", encode(&instance), encode(binding)),
    };
    let query = vec![("tenant".to_owned(), wanted.tenant.clone())];
    let pending = Pending { action: action.name, path, query };
    match client {
        Some(client) => {
            let has_ended = blocking(pending.send(&client))??;
            pending.report(if has_ended { "done" } else { "started; `operations` shows its progress" })?;
            Ok(None)
        }
        None if action.works => Ok(Some(pending)),
        None => {
            let tenant = wanted.tenant.parse();
            let tenant =
                tenant.map_err(|error| Failure::Usage(format!("invalid --tenant {}: {error}", wanted.tenant)))?;
            let binding = wanted.binding.clone().map(Into::into);
            let key = Key { tenant, instance: instance.as_str().into(), binding };
            let abandoned = blocking(async {
                let records = wanted.at.records(program).await?;
                let abandoned = abandon(records.store(), &Settings::default(), &key).await;
                records.close().await;
                abandoned.map_err(|error| Failure::Broken(error.to_string()))
            })??;
            if !abandoned {
                let why = "only an instance or a binding in the phase create_failed or delete_failed can be abandoned";
                return Err(Failure::Broken(why.to_owned()));
            }
            super::print("abandon: done\n").map(|()| None)
        }
    }
}

/// Asks the operator to confirm; fails without a terminal.
fn confirm(what: &str) -> Result<(), Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::Usage(format!("{what}\n  no terminal for the confirmation; pass --yes")));
    }
    eprint!("{what}\nType yes to continue: ");
    let _ = io::stderr().flush();
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer);
    if read.is_ok() && answer.trim() == "yes" {
        Ok(())
    } else {
        Err(Failure::Broken("cancelled; nothing was changed".to_owned()))
    }
}
