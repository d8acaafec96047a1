//! Requests of which it is known whether they were answered.

use std::{
    io::{self, ErrorKind, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use serde_json::Value;

/// Longer than a broker may take: it gives up at 50 s.
const PATIENCE: Duration = Duration::from_secs(70);

/// What became of a request.
#[derive(Debug, Clone)]
pub enum Told {
    /// The answer came, whole.
    Answer(Answer),
    /// The connection ended before: it may have been done or not.
    Nothing,
    /// There was nobody to ask.
    NotAsked,
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Its body.
    pub body: Value,
}

/// Asks the broker. A broker that stays silent is a panic.
pub fn ask(at: SocketAddr, method: &str, path: &str, body: &Value) -> Told {
    let Some(mut stream) = send(at, method, path, body) else { return Told::NotAsked };
    match answer(&mut stream) {
        Ok(answer) => Told::Answer(answer),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
            panic!("{method} {path} was not answered in {PATIENCE:?}")
        }
        Err(_) => Told::Nothing,
    }
}

/// Asks the broker, and hangs up.
pub(crate) fn ask_and_hang_up(at: SocketAddr, method: &str, path: &str, body: &Value) -> Told {
    send(at, method, path, body).map_or(Told::NotAsked, |_| Told::Nothing)
}

/// `None` if there is nobody who listens. What is cut off while it is being sent counts as sent.
fn send(at: SocketAddr, method: &str, path: &str, body: &Value) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(at).ok()?;
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\nX-Broker-API-Version: 2.17\r\n\
         Authorization: Basic dXNlcjpwYXNzd29yZA==\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    // A failure shows when the answer is read.
    let _ = stream.write_all(request.as_bytes());
    Some(stream)
}

fn answer(stream: &mut TcpStream) -> io::Result<Answer> {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    let cut = || io::Error::from(ErrorKind::UnexpectedEof);
    let text = String::from_utf8(bytes).map_err(|_| ErrorKind::InvalidData)?;
    let (head, body) = text.split_once("\r\n\r\n").ok_or_else(cut)?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or(ErrorKind::InvalidData)?;
    let length =
        head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    if length != Some(body.len()) {
        return Err(cut());
    }
    Ok(Answer { status, body: serde_json::from_str(body)? })
}
