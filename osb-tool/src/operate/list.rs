//! The commands that list records: `instances`, `bindings` and `operations`.

use clap::{
    Arg, ArgMatches, Args, Command, FromArgMatches,
    builder::{PossibleValue, PossibleValuesParser},
};
use http::Method;
use osb_client::Client;
use osb_docs::pretty;
use osb_runtime::{
    catalog::Offering,
    json::{Json, Members},
    lifecycle::admin::{Filter, RecordKind, View},
};

use super::{AccessArgs, ask, call, instance};
use crate::{
    Failure, blocking, config, look_up,
    overrides::OverrideArgs,
    overview::{one_line, table},
    own_store::OwnStores,
    print,
};

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
    /// Show only this phase
    #[arg(long, value_name = "PHASE", value_parser = Filter::PHASES)]
    phase: Option<String>,
    /// Show only entries whose newest operation is in this state; in-progress stands for the specification's `in progress`
    #[arg(long, value_name = "STATE", value_parser = states())]
    state: Option<String>,
    /// Show only entries with all of these words in their ids, names, users or failures
    #[arg(long, value_name = "WORDS")]
    search: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    access: AccessArgs,
}

/// Parses a state. On a command line, a hyphen needs no quotes.
fn states() -> PossibleValuesParser {
    let hyphenated = |state: &'static str| match state {
        "in progress" => PossibleValue::new("in-progress").alias(state),
        state => PossibleValue::new(state),
    };
    PossibleValuesParser::new(Filter::STATES.map(hyphenated))
}

const LISTS: [(RecordKind, &str); 3] = [
    (RecordKind::Instances, "List instances, or show one"),
    (RecordKind::Bindings, "List bindings"),
    (RecordKind::Operations, "List the newest operation of each instance and binding"),
];

/// Builds the commands.
pub(super) fn commands() -> impl Iterator<Item = Command> {
    LISTS.iter().map(|(kind, about)| {
        let instance = Arg::new("instance").value_name("INSTANCE").help("Id of an instance");
        // `augment_args` would take the doc comment of `OverrideArgs` for that of the command.
        let command = ListArgs::augment_args(Command::new(kind.name()).arg(instance).arg(config::arg()));
        OverrideArgs::augment_args(command).about(*about).long_about(None)
    })
}

/// Returns the kind of records that a command lists.
pub(crate) fn kind_of(name: &str) -> Option<RecordKind> {
    LISTS.iter().map(|(kind, _)| *kind).find(|kind| kind.name() == name)
}

