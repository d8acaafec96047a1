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
    let server = Server::start(|_| {}).await;
    let recorder = Arc::clone(&server.recorder);
    let mut idle = server.connect().await;
    idle.send(&head("GET /v2/catalog", "\r\n")).await;
    assert_eq!(idle.status().await, 200);
    let mut silent = server.connect().await;
    let mut busy = server.connect().await;
    busy.send(&head("GET /v2/service_instances/wait", "\r\n")).await;
    recorder.waiting.acquire().await.unwrap().forget();

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
    let recorder = Arc::clone(&server.recorder);
    let mut busy = server.connect().await;
    busy.send(&head("GET /v2/service_instances/wait", "\r\n")).await;
    recorder.waiting.acquire().await.unwrap().forget();

    let running = server.stop().await;
    timeout(SOON, running).await.unwrap().unwrap();
    busy.closed().await;
}

#[tokio::test]
async fn t66_shutdown_waits_for_background_operations() {
    let server = Server::start(|_| {}).await;
    let recorder = Arc::clone(&server.recorder);
    let work = recorder.idle_permit.acquire().await.unwrap();
    let mut running = server.stop().await;
    assert!(timeout(SHORT, &mut running).await.is_err());
    drop(work);
    timeout(SOON, running).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_broker_mounts_as_a_hyper_service() {
    let service = service(&Recorder::new(), HttpSettings::default());
    let request = request("GET", "/v2/catalog").body(Full::new(Bytes::new())).unwrap();
    let response = hyper::service::Service::call(&service, request).await.unwrap();
    assert_eq!(Answered::of(response).await.status, 200);
}
