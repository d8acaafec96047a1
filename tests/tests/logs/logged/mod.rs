//! The log of a test's process, to be read by the test.

use std::{
    io,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The log of this process.
static LOG: LazyLock<Log> = LazyLock::new(|| {
    let log = Log::default();
    let writer = log.clone();
    let log_to = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_ansi(false);
    log_to.with_writer(move || writer.clone()).init();
    log
});

/// Logs from now on, everything.
pub(crate) fn begin() {
    LazyLock::force(&LOG);
}

/// Returns the log.
pub(crate) fn text() -> String {
    String::from_utf8_lossy(&LOG.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
}
