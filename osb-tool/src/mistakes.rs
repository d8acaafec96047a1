//! Mistakes in the command line: messages of clap, and advice beside them.

use std::{any::TypeId, collections::BTreeSet, ffi::OsStr, path::PathBuf, process::ExitCode};

use clap::{
    Arg, Command,
    error::{ContextKind, ContextValue, ErrorKind},
};

use super::{config, features, look_up, renamed, tell, variables};

/// Prints a message of clap, with where a wrong value is from and what to write instead.
pub(super) fn refuse(error: &clap::Error, command: &Command, file: Option<&config::File>) -> ExitCode {
    let code = show(error);
    let source = source_of_value(command, error).or_else(|| file.and_then(|file| file.explain(error)));
    let missing = variables_of_missing(command, error);
    for advice in [source, renamed(error), left_out(error), misplaced(error, command), missing].into_iter().flatten() {
        tell(&format!("\n{advice}\n"));
    }
    code
}

/// Returns advice for an option that has another name now.
fn renamed(error: &clap::Error) -> Option<String> {
    let argument = error.get(ContextKind::InvalidArg)?.to_string();
    let new = renamed::new_name(argument.strip_prefix("--")?)?;
    Some(format!("{argument} is now --{new}"))
}

/// Returns advice for an option or a command of a feature that was left out.
fn left_out(error: &clap::Error) -> Option<String> {
    let option = || features::of_option(error.get(ContextKind::InvalidArg)?.to_string().strip_prefix("--")?);
    let command = || features::of_command(&error.get(ContextKind::InvalidSubcommand)?.to_string());
    Some(option().or_else(command)?.advice())
}

/// Returns advice for options of `serve`, the default command, before another command.
fn misplaced(error: &clap::Error, command: &Command) -> Option<String> {
    if error.kind() != ErrorKind::ArgumentConflict {
        return None;
    }
    let name = error.get(ContextKind::InvalidSubcommand)?.to_string();
    if command.find_subcommand(&name).is_some() {
        return Some(format!("write the options after the command: {} {name} [OPTIONS]", command.get_name()));
    }
    let known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    let near = look_up::nearest(&known, &name).map(|near| format!("\n  did you mean `{near}`?")).unwrap_or_default();
    Some(format!("there is no command `{name}`{near}"))
}

/// Returns the variable with a value that clap has rejected, as text.
fn source_of_value(command: &Command, error: &clap::Error) -> Option<String> {
    if error.kind() == ErrorKind::InvalidUtf8 {
        let is_wrong = |variable: &OsStr| std::env::var_os(variable).is_some_and(|set| set.to_str().is_none());
        let is_path = |arg: &Arg| arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
        let (_, variable) =
            variables::of_options(command).find(|(arg, variable)| !is_path(arg) && is_wrong(variable))?;
        return Some(format!("the value of the environment variable {} is not UTF-8", variable.display()));
    }
    let argument = error.get(ContextKind::InvalidArg)?.to_string();
    let option = argument.split([' ', '=']).next()?;
    let value = error.get(ContextKind::InvalidValue)?.to_string();
    let is_given = std::env::args().any(|given| given.split('=').next() == Some(option));
    let variable = variables::of_options(command).find(|(arg, variable)| {
        !is_given
            && arg.get_long() == option.strip_prefix("--")
            && std::env::var(variable).is_ok_and(|set| set == value)
    });
    variable.map(|(_, variable)| format!("this value is from the environment variable {}", variable.display()))
}

/// Returns the variables of missing options, as text. Clap names only the options.
fn variables_of_missing(command: &Command, error: &clap::Error) -> Option<String> {
    let (ErrorKind::MissingRequiredArgument, ContextValue::Strings(missing)) =
        (error.kind(), error.get(ContextKind::InvalidArg)?)
    else {
        return None;
    };
    let names: BTreeSet<_> =
        missing.iter().filter_map(|option| option.strip_prefix("--")?.split([' ', '=']).next()).collect();
    let is_missing = |arg: &Arg| arg.get_long().is_some_and(|name| names.contains(name));
    let found: BTreeSet<_> =
        variables::of_options(command).filter(|(arg, _)| is_missing(arg)).map(|(_, name)| name).collect();
    let found: Vec<_> = found.into_iter().map(OsStr::to_string_lossy).collect();
    (!found.is_empty()).then(|| format!("or set {} in the environment", found.join(", ")))
}

/// Prints a message of clap, for which help and version are errors as well.
fn show(error: &clap::Error) -> ExitCode {
    // If standard error is closed, there is no other place to report that.
    let _ = error.print();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}
