//! Replay accepts idempotent handlers, and reports others with the point of the interruption and a remedy.

use std::{collections::BTreeMap, sync::atomic::AtomicU64};

use osb_lab::prelude::*;
use osb_runtime::prelude::*;
use osb_testing::{Replay, assert_idempotent};
use serde::{Deserialize, Serialize};

/// Volumes, whose names are chosen by a server that outlives the broker.
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

/// The defect of the broker.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
enum Flaw {
    #[default]
    None,
    /// Fails if the volume already exists.
    FailsIfExists,
    /// Creates the volume before its name is saved.
    SavesTooLate,
    /// Ignores the checkpoints of earlier attempts.
    IgnoresCheckpoint,
    /// Fails if the volume is already deleted.
    FailsIfDeleted,
    /// Increments the size on update instead of setting it.
    Increments,
    /// Panics in the second attempt.
    Panics,
    /// Takes a volume for a while after the last checkpoint, under a name of the attempt.
    BorrowsForAWhile,
    /// Creates another volume for each attempt of maintenance.
    MaintainsTwice,
    /// Increments the size in a change of plan with parameters.
    GrowsTwice,
    /// Deletes nothing that a failed change of plan has created.
    ForgetsFailedChanges,
    /// Creates the volume of a new plan before its name is saved.
    MovesTooEarly,
    /// Deletes the volumes of others.
    DeletesOthers,
    /// Deletes the volumes of others in the second attempt.
    DeletesOthersAgain,
    /// Deletes the copy that an update needs only if it succeeds.
    CopiesForUpdate,
    /// The same for maintenance.
    CopiesForMaintenance,
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

    fn names(&self) -> Vec<String> {
        self.volumes.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
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
    rotatable,
    maintenance_info(version = "2.0.0")
)]
struct Small;

/// A large one.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "large", create = NewVolume, update = VolumeChanges)]
struct Large;

/// Parameters of a volume.
#[parameters(partial = VolumeChanges)]
struct NewVolume {
    /// Its size.
    #[param(range(min = 1, max = 8))]
    size: u32,
}

/// The state of a volume.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Volume {
    name: String,
    size: u32,
}

/// Credentials of a volume.
#[credentials]
struct Access {
    volume: String,
    password: String,
}

impl<P: Plan<Create = NewVolume>> Provision<P> for Volumes {
    type State = Volume;

    async fn provision(
        &self,
        request: ProvisionRequest<P>,
        operation: &Operation<Volume>,
    ) -> Result<Provisioned<Volume>, ProvisionError> {
        let size = request.parameters.size;
        let fresh = || Volume { name: self.server.new_name(), size };
        let volume = match self.flaw {
            Flaw::IgnoresCheckpoint => fresh(),
            _ => operation.checkpointed().unwrap_or_else(fresh),
        };
        assert!(self.flaw != Flaw::Panics || operation.attempt() == 1, "second attempt");
        if self.flaw == Flaw::SavesTooLate {
            self.server.make(&volume.name, size);
        }
        operation.checkpoint(&volume).await?;
        if !self.server.make(&volume.name, size) && self.flaw == Flaw::FailsIfExists {
            return Err("the volume already exists".into());
        }
        operation.checkpoint(&volume).await?;
        if self.flaw == Flaw::BorrowsForAWhile {
            let borrowed = self.server.new_name();
            self.server.make(&borrowed, 1);
            tokio::time::sleep(Duration::from_millis(1)).await;
            self.server.remove(&borrowed);
        }
        Ok(Provisioned::new(volume))
    }

    async fn deprovision(
        &self,
        request: DeprovisionRequest<P, Volume>,
        operation: &Operation<Volume>,
    ) -> Result<(), DeprovisionError> {
        if let Some(change) = request.unfinished_change
            && self.flaw != Flaw::ForgetsFailedChanges
        {
            self.server.remove(&serde_json::from_value::<Volume>(change.checkpoint.value)?.name);
        }
        let Some(volume) = request.state.decoded()? else { return Ok(()) };
        operation.checkpoint(&volume).await?;
        if self.flaw == Flaw::DeletesOthers || (self.flaw == Flaw::DeletesOthersAgain && operation.attempt() > 1) {
            self.server.remove("of another broker");
        }
        if !self.server.remove(&volume.name) && self.flaw == Flaw::FailsIfDeleted {
            return Err("the volume is already deleted".into());
        }
        Ok(())
    }
}

