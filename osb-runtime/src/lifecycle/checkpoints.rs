//! Saves the checkpoints of a handler as long as its attempt holds the claim.

use std::sync::Arc;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{HandlerPoint, Lifecycle, commit::FIRST_PAUSE, group::Group};
use crate::{
    failpoint,
    service::{CheckpointError, Journal, Saving, StateJson},
    store::{Claim, ClaimStatus, Key, Record},
};

/// The checkpoints of one handler call. They are saved as long as the claim is valid.
pub(super) struct Checkpoints {
    pub(super) lifecycle: Arc<Lifecycle>,
    pub(super) claim: Claim,
    /// The binding, if the deletion of its instance cascades to it.
    pub(super) cascaded: Option<Key>,
}

impl Journal for Checkpoints {
    fn save<'a>(&'a self, state: StateJson, cancelled: &'a CancellationToken) -> Saving<'a> {
        Box::pin(async move {
            let observer = self.lifecycle.settings.observer.as_deref();
            if let Some(observer) = observer {
                observer.reached(HandlerPoint::SavingCheckpoint).await;
            }
            let mut pause = FIRST_PAUSE;
            let saved = loop {
                let began = Instant::now();
                let saved = match &self.cascaded {
                    None => self.lifecycle.transact_one(&self.claim.key, |record| self.write(record?, &state)).await,
                    Some(binding) => {
                        let keys = [self.claim.key.clone(), binding.clone()];
                        self.lifecycle.transact(&keys, |group| self.write_cascaded(group, &state)).await
                    }
                };
                // If the process was stalled in between, another one may have taken the operation over since.
                if saved.is_ok() && began.elapsed() > self.lifecycle.settings.lease {
                    continue;
                }
                // A short store outage must not fail the handler.
                if saved.is_ok() || cancelled.is_cancelled() {
                    break saved;
                }
                tokio::select! {
                    () = cancelled.cancelled() => {}
                    () = self.lifecycle.pause(&mut pause) => {}
                }
            };
            failpoint::reach("checkpoint.saved");
            if let Some(observer) = observer {
                observer.reached(HandlerPoint::SavedCheckpoint).await;
            }
            match saved {
                Ok(Some(())) => Ok(()),
                Ok(None) => Err(CheckpointError(
                    "this attempt no longer holds the claim on the operation; stop without further changes".to_owned(),
                )),
                Err(error) => Err(CheckpointError(error.to_string())),
            }
        })
    }
}

impl Checkpoints {
    /// Saves a checkpoint of the operation; returns `None` if the claim is lost.
    fn write(&self, record: &mut Record, state: &StateJson) -> Option<()> {
        let status = record.status_mut()?;
        let operation = match (status.claim_status(&self.claim), &mut status.cancelled) {
            (ClaimStatus::Holds, _) => &mut status.operation,
            (ClaimStatus::Cancelled, Some(cancelled)) => &mut cancelled.operation,
            _ => return None,
        };
        operation.checkpoint = Some(state.clone());
        Some(())
    }

    /// Saves a checkpoint as the state of a binding that is deleted with its instance.
    fn write_cascaded(&self, group: &mut Group<'_>, state: &StateJson) -> Option<()> {
        group.instance()?.status.holds(&self.claim).then_some(())?;
        group.binding_mut().map(|binding| binding.state = Some(state.clone()))
    }
}
