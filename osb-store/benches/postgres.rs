//! Provisions by one and by three replicas on a throw-away PostgreSQL, beside the same statements issued bare with as many
//! connections, in turns: with the database on this machine, and with one that is further away.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use osb_runtime::{
    http::{AcceptedCredentials, BrokerService, HttpSettings},
    lifecycle::Settings,
    prelude::*,
    store::Records,
};
use osb_store::Postgres;
use osb_throwaway_postgres::{Network, Proxy, Server};
use tokio::{runtime::Runtime, task::JoinSet};
use tokio_postgres::{NoTls, types::ToSql};
use tower_service::Service as _;

const CLIENTS: usize = 64;
/// The number of replicas, and the time that bytes take to the database and back from it.
const ROWS: [(usize, Duration); 4] = [(1, NEAR), (3, NEAR), (1, FAR), (3, FAR)];
const NEAR: Duration = Duration::ZERO;
const FAR: Duration = Duration::from_millis(2);
/// Connections of a replica.
const POOL: usize = 16;
const TABLE: &str = "bench.records";
/// Size of a record in bytes.
const RECORD: usize = 600;

/// A service whose handlers do nothing.
#[service(id = "5d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "idle", plans(Idle))]
#[derive(Debug)]
struct IdleService;

/// A plan.
#[plan(id = "5d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "idle")]
#[derive(Debug)]
struct Idle;

impl Provision<Idle> for IdleService {
    type State = ();

    async fn provision(&self, _: ProvisionRequest<Idle>, _: &Operation) -> Result<Provisioned<()>, ProvisionError> {
        Ok(Provisioned::new(()))
    }

