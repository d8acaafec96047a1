//! Slow, large and broken requests.

use http_body_util::{BodyStream, Limited, StreamBody};

use super::*;
use crate::http::DocsPage;

#[tokio::test]
async fn s36_an_incomplete_head_closes_the_connection_without_a_408() {
    let server = Server::start(|settings| settings.head_timeout = SHORT).await;
    for begun in ["", "GET /v2/cat", "GET /v2/catalog HTTP/1.1\r\nHost: b\r\nX-"] {
        let mut client = server.sent(begun).await;
        client.closed().await;
    }
}

#[tokio::test]
async fn an_idle_connection_is_closed() {
    let server = Server::start(|settings| settings.idle_timeout = SHORT).await;
    let mut client = server.connect().await;
    assert_eq!(client.get("/v2/catalog").await, 200);
    client.closed().await;
}

/// Load balancers reuse connections for a minute or more, and answer 502 if one is closed while they send a request.
#[tokio::test]
async fn a_connection_is_idle_for_longer_than_a_head_may_take() {
    let server = Server::start(|settings| settings.head_timeout = SHORT).await;
    let mut client = server.connect().await;
    for _ in 0..2 {
        assert_eq!(client.get("/v2/catalog").await, 200);
        server.connect().await.closed().await;
    }
    assert_eq!(client.get("/v2/catalog").await, 200);
    client.send("GET /v2/cat").await;
    client.closed().await;
}

#[tokio::test]
async fn s36_an_incomplete_body_closes_the_connection_without_a_408() {
    let server = Server::start(|settings| settings.body_timeout = SHORT).await;
    for framing in ["Content-Length: 9\r\n\r\n{}", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"] {
        let mut client = server.sent(&head("PUT /v2/service_instances/i", framing)).await;
        let (head, body) = client.answer().await.unwrap();
        assert!(head.starts_with("http/1.1 400") && head.contains("connection: close"), "{head}");
        assert!(body.contains("did not arrive in time"), "{body}");
        client.closed().await;
    }
    assert!(server.recorder.asked().is_empty());
}

#[tokio::test]
async fn a_truncated_or_misencoded_body_reaches_no_handler() {
    let server = Server::start(|_| {}).await;
    let mut client =
        server.sent(&head("PUT /v2/service_instances/i", "Transfer-Encoding: chunked\r\n\r\nnonsense\r\n")).await;
    assert_eq!(client.status().await, 400);
    client.closed().await;

    let mut client = server.sent(&head("PUT /v2/service_instances/i", "Content-Length: 99\r\n\r\n{}")).await;
    client.stream.shutdown().await.unwrap();
    while client.answer().await.is_some() {}
    assert!(server.recorder.asked().is_empty());
}

#[tokio::test]
async fn a_head_that_is_too_large_is_a_431() {
    for limit in [1 << 10, 8 << 10, 100 << 10] {
        let server = Server::start(|settings| settings.max_head = limit).await;
        let rest = limit - head("GET /v2/catalog", "A: \r\n\r\n").len();
        for (length, expected) in [(rest, 200), (rest + 1, 431), (rest + 10_000, 431)] {
            let mut client = server.sent(&head("GET /v2/catalog", &format!("A: {}\r\n\r\n", "b".repeat(length)))).await;
            assert_eq!(client.status().await, expected, "{length} of {rest}");
        }
    }
    let server = Server::start(|_| {}).await;
    for (count, expected) in [(90, 200), (101, 431)] {
        let mut client = server.sent(&head("GET /v2/catalog", &format!("{}\r\n", "A: b\r\n".repeat(count)))).await;
        assert_eq!(client.status().await, expected, "{count}");
    }
}

#[tokio::test]
async fn a_body_that_is_too_large_is_a_413() {
    let server = Server::start(|settings| settings.max_body = 10).await;
    for framing in ["Content-Length: 11\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\nb\r\n{\"a\":\"bcd\"}\r\n"] {
        let mut client = server.sent(&head("PUT /v2/service_instances/i", framing)).await;
        let (head, body) = client.answer().await.unwrap();
        assert!(head.starts_with("http/1.1 413") && head.contains("connection: close"), "{head}");
        assert_eq!(body, "{\"description\":\"The body is larger than the limit of 10 bytes.\"}");
        client.closed().await;
    }
    let mut client =
        server.sent(&head("PUT /v2/service_instances/i", "Content-Length: 10\r\n\r\n{\"a\":\"bc\"}")).await;
    let (_, body) = client.answer().await.unwrap();
    assert!(body.contains("is missing"), "a body with the size of the limit is accepted: {body}");
}

