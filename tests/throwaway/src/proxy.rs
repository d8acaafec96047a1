//! A network between a program and its database that can break.

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpListener, TcpStream,
        tcp::{ReadHalf, WriteHalf},
    },
    runtime::Runtime,
    sync::{mpsc, watch},
    time::{Instant, sleep_until},
};

/// Maximum number of parts that a slow connection has on the way in each direction.
const PARTS: usize = 64;

/// The state of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// Bytes are forwarded.
    Open,
    /// Bytes are forwarded after this time, in each direction.
    Slow(Duration),
    /// Connections are accepted and stay open, but nothing is forwarded until the network is open again.
    Held,
    /// New connections are reset at once.
    Closed,
}

/// A TCP proxy on a port of the loopback interface.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    route: watch::Sender<Route>,
    round_trips: Arc<AtomicU64>,
    connections: Arc<AtomicU64>,
    trap: Arc<Mutex<Option<Trap>>>,
    runtime: Option<Runtime>,
}

/// The fate of the next statement that begins with a text.
#[derive(Debug, Clone, Copy)]
pub enum Trap {
    /// It is changed, so that the server refuses it, as after a request to cancel it.
    Refused(&'static str),
    /// It is lost, and never answered.
    Lost(&'static str),
}

#[derive(Debug, Clone, Copy)]
struct Route {
    network: Network,
    to: SocketAddr,
    /// Connections that were made under a lower number are reset.
    resets: u64,
    /// Those that were made under a lower number are reset when the program sends something.
    forgotten: u64,
}

impl Proxy {
    /// Starts a proxy to a port of the loopback interface.
    ///
    /// # Panics
    ///
    /// If no port is free.
    pub fn start(port: u16) -> Self {
        let to = SocketAddr::from(([127, 0, 0, 1], port));
        let (route, seen) = watch::channel(Route { network: Network::Open, to, resets: 0, forgotten: 0 });
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a thread can be started");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let round_trips = Arc::<AtomicU64>::default();
        let counter = Arc::clone(&round_trips);
        let connections = Arc::<AtomicU64>::default();
        let accepted = Arc::clone(&connections);
        let trap = Arc::<Mutex<Option<Trap>>>::default();
        let next = Arc::clone(&trap);
        runtime.spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                accepted.fetch_add(1, Ordering::Relaxed);
                let (seen, counter, next) = (seen.clone(), Arc::clone(&counter), Arc::clone(&next));
                // A connection that breaks is what this is for.
                tokio::spawn(async move { pass(client, seen, &counter, &next).await.ok() });
            }
        });
        Self { port, route, round_trips, connections, trap, runtime: Some(runtime) }
    }

    /// Returns its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Changes the network. Open connections stay open.
    pub fn set(&self, network: Network) {
        self.route.send_modify(|route| route.network = network);
    }

    /// Resets the open connections.
    pub fn reset(&self) {
        self.route.send_modify(|route| route.resets += 1);
    }

    /// Forgets the open connections, as a gateway does with idle ones: each is reset when the program sends something.
    pub fn forget(&self) {
        self.route.send_modify(|route| route.forgotten += 1);
    }

    /// Sets a trap, which one statement falls into.
    pub fn trap(&self, trap: Trap) {
        *self.trap.lock().unwrap_or_else(PoisonError::into_inner) = Some(trap);
    }

    /// Returns whether a statement has fallen into the last trap.
    pub fn has_caught(&self) -> bool {
        self.trap.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// Forwards to another port from now on, and resets the open connections.
    pub fn point_to(&self, port: u16) {
        self.route.send_modify(|route| {
            route.to.set_port(port);
            route.resets += 1;
        });
    }

    /// Returns how often a program has sent something after the database had: the number of round trips of all connections.
    pub fn round_trips(&self) -> u64 {
        self.round_trips.load(Ordering::Relaxed)
    }

    /// Returns the number of connections that programs have made.
    pub fn connections(&self) -> u64 {
        self.connections.load(Ordering::Relaxed)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // Also from a task of another runtime, which may not block.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn pass(
    mut client: TcpStream,
    mut seen: watch::Receiver<Route>,
    round_trips: &AtomicU64,
    trap: &Mutex<Option<Trap>>,
) -> io::Result<()> {
    client.set_nodelay(true)?;
    let Route { resets, forgotten, to, .. } = *seen.borrow();
    let (mut forwards, route, is_answered) = (seen.clone(), seen.clone(), AtomicBool::new(true));
    // Dropping a socket resets its connection from here on, unless its end was forwarded.
    client.set_zero_linger()?;
    let forward = async {
        let open = forwards.wait_for(|route| route.network != Network::Held).await;
        if open.map_err(io::Error::other)?.network == Network::Closed {
            return Ok(());
        }
        let mut server = TcpStream::connect(to).await?;
        server.set_nodelay(true)?;
        server.set_zero_linger()?;
        let ((from_client, to_client), (from_server, to_server)) = (client.split(), server.split());
        let asks = |bytes: &mut Vec<u8>| {
            if route.borrow().forgotten != forgotten {
                return Err(io::ErrorKind::ConnectionReset.into());
            }
            if is_answered.swap(false, Ordering::Relaxed) {
                round_trips.fetch_add(1, Ordering::Relaxed);
            }
            trap.lock().unwrap_or_else(PoisonError::into_inner).take_if(|trap| trap.catch(bytes));
            Ok(())
        };
        let answers = |_: &mut Vec<u8>| {
            is_answered.store(true, Ordering::Relaxed);
            Ok(())
        };
        tokio::try_join!(
            pump(from_client, to_server, forwards.clone(), asks),
            pump(from_server, to_client, forwards.clone(), answers)
        )?;
        Ok(())
    };
    tokio::select! {
        ended = forward => ended,
        _ = seen.wait_for(|route| route.resets != resets) => Ok(()),
    }
}

impl Trap {
    /// Changes or removes the statement. Returns false if the bytes have none. A simple query is a `Q`, the length in four bytes, and
    /// the text.
    fn catch(self, bytes: &mut Vec<u8>) -> bool {
        let (Self::Refused(text) | Self::Lost(text)) = self;
        let is_query = |bytes: &[u8]| bytes[0] == b'Q' && bytes[5..].starts_with(text.as_bytes());
        let Some(start) = bytes.windows(5 + text.len()).position(is_query) else { return false };
        match self {
            Self::Refused(_) => bytes[start + 5] = b'?',
            Self::Lost(_) => bytes.truncate(start),
        }
        true
    }
}

/// Forwards one direction of a connection until its end. What was sent in parts arrives in parts, each as late as the network is slow.
async fn pump(
    mut from: ReadHalf<'_>,
    mut to: WriteHalf<'_>,
    mut seen: watch::Receiver<Route>,
    forwards: impl Fn(&mut Vec<u8>) -> io::Result<()>,
) -> io::Result<()> {
    let (sent, mut on_the_way) = mpsc::channel::<(Instant, Vec<u8>)>(PARTS);
    let read = async move {
        loop {
            let mut bytes = vec![0; 16 * 1024];
            let length = from.read(&mut bytes).await?;
            bytes.truncate(length);
            if sent.send((Instant::now(), bytes)).await.is_err() || length == 0 {
                return Ok(());
            }
        }
    };
    let write = async move {
        while let Some((sent_at, mut bytes)) = on_the_way.recv().await {
            let network =
                seen.wait_for(|route| route.network != Network::Held).await.map_err(io::Error::other)?.network;
            if let Network::Slow(delay) = network {
                sleep_until(sent_at + delay).await;
            }
            if bytes.is_empty() {
                return to.shutdown().await;
            }
            forwards(&mut bytes)?;
            to.write_all(&bytes).await?;
        }
        Ok(())
    };
    tokio::try_join!(read, write).map(|_| ())
}
