//! The trace of a request, in the log and in handlers.

use std::{fs, io::BufRead, process::Stdio};

use osb_client::Call;
use serde_json::{Value, json};

use crate::world::{SERVICE, SMALL, Serving, bare, home, ran, shelf, until};

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

/// Starts the program with a log in a file.
fn logging(home: &std::path::Path) -> Serving {
    let mut command = shelf(home, &["--listen", "127.0.0.1:0", "--store", "memory", "--log-format", "json"]);
    command.env("OSB_USERNAME", "user").env("OSB_PASSWORD", "password");
    let mut child = command.stderr(Stdio::piped()).spawn().expect("it runs");
    let mut lines = std::io::BufReader::new(child.stderr.take().expect("it is piped")).lines();
    let mut log = fs::File::create(home.join("log")).expect("created");
    let mut url = None;
    while url.is_none() {
        let line: Value = serde_json::from_str(&lines.next().expect("a line").expect("text")).expect("JSON");
        url = line["url"].as_str().map(str::to_owned);
    }
    std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            std::io::Write::write_all(&mut log, format!("{line}\n").as_bytes()).expect("written");
        }
    });
    Serving { child, url: url.unwrap_or_default(), banner: String::new() }
}

fn lines(home: &std::path::Path, message: &str) -> Vec<Value> {
    let text = fs::read_to_string(home.join("log")).expect("the log");
    let all = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    all.filter(|line| line["message"] == message).collect()
}

#[tokio::test]
async fn the_trace_is_in_the_log_and_passed_on_by_handlers_and_the_client() {
    let home = home();
    let serving = logging(home.path());
    let parent = PARENT.parse().expect("well-formed");
    let call = Call::provision("one", SERVICE, SMALL).parameters(json!({ "width": 80 }));
    let call = call.field("organization_guid", "o".into()).field("space_guid", "s".into());
    let answer = serving.client().trace(Some(&parent)).send(&call).await.expect("an answer");
    assert_eq!(answer.status, 201);
    assert_eq!(fs::read_to_string(home.path().join("trace")).expect("the handler writes it"), PARENT);

    let url = ["--url", &serving.url, "--username", "user", "--password", "password"];
    let mut client = bare(home.path(), &["client", "catalog"]);
    client.args(url).env("TRACEPARENT", PARENT);
    assert_eq!(ran(client).0, 0);

    until(|| lines(home.path(), "answered").len() == 2);
    for line in lines(home.path(), "answered") {
        assert_eq!(line["trace_id"], TRACE, "{line}");
    }
    let made = lines(home.path(), "making a shelf").remove(0);
    let spans = made["spans"].as_array().expect("spans");
    let handler = spans.iter().find(|span| span["name"] == "handler").expect("the handler");
    assert_eq!((&handler["trace_id"], &handler["parent_span_id"]), (&json!(TRACE), &json!("b7ad6b7169203331")));
}
