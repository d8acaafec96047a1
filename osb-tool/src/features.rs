//! The options and commands of features that can be left out of a build. A program without the feature says so when they are
//! used: a broker that ignored `OSB_TLS_CERT` would serve without encryption.

/// A feature of this crate that adds options or commands.
pub(super) struct Feature {
    name: &'static str,
    purpose: &'static str,
    is_enabled: bool,
    commands: &'static [&'static str],
    /// Options with their variables.
    options: &'static [(&'static str, &'static str)],
    /// Whether a broker starts although it ignores one of the variables. Platforms set those of OpenTelemetry in all programs.
    pub(super) is_optional: bool,
}

static FEATURES: [Feature; 3] = [
    Feature {
        name: "tls",
        purpose: "TLS",
        is_enabled: cfg!(feature = "tls"),
        commands: &[],
        options: &[
            ("tls-cert", "OSB_TLS_CERT"),
            ("tls-key", "OSB_TLS_KEY"),
            ("tls-client-ca", "OSB_TLS_CLIENT_CA"),
            ("admin-tls", "OSB_ADMIN_TLS"),
            ("ca", "OSB_CLIENT_CA"),
        ],
        is_optional: false,
    },
    Feature {
        name: "otel",
        purpose: "OpenTelemetry",
        is_enabled: cfg!(feature = "otel"),
        commands: &[],
        options: &[("otlp-endpoint", "OTEL_EXPORTER_OTLP_ENDPOINT"), ("otlp-service", "OTEL_SERVICE_NAME")],
        is_optional: true,
    },
    Feature {
        name: "check",
        purpose: "the conformance checker",
        is_enabled: cfg!(feature = "check"),
        commands: &["check"],
        options: &[],
        is_optional: true,
    },
];

impl Feature {
    /// Returns what to do about the missing feature.
    pub(super) fn advice(&self) -> String {
        let Self { name, purpose, .. } = self;
        format!("this program was built without {purpose}; build it with the feature `{name}` of osb-tool")
    }

    fn has_option(&self, option: &str) -> bool {
        self.options.iter().any(|(name, _)| *name == option)
    }

    fn has_variable(&self, variable: &str) -> bool {
        self.options.iter().any(|(_, name)| *name == variable)
    }
}

/// Returns the missing feature that has an option, without its hyphens, or a setting of that name.
pub(super) fn of_option(option: &str) -> Option<&'static Feature> {
    missing(|feature| feature.has_option(option))
}

/// Returns the missing feature that has a variable.
pub(super) fn of_variable(variable: &str) -> Option<&'static Feature> {
    missing(|feature| feature.has_variable(variable))
}

/// Returns the missing feature that has a command.
pub(super) fn of_command(command: &str) -> Option<&'static Feature> {
    missing(|feature| feature.commands.contains(&command))
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
    fn an_option_and_its_variable_belong_to_the_program_or_to_a_missing_feature() {
        let command = cli::command::<()>("kv", &[&KV]);
        for feature in &FEATURES {
            for (option, variable) in feature.options {
                let is_it = |arg: &Arg| {
                    arg.get_long() == Some(option) && arg.get_env().is_some_and(|name| name.to_str() == Some(variable))
                };
                assert_eq!(has(&command, &is_it), feature.is_enabled, "--{option} ({variable})");
                assert_eq!(of_option(option).is_none(), feature.is_enabled, "--{option}");
                assert_eq!(of_variable(variable).is_none(), feature.is_enabled, "{variable}");
            }
            for name in feature.commands {
                assert_eq!(command.find_subcommand(name).is_some(), feature.is_enabled, "{name}");
                assert_eq!(of_command(name).is_none(), feature.is_enabled, "{name}");
            }
        }
    }
}
