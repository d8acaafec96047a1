//! What can be run again passes; what can't is told, with the handler, the place and what to do.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use osb_lab::lab::{Lab, LabBroker};
use osb_runtime::prelude::*;
use osb_testing::{Replay, assert_idempotent};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Volumes, which get their ids from a server that outlives the broker.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "volumes",
    plans(Small, Large),
    changes(Small => Large)
)]
#[derive(Clone, Default)]
struct Volumes {
    server: Arc<Server>,
    flaw: Flaw,
}

/// What is wrong with the broker.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
enum Flaw {
    #[default]
    None,
    /// What is there already is an error.
    RefusesWhatIsThere,
    /// A volume is made before anything is saved that leads to it.
    SavesTooLate,
    /// Each attempt begins anew.
    BeginsAnew,
    /// What is gone already is an error.
    RefusesWhatIsGone,
    /// An update adds, where it should set.
    Adds,
    /// A second attempt panics.
    Panics,
}

#[derive(Default)]
struct Server {
    volumes: Mutex<BTreeMap<String, u32>>,
    names: AtomicU64,
}

impl Server {
    fn make(&self, name: &str, size: u32) -> bool {
        self.volumes.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), size).is_none()
    }

    fn remove(&self, name: &str) -> bool {
        self.volumes.lock().unwrap_or_else(PoisonError::into_inner).remove(name).is_some()
    }

    fn count(&self) -> usize {
        self.volumes.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn new_name(&self) -> String {
        format!("volume-{}", self.names.fetch_add(1, Ordering::SeqCst))
    }
}

/// A small one.
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02",
    name = "small",
    create = NewVolume,
    update = VolumeChanges,
    bindable,
    rotatable
)]
struct Small;

/// A large one.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "large", create = NewVolume)]
struct Large;

/// What it is to be like.
#[parameters(partial = VolumeChanges)]
struct NewVolume {
    /// Its size.
    #[param(range(min = 1, max = 8))]
    size: u32,
}

/// What is remembered of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Volume {
    name: String,
    size: u32,
}

/// What a binding gives.
#[credentials]
struct Access {
    volume: String,
    #[param(secret)]
    password: String,
}

impl<P: Plan<Create = NewVolume>> Provision<P> for Volumes {
    type State = Volume;

    async fn provision(&self, new: New<P>, work: &Work<Volume>) -> Result<Provisioned<Volume>, ProvisionError> {
        let size = new.parameters.size;
        let fresh = || Volume { name: self.server.new_name(), size };
        let volume = match self.flaw {
            Flaw::BeginsAnew => fresh(),
            _ => work.checkpointed().unwrap_or_else(fresh),
        };
        assert!(self.flaw != Flaw::Panics || work.attempt() == 1, "not again");
        if self.flaw == Flaw::SavesTooLate {
            self.server.make(&volume.name, size);
        }
        work.checkpoint(&volume).await?;
        if !self.server.make(&volume.name, size) && self.flaw == Flaw::RefusesWhatIsThere {
            return Err("the volume is there already".into());
        }
        work.checkpoint(&volume).await?;
        Ok(Provisioned::new(volume))
    }

    async fn deprovision(&self, gone: Remains<P, Volume>, work: &Work<Volume>) -> Result<(), DeprovisionError> {
        let Some(volume) = gone.state else { return Ok(()) };
        work.checkpoint(&volume).await?;
        if !self.server.remove(&volume.name) && self.flaw == Flaw::RefusesWhatIsGone {
            return Err("the volume is gone already".into());
        }
        Ok(())
    }
}

impl Update<Small> for Volumes {
    async fn update(
        &self,
        update: PlanUpdate<Small, Small, Volume>,
        work: &Work<Volume>,
    ) -> Result<Updated<Volume>, UpdateError> {
        let mut volume = work.checkpointed().unwrap_or(update.state);
        volume.size = if self.flaw == Flaw::Adds { volume.size + 1 } else { update.parameters.size };
        work.checkpoint(&volume).await?;
        self.server.make(&volume.name, volume.size);
        Ok(Updated::new(volume))
    }
}

impl ChangePlan<Small, Large> for Volumes {
    async fn change_plan(
        &self,
        update: PlanUpdate<Small, Large, Volume>,
        _: &Work<Volume>,
    ) -> Result<Updated<Volume>, UpdateError> {
        Ok(Updated::new(update.state))
    }
}

