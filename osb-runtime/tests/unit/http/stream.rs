//! The timeout for writes.

use std::{
    io::ErrorKind,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
    time::sleep,
};

use crate::http::{
    HttpSettings,
    slots::{Slot, Slots},
    stream::WriteTimeoutStream,
};

const WRITE_TIMEOUT: Duration = Duration::from_millis(200);

/// Returns the two ends of a stream that holds one byte.
async fn connected() -> (WriteTimeoutStream<DuplexStream>, DuplexStream, Slot) {
    let (server, client) = duplex(1);
    let slot = Slots::new(&HttpSettings::default(), false).take().await;
    (WriteTimeoutStream::new(server, WRITE_TIMEOUT, Arc::clone(&slot.state)), client, slot)
}

/// The timeout is for the time in which the client reads nothing, not for the whole answer.
#[tokio::test]
async fn a_client_that_reads_slowly_gets_everything() {
    loop {
        let (mut server, mut client, _slot) = connected().await;
        let write = tokio::spawn(async move { server.write_all(b"slow").await });
        let (mut read, mut longest, mut last) = (Vec::new(), Duration::ZERO, Instant::now());
        while let Ok(byte) = client.read_u8().await {
            read.push(byte);
            (longest, last) = (longest.max(last.elapsed()), Instant::now());
            sleep(WRITE_TIMEOUT.mul_f32(0.6)).await;
        }
        // On a busy machine, the client may have been too slow.
        if longest < WRITE_TIMEOUT {
            write.await.expect("no panic").expect("the timeout has not passed");
            assert_eq!(read, b"slow");
            return;
        }
    }
}

#[tokio::test]
async fn a_client_that_reads_nothing_is_given_up() {
    let (mut server, _client, _slot) = connected().await;
    let began = Instant::now();
    let failed = server.write_all(b"slow").await.expect_err("the client doesn't read");
    assert_eq!(failed.kind(), ErrorKind::TimedOut);
    assert!(began.elapsed() >= WRITE_TIMEOUT, "{:?}", began.elapsed());
}
