//! The commands for operators: `instances`, `bindings`, `operations`, `retry`, `abandon`, `purge`, `cancel` and `reseal`, which work at
//! the admin address of a running broker or on the file of a stopped one.

mod act;
mod list;

use std::time::Duration;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use http::Method;
use osb_client::{Answer, Call, Client, ClientError, Payload};
use osb_runtime::{service::Broker, store::Records};

pub(super) use self::{
    act::{Pending, act, is_action},
    list::{kind_of, list},
};
#[cfg(feature = "tls")]
use crate::client_tls::TlsFiles;
use crate::{
    Failure, blocking, config, counted,
    overrides::{self, OverrideArgs},
    own_store::OwnStores,
    platforms, print,
    store::{self, CheckArgs, CopyArgs, StoreArgs},
};

/// The other way to the records, for commands that have it.
pub(super) const OR_ADMIN: &str = "if the broker is running, set --admin (OSB_ADMIN_URL) to its admin address";

/// The location of the records: a running broker, or a file.
#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Broker")]
struct AccessArgs {
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

    /// File with credentials as in --admin-credentials; the first ones are used
    #[arg(
        id = "osb_admin_pair_file",
        long = "admin-credentials-file",
        value_name = "FILE",
        env = "OSB_ADMIN_CREDENTIALS_FILE"
    )]
    credentials_file: Option<std::path::PathBuf>,

    /// PEM file with the only authorities to trust for https:// [default: those of the operating system]
    #[cfg(feature = "tls")]
    #[arg(id = "osb_admin_ca", long = "admin-ca", value_name = "FILE", env = "OSB_ADMIN_CA")]
    ca: Option<std::path::PathBuf>,

    /// PEM file with a certificate to present, for brokers that require one (their --tls-client-ca)
    #[cfg(feature = "tls")]
    #[arg(id = "osb_admin_cert", long = "admin-cert", value_name = "FILE", env = "OSB_ADMIN_CERT")]
    cert: Option<std::path::PathBuf>,

    /// PEM file with the private key of --admin-cert [default: the same file]
    #[cfg(feature = "tls")]
    #[arg(id = "osb_admin_key", long = "admin-key", value_name = "FILE", env = "OSB_ADMIN_KEY")]
    key: Option<std::path::PathBuf>,

    #[command(flatten)]
    store: StoreArgs,
}

/// Builds the commands.
pub(super) fn commands<C: Args>() -> Vec<Command> {
    list::commands().chain(act::commands::<C>()).chain([reseal_command(), records_command()]).collect()
}

fn instance(options: &ArgMatches) -> Option<String> {
    options.get_one::<String>("instance").cloned()
}

impl AccessArgs {
    /// Returns a client for the running broker, if there is an admin URL.
    fn client(&self) -> Result<Option<Client>, Failure> {
        let Some(url) = &self.url else { return Ok(None) };
        #[cfg(feature = "tls")]
        let client = {
            let Self { ca, cert, key, .. } = self;
            TlsFiles { ca: ca.as_deref(), certificate: cert.as_deref(), key: key.as_deref() }.reach(url)?
        };
        #[cfg(not(feature = "tls"))]
        let client = Client::new(url).map_err(Failure::usage)?;
        let in_file = self.credentials_file.as_deref();
        let in_file = in_file.map_or(Ok(String::new()), |file| platforms::read("--admin-credentials-file", file))?;
        let given = self.credentials.as_deref().unwrap_or_default();
        let pair = given.split_whitespace().chain(in_file.split_whitespace()).next();
        match pair.map(|pair| pair.split_once(':')) {
            Some(Some((user, password))) => Ok(Some(client.basic(user, password))),
            Some(None) => Err(Failure::Usage(
                "the operator credentials (OSB_ADMIN_CREDENTIALS or its file) have no colon; write USER:PASSWORD"
                    .to_owned(),
            )),
            None => Err(Failure::Usage(
                "no operator credentials; set OSB_ADMIN_CREDENTIALS to USER:PASSWORD, or OSB_ADMIN_CREDENTIALS_FILE"
                    .to_owned(),
            )),
        }
    }

    /// Returns whether the command works on the records of a stopped broker.
    fn is_stopped(&self) -> bool {
        self.url.is_none()
    }

    async fn records(&self, stores: &OwnStores) -> Result<Records, Failure> {
        self.store.open_existing(stores).await.map_err(|failure| failure.with_advice(OR_ADMIN))
    }
}

fn call(method: Method, path: String, query: Vec<(String, String)>) -> Call {
    // The admin address refuses actions without the content type of JSON.
    let payload = if method == Method::POST { Payload::Text("{}".to_owned()) } else { Payload::None };
    Call { method, path, query, payload }
}

