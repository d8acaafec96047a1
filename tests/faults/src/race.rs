//! Clients that race for the same few instances. They know nothing of each other; [`crate::history`] checks their answers.

use std::{
    net::SocketAddr,
    sync::atomic::{AtomicBool, Ordering},
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    client::Violation,
    history::{Asked, Event, State, Told},
    http::{Answer, Reply, ask},
    random::Random,
    subject::Subject,
};

/// The instances that they share.
pub(crate) const SHARED: [&str; 2] = ["shared0", "shared1"];

/// Maximum time of an operation.
const PATIENCE: Duration = Duration::from_mins(1);
/// Time between two polls, and after a request that was not answered.
const EVERY: Duration = Duration::from_millis(10);

pub(crate) struct Racer<'a> {
    number: usize,
    subject: &'a dyn Subject,
    at: SocketAddr,
    random: Random,
    /// The value of its next request.
    next: u32,
    /// The events since they were last taken, with the index of their instance.
    pub(crate) events: Vec<(usize, Event)>,
}

impl<'a> Racer<'a> {
    pub(crate) fn new(number: usize, subject: &'a dyn Subject, at: SocketAddr, random: Random) -> Self {
        // Values of different clients differ.
        let next = u32::try_from(number).unwrap_or_default() * 100_000_000;
        Self { number, subject, at, random, next, events: Vec::new() }
    }

    /// Sends random requests until the time is over, and waits for the ends of its operations.
    pub(crate) fn race_until(&mut self, is_over: &AtomicBool) -> Result<(), Violation> {
        while !is_over.load(Ordering::Relaxed) {
            let (instance, kind) = (self.random.index(SHARED.len()), self.random.below(8));
            self.next += 1;
            let asked = match kind {
                0 | 1 => Asked::Create(self.next),
                2 | 3 => Asked::Update(self.next),
                4 => Asked::Delete,
                _ => Asked::Read,
            };
            self.request(instance, asked)?;
        }
        Ok(())
    }

    fn request(&mut self, instance: usize, asked: Asked) -> Result<(), Violation> {
        let (began, accepts) = (Instant::now(), self.random.once_in(2));
        let path = format!("/v2/service_instances/{}", SHARED[instance]);
        let (method, query, body) = self.exchange(asked, accepts);
        let reply = ask(self.at, method, &format!("{path}{query}"), &body);
        let mut event = Event { client: self.number, asked, told: Told::Unknown, is_polled: false, began, ended: None };
        match &reply {
            Reply::Answer(answer) if answer.status == 202 => {
                let operation = answer.body["operation"].as_str().ok_or_else(|| format!("{asked:?}: {answer:?}"))?;
                event.told = self.follow(&format!("{path}/last_operation?operation={operation}"), asked)?;
                (event.is_polled, event.ended) = (true, Some(Instant::now()));
            }
            // A read without an answer says nothing.
            Reply::Lost | Reply::NotSent if asked == Asked::Read => return Ok(()),
            Reply::Lost | Reply::NotSent => sleep(EVERY),
            Reply::Answer(answer) if answer.status >= 500 && asked == Asked::Read => return Ok(()),
            Reply::Answer(answer) if answer.status >= 500 => sleep(EVERY),
            Reply::Answer(answer) => {
                event.told =
                    told(asked, answer).ok_or_else(|| format!("unexpected response to {asked:?}: {answer:?}"))?;
                event.ended = Some(Instant::now());
            }
        }
        self.events.push((instance, event));
        Ok(())
    }

    fn exchange(&mut self, asked: Asked, accepts: bool) -> (&'static str, String, Value) {
        // Both are synchronous or asynchronous.
        let (service, plan) = (self.subject.service(), self.subject.plans()[self.random.index(2)].id);
        let query = format!("?accepts_incomplete={accepts}");
        let pause = *self.random.pick(&[0, 0, 5, 40]);
        match asked {
            Asked::Create(value) => {
                let blocks = 1 + self.random.below(3);
                let parameters = json!({ "text": value.to_string(), "blocks": blocks, "pause": pause });
                let body = json!({
                    "service_id": service,
                    "plan_id": plan,
                    "organization_guid": "o",
                    "space_guid": "s",
                    "parameters": parameters,
                });
                ("PUT", query, body)
            }
            Asked::Update(value) => {
                let parameters = json!({ "text": value.to_string(), "pause": pause });
                ("PATCH", query, json!({ "service_id": service, "parameters": parameters }))
            }
            Asked::Delete => ("DELETE", format!("{query}&service_id={service}&plan_id={plan}"), Value::Null),
            Asked::Read => ("GET", String::new(), Value::Null),
        }
    }

