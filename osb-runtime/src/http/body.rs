//! Reading of request bodies, within limits on size and time.

use std::{pin::pin, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, header::EXPECT};
use http_body::Body;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tokio::time::timeout;

use super::{BoxError, HttpSettings, refusal::Refusal};

/// Maximum time to wait for the rest of a body that is not needed.
const DISCARD: Duration = Duration::from_secs(1);

/// A request body that is read at most once.
pub(super) struct Payload<B> {
    body: Option<B>,
    /// Whether the body has been read to its end.
    all_read: bool,
    limit: usize,
    within: Duration,
}

impl<B> Payload<B>
where
    B: Body,
    B::Error: Into<BoxError>,
{
    pub(super) fn new(body: B, settings: &HttpSettings) -> Self {
        Self { body: Some(body), all_read: false, limit: settings.max_body, within: settings.body_timeout }
    }

    /// Reads the whole body.
    pub(super) async fn read(&mut self) -> Result<Bytes, Refusal> {
        if self.announces_too_much() {
            return Err(Refusal::TooLarge(self.limit));
        }
        let Some(body) = self.body.take() else { return Ok(Bytes::new()) };
        // Boxed to keep the future small for requests without a body.
        match Box::pin(timeout(self.within, Limited::new(body, self.limit).collect())).await {
            Ok(Ok(collected)) => {
                self.all_read = true;
                Ok(collected.to_bytes())
            }
            Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Refusal::TooLarge(self.limit)),
            Ok(Err(_)) => Err(Refusal::BodyLost("The body ended before it was complete, or is not encoded correctly.")),
            Err(_) => Err(Refusal::BodyLost("The body did not arrive in time.")),
        }
    }

    /// Reads and discards the rest of the body if it is small. Closing a connection with unread bytes resets it, and
    /// the platform might not see the answer. Returns whether the body has been read to its end.
    pub(super) async fn discard(&mut self, headers: &HeaderMap) -> bool {
        let announces_too_much = self.announces_too_much();
        let Some(body) = self.body.take() else { return self.all_read };
        if body.is_end_stream() {
            return true;
        }
        // A client that waits for `100 Continue` has not sent the body.
        if announces_too_much || headers.contains_key(EXPECT) {
            return false;
        }
        let mut body = pin!(Limited::new(body, self.limit));
        let rest = async {
            loop {
                match body.frame().await {
                    Some(Ok(_)) => {}
                    Some(Err(_)) => return false,
                    None => return true,
                }
            }
        };
        Box::pin(timeout(self.within.min(DISCARD), rest)).await.unwrap_or(false)
    }

    fn announces_too_much(&self) -> bool {
        let announced = self.body.as_ref().map_or(0, |body| body.size_hint().lower());
        usize::try_from(announced).map_or(true, |announced| announced > self.limit)
    }
}
