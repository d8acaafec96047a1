//! Work that goes on after the answer.

use std::{
    fmt,
    time::{Duration, Instant},
};

use http::Method;

use super::{Answer, Call, Client, ClientError};

/// How to follow what goes on after the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Polling {
    /// The pause between two polls, unless the broker asks for a longer one by `Retry-After`. The default is 2 s.
    pub pause: Duration,
    /// How long in all; the default is a week, as on Cloud Foundry. A plan may say that it takes less.
    pub longest: Duration,
}

impl Default for Polling {
    fn default() -> Self {
        Self { pause: Duration::from_secs(2), longest: Duration::from_hours(7 * 24) }
    }
}

impl Polling {
    /// With another pause between two polls.
    #[must_use]
    pub fn every(self, pause: Duration) -> Self {
        Self { pause, ..self }
    }

    /// With another time in all.
    #[must_use]
    pub fn at_most(self, longest: Duration) -> Self {
        Self { longest, ..self }
    }
}

/// Where an operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It goes on.
    InProgress,
    /// It has ended well.
    Succeeded,
    /// It has ended otherwise.
    Failed,
}

impl State {
    /// The state that a poll tells, if it tells one.
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

/// What a poll told: a line such as `in progress: 10 of 40 MB`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// Where the operation is.
    pub state: State,
    /// What the broker says of it, if anything.
    pub description: Option<String>,
    /// For how long it has been followed.
    pub elapsed: Duration,
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.state)?;
        self.description.iter().try_for_each(|text| write!(f, ": {text}"))
    }
}

/// How a request went that was followed to its end.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The answer to the request: what there is to know of an instance, such as its dashboard, is in it.
    pub answer: Answer,
    /// Whether it was the deletion of something that is not there.
    pub was_gone: bool,
}

impl Client {
    /// Sends a request and, if it is answered 202, polls until the operation has ended. `tell` learns of each poll.
    ///
    /// # Errors
    ///
    /// If there is no answer, if the broker refuses or fails, or if the operation does not end in time.
    pub async fn complete(&self, call: &Call, mut tell: impl FnMut(&Progress)) -> Result<Outcome, ClientError> {
        let answer = self.send(call).await?;
        let was_gone = call.method == Method::DELETE && answer.status == 410;
        let answer = if was_gone { answer } else { answer.success()? };
        if answer.status == 202 {
            let poll = call.poll_of_it(answer.operation());
            self.follow(&poll, call.method == Method::DELETE, &mut tell).await?;
        }
        Ok(Outcome { answer, was_gone })
    }

    /// Polls until the operation has ended, and gives the last answer. The end of a deletion is also that nothing is left
    /// to be polled.
    ///
    /// # Errors
    ///
    /// If the operation fails or does not end in time.
    pub async fn follow(
        &self,
        poll: &Call,
        deletion: bool,
        mut tell: impl FnMut(&Progress),
    ) -> Result<Answer, ClientError> {
        let started = Instant::now();
        loop {
            // Platforms go on after anything but these: what is in between may be a proxy's (LOI-11).
            let answer = match self.send(poll).await {
                Ok(answer) if deletion && answer.status == 410 => return Ok(answer),
                Ok(answer) if [400, 401, 404, 412].contains(&answer.status.as_u16()) => {
                    return Err(ClientError::of(&answer));
                }
                Ok(answer) => Some(answer),
                Err(_) => None,
            };
            if let Some(answer) = &answer
                && let Some(state) = State::of(answer)
            {
                let description = answer.description();
                tell(&Progress { state, description: description.clone(), elapsed: started.elapsed() });
                match state {
                    State::InProgress => {}
                    State::Succeeded => return Ok(answer.clone()),
                    State::Failed => return Err(ClientError::Failed { description }),
                }
            }
            let told = answer.as_ref().and_then(|answer| answer.header("retry-after")?.parse().ok());
            let pause = self.polling.pause.max(told.map(Duration::from_secs).unwrap_or_default());
            if started.elapsed() + pause > self.polling.longest {
                return Err(ClientError::StillInProgress { after: started.elapsed() });
            }
            tokio::time::sleep(pause).await;
        }
    }
}