/// Lists records, or shows an instance.
pub(crate) fn list(
    kind: RecordKind,
    options: &ArgMatches,
    offerings: &[&'static Offering],
    stores: &OwnStores,
) -> Result<(), Failure> {
    let wanted = ListArgs::from_arg_matches(options)?;
    let filter = Filter {
        tenant: wanted.tenant,
        instance: instance(options),
        service: wanted.service,
        plan: wanted.plan,
        phase: wanted.phase,
        // As in the JSON, and as the broker's address for operators has it.
        state: wanted.state.map(|state| state.replace('-', " ")),
        search: wanted.search,
    };
    let rows = match wanted.access.client()? {
        Some(client) => blocking(remote(&client, kind, &filter))??,
        None => blocking(async {
            let records = wanted.access.records(stores).await?;
            let view = View { store: records.store(), offerings };
            let found = view.list(kind, &filter, None, usize::MAX).await;
            records.close().await;
            found.map(|page| page.entries).map_err(Failure::broken)
        })??,
    };
    if rows.is_empty() && wanted.access.is_stopped() {
        // Records can have services and plans that this release does not know.
        look_up::known(offerings, filter.service.as_deref(), filter.plan.as_deref())?;
    }
    if let (RecordKind::Instances, Some(id), []) = (kind, &filter.instance, &*rows) {
        let failure = Failure::Broken(format!("no such instance was found: {id:?}"));
        return Err(failure.with_advice("`--phase gone` shows deleted instances"));
    }
    if wanted.json {
        return print(&pretty(&serde_json::to_string(&rows).map_err(Failure::broken)?));
    }
    match (kind, &filter.instance, &*rows) {
        (RecordKind::Instances, Some(_), [_, ..]) => {
            print(&rows.iter().map(|row| details(row, "")).collect::<String>())
        }
        _ => print(&table_of(kind, &rows)),
    }
}

/// Formats all fields, one line each.
fn details(row: &Json, indent: &str) -> String {
    let line = |(name, value): (&str, &Json)| match value {
        Json::Object(_) => format!("{indent}{name}:\n{}", details(value, &format!("{indent}  "))),
        Json::String(text) => format!("{indent}{name}: {}\n", one_line(text)),
        other => format!("{indent}{name}: {other}\n"),
    };
    row.as_object().into_iter().flat_map(Members::iter).map(line).collect()
}

/// Fetches all pages from a running broker.
async fn remote(client: &Client, kind: RecordKind, filter: &Filter) -> Result<Vec<Json>, Failure> {
    let filter = serde_json::to_value(filter).map_err(Failure::broken)?;
    let named = filter.as_object().into_iter().flatten();
    let named = named.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    let wanted: Vec<_> = named.chain([("limit".to_owned(), "1000".to_owned())]).collect();
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

/// A column of a list: the heading, and the field.
type Column = (&'static str, &'static str);

const INSTANCES: [Column; 7] = [
    ("TENANT", "tenant"),
    ("INSTANCE", "instance_id"),
    ("NAME", "instance_name"),
    ("SERVICE", "service"),
    ("PLAN", "plan"),
    ("PHASE", "phase"),
    ("LAST OPERATION", "operation"),
];

const BINDINGS: [Column; 7] = [
    ("TENANT", "tenant"),
    ("INSTANCE", "instance_id"),
    ("BINDING", "binding_id"),
    ("SERVICE", "service"),
    ("PLAN", "plan"),
    ("PHASE", "phase"),
    ("LAST OPERATION", "operation"),
];

const OPERATIONS: [Column; 8] = [
    ("TENANT", "tenant"),
    ("INSTANCE", "instance_id"),
    ("BINDING", "binding_id"),
    ("ACTION", "action"),
    ("STATE", "state"),
    ("BEGAN", "began_at"),
    ("ATTEMPT", "attempt"),
    ("DESCRIPTION", "description"),
];

fn cell(row: &Json, field: &str) -> String {
    let text = |value: &Json| match value {
        Json::String(text) => text.clone(),
        Json::Null => "-".to_owned(),
        other => other.to_string(),
    };
    let unreadable = row.get("unreadable").map(|reason| format!(" [unreadable {}]", text(reason))).unwrap_or_default();
    let text = match field {
        "operation" if row[field] == Json::Null && row["unreadable"] != Json::Null => {
            unreadable.trim_start().to_owned()
        }
        "operation" => format!("{} {}", text(&row[field]["action"]), text(&row[field]["state"])),
        "description" => {
            let said = if row[field] == Json::Null { "progress" } else { field };
            text(&row[said]) + &unreadable
        }
        _ => text(&row[field]),
    };
    one_line(&text)
}

fn table_of(kind: RecordKind, rows: &[Json]) -> String {
    if rows.is_empty() {
        return format!("No {} found.\n", kind.name());
    }
    match kind {
        RecordKind::Instances => filled(INSTANCES, rows),
        RecordKind::Bindings => filled(BINDINGS, rows),
        RecordKind::Operations => filled(OPERATIONS, rows),
    }
}

fn filled<const N: usize>(columns: [Column; N], rows: &[Json]) -> String {
    let mut lines = vec![columns.map(|(heading, _)| heading.to_owned())];
    lines.extend(rows.iter().map(|row| columns.map(|(_, field)| cell(row, field))));
    table(&lines)
}