impl<P: Plan<Create = NewVolume, Update = VolumeChanges> + Updatable> Update<P> for Volumes {
    async fn update(
        &self,
        request: UpdateRequest<P, P, Volume>,
        operation: &Operation<Volume>,
    ) -> Result<Updated<Volume>, UpdateError> {
        let mut volume = operation.checkpointed().unwrap_or(request.state);
        volume.size = if self.flaw == Flaw::Increments { volume.size + 1 } else { request.parameters.size };
        operation.checkpoint(&volume).await?;
        if self.flaw == Flaw::MaintainsTwice && request.maintenance.is_some() {
            self.server.make(&self.server.new_name(), 1);
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let copies = if request.maintenance.is_some() { Flaw::CopiesForMaintenance } else { Flaw::CopiesForUpdate };
        if self.flaw == copies {
            let copy = format!("copy of {}", volume.name);
            self.server.make(&copy, 1);
            tokio::time::sleep(Duration::from_millis(1)).await;
            self.server.remove(&copy);
        }
        self.server.make(&volume.name, volume.size);
        Ok(Updated::new(volume))
    }
}

impl ChangePlan<Small, Large> for Volumes {
    async fn change_plan(
        &self,
        request: UpdateRequest<Small, Large, Volume>,
        operation: &Operation<Volume>,
    ) -> Result<Updated<Volume>, UpdateError> {
        let (old, size) = (request.state, request.parameters.size);
        let fresh = || Volume { name: self.server.new_name(), size: old.size };
        let mut volume = operation.checkpointed().unwrap_or_else(fresh);
        if self.flaw == Flaw::MovesTooEarly {
            self.server.make(&volume.name, size);
        }
        if volume.size != size {
            volume.size = if self.flaw == Flaw::GrowsTwice { volume.size + 1 } else { size };
        }
        operation.checkpoint(&volume).await?;
        self.server.make(&volume.name, volume.size);
        self.server.remove(&old.name);
        Ok(Updated::new(volume))
    }
}

impl Bind<Small> for Volumes {
    type Output = Credentials<Access>;
    type BindingState = ();

    async fn bind(
        &self,
        request: BindRequest<Small, Volume>,
        _: &Operation<()>,
    ) -> Result<Bound<Credentials<Access>>, BindError> {
        self.server.make(&format!("access-{}", request.id()), 0);
        // Differs between attempts.
        let password = self.server.new_name();
        Ok(Bound::new(Credentials(Access { volume: request.instance_state.name, password }), ()))
    }

