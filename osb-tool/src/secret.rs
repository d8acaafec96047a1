//! Arguments that hold secrets.

use std::{any::TypeId, ffi::OsString, fmt, path::PathBuf};

use clap::{
    Arg, ArgMatches, Command,
    builder::{Resettable, StringValueParser, TypedValueParser, ValueParserFactory},
    parser::ValueSource,
    value_parser,
};
use zeroize::Zeroizing;

use super::{Failure, config::parse_leniently, platforms};

/// A secret among the author's options, such as a password or the URL of a database. No message, log line or document shows
/// it: `Debug` writes `Secret(..)`, there is no `Display`, and its memory is wiped when it is dropped. The text that it was parsed
/// from is not: arguments and the environment remain in the memory of the process.
///
/// ```
/// use osb_tool::{Secret, clap};
///
/// #[derive(clap::Args)]
/// struct Config {
///     /// URL of the database, with the password of the broker
///     #[arg(long, env = "PG_URL")]
///     pg_url: Secret,
/// }
///
/// fn connect(config: &Config) -> usize {
///     config.pg_url.expose().len()
/// }
/// ```
///
/// Each such option also has a form that names a file with the secret, for Docker, Kubernetes and systemd: here
/// `--pg-url-file FILE`, or `PG_URL_FILE` in the environment. White space at the end of the file is not part of the secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Returns the secret.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for Secret {
    fn from(secret: String) -> Self {
        Self(Zeroizing::new(secret))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// Lets clap parse it without a `value_parser`.
impl ValueParserFactory for Secret {
    type Parser = SecretParser;

    fn value_parser() -> Self::Parser {
        SecretParser
    }
}

/// Parses a [`Secret`].
#[derive(Debug, Clone, Copy)]
pub struct SecretParser;

impl TypedValueParser for SecretParser {
    type Value = Secret;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Self::Value, clap::Error> {
        // The message for a value that isn't UTF-8 doesn't show it.
        StringValueParser::new().parse_ref(command, arg, value).map(Secret::from)
    }
}

fn is_secret(arg: &Arg) -> bool {
    arg.get_value_parser().type_id() == TypeId::of::<Secret>()
}

fn file_id(arg: &Arg) -> String {
    format!("{}_file", arg.get_id())
}

/// Adds an option for a file to each secret of a command and its subcommands.
pub(super) fn with_files(command: Command) -> Command {
    let secrets: Vec<Arg> = command.get_arguments().filter(|arg| is_secret(arg)).cloned().collect();
    let command = secrets.iter().fold(command, |command, secret| {
        let Some(long) = secret.get_long().map(|long| format!("{long}-file")) else { return command };
        // An option of the author with this name remains.
        if command.get_arguments().any(|arg| arg.get_long() == Some(&long)) {
            return command;
        }
        let mut file = Arg::new(file_id(secret))
            .long(long)
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .conflicts_with(secret.get_id())
            .help(format!("File with the value of --{}", secret.get_long().unwrap_or_default()));
        if let Some(heading) = secret.get_help_heading() {
            file = file.help_heading(heading.to_owned());
        }
        if let Some(variable) = secret.get_env() {
            file = file.env(format!("{}_FILE", variable.to_string_lossy()));
        }
        command.arg(file)
    });
    command.mut_subcommands(with_files)
}

/// Resolves options that exclude each other, such as a secret and the form that names a file: the command line wins over the
/// environment, and a variable with a value over an empty one. Without this, clap would report that both are given.
pub(super) fn prefer_nearer(command: Command, matches: &ArgMatches) -> Command {
    let mut levels = vec![matches];
    while let Some((_, inner)) = levels.last().and_then(|matches| matches.subcommand()) {
        levels.push(inner);
    }
    without_excluded(command, matches, &levels)
}

/// Ignores the variables of a command, and of the one that is given below it, that give way to another option.
fn without_excluded(mut command: Command, matches: &ArgMatches, levels: &[&ArgMatches]) -> Command {
    // An option of `client` may be given after its subcommand.
    let source = |arg: &Arg| {
        let id = arg.get_id().as_str();
        levels.iter().rev().find_map(|level| level.try_contains_id(id).ok().and_then(|_| level.value_source(id)))
    };
    let is_empty = |arg: &Arg| arg.get_env().and_then(std::env::var_os).is_some_and(|value| value.is_empty());
    let gives_way = |arg: &Arg, to: &Arg| {
        source(arg) == Some(ValueSource::EnvVariable)
            && match source(to) {
                Some(ValueSource::CommandLine) => true,
                Some(ValueSource::EnvVariable) => is_empty(arg) && !is_empty(to),
                // Its defaults are from the configuration file.
                _ => is_empty(arg) && !to.get_default_values().is_empty(),
            }
    };
    let excluding = command.get_arguments().flat_map(|one| {
        let others = command.get_arg_conflicts_with(one);
        others.into_iter().flat_map(move |other| [(one, other), (other, one)])
    });
    let ignored: Vec<_> =
        excluding.filter(|(arg, to)| gives_way(arg, to)).map(|(arg, _)| arg.get_id().clone()).collect();
    for id in ignored {
        command = command.mut_arg(id, |arg| arg.env(Resettable::Reset));
    }
    match matches.subcommand() {
        Some((name, inner)) if command.find_subcommand(name).is_some() => {
            command.mut_subcommand(name, |command| without_excluded(command, inner, levels))
        }
        _ => command,
    }
}

/// Reads the files of secrets that the command line, the environment or the configuration file names, and makes their
/// contents the defaults of the secrets.
pub(super) fn read_files(command: Command) -> Result<Command, Failure> {
    if !command.get_arguments().chain(command.get_subcommands().flat_map(Command::get_arguments)).any(is_secret) {
        return Ok(command);
    }
    let Some(matches) = parse_leniently(&command) else { return Ok(command) };
    match matches.subcommand() {
        None => read(command, &matches),
        Some((name, matches)) => {
            let Some(found) = command.find_subcommand(name).cloned() else { return Ok(command) };
            let changed = read(found, matches)?;
            Ok(command.mut_subcommand(name, |_| changed))
        }
    }
}

fn read(mut command: Command, matches: &ArgMatches) -> Result<Command, Failure> {
    let secrets: Vec<Arg> = command.get_arguments().filter(|arg| is_secret(arg)).cloned().collect();
    for secret in secrets {
        let Ok(Some(path)) = matches.try_get_one::<PathBuf>(&file_id(&secret)) else { continue };
        let option = format!("--{}-file", secret.get_long().unwrap_or_default());
        let text = Zeroizing::new(platforms::read(&option, path)?);
        let value = OsString::from(text.trim_end());
        command = command
            .mut_arg(secret.get_id(), |arg| arg.default_values([value]).hide_default_value(true).required(false));
    }
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_at_the_beginning_of_a_file_is_no_part_of_the_secret() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("secret");
        std::fs::write(&file, "\u{feff}a secret\r\n").expect("the file is written");
        let secret = Arg::new("pg_url").long("pg-url").value_parser(value_parser!(Secret));
        let command = with_files(Command::new("broker").arg(secret));
        let matches = command.clone().get_matches_from(["broker".as_ref(), "--pg-url-file".as_ref(), file.as_os_str()]);
        let matches = read(command, &matches).expect("the file is read").get_matches_from(["broker"]);
        let read: &Secret = matches.get_one("pg_url").expect("it is the default");
        assert_eq!(read.expose(), "a secret");
    }
}
