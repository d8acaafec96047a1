//! A platform that holds every answer against the rules, and remembers what it has made.

use std::{fmt, time::Instant};

use http::Method;
use serde_json::Value;

use super::{
    Settings,
    judge::{self, Asked, Endpoint},
    refusals,
    report::{Counted, Finding, Report, Unchecked},
};
use osb_client::{Answer, Call, CatalogPlan, CatalogService, Client, ClientError, State};
use osb_runtime::protocol::ApiVersion;

/// Why a check goes no further.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stop {
    /// The rest of a plan cannot be checked.
    Unchecked(String),
    /// Whoever checks has had enough.
    Asked,
}

/// A request and its answer.
#[derive(Debug, Clone)]
pub(super) struct Exchange {
    pub(super) call: Call,
    pub(super) answer: Answer,
}

impl Exchange {
    pub(super) fn status(&self) -> u16 {
        self.answer.status.as_u16()
    }

    pub(super) fn is_success(&self) -> bool {
        self.answer.status.is_success()
    }

    pub(super) fn is_refused(&self) -> bool {
        self.answer.status.is_client_error()
    }

    pub(super) fn has_code(&self, code: &str) -> bool {
        self.status() == 422 && self.answer.error() == Some(code)
    }
}

/// What was said, in a line.
impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = self.answer.description().or(self.answer.error().map(str::to_owned)).unwrap_or_default();
        let said = if said.is_empty() { self.answer.excerpt() } else { said };
        write!(f, "{}{}{said}", self.answer.status, if said.is_empty() { "" } else { ": " })
    }
}

/// How an operation ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ending {
    Succeeded,
    Failed(String),
}

#[derive(Debug)]
pub(super) struct Session<'a> {
    pub(super) settings: &'a Settings,
    pub(super) client: Client,
    pub(super) report: Report,
    /// The plan that is being checked, and its service.
    pub(super) of: Option<(&'a CatalogService, &'a CatalogPlan)>,
    /// What is being tried.
    tried: String,
    /// What has to be deleted in the end, in the order in which it was made: the requests that do it.
    made: Vec<Call>,
    /// Whether there is an end to requests: what was made is deleted all the same.
    stopping: bool,
}

impl<'a> Session<'a> {
    pub(super) fn new(settings: &'a Settings, client: Client) -> Self {
        Self {
            settings,
            client,
            report: Report::default(),
            of: None,
            tried: String::new(),
            made: Vec::new(),
            stopping: false,
        }
    }

    /// Whether the platform's version is this minor one of 2 or a newer one.
    pub(super) fn since(&self, minor: u32) -> bool {
        self.settings.version >= ApiVersion::new(2, minor)
    }

    /// Says what is being tried from now on.
    pub(super) fn try_to(&mut self, what: impl Into<String>) {
        self.tried = what.into();
    }

    fn place(&self) -> String {
        self.of.map(|(service, plan)| format!("{}/{}", service.name, plan.name)).unwrap_or_default()
    }

    pub(super) async fn ask(&mut self, call: &Call) -> Result<Exchange, Stop> {
        let client = self.client.clone();
        self.ask_as(&client, call).await
    }

    /// Sends a request, holds the answer against the rules, and keeps in mind what was made.
    pub(super) async fn ask_as(&mut self, client: &Client, call: &Call) -> Result<Exchange, Stop> {
        let request = client.request(call).map_err(|error| Stop::Unchecked(error.to_string()))?;
        let headers = request.headers().clone();
        let new = self.remember(call);
        self.report.requests += 1;
        let answer = if self.stopping {
            client.exchange(request).await
        } else {
            tokio::select! {
                biased;
                () = self.settings.stop.cancelled() => return Err(Stop::Asked),
                answer = client.exchange(request) => answer,
            }
        };
        let answer = answer.map_err(|error| self.no_answer(call, &error))?;
        let target = call.target();
        let asked = Asked { method: call.method.as_str(), path: &target, headers: &headers, body: call.json() };
        let mut breaches = judge::breaches(asked, &answer);
        if let Some(platform) = self.settings.platform {
            breaches.extend(refusals::refused(platform, asked, &answer));
        }
        for breach in breaches {
            self.find(breach.rule, breach.what, call, Some(&answer), Counted::Everywhere);
        }
        // Platforms leave alone what was refused by a 4xx, and so does this one (ORP-04).
        let gone = call.method == Method::DELETE && [200, 410].contains(&answer.status.as_u16());
        if gone || new && answer.status.is_client_error() {
            self.forget(call);
        }
        Ok(Exchange { call: call.clone(), answer })
    }

