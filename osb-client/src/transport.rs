//! Transports to a broker: HTTP connections, or calls in the same process.

use std::{fmt, future::poll_fn, pin::Pin, sync::Arc};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::{
    client::legacy::{self, connect::HttpConnector},
    rt::TokioExecutor,
};
use tower_service::Service;

use osb_runtime::service::BoxError;

/// The maximum size of a response body; a catalog may have hundreds of schemas of 64 kB.
pub(super) const LARGEST: usize = 64 << 20;

/// A failure after the headers of a response.
#[derive(Debug, thiserror::Error)]
#[error("the body could not be read")]
pub(super) struct BodyError(#[source] BoxError);

#[derive(Debug, Clone, Copy)]
pub(super) enum Scheme {
    Http,
    Https,
}

type Exchange = Pin<Box<dyn Future<Output = Result<Response<Bytes>, BoxError>> + Send>>;

#[derive(Clone)]
pub(super) struct Transport(Arc<dyn Fn(Request<Full<Bytes>>) -> Exchange + Send + Sync>);

impl Transport {
    pub(super) fn http(scheme: Scheme) -> Result<Self, String> {
        match scheme {
            Scheme::Http => Ok(Self::connecting(HttpConnector::new())),
            #[cfg(feature = "tls")]
            Scheme::Https => super::Tls::default().connector().map(Self::connecting).map_err(|error| error.to_string()),
            #[cfg(not(feature = "tls"))]
            Scheme::Https => Err("this program was built without TLS; only http:// works".to_owned()),
        }
    }

    /// Opens a connection for each request: on an idle one, a request is lost if the server closes it at that moment.
    pub(super) fn connecting(connector: impl legacy::connect::Connect + Clone + Send + Sync + 'static) -> Self {
        Self::over(legacy::Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(connector))
    }

    pub(super) fn over<S, B>(service: S) -> Self
    where
        S: Service<Request<Full<Bytes>>, Response = Response<B>, Error: Into<BoxError>, Future: Send + 'static>
            + Clone
            + Send
            + Sync
            + 'static,
        B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
    {
        Self(Arc::new(move |request| {
            let mut service = service.clone();
            Box::pin(async move {
                poll_fn(|context| service.poll_ready(context)).await.map_err(Into::into)?;
                let (parts, body) = service.call(request).await.map_err(Into::into)?.into_parts();
                let body = Limited::new(body, LARGEST).collect().await.map_err(BodyError)?;
                Ok(Response::from_parts(parts, body.to_bytes()))
            })
        }))
    }

    pub(super) fn send(&self, request: Request<Full<Bytes>>) -> Exchange {
        (self.0)(request)
    }
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Transport")
    }
}
