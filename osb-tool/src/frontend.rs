//! The listeners of `serve`, with TLS or without.

use std::net::{SocketAddr, TcpListener};

use super::{Failure, serve_args::ServeArgs};
use osb_runtime::http::{self, BrokerService};

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

    pub(super) async fn serve_admin(self, listener: tokio::net::TcpListener, admin: http::Admin) {
        #[cfg(feature = "tls")]
        if let Some(tls) = self.tls {
            return http::serve_admin_tls(listener, tls, admin, std::future::pending()).await;
        }
        http::serve_admin(listener, admin, std::future::pending()).await;
    }

    pub(super) async fn serve(
        self,
        listener: tokio::net::TcpListener,
        service: BrokerService,
        shutdown: impl Future<Output = ()>,
    ) {
        #[cfg(feature = "tls")]
        if let Some(tls) = self.tls {
            let fresh = tls.clone();
            let fresh = tokio::spawn(async move { fresh.keep_fresh().await });
            http::serve_tls(listener, tls, service, shutdown).await;
            return fresh.abort();
        }
        http::serve(listener, service, shutdown).await;
    }
}
