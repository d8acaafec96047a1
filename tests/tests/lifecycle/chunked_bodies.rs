//! Bodies whose length is not known in advance.

use std::time::Duration;

use osb_lab::{
    lab::{Lab, LabBroker, ids},
    requests::{I, new},
    wire::{AUTHORIZATION, Wire},
};
use osb_runtime::{http::HttpSettings, lifecycle::Settings};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::sleep,
};

#[tokio::test]
async fn memory_that_a_chunked_body_does_not_need_is_released() {
    let (lab, mut http) = (Lab::default(), HttpSettings::default());
    http.body_memory = 5 << 20;
    let wire = Wire::serve_http(LabBroker { lab: lab.clone() }, http, Settings::default()).await;
    let send = async |id: &str| {
        let body = new(ids::SMALL, json!({ "mood": "wait" })).to_string();
        let mut stream = tokio::net::TcpStream::connect(wire.address()).await.expect("the broker listens");
        let request = format!(
            "PUT /v2/service_instances/{id} HTTP/1.1\r\nHost: broker\r\nConnection: close\r\nAuthorization: {AUTHORIZATION}\r\n\
             X-Broker-API-Version: 2.17\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
            body.len()
        );
        stream.write_all(request.as_bytes()).await.expect("it is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("an answer");
        answer
    };
    let second = async {
        while lab.calls() == 0 {
            sleep(Duration::from_millis(1)).await;
        }
        let opens = async {
            sleep(Duration::from_millis(100)).await;
            lab.gate.open();
        };
        tokio::join!(send("j"), opens).0
    };
    let (first, second) = tokio::join!(send("i"), second);
    assert!(first.starts_with("HTTP/1.1 201") && second.starts_with("HTTP/1.1 201"), "{first} {second}");
}

#[tokio::test]
async fn bodies_without_a_limit_are_read() {
    let (lab, mut http) = (Lab::default(), HttpSettings::default());
    http.max_body = usize::MAX;
    let wire = Wire::serve_http(LabBroker { lab }, http, Settings::default()).await;
    let body = new(ids::SMALL, json!({})).to_string();
    let mut stream = tokio::net::TcpStream::connect(wire.address()).await.expect("the broker listens");
    let request = format!(
        "PUT {I} HTTP/1.1\r\nHost: broker\r\nConnection: close\r\nAuthorization: {AUTHORIZATION}\r\n\
         X-Broker-API-Version: 2.17\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.expect("it is sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
}
