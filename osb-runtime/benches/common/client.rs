//! A persistent connection, with just enough HTTP to read responses.

use std::net::SocketAddr;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

#[derive(Debug)]
pub(crate) struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// A response.
#[derive(Debug, PartialEq)]
pub(crate) struct Reply<'a> {
    pub(crate) status: u16,
    head: &'a str,
    body: &'a str,
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.expect("the server listens");
        stream.set_nodelay(true).expect("it is a TCP connection");
        Self { stream, buffer: vec![0; 64 << 10] }
    }

    /// Sends a request, and reads the whole response.
    pub(crate) async fn send(&mut self, request: &[u8]) -> Reply<'_> {
        self.stream.write_all(request).await.expect("the server reads");
        let mut filled = 0;
        loop {
            let read = self.stream.read(&mut self.buffer[filled..]).await.expect("the server answers");
            assert!(read > 0, "the server keeps the connection");
            filled += read;
            if let Some(end) = whole(&self.buffer[..filled]) {
                assert_eq!(end.1, filled, "nothing comes that was not asked for");
                let text = std::str::from_utf8(&self.buffer[..filled]).expect("it answers in UTF-8");
                let (head, body) = text.split_at(end.0);
                let status = head[9..12].parse().expect("a status is a number");
                return Reply { status, head, body };
            }
        }
    }

    /// Sends a request, and asserts on the status of its response.
    ///
    /// # Panics
    ///
    /// If the status differs.
    pub(crate) async fn expect(&mut self, request: &[u8], status: u16) {
        let reply = self.send(request).await;
        assert_eq!(reply.status, status, "{reply:?}");
    }
}

/// Returns the ends of head and body, once both are complete.
fn whole(answer: &[u8]) -> Option<(usize, usize)> {
    let head = answer.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(&answer[..head]).ok()?;
    let length = field(text, "content-length").map_or(0, |length| length.parse().expect("a length is a number"));
    (answer.len() >= head + length).then_some((head, head + length))
}

fn field<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| {
        let (found, value) = line.split_once(": ")?;
        found.eq_ignore_ascii_case(name).then_some(value)
    })
}

impl Reply<'_> {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        field(self.head, name)
    }

    /// Returns the parts of a response that must not change between repetitions.
    pub(crate) fn without_date(&self) -> String {
        let head: String = self.head.split_inclusive('\n').filter(|line| !line.starts_with("date: ")).collect();
        head + self.body
    }
}
