//! A platform that validates every response, and keeps track of the resources that it created.

use std::{
    fmt,
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::{Method, Request, StatusCode};
use http_body_util::Full;
use serde_json::Value;
use tokio::task::JoinSet;

use super::{
    CheckSettings,
    judge::{Endpoint, Judge, JudgedRequest},
    plan::PlanUnderTest,
    refusals,
    report::{Counted, Finding, Report, RequestHead, Severity, Unchecked},
};
use osb_client::{Answer, Call, Catalog, Client, ClientError, Platform, State};
use osb_runtime::protocol::ApiVersion;

/// The reason why a part of the check ended early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stop {
    /// The rest of the plan cannot be checked.
    Unchecked(String),
    /// The check ends, for this reason.
    Ended(&'static str),
}

const INTERRUPTED: Stop = Stop::Ended("the check was interrupted");

/// A request and its response.
#[derive(Debug, Clone)]
pub(super) struct Exchange {
    pub(super) call: Call,
    pub(super) head: RequestHead,
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

    /// Returns whether the broker refuses the request only for now.
    fn is_temporary(&self) -> bool {
        let is_busy = self.status() == 503 && self.answer.header("retry-after").is_some();
        is_busy || self.has_code("ConcurrencyError")
    }
}

/// The response on one line.
impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = self.answer.description().or(self.answer.error().map(str::to_owned)).unwrap_or_default();
        let said = if said.is_empty() { self.answer.excerpt() } else { said };
        write!(f, "{}{}{said}", self.answer.status, if said.is_empty() { "" } else { ": " })
    }
}

/// The outcome of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ending {
    Succeeded,
    Failed(String),
}

#[derive(Debug)]
pub(super) struct Session<'a> {
    pub(super) settings: &'a CheckSettings,
    pub(super) client: Client,
    pub(super) catalog: &'a Catalog,
    pub(super) report: Report,
    judge: Judge,
    /// The plan under test, of which findings and the clean-up are.
    pub(super) under_test: Option<PlanUnderTest<'a>>,
    /// The current step, for findings.
    tried: String,
    /// The requests that delete the created resources, in the order of creation.
    made: Vec<Call>,
    /// `true` if the final deletions are running; they ignore interruptions.
    stopping: bool,
    /// `true` if the report says why the check has ended early.
    pub(super) has_ended: bool,
    /// `true` if the broker demands credentials.
    pub(super) demands_credentials: bool,
    /// `true` if the broker answers a deletion with success even if there is nothing to delete.
    pub(super) deletes_anything: bool,
    /// `true` if a request was answered 429 to the end, after which no other one is sent again.
    stays_limited: bool,
}

/// The ways to say that a request must be handled synchronously (ASY-05).
pub(super) const SYNCHRONOUS: [(&str, Option<&str>); 2] =
    [("without accepts_incomplete", None), ("with accepts_incomplete=false", Some("false"))];

/// The minor version since which bindings may be asynchronous.
pub(super) const ASYNCHRONOUS_BINDINGS_SINCE: u32 = 14;

/// The number of consecutive polls with a status after which platforms keep polling.
const POLL_FAILURES: usize = 3;

/// How often a request is sent again after a 429. With the default pause, which doubles each time, this takes a minute, the
/// usual period of a limit.
const RATE_LIMIT_REPEATS: u32 = 6;

/// The longest pause that a 429 can ask for.
const LONGEST_RATE_LIMIT_PAUSE: Duration = Duration::from_mins(1);

impl<'a> Session<'a> {
    pub(super) fn new(settings: &'a CheckSettings, client: Client, catalog: &'a Catalog) -> Self {
        Self {
            settings,
            client,
            catalog,
            report: Report::default(),
            judge: Judge::default(),
            under_test: None,
            tried: String::new(),
            made: Vec::new(),
            stopping: false,
            has_ended: false,
            demands_credentials: false,
            deletes_anything: false,
            stays_limited: false,
        }
    }

    /// Returns whether the platform's version is at least 2.`minor`.
    pub(super) fn since(&self, minor: u32) -> bool {
        self.settings.version >= ApiVersion::new(2, minor)
    }

    /// Returns whether platforms of this version poll the operation of such a request: of an instance since 2.7, of a binding since
    /// 2.14.
    pub(super) fn polls(&self, call: &Call) -> bool {
        self.since(if is_binding(call) { ASYNCHRONOUS_BINDINGS_SINCE } else { 7 })
    }