    fn no_answer(&mut self, call: &Call, error: &ClientError) -> Stop {
        let rule = if matches!(error, ClientError::TimedOut { .. }) { "ASY-01" } else { "ERR-01" };
        self.find(rule, format!("an answer, and not: {error}"), call, None, Counted::WhereTried);
        Stop::Unchecked(format!("there was no answer to {} {}: {error}", call.method, call.target()))
    }

    fn remember(&mut self, call: &Call) -> bool {
        let endpoint = Endpoint::of(call.method.as_str(), &call.path);
        let makes = matches!(endpoint, Some(Endpoint::Provision | Endpoint::Bind));
        let new = makes && !self.made.iter().any(|made| made.path == call.path);
        if new && let Some((service, plan)) = self.of {
            self.made.push(Call::deletion_of(call, &service.id, &plan.id));
        }
        new
    }

    fn forget(&mut self, call: &Call) {
        self.made.retain(|made| made.path != call.path);
    }

    fn find(&mut self, rule: &'static str, what: String, call: &Call, answer: Option<&Answer>, counted: Counted) {
        let wanted = self.settings.only.is_empty() || self.settings.only.iter().any(|only| only == rule);
        if wanted && !self.settings.skip.iter().any(|skipped| skipped == rule) {
            let finding = Finding::new(rule, what, call, answer);
            self.report.add(Finding { plan: self.place(), tried: self.tried.clone(), ..finding }, counted);
        }
    }

    /// Holds something against a rule.
    pub(super) fn demand(&mut self, met: bool, rule: &'static str, expected: &str, exchange: &Exchange) -> bool {
        self.report.examined.insert((self.place(), rule));
        if !met {
            let expected = format!("expected {expected}");
            self.find(rule, expected, &exchange.call, Some(&exchange.answer), Counted::WhereTried);
        }
        met
    }

    /// Holds the status against a rule.
    pub(super) fn demand_status(&mut self, statuses: &[u16], rule: &'static str, exchange: &Exchange) -> bool {
        let listed: Vec<_> = statuses.iter().map(u16::to_string).collect();
        self.demand(statuses.contains(&exchange.status()), rule, &listed.join(" or "), exchange)
    }

    /// Holds against a rule that something is refused; a 5xx is no refusal.
    pub(super) fn demand_refusal(&mut self, rule: &'static str, exchange: &Exchange) -> bool {
        self.demand(exchange.is_refused(), rule, "a refusal: 4xx", exchange)
    }

    /// Says that something could not be checked.
    pub(super) fn unchecked(&mut self, why: impl Into<String>) {
        let unchecked = Unchecked { plan: self.place(), why: format!("{}: {}", self.tried, why.into()) };
        if !self.report.unchecked.contains(&unchecked) {
            self.report.unchecked.push(unchecked);
        }
    }

    /// One poll of what a request began.
    pub(super) async fn poll(&mut self, begun: &Exchange) -> Result<Exchange, Stop> {
        let poll = begun.call.poll_of_it(begun.answer.operation());
        // The poll of another version has other hints, and none before 2.9.
        let poll = if self.since(9) { poll } else { Call { query: Vec::new(), ..poll } };
        let polled = self.ask(&poll).await?;
        if begun.call.method != Method::DELETE {
            let rule = if poll.path.contains("/service_bindings/") { "LOB-01" } else { "LOI-07" };
            self.demand(polled.status() != 410, rule, "anything but 410, which is for deletions", &polled);
        }
        Ok(polled)
    }

