//! The timeout for writes.

use std::{sync::Arc, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, duplex},
    time::{Instant, sleep},
};

use crate::http::{slots::Slots, stream::WriteTimeoutStream};

const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// The timeout is for the time in which the client reads nothing, not for the whole answer.
#[tokio::test(start_paused = true)]
async fn a_client_that_reads_slowly_gets_everything() {
    let (server, mut client) = duplex(1);
    let slot = Slots::new(1, false).take().await;
    let mut server = WriteTimeoutStream::new(server, WRITE_TIMEOUT, Arc::clone(&slot.state));
    let write = tokio::spawn(async move { server.write_all(b"a long answer").await });
    let mut read = String::new();
    for _ in 0.."a long answer".len() {
        sleep(WRITE_TIMEOUT.mul_f32(0.6)).await;
        read.push(char::from(client.read_u8().await.expect("it is connected")));
    }
    write.await.expect("no panic").expect("the timeout has not passed");
    assert_eq!(read, "a long answer");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_nothing_is_given_up() {
    let (server, _client) = duplex(1);
    let slot = Slots::new(1, false).take().await;
    let mut server = WriteTimeoutStream::new(server, WRITE_TIMEOUT, Arc::clone(&slot.state));
    let began = Instant::now();
    let failed = server.write_all(b"a long answer").await.expect_err("nobody reads");
    assert_eq!(failed.kind(), std::io::ErrorKind::TimedOut);
    assert_eq!(began.elapsed(), WRITE_TIMEOUT);
}
