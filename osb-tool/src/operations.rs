//! The options for `lifecycle::Settings`.

use std::time::Duration;

use clap::Args;

use super::{
    Failure,
    cli::{number, one_of, positive},
    duration,
};
use osb_runtime::lifecycle::{CredentialReads, RemainingBindings, Settings};

/// The settings of operations. A field has the name of its variable in lower case, which the author's options can't have.
#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Operations")]
#[expect(clippy::struct_field_names, reason = "clap derives the names of the variables from them")]
pub(super) struct OperationArgs {
    /// Time to wait for the result before answering 202, if the request allows an asynchronous operation
    #[arg(long = "sync-wait", value_name = "DURATION", env, default_value = "1s", value_parser = duration::parse)]
    osb_sync_wait: Duration,

    /// Maximum duration of an operation while a platform waits for the response; platforms hang up after 60 s
    #[arg(
        long = "sync-deadline",
        value_name = "DURATION",
        env,
        default_value = "50s",
        value_parser = duration::parse_positive
    )]
    osb_sync_deadline: Duration,

    /// Maximum duration of an asynchronous operation; a plan's maximum_polling_duration can shorten it
    #[arg(
        long = "max-operation-time",
        value_name = "DURATION",
        env,
        default_value = "7d",
        value_parser = duration::parse_hours
    )]
    osb_max_operation_time: Duration,

    /// Time for a cancelled handler to return before it is dropped
    #[arg(long = "cancel-grace", value_name = "DURATION", env, default_value = "2s", value_parser = duration::parse)]
    osb_cancel_grace: Duration,

    /// Time for which the response to a failed request waits for the rollback, which continues afterwards
    #[arg(long = "rollback-wait", value_name = "DURATION", env, default_value = "5s", value_parser = duration::parse)]
    osb_rollback_wait: Duration,

    /// Time after which another process takes over the operations of a process that has stopped responding
    #[arg(long = "lease", value_name = "DURATION", env, default_value = "30s", value_parser = duration::parse_positive)]
    osb_lease: Duration,

    /// Maximum number of attempts for an operation that fails with a temporary error
    #[arg(long = "retry-attempts", value_name = "NUMBER", env, default_value_t = 8, value_parser = positive)]
    osb_retry_attempts: u32,

    /// Delay before the second attempt; it doubles with each further attempt, up to --retry-max-delay
    #[arg(
        long = "retry-initial-delay",
        value_name = "DURATION",
        env,
        default_value = "500ms",
        value_parser = duration::parse
    )]
    osb_retry_initial_delay: Duration,

    /// Maximum delay between two attempts
    #[arg(long = "retry-max-delay", value_name = "DURATION", env, default_value = "1m", value_parser = duration::parse)]
    osb_retry_max_delay: Duration,

    /// Value of Retry-After in responses to polls; 0s to leave it out
    #[arg(long = "retry-after", value_name = "DURATION", env, default_value = "5s", value_parser = duration::parse)]
    osb_retry_after: Duration,

    /// Time for which tombstones of deleted instances and bindings are kept
    #[arg(
        long = "tombstone-ttl",
        value_name = "DURATION",
        env,
        default_value = "8d",
        value_parser = duration::parse_days
    )]
    osb_tombstone_ttl: Duration,

    /// Maximum number of concurrent handlers per service; further ones wait
    #[arg(long = "concurrency", value_name = "NUMBER", env, default_value_t = 64, value_parser = positive)]
    osb_concurrency: u32,

    /// Maximum number of operations per service that wait for a handler; one more is answered 503
    #[arg(long = "queue-limit", value_name = "NUMBER", env, default_value_t = 1024, value_parser = number::<u32>)]
    osb_queue_limit: u32,

    /// Treatment of remaining bindings when an instance is deleted
    #[arg(
        long = "remaining-bindings",
        value_name = "ACTION",
        env,
        default_value = "unbind",
        value_parser = one_of(&[
            ("unbind", "Unbinds them first", RemainingBindings::Unbind),
            ("refuse", "Refuses the deletion", RemainingBindings::Refuse),
        ])
    )]
    osb_remaining_bindings: RemainingBindings,

    /// How often credentials can be read
    #[arg(
        long = "credential-reads",
        value_name = "MODE",
        env,
        default_value = "always",
        value_parser = one_of(&[
            ("always", "Every bind and fetch returns them", CredentialReads::Always),
            ("once", "The first response returns them; the broker does not keep them", CredentialReads::Once),
        ])
    )]
    osb_credential_reads: CredentialReads,

    /// Start although stored states or parameters can't be decoded by this release; the log lists them
    #[arg(long = "allow-unreadable-state", env)]
    osb_allow_unreadable_state: bool,

    /// Refuse other operations on an instance while one of its bindings is created or deleted, and vice versa
    #[arg(long = "bind-blocks-instance", env)]
    osb_bind_blocks_instance: bool,

    /// Refuse to use the id of a deleted instance or binding again
    #[arg(long = "unique-ids", env)]
    osb_unique_ids: bool,
}

