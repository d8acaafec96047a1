//! The cost of each request among a thousand instances, and among a million.

use std::{
    fs, iter,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use tokio::runtime::Runtime;

use super::{
    broker::{Asked, Broker, id, open},
    children::{has, instructions_between, place, quartiles, spread},
    start::{on_one_thread, until_idle},
};

/// Minimum number of instances, each of which gets one request.
const FEW: u64 = 1000;
/// Number of consecutive requests of the same kind.
const ROW: u32 = 20;
/// Number of rounds for which the small file has enough instances.
const ROWS: u32 = 5;

/// Number of clients that fill the file.
const CROWD: usize = 1024;

/// A temporary records file.
pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) instances: u64,
}

impl File {
    /// Creates a file in which one in ten instances is a tombstone.
    pub(crate) fn new(name: &str, instances: u64) -> Self {
        let file = Self { path: place(&format!("{name}.redb")), instances };
        _ = fs::remove_file(&file.path);
        Runtime::new().expect("a runtime starts").block_on(async {
            let broker = Broker::start(open(&file.path)).await;
            broker.expect_of_all(Asked::Provision, 0..instances, CROWD).await;
            broker.expect_of_all(Asked::Deprovision, file.live()..instances, CROWD).await;
            broker.records.close().await;
        });
        file
    }

    fn live(&self) -> u64 {
        self.instances - self.instances / 10
    }

    /// Returns the instances for a kind of request, from all over the file.
    fn target(&self, asked: Asked, run: u64, number: u32) -> String {
        let each = u64::from(ROW * ROWS);
        let kind = match asked {
            Asked::Provision => return id(self.instances + run * each + u64::from(number)),
            // The instances that were bound before.
            Asked::Unbind => Asked::Bind,
            other => other,
        };
        let kinds = Asked::ALL.len() as u64;
        let step = self.live() / kinds / each;
        assert!(step > 0, "{} are not enough", self.instances);
        id((u64::from(number) * step + run % step) * kinds + kind as u64)
    }

    fn targets(&self, asked: Asked, run: u64, row: u32) -> Vec<String> {
        (row * ROW..(row + 1) * ROW).map(|number| self.target(asked, run, number)).collect()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        _ = fs::remove_file(&self.path);
    }
}

pub(crate) fn report(many: &File, runs: u64) {
    println!("\n## A request with {FEW} instances, and with {}", many.instances);
    for is_warm in [false, true] {
        println!(
            "\nEach instance {}:\n",
            if is_warm { "was fetched just before" } else { "is asked for the first time" }
        );
        println!("| request | µs with {FEW} | µs with {} | ratio |\n|---|--:|--:|--:|", many.instances);
        let mut took = Asked::ALL.map(|_| [vec![], vec![], vec![]]);
        for run in 0..runs {
            let few = File::new("few", FEW);
            // Different ones for each run of the two tables.
            let run = run * 2 + u64::from(is_warm);
            on_one_thread().block_on(in_turns(&few, many, run, is_warm, &mut took));
        }
        for (asked, took) in Asked::ALL.into_iter().zip(took) {
            let [few, many, ratio] = took.map(quartiles);
            println!("| {} | {} | {} | {} |", asked.name(), spread(few, 0), spread(many, 0), spread(ratio, 2));
        }
    }
    instructions(many, 2 * runs);
}

/// Sends requests to the two files in turns, and records µs and their ratio.
async fn in_turns(few: &File, many: &File, run: u64, is_warm: bool, took: &mut [[Vec<f64>; 3]]) {
    let files = [few, many];
    let brokers = [Broker::start(open(&few.path)).await, Broker::start(open(&many.path)).await];
    until_idle().await;
    for row in 0..ROWS {
        for (asked, took) in Asked::ALL.into_iter().zip(&mut *took) {
            let mut each = [0.0; 2];
            for ((file, broker), each) in files.iter().zip(&brokers).zip(&mut each) {
                let targets = file.targets(asked, run, row);
                for target in if is_warm { &targets[..] } else { &[] } {
                    broker.ask(Asked::Fetch, target).await;
                }
                *each = ask(broker, asked, &targets).await.as_secs_f64() * 1e6 / f64::from(ROW);
            }
            for (took, now) in took.iter_mut().zip([each[0], each[1], each[1] / each[0]]) {
                took.push(now);
            }
        }
    }
    for broker in brokers {
        broker.records.close().await;
    }
}

async fn ask(broker: &Broker, asked: Asked, targets: &[String]) -> Duration {
    let began = Instant::now();
    for target in targets {
        broker.expect(asked, target).await;
    }
    began.elapsed()
}

/// Counts the user instructions of each request.
#[expect(clippy::cast_precision_loss, reason = "the counts are far below 2^52")]
fn instructions(many: &File, run: u64) {
    if !has("valgrind") {
        return;
    }
    let few = File::new("few", FEW);
    println!("\n| request | instructions with {FEW} | with {} | ratio |\n|---|--:|--:|--:|", many.instances);
    let counts = [&few, many].map(|file| {
        let path = file.path.to_str().expect("it is text");
        let counts =
            instructions_between("*many::mark*", &["counted", path, &file.instances.to_string(), &run.to_string()]);
        // Before the first mark come the start and one-time costs of the first requests.
        counts.into_iter().skip(1 + Asked::ALL.len()).map(|count| count / u64::from(ROW)).collect::<Vec<_>>()
    });
    for (asked, (few, many)) in Asked::ALL.into_iter().zip(iter::zip(&counts[0], &counts[1])) {
        println!("| {} | {few} | {many} | {:.2} |", asked.name(), *many as f64 / *few as f64);
    }
}

/// Sends requests in a separate process, whose instructions are counted from mark to mark.
pub(crate) fn child(path: &Path, instances: u64, run: u64) {
    let file = std::mem::ManuallyDrop::new(File { path: path.to_owned(), instances });
    on_one_thread().block_on(async {
        let broker = Broker::start(open(path)).await;
        until_idle().await;
        for row in [0, 1] {
            for asked in Asked::ALL {
                let targets = file.targets(asked, run, row);
                mark();
                ask(&broker, asked, &targets).await;
            }
        }
        mark();
        broker.records.close().await;
    });
}

/// Marks the point where callgrind resets its counter.
#[inline(never)]
fn mark() {
    std::hint::black_box(());
}