/// An error around another one, as web frameworks have it.
#[derive(Debug)]
struct Wrapped(crate::http::BoxError);

impl std::fmt::Display for Wrapped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the body failed")
    }
}

impl std::error::Error for Wrapped {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.0)
    }
}

#[tokio::test]
async fn a_body_beyond_the_limit_of_a_layer_around_the_broker_is_a_413() {
    let service = service(&Recorder::new(), HttpSettings::default());
    let body = provision_body().to_string();
    for (limit, status, description) in [(10, 413, "The body is larger than the limit."), (1000, 200, "")] {
        let limited = || Limited::new(Full::new(Bytes::from(body.clone())), limit);
        // Below axum, and directly below the layer.
        for body in [limited().map_err(|error| crate::http::BoxError::from(Wrapped(error))).boxed(), limited().boxed()]
        {
            // Without its length, as it arrives in chunks.
            let body = StreamBody::new(BodyStream::new(body));
            let request = request("PUT", "/v2/service_instances/i").body(body).unwrap();
            let answered = Answered::of(service.clone().call(request).await.unwrap()).await;
            assert_eq!((answered.status.as_u16(), answered.description()), (status, description), "{limit}");
        }
    }
}

#[tokio::test]
async fn a_body_far_beyond_the_limit_is_a_413_and_not_a_reset() {
    let server = Server::start(|settings| settings.max_body = 1 << 20).await;
    let body = "x".repeat(8 << 20);
    for body in [
        format!("Content-Length: {}\r\n\r\n{body}", body.len()),
        format!("Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n", body.len()),
    ] {
        let mut client = server.sent(&head("PUT /v2/service_instances/i", &body)).await;
        assert_eq!(client.status().await, 413);
        assert_eq!(client.get("/v2/catalog").await, 200, "it has been read to its end");
    }
}

/// RFC 9112, section 3.2.
#[tokio::test]
async fn a_request_has_one_host() {
    let server = Server::start(|_| {}).await;
    for (status, version, hosts) in [
        (400, "1.1", ""),
        (400, "1.1", "Host: a\r\nHost: b\r\n"),
        (400, "1.1", "Host: a\r\nHost: a\r\n"),
        (400, "1.0", "Host: a\r\nHost: b\r\n"),
        (400, "1.1", "Host: user@a\r\n"),
        (400, "1.1", "Host: a b\r\n"),
        (400, "1.1", "Host: a/b\r\n"),
        (200, "1.0", ""),
        (200, "1.0", "Host: a\r\n"),
        (200, "1.1", "Host:\r\n"),
        (200, "1.1", "Host: a.example:8080\r\n"),
        (200, "1.1", "Host: [::1]:8080\r\n"),
    ] {
        let mut client = server.connect().await;
        let rest = "X-Broker-API-Request-Identity: one\r\nX-Broker-Api-Version: 2.17";
        client
            .send(&format!("GET /v2/catalog HTTP/{version}\r\n{hosts}Authorization: {BASIC}\r\n{rest}\r\n\r\n"))
            .await;
        let (head, body) = client.answer().await.expect("an answer");
        assert!(head.starts_with(&format!("http/{version} {status} ")), "{hosts:?}: {head}");
        assert!(head.contains("identity: one"), "{head}");
        assert!(status == 200 || (body.contains("Host") && head.contains("connection: close")), "{head}\n{body}");
    }
}

/// A proxy in front of the broker may have checked the other one.
#[tokio::test]
async fn a_request_has_at_most_one_authorization() {
    let server = Server::start(|_| {}).await;
    for other in [BASIC, "Basic AAAA"] {
        let mut client = server.sent(&head("GET /v2/catalog", &format!("Authorization: {other}\r\n\r\n"))).await;
        let (head, body) = client.answer().await.expect("an answer");
        assert!(head.starts_with("http/1.1 400 ") && head.contains("connection: close"), "{head}");
        assert!(body.contains("more than one Authorization header"), "{body}");
    }
}

#[tokio::test]
async fn the_only_transfer_encoding_is_chunked() {
    let server = Server::start(|_| {}).await;
    for encoding in
        ["gzip, chunked", "identity", "chunked, chunked", "chunked\r\nTransfer-Encoding: chunked", "xchunked"]
    {
        let mut client = server.connect().await;
        let more = format!("Transfer-Encoding: {encoding}\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n");
        client.send(&head("DELETE /v2/service_instances/i?service_id=s&plan_id=p", &more)).await;
        assert_eq!(client.status().await, 400, "{encoding}");
        client.closed().await;
    }
    assert!(server.recorder.asked().is_empty());
    let mut client =
        server.sent(&head("GET /v2/catalog", "Transfer-Encoding: Chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n")).await;
    assert_eq!(client.status().await, 200);
}

