//! Services of an author's that contain the broker.

use std::{future::poll_fn, sync::Weak};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use tower_service::Service;

use super::{BoxError, BrokerService, Listener, connection::Answers, slots::Slot};

/// An HTTP service that [`serve_mounted`](super::serve_mounted) can serve, such as an axum `Router`. The trait exists for the compiler's
/// message about other types.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an HTTP service",
    label = "can't be served",
    note = "expected an axum `Router`, or another `tower_service::Service<http::Request<hyper::body::Incoming>>` that is `Clone`, `Send` and `Sync`, with futures that are `Send`, and returns an `http::Response` with a body of `Bytes`"
)]
pub trait HttpService:
    Service<Request<Incoming>, Response = Response<Self::Body>, Error: Into<BoxError>, Future: Send>
    + Clone
    + Send
    + Sync
    + 'static
{
    /// The body of its responses.
    type Body: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static;
}

#[diagnostic::do_not_recommend]
impl<S, B> HttpService for S
where
    S: Service<Request<Incoming>, Response = Response<B>, Error: Into<BoxError>, Future: Send>,
    S: Clone + Send + Sync + 'static,
    B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    type Body = B;
}

osb_catalog::__private::arguments! {
    /// A TCP listener, or a [`Listener`] with TLS.
    IntoListener(Listener): "expected a listener of tokio, found `{Self}`", "write `tokio::net::TcpListener::bind(\"127.0.0.1:8080\").await?`";
    /// The service of a broker.
    IntoBrokerService(BrokerService): "expected the service of a broker, found `{Self}`", "write `BrokerService::start(broker, credentials, HttpSettings::default()).await?`, and `serve_mounted` for a service that contains it";
}

#[derive(Clone)]
pub(super) struct Mounted<S>(pub(super) S);

impl<S: HttpService> Answers for Mounted<S> {
    type Body = Either<S::Body, Full<Bytes>>;
    type Error = S::Error;

    async fn respond(
        mut self,
        mut request: Request<Incoming>,
        slot: Weak<Slot>,
    ) -> Result<Response<Self::Body>, S::Error> {
        request.extensions_mut().insert(slot);
        poll_fn(|cx| self.0.poll_ready(cx)).await?;
        Ok(self.0.call(request).await?.map(Either::Left))
    }

    fn own(body: Full<Bytes>) -> Self::Body {
        Either::Right(body)
    }
}
