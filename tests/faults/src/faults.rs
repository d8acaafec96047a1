//! The faults of replicas, of their network and of their database.

use std::{fmt, time::Duration};

use osb_throwaway_postgres::Network;

use crate::random::Random;

/// The lease of operations.
pub(crate) const LEASE: Duration = Duration::from_secs(3);

/// Longer than the lease: another replica takes over.
pub(crate) const PAST_THE_LEASE: Duration = Duration::from_millis(4500);

/// A fault of a replica, of the network between it and the database, or of the database.
#[derive(Debug, Clone, Copy)]
pub enum Fault {
    /// SIGKILL.
    Killed,
    /// SIGTERM: the replica hands its operations over.
    Terminated,
    /// SIGSTOP for longer than the lease, and SIGCONT.
    Stopped,
    /// The connections of a replica to the database are reset, and refused for this time.
    CutOff(Duration),
    /// The connections of a replica are held for longer than the lease: what it sent before arrives late, or is lost with the
    /// connections.
    Held {
        /// `true` if they are reset at the end.
        resets: bool,
    },
    /// Bytes between a replica and the database take this time, in each direction.
    Slow(Duration),
    /// The database crashes, and recovers after this time.
    DatabaseAway(Duration),
    /// The primary crashes for good, and the standby is promoted after this time.
    FailedOver(Duration),
}

/// Generates faults. Each kind is among the first eleven.
pub fn faults(seed: u64, count: u32) -> Vec<Fault> {
    let mut random = Random::new(seed);
    let (mut all, mut deck) = (Vec::new(), Vec::new());
    for _ in 0..count {
        if deck.is_empty() {
            deck = vec![
                Fault::Killed,
                Fault::Killed,
                Fault::Terminated,
                Fault::Stopped,
                Fault::Stopped,
                Fault::CutOff(random.moment(1000)),
                Fault::CutOff(PAST_THE_LEASE),
                Fault::Held { resets: random.once_in(2) },
                Fault::Slow(Duration::from_millis(5) + random.moment(40)),
                Fault::DatabaseAway(random.moment(1000)),
                Fault::FailedOver(random.moment(1000)),
            ];
        }
        all.push(deck.swap_remove(random.index(deck.len())));
    }
    all
}

impl Fault {
    /// Returns the state of the network meanwhile.
    pub(crate) fn network(self) -> Network {
        match self {
            Self::CutOff(_) => Network::Closed,
            Self::Held { .. } => Network::Held,
            Self::Slow(delay) => Network::Slow(delay),
            _ => Network::Open,
        }
    }
}

/// The number of faults of each kind.
#[derive(Debug, Default)]
pub(crate) struct Counts([u32; KINDS.len()]);

const KINDS: [&str; 8] = [
    "kills",
    "terminations",
    "stops",
    "cuts",
    "held connections",
    "slow connections",
    "crashes of the database",
    "failovers",
];

impl Counts {
    pub(crate) fn add(&mut self, fault: Fault) {
        let kind = match fault {
            Fault::Killed => 0,
            Fault::Terminated => 1,
            Fault::Stopped => 2,
            Fault::CutOff(_) => 3,
            Fault::Held { .. } => 4,
            Fault::Slow(_) => 5,
            Fault::DatabaseAway(_) => 6,
            Fault::FailedOver(_) => 7,
        };
        self.0[kind] += 1;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts: Vec<String> = self.0.iter().zip(KINDS).map(|(count, kind)| format!("{count} {kind}")).collect();
        f.write_str(&counts.join(", "))
    }
}
