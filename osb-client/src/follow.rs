//! Polls asynchronous operations.

use std::{
    fmt,
    time::{Duration, Instant},
};

use http::Method;

use super::{Answer, Call, Client, ClientError};

/// The pace and the limit of polling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Polling {
    /// The pause between two polls, unless `Retry-After` asks for a longer one. The default is 2 s.
    pub pause: Duration,
    /// The maximum time to poll; the default is a week, as on Cloud Foundry. Plans may set a shorter time.
    pub longest: Duration,
}

impl Default for Polling {
    fn default() -> Self {
        Self { pause: Duration::from_secs(2), longest: Duration::from_hours(7 * 24) }
    }
}

impl Polling {
    /// Sets the pause between two polls.
    #[must_use]
    pub fn every(self, pause: Duration) -> Self {
        Self { pause, ..self }
    }

    /// Sets the maximum time to poll.
    #[must_use]
    pub fn at_most(self, longest: Duration) -> Self {
        Self { longest, ..self }
    }
}

/// The state of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The operation continues.
    InProgress,
    /// The operation succeeded.
    Succeeded,
    /// The operation failed.
    Failed,
}

impl State {
    /// Reads the state from the response to a poll.
    pub fn of(poll: &Answer) -> Option<Self> {
        match poll.body["state"].as_str()? {
            "in progress" => Some(Self::InProgress),
            "succeeded" => Some(Self::Succeeded),
            "failed" => Some(Self::Failed),
            _ => None,
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InProgress => "in progress",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
        })
    }
}

/// The result of one poll; displayed as a line such as `in progress: 10 of 40 MB`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The state of the operation; [`State::InProgress`] if the poll failed.
    pub state: State,
    /// The broker's message, if there is one.
    pub description: Option<String>,
    /// The reason why the poll failed. Polling continues, as on platforms.
    pub failure: Option<ClientError>,
    /// The time since the first poll.
    pub elapsed: Duration,
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(failure) = &self.failure {
            return write!(f, "the poll failed and is repeated: {failure}");
        }
        write!(f, "{}", self.state)?;
        self.description.iter().try_for_each(|text| write!(f, ": {text}"))
    }
}

/// The outcome of a request, after its operation has finished.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The answer to the request itself, which has the dashboard URL of an instance, for example.
    pub answer: Answer,
    /// `true` if the request was the deletion of something that did not exist.
    pub was_gone: bool,
}

impl Client {
    /// Sends a request and, if the response is 202, polls until the operation has finished. `report` is called with the
    /// result of each poll, and with the error of each one that failed and is repeated.
    ///
    /// # Errors
    ///
    /// If there is no response, if the broker refuses the request or fails, or if the operation does not finish in time.
    pub async fn complete(&self, call: &Call, mut report: impl FnMut(&Progress)) -> Result<Outcome, ClientError> {
        let answer = self.send(call).await?;
        let was_gone = call.method == Method::DELETE && answer.status == 410;
        let answer = if was_gone { answer } else { answer.success()? };
        if answer.status == 202 {
            let poll = call.poll_of_it(answer.operation());
            self.follow(&poll, call.method == Method::DELETE, &mut report).await?;
        }
        Ok(Outcome { answer, was_gone })
    }

    /// Polls until the operation has finished, and returns the last answer. With `deletion`, a 410 means success, and a 404 that the
    /// broker no longer knows the operation.
    ///
    /// # Errors
    ///
    /// If the operation fails or does not finish in time.
    pub async fn follow(
        &self,
        poll: &Call,
        deletion: bool,
        mut report: impl FnMut(&Progress),
    ) -> Result<Answer, ClientError> {
        let started = Instant::now();
        loop {
            // Platforms keep polling after any other status, as it may come from a proxy (LOI-11).
            let polled = match self.send(poll).await {
                Ok(answer) if deletion && answer.status == 410 => return Ok(answer),
                Ok(answer) if deletion && answer.status == 404 => {
                    return Err(ClientError::ForgottenDeletion { description: answer.description() });
                }
                Ok(answer) if [400, 401, 404, 412].contains(&answer.status.as_u16()) => {
                    return Err(ClientError::of(&answer));
                }
                polled => polled,
            };
            let state = polled.as_ref().ok().filter(|answer| answer.status == 200).and_then(State::of);
            if let (Ok(answer), Some(state)) = (&polled, state) {
                let description = answer.description();
                let elapsed = started.elapsed();
                report(&Progress { state, description: description.clone(), failure: None, elapsed });
                match state {
                    State::InProgress => {}
                    State::Succeeded => return Ok(answer.clone()),
                    State::Failed => return Err(ClientError::Failed { description }),
                }
            }
            let retry_after = polled.as_ref().ok().and_then(|answer| answer.header("retry-after")?.parse().ok());
            let retry_after = retry_after.map(Duration::from_secs).filter(|asked| *asked > self.polling.pause);
            let pause = retry_after.unwrap_or(self.polling.pause);
            let failure = match polled {
                Ok(_) if state.is_some() => None,
                Ok(answer) if answer.status.is_success() && answer.body.is_object() => {
                    Some(ClientError::NoState { status: answer.status, said: answer.excerpt() })
                }
                Ok(answer) => Some(ClientError::of(&answer)),
                Err(error) => Some(error),
            };
            if started.elapsed().saturating_add(pause) > self.polling.longest {
                let failure = failure.map(Box::new);
                return Err(ClientError::StillInProgress { after: started.elapsed(), retry_after, failure });
            }
            if failure.is_some() {
                report(&Progress { state: State::InProgress, description: None, failure, elapsed: started.elapsed() });
            }
            tokio::time::sleep(pause).await;
        }
    }
}
