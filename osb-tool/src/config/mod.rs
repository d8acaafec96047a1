//! The configuration file: the settings of the command line, under the same names. The command line and the environment
//! override it.
//!
//! Hand-written because `figment` and `config` would need a second schema and would not show mistakes at their line of the
//! file. Here the options of `clap` are the schema.

mod template;

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgAction, ArgMatches, Command, builder::Resettable, error::ContextKind, value_parser};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

pub(super) use self::template::template;
use super::{Failure, features, look_up::nearest, renamed};

const ID: &str = "osb_config";

/// The variable that names the file.
const VARIABLE: &str = "OSB_CONFIG";

/// Builds the option for the file.
pub(super) fn arg() -> Arg {
    Arg::new(ID)
        .long("config")
        .env(VARIABLE)
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .help_heading("Configuration")
        .help("TOML file with settings; `listen = \"X\"` in the file is `--listen X` here")
        .long_help(
            "TOML file with settings; `listen = \"X\"` in the file is `--listen X` here. The command line and the environment \
             override the file. The command `config` prints a file with all settings and their defaults",
        )
}

/// Builds the option of a command without settings: it checks the file, and ignores the environment variables of `serve`.
pub(super) fn arg_without_settings() -> Arg {
    arg().env(Resettable::Reset).help("TOML file with settings, which is checked").long_help(Resettable::Reset)
}

/// Parses the command line before the settings of the file and the contents of secrets are known. Other mistakes, and requests
/// for help, are handled when the whole command line is parsed.
pub(super) fn parse_leniently(command: &Command) -> Option<ArgMatches> {
    command.clone().ignore_errors(true).disable_help_flag(true).disable_version_flag(true).try_get_matches().ok()
}

/// A configuration file.
#[derive(Debug)]
pub(super) struct File {
    path: PathBuf,
    settings: Vec<Setting>,
}

#[derive(Debug)]
struct Setting {
    name: String,
    line: usize,
    /// `None` if the value is no string, number or flag.
    values: Option<Vec<String>>,
    is_list: bool,
    is_section: bool,
}

impl File {
    /// Reads the file that the command line or the environment names, if one does.
    pub(super) fn find(given: &ArgMatches) -> Result<Option<Self>, Failure> {
        // A command without settings ignores the file, even an invalid one.
        let named = innermost(given).try_get_one::<PathBuf>(ID).ok().flatten();
        named.map(|path| Self::read(path)).transpose()
    }