impl OperationArgs {
    /// Refuses durations in the wrong order: a wait before a 202 ends while the platform waits for the response (ASY-01).
    pub(super) fn validate(&self) -> Result<(), Failure> {
        let in_order = [
            ("--sync-wait", self.osb_sync_wait, "--sync-deadline", self.osb_sync_deadline),
            ("--retry-initial-delay", self.osb_retry_initial_delay, "--retry-max-delay", self.osb_retry_max_delay),
        ];
        let Some((name, long, limit, short)) = in_order.into_iter().find(|(_, one, _, limit)| one > limit) else {
            return Ok(());
        };
        let [long, short] = [long, short].map(duration::display);
        Err(Failure::Usage(format!("{name} ({long}) must not be longer than {limit} ({short})")))
    }

    pub(super) fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        settings.sync_wait = self.osb_sync_wait;
        settings.sync_deadline = self.osb_sync_deadline;
        settings.max_operation_time = self.osb_max_operation_time;
        settings.cancel_grace = self.osb_cancel_grace;
        settings.rollback_wait = self.osb_rollback_wait;
        settings.lease = self.osb_lease;
        settings.retry.max_attempts = self.osb_retry_attempts;
        settings.retry.initial_delay = self.osb_retry_initial_delay;
        settings.retry.max_delay = self.osb_retry_max_delay;
        settings.retry_after = self.osb_retry_after;
        settings.tombstone_ttl = self.osb_tombstone_ttl;
        settings.concurrency = usize::try_from(self.osb_concurrency).unwrap_or(usize::MAX);
        settings.queue_limit = usize::try_from(self.osb_queue_limit).unwrap_or(usize::MAX);
        settings.remaining_bindings = self.osb_remaining_bindings;
        settings.credential_reads = self.osb_credential_reads;
        settings.allow_unreadable_state = self.osb_allow_unreadable_state;
        settings.bind_blocks_instance = self.osb_bind_blocks_instance;
        settings.unique_ids = self.osb_unique_ids;
        settings
    }
}

#[cfg(test)]
mod tests {
    use clap::{Command, FromArgMatches};

    use super::*;

    fn parse(line: &str) -> Result<OperationArgs, clap::Error> {
        let matches = OperationArgs::augment_args(Command::new("serve")).try_get_matches_from(line.split(' '))?;
        OperationArgs::from_arg_matches(&matches)
    }

    #[test]
    fn zeros_and_durations_in_the_wrong_order_are_refused() {
        let refused = |line| parse(line).expect("durations").validate().err().map(|refused| refused.to_string());
        assert_eq!(refused("serve --sync-deadline 10s --sync-wait 10s"), None);
        assert_eq!(
            refused("serve --sync-deadline 10s --sync-wait 11s").as_deref(),
            Some("--sync-wait (11s) must not be longer than --sync-deadline (10s)")
        );
        assert_eq!(
            refused("serve --retry-initial-delay 2m --retry-max-delay 90s").as_deref(),
            Some("--retry-initial-delay (2m) must not be longer than --retry-max-delay (90s)")
        );
        for name in ["--lease", "--sync-deadline", "--max-operation-time", "--tombstone-ttl"] {
            let refused = parse(&format!("serve {name} 0s --sync-wait 0s")).expect_err("it is zero").to_string();
            assert!(refused.contains(&format!("'{name} <DURATION>': it must be longer than 0")), "{refused}");
        }
    }

    #[test]
    fn options_with_the_same_default_have_settings_of_their_own() {
        let settings = |line| parse(line).expect("options").settings();
        let flags = |line| {
            let Settings { allow_unreadable_state, bind_blocks_instance, unique_ids, .. } = settings(line);
            [allow_unreadable_state, bind_blocks_instance, unique_ids]
        };
        assert_eq!(flags("serve --allow-unreadable-state"), [true, false, false]);
        assert_eq!(flags("serve --bind-blocks-instance"), [false, true, false]);
        assert_eq!(flags("serve --unique-ids"), [false, false, true]);
        let Settings { rollback_wait, retry_after, .. } = settings("serve --rollback-wait 6s --retry-after 7s");
        assert_eq!([rollback_wait, retry_after], [6, 7].map(Duration::from_secs));
    }

    #[test]
    fn the_options_say_the_defaults_of_the_settings() {
        let options = parse("serve").expect("all have defaults");
        let fields = |settings: Settings| {
            let Settings { sync_wait, sync_deadline, max_operation_time, cancel_grace, rollback_wait, .. } = settings;
            let Settings { lease, retry, retry_after, tombstone_ttl, concurrency, queue_limit, .. } = settings;
            let Settings { remaining_bindings, bind_blocks_instance, unique_ids, credential_reads, .. } = settings;
            (
                [sync_wait, sync_deadline, max_operation_time, cancel_grace, rollback_wait, lease],
                (retry, retry_after, tombstone_ttl, concurrency, queue_limit),
                (remaining_bindings, bind_blocks_instance, unique_ids, credential_reads),
                settings.allow_unreadable_state,
            )
        };
        assert_eq!(fields(options.settings()), fields(Settings::default()));
    }
}
