//! The common part of both benches: a broker, the same broker written by hand, and a platform that sends requests to
//! them.

pub(crate) mod broker;
pub(crate) mod client;
pub(crate) mod requests;
pub(crate) mod yardstick;

use std::{future::pending, net::SocketAddr};

use osb_runtime::http::{AcceptedCredentials, BrokerService, HttpSettings, serve};
use tokio::net::TcpListener;

use self::{client::Client, yardstick::Yardstick};

/// The credentials of the platform.
pub(crate) const USER: &str = "platform";
pub(crate) const PASSWORD: &str = "a-long-random-password";

/// The server under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Server {
    /// The broker, by osb-runtime.
    Runtime,
    /// The same with hyper, by hand.
    ByHand,
}

impl Server {
    pub(crate) const ALL: [Self; 2] = [Self::Runtime, Self::ByHand];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Runtime => "osb-runtime",
            Self::ByHand => "by-hand",
        }
    }

    /// Serves until the process ends.
    pub(crate) async fn serve(self, listener: TcpListener) {
        match self {
            Self::Runtime => {
                let credentials = AcceptedCredentials::basic(USER, PASSWORD).expect("they are good credentials");
                let service =
                    BrokerService::start(broker::Bench { store: broker::Store }, credentials, HttpSettings::default());
                serve(listener, service.await.expect("the broker starts"), pending()).await;
            }
            Self::ByHand => Yardstick::new().serve(listener).await,
        }
    }
}

/// The measured request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Workload {
    Catalog,
    NotModified,
    Provision,
    Fetch,
    Deprovision,
}

impl Workload {
    pub(crate) const ALL: [Self; 5] =
        [Self::Catalog, Self::NotModified, Self::Provision, Self::Fetch, Self::Deprovision];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Catalog => "catalog, 200",
            Self::NotModified => "catalog, 304",
            Self::Provision => "provision",
            Self::Fetch => "fetch",
            Self::Deprovision => "deprovision",
        }
    }

    /// Returns the name for files and groups of results.
    pub(crate) fn id(self) -> String {
        self.name().replace(", ", "-")
    }
}

/// Asks for everything that is measured, and makes sure that both answer the same, byte for byte.
pub(crate) async fn same_answers(servers: [SocketAddr; 2]) {
    let mut clients = Vec::new();
    for address in servers {
        clients.push(Client::connect(address).await);
    }
    let etag =
        clients[0].send(&requests::catalog(None)).await.header("etag").expect("a catalog has an ETag").to_owned();
    let id = "3f1f9d0e-0000-4000-8000-000000000000";
    let asked = [
        ("the catalog", requests::catalog(None)),
        ("the catalog again", requests::catalog(Some(&etag))),
        ("a provision", requests::provision(id)),
        ("the provision again", requests::provision(id)),
        ("a fetch", requests::fetch(id)),
        ("a deprovision", requests::deprovision(id)),
        ("the deprovision again", requests::deprovision(id)),
    ];
    for (what, request) in asked {
        let mut answers = Vec::new();
        for client in &mut clients {
            let answer = client.send(&request).await.without_date();
            let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
            // The order of members is free.
            answers.push((head.to_owned(), serde_json::from_str(body).unwrap_or(serde_json::Value::Null)));
        }
        assert_eq!(answers[0], answers[1], "{what}");
    }
}