    /// Polls an accepted operation until it ends.
    fn follow(&self, path: &str, asked: Asked) -> Result<Told, Violation> {
        let since = Instant::now();
        while since.elapsed() < PATIENCE {
            if let Reply::Answer(answer) = ask(self.at, "GET", path, &Value::Null) {
                match (answer.status, answer.body["state"].as_str(), asked) {
                    (200, Some("succeeded"), Asked::Create(_) | Asked::Update(_)) | (410, _, Asked::Delete) => {
                        return Ok(Told::Done);
                    }
                    // A deletion has cancelled it, or ended what it made; or it failed with its process.
                    (200, Some("failed" | "succeeded"), _) | (410, _, _) => return Ok(Told::Unknown),
                    (200, Some("in progress"), _) | (500.., _, _) => {}
                    _ => return Err(format!("{asked:?} was accepted, but {path} returned {answer:?}")),
                }
            }
            sleep(EVERY);
        }
        Err(format!("{asked:?} was accepted, and does not end: {path}"))
    }
}

/// Interprets an answer.
fn told(asked: Asked, answer: &Answer) -> Option<Told> {
    let is_concurrent = answer.body["error"] == "ConcurrencyError";
    Some(match (asked, answer.status) {
        (Asked::Create(_), 201) | (Asked::Update(_) | Asked::Delete, 200) => Told::Done,
        (Asked::Create(_), 200) => Told::Same,
        (Asked::Create(_), 409) => Told::Conflict,
        (Asked::Update(_) | Asked::Read, 404) | (Asked::Delete, 410) => Told::Missing,
        (Asked::Read, 200) => Told::Found(answer.body["parameters"]["text"].as_str()?.parse().ok()?),
        (_, 422) if is_concurrent => Told::Busy,
        _ => return None,
    })
}

/// An instance that is at rest.
pub(crate) struct Rest {
    /// The states that it can have.
    pub(crate) states: Vec<State>,
    /// Its entry in the inventory, if it exists.
    pub(crate) entry: Option<(String, Value)>,
    /// The request that has shown it.
    pub(crate) read: Event,
}

/// Waits until nothing is running on a shared instance, and reads it.
pub(crate) fn rest(subject: &dyn Subject, at: SocketAddr, id: &str) -> Result<Rest, Violation> {
    let (since, path) = (Instant::now(), format!("/v2/service_instances/{id}"));
    let read = |path: &str| match ask(at, "GET", path, &Value::Null) {
        Reply::Answer(answer) if answer.status < 500 => Ok(answer),
        reply => Err(format!("GET {path} -> {reply:?}")),
    };
    while read(&format!("{path}/last_operation"))?.body["state"] == "in progress" {
        if since.elapsed() > PATIENCE {
            return Err(format!("an operation on {id} does not end"));
        }
        sleep(EVERY);
    }
    let began = Instant::now();
    let answer = read(&path)?;
    let told = told(Asked::Read, &answer).ok_or_else(|| format!("GET {path} -> {answer:?}"))?;
    let plan = subject.plans().iter().find(|plan| answer.body["plan_id"] == plan.id);
    let (states, entry) = match (told, plan) {
        (Told::Found(value), Some(plan)) => {
            let what = subject.instance(plan, &answer.body["parameters"]);
            (vec![State::Present(value)], Some((id.to_owned(), what)))
        }
        // A failed creation can't be told from none.
        (Told::Missing, _) => (vec![State::Absent, State::Failed], None),
        _ => return Err(format!("GET {path} -> {answer:?}, although nothing is running")),
    };
    let ended = Some(Instant::now());
    let read = Event { client: 0, asked: Asked::Read, told, is_polled: false, began, ended };
    Ok(Rest { states, entry, read })
}
