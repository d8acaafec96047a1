//! Replay finds mistakes that show only in some results: at a rollback, in credentials or labels, at a late point, or after
//! everything was deleted.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use osb_runtime::prelude::*;
use osb_testing::Replay;
use serde::{Deserialize, Serialize};

use crate::replay::run;

/// The defect of the broker. "Again" means in the second attempt.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Flaw {
    None,
    /// Creates the resource again under a name that only the first attempt knew.
    ForgetsName,
    /// Creates no resource again.
    CreatesLess,
    /// Removes only what a state names, and saves none before the resource is created.
    RemovesByState,
    /// Fails to remove what has no state.
    NeedsState,
    /// The same for the resource of a binding.
    UnbindsByState,
    /// Can't remove what was created again.
    StaysAgain,
    /// The state has the attempt.
    CountsInState,
    /// The state has one more member again.
    AddsToState,
    /// The state has one more element again.
    AddsToList,
    /// The name in the state ends with the attempt, after the id of the operation.
    NamesByOperation,
    /// A long text in the state ends with the attempt.
    LongState,
    /// The URL of the dashboard has the attempt.
    Dashboard,
    /// A label has the attempt.
    Label,
    /// An attribute has the attempt.
    Attribute,
    /// The credentials have the attempt.
    Output,
    /// A bind fails again.
    BindsOnce,
    /// A rotation fails again.
    RotatesOnce,
    /// Removing a binding fails again.
    UnbindsOnce,
    /// Removing the binding that a rotation has made fails again.
    UnbindsRotatedOnce,
    /// A change of plan fails again.
    ChangesOnce,
    /// Fails again after the last of many checkpoints.
    LateCheckpoint,
    /// Creates something for the last of many times that it waits.
    LateWait,
    /// Fails again, after many checkpoints.
    ManyTimes,
    /// Never ends again.
    Hangs,
}

/// Desks, which a warehouse keeps.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "desks",
    plans(Low, High, Old),
    changes(Low => High)
)]
#[derive(Clone)]
struct Desks {
    kept: Arc<Mutex<BTreeSet<String>>>,
    flaw: Flaw,
}

/// For writing.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "low", bindable, rotatable)]
struct Low;

/// For standing.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "high")]
struct High;

/// No longer made.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "old", retired)]
struct Old;

/// The state of a desk.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Desk {
    name: String,
    step: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    again: Option<bool>,
    drawers: Vec<u32>,
}

/// Access to a desk.
#[credentials]
struct Key {
    number: u32,
}

impl Desks {
    fn kept(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fails(&self, flaw: Flaw, attempt: u32) -> bool {
        self.flaw == flaw && attempt > 1
    }
}

impl<P: Plan> Provision<P> for Desks {
    type State = Desk;

    async fn provision(
        &self,
        request: ProvisionRequest<P>,
        operation: &Operation<Desk>,
    ) -> Result<Provisioned<Desk>, ProvisionError> {
        assert_ne!(request.plan.name, "old", "a retired plan isn't replayed");
        let (flaw, attempt) = (self.flaw, operation.attempt());
        let is_again = attempt > 1;
        let name = format!("desk {}", request.id());
        let mut desk = Desk { name: name.clone(), drawers: vec![1], ..Desk::default() };
        let is_early = matches!(flaw, Flaw::RemovesByState | Flaw::NeedsState);
        if is_early {
            self.kept().insert(name.clone());
        }
        operation.checkpoint(&desk).await?;
        if flaw == Flaw::StaysAgain {
            self.kept().remove("stuck");
            if is_again {
                self.kept().insert("stuck".to_owned());
            }
        }
        if !(is_again && flaw == Flaw::CreatesLess) {
            self.kept().insert(name);
        }
        match flaw {
            Flaw::LateCheckpoint | Flaw::ManyTimes => {
                let begin = operation.checkpointed().map_or(0, |desk| desk.step);
                if is_again && (flaw == Flaw::ManyTimes || begin >= 20) {
                    return Err("it was too late".into());
                }
                for step in 1..=20 {
                    operation.checkpoint(&Desk { step, ..desk.clone() }).await?;
                }
            }
            Flaw::LateWait => {
                for wait in 1..=12 {
                    if wait == 12 {
                        self.kept().insert(format!("lent in attempt {attempt}"));
                    }
                    tokio::task::yield_now().await;
                }
                self.kept().remove(&format!("lent in attempt {attempt}"));
            }
            Flaw::ForgetsName if is_again => "another desk".clone_into(&mut desk.name),
            Flaw::CountsInState => desk.step = attempt,
            Flaw::AddsToState => desk.again = is_again.then_some(true),
            Flaw::AddsToList if is_again => desk.drawers.push(2),
            Flaw::NamesByOperation => desk.name = format!("{} in attempt {attempt}", operation.id()),
            Flaw::LongState => desk.name = format!("{} in attempt {attempt}", "x".repeat(200)),
            Flaw::Hangs if is_again => std::future::pending().await,
            _ => {}
        }
        let number = |part: Flaw| if flaw == part { attempt } else { 1 };
        let url = DashboardUrl::new(format!("https://desks.example/{}", number(Flaw::Dashboard)))
            .map_err(|error| error.to_string())?;
        Ok(Provisioned::new(desk)
            .dashboard(url)
            .label("attempt", number(Flaw::Label))
            .attribute("attempt", number(Flaw::Attribute).to_string()))
    }