    /// Whether what a request began goes on: then everything that was asked since has been asked meanwhile.
    pub(super) async fn goes_on(&mut self, begun: &Exchange) -> Result<bool, Stop> {
        Ok(State::of(&self.poll(begun).await?.answer) == Some(State::InProgress))
    }

    /// Polls until what a request began has ended.
    pub(super) async fn follow(&mut self, begun: &Exchange) -> Result<Ending, Stop> {
        let deletion = begun.call.method == Method::DELETE;
        let of_plan = self.of.and_then(|(_, plan)| plan.maximum_polling_duration);
        let longest = of_plan.map_or(self.settings.longest, |of_plan| of_plan.min(self.settings.longest));
        let started = Instant::now();
        loop {
            let polled = self.poll(begun).await?;
            let gone = [404, 410].contains(&polled.status());
            match State::of(&polled.answer) {
                Some(State::Failed) => {
                    return Ok(Ending::Failed(
                        polled.answer.description().unwrap_or_else(|| "without a reason".to_owned()),
                    ));
                }
                Some(State::InProgress) => {}
                _ if deletion && gone => {
                    self.forget(&begun.call);
                    return Ok(Ending::Succeeded);
                }
                Some(State::Succeeded) => {
                    if deletion {
                        self.forget(&begun.call);
                    }
                    return Ok(Ending::Succeeded);
                }
                // Platforms poll on, but nothing better is going to come.
                None => return Err(Stop::Unchecked(format!("its polls have no state: {polled}"))),
            }
            let told = polled.answer.header("retry-after").and_then(|pause| pause.parse().ok());
            let pause = self.settings.pause.max(told.map(std::time::Duration::from_secs).unwrap_or_default());
            if started.elapsed() + pause > longest {
                return Err(Stop::Unchecked(format!(
                    "it was still in progress after {} s",
                    started.elapsed().as_secs()
                )));
            }
            tokio::select! {
                () = self.settings.stop.cancelled(), if !self.stopping => return Err(Stop::Asked),
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Deletes what is left of what was made, the last first, as a platform does that cleans up after itself.
    pub(super) async fn clean_up(&mut self) {
        self.stopping = true;
        self.try_to("clean up");
        while let Some(deletion) = self.made.last().cloned() {
            let deletion = if self.since(7) { deletion.accepts_incomplete() } else { deletion };
            let ended = match self.ask(&deletion).await {
                Ok(exchange) if exchange.status() == 202 => match self.follow(&exchange).await {
                    Ok(Ending::Succeeded) => Ok(()),
                    Ok(Ending::Failed(why)) | Err(Stop::Unchecked(why)) => Err(why),
                    Err(Stop::Asked) => Err("it was given up".to_owned()),
                },
                Ok(exchange) if [200, 410].contains(&exchange.status()) => Ok(()),
                Ok(exchange) => Err(exchange.to_string()),
                Err(Stop::Unchecked(why)) => Err(why),
                Err(Stop::Asked) => Err("it was given up".to_owned()),
            };
            self.forget(&deletion);
            if let Err(why) = ended {
                self.report.left_behind.push(format!("DELETE {}: {why}", deletion.target()));
            }
        }
        self.stopping = false;
    }

    /// What the platform says of an instance or a binding, dressed as its version does.
    pub(super) fn dressed(&self, call: Call, instance: &str) -> Call {
        let platform = self.settings.platform.unwrap_or_default();
        let mut call = platform.dress(call, instance);
        let context_since = if call.path.contains("/service_bindings/") { 13 } else { 12 };
        if !self.since(context_since)
            && let osb_client::Payload::Json(Value::Object(fields)) = &mut call.payload
        {
            fields.remove("context");
        }
        call
    }
}
