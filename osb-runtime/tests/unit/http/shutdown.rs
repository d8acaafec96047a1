//! Graceful shutdown.

use super::*;

impl Server {
    /// Begins the shutdown and waits until the server refuses connections.
    async fn stop(self) -> JoinHandle<()> {
        self.stop.send(()).unwrap();
        while TcpStream::connect(self.address).await.is_ok() {
            tokio::task::yield_now().await;
        }
        self.running
    }
}

#[tokio::test]
async fn t66_running_requests_are_answered_and_idle_connections_closed() {
    let server = Server::start(|settings| settings.head_timeout = SOON * 3).await;
    let recorder = Arc::clone(&server.recorder);
    let mut idle = server.connect().await;
    assert_eq!(idle.get("/v2/catalog").await, 200);
    let mut silent = server.connect().await;
    let mut busy = server.busy().await;

    let running = server.stop().await;
    idle.closed().await;
    silent.closed().await;
    assert!(!running.is_finished());

    recorder.go_on.add_permits(1);
    let (head, _) = busy.answer().await.unwrap();
    assert!(head.starts_with("http/1.1 200") && head.contains("connection: close"), "{head}");
    busy.closed().await;
    timeout(SOON, running).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_request_that_exceeds_the_grace_period_is_aborted() {
    let server = Server::start(|settings| settings.shutdown_grace = SHORT).await;
    let mut busy = server.busy().await;

    let running = server.stop().await;
    timeout(SOON, running).await.unwrap().unwrap();
    busy.closed().await;
}

#[tokio::test]
async fn a_shutdown_does_not_wait_for_the_rest_of_a_head() {
    let server = Server::start(|settings| {
        (settings.head_timeout, settings.shutdown_grace) = (SHORT, SOON * 3);
    })
    .await;
    let mut first = server.sent("GET /v2/cat").await;
    let mut second = server.connect().await;
    assert_eq!(second.get("/v2/catalog").await, 200);
    second.send("GET /v2/cat").await;
    let mut busy = server.busy().await;
    let recorder = Arc::clone(&server.recorder);
    let running = server.stop().await;
    first.closed().await;
    second.closed().await;
    recorder.go_on.add_permits(1);
    assert_eq!(busy.status().await, 200);
    timeout(SOON, running).await.unwrap().unwrap();
}

#[tokio::test]
async fn t66_until_the_last_operation_ends_reads_are_answered_and_changes_refused() {
    let server = Server::start(|settings| settings.monitor = true).await;
    let recorder = Arc::clone(&server.recorder);
    let work = recorder.idle_permit.acquire().await.unwrap();
    let mut early = server.connect().await;
    assert_eq!(early.get("/v2/catalog").await, 200);
    server.stop.send(()).unwrap();
    let connect = async || Client::connect(server.address).await;
    let mut late = connect().await;
    while {
        late.send("GET /readyz HTTP/1.1\r\nHost: b\r\n\r\n").await;
        late.status().await != 503
    } {}
    recorder.asked();
    // Each answer closes its connection, so that a client's next request reaches another process.
    let mut open = Some(early);
    let mut answered = async |request: &str, rest: &str| {
        let mut client = match open.take() {
            Some(client) => client,
            None => connect().await,
        };
        client.send(&head(request, rest)).await;
        let answer = client.answer().await.unwrap();
        client.closed().await;
        answer
    };
    for path in ["catalog", "service_instances/i", "service_instances/i/last_operation"] {
        let (head, _) = answered(&format!("GET /v2/{path}"), "\r\n").await;
        assert!(head.starts_with("http/1.1 200") && head.contains("connection: close"), "{path}: {head}");
    }
    assert_eq!(recorder.asked().len(), 3);
    for request in [
        "PUT /v2/service_instances/i",
        "PATCH /v2/service_instances/i",
        "DELETE /v2/service_instances/i?service_id=s&plan_id=p",
        "PUT /v2/service_instances/i/service_bindings/b",
        "DELETE /v2/service_instances/i/service_bindings/b?service_id=s&plan_id=p",
    ] {
        let (head, body) = answered(request, "Content-Length: 2\r\n\r\n{}").await;
        assert!(head.starts_with("http/1.1 503") && head.contains("retry-after: "), "{request}: {head}");
        assert!(body.contains("shutting down"), "{body}");
    }
    assert!(recorder.asked().is_empty());
    let mut stranger = connect().await;
    stranger.send("DELETE /v2/service_instances/i HTTP/1.1\r\nHost: b\r\n\r\n").await;
    assert_eq!(stranger.status().await, 401);
    drop(stranger);
    assert!(!server.running.is_finished());
    assert!(!recorder.is_handed_over.load(Ordering::SeqCst), "the operation has time to end");
    drop(work);
    late.closed().await;
    timeout(SOON, server.running).await.unwrap().unwrap();
}

#[tokio::test]
async fn during_the_delay_everything_is_served_but_readyz_fails() {
    let server = Server::start(|settings| {
        settings.monitor = true;
        settings.shutdown_delay = SOON;
    })
    .await;
    server.stop.send(()).unwrap();
    let mut client = Client::connect(server.address).await;
    while {
        client.send("GET /readyz HTTP/1.1\r\nHost: b\r\n\r\n").await;
        client.status().await != 503
    } {}
    client.send(&head("DELETE /v2/service_instances/i?service_id=s&plan_id=p", "\r\n")).await;
    let (head, _) = client.answer().await.unwrap();
    // A client of a load balancer for TCP would otherwise stay until the end, and could lose a request then.
    assert!(head.starts_with("http/1.1 200") && head.contains("connection: close"), "{head}");
    client.closed().await;
    assert!(TcpStream::connect(server.address).await.is_ok(), "new connections are accepted");
    assert!(!server.running.is_finished());
    server.running.abort();
}

/// It has been accepted, and waits for its task.
#[tokio::test]
async fn t66_a_connection_that_comes_as_the_shutdown_begins_is_served() {
    for _ in 0..30 {
        let server = Server::start(|settings| settings.shutdown_delay = SOON).await;
        let mut client = Client::connect(server.address).await;
        client.send(&head("GET /v2/catalog", "\r\n")).await;
        server.stop.send(()).unwrap();
        assert_eq!(client.status().await, 200);
        server.running.abort();
    }
}

#[tokio::test]
async fn operations_that_exceed_the_grace_period_do_not_delay_the_end() {
    let server = Server::start(|settings| settings.shutdown_grace = SHORT).await;
    let recorder = Arc::clone(&server.recorder);
    let _work = recorder.idle_permit.acquire().await.unwrap();
    server.stop.send(()).unwrap();
    timeout(SOON, server.running).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_broker_mounts_as_a_hyper_service() {
    let service = service(&Recorder::new(), HttpSettings::default());
    let request = request("GET", "/v2/catalog").body(Full::new(Bytes::new())).unwrap();
    let response = hyper::service::Service::call(&service, request).await.unwrap();
    assert_eq!(Answered::of(response).await.status, 200);
}