    /// Reads a file.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let text = fs::read_to_string(path)
            .map_err(|error| Failure::Usage(format!("{} cannot be read: {error}", path.display())))?;
        let settings =
            parse(&text).map_err(|(line, problem)| Failure::Usage(format!("{}:{line}: {problem}", path.display())))?;
        Ok(Self { path: path.to_owned(), settings })
    }

    /// Makes the file's settings the defaults of the commands.
    pub(super) fn apply(&self, mut command: Command) -> Result<Command, Failure> {
        for setting in &self.settings {
            self.check(setting, &command)?;
        }
        command = self.set(command, |_| true);
        Ok(self.set_shared(command))
    }

    /// Makes the settings the defaults of the subcommands.
    fn set_shared(&self, command: Command) -> Command {
        command.mut_subcommands(|command| {
            // Other commands, such as `client`, have unrelated options with the same names.
            let command = if has_file(&command) { self.set(command, is_shared) } else { command };
            self.set_shared(command)
        })
    }

    /// Returns a setting, if it has one value.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        let setting = self.settings.iter().find(|setting| setting.name == name)?;
        setting.values.as_deref().and_then(|values| values.first()).map(String::as_str)
    }

    fn check(&self, setting: &Setting, command: &Command) -> Result<(), Failure> {
        let name = &setting.name;
        let wrong = |problem: String| Err(Failure::Usage(format!("{}: {problem}", self.place(setting))));
        let known: Vec<&Arg> = known(command).collect();
        let Some(arg) = known.iter().find(|arg| arg.get_long() == Some(name)) else {
            let known: Vec<&str> = known.iter().filter_map(|arg| arg.get_long()).collect();
            let near = match (renamed::new_name(name), features::of_option(name)) {
                (Some(new), _) => format!("\n  it is now `{new}`"),
                (None, Some(feature)) => format!("\n  {}", feature.advice()),
                _ if setting.is_section => "; the file has no sections".to_owned(),
                _ => nearest(&known, name).map(|near| format!("\n  did you mean `{near}`?")).unwrap_or_default(),
            };
            return wrong(format!("there is no setting `{name}`{near}"));
        };
        let may_be_list = matches!(arg.get_action(), ArgAction::Append);
        let excluded = |other: &&Setting| {
            // A command of the author can have options that `serve` does not have.
            let other = command.get_arguments().find(|arg| arg.get_long() == Some(&other.name));
            other.is_some_and(|other| {
                command.get_arg_conflicts_with(other).iter().any(|one| one.get_id() == arg.get_id())
            })
        };
        if let Some(other) = self.settings.iter().find(excluded) {
            return wrong(format!(
                "`{name}` and `{}` (line {}) exclude each other; remove one",
                other.name, other.line
            ));
        }
        match setting.values {
            Some(_) if may_be_list || !setting.is_list => Ok(()),
            _ if may_be_list => wrong(format!("`{name}` must be a string or a list of strings")),
            _ => wrong(format!("`{name}` must be a string, a number, true or false")),
        }
    }

    fn set(&self, mut command: Command, is_setting: fn(&Arg) -> bool) -> Command {
        for setting in &self.settings {
            let is_it = |arg: &&Arg| arg.get_long() == Some(setting.name.as_str()) && is_setting(arg);
            let id = command.get_arguments().find(is_it).map(|arg| arg.get_id().clone());
            if let Some(id) = id {
                let values = setting.values.clone().unwrap_or_default();
                // The help doesn't show them, because they may be secret.
                let set = |arg: Arg| {
                    let hides = takes_value(&arg);
                    // `no-cache = true` stands for `--no-cache`, which makes the value false.
                    let is_negative = matches!(arg.get_action(), ArgAction::SetFalse);
                    let values = values.iter().map(|value| if is_negative { negated(value) } else { value.clone() });
                    arg.default_values(values).hide_default_value(hides).required(false)
                };
                command = command.mut_arg(id, set);
            }
        }
        command
    }

    /// Returns the place of a value that clap has rejected as an invalid default.
    pub(super) fn explain(&self, error: &clap::Error) -> Option<String> {
        let argument = error.get(ContextKind::InvalidArg)?.to_string();
        let name = argument.strip_prefix("--")?.split([' ', '=']).next()?;
        let value = error.get(ContextKind::InvalidValue)?.to_string();
        let is_it =
            |setting: &&Setting| setting.name == name && setting.values.iter().flatten().any(|one| *one == value);
        let setting = self.settings.iter().find(is_it)?;
        Some(format!("this value is from {}", self.place(setting)))
    }

    fn place(&self, setting: &Setting) -> String {
        format!("{}:{}", self.path.display(), setting.line)
    }
}

/// Returns whether the command that was given has settings.
pub(super) fn has_settings(matches: &ArgMatches) -> bool {
    innermost(matches).try_contains_id(ID).is_ok()
}

/// Returns the matches of the command that was given.
fn innermost(mut matches: &ArgMatches) -> &ArgMatches {
    while let Some((_, of_command)) = matches.subcommand() {
        matches = of_command;
    }
    matches
}

fn has_file(command: &Command) -> bool {
    command.get_arguments().any(|arg| arg.get_id() == ID)
}

/// Returns the settings that a file can contain: every option of the commands that read one.
fn known(command: &Command) -> impl Iterator<Item = &Arg> {
    let commands = command.get_subcommands().filter(|command| has_file(command));
    settings(command).chain(commands.flat_map(settings).filter(|arg| is_shared(arg)))
}

/// Returns whether an option belongs to several commands, as those under a heading do. An option of a single command, such as
/// the format of `docs`, may have the same name as one of the author's settings.
fn is_shared(arg: &Arg) -> bool {
    arg.get_help_heading().is_some()
}

