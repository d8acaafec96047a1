//! The environment variables of options.

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
};

use clap::{Arg, ArgMatches, Command, builder::Resettable};
use strsim::damerau_levenshtein;

use super::{Failure, features};

/// Ignores variables that are empty, as templates of a deployment leave them; but not those of keys, so that no records are
/// written without encryption by mistake.
pub(super) fn without_empty(command: Command) -> Command {
    let is_empty = |arg: &Arg| {
        let variable = arg.get_env().filter(|name| !name.to_string_lossy().starts_with("OSB_STORE_KEYS"));
        variable.and_then(std::env::var_os).is_some_and(|value| value.is_empty())
    };
    let command = command.mut_args(|arg| if is_empty(&arg) { arg.env(Resettable::Reset) } else { arg });
    command.mut_subcommands(without_empty)
}

/// Ignores the variables of `serve`, the default command, if another one is given.
pub(super) fn without_those_of_others(command: Command, given: &ArgMatches) -> Command {
    if given.subcommand_name().is_some() { command.mut_args(|arg| arg.env(Resettable::Reset)) } else { command }
}

/// Returns a warning for each variable in `set` that no option reads, but was probably meant for one: a misspelt
/// `OSB_STORE_KEYS` would leave the records unencrypted without a word. Others may belong to another program.
///
/// # Errors
///
/// If the variable needs a feature without which the broker can't do what its operator wants.
pub(super) fn check_unread(command: &Command, set: impl Iterator<Item = OsString>) -> Result<Vec<String>, Failure> {
    let known: BTreeSet<_> = of_options(command).map(|(_, variable)| variable.to_string_lossy()).collect();
    let mut warnings = Vec::new();
    for name in set.filter_map(|name| name.into_string().ok()).filter(|name| !known.contains(name.as_str())) {
        // Distances take long, compared with the rest of a start.
        let similar = known.iter().filter(|known| name.starts_with("OSB_") && known.len().abs_diff(name.len()) <= 2);
        let near = similar.map(|known| (damerau_levenshtein(known, &name), known));
        let near = near.filter(|(distance, _)| *distance <= 2).min();
        match (features::of_variable(&name), near) {
            (Some(feature), _) if feature.is_optional => {
                warnings.push(format!("the variable {name} is ignored: {}", feature.advice()));
            }
            (Some(feature), _) => {
                return Err(Failure::Usage(format!("the variable {name} is set, but {}", feature.advice())));
            }
            (None, Some((_, meant))) => {
                warnings.push(format!("the variable {name} is set, but no option reads it; did you mean {meant}?"));
            }
            (None, None) => {}
        }
    }
    Ok(warnings)
}

/// Returns the options of a command and its subcommands that have variables.
pub(super) fn of_options(command: &Command) -> Box<dyn Iterator<Item = (&Arg, &OsStr)> + '_> {
    let own = command.get_arguments().filter_map(|arg| Some((arg, arg.get_env()?)));
    Box::new(own.chain(command.get_subcommands().flat_map(of_options)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cli, fixture::KV};

    #[test]
    fn only_variables_that_nearly_have_the_name_of_an_option_are_misspelt() {
        let command = crate::secret::with_files(cli::command::<()>("kv", "1.2.3", &[&KV]));
        let warnings = |name: &str| check_unread(&command, std::iter::once(name.into())).expect("a warning at most");
        for (name, meant) in [
            ("OSB_STORE_KEY", "OSB_STORE_KEYS"),
            ("OSB_STOR_KEY", "OSB_STORE_KEYS"),
            ("OSB_STORE_KEYS_FLIE", "OSB_STORE_KEYS_FILE"),
            ("OSB_LEAS", "OSB_LEASE"),
        ] {
            let warning = format!("the variable {name} is set, but no option reads it; did you mean {meant}?");
            assert_eq!(warnings(name), [warning]);
        }
        // The last ones are Kubernetes' for a service `osb-broker`, a platform's, and another program's.
        for name in ["OSB_LEASE", "OSB_CLIENT_URL", "OSB_BROKER_PORT", "OSB_PLATFORM_CF_CREDENTIALS", "KV_LEAS"] {
            assert!(warnings(name).is_empty(), "{name}");
        }
    }

    #[test]
    fn a_variable_of_a_missing_feature_is_refused_or_reported() {
        let command = cli::command::<()>("kv", "1.2.3", &[&KV]);
        let check = |name: &str| check_unread(&command, std::iter::once(name.into()));
        assert_eq!(check("OSB_TLS_CERT").is_ok(), cfg!(feature = "tls"));
        assert_eq!(check("OTEL_EXPORTER_OTLP_ENDPOINT").expect("a warning").is_empty(), cfg!(feature = "otel"));
    }
}
