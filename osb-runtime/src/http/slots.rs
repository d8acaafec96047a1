//! The slots for connections. A connection that waits too long for a request is closed, and earlier if a new one needs its slot.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::SeqCst},
    },
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, sleep, timeout},
};

use super::HttpSettings;

/// Slots for connections in which only health checks and metrics are answered.
const SPARE: usize = 16;

/// The time that a connection has before it gives way: its head may have arrived without having been read.
const GRACE: Duration = Duration::from_millis(100);

pub(super) struct Slots {
    limit: usize,
    /// Number of slots for health checks beyond the limit.
    spare: usize,
    head_timeout: Duration,
    idle_timeout: Duration,
    taken: Mutex<Taken>,
    /// A slot was left, or its connection waits for a head.
    changed: Notify,
    start: Instant,
}

#[derive(Default)]
struct Taken {
    slots: BTreeMap<u64, Arc<SlotState>>,
    spare: usize,
    last: u64,
}

/// The state of a connection.
pub(super) struct SlotState {
    /// When it began to wait for a head, in µs after the start; [`SERVING`] or [`EVICTED`].
    waiting: AtomicU64,
    start: Instant,
    /// Notified when the connection has to be closed.
    pub(super) evicted: Notify,
    /// `true` if a write is pending because the client does not read.
    pub(super) is_writing: AtomicBool,
    is_spare: AtomicBool,
}

const SERVING: u64 = u64::MAX;
const EVICTED: u64 = u64::MAX - 1;
/// Added to `waiting` between two requests, until the next one begins to arrive: the other connections are evicted first.
const BETWEEN: u64 = 1 << 62;

/// Returns the µs after the start.
fn elapsed(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_micros()).unwrap_or_default()
}

/// Returns how long a connection has waited for a head.
fn waited(waiting: u64, now: u64) -> Duration {
    Duration::from_micros(now.saturating_sub(waiting & !BETWEEN))
}

/// The slot of one connection, until it is dropped.
pub(super) struct Slot {
    slots: Arc<Slots>,
    pub(super) state: Arc<SlotState>,
    number: u64,
}

impl Slots {
    pub(super) fn new(settings: &HttpSettings, has_monitor: bool) -> Arc<Self> {
        Arc::new(Self {
            limit: settings.max_connections.max(1),
            spare: if has_monitor { SPARE } else { 0 },
            head_timeout: settings.head_timeout,
            idle_timeout: settings.idle_timeout,
            taken: Mutex::default(),
            changed: Notify::new(),
            start: Instant::now(),
        })
    }

    /// Waits for a slot, and evicts a connection if all are taken. Only one task may wait.
    pub(super) async fn take(self: &Arc<Self>) -> Slot {
        loop {
            if let Some(slot) = self.try_take() {
                return slot;
            }
            let _ = timeout(GRACE, self.changed.notified()).await;
        }
    }

    fn try_take(self: &Arc<Self>) -> Option<Slot> {
        let mut taken = self.taken();
        let is_full = taken.slots.len() - taken.spare >= self.limit;
        let now = elapsed(self.start);
        if is_full && (taken.evict_oldest(now) || taken.spare >= self.spare) {
            return None;
        }
        taken.spare += usize::from(is_full);
        taken.last += 1;
        let state = Arc::new(SlotState {
            waiting: AtomicU64::new(now),
            start: self.start,
            evicted: Notify::new(),
            is_writing: AtomicBool::new(false),
            is_spare: AtomicBool::new(is_full),
        });
        let number = taken.last;
        taken.slots.insert(number, Arc::clone(&state));
        Some(Slot { slots: Arc::clone(self), state, number })
    }

    /// Evicts a connection that waits for a head.
    pub(super) fn evict(&self) {
        self.taken().evict_oldest(elapsed(self.start));
    }

    /// Evicts connections that have waited too long for a head, forever.
    pub(super) async fn keep_evicting(self: Arc<Self>) {
        loop {
            let (now, mut next) = (elapsed(self.start), self.head_timeout.min(self.idle_timeout));
            for (since, state) in self.taken().waiting() {
                let timeout = if since < BETWEEN { self.head_timeout } else { self.idle_timeout };
                match timeout.saturating_sub(waited(since, now)) {
                    // Another timeout ends an answer that the client doesn't read.
                    Duration::ZERO if state.is_writing.load(SeqCst) => {}
                    Duration::ZERO => _ = state.evict(since),
                    left => next = next.min(left),
                }
            }
            // Timeouts of zero don't make it busy.
            sleep(next.max(Duration::from_millis(1))).await;
        }
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    /// Returns the connections that wait for a head.
    fn waiting(&self) -> impl Iterator<Item = (u64, &SlotState)> + Clone {
        let all = self.slots.values().map(|state| (state.waiting.load(SeqCst), &**state));
        all.filter(|(since, _)| *since < EVICTED)
    }

    /// Evicts the connection that has waited longest for a head, unless one is being closed, or none has waited long. Returns
    /// false if it does not help to wait: each slot that serves any request has a running one, or one that is about to come.
    fn evict_oldest(&self, now: u64) -> bool {
        loop {
            if self.slots.values().any(|state| state.waiting.load(SeqCst) == EVICTED) {
                return true;
            }
            let mut waiting = self.waiting();
            let Some((since, state)) = waiting.clone().min_by_key(|(since, _)| *since) else { return false };
            if waited(since, now) < GRACE {
                return waiting.any(|(since, state)| since >= BETWEEN && !state.is_spare.load(SeqCst));
            }
            if state.evict(since) {
                return true;
            }
        }
    }
}

impl SlotState {
    /// Notes that bytes have arrived.
    pub(super) fn received(&self) {
        let waiting = self.waiting.load(SeqCst);
        if (BETWEEN..EVICTED).contains(&waiting) {
            // Fails if it is evicted.
            let _ = self.waiting.compare_exchange(waiting, elapsed(self.start), SeqCst, SeqCst);
        }
    }

    /// Evicts the connection, unless its head has arrived meanwhile.
    fn evict(&self, waiting: u64) -> bool {
        let evicted = self.waiting.compare_exchange(waiting, EVICTED, SeqCst, SeqCst);
        evicted.inspect(|_| self.evicted.notify_one()).is_ok()
    }
}

impl Slot {
    /// Notes that a head is complete. Returns false if the connection has been evicted.
    pub(super) fn begin_request(&self) -> bool {
        let waiting = self.state.waiting.swap(SERVING, SeqCst);
        self.slots.changed.notify_one();
        waiting != EVICTED
    }

    /// Notes that the answer is ready.
    pub(super) fn end_request(&self) {
        self.state.waiting.store(BETWEEN + elapsed(self.slots.start), SeqCst);
        self.slots.changed.notify_one();
    }

    /// Returns whether any request is answered in this slot, and not only health checks.
    pub(super) fn serves_requests(&self) -> bool {
        if self.state.is_spare.load(SeqCst) {
            let mut taken = self.slots.taken();
            if taken.slots.len() - taken.spare < self.slots.limit {
                taken.spare -= 1;
                self.state.is_spare.store(false, SeqCst);
            }
        }
        !self.state.is_spare.load(SeqCst)
    }

    /// Lets another connection be evicted, as this one can't be closed yet.
    pub(super) fn keep_open(&self) {
        self.state.waiting.store(SERVING, SeqCst);
        self.slots.changed.notify_one();
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut taken = self.slots.taken();
        taken.slots.remove(&self.number);
        taken.spare -= usize::from(self.state.is_spare.load(SeqCst));
        drop(taken);
        self.slots.changed.notify_one();
    }
}