#[tokio::test]
async fn connections_without_a_request_give_way_to_others() {
    let server = Server::start(|settings| settings.max_connections = 4).await;
    let mut busy = server.busy().await;
    let mut between = server.connect().await;
    assert_eq!(between.get("/v2/catalog").await, 200);

    let mut halves = Vec::new();
    for _ in 0..40 {
        let half = server.sent("GET /v2/cat").await;
        halves.push(half);
    }
    let mut client = server.connect().await;
    assert_eq!(client.get("/v2/catalog").await, 200);
    assert_eq!(between.get("/v2/catalog").await, 200, "a connection that has had a request is kept longer");
    let newest = halves.pop().expect("there are some");
    for half in &mut halves {
        half.closed().await;
    }
    assert!(timeout(SHORT, newest.stream.readable()).await.is_err(), "the newest is still open");
    server.recorder.go_on.add_permits(1);
    assert_eq!(busy.status().await, 200);
}

#[tokio::test]
async fn connections_without_a_request_do_not_keep_probes_out() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let monitor = service(&Recorder::new(), HttpSettings::default()).monitor();
    let serving = tokio::spawn(crate::http::serve_monitor(listener, monitor, std::future::pending()));
    let mut halves = Vec::new();
    for _ in 0..200 {
        let mut half = Client::connect(address).await;
        half.send("GET /hea").await;
        halves.push(half);
    }
    let mut probe = Client::connect(address).await;
    probe.send("GET /healthz HTTP/1.1\r\nHost: b\r\n\r\n").await;
    assert_eq!(probe.status().await, 200);
    // The newest 63 are open beside the probe.
    let open = halves.split_off(137);
    for half in &mut halves {
        half.closed().await;
    }
    assert!(timeout(SHORT, open[0].stream.readable()).await.is_err(), "the next one is still open");
    serving.abort();
}

/// A server whose only connection, beside those for probes, has a request that waits.
async fn full() -> (Server, Client) {
    let server = Server::start(|settings| (settings.max_connections, settings.monitor) = (1, true)).await;
    let busy = server.busy().await;
    (server, busy)
}

#[tokio::test]
async fn requests_do_not_keep_probes_out() {
    let (server, mut busy) = full().await;
    for _ in 0..40 {
        let mut probe = server.sent("GET /readyz HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n").await;
        assert_eq!(probe.status().await, 200);
    }
    let mut other = server.sent(&head("GET /v2/catalog", "\r\n")).await;
    let (refused, _) = other.answer().await.expect("an answer");
    assert!(refused.starts_with("http/1.1 503") && refused.contains("retry-after: "), "{refused}");
    other.closed().await;

    let mut promoted = server.connect().await;
    server.recorder.go_on.add_permits(1);
    assert_eq!(busy.status().await, 200);
    drop(busy);
    while {
        let mut next = server.sent(&head("GET /v2/catalog", "Connection: close\r\n\r\n")).await;
        let status = next.status().await;
        next.closed().await;
        status != 200
    } {}
    promoted.send(&head("GET /v2/catalog", "\r\n")).await;
    assert!(promoted.answer().await.is_none_or(|(head, _)| head.starts_with("http/1.1 200")));
}

/// Each would have to give way before the probe is accepted.
#[tokio::test]
async fn connections_without_a_request_do_not_keep_probes_out_while_all_others_have_one() {
    let (server, _busy) = full().await;
    let mut silent = Vec::new();
    for _ in 0..15 {
        silent.push(server.connect().await);
    }
    let probed = async {
        let mut probe = server.sent("GET /readyz HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n").await;
        assert_eq!(probe.status().await, 200);
    };
    timeout(10 * SHORT, probed).await.expect("the probe takes less time than all others have for their heads");
}

