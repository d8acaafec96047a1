//! The listeners of `serve`, with TLS or without.

use std::net::{SocketAddr, TcpListener};

use super::{Failure, serve_args::ServeArgs};
use osb_runtime::http;

/// Serves requests over HTTP or HTTPS.
#[derive(Clone)]
pub(super) struct Frontend {
    #[cfg(feature = "tls")]
    tls: Option<http::Tls>,
}

impl Frontend {
    #[cfg(feature = "tls")]
    pub(super) fn new(options: &ServeArgs) -> Result<Self, Failure> {
        Ok(Self { tls: options.tls.open()? })
    }

    #[cfg(not(feature = "tls"))]
    #[expect(clippy::unnecessary_wraps, reason = "with TLS it can fail")]
    pub(super) fn new(_: &ServeArgs) -> Result<Self, Failure> {
        Ok(Self {})
    }

    /// Returns the one of the address for operators.
    #[cfg(feature = "tls")]
    pub(super) fn for_admin(&self, options: &ServeArgs, listener: &TcpListener) -> Result<Self, Failure> {
        let at = listener.local_addr().map_err(Failure::broken)?;
        let is_tls = options.admin.is_tls(at, self.tls.is_some())?;
        Ok(Self { tls: self.tls.clone().filter(|_| is_tls) })
    }

    #[cfg(not(feature = "tls"))]
    #[expect(clippy::unnecessary_wraps, reason = "with TLS it can fail")]
    pub(super) fn for_admin(&self, _: &ServeArgs, _: &TcpListener) -> Result<Self, Failure> {
        Ok(self.clone())
    }

    #[cfg_attr(not(feature = "tls"), expect(clippy::unused_self, reason = "with TLS it tells the scheme"))]
    pub(super) fn url(&self, at: SocketAddr) -> String {
        #[cfg(feature = "tls")]
        if self.tls.is_some() {
            return format!("https://{at}");
        }
        format!("http://{at}")
    }

    /// Returns the listener that accepts connections of this kind.
    #[cfg_attr(not(feature = "tls"), expect(clippy::unused_self, reason = "with TLS it has the certificate"))]
    pub(super) fn listener(&self, tcp: tokio::net::TcpListener) -> http::Listener {
        #[cfg(feature = "tls")]
        if let Some(tls) = &self.tls {
            return http::Listener::with_tls(tcp, tls.clone());
        }
        tcp.into()
    }

    /// Reloads the certificate if its files have changed.
    #[cfg_attr(not(feature = "tls"), expect(clippy::unused_self, reason = "with TLS it has the certificate"))]
    pub(super) fn reload(&self) {
        #[cfg(feature = "tls")]
        if let Some(Err(error)) = self.tls.as_ref().map(http::Tls::reload) {
            tracing::error!(%error, "reloading the certificate failed; the old one stays in use");
        }
    }
}
