//! The options and commands of features that can be left out of a build. A program without the feature says so when they are
//! used: a broker that ignored `OSB_TLS_CERT` would serve without encryption.

use std::ffi::OsStr;

/// A feature of this crate that adds options or commands.
pub(super) struct Feature {
    name: &'static str,
    purpose: &'static str,
    is_enabled: bool,
    commands: &'static [&'static str],
    options: &'static [&'static str],
    /// Variables of the options that ask for the feature.
    variables: &'static [&'static str],
    /// Whether a broker starts although it ignores one of the variables. Platforms set the variables of OpenTelemetry in all
    /// programs.
    pub(super) is_optional: bool,
}

static FEATURES: [Feature; 3] = [
    Feature {
        name: "tls",
        purpose: "TLS",
        is_enabled: cfg!(feature = "tls"),
        commands: &[],
        options: &[
            "tls-cert",
            "tls-key",
            "tls-client-ca",
            "admin-tls",
            "ca",
            "cert",
            "key",
            "admin-ca",
            "admin-cert",
            "admin-key",
        ],
        variables: &["OSB_TLS_CERT", "OSB_TLS_KEY", "OSB_TLS_CLIENT_CA", "OSB_ADMIN_TLS"],
        is_optional: false,
    },
    Feature {
        name: "otel",
        purpose: "OpenTelemetry",
        is_enabled: cfg!(feature = "otel"),
        commands: &[],
        options: &["otlp-endpoint", "otlp-headers", "otlp-service", "otlp-attributes"],
        variables: &["OTEL_EXPORTER_OTLP_ENDPOINT"],
        is_optional: true,
    },
    Feature {
        name: "check",
        purpose: "the conformance checker",
        is_enabled: cfg!(feature = "check"),
        commands: &["check"],
        options: &[],
        variables: &[],
        is_optional: true,
    },
];

impl Feature {
    /// Returns what to do about the missing feature.
    pub(super) fn advice(&self) -> String {
        let Self { name, purpose, .. } = self;
        format!("this program was built without {purpose}; build it with the feature `{name}` of osb-tool")
    }
}

/// Returns the missing feature that has an option, without its hyphens, or a setting of that name.
pub(super) fn of_option(option: &str) -> Option<&'static Feature> {
    missing(|feature| feature.options.contains(&option))
}

/// Returns the missing feature that has a variable.
pub(super) fn of_variable(variable: &str) -> Option<&'static Feature> {
    missing(|feature| feature.variables.contains(&variable))
}

/// Returns the missing feature that has a command.
pub(super) fn of_command(command: &str) -> Option<&'static Feature> {
    missing(|feature| feature.commands.contains(&command))
}

/// Returns whether a build without the feature does what the variable asks for, so that one deployment suits both builds.
pub(super) fn is_met_without(variable: &OsStr, value: &OsStr) -> bool {
    // Without TLS there is no certificate, so that `auto` means `off`.
    variable == "OSB_ADMIN_TLS" && (value == "off" || value == "auto")
}

fn missing(has_it: impl Fn(&Feature) -> bool) -> Option<&'static Feature> {
    FEATURES.iter().find(|feature| !feature.is_enabled && has_it(feature))
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};

    use super::*;
    use crate::{cli, fixture::KV};

    /// Returns whether the command or one of its subcommands has an option.
    fn has(command: &Command, is_it: &dyn Fn(&Arg) -> bool) -> bool {
        command.get_arguments().any(is_it) || command.get_subcommands().any(|command| has(command, is_it))
    }

    #[test]
    fn only_an_address_for_operators_without_tls_needs_no_tls() {
        let is_met = |variable: &str, value: &str| is_met_without(variable.as_ref(), value.as_ref());
        assert!(is_met("OSB_ADMIN_TLS", "off") && is_met("OSB_ADMIN_TLS", "auto"));
        for (variable, value) in [("OSB_ADMIN_TLS", "on"), ("OSB_ADMIN_TLS", "of"), ("OSB_TLS_CERT", "off")] {
            assert!(!is_met(variable, value), "{variable}={value}");
        }
    }

    #[test]
    fn options_variables_and_commands_belong_to_the_program_or_to_a_missing_feature() {
        let command = cli::command::<()>("kv", "1.2.3", &[&KV]);
        for feature in &FEATURES {
            for option in feature.options {
                assert_eq!(has(&command, &|arg| arg.get_long() == Some(option)), feature.is_enabled, "--{option}");
                assert_eq!(of_option(option).is_none(), feature.is_enabled, "--{option}");
            }
            for variable in feature.variables {
                let is_it = |arg: &Arg| arg.get_env().is_some_and(|name| name.to_str() == Some(variable));
                assert_eq!(has(&command, &is_it), feature.is_enabled, "{variable}");
                assert_eq!(of_variable(variable).is_none(), feature.is_enabled, "{variable}");
            }
            for name in feature.commands {
                assert_eq!(command.find_subcommand(name).is_some(), feature.is_enabled, "{name}");
                assert_eq!(of_command(name).is_none(), feature.is_enabled, "{name}");
            }
        }
    }

    /// Without this, a program without TLS would call such an option unknown.
    #[test]
    fn all_options_about_certificates_belong_to_tls() {
        let command = cli::command::<()>("kv", "1.2.3", &[&KV]);
        let is_about_them = |option: &str| option.split('-').any(|word| ["tls", "ca", "cert", "key"].contains(&word));
        let is_listed = |option: &str| FEATURES.iter().any(|feature| feature.options.contains(&option));
        let is_missing = |arg: &Arg| arg.get_long().is_some_and(|option| is_about_them(option) && !is_listed(option));
        assert!(!has(&command, &is_missing));
    }
}
