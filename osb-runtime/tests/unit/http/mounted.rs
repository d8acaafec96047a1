//! A service that contains the broker.

use std::task::{Context, Poll};

use http_body_util::{StreamBody, combinators::UnsyncBoxBody};
use hyper::body::{Frame, Incoming};
use tower_service::Service;

use super::*;
use crate::http::{BoxError, serve_mounted};

/// Answers `/pages/...` in chunks, fails for `/broken`, and passes other requests to the broker. It is ready when polled again.
#[derive(Clone)]
struct Pages {
    broker: BrokerService,
    is_ready: bool,
}

type Body = UnsyncBoxBody<Bytes, BoxError>;

impl Service<Request<Incoming>> for Pages {
    type Response = Response<Body>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        if std::mem::replace(&mut self.is_ready, true) {
            return Poll::Ready(Ok(()));
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }

    fn call(&mut self, request: Request<Incoming>) -> Self::Future {
        assert!(self.is_ready, "it is called before it is ready");
        let mut broker = self.broker.clone();
        Box::pin(async move {
            if request.uri().path() == "/broken" {
                return Err("as requested".into());
            }
            if !request.uri().path().starts_with("/pages/") {
                return Ok(broker.call(request).await?.map(|body| body.map_err(Into::into).boxed_unsync()));
            }
            let chunks = ["one ", "two"].map(|chunk| Ok(Frame::data(Bytes::from_static(chunk.as_bytes()))));
            Ok(Response::new(StreamBody::new(futures_util::stream::iter(chunks)).boxed_unsync()))
        })
    }
}

#[tokio::test]
async fn requests_reach_the_authors_pages_and_the_broker_within_the_limits_of_the_server() {
    let recorder = Recorder::new();
    let broker = service(&recorder, HttpSettings::default());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let pages = Pages { broker: broker.clone(), is_ready: false };
    let (stop, stopped) = oneshot::channel();
    let running = tokio::spawn(serve_mounted(listener, pages, broker, async {
        let _ = stopped.await;
    }));
    let connect = async || Client::connect(address).await;

    let mut client = connect().await;
    client.send("GET /pages/one HTTP/1.0\r\n\r\n").await;
    let mut page = String::new();
    timeout(SOON, client.stream.read_to_string(&mut page)).await.unwrap().unwrap();
    assert!(page.starts_with("HTTP/1.0 200 OK\r\n") && page.ends_with("\r\n\r\none two"), "{page}");

    let mut client = connect().await;
    assert_eq!(client.get("/v2/catalog").await, 200);
    assert!(matches!(&*recorder.asked(), [Received::Catalog]));
    assert_eq!(client.get("/other").await, 404);
    client.send("GET /pages/one HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n").await;
    let (_, refused) = client.answer().await.unwrap();
    assert!(refused.contains("there is more than one Host header"), "{refused}");

    let mut client = connect().await;
    client.send("GET /broken HTTP/1.1\r\nHost: b\r\n\r\n").await;
    client.closed().await;

    // The shutdown is that of the broker.
    let mut client = connect().await;
    client.send(&head("GET /v2/service_instances/wait", "\r\n")).await;
    recorder.waiting.acquire().await.unwrap().forget();
    stop.send(()).unwrap();
    while TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    recorder.go_on.add_permits(1);
    assert_eq!(client.status().await, 200);
    timeout(SOON, running).await.unwrap().unwrap();
    assert!(recorder.is_handed_over.load(Ordering::SeqCst));
}
