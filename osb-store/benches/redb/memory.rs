//! Resident memory with many instances, and after many that came and went; the size of a tombstone.

use std::{fs, path::Path};

use osb_runtime::store::Records;
use tokio::runtime::Runtime;

use super::{
    broker::{Asked, Broker, open},
    children::{number, place, run},
    start::{on_one_thread, resident},
};

const INSTANCES: u64 = 100_000;
const CYCLES: u64 = 200_000;
/// redb's cache, which is full once all records of a large file have been read.
const CACHE_MB: f64 = 128.0;
const CLIENTS: usize = 256;
/// Number of instances that exist at the same time while others come and go.
const WAVE: u32 = 1000;

/// Does its work in a separate process, and prints the resident memory after each quarter of it.
pub(crate) fn child(store: &str, path: &Path, work: &str, count: u64) {
    let records = if store == "memory" { Records::in_memory() } else { open(path) };
    let runtime = if work == "fetch" { on_one_thread() } else { Runtime::new().expect("a runtime starts") };
    runtime.block_on(async {
        let broker = Broker::start(records).await;
        println!("quarter0 {}", resident());
        for quarter in 0..4 {
            let numbers = quarter * count / 4..(quarter + 1) * count / 4;
            match work {
                "fetch" => broker.expect_of_all(Asked::Fetch, numbers, 1).await,
                "provision" => broker.expect_of_all(Asked::Provision, numbers, CLIENTS).await,
                _ => {
                    for first in numbers.clone().step_by(WAVE as usize) {
                        let wave = first..numbers.end.min(first + u64::from(WAVE));
                        broker.expect_of_all(Asked::Provision, wave.clone(), CLIENTS).await;
                        broker.expect_of_all(Asked::Deprovision, wave, CLIENTS).await;
                    }
                }
            }
            println!("quarter{} {}", quarter + 1, resident());
        }
        broker.records.close().await;
    });
}

/// Sizes are divided by `scale`.
#[expect(clippy::cast_precision_loss, reason = "files are far smaller than 2^52 bytes")]
pub(crate) fn report(scale: u64) {
    let (instances, cycles) = (INSTANCES / scale, CYCLES / scale);
    let path = place("memory.redb");
    let text = path.to_str().expect("it is text");
    _ = fs::remove_file(&path);
    println!("\n## Memory\n");
    run(&["resident", "file", text, "provision", &instances.to_string()]);
    let said = run(&["resident", "file", text, "fetch", &instances.to_string()]);
    let (file, now) =
        (fs::metadata(&path).expect("it is there").len() as f64 / f64::from(1 << 20), number(&said, "quarter4"));
    let rest = now - CACHE_MB.min(file);
    println!(
        "{instances} instances in {file:.0} MB, each fetched once: {now:.0} MB resident, {rest:.0} less the cache.\n"
    );
    println!("Resident memory in MB after each quarter of {cycles} creations and deletions with new ids:\n");
    println!("| store | start | 1 | 2 | 3 | 4 |\n|---|--:|--:|--:|--:|--:|");
    for store in ["memory", "file"] {
        _ = fs::remove_file(&path);
        let said = run(&["resident", store, text, "cycle", &cycles.to_string()]);
        let quarters = [0, 1, 2, 3, 4].map(|quarter| format!("{:.0}", number(&said, &format!("quarter{quarter}"))));
        println!("| {store} | {} |", quarters.join(" | "));
    }
    let (file, used) = (fs::metadata(&path).expect("it is there").len(), bytes_used(&path));
    println!(
        "\nA tombstone takes {} bytes of the pages in use; with its free pages, the file has {} for each of {cycles}.",
        used / cycles,
        file / cycles
    );
    _ = fs::remove_file(&path);
}

/// The size of the pages that hold something. The other pages of a file are free for the records to come.
fn bytes_used(path: &Path) -> u64 {
    let database = redb::Database::open(path).expect("the file is opened");
    let stats = database.begin_write().and_then(|transaction| Ok(transaction.stats()?));
    let stats = stats.expect("it can be read");
    stats.allocated_pages() * stats.page_size() as u64
}