/// Each takes the slot of a connection that is idle, for a request that takes long.
#[tokio::test]
async fn many_connections_replace_idle_ones_at_once() {
    const MANY: usize = 30;
    let server = Server::start(|settings| settings.max_connections = MANY).await;
    let mut idle = Vec::new();
    for _ in 0..MANY {
        let mut client = server.connect().await;
        assert_eq!(client.get("/v2/catalog").await, 200);
        idle.push(client);
    }
    let mut busy = Vec::new();
    let all = async {
        for _ in 0..MANY {
            let client = server.sent(&head("GET /v2/service_instances/wait", "\r\n")).await;
            busy.push(client);
        }
        for _ in 0..MANY {
            server.recorder.waiting.acquire().await.unwrap().forget();
        }
    };
    timeout(SHORT * 20, all).await.expect("they don't wait for each other");
}

#[tokio::test]
async fn t59_the_large_body_of_a_rejected_request_is_not_read() {
    let server = Server::start(|_| {}).await;
    let mut client =
        server.sent("PUT /v2/service_instances/i HTTP/1.1\r\nHost: b\r\nContent-Length: 1000000000\r\n\r\n{").await;
    let (head, _) = client.answer().await.unwrap();
    assert!(head.starts_with("http/1.1 401") && head.contains("connection: close"), "{head}");
    client.closed().await;
}

#[tokio::test]
async fn a_rejected_body_of_unknown_length_is_read_up_to_the_limit() {
    let server = Server::start(|settings| settings.max_body = 10_000).await;
    let mut client =
        server.sent("PUT /v2/service_instances/i HTTP/1.1\r\nHost: b\r\nTransfer-Encoding: chunked\r\n\r\n").await;
    let chunk = format!("400\r\n{}\r\n", "x".repeat(1024));
    while client.stream.write_all(chunk.as_bytes()).await.is_ok() {}
    // The client has sent more than the server read, so it may see the answer or only a reset.
    while client.answer().await.is_some() {}
}

#[tokio::test]
async fn a_connection_stays_open_if_a_rejected_body_arrives_late() {
    let server = Server::start(|_| {}).await;
    let mut client = server.sent("PUT /v2/service_instances/i HTTP/1.1\r\nHost: b\r\nContent-Length: 4\r\n\r\n").await;
    // Some libraries write head and body separately. Without the pause both might arrive together.
    tokio::time::sleep(SHORT).await;
    client.send("{\"\":").await;
    assert_eq!(client.status().await, 401);
    assert_eq!(client.get("/v2/catalog").await, 200);
}