    /// Adds `accepts_incomplete` if platforms of this version poll such operations.
    pub(super) fn waiting(&self, call: Call) -> Call {
        if self.polls(&call) { call.accepts_incomplete() } else { call }
    }

    /// Sets the name of the current step, whose request can follow in the same expression.
    pub(super) fn try_to(&mut self, what: impl Into<String>) -> &mut Self {
        self.tried = what.into();
        (self.settings.progress.0)(&self.place(), &self.tried);
        self
    }

    fn place(&self) -> String {
        self.under_test.map(|of| of.to_string()).unwrap_or_default()
    }

    pub(super) async fn ask(&mut self, call: &Call) -> Result<Exchange, Stop> {
        let client = self.client.clone();
        self.ask_as(&client, call).await
    }

    /// Sends a request as platforms do, which poll operations.
    pub(super) async fn ask_waiting(&mut self, call: Call) -> Result<Exchange, Stop> {
        let call = self.waiting(call);
        self.ask(&call).await
    }

    pub(super) async fn ask_as(&mut self, client: &Client, call: &Call) -> Result<Exchange, Stop> {
        let request = client.request(call).map_err(|error| Stop::Unchecked(error.to_string()))?;
        self.send(call, request).await
    }

    /// Returns the request as the platform sends it, to be changed in a way that no client offers.
    pub(super) fn request(&self, call: &Call) -> Result<Request<Full<Bytes>>, Stop> {
        self.client.request(call).map_err(|error| Stop::Unchecked(error.to_string()))
    }

    /// Sends a request, validates the response, and keeps track of created resources.
    pub(super) async fn send(&mut self, call: &Call, request: Request<Full<Bytes>>) -> Result<Exchange, Stop> {
        self.continues()?;
        let head = RequestHead::new(&self.client, &request);
        let new = self.remember(call);
        self.report.requests += 1;
        let answer = self.exchange(request);
        let answer = if self.stopping {
            answer.await
        } else {
            tokio::select! {
                biased;
                end = self.interruption() => return Err(end),
                answer = answer => answer,
            }
        };
        self.judge(call, head, new, answer)
    }

    /// Sends a request, again if it is answered 429: a gateway limits the rate, and the broker has not seen the request.
    fn exchange(&self, request: Request<Full<Bytes>>) -> impl Future<Output = Result<Answer, ClientError>> + use<> {
        let (client, pause) = (self.client.clone(), self.settings.pause);
        let repeats = if self.stays_limited { 0 } else { RATE_LIMIT_REPEATS };
        async move {
            for times in 0..repeats {
                let answer = client.exchange(request.clone()).await?;
                if answer.status != StatusCode::TOO_MANY_REQUESTS {
                    return Ok(answer);
                }
                let wanted = retry_after(&answer).unwrap_or_default().min(LONGEST_RATE_LIMIT_PAUSE);
                tokio::time::sleep(wanted.max(pause * 2_u32.pow(times))).await;
            }
            client.exchange(request).await
        }
    }

    /// Fails after an interruption, and after a violation if the check stops at the first one. A request that isn't sent must not
    /// be remembered: the clean-up would delete what was never requested.
    fn continues(&self) -> Result<(), Stop> {
        if self.stopping {
            return Ok(());
        }
        if self.settings.stop.is_cancelled() {
            return Err(INTERRUPTED);
        }
        if self.settings.fail_fast && self.report.errors().next().is_some() {
            return Err(Stop::Ended("the check stopped at the first violation"));
        }
        Ok(())
    }

    async fn interruption(&self) -> Stop {
        self.settings.stop.cancelled().await;
        INTERRUPTED
    }

    /// Sends requests for the same resource at the same time, and returns the exchanges that have a response, in the order of
    /// the requests.
    pub(super) async fn ask_at_once(&mut self, calls: &[Call]) -> Result<Vec<Exchange>, Stop> {
        self.continues()?;
        let mut running = JoinSet::new();
        for (number, call) in calls.iter().enumerate() {
            let request = self.request(call)?;
            let head = RequestHead::new(&self.client, &request);
            self.remember(call);
            self.report.requests += 1;
            let answer = self.exchange(request);
            running.spawn(async move { (number, head, answer.await) });
        }
        let mut answers = tokio::select! {
            biased;
            end = self.interruption() => return Err(end),
            answers = running.join_all() => answers,
        };
        answers.sort_by_key(|(number, ..)| *number);
        let judged = answers.into_iter().map(|(number, head, answer)| self.judge(&calls[number], head, false, answer));
        let exchanges: Vec<_> = judged.filter_map(Result::ok).collect();
        // A request without a response may have created it.
        if exchanges.len() == calls.len() && exchanges.iter().all(Exchange::is_refused) {
            for call in calls {
                self.forget(call);
            }
        }
        Ok(exchanges)
    }

