//! Replays one script: without a crash, and with one at each point.

use std::{
    collections::BTreeSet,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use osb_runtime::{
    catalog::{Offering, PlanInfo},
    store::Records,
};
use serde_json::Value;

use super::{
    MOST_CHECKPOINTS, MOST_WAITS, Replay,
    run::{Difference, Observation, Operations, Run, listed},
    step::{FIRST, INSTANCE, SECOND, Step},
};
use crate::{
    Client,
    compare::{compare, exactly},
    interrupter::{Interrupter, Point},
};

/// A violation, and its remedy.
pub(super) struct Finding {
    plan: String,
    handler: String,
    point: String,
    what: String,
    help: &'static str,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { plan, handler, point, what, help } = self;
        write!(f, "`{handler}` of plan `{plan}`, {point}: {what}\n  help: {help}")
    }
}

const FAILS_AGAIN: &str = "resources of the first attempt may already exist, or be deleted: continue from \
                           `operation.checkpointed()`, and treat `already exists` and `not found` as success";
const DIFFERS: &str = "derive names of resources from the id of the instance or binding or from \
                       `operation.id()`, or save them with `operation.checkpoint` before the resource is created and \
                       continue from `operation.checkpointed()`; values that may differ can be named with `may_differ`";
const LEFT: &str = "save the name of a resource with `operation.checkpoint` before it is created, or derive it from the id of \
                    the instance or binding; the state may be missing when the resource is deleted";

const UNFINISHED: &str = "save the name of a resource with `operation.checkpoint` before it is created; `deprovision` gets the last \
                          checkpoint of a failed update as the state, and that of a failed change of plan as \
                          `unfinished_change`";

const MISSING: &str = "a handler must delete only what belongs to its instance or binding; if something else deletes resources \
                       during the test, such as another test or an earlier run, let `left` list those of this test only";

/// A sequence of requests for one instance.
pub(super) struct Script<'a> {
    pub(super) replay: &'a Replay,
    pub(super) offering: &'static Offering,
    pub(super) plan: &'static PlanInfo,
    pub(super) steps: Arc<Vec<Step>>,
}

/// The outcome of a simulated process.
enum End<T> {
    Died,
    Done(T),
}

