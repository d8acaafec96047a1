//! Times per request over loopback, with 1 and with 64 clients: of the broker, and of the same broker written by hand.
//! Both share the machine with the clients, and so the ratio says more than the times.

mod common;

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use common::{Server, Workload, client::Client, requests, same_answers};
use criterion::{BenchmarkId, Criterion, Throughput};
use tokio::{net::TcpListener, runtime::Runtime, task::JoinSet};

const CLIENTS: [usize; 2] = [1, 64];

fn main() {
    // As many workers as the brokers have that are started by `osb_tool::run`: one for each core.
    let servers = Runtime::new().expect("a runtime starts");
    let addresses = Server::ALL.map(|server| {
        let listener = servers.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        servers.spawn(server.serve(listener));
        address
    });
    let platform = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    platform.block_on(same_answers(addresses));

    let mut criterion = Criterion::default().sample_size(20).warm_up_time(Duration::from_secs(1)).configure_from_args();
    for workload in Workload::ALL {
        let mut group = criterion.benchmark_group(workload.id());
        group.throughput(Throughput::Elements(1));
        for clients in CLIENTS {
            for (server, address) in Server::ALL.into_iter().zip(addresses) {
                let id = BenchmarkId::new(server.name(), clients);
                group.bench_function(id, |bencher| {
                    let mut crowd = Crowd::connect(&platform, address, clients);
                    bencher.iter_custom(|requests| crowd.time(workload, requests));
                });
            }
        }
        group.finish();
    }
    criterion.final_summary();
}

/// Clients that ask at the same time, each on its own connection.
struct Crowd<'a> {
    runtime: &'a Runtime,
    clients: Vec<Client>,
}

impl<'a> Crowd<'a> {
    fn connect(runtime: &'a Runtime, address: SocketAddr, clients: usize) -> Self {
        let clients = (0..clients).map(|_| runtime.block_on(Client::connect(address))).collect();
        Self { runtime, clients }
    }

    /// Times a number of requests, without the requests that prepare and clean up.
    fn time(&mut self, workload: Workload, requests: u64) -> Duration {
        match workload {
            Workload::Catalog => self.ask(requests, 200, |_| requests::catalog(None)),
            Workload::NotModified => {
                let client = &mut self.clients[0];
                let catalog = self.runtime.block_on(client.send(&requests::catalog(None)));
                let known = requests::catalog(catalog.header("etag"));
                self.ask(requests, 304, |_| known.clone())
            }
            Workload::Provision => {
                let time = self.ask(requests, 201, provision);
                self.ask(requests, 200, deprovision);
                time
            }
            Workload::Fetch => {
                self.ask(1, 201, provision);
                let time = self.ask(requests, 200, |_| requests::fetch(&requests::id(0)));
                self.ask(1, 200, deprovision);
                time
            }
            Workload::Deprovision => {
                self.ask(requests, 201, provision);
                self.ask(requests, 200, deprovision)
            }
        }
    }

    /// Shares the requests out among the clients.
    fn ask(&mut self, requests: u64, status: u16, request: impl Fn(u64) -> Vec<u8>) -> Duration {
        let mut shares = vec![Vec::new(); self.clients.len()];
        for number in 0..requests {
            let client = usize::try_from(number).unwrap_or_default() % shares.len();
            shares[client].push(request(number));
        }
        let clients = std::mem::take(&mut self.clients);
        self.runtime.block_on(async {
            let mut tasks = JoinSet::new();
            for (mut client, share) in clients.into_iter().zip(shares) {
                tasks.spawn(async move {
                    for request in share {
                        client.expect(&request, status).await;
                    }
                    client
                });
            }
            let started = Instant::now();
            while let Some(client) = tasks.join_next().await {
                self.clients.push(client.expect("every request is answered"));
            }
            started.elapsed()
        })
    }
}

fn provision(number: u64) -> Vec<u8> {
    requests::provision(&requests::id(number))
}

fn deprovision(number: u64) -> Vec<u8> {
    requests::deprovision(&requests::id(number))
}