fn settings(command: &Command) -> impl Iterator<Item = &Arg> {
    let is_setting = |arg: &&Arg| arg.get_id() != ID && !matches!(arg.get_id().as_str(), "help" | "version");
    command.get_arguments().filter(is_setting)
}

/// Parses the settings of a file; an error has a line and a message.
fn parse(text: &str) -> Result<Vec<Setting>, (usize, String)> {
    let table = table(text).map_err(|(at, problem)| (line(text, at), problem))?;
    let setting = |(name, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let name: &std::borrow::Cow<'_, str> = name.get_ref();
        let line = line(text, value.span().start);
        let (values, is_list) = match value.get_ref() {
            DeValue::Array(values) => (values.iter().map(|value| argument(value.get_ref())).collect(), true),
            one => (argument(one).map(|value| vec![value]), false),
        };
        let is_section = matches!(value.get_ref(), DeValue::Table(_));
        Setting { name: name.to_string(), line, values, is_list, is_section }
    };
    let mut settings = table.get_ref().iter().map(setting).collect::<Vec<_>>();
    settings.sort_by_key(|setting| setting.line);
    Ok(settings)
}

/// Parses a file as a table; an error has an offset and a message.
pub(super) fn table(text: &str) -> Result<Spanned<DeTable<'_>>, (usize, String)> {
    DeTable::parse(text).map_err(|error| (error.span().map_or(0, |span| span.start), error.message().to_owned()))
}

/// Returns the line and the column at an offset. Both start with 1, and columns count characters.
pub(super) fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    (line(text, at), column)
}

/// Returns the number of the line at an offset, from 1.
fn line(text: &str, at: usize) -> usize {
    text[..at.min(text.len())].matches('\n').count() + 1
}

/// Converts a value to its form on the command line.
fn argument(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(match number.radix() {
            10 => number.as_str().to_owned(),
            radix => i64::from_str_radix(number.as_str(), radix).ok()?.to_string(),
        }),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        DeValue::Boolean(flag) => Some(flag.to_string()),
        DeValue::Array(_) | DeValue::Datetime(_) | DeValue::Table(_) => None,
    }
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}