impl Bind<Small> for Volumes {
    type Output = Credentials<Access>;
    type State = ();

    async fn bind(
        &self,
        new: NewBinding<Small, Volume>,
        _: &Work<()>,
    ) -> Result<Bound<Credentials<Access>>, BindError> {
        self.server.make(&format!("access-{}", new.id()), 0);
        // Another one for each attempt.
        let password = self.server.new_name();
        Ok(Bound::new(Credentials(Access { volume: new.state.name, password })))
    }

    async fn unbind(&self, gone: BindingRemains<Small, Volume>, _: &Work<()>) -> Result<(), UnbindError> {
        self.server.remove(&format!("access-{}", gone.id()));
        Ok(())
    }
}

#[broker]
struct Broker {
    volumes: Volumes,
}

/// What is found in a broker with a flaw.
async fn found(flaw: Flaw) -> String {
    let volumes = Volumes { flaw, ..Volumes::default() };
    let server = Arc::clone(&volumes.server);
    let replay = Replay::of(move || {
        let volumes = volumes.clone();
        async move { Broker { volumes } }
    });
    let replay = replay.plan("volumes", "small").left(move || server.count());
    match tokio::spawn(replay.run()).await {
        Ok(()) => String::new(),
        Err(error) => *error.into_panic().downcast::<String>().expect("a panic with a message"),
    }
}

#[tokio::test]
async fn what_can_be_run_again_passes() {
    assert_eq!(found(Flaw::None).await, "");
    let volumes = Volumes::default();
    let server = Arc::clone(&volumes.server);
    assert_idempotent(move || {
        let volumes = volumes.clone();
        async move { Broker { volumes } }
    })
    .await;
    assert_eq!(server.count(), 0, "every plan was played, and everything removed");
}

#[tokio::test]
async fn what_cannot_is_told_with_the_place_and_what_to_do() {
    for (flaw, expected) in [
        (
            Flaw::RefusesWhatIsThere,
            "`provision` of plan `volumes/small`, cut after checkpoint 2: the second attempt failed: the volume is there already\n  help: ",
        ),
        (
            Flaw::SavesTooLate,
            "`provision` of plan `volumes/small`, cut before checkpoint 1: 2 real things are there where an undisturbed run has 1\n  help: save with",
        ),
        (
            Flaw::BeginsAnew,
            "`provision` of plan `volumes/small`, cut when it had returned: the second attempt gives another state than the first: /name is ",
        ),
        (
            Flaw::RefusesWhatIsGone,
            "`deprovision` of plan `volumes/small`, cut when it had returned: the second attempt failed: the volume is gone already\n  help: a handler runs again",
        ),
        (
            Flaw::Adds,
            "`update` of plan `volumes/small`, cut after checkpoint 1: the result is not that of an undisturbed run: /state/size is 3 instead of 2\n  help: ",
        ),
        (Flaw::Panics, "the second attempt failed: the handler did not return; if it panicked, the log has it"),
    ] {
        let found = found(flaw).await;
        assert!(found.starts_with("not every handler can be run again\n\n"), "{flaw:?}: {found}");
        assert!(found.contains(expected), "{flaw:?}: {found}");
    }
}

#[tokio::test]
async fn parameters_that_cannot_be_guessed_are_asked_for() {
    let lab = Lab::default();
    let replay = || {
        let lab = lab.clone();
        Replay::of(move || {
            let lab = lab.clone();
            async move { LabBroker { lab } }
        })
    };
    let things = lab.clone();
    replay().left(move || things.inventory().len()).plan("lab", "small").update(json!({ "size": 2 })).run().await;
    let error = tokio::spawn(replay().plan("lab", "none").run()).await.expect_err("there is none");
    let message = error.into_panic().downcast::<String>().expect("a message");
    assert_eq!(*message, "the catalog has no plan \"none\" of a service \"lab\"");
    let refused = replay().plan("lab", "small").update(json!({ "mood": "refuse" }));
    let error = tokio::spawn(refused.run()).await.expect_err("it fails undisturbed");
    let message = error.into_panic().downcast::<String>().expect("a message");
    assert_eq!(*message, "`update` of plan `lab/small` fails even undisturbed: it was refused: Not now.");
}