    async fn deprovision(&self, _: DeprovisionRequest<Idle>, _: &Operation) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

#[broker]
#[derive(Debug)]
struct IdleBroker {
    service: IdleService,
}

fn main() {
    let Some(server) = Server::start_or_skip() else { return };
    // `cargo bench` passes `--bench`; `cargo test` does not, and gets a short run.
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let (rounds, time) = if is_bench { (5, Duration::from_secs(3)) } else { (1, Duration::from_millis(200)) };
    let runtime = Runtime::new().expect("a runtime starts");
    let mut rows = vec![(Vec::new(), Vec::new()); ROWS.len()];
    for _ in 0..rounds {
        for ((provisions, statements), (replicas, distance)) in rows.iter_mut().zip(ROWS) {
            let proxies: Vec<Proxy> = (0..replicas).map(|_| Proxy::start(server.port())).collect();
            for proxy in &proxies {
                proxy.set(Network::Slow(distance));
            }
            let port = |proxy: &Proxy| if distance == NEAR { server.port() } else { proxy.port() };
            let urls: Vec<String> = proxies.iter().map(|proxy| server.url_at(port(proxy))).collect();
            provisions.push(runtime.block_on(brokers(&urls, time)));
            statements.push(runtime.block_on(bare(&urls, time)));
            // No broker could start with records that are none.
            server.sql(&format!("truncate {TABLE}"));
        }
    }
    println!("| replicas | to the database and back | provisions/s | bare | ratio |\n|--:|--:|--:|--:|--:|");
    for ((provisions, bare), (replicas, distance)) in rows.into_iter().zip(ROWS) {
        let ratios = provisions.iter().zip(&bare).map(|(one, other)| one / other).collect();
        let (provisions, bare, away) = (median(provisions), median(bare), 2 * distance.as_millis());
        println!("| {replicas} | {away} ms | {provisions:.0} | {bare:.0} | {:.2} |", median(ratios));
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

#[expect(clippy::cast_precision_loss, reason = "the counts are far below 2^52")]
fn per_second(count: &AtomicU64, since: Instant) -> f64 {
    count.load(Ordering::Relaxed) as f64 / since.elapsed().as_secs_f64()
}

/// Returns the provisions per second of brokers with clients that wait for each answer.
async fn brokers(urls: &[String], time: Duration) -> f64 {
    let credentials = AcceptedCredentials::basic("user", "pass").expect("a user without colon");
    let authorization: Arc<str> = format!("Basic {}", STANDARD.encode("user:pass")).into();
    let mut services = Vec::new();
    let mut stores = Vec::new();
    for url in urls {
        let url = format!("{url}?schema=bench&pool_size={POOL}");
        let records = Records::new(Postgres::connect(&url, None).await.expect("a store"));
        let mut settings = Settings::default();
        settings.store = records.clone();
        stores.push(records);
        let broker = IdleBroker { service: IdleService };
        let started = BrokerService::start_with(broker, credentials.clone(), HttpSettings::default(), settings);
        services.push(started.await.expect("it starts"));
    }
    let (count, ids) = (Arc::<AtomicU64>::default(), Arc::<AtomicU64>::default());
    let run = unique();
    let (started, mut clients) = (Instant::now(), JoinSet::new());
    for client in 0..CLIENTS {
        let mut service = services[client % services.len()].clone();
        let (count, ids, authorization) = (Arc::clone(&count), Arc::clone(&ids), Arc::clone(&authorization));
        clients.spawn(async move {
            while started.elapsed() < time {
                let id = ids.fetch_add(1, Ordering::Relaxed);
                let request = Request::put(format!("/v2/service_instances/{run}-{id}"))
                    .header("Authorization", &*authorization)
                    .header("X-Broker-API-Version", "2.17")
                    .header("Content-Type", "application/json")
                    .body(Full::new(Bytes::from_static(BODY.as_bytes())))
                    .expect("a request");
                let answer = service.call(request).await.expect("it can't fail");
                assert_eq!(answer.status(), 201);
                count.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    while clients.join_next().await.is_some() {}
    let speed = per_second(&count, started);
    for store in stores {
        store.close().await;
    }
    speed
}

const BODY: &str = r#"{"service_id":"5d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01","plan_id":"5d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02","organization_guid":"1a6a3c9b-6b28-4a39-9f8c-2b7b1d3f1a11","space_guid":"2b7b1d3f-6b28-4a39-9f8c-1a6a3c9b2b22"}"#;

/// Returns a prefix for ids that no other run has.
fn unique() -> u128 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.expect("it is later than 1970").as_nanos()
}

/// Returns the number of times per second that connections can issue the statements of a provision.
async fn bare(urls: &[String], time: Duration) -> f64 {
    let count = Arc::<AtomicU64>::default();
    let (run, mut tasks) = (unique(), JoinSet::new());
    let mut clients = Vec::new();
    for url in urls.iter().flat_map(|url| [url; POOL]) {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("a connection");
        tokio::spawn(connection);
        clients.push(client);
    }
    let started = Instant::now();
    for (number, client) in clients.into_iter().enumerate() {
        let count = Arc::clone(&count);
        tasks.spawn(async move {
            let prepare = async |sql: String| client.prepare(&sql).await.expect("a statement");
            let read = prepare(format!("select record from {TABLE} where key = $1")).await;
            let insert = prepare(format!(
                "insert into {TABLE} (key, record, sealed_with, due, forget_at, service_id, plan_ids, is_binding) values \
                 ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing returning true"
            ))
            .await;
            let update = prepare(format!(
                "update {TABLE} set record = $2, sealed_with = $3, due = $4, forget_at = $5, service_id = $6, \
                 plan_ids = $7, is_binding = $8 where key = $1 and record = $9 returning true"
            ))
            .await;
            let record = vec![b'x'; RECORD];
            let (nothing, never, due) = (None::<&[u8]>, None::<i64>, Some(1_000_000_000_000_000_i64));
            let (service, plans) = ("5d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", vec!["5d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02"]);
            for turn in 0_u64.. {
                if started.elapsed() > time {
                    break;
                }
                let key = format!("bare {run} {number} {turn}").into_bytes();
                for (write, is_update, due) in [(&insert, false, due), (&update, true, never)] {
                    client.query(&read, &[&key]).await.expect("it can be read");
                    let values: [&(dyn ToSql + Sync); 9] =
                        [&key, &record, &nothing, &due, &never, &service, &plans, &false, &record];
                    let values = if is_update { &values[..] } else { &values[..8] };
                    client.query(write, values).await.expect("it can be written");
                }
                count.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    while tasks.join_next().await.is_some() {}
    per_second(&count, started)
}
