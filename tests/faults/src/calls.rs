//! The call log of the handlers of [`crate::files`], and its invariants.

use std::collections::{BTreeMap, HashMap};

/// A line of the call log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Note<'a> {
    pub(crate) process: &'a str,
    pub(crate) operation: &'a str,
    attempt: u32,
    pub(crate) handler: &'a str,
    pub(crate) resource: &'a str,
    pub(crate) event: &'a str,
    number: Option<u32>,
}

/// The processes that write the log.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Processes {
    /// One after the other; the log doesn't have their ends.
    Successive,
    /// Several at once; the log has the ends and the stops of each, by [`without`].
    Replicas,
}

/// Formats a line about a process: it is dead, or has been stopped for longer than a lease. Its calls don't count as running.
pub(crate) fn without(process: u32) -> String {
    format!("{process} - 0 - - without\n")
}

/// Returns the operations that handlers of a process are working on.
pub(crate) fn running(text: &str, process: u32) -> Vec<String> {
    let (process, mut running) = (process.to_string(), BTreeMap::new());
    for note in read(text).filter(|note| note.process == process) {
        match note.event {
            "started" => drop(running.insert(note.resource, note.operation)),
            "ended" => drop(running.remove(note.resource)),
            _ => {}
        }
    }
    running.into_values().map(str::to_owned).collect()
}

/// Parses the log, except for a last line that a crash has truncated.
pub(crate) fn read(text: &str) -> impl Iterator<Item = Note<'_>> {
    text.lines().filter_map(|line| {
        let mut words = line.split(' ');
        Some(Note {
            process: words.next()?,
            operation: words.next()?,
            attempt: words.next()?.parse().ok()?,
            handler: words.next()?,
            resource: words.next()?,
            event: words.next()?,
            number: words.next().and_then(|number| number.parse().ok()),
        })
    })
}

/// Checks that an operation always refers to the same resource, that attempts rise, that no checkpoint is lost, and that no two
/// handlers work on a resource at once.
pub(crate) fn check(text: &str, processes: Processes) -> Result<(), String> {
    let mut instances: HashMap<&str, &str> = HashMap::new();
    let mut attempts: HashMap<(&str, &str, &str), u32> = HashMap::new();
    let mut saved: HashMap<&str, u32> = HashMap::new();
    let mut running: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    // A process can be stopped between the last look at its claim and the first line of its handler.
    let mut stops: HashMap<&str, u32> = HashMap::new();
    for note in read(text) {
        let Note { process, operation, attempt, handler, resource, event, number } = note;
        if event == "without" {
            running.retain(|(of, _), _| *of != process);
            *stops.entry(process).or_default() += 1;
            continue;
        }
        let instance = resource.split('/').next().unwrap_or_default();
        let first = *instances.entry(operation).or_insert(instance);
        if first != instance {
            return Err(format!("operation {operation} referred to {first}, and then to {instance}"));
        }
        match event {
            "started" => {
                let last = attempts.insert((operation, handler, resource), attempt).unwrap_or(0);
                if attempt < last
                    && let Some(stops) = stops.get_mut(process).filter(|stops| **stops > 0)
                {
                    *stops -= 1;
                    attempts.insert((operation, handler, resource), last);
                    continue;
                }
                if attempt <= last {
                    return Err(format!("attempt {attempt} of {handler} {resource} ({operation}) came after {last}"));
                }
                let at_least = saved.get(operation).copied();
                if handler == "provision" && number < at_least {
                    return Err(format!(
                        "{handler} {resource} ({operation}) saved {at_least:?} and later got {number:?}"
                    ));
                }
                let elsewhere = running.iter().find(|((of, on), _)| *of != process && *on == resource);
                if let (Processes::Replicas, Some(((of, _), other))) = (processes, elsewhere) {
                    return Err(format!(
                        "process {of} was working on {other} of {resource} when {process} started {operation}"
                    ));
                }
                if let Some(other) = running.insert((process, resource), operation) {
                    return Err(format!("{other} was working on {resource} when {operation} started"));
                }
            }
            "saved" => {
                saved.insert(operation, number.unwrap_or_default());
            }
            "ended" => {
                running.remove(&(process, resource));
            }
            _ => {}
        }
    }
    Ok(())
}