impl Script<'_> {
    pub(super) async fn play(&self) -> Vec<Finding> {
        let (one, other) = (self.undisturbed().await, self.undisturbed().await);
        let mut findings = Vec::new();
        let finding = |step: &Step, point, (what, help)| Finding {
            plan: format!("{}/{}", self.offering.name, self.plan.spec.name),
            handler: step.name(),
            point,
            what,
            help,
        };
        // Without a crash too: one finding says all.
        for (step, seen) in self.steps.iter().zip(&one) {
            if let Some(left) = seen.left.as_ref().filter(|left| !left.missing.is_empty()) {
                let what = left.problem(&Difference::default()).unwrap_or_default();
                return vec![finding(step, "without an interruption".to_owned(), (what, MISSING))];
            }
        }
        let has_subject = self.steps.iter().any(Step::is_alone);
        let handlers = &self.replay.handlers;
        for (index, step) in self.steps.iter().enumerate() {
            // The other steps of this script are covered by the main script.
            if has_subject && !step.is_alone() {
                continue;
            }
            if !handlers.is_empty() && !handlers.iter().any(|handler| step.calls(handler)) {
                continue;
            }
            let checkpoints = first_and_last(one[index].checkpoints).flat_map(|n| [Point::Before(n), Point::After(n)]);
            let waits = spread(one[index].waits).map(Point::Waiting);
            for point in checkpoints.chain(waits).chain([Point::Returned]) {
                let found = self.resumed(index, point, [&one, &other]).await;
                let found = match found {
                    None if step.creates() => self.rolled_back(index, point, &one).await,
                    None if step.updates() => self.failed(index, point).await,
                    found => found,
                };
                findings.extend(found.map(|found| finding(step, describe(point), found)));
            }
        }
        findings
    }

    async fn new_run(&self) -> Run {
        let (left, patience) = (self.replay.left.clone(), self.replay.patience);
        let (records, operations) = (Records::in_memory(), Operations::default());
        let may_differ = self.replay.may_differ.as_slice().into();
        let mut run = Run { records, operations, left, before: BTreeSet::default(), patience, may_differ };
        let in_process = run.clone();
        let seen = self.process(&run, move |_, interrupter| async move { in_process.observe(&interrupter).await });
        if let End::Done(Observation { left: Some(Difference { added, .. }), .. }) = seen.await {
            run.before = added;
        }
        run
    }

    /// Runs all steps in one process without interruption.
    async fn undisturbed(&self) -> Vec<Observation> {
        let (run, steps, name) = (self.new_run().await, Arc::clone(&self.steps), self.plan.spec.name);
        let service = self.offering.name;
        let in_process = run.clone();
        let seen = self.process(&run, move |platform, interrupter| async move {
            let mut seen = Vec::new();
            for step in steps.iter() {
                interrupter.arm(None);
                in_process.step(step, &platform, service, name, &interrupter).await;
                seen.push(in_process.observe(&interrupter).await);
            }
            seen
        });
        match seen.await {
            End::Done(seen) => seen,
            End::Died => panic!("the process ended without an interruption"),
        }
    }

    /// Runs the steps up to `index` in a process that crashes at `point` of the last one. Returns the state that its
    /// handler had returned, if it had, or `None` if the process did not reach the point.
    async fn interrupted(&self, run: &Run, index: usize, point: Point) -> Option<Option<Value>> {
        let (steps, name, service) = (Arc::clone(&self.steps), self.plan.spec.name, self.offering.name);
        let in_process = run.clone();
        let returned = Arc::new(Mutex::new(None));
        let saved = Arc::clone(&returned);
        let end = self.process(run, move |platform, interrupter| async move {
            for step in &steps[..index] {
                interrupter.arm(None);
                in_process.step(step, &platform, service, name, &interrupter).await;
            }
            interrupter.arm(Some(point));
            tokio::select! {
                () = interrupter.reached.notified() => {
                    *saved.lock().unwrap_or_else(PoisonError::into_inner) = interrupter.state();
                    true
                }
                () = in_process.step(&steps[index], &platform, service, name, &interrupter) => false,
            }
        });
        match end.await {
            End::Done(true) => Some(returned.lock().unwrap_or_else(PoisonError::into_inner).take()),
            End::Done(false) | End::Died => None,
        }
    }

    /// Interrupts the handler, and lets another process finish the operation. Returns a violation and its remedy.
    async fn resumed(
        &self,
        index: usize,
        point: Point,
        [one, other]: [&Vec<Observation>; 2],
    ) -> Option<(String, &'static str)> {
        let (run, step) = (self.new_run().await, self.steps[index].clone());
        let returned = self.interrupted(&run, index, point).await?;
        run.expire(&step.key(), true).await;
        let (in_process, taken) = (run.clone(), step.clone());
        let seen = self.process(&run, move |_, interrupter| async move {
            let failure = in_process.finished(&taken.key(), &interrupter).await;
            (failure, in_process.observe(&interrupter).await, in_process.state(&taken.key()).await)
        });
        let End::Done((failure, seen, state)) = seen.await else {
            return Some(("the second process ended early".to_owned(), FAILS_AGAIN));
        };
        let removed = self.removed(&run).await;
        if let Some(failure) = failure {
            return Some((format!("the second attempt failed: {failure}"), FAILS_AGAIN));
        }
        if let (Some(first), false) = (returned, matches!(step, Step::Unbind(_) | Step::Deprovision))
            && let Some(difference) = exactly(&first, &state, &self.replay.may_differ)
        {
            return Some((
                format!("the second attempt returned a different state than the first: {difference}"),
                DIFFERS,
            ));
        }
        if let Some(difference) = compare(&one[index].result, &other[index].result, &seen.result) {
            return Some((format!("the result differs from an undisturbed run: {difference}"), DIFFERS));
        }
        if let (Some(expected), Some(left)) = (&one[index].left, &seen.left)
            && let Some(problem) = left.problem(expected)
        {
            return Some((problem, left.remedy()));
        }
        removed.map(|problem| (problem, LEFT))
    }

    /// Interrupts the handler, and lets another process roll back, as if the platform had seen an error.
    async fn rolled_back(&self, index: usize, point: Point, one: &[Observation]) -> Option<(String, &'static str)> {
        let (run, step) = (self.new_run().await, self.steps[index].clone());
        self.interrupted(&run, index, point).await?;
        run.expire(&step.key(), false).await;
        let in_process = run.clone();
        let seen = self.process(&run, move |_, interrupter| async move {
            in_process.finished(&step.key(), &interrupter).await;
            let gone = in_process.record(&step.key()).await.get("tombstone").is_some();
            let seen = in_process.observe(&interrupter).await;
            (gone, interrupter.error(), seen.left)
        });
        let End::Done((gone, why, left)) = seen.await else {
            return Some(("the second process ended early".to_owned(), LEFT));
        };
        let removed = self.removed(&run).await;
        if !gone {
            let why = why.unwrap_or_default();
            return Some((format!("the rollback failed: {why}"), LEFT));
        }
        let expected =
            index.checked_sub(1).map_or_else(|| Some(Difference::default()), |before| one[before].left.clone());
        if let (Some(expected), Some(left)) = (expected, left)
            && let Some(problem) = left.problem(&expected)
        {
            return Some((format!("after the rollback, {problem}"), left.remedy()));
        }
        removed.map(|problem| (problem, LEFT))
    }

    /// Interrupts the handler, lets the operation fail, as at its deadline, and deletes the instance.
    async fn failed(&self, index: usize, point: Point) -> Option<(String, &'static str)> {
        let (run, step) = (self.new_run().await, self.steps[index].clone());
        self.interrupted(&run, index, point).await?;
        run.time_out(&step.key()).await;
        let in_process = run.clone();
        let failed = self
            .process(&run, move |_, interrupter| async move { in_process.finished(&step.key(), &interrupter).await });
        let End::Done(_) = failed.await else {
            return Some(("the second process ended early".to_owned(), UNFINISHED));
        };
        let problem = self.removed(&run).await?;
        Some((format!("after the operation had failed, {problem}"), UNFINISHED))
    }

    /// Deletes everything. Returns a message if that fails, or leaves resources behind.
    async fn removed(&self, run: &Run) -> Option<String> {
        let in_process = run.clone();
        let (name, service) = (self.plan.spec.name, self.offering.name);
        let left = self.process(run, move |platform, interrupter| async move {
            for step in [Step::Unbind(SECOND), Step::Unbind(FIRST), Step::Deprovision] {
                interrupter.arm(None);
                let answer = step.ask(&platform, service, name).await;
                if let Some(failure) = in_process.ended(answer, &step.key(), &interrupter).await {
                    return Some(format!("`{}` failed afterwards: {failure}", step.name()));
                }
            }
            let left = in_process.observe(&interrupter).await.left?;
            if !left.missing.is_empty() {
                return left.problem(&Difference::default());
            }
            let names = Some(left.added).filter(|added| !added.is_empty())?;
            Some(format!("these resources are left after everything was deleted: {}", listed(&names)))
        });
        match left.await {
            End::Done(left) => left,
            End::Died => Some("the process that deletes everything ended early".to_owned()),
        }
    }

    /// Simulates a process of the broker by a thread with its own runtime, which ends with `work`.
    async fn process<T, F>(
        &self,
        run: &Run,
        work: impl FnOnce(Arc<Client>, Arc<Interrupter>) -> F + Send + 'static,
    ) -> End<T>
    where
        T: Send + 'static,
        F: Future<Output = T>,
    {
        let (start, mut settings) = (Arc::clone(&self.replay.start), run.settings());
        settings.overrides = self.replay.overrides.clone();
        let (service, plan, patience) = (self.offering.id, self.plan.spec.id, self.replay.patience);
        let (send, result) = tokio::sync::oneshot::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.expect("a runtime");
            let done = runtime.block_on(async {
                let interrupter = Arc::new(Interrupter::default());
                settings.observer = Some(interrupter.clone());
                let platform = Arc::new(start(settings).await);
                // It survives the crashes of the broker, and knows the resources that an earlier process created.
                platform.remember(INSTANCE, (service.to_owned(), plan.to_owned()));
                // The second reference keeps the broker running until the process ends.
                work(Arc::clone(&platform), interrupter).await
            });
            // Drops all running futures at their current await, and waits for blocking functions, which can't be interrupted.
            runtime.shutdown_timeout(patience);
            _ = send.send(done);
        });
        match result.await {
            Ok(done) => End::Done(done),
            Err(_) => match thread.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => End::Died,
            },
        }
    }
}

impl Difference {
    fn remedy(&self) -> &'static str {
        if self.missing.is_empty() { LEFT } else { MISSING }
    }
}

/// Returns the numbers of the checkpoints that are tried.
fn first_and_last(number: usize) -> impl Iterator<Item = usize> {
    const HALF: usize = MOST_CHECKPOINTS / 2;
    (1..=number).filter(move |n| number <= MOST_CHECKPOINTS || *n <= HALF || number - n < HALF)
}

/// Returns the numbers of the waits that are tried.
fn spread(number: usize) -> impl Iterator<Item = usize> {
    let tried = number.min(MOST_WAITS);
    (1..=tried).map(move |n| n * number / tried)
}

fn describe(point: Point) -> String {
    match point {
        Point::Before(number) => format!("interrupted before checkpoint {number}"),
        Point::After(number) => format!("interrupted after checkpoint {number}"),
        Point::Waiting(number) => format!("interrupted where it waits for the {} time", ordinal(number)),
        Point::Returned => "interrupted after it had returned".to_owned(),
    }
}

fn ordinal(number: usize) -> String {
    match number {
        1 => "first".to_owned(),
        2 => "second".to_owned(),
        3 => "third".to_owned(),
        number => format!("{number}th"),
    }
}
