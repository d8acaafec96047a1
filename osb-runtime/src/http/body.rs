//! Reading of request bodies, within limits on size and time.

use std::{
    pin::{Pin, pin},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderMap, header::EXPECT};
use http_body::Body;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::{BoxError, HttpSettings, refusal::Refusal};
use crate::json;

/// Maximum size of the rest of a body that is read although it is not needed.
const MAX_DISCARDED: usize = 16 << 20;

/// Maximum time to wait for the next part of such a rest.
const DISCARD: Duration = Duration::from_secs(1);

/// Memory for each byte of a body: the body itself, its text in the request and the record, and the record's bytes.
const PER_BYTE: usize = 4;

/// Memory for each value in a body outside of its context, which is kept as text.
const PER_VALUE: usize = 128;

/// Bodies of up to this size are not scanned for values.
const SMALL: usize = 4 << 10;

/// The bytes that one permit stands for.
const UNIT: usize = 1 << 10;

/// The memory for the bodies of running requests.
pub(super) struct BodyMemory {
    free: Arc<Semaphore>,
    all: usize,
}

/// Memory that is reserved for a body until it is dropped.
pub(super) type Reservation = Option<OwnedSemaphorePermit>;

impl BodyMemory {
    pub(super) fn new(bytes: usize) -> Self {
        let all = (bytes / UNIT).clamp(1, Semaphore::MAX_PERMITS.min(u32::MAX as usize));
        Self { free: Arc::new(Semaphore::new(all)), all }
    }

    fn permits_for(&self, bytes: usize) -> usize {
        // A body that needs more memory than the limit is read alone.
        bytes.div_ceil(UNIT).min(self.all)
    }

    fn reserve(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Refusal> {
        let permits = u32::try_from(self.permits_for(bytes)).unwrap_or(u32::MAX);
        Arc::clone(&self.free)
            .try_acquire_many_owned(permits)
            .map_err(|_| Refusal::Unavailable("The service broker has too many large requests; repeat this one."))
    }
}

/// Returns the memory that a body needs while its request is running.
fn cost(body: &[u8]) -> usize {
    let values = if body.len() <= SMALL { body.len() / 2 } else { json::count_values(body, "context") };
    body.len() * PER_BYTE + values * PER_VALUE
}

/// Returns whether a limit of a layer around the broker has ended a body, which failed with the error within this one.
fn is_beyond_a_limit(failed: &std::io::Error) -> bool {
    let first = failed.get_ref().map(|error| error as &(dyn std::error::Error + 'static));
    std::iter::successors(first, |error| error.source()).any(<dyn std::error::Error>::is::<LengthLimitError>)
}

/// A request body that is read at most once.
pub(super) struct Payload<'a, B> {
    /// `None` if there is nothing to read.
    body: Pin<&'a mut Option<B>>,
    /// `true` if the body has been read to its end.
    all_read: bool,
    limit: usize,
    within: Duration,
}

impl<'a, B> Payload<'a, B>
where
    B: Body<Error: Into<BoxError>>,
{
    pub(super) fn new(mut body: Pin<&'a mut Option<B>>, settings: &HttpSettings) -> Self {
        let all_read = body.as_ref().as_pin_ref().is_none_or(|body| body.is_end_stream());
        if all_read {
            body.set(None);
        }
        Self { body, all_read, limit: settings.max_body, within: settings.body_timeout }
    }

    /// Reads the whole body, and reserves memory for it and for its values.
    pub(super) async fn read(&mut self, memory: &BodyMemory) -> Result<(Bytes, Reservation), Refusal> {
        if self.announces_more_than(self.limit) {
            return Err(Refusal::TooLarge(Some(self.limit)));
        }
        let Some(body) = self.body.as_mut().as_pin_mut() else { return Ok((Bytes::new(), None)) };
        let announced = body.size_hint().upper().and_then(|upper| usize::try_from(upper).ok());
        let mut reserved = memory
            .reserve(announced.map_or(self.limit, |announced| announced.min(self.limit)).saturating_mul(PER_BYTE))?;
        // Errors of the body are wrapped, as that of a layer may be the one of this limit.
        let body = Limited::new(body.map_err(std::io::Error::other), self.limit);
        // Boxed to keep the future small for requests without a body.
        match Box::pin(timeout(self.within, body.collect())).await {
            Ok(Ok(collected)) => {
                self.body.set(None);
                self.all_read = true;
                let body = collected.to_bytes();
                let needed = memory.permits_for(cost(&body));
                // Releases the surplus.
                drop(reserved.split(reserved.num_permits().saturating_sub(needed)));
                reserved.merge(memory.reserve((needed - reserved.num_permits()) * UNIT)?);
                Ok((body, Some(reserved)))
            }
            Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Refusal::TooLarge(Some(self.limit))),
            Ok(Err(error)) if error.downcast_ref().is_some_and(is_beyond_a_limit) => Err(Refusal::TooLarge(None)),
            lost => {
                self.body.set(None);
                Err(Refusal::BodyLost(match lost {
                    Ok(_) => "The body ended before it was complete, or is not encoded correctly.",
                    Err(_) => "The body did not arrive in time.",
                }))
            }
        }
    }

    /// Reads and discards the rest of the body, if it is not too large and arrives soon. Closing a connection with
    /// unread bytes resets it, and the platform might not see the answer. Returns whether the body has ended.
    pub(super) async fn discard(&mut self, headers: &HeaderMap) -> bool {
        let announces_too_much = self.announces_more_than(MAX_DISCARDED);
        let Some(body) = self.body.as_mut().as_pin_mut() else { return self.all_read };
        // A client that waits for `100 Continue` has not sent the body.
        if announces_too_much || headers.contains_key(EXPECT) {
            return false;
        }
        let mut body = pin!(Limited::new(body, MAX_DISCARDED));
        let rest = async {
            loop {
                match timeout(DISCARD, body.frame()).await {
                    Ok(Some(Ok(_))) => {}
                    ended => return matches!(ended, Ok(None)),
                }
            }
        };
        Box::pin(timeout(self.within, rest)).await.unwrap_or(false)
    }

    fn announces_more_than(&self, limit: usize) -> bool {
        let announced = self.body.as_ref().as_pin_ref().map_or(0, |body| body.size_hint().lower());
        usize::try_from(announced).map_or(true, |announced| announced > limit)
    }
}
