//! A load balancer, and the time in which no request is served behind it.

use std::{
    io,
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::http::{Reply, ask_within};

/// A load balancer, which passes each connection to the next replica that listens.
pub(crate) struct Balancer {
    pub(crate) at: SocketAddr,
    replicas: Arc<Mutex<Vec<SocketAddr>>>,
}

impl Balancer {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let at = listener.local_addr().expect("it is bound");
        let replicas = Arc::<Mutex<Vec<SocketAddr>>>::default();
        let (known, next) = (Arc::clone(&replicas), Arc::new(AtomicUsize::new(0)));
        // It ends with the test.
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (known, next) = (Arc::clone(&known), Arc::clone(&next));
                thread::spawn(move || {
                    let replicas = known.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    let first = next.fetch_add(1, Ordering::Relaxed);
                    let mut order = (0..replicas.len()).map(|i| replicas[(first + i) % replicas.len()]);
                    if let Some(replica) = order.find_map(|at| TcpStream::connect(at).ok()) {
                        // A connection that breaks is an unanswered request.
                        _ = pass(&client, &replica);
                    }
                });
            }
        });
        Self { at, replicas }
    }

    pub(crate) fn set(&self, replicas: Vec<SocketAddr>) {
        *self.replicas.lock().unwrap_or_else(PoisonError::into_inner) = replicas;
    }
}

fn pass(client: &TcpStream, replica: &TcpStream) -> io::Result<()> {
    thread::scope(|scope| {
        scope.spawn(|| {
            _ = io::copy(&mut &*client, &mut &*replica);
            _ = replica.shutdown(Shutdown::Write);
        });
        let copied = io::copy(&mut &*replica, &mut &*client);
        _ = client.shutdown(Shutdown::Both);
        _ = replica.shutdown(Shutdown::Both);
        copied.map(drop)
    })
}

/// Reads a record again and again, and measures the longest time without a response.
pub(crate) struct Watch {
    ends: Arc<AtomicBool>,
    thread: JoinHandle<Duration>,
}

impl Watch {
    pub(crate) fn start(at: SocketAddr) -> Self {
        /// A client that gets no response in this time tries another replica.
        const PATIENCE: Duration = Duration::from_millis(500);
        const EVERY: Duration = Duration::from_millis(20);
        let ends = Arc::<AtomicBool>::default();
        let has_ended = Arc::clone(&ends);
        let thread = thread::spawn(move || {
            let (mut longest, mut served_at) = (Duration::ZERO, Instant::now());
            while !has_ended.load(Ordering::Relaxed) {
                let reply = ask_within(PATIENCE, at, "GET", "/v2/service_instances/none", &Value::Null);
                if matches!(reply, Ok(Reply::Answer(answer)) if answer.status == 404) {
                    longest = longest.max(served_at.elapsed());
                    served_at = Instant::now();
                }
                thread::sleep(EVERY);
            }
            longest.max(served_at.elapsed())
        });
        Self { ends, thread }
    }

    /// Returns the longest time without a response.
    pub(crate) fn end(self) -> Duration {
        self.ends.store(true, Ordering::Relaxed);
        self.thread.join().expect("it does not panic")
    }
}
