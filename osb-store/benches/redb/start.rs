//! Startup time and memory of a broker with many records.

use std::{
    fs::{self, File},
    io::Read,
    path::Path,
    time::{Duration, Instant},
};

use tokio::runtime::{Builder, Handle, Runtime};

use super::{
    broker::{Asked, Broker, open},
    children::{number, quartiles, run, spread},
    many,
};

/// The names of a child's values, and their labels in the report.
const VALUES: [(&str, &str); 6] = [
    ("open", "opening the file, s"),
    ("check", "checking its plans, states and parameters, s"),
    ("busy", "busy until nothing is left to do, the check included, s"),
    ("pause", "longest wait of another task meanwhile, ms"),
    ("memory", "resident memory, MB"),
    ("memory then", "resident memory after the first round, MB"),
];

/// Opens a file in a separate process, and waits until the first sweep is complete. Then it closes the file, or exits without
/// closing it as after a kill.
pub(crate) fn child(path: &Path, end: &str) {
    let began = Instant::now();
    let records = open(path);
    println!("open {}", began.elapsed().as_secs_f64());
    on_one_thread().block_on(async {
        let began = Instant::now();
        let broker = Broker::start(records).await;
        println!("check {}", began.elapsed().as_secs_f64());
        println!("memory {}", resident());
        let (round, pause) = until_idle().await;
        println!("busy {}\npause {}\nmemory then {}", round.as_secs_f64(), pause.as_secs_f64() * 1e3, resident());
        for asked in [Asked::Deprovision, Asked::Provision] {
            broker.ask(asked, "again").await;
        }
        match end {
            "closed" => broker.records.close().await,
            _ => std::process::exit(0),
        }
    });
}

/// One thread, which all tasks share.
pub(crate) fn on_one_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime starts")
}

/// Waits until the reaper is idle. Returns the busy time of the thread, and the longest time in which it served no timer.
pub(crate) async fn until_idle() -> (Duration, Duration) {
    const NAP: Duration = Duration::from_millis(20);
    let metrics = Handle::current().metrics();
    let (mut round, mut pause) = (Duration::ZERO, Duration::ZERO);
    loop {
        let (before, began) = (metrics.worker_total_busy_duration(0), Instant::now());
        tokio::time::sleep(NAP).await;
        pause = pause.max(began.elapsed().saturating_sub(NAP));
        let others = metrics.worker_total_busy_duration(0).saturating_sub(before);
        round += others;
        if others < NAP / 10 {
            return (round, pause);
        }
    }
}

/// Returns the resident memory of this process in MB.
pub(crate) fn resident() -> f64 {
    let status = fs::read_to_string("/proc/self/status").expect("only Linux tells it there");
    let kb = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB"));
    kb.and_then(|kb| kb.parse::<f64>().ok()).expect("the kernel tells it") / 1024.0
}

/// Opens the file with bare redb, which only checks the parts that need repair.
pub(crate) fn bare(path: &Path) {
    let began = Instant::now();
    let file = redb::Database::open(path).expect("it opens");
    println!("open {}", began.elapsed().as_secs_f64());
    file.close().expect("it closes");
}

pub(crate) fn report(many: &many::File, times: usize) {
    let text = many.path.to_str().expect("it is text");
    println!("\n## Starts with {} instances\n", many.instances);
    let mut told = VALUES.map(|_| [vec![], vec![]]);
    let (mut bare, mut read) = ([vec![], vec![]], vec![]);
    for _ in 0..times {
        // Each starts where the one before ended.
        for (column, end) in ["killed", "closed"].into_iter().enumerate() {
            let said = run(&["start", text, end]);
            for ((name, _), told) in VALUES.iter().zip(&mut told) {
                told[column].push(number(&said, name));
            }
        }
        bare[0].push(number(&run(&["bare start", text]), "open"));
        run(&["start", text, "killed"]);
        bare[1].push(number(&run(&["bare start", text]), "open"));
        read.push(time_to_read(&many.path));
    }
    println!("| | after a clean shutdown | after a kill |\n|---|--:|--:|");
    for ((_, name), told) in VALUES.iter().zip(told) {
        let [clean, killed] = told.map(|told| spread(quartiles(told), 2));
        println!("| {name} | {clean} | {killed} |");
    }
    let [clean, killed] = bare.map(|told| spread(quartiles(told), 2));
    println!("| opening the file with bare redb, s | {clean} | {killed} |");
    println!("| reading the file, s | {} | |", spread(quartiles(read), 2));
    let size = fs::metadata(&many.path).expect("it is there").len();
    println!("\nThe file has {} MB, which is {} bytes for each instance.", size >> 20, size / many.instances);
}

fn time_to_read(path: &Path) -> f64 {
    let began = Instant::now();
    let mut file = File::open(path).expect("it opens");
    let mut buffer = vec![0; 1 << 20];
    while file.read(&mut buffer).map(|read| read > 0).expect("it can be read") {}
    began.elapsed().as_secs_f64()
}
