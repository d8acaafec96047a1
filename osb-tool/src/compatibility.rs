//! Profiles for platforms and conformance checkers that expect something other than the specification.
//!
//! A profile sets several switches. Each switch is also a setting of its own, meant for the configuration file: it has no
//! variable, and the help of the command line leaves it out.

use clap::Args;

use super::cli::{PROTOCOL, one_of};
use osb_runtime::http::{HttpSettings, MissingVersion};
use osb_runtime::lifecycle::{DeletedPoll, Settings};
use osb_runtime::protocol::{Guids, MalformedDelete};

#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = PROTOCOL)]
#[expect(clippy::struct_field_names, reason = "clap derives the names of the variables from them")]
pub(super) struct CompatibilityArgs {
    /// Profile for platforms and checkers that expect something other than the specification; it sets the switches named
    /// below, which the configuration file can also set one by one
    #[arg(
        long = "compatibility",
        value_name = "PROFILE",
        env,
        default_value = "specification",
        value_parser = one_of(&[
            ("specification", "All switches as specified", Profile::Specification),
            ("no-organizations", "Platforms without organizations and spaces: guids = optional", Profile::NoOrganizations),
            (
                "old-platforms",
                "Platforms and scripts that send no version: guids = optional, missing-version = oldest",
                Profile::OldPlatforms
            ),
            (
                "checkers",
                "Conformance checkers: missing-version = 412, malformed-deprovision = 410, malformed-unbind = 410, \
                 deleted-poll = succeeded",
                Profile::Checkers
            ),
        ])
    )]
    osb_compatibility: Profile,

    /// Response to a request without the X-Broker-API-Version header
    #[arg(
        long = "missing-version",
        value_name = "RESPONSE",
        hide = true,
        value_parser = one_of(&[
            ("400", "Bad Request, as specified since 2.16", MissingVersion::Refuse400),
            ("412", "Precondition Failed, as conformance checkers expect", MissingVersion::Refuse412),
            ("oldest", "The same as for the oldest version that is served", MissingVersion::AssumeOldest),
        ])
    )]
    osb_missing_version: Option<MissingVersion>,

    /// `organization_guid` and `space_guid` of a new instance
    #[arg(
        long = "guids",
        value_name = "MODE",
        hide = true,
        value_parser = one_of(&[
            ("required", "A request without them gets a 400, as specified", Guids::Required),
            ("optional", "For platforms without organizations and spaces", Guids::Optional),
        ])
    )]
    osb_guids: Option<Guids>,

    /// Response to a malformed DELETE of an unknown instance
    #[arg(
        long = "malformed-deprovision",
        value_name = "RESPONSE",
        hide = true,
        value_parser = one_of(MALFORMED_DELETES)
    )]
    osb_malformed_deprovision: Option<MalformedDelete>,

    /// Response to a malformed DELETE of an unknown binding
    #[arg(
        long = "malformed-unbind",
        value_name = "RESPONSE",
        hide = true,
        value_parser = one_of(MALFORMED_DELETES)
    )]
    osb_malformed_unbind: Option<MalformedDelete>,

    /// Response to a poll after a successful deletion
    #[arg(
        long = "deleted-poll",
        value_name = "RESPONSE",
        hide = true,
        value_parser = one_of(&[
            ("410", "Gone, as most platforms expect", DeletedPoll::Gone),
            ("succeeded", "200 with the state `succeeded`, as some conformance checkers expect", DeletedPoll::Succeeded),
        ])
    )]
    osb_deleted_poll: Option<DeletedPoll>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Profile {
    Specification,
    NoOrganizations,
    OldPlatforms,
    Checkers,
}

const MALFORMED_DELETES: &[(&str, &str, MalformedDelete)] = &[
    ("400", "Bad Request, as if it existed", MalformedDelete::BadRequest),
    ("410", "Gone, because there is nothing to delete; some conformance checkers expect it", MalformedDelete::Gone),
];

impl CompatibilityArgs {
    pub(super) fn apply_to_http(&self, settings: &mut HttpSettings) {
        match self.osb_compatibility {
            Profile::Specification => {}
            Profile::NoOrganizations => settings.policies.guids = Guids::Optional,
            Profile::OldPlatforms => {
                settings.policies.guids = Guids::Optional;
                settings.missing_version = MissingVersion::AssumeOldest;
            }
            Profile::Checkers => {
                settings.missing_version = MissingVersion::Refuse412;
                settings.policies.malformed_deprovision = MalformedDelete::Gone;
                settings.policies.malformed_unbind = MalformedDelete::Gone;
            }
        }
        set(&mut settings.missing_version, self.osb_missing_version);
        set(&mut settings.policies.guids, self.osb_guids);
        set(&mut settings.policies.malformed_deprovision, self.osb_malformed_deprovision);
        set(&mut settings.policies.malformed_unbind, self.osb_malformed_unbind);
    }

    pub(super) fn apply_to_lifecycle(&self, settings: &mut Settings) {
        if self.osb_compatibility == Profile::Checkers {
            settings.deleted_poll = DeletedPoll::Succeeded;
        }
        set(&mut settings.deleted_poll, self.osb_deleted_poll);
    }
}

/// A switch that is given wins over the profile.
fn set<T>(switch: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *switch = given;
    }
}

#[cfg(test)]
mod tests {
    use clap::{Command, FromArgMatches};

    use super::*;

    fn settings(line: &str) -> (HttpSettings, Settings) {
        let command = CompatibilityArgs::augment_args(Command::new("serve"));
        let matches = command.try_get_matches_from(line.split(' ')).expect("valid options");
        let options = CompatibilityArgs::from_arg_matches(&matches).expect("valid options");
        let (mut http, mut lifecycle) = (HttpSettings::default(), Settings::default());
        options.apply_to_http(&mut http);
        options.apply_to_lifecycle(&mut lifecycle);
        (http, lifecycle)
    }

    #[test]
    fn a_profile_sets_the_switches_that_its_help_names() {
        let (http, lifecycle) = settings("serve");
        assert_eq!(http.policies, HttpSettings::default().policies);
        assert_eq!(http.missing_version, HttpSettings::default().missing_version);
        assert_eq!(lifecycle.deleted_poll, Settings::default().deleted_poll);

        let mut command = CompatibilityArgs::augment_args(Command::new("serve"));
        command.build();
        let profile = command.get_arguments().find(|arg| arg.get_id() == "osb_compatibility").expect("the option");
        for value in profile.get_possible_values() {
            let help = value.get_help().map(ToString::to_string).unwrap_or_default();
            let mut line = "serve".to_owned();
            for (name, value) in help.split([':', ',']).filter_map(|part| part.trim().split_once(" = ")) {
                line += &format!(" --{name} {value}");
            }
            let (by_switch, by_profile) =
                (settings(&line), settings(&format!("serve --compatibility {}", value.get_name())));
            assert_eq!(by_switch.0.policies, by_profile.0.policies, "{line}");
            assert_eq!(by_switch.0.missing_version, by_profile.0.missing_version, "{line}");
            assert_eq!(by_switch.1.deleted_poll, by_profile.1.deleted_poll, "{line}");
        }
    }

    #[test]
    fn a_switch_wins_over_the_profile() {
        let (http, _) = settings("serve --compatibility checkers --missing-version 400");
        assert_eq!(http.missing_version, MissingVersion::Refuse400);
    }
}