    /// Validates a response. `new` means that no earlier request was about the same resource.
    fn judge(
        &mut self,
        call: &Call,
        head: RequestHead,
        new: bool,
        answer: Result<Answer, ClientError>,
    ) -> Result<Exchange, Stop> {
        let answer = answer.map_err(|error| self.no_answer((&head, call), &error))?;
        self.stays_limited |= answer.status == StatusCode::TOO_MANY_REQUESTS;
        let target = call.target();
        let headers = &head.headers;
        let asked = JudgedRequest { method: call.method.as_str(), path: &target, headers, body: call.json() };
        let mut breaches = self.judge.breaches(asked, &answer);
        if let Some(platform) = self.settings.platform {
            breaches.extend(refusals::refused(platform, asked, &answer));
        }
        for breach in breaches {
            self.add_finding(breach.rule, breach.what, (&head, call), Some(&answer), Counted::Everywhere);
        }
        // Like other platforms, this one does not delete resources whose creation was refused with a 4xx (ORP-04).
        let gone = call.method == Method::DELETE && [200, 410].contains(&answer.status.as_u16());
        if gone || new && answer.status.is_client_error() {
            self.forget(call);
        }
        Ok(Exchange { call: call.clone(), head, answer })
    }

    fn no_answer(&mut self, (head, call): (&RequestHead, &Call), error: &ClientError) -> Stop {
        let rule = if matches!(error, ClientError::TimedOut { .. }) { "ASY-01" } else { "ERR-01" };
        self.add_finding(rule, format!("expected a response, but: {error}"), (head, call), None, Counted::WhereTried);
        Stop::Unchecked(format!("no response to {} {}: {error}", call.method, call.target()))
    }

    fn remember(&mut self, call: &Call) -> bool {
        let endpoint = Endpoint::of(call.method.as_str(), &call.path);
        let makes = matches!(endpoint, Some(Endpoint::Provision | Endpoint::Bind));
        let new = makes && !self.made.iter().any(|made| made.path == call.path);
        if new && let Some(of) = self.under_test {
            self.made.push(of.deletion_of(call));
        }
        new
    }

    /// Remembers that an instance has another plan now, which its deletion has to name.
    pub(super) fn moved(&mut self, instance: &str, to: PlanUnderTest<'_>) {
        let deletion = to.deprovision(instance);
        for made in self.made.iter_mut().filter(|made| made.path == deletion.path) {
            *made = deletion.clone();
        }
    }

    fn forget(&mut self, call: &Call) {
        self.made.retain(|made| made.path != call.path);
    }

    fn add_finding(
        &mut self,
        rule: &'static str,
        what: String,
        request: (&RequestHead, &Call),
        answer: Option<&Answer>,
        counted: Counted,
    ) {
        let wanted = self.settings.only.is_empty() || self.settings.only.iter().any(|only| only == rule);
        if wanted
            && !self.settings.skip.iter().any(|skipped| skipped == rule)
            && let Some(finding) = Finding::new(rule, self.settings.version, what, request, answer)
        {
            self.report.add(Finding { plan: self.place(), tried: self.tried.clone(), ..finding }, counted);
        }
    }

    /// Records that a rule was checked, and reports a violation unless it is `met`.
    pub(super) fn demand(&mut self, met: bool, rule: &'static str, expected: &str, exchange: &Exchange) -> bool {
        self.report.examined.insert((self.place(), rule));
        if !met {
            let expected = format!("expected {expected}");
            self.add_finding(
                rule,
                expected,
                (&exchange.head, &exchange.call),
                Some(&exchange.answer),
                Counted::WhereTried,
            );
        }
        met
    }

    /// Like [`demand`](Self::demand), for the part of a rule that is only recommended.
    pub(super) fn recommend(&mut self, met: bool, rule: &'static str, expected: &str, exchange: &Exchange) {
        let before = self.report.findings.len();
        self.demand(met, rule, expected, exchange);
        for finding in &mut self.report.findings[before..] {
            finding.severity = Severity::Warning;
        }
    }