/// Advice for rejected credentials. Platforms have others, and another address.
const TO_LOG_IN: &str =
    "set OSB_ADMIN_CREDENTIALS to those of an operator, and OSB_ADMIN_URL to the address of --admin-listen";

/// Advice for a URL that is not an admin address, such as the broker's own.
const TO_REACH: &str = "set OSB_ADMIN_URL to the address of --admin-listen, which is not that of platforms";

/// Advice if there is no connection.
const TO_CONNECT: &str = "check that the broker is running, and its admin address (--admin, OSB_ADMIN_URL); without one, the \
                          command works on the records of a stopped broker";

async fn ask(client: &Client, call: &Call) -> Result<Answer, Failure> {
    let answer = client.send(call).await.map_err(|error| {
        let failure = Failure::of_request(&error, "admin-", "OSB_ADMIN");
        if let ClientError::Unreachable { .. } = error { failure.with_advice(TO_CONNECT) } else { failure }
    })?;
    if answer.status.is_success() {
        return Ok(answer);
    }
    let said = answer.description().unwrap_or_else(|| answer.excerpt());
    let refused = Failure::Broken(format!("{} {said}", answer.status.as_u16()));
    Err(match answer.status.as_u16() {
        401 => refused.with_advice(TO_LOG_IN),
        // Lists exist at every admin address, even if they are empty.
        404 if call.path.rfind('/') == Some(0) => refused.with_advice(TO_REACH),
        _ => refused,
    })
}

fn reseal_command() -> Command {
    AccessArgs::augment_args(Command::new("reseal").arg(config::arg()))
        .about("Re-encrypt all records with the first key")
        .long_about(
            "Re-encrypt all records with the first key. After that, only backups need the older keys. If the broker is stopped, \
             the command replaces the file, and also encrypts records for the first time. With --admin it works on a running \
             broker, which must have been started with all keys; its file keeps older copies until their space is reused.",
        )
}

fn records_command() -> Command {
    let copy = CopyArgs::augment_args(Command::new("copy").arg(config::arg()))
        .about("Copy all records of a stopped broker to another store")
        .long_about(
            "Copy all records of a stopped broker to another store: from a file to a database, or back. Everything is copied \
             or nothing. The records that are copied stay as they are; start the broker with the new --store afterwards. Stop \
             all processes of the broker first, because changes that they make meanwhile would be lost.",
        );
    let check = OverrideArgs::augment_args(CheckArgs::augment_args(Command::new("check").arg(config::arg())))
        .about("Check that this release can serve all records, such as those of a backup")
        .long_about(
            "Check that this release can serve all records: reads and decrypts each of them, looks for plans that the catalog \
             doesn't have, and decodes states and parameters with the types of this release. Before an upgrade, or to test a \
             backup, run it on a copy of the file, or on the database: it brings the format up to date, as a start does. No handler \
             is called, and no operation is resumed.",
        );
    Command::new("records").about("Copy or check all records").subcommand_required(true).subcommands([copy, check])
}

/// Runs `records copy` and `records check`.
pub(super) fn records<B: Broker>(options: &ArgMatches, stores: &OwnStores) -> Result<(), Failure> {
    match options.subcommand() {
        Some(("copy", options)) => store::copy(&CopyArgs::from_arg_matches(options)?, stores),
        Some(("check", options)) => {
            let catalog = overrides::effective_catalog::<B>(options)?;
            store::check(&CheckArgs::from_arg_matches(options)?, catalog.offerings, stores)
        }
        _ => Err(Failure::Usage("`records` needs a command: copy or check".to_owned())),
    }
}

/// Re-encrypts the records of a running broker, or those in the file of a stopped one.
pub(super) fn reseal(options: &ArgMatches, stores: &OwnStores) -> Result<(), Failure> {
    let access = AccessArgs::from_arg_matches(options)?;
    let Some(client) = access.client()? else { return store::reseal(&access.store, stores) };
    // It takes as long as there are records.
    let client = client.timeout(Duration::MAX);
    let answer = blocking(ask(&client, &call(Method::POST, "/reseal".to_owned(), Vec::new())))??;
    let records = answer.body["records"].as_u64().unwrap_or_default();
    let unreadable = answer.body["unreadable"].as_u64().unwrap_or_default();
    print(&format!("{} encrypted with the broker's first key\n", counted(records, "record")))?;
    let why = match unreadable {
        0 => return Ok(()),
        1 => "1 record can't be read and stays as it is".to_owned(),
        several => format!("{several} records can't be read and stay as they are"),
    };
    Err(Failure::Broken(format!("{why}\n  `operations` lists them with the reason")))
}
