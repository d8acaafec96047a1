//! Bodies whose length is not known in advance.

use std::pin::pin;

use osb_lab::prelude::*;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Makes an instance by a request with a chunked body, and returns the response.
async fn provision(wire: &Wire, id: &str, mood: &str) -> String {
    let body = new(ids::SMALL, json!({ "mood": mood })).to_string();
    let mut stream = TcpStream::connect(wire.address()).await.expect("the broker listens");
    let request = format!(
        "PUT /v2/service_instances/{id} HTTP/1.1\r\nHost: broker\r\nConnection: close\r\nAuthorization: {AUTHORIZATION}\r\n\
         X-Broker-API-Version: 2.17\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.expect("it is sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("an answer");
    answer
}

#[tokio::test]
async fn memory_that_a_chunked_body_does_not_need_is_released() {
    let (lab, mut http) = (Lab::default(), HttpSettings::default());
    http.body_memory = 5 << 20;
    let wire = Wire::serve_http(LabBroker { lab: lab.clone() }, http, Settings::default()).await;
    let second = async {
        lab.called(1).await;
        let mut second = pin!(provision(&wire, "j", "wait"));
        let refused = tokio::select! {
            answer = &mut second => Some(answer),
            () = lab.called(2) => None,
        };
        lab.gate.open();
        match refused {
            Some(answer) => answer,
            None => second.await,
        }
    };
    let (first, second) = tokio::join!(provision(&wire, "i", "wait"), second);
    assert!(first.starts_with("HTTP/1.1 201") && second.starts_with("HTTP/1.1 201"), "{first} {second}");
}

#[tokio::test]
async fn bodies_without_a_limit_are_read() {
    let mut http = HttpSettings::default();
    http.max_body = usize::MAX;
    let wire = Wire::serve_http(LabBroker { lab: Lab::default() }, http, Settings::default()).await;
    let answer = provision(&wire, "i", "succeed").await;
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
}