    async fn deprovision(
        &self,
        request: DeprovisionRequest<P, Desk>,
        _: &Operation<Desk>,
    ) -> Result<(), DeprovisionError> {
        let name = format!("desk {}", request.id());
        let state = request.state.decoded()?;
        match self.flaw {
            Flaw::StaysAgain if self.kept().contains("stuck") => return Err("it is stuck".into()),
            Flaw::NeedsState if state.is_none() => return Err("the state is missing".into()),
            Flaw::RemovesByState if state.is_none() => return Ok(()),
            _ => {}
        }
        let of_state = state.filter(|_| self.flaw == Flaw::ForgetsName);
        self.kept().remove(&of_state.map_or(name, |desk| desk.name));
        Ok(())
    }
}

impl Bind<Low> for Desks {
    type Output = Credentials<Key>;
    type BindingState = u32;

    async fn bind(
        &self,
        request: BindRequest<Low, Desk, u32>,
        operation: &Operation<u32>,
    ) -> Result<Bound<Credentials<Key>, u32>, BindError> {
        let attempt = operation.attempt();
        let is_rotation = request.id() == "second";
        if self.fails(Flaw::BindsOnce, attempt) || (is_rotation && self.fails(Flaw::RotatesOnce, attempt)) {
            return Err("the key exists".into());
        }
        self.kept().insert(format!("key {}", request.id()));
        operation.checkpoint(&1).await?;
        let number = if self.flaw == Flaw::Output { attempt } else { 1 };
        Ok(Bound::new(Credentials(Key { number }), 1))
    }

