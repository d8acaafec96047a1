//! The options for `lifecycle::Settings`.

use std::time::Duration;

use clap::Args;

use super::{
    Failure,
    cli::{number, one_of, positive},
    duration,
};
use osb_runtime::lifecycle::{CredentialReads, RemainingBindings, Settings};

#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Operations")]
pub(super) struct OperationArgs {
    /// Time to wait for the result before answering 202, if the request allows an asynchronous operation
    #[arg(
        id = "osb_sync_wait",
        long = "sync-wait",
        value_name = "DURATION",
        env = "OSB_SYNC_WAIT",
        default_value = "1s",
        value_parser = duration::parse
    )]
    sync_wait: Duration,

    /// Maximum duration of an operation while a platform waits for the response; platforms hang up after 60 s
    #[arg(
        id = "osb_sync_deadline",
        long = "sync-deadline",
        value_name = "DURATION",
        env = "OSB_SYNC_DEADLINE",
        default_value = "50s",
        value_parser = duration::parse
    )]
    sync_deadline: Duration,

    /// Maximum duration of an asynchronous operation; a plan's maximum_polling_duration can shorten it
    #[arg(
        id = "osb_max_operation_time",
        long = "max-operation-time",
        value_name = "DURATION",
        env = "OSB_MAX_OPERATION_TIME",
        default_value = "7d",
        value_parser = duration::parse_hours
    )]
    max_operation_time: Duration,

    /// Time for a cancelled handler to return before it is dropped
    #[arg(
        id = "osb_cancel_grace",
        long = "cancel-grace",
        value_name = "DURATION",
        env = "OSB_CANCEL_GRACE",
        default_value = "2s",
        value_parser = duration::parse
    )]
    cancel_grace: Duration,

    /// Time for which the response to a failed request waits for the rollback, which continues afterwards
    #[arg(
        id = "osb_rollback_wait",
        long = "rollback-wait",
        value_name = "DURATION",
        env = "OSB_ROLLBACK_WAIT",
        default_value = "5s",
        value_parser = duration::parse
    )]
    rollback_wait: Duration,

    /// Time after which another process takes over the operations of a process that has stopped responding
    #[arg(
        id = "osb_lease",
        long = "lease",
        value_name = "DURATION",
        env = "OSB_LEASE",
        default_value = "30s",
        value_parser = duration::parse
    )]
    lease: Duration,

    /// Maximum number of attempts for an operation that fails with a temporary error
    #[arg(
        id = "osb_retry_attempts",
        long = "retry-attempts",
        value_name = "NUMBER",
        env = "OSB_RETRY_ATTEMPTS",
        default_value_t = 8,
        value_parser = positive
    )]
    retry_attempts: u32,

    /// Delay before the second attempt; it doubles with each further attempt, up to --retry-max-delay
    #[arg(
        id = "osb_retry_initial_delay",
        long = "retry-initial-delay",
        value_name = "DURATION",
        env = "OSB_RETRY_INITIAL_DELAY",
        default_value = "500ms",
        value_parser = duration::parse
    )]
    retry_initial_delay: Duration,

    /// Maximum delay between two attempts
    #[arg(
        id = "osb_retry_max_delay",
        long = "retry-max-delay",
        value_name = "DURATION",
        env = "OSB_RETRY_MAX_DELAY",
        default_value = "1m",
        value_parser = duration::parse
    )]
    retry_max_delay: Duration,

    /// Value of Retry-After in responses to polls; 0s to leave it out
    #[arg(
        id = "osb_retry_after",
        long = "retry-after",
        value_name = "DURATION",
        env = "OSB_RETRY_AFTER",
        default_value = "5s",
        value_parser = duration::parse
    )]
    retry_after: Duration,

    /// Time for which tombstones of deleted instances and bindings are kept
    #[arg(
        id = "osb_tombstone_ttl",
        long = "tombstone-ttl",
        value_name = "DURATION",
        env = "OSB_TOMBSTONE_TTL",
        default_value = "8d",
        value_parser = duration::parse_days
    )]
    tombstone_ttl: Duration,

    /// Maximum number of concurrent handlers per service; further ones wait
    #[arg(
        id = "osb_concurrency",
        long = "concurrency",
        value_name = "NUMBER",
        env = "OSB_CONCURRENCY",
        default_value_t = 64,
        value_parser = positive
    )]
    concurrency: u32,

    /// Maximum number of operations per service that wait for a handler; one more is answered 503
    #[arg(
        id = "osb_queue_limit",
        long = "queue-limit",
        value_name = "NUMBER",
        env = "OSB_QUEUE_LIMIT",
        default_value_t = 1024,
        value_parser = number::<u32>
    )]
    queue_limit: u32,

    /// Treatment of remaining bindings when an instance is deleted
    #[arg(
        id = "osb_remaining_bindings",
        long = "remaining-bindings",
        value_name = "ACTION",
        env = "OSB_REMAINING_BINDINGS",
        default_value = "unbind",
        value_parser = one_of(&[
            ("unbind", "Unbinds them first", RemainingBindings::Unbind),
            ("refuse", "Refuses the deletion", RemainingBindings::Refuse),
        ])
    )]
    remaining_bindings: RemainingBindings,

    /// How often credentials can be read
    #[arg(
        id = "osb_credential_reads",
        long = "credential-reads",
        value_name = "MODE",
        env = "OSB_CREDENTIAL_READS",
        default_value = "always",
        value_parser = one_of(&[
            ("always", "Every bind and fetch returns them", CredentialReads::Always),
            ("once", "The first response returns them; the broker does not keep them", CredentialReads::Once),
        ])
    )]
    credential_reads: CredentialReads,

    /// Start although stored states or parameters can't be decoded by this release; the log lists them
    #[arg(id = "osb_allow_unreadable_state", long = "allow-unreadable-state", env = "OSB_ALLOW_UNREADABLE_STATE")]
    allow_unreadable_state: bool,

    /// Refuse other operations on an instance while one of its bindings is created or deleted, and vice versa
    #[arg(id = "osb_bind_blocks_instance", long = "bind-blocks-instance", env = "OSB_BIND_BLOCKS_INSTANCE")]
    bind_blocks_instance: bool,

    /// Refuse to use the id of a deleted instance or binding again
    #[arg(id = "osb_unique_ids", long = "unique-ids", env = "OSB_UNIQUE_IDS")]
    unique_ids: bool,
}

