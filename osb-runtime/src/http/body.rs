//! Reading of request bodies, within limits on size and time.

use std::{
    pin::{Pin, pin},
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderMap, header::EXPECT};
use http_body::Body;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tokio::time::timeout;

use super::{BoxError, HttpSettings, refusal::Refusal};

/// Maximum size of the rest of a body that is read although it is not needed.
const MAX_DISCARDED: usize = 16 << 20;

/// Maximum time to wait for the next part of such a rest.
const DISCARD: Duration = Duration::from_secs(1);

/// A request body that is read at most once.
pub(super) struct Payload<B> {
    /// `None` if there is nothing to read.
    body: Option<Pin<Box<B>>>,
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
        let all_read = body.is_end_stream();
        let body = (!all_read).then(|| Box::pin(body));
        Self { body, all_read, limit: settings.max_body, within: settings.body_timeout }
    }

    /// Reads the whole body.
    pub(super) async fn read(&mut self) -> Result<Bytes, Refusal> {
        if self.announces_more_than(self.limit) {
            return Err(Refusal::TooLarge(self.limit));
        }
        let Some(body) = &mut self.body else { return Ok(Bytes::new()) };
        // Boxed to keep the future small for requests without a body.
        match Box::pin(timeout(self.within, Limited::new(body, self.limit).collect())).await {
            Ok(Ok(collected)) => {
                self.body = None;
                self.all_read = true;
                Ok(collected.to_bytes())
            }
            Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Refusal::TooLarge(self.limit)),
            lost => {
                self.body = None;
                Err(Refusal::BodyLost(match lost {
                    Ok(_) => "The body ended before it was complete, or is not encoded correctly.",
                    Err(_) => "The body did not arrive in time.",
                }))
            }
        }
    }

    /// Reads and discards the rest of the body, if it is not too large and arrives soon. Closing a connection with
    /// unread bytes resets it, and the platform might not see the answer. Returns whether the body has been read to its
    /// end.
    pub(super) async fn discard(&mut self, headers: &HeaderMap) -> bool {
        let announces_too_much = self.announces_more_than(MAX_DISCARDED);
        let Some(body) = self.body.take() else { return self.all_read };
        // A client that waits for `100 Continue` has not sent the body.
        if announces_too_much || headers.contains_key(EXPECT) {
            return false;
        }
        let mut body = pin!(Limited::new(body, MAX_DISCARDED));
        let rest = async {
            loop {
                match timeout(DISCARD, body.frame()).await {
                    Ok(Some(Ok(_))) => {}
                    Ok(None) => return true,
                    Ok(Some(Err(_))) | Err(_) => return false,
                }
            }
        };
        Box::pin(timeout(self.within, rest)).await.unwrap_or(false)
    }

    fn announces_more_than(&self, limit: usize) -> bool {
        let announced = self.body.as_ref().map_or(0, |body| body.size_hint().lower());
        usize::try_from(announced).map_or(true, |announced| announced > limit)
    }
}