    async fn unbind(
        &self,
        request: UnbindRequest<Low, Desk, u32>,
        operation: &Operation<u32>,
    ) -> Result<(), UnbindError> {
        let is_rotated = request.id() == "second";
        let attempt = operation.attempt();
        if self.fails(Flaw::UnbindsOnce, attempt) || (is_rotated && self.fails(Flaw::UnbindsRotatedOnce, attempt)) {
            return Err("the key is gone".into());
        }
        let key = format!("key {}", request.id());
        if self.flaw == Flaw::UnbindsByState && request.state.decoded()?.is_none() {
            return Ok(());
        }
        self.kept().remove(&key);
        Ok(())
    }
}

impl ChangePlan<Low, High> for Desks {
    async fn change_plan(
        &self,
        request: UpdateRequest<Low, High, Desk>,
        operation: &Operation<Desk>,
    ) -> Result<Updated<Desk>, UpdateError> {
        if self.fails(Flaw::ChangesOnce, operation.attempt()) {
            return Err("the desk is high".into());
        }
        Ok(Updated::new(request.state))
    }
}

#[broker]
struct Broker(Desks);

fn replay(flaw: Flaw) -> Replay {
    let desks = Desks { kept: Arc::default(), flaw };
    let kept = Arc::clone(&desks.kept);
    let left = async move || {
        let all = kept.lock().unwrap_or_else(PoisonError::into_inner).clone();
        all.into_iter().filter(|name| name != "stuck").collect::<Vec<_>>()
    };
    Replay::of(move || {
        let desks = desks.clone();
        async move { Broker(desks) }
    })
    .left(left)
}

/// Returns the message for the plan `low` of a broker with a flaw.
async fn found(flaw: Flaw) -> String {
    run(replay(flaw).plan("desks", "low")).await.err().unwrap_or_default()
}

#[tokio::test]
async fn each_part_of_a_result_is_compared() {
    assert_eq!(found(Flaw::None).await, "");
    let differs = "the result differs from an undisturbed run: ";
    for (flaw, expected) in [
        (Flaw::CountsInState, "/state/step is 2 instead of 1"),
        (Flaw::AddsToState, "/state/again is true instead of null"),
        (Flaw::AddsToList, "/state/drawers is [1,2] instead of [1]"),
        (
            Flaw::NamesByOperation,
            "/state/name is \"<operation 1> in attempt 2\" instead of \"<operation 1> in attempt 1\"",
        ),
        (Flaw::Dashboard, "/dashboard_url is \"https://desks.example/2\" instead of \"https://desks.example/1\""),
        (Flaw::Label, "/labels/attempt is \"2\" instead of \"1\""),
        (Flaw::Attribute, "/attributes/attempt is \"2\" instead of \"1\""),
        (Flaw::Output, "/bindings/first/output/credentials/number is 2 instead of 1"),
    ] {
        let found = found(flaw).await;
        assert!(found.contains(&format!("{differs}{expected}")), "{flaw:?}: {found}");
    }
    let long = found(Flaw::LongState).await;
    assert!(long.contains(&format!("/state/name is \"{}… instead of \"x", "x".repeat(79))), "{long}");
}

#[tokio::test]
async fn resources_that_remain_or_are_missing_are_found_at_each_point() {
    let at = "of plan `desks/low`, interrupted ";
    for (flaw, expected) in [
        (
            Flaw::CreatesLess,
            format!("`provision` {at}before checkpoint 1: there are 0 resources, but 1 in an undisturbed run\n"),
        ),
        (
            Flaw::ForgetsName,
            format!(
                "`provision` {at}before checkpoint 1: these resources are left after everything was deleted: desk replayed\n"
            ),
        ),
        (
            Flaw::RemovesByState,
            format!(
                "`provision` {at}before checkpoint 1: after the rollback, there is 1 resource, but 0 in an undisturbed \
                 run: desk replayed\n"
            ),
        ),
        (Flaw::NeedsState, format!("`provision` {at}before checkpoint 1: the rollback failed: the state is missing\n")),
        (
            Flaw::UnbindsByState,
            format!(
                "`bind` {at}before checkpoint 1: after the rollback, there are 2 resources, but 1 in an undisturbed run: \
                 desk replayed, key first\n"
            ),
        ),
        (
            Flaw::StaysAgain,
            format!("`provision` {at}before checkpoint 1: `deprovision` failed afterwards: it is stuck\n"),
        ),
    ] {
        let named = replay(flaw).plan("desks", "low").may_differ("/name");
        let found = run(named).await.err().unwrap_or_default();
        assert!(found.contains(&expected), "{flaw:?}: {expected}\n{found}");
    }
}

#[tokio::test]
async fn each_handler_is_replayed() {
    for (flaw, handler, why) in [
        (Flaw::BindsOnce, "`bind`", "the key exists"),
        (Flaw::RotatesOnce, "`bind (a rotation)`", "the key exists"),
        (Flaw::UnbindsOnce, "`unbind`", "the key is gone"),
        (Flaw::UnbindsRotatedOnce, "`unbind`", "the key is gone"),
        (Flaw::ChangesOnce, "`change_plan`", "the desk is high"),
    ] {
        let found = found(flaw).await;
        let expected = format!(
            "{handler} of plan `desks/low`, interrupted after it had returned: the second attempt failed: {why}\n"
        );
        assert!(found.contains(&expected), "{flaw:?}: {found}");
    }
}

#[tokio::test]
async fn the_first_and_the_last_of_many_points_are_tried() {
    let late = found(Flaw::LateCheckpoint).await;
    assert!(late.contains("interrupted after checkpoint 21: the second attempt failed: it was too late"), "{late}");
    let late = found(Flaw::LateWait).await;
    assert!(late.contains("waits for the 12th time: there are 2 resources, but 1 in an undisturbed run"), "{late}");
    let many = found(Flaw::ManyTimes).await;
    assert_eq!(many.matches("`provision` of plan `desks/low`").count(), 12, "{many}");
    // Both sides of 16 checkpoints, and the end; a rollback doesn't call the handler.
    assert!(many.ends_with("\n\nand 21 more"), "{many}");
}

#[tokio::test]
async fn plans_are_chosen_by_id_and_retired_ones_only_by_name() {
    run(replay(Flaw::None)).await.expect("all but the retired plan pass");
    let id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03";
    run(replay(Flaw::ChangesOnce).plan("desks", id)).await.expect("the other plan has no change");
    let old = run(replay(Flaw::None).plan("desks", "old")).await.expect_err("its handler panics");
    assert!(old.contains("`provision` of plan `desks/old` fails even without interruption"), "{old}");
}

#[tokio::test]
async fn an_attempt_that_never_ends_is_reported_after_the_given_time() {
    let hangs = replay(Flaw::Hangs).plan("desks", "high").patience(Duration::from_millis(500));
    let said = run(hangs).await.expect_err("it never ends");
    assert!(said.contains("`provision` of plan `desks/high`, interrupted "), "{said}");
    assert!(said.contains("the second attempt failed: the operation did not finish within 500ms"), "{said}");
}
