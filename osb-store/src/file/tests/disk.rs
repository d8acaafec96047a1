//! A disk in memory that can lose power, and can be full.

use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use redb::StorageBackend;
use tokio::sync::Notify;

#[derive(Debug, Clone, Default)]
pub(super) struct Disk(Arc<(Mutex<State>, Notify)>);

#[derive(Debug, Default)]
struct State {
    /// The content that survives a power cut.
    synced: Vec<u8>,
    /// The content that reads return.
    written: Vec<u8>,
    /// The changes since the last sync, in order.
    pending: Vec<Change>,
    limit: Option<u64>,
    panics: bool,
    syncs: u64,
}

#[derive(Debug, Clone)]
enum Change {
    Length(usize),
    Bytes(usize, Vec<u8>),
}

impl Change {
    fn apply(&self, to: &mut Vec<u8>) {
        match self {
            Self::Length(length) => to.resize(*length, 0),
            Self::Bytes(at, bytes) => {
                let end = (at + bytes.len()).max(to.len());
                to.resize(end, 0);
                to[*at..at + bytes.len()].copy_from_slice(bytes);
            }
        }
    }
}

impl Disk {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts the syncs.
    pub(super) fn syncs(&self) -> u64 {
        self.state().syncs
    }

    pub(super) fn len_now(&self) -> u64 {
        self.state().written.len() as u64
    }

    /// Limits the size; writes beyond it fail.
    pub(super) fn limit(&self, bytes: u64) {
        self.state().limit = Some(bytes);
    }

    /// Lets the next write panic, as redb can when it finds inconsistent pages.
    pub(super) fn panic_once(&self) {
        self.state().panics = true;
    }

    /// Waits for the next write.
    pub(super) async fn next_write(&self) {
        self.0.1.notified().await;
    }

    /// Returns the disk as a power cut now leaves it: with the synced content, and a random part of the pending changes.
    pub(super) fn cut(&self, seed: u64) -> Self {
        let state = self.state();
        let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut random = || {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x
        };
        let mut left = state.synced.clone();
        for change in &state.pending {
            match (change, random() % 3) {
                (_, 0) => {}
                (Change::Bytes(at, bytes), 1) => {
                    // A torn write ends at a sector.
                    let sectors = bytes.len() as u64 / 512;
                    let torn = if sectors == 0 { 0 } else { usize::try_from(random() % sectors * 512).unwrap_or(0) };
                    Change::Bytes(*at, bytes[..torn].to_vec()).apply(&mut left);
                }
                (change, _) => change.apply(&mut left),
            }
        }
        let after = State { written: left.clone(), synced: left, ..State::default() };
        Self(Arc::new((Mutex::new(after), Notify::new())))
    }

    fn change(&self, change: Change) -> Result<(), io::Error> {
        let mut state = self.state();
        assert!(!std::mem::take(&mut state.panics), "the disk panics");
        let size = match &change {
            Change::Length(length) => *length,
            Change::Bytes(at, bytes) => at + bytes.len(),
        };
        if state.limit.is_some_and(|limit| size as u64 > limit) {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "no room"));
        }
        change.apply(&mut state.written);
        state.pending.push(change);
        drop(state);
        self.0.1.notify_one();
        Ok(())
    }
}

fn size(number: u64) -> usize {
    usize::try_from(number).expect("small")
}

impl StorageBackend for Disk {
    fn len(&self) -> Result<u64, io::Error> {
        Ok(self.len_now())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), io::Error> {
        let state = self.state();
        let from = state.written.get(size(offset)..size(offset) + out.len());
        out.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> Result<(), io::Error> {
        self.change(Change::Length(size(len)))
    }

    fn sync_data(&self) -> Result<(), io::Error> {
        let mut state = self.state();
        state.synced = state.written.clone();
        state.pending.clear();
        state.syncs += 1;
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), io::Error> {
        self.change(Change::Bytes(size(offset), data.to_vec()))
    }
}
