//! Random steps on a store and on a map, which have to agree.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{BuildHasher, RandomState},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
};

use osb_runtime::store::{Due, Key, PlanUsage, Record, Timestamp};

use super::{Opened, due, finish, forget, get, keys, list, record, tombstone};

/// A record that a test stores.
#[derive(Debug, Clone)]
enum Kept {
    Live(String, Option<u64>),
    Tombstone(String, u64),
}

impl Kept {
    fn record(&self) -> Record {
        match self {
            Self::Live(text, due) => record(text, *due),
            Self::Tombstone(text, forget_at) => tombstone(text, *forget_at),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Live(text, _) | Self::Tombstone(text, _) => text.clone(),
        }
    }
}

/// A change of a record in a transaction.
#[derive(Debug, Clone)]
enum Change {
    None,
    Remove,
    Put(Kept),
}

#[derive(Debug, Clone)]
enum Step {
    /// Changes the records of an instance and of two of its bindings in one transaction.
    Put(usize, [Change; 3]),
    Get(usize, usize),
    Due(u64, usize),
    List(usize),
    Uses,
    Forget(u64),
    Again,
}

/// Random choices (SplitMix64).
struct Random(u64);

impl Random {
    /// Returns a number below this one.
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % end
    }

    fn index(&mut self, end: usize) -> usize {
        usize::try_from(self.below(end as u64)).expect("it is below an index")
    }

    fn text(&mut self) -> String {
        let character = || {
            let end = if self.below(2) == 0 { 0x80 } else { 0x11_0000 };
            u32::try_from(self.below(end)).ok().and_then(char::from_u32).filter(|character| !character.is_control())
        };
        std::iter::repeat_with(character).take(31).map_while(|character| character).collect()
    }

    fn change(&mut self) -> Change {
        match self.below(6) {
            0 | 1 => Change::None,
            2 => Change::Remove,
            3 => Change::Put(Kept::Tombstone(self.text(), self.below(256))),
            _ => Change::Put(Kept::Live(self.text(), (self.below(2) == 0).then(|| self.below(256)))),
        }
    }

    fn step(&mut self) -> Step {
        match self.below(14) {
            0..6 => Step::Put(self.index(keys().len()), [self.change(), self.change(), self.change()]),
            6 | 7 => Step::Get(self.index(keys().len()), self.index(3)),
            8 | 9 => Step::Due(self.below(300), 1 + self.index(3)),
            10 => Step::List(1 + self.index(3)),
            11 => Step::Uses,
            12 => Step::Forget(self.below(300)),
            _ => Step::Again,
        }
    }
}

/// Runs random steps on a store and on a map, and compares them; `again` reopens the store, which shows whether it keeps its
/// records.
///
/// ```no_run
/// # use osb_testing::store::{agrees_with_a_map, Opened};
/// # use std::{path::Path, sync::Arc};
/// # struct MyStore;
/// # impl MyStore { fn open(_: &Path) -> osb_runtime::store::Memory { osb_runtime::store::Memory::new() } }
/// # fn example(path: std::path::PathBuf) {
/// /// Opens the file, and creates it if there is none. Closures would need a type for what they return.
/// fn open(path: &Path) -> Opened {
///     Arc::new(MyStore::open(path))
/// }
///
/// let empty = || {
///     _ = std::fs::remove_file(&path);
///     open(&path)
/// };
/// agrees_with_a_map(&empty, async |store| {
///     store.close().await.expect("it is closed");
///     drop(store);
///     open(&path)
/// });
/// # }
/// ```
///
/// # Panics
///
/// If they differ, with the steps that are needed for it.
pub fn agrees_with_a_map(open: &dyn Fn() -> Opened, again: impl AsyncFn(Opened) -> Opened) {
    compare_with_a_map(open, &|store| Box::pin(again(store)));
}

/// A function that reopens a store.
type Again<'a> = &'a dyn Fn(Opened) -> Pin<Box<dyn Future<Output = Opened> + 'a>>;

fn compare_with_a_map(open: &dyn Fn() -> Opened, again: Again<'_>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let agrees =
        |steps: &[Step]| catch_unwind(AssertUnwindSafe(|| runtime.block_on(finish(run(open(), steps, again))))).is_ok();
    let mut random = Random(RandomState::new().hash_one(()));
    for _ in 0..24 {
        let length = 1 + random.below(29);
        let mut steps: Vec<Step> = (0..length).map(|_| random.step()).collect();
        if agrees(&steps) {
            continue;
        }
        for at in (0..steps.len()).rev() {
            let mut fewer = steps.clone();
            fewer.remove(at);
            if !agrees(&fewer) {
                steps = fewer;
            }
        }
        panic!("the store does not agree with a map, as printed above, after {steps:#?}");
    }
}

/// Runs steps on a store and on a map, and compares them.
async fn run(mut store: Opened, steps: &[Step], again: Again<'_>) {
    let (mut map, keys) = (BTreeMap::<Key, Kept>::new(), keys());
    for step in steps {
        match step {
            Step::Put(group, to) => {
                let mut decide = |records: &mut [Option<Record>]| {
                    for (record, to) in records.iter_mut().zip(to) {
                        match to {
                            Change::None => {}
                            Change::Remove => *record = None,
                            Change::Put(kept) => *record = Some(kept.record()),
                        }
                    }
                };
                store.transact(&keys[*group], &mut decide).await.expect("it is stored");
                for (key, to) in keys[*group].iter().zip(to) {
                    match to {
                        Change::None => {}
                        Change::Remove => drop(map.remove(key)),
                        Change::Put(kept) => drop(map.insert(key.clone(), kept.clone())),
                    }
                }
            }
            Step::Get(group, key) => {
                let key = &keys[*group][*key];
                assert_eq!(get(&*store, key).await, map.get(key).map(Kept::text), "`read`, and the text in the map");
            }
            Step::Due(now, page) => {
                let known = map.iter().filter_map(|(key, kept)| match kept {
                    Kept::Live(_, Some(due)) if due <= now => {
                        Some(Due { at: Timestamp::from_millis(*due), key: key.clone() })
                    }
                    _ => None,
                });
                let found = due(&*store, *now, *page).await;
                let known: Vec<_> = known.collect::<BTreeSet<_>>().into_iter().collect();
                assert_eq!(found, known, "`due`, and what is due in the map");
            }
            Step::List(page) => {
                let known: Vec<_> = map.iter().map(|(key, kept)| (key.clone(), kept.text())).collect();
                assert_eq!(list(&*store, *page).await, known, "`list`, and the records in the map");
            }
            Step::Uses => {
                let known = PlanUsage::sum(
                    map.values().map(Kept::record).flat_map(|record| record.plan_usage().collect::<Vec<_>>()),
                );
                let found = store.plan_usage().await.expect("they can be read");
                assert_eq!(found, known, "`plan_usage`, and the plans in the map");
            }
            Step::Forget(now) => {
                forget(&*store, *now).await;
                map.retain(|_, kept| !matches!(kept, Kept::Tombstone(_, forget_at) if *forget_at <= *now));
            }
            Step::Again => store = again(store).await,
        }
    }
}
