//! User instructions per request, counted by callgrind: unlike times, they repeat on a busy machine.
//!
//! The server is a process of its own, so that only its instructions count. It is asked so often, and then more often;
//! the difference is what the requests cost, and what the start cost falls out.

mod common;

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    net::SocketAddr,
    path::PathBuf,
    process::{Command, ExitCode, Stdio},
};

use common::{Server, Workload, client::Client, requests, same_answers};
use tokio::{net::TcpListener, runtime::Runtime};

/// Numbers of requests: those of the first run, and the additional ones of the second.
const FEW: u64 = 200;
const MORE: u64 = 1000;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    if let [serve, name] = &arguments[..]
        && serve == "serve"
    {
        let server = Server::ALL.into_iter().find(|server| server.name() == name).expect("there is such a server");
        runtime.block_on(serve_until_told(server));
        return ExitCode::SUCCESS;
    }
    if Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("valgrind is missing, and without it no instructions are counted: install the package `valgrind`");
        return ExitCode::FAILURE;
    }
    let running = Server::ALL.map(|server| Running::start(Command::new(this()), server));
    runtime.block_on(same_answers([running[0].address, running[1].address]));
    drop(running);
    // `cargo bench` says `--bench`; `cargo test` wants to know only whether it works.
    if arguments.iter().any(|argument| argument == "--bench") {
        report(&runtime);
    }
    ExitCode::SUCCESS
}

fn report(runtime: &Runtime) {
    println!("User instructions per request:\n");
    println!("| request | osb-runtime | by hand | ratio |\n|---|--:|--:|--:|");
    let mut lifecycle = [0, 0];
    let mut provision = [0, 0];
    for workload in Workload::ALL {
        let mut counts = Server::ALL.map(|server| per_request(runtime, server, workload));
        match workload {
            Workload::Provision => provision = counts,
            Workload::Deprovision => counts = [counts[0] - provision[0], counts[1] - provision[1]],
            _ => {}
        }
        if !matches!(workload, Workload::Catalog | Workload::NotModified) {
            lifecycle = [lifecycle[0] + counts[0], lifecycle[1] + counts[1]];
        }
        row(workload.name(), counts);
    }
    row("provision, fetch, deprovision", lifecycle);
    println!("\nFor callgrind_annotate: {}", out_file(Server::Runtime, Workload::Provision).display());
}

#[expect(clippy::cast_precision_loss, reason = "the counts are far below 2^52")]
fn row(name: &str, [runtime, by_hand]: [u64; 2]) {
    println!("| {name} | {runtime} | {by_hand} | {:.2} |", runtime as f64 / by_hand as f64);
}

fn per_request(runtime: &Runtime, server: Server, workload: Workload) -> u64 {
    let few = count(runtime, server, workload, FEW);
    let more = count(runtime, server, workload, FEW + MORE);
    (more - few) / MORE
}

/// The instructions of a server that is asked so often, from its start to its end.
fn count(runtime: &Runtime, server: Server, workload: Workload, requests: u64) -> u64 {
    let out = out_file(server, workload);
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--tool=callgrind"]).arg(format!("--callgrind-out-file={}", out.display())).arg(this());
    let running = Running::start(valgrind, server);
    runtime.block_on(ask(running.address, workload, requests));
    drop(running);
    let counted = fs::read_to_string(&out).expect("callgrind has written its counts");
    let total = counted.lines().find_map(|line| line.strip_prefix("totals: "));
    total.and_then(|total| total.trim().parse().ok()).expect("callgrind has counted instructions")
}

async fn ask(address: SocketAddr, workload: Workload, requests: u64) {
    let mut client = Client::connect(address).await;
    match workload {
        Workload::Catalog => {
            let catalog = requests::catalog(None);
            for _ in 0..requests {
                client.expect(&catalog, 200).await;
            }
        }
        Workload::NotModified => {
            let etag = client.send(&requests::catalog(None)).await.header("etag").expect("there is one").to_owned();
            let catalog = requests::catalog(Some(&etag));
            for _ in 0..requests {
                client.expect(&catalog, 304).await;
            }
        }
        Workload::Provision | Workload::Deprovision => {
            for number in 0..requests {
                client.expect(&requests::provision(&requests::id(number)), 201).await;
            }
            for number in 0..if workload == Workload::Deprovision { requests } else { 0 } {
                client.expect(&requests::deprovision(&requests::id(number)), 200).await;
            }
        }
        Workload::Fetch => {
            client.expect(&requests::provision(&requests::id(0)), 201).await;
            let fetch = requests::fetch(&requests::id(0));
            for _ in 0..requests {
                client.expect(&fetch, 200).await;
            }
        }
    }
}

/// A server in a process of its own, which ends with this value.
struct Running {
    process: std::process::Child,
    address: SocketAddr,
}

impl Running {
    fn start(mut command: Command, server: Server) -> Self {
        command.args(["serve", server.name()]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("the server starts");
        let mut said = String::new();
        let out = process.stdout.take().expect("it is piped");
        BufReader::new(out).read_line(&mut said).expect("the server says its address");
        Self { process, address: said.trim().parse().expect("it is an address") }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let ended = self.process.wait().expect("the server ends");
        assert!(ended.success(), "{ended}");
    }
}

/// Serves until standard input ends, and then ends at once: to drop what there is would count too.
async fn serve_until_told(server: Server) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    println!("{}", listener.local_addr().expect("it is bound"));
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0)
    });
    server.serve(listener).await;
}

fn this() -> PathBuf {
    std::env::current_exe().expect("a program has a path")
}

fn out_file(server: Server, workload: Workload) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("callgrind.{}.{}", server.name(), workload.id()))
}