    async fn unbind(&self, request: UnbindRequest<Small, Volume>, _: &Operation<()>) -> Result<(), UnbindError> {
        self.server.remove(&format!("access-{}", request.id()));
        Ok(())
    }
}

/// Counters without resources, in the same broker.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "counters", plans(Shared))]
struct Counters;

/// On a shared machine.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "shared", bindable)]
struct Shared;

osb_lab::provision_nothing!(Counters);

osb_lab::bind_nothing! {
    Counters: Shared => Credentials<Access> = |new| {
        Credentials(Access { volume: new.id().to_owned(), password: String::new() })
    };
}

#[broker]
struct Broker {
    volumes: Volumes,
    counters: Counters,
}

/// Runs a replay, and returns the message with which it fails.
pub(crate) async fn run(replay: Replay) -> Result<(), String> {
    let message = |error: tokio::task::JoinError| *error.into_panic().downcast::<String>().expect("a message");
    tokio::spawn(replay.run()).await.map_err(message)
}

/// Returns the message for a broker with a flaw.
async fn found(flaw: Flaw) -> String {
    run(flawed(flaw)).await.err().unwrap_or_default()
}

fn flawed(flaw: Flaw) -> Replay {
    let volumes = Volumes { flaw, ..Volumes::default() };
    let server = Arc::clone(&volumes.server);
    let others = Arc::clone(&server);
    let replay = Replay::of(move || {
        let volumes = volumes.clone();
        if [Flaw::DeletesOthers, Flaw::DeletesOthersAgain].contains(&flaw) {
            others.make("of another broker", 1);
        }
        async move { Broker { volumes, counters: Counters } }
    });
    let replay = replay.plan("volumes", "small").left(async move || server.names());
    replay.change_plan("large", json!({ "size": 5 }))
}

#[tokio::test]
async fn idempotent_handlers_pass() {
    assert_eq!(found(Flaw::None).await, "");
    let volumes = Volumes::default();
    let server = Arc::clone(&volumes.server);
    assert_idempotent(move || {
        let volumes = volumes.clone();
        async move { Broker { volumes, counters: Counters } }
    })
    .await;
    assert_eq!(server.count(), 0, "everything was deleted");
}

#[tokio::test]
async fn other_handlers_are_reported_with_a_remedy() {
    for (flaw, expected) in [
        (
            Flaw::FailsIfExists,
            "`provision` of plan `volumes/small`, interrupted after checkpoint 2: the second attempt failed: the volume already exists\n  help: ",
        ),
        (
            Flaw::SavesTooLate,
            "`provision` of plan `volumes/small`, interrupted before checkpoint 1: there are 2 resources, but 1 in an undisturbed run: volume-",
        ),
        (
            Flaw::IgnoresCheckpoint,
            "`provision` of plan `volumes/small`, interrupted after it had returned: the second attempt returned a different state than the first: /name is ",
        ),
        (
            Flaw::FailsIfDeleted,
            "`deprovision` of plan `volumes/small`, interrupted after it had returned: the second attempt failed: the volume is already deleted\n  help: resources of the first attempt",
        ),
        (
            Flaw::Increments,
            "`update` of plan `volumes/small`, interrupted after checkpoint 1: the result differs from an undisturbed run: /state/size is 3 instead of 2\n  help: ",
        ),
        (
            Flaw::BorrowsForAWhile,
            "`provision` of plan `volumes/small`, interrupted where it waits for the first time: there are 2 resources, but 1 in an undisturbed run: volume-",
        ),
        (
            Flaw::MaintainsTwice,
            "`update (maintenance)` of plan `volumes/small`, interrupted where it waits for the first time: there are 3 resources, but 2 in",
        ),
        (
            Flaw::GrowsTwice,
            "`change_plan (with parameters)` of plan `volumes/small`, interrupted after checkpoint 1: the result differs from an undisturbed run: /state/size is ",
        ),
        (
            Flaw::ForgetsFailedChanges,
            "`change_plan` of plan `volumes/small`, interrupted after it had returned: after the operation had failed, these resources are left after everything was deleted: volume-",
        ),
        (Flaw::MovesTooEarly, "`change_plan` of plan `volumes/small`, interrupted before checkpoint 1: "),
        (
            Flaw::DeletesOthers,
            "`deprovision` of plan `volumes/small`, without an interruption: it deleted resources that existed before the run: of another broker\n  help: a handler must delete only what belongs to its instance",
        ),
        (
            Flaw::DeletesOthersAgain,
            "`deprovision` of plan `volumes/small`, interrupted after checkpoint 1: it deleted resources that existed before the run: of another broker\n  help: a handler must delete only what belongs to its instance",
        ),
        (
            Flaw::CopiesForUpdate,
            "`update` of plan `volumes/small`, interrupted where it waits for the first time: after the operation had failed, these resources are left after everything was deleted: copy of volume-",
        ),
        (
            Flaw::CopiesForMaintenance,
            "`update (maintenance)` of plan `volumes/small`, interrupted where it waits for the first time: after the operation had failed, these resources are left after everything was deleted: copy of volume-",
        ),
        (Flaw::Panics, "the second attempt failed: the handler did not return; if it panicked, see the log"),
    ] {
        let found = found(flaw).await;
        assert!(found.starts_with("some handlers are not idempotent\n\n"), "{flaw:?}: {found}");
        assert!(found.contains(expected), "{flaw:?}: {found}");
    }
}

#[tokio::test]
async fn handlers_can_be_replayed_alone() {
    let flawed = || flawed(Flaw::MaintainsTwice);
    assert_eq!(run(flawed().handler("provision").handler("change_plan").handler("deprovision")).await, Ok(()));
    let message = run(flawed().handler("provision").handler("update")).await.expect_err("the flaw");
    assert!(message.contains("`update (maintenance)` of plan `volumes/small`"), "{message}");
}

#[tokio::test]
async fn a_handler_that_no_request_calls_is_not_replayed_in_silence() {
    let replay = Replay::of(|| async { Broker { volumes: Volumes::default(), counters: Counters } });
    let replay = replay.plan("counters", "shared").handler("bind").handler("update");
    assert_eq!(run(replay).await, Err("no request of this replay calls `update`".to_owned()));
}

#[test]
#[should_panic(
    expected = "there is no handler \"rotate\"; they are provision, update, change_plan, deprovision, bind, unbind"
)]
fn only_handlers_are_replayed() {
    _ = Replay::of(|| async { LabBroker { lab: Lab::default() } }).handler("rotate");
}

#[tokio::test]
async fn parameters_can_be_set_and_a_failing_run_is_reported() {
    let lab = Lab::default();
    let replay = || {
        let lab = lab.clone();
        Replay::of(move || {
            let lab = lab.clone();
            async move { LabBroker { lab } }
        })
    };
    let counted = lab.clone();
    replay().left(async move || counted.inventory()).plan("lab", "small").update(json!({ "size": 2 })).run().await;
    let message = run(replay().plan("lab", "none")).await.expect_err("no such plan");
    assert_eq!(message, "the catalog has no plan \"none\" of a service \"lab\"");
    let refused = replay().plan("lab", "small").update(json!({ "mood": "refuse" }));
    let message = run(refused).await.expect_err("the update is refused");
    assert_eq!(
        message,
        "`update` of plan `lab/small` fails even without interruption: the request was refused: Not now.\n  \
         help: its parameters were {\"mood\":\"refuse\"}; set others with `.update(json!({ ... }))`"
    );
    let invalid = replay().plan("lab", "small").parameters(json!({ "size": "large" }));
    let message = run(invalid).await.expect_err("the parameters are invalid");
    assert!(message.contains("`provision` of plan `lab/small` fails even without interruption: 400 "), "{message}");
    assert!(message.contains("/size: \\\"large\\\" is not"), "{message}");
}

#[test]
#[should_panic(expected = "\"token\" is not a JSON pointer, which begins with `/`")]
fn values_that_may_differ_are_named_by_a_pointer() {
    _ = Replay::of(|| async { LabBroker { lab: Lab::default() } }).may_differ("token");
}