impl OperationArgs {
    /// Refuses a wait before a 202 that is longer than the time for an operation that a platform waits for (ASY-01).
    pub(super) fn validate(&self) -> Result<(), Failure> {
        if self.sync_wait <= self.sync_deadline {
            return Ok(());
        }
        let [wait, deadline] = [self.sync_wait, self.sync_deadline].map(duration::display);
        Err(Failure::Usage(format!("--sync-wait ({wait}) must not be longer than --sync-deadline ({deadline})")))
    }

    pub(super) fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        settings.sync_wait = self.sync_wait;
        settings.sync_deadline = self.sync_deadline;
        settings.max_operation_time = self.max_operation_time;
        settings.cancel_grace = self.cancel_grace;
        settings.rollback_wait = self.rollback_wait;
        settings.lease = self.lease;
        settings.retry.max_attempts = self.retry_attempts;
        settings.retry.initial_delay = self.retry_initial_delay;
        settings.retry.max_delay = self.retry_max_delay;
        settings.retry_after = self.retry_after;
        settings.tombstone_ttl = self.tombstone_ttl;
        settings.concurrency = usize::try_from(self.concurrency).unwrap_or(usize::MAX);
        settings.queue_limit = usize::try_from(self.queue_limit).unwrap_or(usize::MAX);
        settings.remaining_bindings = self.remaining_bindings;
        settings.credential_reads = self.credential_reads;
        settings.allow_unreadable_state = self.allow_unreadable_state;
        settings.bind_blocks_instance = self.bind_blocks_instance;
        settings.unique_ids = self.unique_ids;
        settings
    }
}

#[cfg(test)]
mod tests {
    use clap::{Command, FromArgMatches};

    use super::*;

    #[test]
    fn a_wait_before_a_202_that_is_longer_than_the_deadline_is_refused() {
        let validate = |wait: &str| {
            let serve = OperationArgs::augment_args(Command::new("serve"));
            let matches = serve.try_get_matches_from(["serve", "--sync-deadline", "10s", "--sync-wait", wait]);
            OperationArgs::from_arg_matches(&matches.expect("durations")).expect("they are good").validate()
        };
        assert!(validate("10s").is_ok());
        let refused = validate("11s").expect_err("platforms hang up").to_string();
        assert_eq!(refused, "--sync-wait (11s) must not be longer than --sync-deadline (10s)");
    }

    #[test]
    fn unreadable_states_can_be_allowed() {
        let serve = OperationArgs::augment_args(Command::new("serve"));
        let matches = serve.try_get_matches_from(["serve", "--allow-unreadable-state"]).expect("a flag");
        let options = OperationArgs::from_arg_matches(&matches).expect("they are good");
        assert!(options.settings().allow_unreadable_state);
    }

    #[test]
    fn the_options_say_the_defaults_of_the_settings() {
        let matches = OperationArgs::augment_args(Command::new("serve")).try_get_matches_from(["serve"]);
        let options = OperationArgs::from_arg_matches(&matches.expect("all have defaults")).expect("they are good");
        let (given, default) = (options.settings(), Settings::default());
        assert_eq!(
            (
                given.sync_wait,
                given.sync_deadline,
                given.max_operation_time,
                given.cancel_grace,
                given.rollback_wait,
                given.lease
            ),
            (
                default.sync_wait,
                default.sync_deadline,
                default.max_operation_time,
                default.cancel_grace,
                default.rollback_wait,
                default.lease
            )
        );
        assert_eq!(
            (given.retry_after, given.tombstone_ttl, given.concurrency, given.queue_limit, given.retry),
            (default.retry_after, default.tombstone_ttl, default.concurrency, default.queue_limit, default.retry)
        );
        assert_eq!(
            (
                given.remaining_bindings,
                given.bind_blocks_instance,
                given.unique_ids,
                given.credential_reads,
                given.allow_unreadable_state
            ),
            (
                default.remaining_bindings,
                default.bind_blocks_instance,
                default.unique_ids,
                default.credential_reads,
                default.allow_unreadable_state
            )
        );
    }
}