    /// Demands one of these statuses.
    pub(super) fn demand_status(&mut self, statuses: &[u16], rule: &'static str, exchange: &Exchange) -> bool {
        let listed: Vec<_> = statuses.iter().map(u16::to_string).collect();
        self.demand(statuses.contains(&exchange.status()), rule, &listed.join(" or "), exchange)
    }

    /// Demands a refusal; a 5xx does not count as one.
    pub(super) fn demand_refusal(&mut self, rule: &'static str, exchange: &Exchange) -> bool {
        self.demand(exchange.is_refused(), rule, "a refusal with a 4xx", exchange)
    }

    /// Returns whether a request was refused as specified because of another operation: the code exists since 2.14, and its
    /// status since 2.12.
    pub(super) fn is_blocked(&self, exchange: &Exchange) -> bool {
        match self.settings.version.minor() {
            14.. => exchange.has_code("ConcurrencyError"),
            12..14 => exchange.status() == 422,
            _ => exchange.is_refused(),
        }
    }

    /// Demands that the refusals of requests that did not accept an asynchronous operation ask for one.
    pub(super) fn demand_async_required(&mut self, rule: &'static str, refused: &[Exchange]) {
        for refused in refused {
            self.demand(refused.has_code("AsyncRequired"), rule, "422 AsyncRequired", refused);
        }
    }

    /// Records that the current step could not be checked.
    pub(super) fn unchecked(&mut self, why: impl Into<String>) {
        let unchecked = Unchecked { plan: self.place(), why: format!("{}: {}", self.tried, why.into()) };
        if !self.report.unchecked.contains(&unchecked) {
            self.report.unchecked.push(unchecked);
        }
    }

    /// Sends a poll, again after a status that may come from a proxy: platforms keep polling (LOI-11).
    pub(super) async fn ask_poll(&mut self, poll: &Call) -> Result<Exchange, Stop> {
        let (started, mut times) = (Instant::now(), 0);
        loop {
            let polled = self.ask(poll).await?;
            times += 1;
            if [200, 400, 401, 404, 410, 412].contains(&polled.status()) || times == POLL_FAILURES {
                return Ok(polled);
            }
            self.pause(&polled, started).await?;
        }
    }

    /// Polls the operation of a request.
    pub(super) async fn poll(&mut self, begun: &Exchange) -> Result<Exchange, Stop> {
        let poll = begun.call.poll_of_it(begun.answer.operation());
        // Before 2.9, polls have no query.
        let poll = if self.since(9) { poll } else { Call { query: Vec::new(), ..poll } };
        let polled = self.ask_poll(&poll).await?;
        if begun.call.method != Method::DELETE {
            let rule = if is_binding(&poll) { "LOB-01" } else { "LOI-07" };
            self.demand(polled.status() != 410, rule, "any status but 410, which is reserved for deletions", &polled);
        }
        Ok(polled)
    }

    /// Returns whether the operation of a request is still in progress, and therefore was during all requests so far.
    pub(super) async fn goes_on(&mut self, begun: &Exchange) -> Result<bool, Stop> {
        Ok(State::of(&self.poll(begun).await?.answer) == Some(State::InProgress))
    }

    /// Polls until the operation of a request has finished.
    pub(super) async fn follow(&mut self, begun: &Exchange) -> Result<Ending, Stop> {
        let polled = self.poll(begun).await?;
        self.follow_from(begun, polled).await
    }

    /// Polls the operation of a request, if it has one, until it has finished. Returns whether the request had success.
    pub(super) async fn finish(&mut self, asked: &Exchange) -> Result<bool, Stop> {
        Ok(match asked.status() {
            202 => self.follow(asked).await? == Ending::Succeeded,
            _ => asked.is_success(),
        })
    }

    /// Like [`follow`](Self::follow), after a first poll.
    pub(super) async fn follow_from(&mut self, begun: &Exchange, mut polled: Exchange) -> Result<Ending, Stop> {
        let deletion = begun.call.method == Method::DELETE;
        let started = Instant::now();
        loop {
            match State::of(&polled.answer) {
                Some(State::Failed) => {
                    return Ok(Ending::Failed(
                        polled.answer.description().unwrap_or_else(|| "without a reason".to_owned()),
                    ));
                }
                Some(State::InProgress) => {}
                _ if deletion && [404, 410].contains(&polled.status()) => {
                    self.demand_remembered(&polled);
                    self.forget(&begun.call);
                    return Ok(Ending::Succeeded);
                }
                Some(State::Succeeded) => {
                    if deletion {
                        self.forget(&begun.call);
                    }
                    return Ok(Ending::Succeeded);
                }
                None => {
                    let rule = if is_binding(&begun.call) { "LOB-01" } else { "LOI-03" };
                    // A 410 was reported before, and a 200 without a state.
                    let expected = "200 with a `state`, as the operation was accepted with 202";
                    self.demand([200, 410].contains(&polled.status()), rule, expected, &polled);
                    return Err(Stop::Unchecked(format!("the response to a poll has no state: {polled}")));
                }
            }
            self.pause(&polled, started).await?;
            polled = self.poll(begun).await?;
        }
    }