/// Returns the opposite of a flag; other values are left to the parser, which refuses them.
fn negated(value: &str) -> String {
    match value {
        "true" => "false",
        "false" => "true",
        other => other,
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::{template::example, *};
    use crate::{cli, fixture::KV, serve_args::ServeArgs};

    fn with(text: &str) -> Result<ArgMatches, String> {
        with_line(text, "kv")
    }

    fn with_line(text: &str, line: &str) -> Result<ArgMatches, String> {
        let settings = parse(text).map_err(|(line, problem)| format!("{line}: {problem}"))?;
        let command = cli::command::<()>("kv", "1.2.3", &[&KV]);
        let applied =
            File { path: "kv.toml".into(), settings }.apply(command).map_err(|failure| failure.to_string())?;
        applied.try_get_matches_from(line.split(' ')).map_err(|error| error.to_string())
    }

    #[test]
    fn a_setting_of_a_missing_feature_is_refused() {
        let error = with_line("tls-cert = 'x'\ntls-key = 'x'", "kv").err();
        assert_eq!(error.is_some_and(|error| error.contains("feature `tls` of osb-tool")), !cfg!(feature = "tls"));
    }

    #[test]
    fn flags_of_every_kind_can_be_set() {
        #[derive(Debug, clap::Args)]
        struct Own {
            #[arg(long, short, action = ArgAction::Count)]
            verbose: u8,
            #[arg(long = "no-cache", action = ArgAction::SetFalse)]
            cache: bool,
            #[arg(long)]
            offline: bool,
        }
        let own = |text: &str, line: &str| {
            let settings = parse(text).expect("it is TOML");
            let applied = File { path: "kv.toml".into(), settings }.apply(cli::command::<Own>("kv", "1.2.3", &[&KV]));
            let matches = applied.expect("they are settings").try_get_matches_from(line.split(' ')).expect("they fit");
            let own = Own::from_arg_matches(&matches).expect("they are there");
            (own.verbose, own.cache, own.offline)
        };
        assert_eq!(own("", "kv"), (0, true, false));
        assert_eq!(own("verbose = 2\nno-cache = true\noffline = true\n", "kv"), (2, false, true));
        assert_eq!(own("verbose = 2\nno-cache = false\n", "kv -v --no-cache"), (1, false, false));
        let template = template("kv", &cli::command::<Own>("kv", "1.2.3", &[&KV]));
        for line in ["# verbose = 0\n", "# no-cache = false\n", "# offline = false\n"] {
            assert!(template.contains(line), "{line} in {template}");
        }
    }

    #[test]
    fn the_template_has_the_default_of_every_setting() {
        let command = cli::command::<()>("kv", "1.2.3", &[&KV]);
        let template = template("kv", &command);
        for arg in settings(&command).filter(|arg| takes_value(arg)) {
            let line = format!("# {} = {}\n", arg.get_long().expect("all are long"), example(arg));
            assert!(template.contains(&line), "{line} in {template}");
            let applied = with(line.trim_start_matches("# "));
            match arg.get_default_values() {
                [] => {}
                [default, ..] => {
                    let given = applied.unwrap_or_else(|error| panic!("{line}: {error}"));
                    let raw = given.get_raw(arg.get_id().as_str()).into_iter().flatten().next();
                    assert_eq!(raw, Some(default.as_os_str()), "{line}");
                }
            }
        }
        assert!(template.lines().all(|line| line.is_empty() || line.starts_with('#')), "{template}");
    }

    #[test]
    fn numbers_are_written_in_many_ways() {
        for text in [
            "max-body = 4096",
            "max-body = \"4096\"",
            "max-body = 0x1000",
            "max-body = 4_096",
            "max-body = 0b1_0000_0000_0000",
        ] {
            let matches = with(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let options = ServeArgs::from_arg_matches(&matches).expect("they are good");
            assert_eq!(options.settings().max_body, 4096, "{text}");
        }
        let matches = with("minimum-version = 2.10").expect("it is good");
        let options = ServeArgs::from_arg_matches(&matches).expect("they are good");
        assert_eq!(options.settings().minimum_version.to_string(), "2.10");
    }

    #[test]
    fn a_setting_is_every_commands_and_no_format_of_one() {
        let matches = with_line("catalog-overrides = \"a.toml\"", "kv catalog").expect("it is good");
        let (_, catalog) = matches.subcommand().expect("catalog");
        assert!(
            catalog.get_raw("osb_catalog_overrides").is_some_and(|mut values| values.any(|value| value == "a.toml"))
        );
        let error = with_line("json = true", "kv catalog").expect_err("it is no setting");
        assert!(error.contains("kv.toml:1: there is no setting `json`"), "{error}");
        let error = with_line("[serve]\nlisten = \"127.0.0.1:1\"", "kv catalog").expect_err("it is no setting");
        assert!(error.contains("kv.toml:1: there is no setting `serve`; the file has no sections"), "{error}");
        assert!(!error.contains("did you mean"), "{error}");
    }

    #[test]
    fn only_an_option_that_can_be_repeated_takes_a_list() {
        for (text, problem) in [
            ("platform = [\"cf=/cf\", \"k8s=/k8s\"]", None),
            ("platform = [[1]]", Some("kv.toml:1: `platform` must be a string or a list of strings")),
            ("lease = [\"30s\"]", Some("kv.toml:1: `lease` must be a string, a number, true or false")),
        ] {
            let error = with(text).err();
            assert_eq!(error.as_deref(), problem, "{text}");
        }
    }

    #[test]
    fn problems_are_at_their_lines() {
        assert_eq!(parse("a = 1\n\nb = = 2").map_err(|(line, _)| line).err(), Some(3));
        assert_eq!(parse("a = 1\na = 2").map_err(|(line, _)| line).err(), Some(2));
        let settings = parse("\na = 1\n\n[b]\nc = 2").expect("it is TOML");
        assert_eq!(settings.iter().map(|setting| setting.line).collect::<Vec<_>>(), [2, 4]);
    }
}
