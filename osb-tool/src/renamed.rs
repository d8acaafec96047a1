//! Settings under their names of earlier releases, which are refused with the new name.

use std::env;

const RENAMED: [(&str, &str); 12] = [
    ("attempts", "retry-attempts"),
    ("bindings-left", "remaining-bindings"),
    ("cleanup", "rollback-wait"),
    ("deadline", "sync-deadline"),
    ("deleted", "deleted-poll"),
    ("grace", "cancel-grace"),
    ("hand-out", "credential-reads"),
    ("longest", "max-operation-time"),
    ("moment", "sync-wait"),
    ("remember", "tombstone-ttl"),
    ("retry-longest", "retry-max-delay"),
    ("retry-pause", "retry-initial-delay"),
];

/// Returns the name that a setting has now.
pub(super) fn new_name(old: &str) -> Option<&'static str> {
    RENAMED.iter().find(|(name, _)| *name == old).map(|(_, new)| *new)
}

/// Returns advice if the environment has a setting under its old name, which would otherwise be ignored.
pub(super) fn in_environment() -> Option<String> {
    let variable = |name: &str| format!("OSB_{}", name.replace('-', "_").to_uppercase());
    let set = RENAMED.iter().find(|(old, _)| env::var_os(variable(old)).is_some())?;
    Some(format!("the variable {} is now {}", variable(set.0), variable(set.1)))
}
