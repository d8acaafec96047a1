//! The options of `serve` that say how operations run: `lifecycle::Settings`, for operators.

use std::time::Duration;

use clap::{Args, value_parser};

use super::cli::one_of;
use osb_runtime::lifecycle::{BindingsLeft, Deleted, HandOut, Settings};

#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Operations")]
pub(super) struct OperationArgs {
    /// How long a platform that accepts a 202 waits for the final answer first
    #[arg(
        id = "osb_moment",
        long = "moment",
        value_name = "SECONDS",
        env = "OSB_MOMENT",
        default_value = "1",
        value_parser = seconds
    )]
    moment: Duration,

    /// How long work may take while a platform waits for the answer; platforms hang up after 60 s
    #[arg(
        id = "osb_deadline",
        long = "deadline",
        value_name = "SECONDS",
        env = "OSB_DEADLINE",
        default_value = "50",
        value_parser = seconds
    )]
    deadline: Duration,

    /// How long work may take that a platform polls for, in hours; a plan's maximum_polling_duration may say less
    #[arg(
        id = "osb_longest",
        long = "longest",
        value_name = "HOURS",
        env = "OSB_LONGEST",
        default_value_t = 168,
        value_parser = value_parser!(u32).range(1..)
    )]
    longest: u32,

    /// How long work that is cancelled has to come to an end before it is dropped
    #[arg(
        id = "osb_grace",
        long = "grace",
        value_name = "SECONDS",
        env = "OSB_GRACE",
        default_value = "2",
        value_parser = seconds
    )]
    grace: Duration,

    /// How long the answer to a failed request waits for what it left behind to be removed, which goes on regardless
    #[arg(
        id = "osb_cleanup",
        long = "cleanup",
        value_name = "SECONDS",
        env = "OSB_CLEANUP",
        default_value = "5",
        value_parser = seconds
    )]
    cleanup: Duration,

    /// How long a process that gives no sign of life keeps its operations; then another one takes over
    #[arg(
        id = "osb_lease",
        long = "lease",
        value_name = "SECONDS",
        env = "OSB_LEASE",
        default_value = "30",
        value_parser = seconds
    )]
    lease: Duration,

    /// How often something is tried in all that fails with an error which the broker calls temporary
    #[arg(
        id = "osb_attempts",
        long = "attempts",
        value_name = "NUMBER",
        env = "OSB_ATTEMPTS",
        default_value_t = 8,
        value_parser = value_parser!(u32).range(1..)
    )]
    attempts: u32,

    /// The pause before the second attempt; each further one is twice as long, up to --retry-longest
    #[arg(
        id = "osb_retry_pause",
        long = "retry-pause",
        value_name = "SECONDS",
        env = "OSB_RETRY_PAUSE",
        default_value = "0.5",
        value_parser = seconds
    )]
    retry_pause: Duration,

    /// The longest pause between two attempts
    #[arg(
        id = "osb_retry_longest",
        long = "retry-longest",
        value_name = "SECONDS",
        env = "OSB_RETRY_LONGEST",
        default_value = "60",
        value_parser = seconds
    )]
    retry_longest: Duration,

    /// What polls are told in Retry-After; 0 for nothing
    #[arg(
        id = "osb_retry_after",
        long = "retry-after",
        value_name = "SECONDS",
        env = "OSB_RETRY_AFTER",
        default_value_t = 5
    )]
    retry_after: u32,

    /// How long it is remembered what became of something that is gone, in days
    #[arg(
        id = "osb_remember",
        long = "remember",
        value_name = "DAYS",
        env = "OSB_REMEMBER",
        default_value_t = 8,
        value_parser = value_parser!(u32).range(1..)
    )]
    remember: u32,

    /// How many handlers of a service may run at once; more wait
    #[arg(
        id = "osb_concurrency",
        long = "concurrency",
        value_name = "NUMBER",
        env = "OSB_CONCURRENCY",
        default_value_t = 64,
        value_parser = value_parser!(u32).range(1..)
    )]
    concurrency: u32,

    /// What a poll is told after a deletion
    #[arg(
        id = "osb_deleted",
        long = "deleted",
        value_name = "WHAT",
        env = "OSB_DELETED",
        default_value = "410",
        value_parser = one_of(&[
            ("410", "Gone, as most platforms expect", Deleted::Gone),
            ("succeeded", "200 with the state `succeeded`, as some conformance checkers expect", Deleted::Succeeded),
        ])
    )]
    deleted: Deleted,

    /// What happens to the bindings of an instance that is deleted
    #[arg(
        id = "osb_bindings_left",
        long = "bindings-left",
        value_name = "WHAT",
        env = "OSB_BINDINGS_LEFT",
        default_value = "unbind",
        value_parser = one_of(&[
            ("unbind", "They are unbound first", BindingsLeft::Unbind),
            ("refuse", "The deletion is refused while there are any", BindingsLeft::Refuse),
        ])
    )]
    bindings_left: BindingsLeft,

    /// How often credentials are handed out
    #[arg(
        id = "osb_hand_out",
        long = "hand-out",
        value_name = "HOW",
        env = "OSB_HAND_OUT",
        default_value = "always",
        value_parser = one_of(&[
            ("always", "Whenever a binding is asked for", HandOut::Always),
            ("once", "Only once, and then they are forgotten here", HandOut::Once),
        ])
    )]
    hand_out: HandOut,

    /// Binding and unbinding count as work on the instance: nothing else goes on with it meanwhile
    #[arg(id = "osb_bind_blocks_instance", long = "bind-blocks-instance", env = "OSB_BIND_BLOCKS_INSTANCE")]
    bind_blocks_instance: bool,

    /// Ids of instances and bindings that are gone can't be used again
    #[arg(id = "osb_unique_ids", long = "unique-ids", env = "OSB_UNIQUE_IDS")]
    unique_ids: bool,
}

pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse().map_err(|_| "write a number of seconds, such as 1 or 0.2".to_owned())?;
    Duration::try_from_secs_f64(number).map_err(|_| "write a number of seconds that is not negative".to_owned())
}

impl OperationArgs {
    pub(super) fn settings(&self) -> Settings {
        let hours = |hours: u32| Duration::from_secs(3600 * u64::from(hours));
        let mut settings = Settings::default();
        settings.moment = self.moment;
        settings.deadline = self.deadline;
        settings.longest = hours(self.longest);
        settings.grace = self.grace;
        settings.cleanup = self.cleanup;
        settings.lease = self.lease;
        settings.retries.attempts = self.attempts;
        settings.retries.first = self.retry_pause;
        settings.retries.most = self.retry_longest;
        settings.retry_after = Duration::from_secs(self.retry_after.into());
        settings.remember = hours(24) * self.remember;
        settings.concurrency = usize::try_from(self.concurrency).unwrap_or(usize::MAX);
        settings.deleted = self.deleted;
        settings.bindings_left = self.bindings_left;
        settings.credentials = self.hand_out;
        settings.bind_blocks_instance = self.bind_blocks_instance;
        settings.reuse_ids = !self.unique_ids;
        settings
    }
}

#[cfg(test)]
mod tests {
    use clap::{Command, FromArgMatches};

    use super::*;

    #[test]
    fn the_options_say_the_defaults_of_the_settings() {
        let matches = OperationArgs::augment_args(Command::new("serve")).try_get_matches_from(["serve"]);
        let options = OperationArgs::from_arg_matches(&matches.expect("all have defaults")).expect("they are good");
        let (given, default) = (options.settings(), Settings::default());
        assert_eq!(
            (given.moment, given.deadline, given.longest, given.grace, given.cleanup, given.lease),
            (default.moment, default.deadline, default.longest, default.grace, default.cleanup, default.lease)
        );
        assert_eq!(
            (given.retry_after, given.remember, given.concurrency, given.retries, given.deleted),
            (default.retry_after, default.remember, default.concurrency, default.retries, default.deleted)
        );
        assert_eq!(
            (given.bindings_left, given.bind_blocks_instance, given.reuse_ids, given.credentials),
            (default.bindings_left, default.bind_blocks_instance, default.reuse_ids, default.credentials)
        );
    }
}
