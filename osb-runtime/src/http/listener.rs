//! Listeners, with TLS or without.

use tokio::net::TcpListener;

use crate::protocol::debug_fields;

/// A listener for the servers of this crate. The one of a `TcpListener` accepts plain HTTP.
pub struct Listener {
    pub(super) tcp: TcpListener,
    pub(super) transport: Transport,
}

/// The transport of a connection.
#[derive(Clone)]
pub(super) enum Transport {
    Plain,
    #[cfg(feature = "tls")]
    Tls(super::Tls),
}

impl Listener {
    /// Accepts TLS only. A connection is closed if its handshake takes longer than
    /// [`head_timeout`](super::HttpSettings::head_timeout).
    #[cfg(feature = "tls")]
    pub fn with_tls(tcp: TcpListener, tls: super::Tls) -> Self {
        Self { tcp, transport: Transport::Tls(tls) }
    }
}

impl From<TcpListener> for Listener {
    fn from(tcp: TcpListener) -> Self {
        Self { tcp, transport: Transport::Plain }
    }
}

debug_fields!(Listener {});