#[tokio::test]
async fn no_100_continue_for_a_body_that_is_rejected() {
    let server = Server::start(|settings| settings.max_body = 10).await;
    let mut client = server.connect().await;
    let expect = "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n";
    client.send(&format!("PUT /v2/service_instances/i HTTP/1.1\r\nHost: b\r\n{expect}")).await;
    assert_eq!(client.status().await, 401);
    client.closed().await;

    let mut client = server.connect().await;
    let too_large = "Expect: 100-continue\r\nContent-Length: 11\r\n\r\n";
    client.send(&head("PUT /v2/service_instances/i", too_large)).await;
    assert_eq!(client.status().await, 413);
    client.closed().await;

    let mut client = server.sent(&head("PUT /v2/service_instances/i", expect)).await;
    assert_eq!(client.status().await, 100);
    client.send("{}").await;
    assert_eq!(client.status().await, 400);
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_order_despite_errors() {
    let server = Server::start(|_| {}).await;
    let mut client = server.connect().await;
    let body = provision_body().to_string();
    let requests = [
        head("GET /nowhere", "\r\n"),
        head("PUT /v2/service_instances/i", "Content-Length: 2\r\n\r\n[]"),
        head("PUT /v2/service_instances/i", &format!("Content-Length: {}\r\n\r\n{body}", body.len())),
        head("DELETE /v2/service_instances/i", "Content-Length: 2\r\n\r\n{}"),
        "GET /v2/catalog HTTP/1.1\r\nHost: b\r\nContent-Length: 3\r\n\r\nGET".to_owned(),
        head("POST /v2/catalog", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
        head("GET /v2/catalog", "\r\n"),
    ];
    client.send(&requests.concat()).await;
    for status in [404, 400, 200, 400, 401, 405, 200] {
        let (head, body) = client.answer().await.unwrap();
        assert!(head.starts_with(&format!("http/1.1 {status}")), "{head}\n{body}");
    }
}

#[tokio::test]
async fn bytes_that_are_not_http_are_rejected() {
    let server = Server::start(|_| {}).await;
    for garbage in [
        "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\r\n\r\n",
        "HELLO\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let mut client = server.sent(garbage).await;
        while let Some((head, _)) = client.answer().await {
            assert!(head.starts_with("http/1.1 400"), "{head}");
        }
    }
    let mut client = server.sent("GET * HTTP/1.1\r\nHost: b\r\n\r\nOPTIONS * HTTP/1.0\r\n\r\n").await;
    while let Some((head, _)) = client.answer().await {
        assert!(head.contains(" 40"), "{head}");
    }
}

/// If a later hyper has a hook for these answers, they should become JSON objects too.
#[tokio::test]
async fn hyper_answers_unparsable_requests_without_a_body() {
    let server = Server::start(|settings| settings.max_head = 256 << 10).await;
    let identity = "X-Broker-API-Request-Identity: identity-1\r\n";
    for (status, sent) in [
        (400, format!("GET /v2/catalog HTTP/1.1\r\n{identity}Not a header\r\n\r\n")),
        (400, format!("G\u{e9}T /v2/catalog HTTP/1.1\r\n{identity}\r\n")),
        (414, head(&format!("GET /{}", "x".repeat(65_534)), &format!("{identity}\r\n"))),
        (431, head("GET /v2/catalog", &format!("{identity}{}\r\n", "A: b\r\n".repeat(101)))),
    ] {
        let mut client = server.sent(&sent).await;
        let (head, body) = client.answer().await.expect("an answer");
        assert!(head.starts_with(&format!("http/1.1 {status} ")), "{head}");
        assert!(head.contains("content-length: 0") && !head.contains("identity"), "{head}");
        assert_eq!(body, "");
        client.closed().await;
    }
    let mut client = server.sent(&head(&format!("GET /{}", "x".repeat(65_533)), "\r\n")).await;
    assert_eq!(client.status().await, 404);
}

#[tokio::test]
async fn connections_beyond_the_limit_wait() {
    let server = Server::start(|settings| settings.max_connections = 1).await;
    let mut first = server.busy().await;
    let mut second = server.sent(&head("GET /v2/catalog", "\r\n")).await;
    assert!(timeout(SHORT, second.stream.readable()).await.is_err());

    server.recorder.go_on.add_permits(1);
    assert_eq!(first.status().await, 200);
    drop(first);
    assert_eq!(second.status().await, 200);
}

#[tokio::test]
async fn a_client_that_does_not_read_is_disconnected() {
    let catalog = format!("{{\"services\":[\"{}\"]}}", "x".repeat(16 << 20));
    let server = Server::start_with(Recorder::with_catalog(catalog.into()), |settings| {
        settings.write_timeout = SHORT;
        settings.max_connections = 1;
    })
    .await;
    let _stalled = server.sent(&head("GET /v2/catalog", "\r\n")).await;
    // Accepted only when the other one has been closed.
    let mut next = server.connect().await;
    assert_eq!(next.get("/nowhere").await, 404);
}

/// Its answer is still being sent, so it can't give way. Another one does.
#[tokio::test]
async fn a_client_that_does_not_read_keeps_no_others_out() {
    let catalog = format!("{{\"services\":[\"{}\"]}}", "x".repeat(16 << 20));
    let server = Server::start_with(Recorder::with_catalog(catalog.into()), |settings| {
        (settings.write_timeout, settings.head_timeout) = (SOON * 3, SOON * 3);
        settings.max_connections = 2;
    })
    .await;
    let mut stalled = server.sent(&head("GET /v2/catalog", "\r\n")).await;
    stalled.stream.readable().await.unwrap();
    let mut between = server.connect().await;
    for _ in 0..2 {
        assert_eq!(between.get("/nowhere").await, 404);
    }
    let mut next = server.connect().await;
    assert_eq!(next.get("/nowhere").await, 404);
    let mut late = Vec::new();
    timeout(SOON, stalled.stream.read_to_end(&mut late)).await.unwrap().unwrap();
    assert!(late.len() > 16 << 20, "the answer was cut off after {} bytes", late.len());
}

/// They could be those of an attacker, who needs no credentials for that.
#[tokio::test]
async fn clients_that_do_not_read_keep_a_new_one_out_for_seconds_only() {
    let catalog = format!("{{\"services\":[\"{}\"]}}", "x".repeat(16 << 20));
    let server = Server::start_with(Recorder::with_catalog(catalog.into()), |settings| {
        (settings.write_timeout, settings.max_connections) = (SOON * 10, 2);
    })
    .await;
    let mut stalled = Vec::new();
    for _ in 0..2 {
        let client = server.sent(&head("GET /v2/catalog", "\r\n")).await;
        client.stream.readable().await.unwrap();
        stalled.push(client);
    }
    let mut next = server.connect().await;
    assert_eq!(next.get("/nowhere").await, 404);
}

/// The page needs no credentials, and its request needs no body.
#[tokio::test]
async fn a_body_sent_to_the_public_page_that_arrives_slowly_keeps_no_others_out() {
    assert_slow_body_keeps_no_others_out("GET /docs", |settings| settings.docs = DocsPage::Public).await;
}

#[tokio::test]
async fn a_rejected_body_that_arrives_slowly_keeps_no_others_out() {
    assert_slow_body_keeps_no_others_out("PUT /v2/service_instances/i", |_| {}).await;
}

async fn assert_slow_body_keeps_no_others_out(start: &str, change: impl FnOnce(&mut HttpSettings)) {
    let server = Server::start(|settings| {
        (settings.max_connections, settings.body_timeout) = (1, SOON * 10);
        change(settings);
    })
    .await;
    let mut slow = server.sent(&format!("{start} HTTP/1.1\r\nHost: b\r\nContent-Length: 9999\r\n\r\n")).await;
    let sending = tokio::spawn(async move {
        let mut ticks = tokio::time::interval(SHORT);
        loop {
            ticks.tick().await;
            if slow.stream.write_all(b"x").await.is_err() {
                return;
            }
        }
    });
    let mut next = server.connect().await;
    assert_eq!(next.get("/v2/catalog").await, 200);
    sending.await.unwrap();
}

#[tokio::test]
async fn bodies_have_a_limit_in_memory_together() {
    let server = Server::start(|settings| settings.body_memory = 6 << 20).await;
    let body = |context: &str, parameters: &str| {
        let rest = r#""service_id":"s","plan_id":"p","organization_guid":"o","space_guid":"sp""#;
        let body = format!("{{{rest},\"context\":{{\"a\":{context}}},\"parameters\":{{\"a\":{parameters}}}}}");
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    };
    let numbers = format!("[{}1]", "1,".repeat(12_000));
    let large = format!("[{}1]", "1,".repeat(200_000));
    // Each takes 1.6 MiB.
    let mut waiting = Vec::new();
    for _ in 0..3 {
        let client = server.sent(&head("PUT /v2/service_instances/wait", &body(&large, "1"))).await;
        server.recorder.waiting.acquire().await.unwrap().forget();
        waiting.push(client);
    }
    for (refused, context, parameters) in [(true, &large[..], "1"), (true, "1", &numbers), (false, &numbers, "1")] {
        let mut client = server.sent(&head("PUT /v2/service_instances/i", &body(context, parameters))).await;
        let (answer, text) = client.answer().await.unwrap();
        let status = if refused { "http/1.1 503" } else { "http/1.1 200" };
        assert!(answer.starts_with(status) && answer.contains("retry-after") == refused, "{answer}\n{text}");
        assert_eq!(client.get("/v2/catalog").await, 200);
    }
    server.recorder.go_on.add_permits(3);
    for client in &mut waiting {
        assert_eq!(client.status().await, 200);
    }
    let mut client = server.connect().await;
    for _ in 0..3 {
        // More than there is, so it is read alone.
        client.send(&head("PUT /v2/service_instances/i", &body("1", &large))).await;
        assert_eq!(client.status().await, 200);
    }
}

#[tokio::test]
async fn a_small_body_reserves_memory_for_half_as_many_values_as_it_has_bytes() {
    // Three bodies of 4 KiB take 816 KiB, and four would take 1,088.
    let server = Server::start(|settings| settings.body_memory = 1 << 20).await;
    let rest = r#""service_id":"s","plan_id":"p","organization_guid":"o","space_guid":"sp""#;
    let body = format!("{{{rest},\"parameters\":{{\"a\":\"");
    let body = format!("{body}{}\"}}}}", "x".repeat((4 << 10) - body.len() - 3));
    let put =
        |id: &str| head(&format!("PUT /v2/service_instances/{id}"), &format!("Content-Length: 4096\r\n\r\n{body}"));
    let mut waiting = Vec::new();
    for _ in 0..3 {
        let client = server.sent(&put("wait")).await;
        let begins = timeout(SOON, server.recorder.waiting.acquire()).await.expect("there is memory for it");
        begins.unwrap().forget();
        waiting.push(client);
    }
    let mut client = server.sent(&put("i")).await;
    assert_eq!(client.status().await, 503);
    server.recorder.go_on.add_permits(3);
    for client in &mut waiting {
        assert_eq!(client.status().await, 200);
    }
    client.send(&put("i")).await;
    assert_eq!(client.status().await, 200);
}
