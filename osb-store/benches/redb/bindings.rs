//! Binds of an instance that has had many, one after the other and at once.

use std::time::Instant;

use tokio::{runtime::Runtime, task::JoinSet};

use super::{
    broker::{Asked, Broker, open},
    children::{place, quartiles, spread},
};

/// Numbers of live and of deleted bindings.
const LIVE: u64 = 10_000;
const DELETED: u64 = 20_000;
/// Number of binds that are timed together, one after the other.
const ROW: u32 = 20;
/// Number of requests at once.
const AT_ONCE: u64 = 400;
const CLIENTS: usize = 400;

pub(crate) fn report(is_bench: bool) {
    let (scale, rounds) = if is_bench { (1, 30) } else { (100, 1) };
    let path = place("bindings.redb");
    _ = std::fs::remove_file(&path);
    Runtime::new().expect("a runtime starts").block_on(async {
        let broker = Broker::start(open(&path)).await;
        for instance in ["few", "live", "deleted"] {
            broker.expect(Asked::Provision, instance).await;
        }
        all(&broker, Asked::Bind, "live", "kept", LIVE / scale).await;
        all(&broker, Asked::Bind, "deleted", "gone", DELETED / scale).await;
        all(&broker, Asked::Unbind, "deleted", "gone", DELETED / scale).await;
        println!("\n## Binds of an instance with many bindings\n");
        println!("| instance | µs | ratio |\n|---|--:|--:|");
        let mut times = [vec![], vec![], vec![]];
        for round in 0..rounds {
            for (instance, times) in ["few", "live", "deleted"].iter().zip(&mut times) {
                let began = Instant::now();
                for number in 0..ROW {
                    broker.expect_binding(Asked::Bind, instance, &format!("{round}-{number}")).await;
                }
                times.push(began.elapsed().as_secs_f64() * 1e6 / f64::from(ROW));
                for number in 0..ROW {
                    broker.expect_binding(Asked::Unbind, instance, &format!("{round}-{number}")).await;
                }
            }
        }
        let of_few = times[0].clone();
        let names = ["few".to_owned(), format!("{} live", LIVE / scale), format!("{} deleted", DELETED / scale)];
        for (name, times) in names.iter().zip(times) {
            let ratios = times.iter().zip(&of_few).map(|(time, few)| time / few).collect();
            println!("| {name} | {} | {} |", spread(quartiles(times), 0), spread(quartiles(ratios), 2));
        }
        at_once(&broker, rounds / 6 + 1, AT_ONCE / scale).await;
        broker.records.close().await;
    });
    _ = std::fs::remove_file(&path);
}

/// Compares concurrent binds of one instance with concurrent provisions of different instances.
async fn at_once(broker: &Broker, rounds: u64, requests: u64) {
    let mut ratios = Vec::new();
    for round in 0..rounds {
        let began = Instant::now();
        broker.expect_of_all(Asked::Provision, round * requests..(round + 1) * requests, CLIENTS).await;
        let provisions = began.elapsed().as_secs_f64();
        let began = Instant::now();
        all(broker, Asked::Bind, "few", &format!("at-once-{round}"), requests).await;
        ratios.push(began.elapsed().as_secs_f64() / provisions);
    }
    let ratio = spread(quartiles(ratios), 2);
    println!("\n{requests} concurrent binds of one instance take {ratio} times as long as as many provisions.");
}

/// Sends requests for bindings of one instance at once.
async fn all(broker: &Broker, asked: Asked, instance: &'static str, name: &str, bindings: u64) {
    let mut tasks = JoinSet::new();
    for number in 0..bindings {
        let (broker, binding) = (broker.clone(), format!("{name}-{number}"));
        tasks.spawn(async move { broker.expect_binding(asked, instance, &binding).await });
        if tasks.len() >= CLIENTS {
            tasks.join_next().await.transpose().expect("it succeeds");
        }
    }
    while tasks.join_next().await.transpose().expect("it succeeds").is_some() {}
}
