//! The file descriptors of the process, of which each connection takes one.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Those of records, databases, the log and handlers.
const OTHERS: u64 = 256;

/// Raises the limit of the process, if necessary and as far as allowed, so that connections leave some for the rest of the
/// broker. Warns if they don't.
pub(super) fn suffice_for(connections: usize) {
    let mut limit = getrlimit(Resource::Nofile);
    let needed = (connections as u64).saturating_add(OTHERS);
    if limit.current.is_none_or(|current| current >= needed) {
        return;
    }
    // No more than that: the programs that handlers run inherit it, and some try to close all descriptors below it.
    let allowed = limit.maximum.map_or(needed, |maximum| maximum.min(needed));
    limit.current = Some(allowed);
    let error = setrlimit(Resource::Nofile, limit).err();
    if error.is_some() || allowed < needed {
        tracing::warn!(
            limit = getrlimit(Resource::Nofile).current,
            error = error.map(|error| error.to_string()),
            "connections can use up the file descriptors: allow the process {needed} (LimitNOFILE, `ulimit -n`), or lower \
             --max-connections"
        );
    }
}
