//! HTTP requests, with a distinction between unanswered and unsent ones.

use std::{
    io::{self, ErrorKind, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use serde_json::Value;

/// Longer than the broker's deadline of 50 s.
const PATIENCE: Duration = Duration::from_secs(70);

/// The outcome of a request.
#[derive(Debug, Clone)]
pub enum Reply {
    /// A complete response.
    Answer(Answer),
    /// The connection ended first: the broker may have executed the request.
    Lost,
    /// There was no connection.
    NotSent,
}

/// A response.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Its body.
    pub body: Value,
    /// Its `Retry-After`.
    pub retry_after: Option<Duration>,
}

/// Sends a request. Panics if the broker does not respond in time.
pub fn ask(at: SocketAddr, method: &str, path: &str, body: &Value) -> Reply {
    let reply = ask_within(PATIENCE, at, method, path, body);
    reply.unwrap_or_else(|_| panic!("{method} {path} was not answered in {PATIENCE:?}"))
}

/// Sends a request. Fails if the broker does not respond in time.
pub(crate) fn ask_within(
    patience: Duration,
    at: SocketAddr,
    method: &str,
    path: &str,
    body: &Value,
) -> io::Result<Reply> {
    let Some(mut stream) = send(at, method, path, body) else { return Ok(Reply::NotSent) };
    stream.set_read_timeout(Some(patience))?;
    match answer(&mut stream) {
        Ok(answer) => Ok(Reply::Answer(answer)),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Err(error),
        Err(_) => Ok(Reply::Lost),
    }
}

/// Sends a request, and hangs up.
pub(crate) fn ask_and_hang_up(at: SocketAddr, method: &str, path: &str, body: &Value) -> Reply {
    send(at, method, path, body).map_or(Reply::NotSent, |_| Reply::Lost)
}

/// Returns `None` if there is no listener. A request that is cut off while it is being sent counts as sent.
fn send(at: SocketAddr, method: &str, path: &str, body: &Value) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(at).ok()?;
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\nX-Broker-API-Version: 2.17\r\n\
         Authorization: Basic dXNlcjpwYXNzd29yZA==\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    // A failure shows up when the response is read.
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
    let header = |name: &str| {
        let of = |line: &str| line.to_ascii_lowercase().strip_prefix(name)?.trim().parse().ok();
        head.lines().find_map(of)
    };
    if header("content-length:") != Some(body.len() as u64) {
        return Err(cut());
    }
    let is_text = head.lines().any(|line| line.eq_ignore_ascii_case("content-type: text/plain; charset=utf-8"));
    let body = if is_text { Value::Null } else { serde_json::from_str(body)? };
    Ok(Answer { status, body, retry_after: header("retry-after:").map(Duration::from_secs) })
}
