//! The location of records, as `--store` names it.

use std::{fmt, path::PathBuf};

use clap::{
    Arg, Command,
    builder::{StringValueParser, TypedValueParser},
    error::{ContextKind, ContextValue, ErrorKind},
};

#[cfg(feature = "postgres")]
use super::binding;

/// The location of the records.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Location {
    Memory,
    File(PathBuf),
    /// The URL of a database, with its password.
    #[cfg(feature = "postgres")]
    Postgres(String),
    /// A URL in a store of the author's own.
    Own {
        scheme: &'static str,
        url: String,
    },
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("memory"),
            Self::File(path) => path.display().fmt(f),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => f.write_str("the database"),
            Self::Own { scheme, .. } => write!(f, "`{scheme}`"),
        }
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Returns whether a text may be a mistyped URL of a database. It may have a password, which errors about a file would show.
fn may_be_url(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| !c.is_ascii_alphanumeric()).to_ascii_lowercase();
    let has_user = text.split_once(':').is_some_and(|(_, rest)| rest.contains('@'));
    let has_scheme =
        ["postgres:", "postgresql:", "file:"].iter().any(|scheme| text.starts_with(scheme)) || text.contains("://");
    has_user || has_scheme || text.contains("password=")
}

/// Parses a [`Location`]. Its messages don't show the value, as those of clap for a function would, because of the password.
#[derive(Clone, Default)]
pub(super) struct LocationParser {
    /// The schemes of the author's own stores.
    own: Vec<&'static str>,
}

impl LocationParser {
    fn parse(&self, text: &str) -> Result<Location, String> {
        // It would be part of the name of a file or a schema, and the broker would start there without its records.
        if text.trim_end() != text {
            return Err("remove the white space at its end, such as a newline".to_owned());
        }
        if text.strip_prefix("binding:").is_some_and(|name| !may_be_url(name)) {
            return in_database(text);
        }
        let scheme = text.split_once("://").map(|(scheme, _)| scheme);
        let own = self.own.iter().find(|own| Some(**own) == scheme);
        // It would be the name of a file, and the broker would start without the records of its own store.
        let lacks_slashes = text.split_once(':').is_some_and(|(start, _)| self.own.contains(&start));
        match (text, scheme, own) {
            ("memory", ..) => Ok(Location::Memory),
            (url, Some("postgres" | "postgresql"), _) => in_database(url),
            (url, _, Some(scheme)) => Ok(Location::Own { scheme, url: url.to_owned() }),
            (file, None, None) if !file.is_empty() && !lacks_slashes && !may_be_url(file) => {
                Ok(Location::File(file.into()))
            }
            _ => {
                let own: String = self.own.iter().map(|scheme| format!("`{scheme}://…`, ")).collect();
                let postgres = "`postgres://…` in lower case and without quotes";
                Err(format!("write the name of a file, {postgres}, {own}`binding:NAME` or `memory`"))
            }
        }
    }
}

/// Returns the location of a database, by its URL or by the binding that has it.
#[cfg(feature = "postgres")]
fn in_database(text: &str) -> Result<Location, String> {
    let url = text.strip_prefix("binding:").map_or_else(|| Ok(text.to_owned()), binding::url)?;
    Ok(Location::Postgres(url))
}

#[cfg(not(feature = "postgres"))]
fn in_database(_: &str) -> Result<Location, String> {
    Err("this program was built without PostgreSQL; build it with the feature `postgres` of osb-tool".to_owned())
}

/// Lets the options for the location of records have the URLs of the author's own stores.
pub(crate) fn with_own_stores(command: Command, own: &[&'static str]) -> Command {
    if own.is_empty() {
        return command;
    }
    let is_location = |id: &str| matches!(id, "osb_store" | "osb_store_from" | "osb_store_to");
    let also: String = own.iter().map(|scheme| format!(" [also: {scheme}://…]")).collect();
    let command = command.mut_args(|arg| {
        if !is_location(arg.get_id().as_str()) {
            return arg;
        }
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        // `--to` is parsed alike, for the message that nothing can be copied there.
        let also = if arg.get_id() == "osb_store_to" { "" } else { &also };
        arg.help(help + also).value_parser(LocationParser { own: own.to_vec() })
    });
    command.mut_subcommands(|command| with_own_stores(command, own))
}

impl TypedValueParser for LocationParser {
    type Value = Location;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Self::Value, clap::Error> {
        let text = StringValueParser::new().parse_ref(command, arg, value)?;
        self.parse(&text).map_err(|why| {
            let arg = arg.map(ToString::to_string).unwrap_or_default();
            let message = format!("invalid value for '{arg}': {why}\n");
            let mut error = clap::Error::raw(ErrorKind::ValueValidation, message).with_cmd(command);
            // The place in the configuration file is found by them; they are not printed.
            error.insert(ContextKind::InvalidArg, ContextValue::String(arg));
            error.insert(ContextKind::InvalidValue, ContextValue::String(text));
            error
        })
    }
}