    /// Checks that the broker still knows a deletion that has ended. Cloud Foundry polls until the limit otherwise.
    fn demand_remembered(&mut self, polled: &Exchange) {
        let remembered = polled.status() == 410;
        let rule = if is_binding(&polled.call) { "LOB-04" } else { "LOI-09" };
        self.demand(remembered, rule, "410 or `succeeded`, as a deletion has ended", polled);
        if self.settings.platform == Some(Platform::CloudFoundry) {
            self.demand(remembered, "CF-17", "410 or `succeeded`", polled);
        }
    }

    /// Waits before a request is sent again: as long as the broker asks for, but not beyond the maximum time since the start.
    async fn pause(&self, exchange: &Exchange, started: Instant) -> Result<(), Stop> {
        let of_plan = self.under_test.and_then(|of| of.plan.maximum_polling_duration);
        let longest = of_plan.map_or(self.settings.longest, |of_plan| of_plan.min(self.settings.longest));
        let pause = self.settings.pause.max(retry_after(&exchange.answer).unwrap_or_default());
        if started.elapsed().saturating_add(pause) > longest {
            let seconds = started.elapsed().as_secs();
            return Err(Stop::Unchecked(format!("the operation was still in progress after {seconds} s")));
        }
        self.continues()?;
        tokio::select! {
            end = self.interruption(), if !self.stopping => Err(end),
            () = tokio::time::sleep(pause) => Ok(()),
        }
    }

    /// Deletes the remaining resources, the newest first. Waits for operations that block the deletions, such as a creation
    /// that goes on after an interruption.
    pub(super) async fn clean_up(&mut self) {
        self.stopping = true;
        self.try_to("clean up");
        let started = Instant::now();
        while let Some(deletion) = self.made.last().cloned() {
            let deletion = self.waiting(deletion);
            let ended = match self.ask(&deletion).await {
                Ok(exchange) if exchange.is_temporary() && self.pause(&exchange, started).await.is_ok() => continue,
                Ok(exchange) if exchange.status() == 202 => match self.follow(&exchange).await {
                    Ok(Ending::Succeeded) => Ok(()),
                    Ok(Ending::Failed(why)) | Err(Stop::Unchecked(why)) => Err(why),
                    Err(Stop::Ended(why)) => Err(why.to_owned()),
                },
                Ok(exchange) if [200, 410].contains(&exchange.status()) => Ok(()),
                Ok(exchange) => Err(exchange.to_string()),
                Err(Stop::Unchecked(why)) => Err(why),
                Err(Stop::Ended(why)) => Err(why.to_owned()),
            };
            self.forget(&deletion);
            if let Err(why) = ended {
                self.report.left_behind.push(format!("DELETE {}: {why}", deletion.target()));
            }
        }
        self.stopping = false;
    }

    /// Adds the platform's fields to a request, as far as its version has them.
    pub(super) fn dressed(&self, call: Call, instance: &str) -> Call {
        let platform = self.settings.platform.unwrap_or_default();
        let mut call = platform.dress(call, instance);
        let context_since = if is_binding(&call) { 13 } else { 12 };
        if !self.since(context_since)
            && let osb_client::Payload::Json(Value::Object(fields)) = &mut call.payload
        {
            fields.remove("context");
        }
        call
    }
}

fn retry_after(answer: &Answer) -> Option<Duration> {
    answer.header("retry-after")?.parse().ok().map(Duration::from_secs)
}

/// Returns whether a request is about a binding.
pub(super) fn is_binding(call: &Call) -> bool {
    call.path.contains("/service_bindings/")
}

/// Adds `accepts_incomplete` with a value, if there is one.
pub(super) fn accepting(call: &Call, value: Option<&str>) -> Call {
    value.into_iter().fold(call.clone(), |call, value| call.ask("accepts_incomplete", value))
}
