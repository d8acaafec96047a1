//! Generates valid and invalid parameters from a plan's schemas.

mod invalid;
mod pattern;
#[cfg(test)]
mod tests;
mod values;

use std::{
    sync::{
        atomic::{AtomicUsize, Ordering::Relaxed},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use jsonschema::Validator;
use serde_json::Value;

/// Requests stay small: no value of this many bytes or more is generated.
const LONGEST: usize = 10_000;

/// The time to find parameters. For a schema that people wrote, milliseconds suffice.
const LONGEST_TIME: Duration = Duration::from_secs(5);

/// The number of searches that may be given up: each leaves a thread that keeps a processor busy.
const MOST_GIVEN_UP: usize = 3;

/// The stack of the thread in which they are sought: as large as that of a program's main thread, as schemas are nested.
const STACK: usize = 8 << 20;

/// Parameters of an operation.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Samples {
    /// Valid parameters; `None` if the operation takes none.
    pub(super) good: Option<Value>,
    /// Other valid parameters with a different meaning.
    pub(super) other: Option<Value>,
    /// Invalid parameters, each with a description of its defect.
    pub(super) bad: Vec<(String, Value)>,
}

impl Samples {
    /// Generates parameters; `None` if no valid ones are found.
    pub(super) fn of(schema: Option<&Value>) -> Option<Self> {
        let Some(schema) = schema else { return Some(Self::default()) };
        let schema = schema.clone();
        in_time(move || Self::sought(&schema))
    }

    fn sought(schema: &Value) -> Option<Self> {
        let validator = jsonschema::validator_for(schema).ok()?;
        let objects = values::objects(schema);
        let (good, other) = pair(&objects, &validator)?;
        let bad = invalid::of(schema, &good);
        let bad = bad.into_iter().filter(|(_, parameters)| !validator.is_valid(parameters)).collect();
        Some(Self { good: Some(good), other, bad })
    }
}

/// Runs `work` in a thread, and gives up after a time: a few lines of a hostile schema can have more alternatives than can be
/// tried. The thread then ends with the process.
fn in_time<T: PartialEq + Send + 'static>(work: impl FnOnce() -> Option<T> + Send + 'static) -> Option<T> {
    static GIVEN_UP: AtomicUsize = AtomicUsize::new(0);
    if GIVEN_UP.load(Relaxed) >= MOST_GIVEN_UP {
        return None;
    }
    let (sender, receiver) = mpsc::channel();
    // Sending fails once the wait is over.
    thread::Builder::new().stack_size(STACK).spawn(move || sender.send(work())).ok()?;
    let made = receiver.recv_timeout(LONGEST_TIME);
    if made == Err(RecvTimeoutError::Timeout) {
        GIVEN_UP.fetch_add(1, Relaxed);
    }
    made.ok()?
}

/// Returns the first two valid objects of the same group, which have the same properties with different values; or else
/// the first valid object.
fn pair(objects: &[Vec<Value>], validator: &Validator) -> Option<(Value, Option<Value>)> {
    let mut alone = None;
    for alike in objects {
        let mut good = alike.iter().filter(|object| validator.is_valid(object));
        match (good.next(), good.next()) {
            (Some(first), Some(second)) => return Some((first.clone(), Some(second.clone()))),
            (Some(first), None) => alone = alone.or(Some(first.clone())),
            (None, _) => {}
        }
    }
    Some((alone?, None))
}
