//! Decisions per fsync.

use std::{fs, path::Path, time::Instant};

use tokio::runtime::Runtime;

use super::{
    broker::{Asked, Broker, id, open},
    children::{has, number, place, quartiles, run, run_counting_syncs, spread},
};

/// Two decisions: claiming an instance, and saving the result.
const DECISIONS: f64 = 2.0;
const CLIENTS: [u32; 2] = [1, 64];
/// Additional time for an fsync in ms: none, and that of a disk behind a network.
const SYNCS: [u64; 2] = [0, 5];

/// Runs clients in a closed loop, in a separate process.
pub(crate) fn child(path: &Path, clients: usize, provisions: u64) {
    _ = fs::remove_file(path);
    // As many workers as brokers have that are started by `osb_tool::run`: one for each core.
    let runtime = Runtime::new().expect("a runtime starts");
    runtime.block_on(async {
        let broker = Broker::start(open(path)).await;
        let started = Instant::now();
        broker.expect_of_all(Asked::Provision, 0..provisions, clients).await;
        println!("seconds {}", started.elapsed().as_secs_f64());
        broker.records.close().await;
    });
}

/// Writes the same records with bare redb, with this number in each commit.
pub(crate) fn bare(path: &Path, commits: u64, writes: u64) {
    const RECORDS: redb::TableDefinition<'_, &[u8], &[u8]> = redb::TableDefinition::new("records");
    _ = fs::remove_file(path);
    let file = redb::Database::create(path).expect("it is made");
    let started = Instant::now();
    let record = vec![b'x'; 1000];
    for commit in 0..commits {
        let transaction = file.begin_write().expect("it can be written");
        let mut records = transaction.open_table(RECORDS).expect("it can be written");
        // Each record is written twice: claimed in one commit, and completed in the next.
        let pair = commit / 2;
        for number in pair * writes / commits..(pair + 1) * writes / commits {
            records.insert(id(number).as_bytes(), &*record).expect("it can be written");
        }
        drop(records);
        transaction.commit().expect("it can be written");
    }
    println!("seconds {}", started.elapsed().as_secs_f64());
}

pub(crate) fn report(provisions: u64, times: usize) {
    println!("\n## Provisions and fsyncs\n");
    if !has("strace") {
        return;
    }
    println!(
        "| fsync | clients | provisions/s | the same writes and commits by bare redb | provisions per fsync | decisions per fsync |"
    );
    println!("|---|--:|--:|--:|--:|--:|");
    for sync_ms in SYNCS {
        for clients in CLIENTS {
            row(sync_ms, clients, if clients == 1 { provisions / 16 } else { provisions }, times);
        }
    }
    _ = fs::remove_file(place("groups.redb"));
}

#[expect(clippy::cast_precision_loss, reason = "the counts are far below 2^52")]
fn row(sync_ms: u64, clients: u32, provisions: u64, times: usize) {
    let path = place("groups.redb");
    let path = path.to_str().expect("it is text");
    let ask = |provisions: u64| {
        let (clients, provisions) = (clients.to_string(), provisions.to_string());
        let (said, syncs) = run_counting_syncs(&["clients", path, &clients, &provisions], sync_ms);
        (number(&said, "seconds"), syncs)
    };
    // Opening and closing the file needs some as well.
    let (_, others) = ask(0);
    let (mut speed, mut bare_speed, mut per_sync) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..times {
        let (mut seconds, all) = ask(provisions);
        let syncs = all - others;
        let commits = syncs.to_string();
        let writes = (2 * provisions).to_string();
        let arguments = ["bare", path, &commits, &writes];
        let bare = if sync_ms == 0 {
            // Without strace, which delays each call.
            seconds = number(&run(&["clients", path, &clients.to_string(), &provisions.to_string()]), "seconds");
            run(&arguments)
        } else {
            run_counting_syncs(&arguments, sync_ms).0
        };
        speed.push(provisions as f64 / seconds);
        bare_speed.push(provisions as f64 / number(&bare, "seconds"));
        per_sync.push(provisions as f64 / syncs as f64);
    }
    let disk = if sync_ms == 0 { "this disk".to_owned() } else { format!("+ {sync_ms} ms") };
    let per_sync = quartiles(per_sync);
    println!(
        "| {disk} | {clients} | {} | {} | {} | {:.1} |",
        spread(quartiles(speed), 0),
        spread(quartiles(bare_speed), 0),
        spread(per_sync, 1),
        per_sync[0] * DECISIONS
    );
}
