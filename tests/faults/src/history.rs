//! A check of the answers that several clients got about one instance.
//!
//! There has to be one order of all requests, with each between its sending and the end of its operation, in which every answer fits
//! the state that the requests before it have left. The search is that of Wing and Gong: any request that was sent before the first
//! end of those that are left can be the next. If its answer fits, the search goes on with the state after it; a state that was
//! reached by the same requests is not searched twice. A request without an answer may have had its effect at any later time, or
//! none.

use std::{collections::HashSet, fmt::Write as _, time::Instant};

/// The state of an instance; values are those of a parameter, and each request has another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum State {
    Absent,
    /// Its creation has failed, so it can only be deleted.
    Failed,
    Present(u32),
}

use State::{Absent, Failed, Present};

/// A request for an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    Create(u32),
    Update(u32),
    Delete,
    Read,
}

/// The answer to a request, or the end of the operation that it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    Done,
    /// The instance exists with the same parameters.
    Same,
    /// The instance exists with other parameters.
    Conflict,
    Missing,
    /// Another operation is running.
    Busy,
    Found(u32),
    Unknown,
}

/// A request, and what became of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Event {
    pub(crate) client: usize,
    pub(crate) asked: Asked,
    pub(crate) told: Told,
    /// The end is known by polls, which tell of another operation once the instance was deleted.
    pub(crate) is_polled: bool,
    pub(crate) began: Instant,
    /// The end; `None` if it is not known.
    pub(crate) ended: Option<Instant>,
}

impl Event {
    fn overlaps(&self, other: &Self) -> bool {
        other.ended.is_none_or(|ended| ended > self.began) && self.ended.is_none_or(|ended| ended > other.began)
    }

    /// Returns whether the request has changed nothing, in any state of the resource.
    fn is_idle(&self) -> bool {
        matches!(self.told, Told::Same | Told::Conflict | Told::Missing | Told::Found(_))
            || self.told == Told::Busy && !matches!(self.asked, Asked::Create(_))
    }

    /// Returns the states that the request can leave, if its answer fits the state before it.
    fn effects(&self, before: State, beside: Beside) -> Vec<State> {
        use {
            Asked::{Create, Delete, Read, Update},
            Told::{Busy, Conflict, Done, Found, Missing, Same, Unknown},
        };
        let told = if self.is_polled && beside.deletes { Unknown } else { self.told };
        match (self.asked, told, before) {
            (Create(value), Done, Absent) | (Update(value), Done, Present(_)) => vec![Present(value)],
            (Create(value), Same, Present(is)) if is == value => vec![before],
            (Create(value), Conflict, Present(is)) if is != value => vec![before],
            (Create(_), Conflict, _) if beside.creates => vec![before],
            // A deletion has cancelled it, or it was refused.
            (Create(_), Busy, Absent) => vec![Absent, Failed],
            (_, Busy, _) if beside.changes => vec![before],
            (Create(value), Unknown, Absent) => vec![Absent, Present(value), Failed],
            (Update(value), Unknown, Present(_)) => vec![before, Present(value)],
            (Delete, Unknown, Present(_) | Failed) => vec![before, Absent],
            (Delete, Done, Present(_) | Failed) => vec![Absent],
            // Both deletions get the end of the same operation.
            (Delete, Done, Absent) if beside.deletes => vec![Absent],
            (_, Unknown, _)
            | (Create(_), Conflict, Failed)
            | (Delete, Missing, Absent)
            | (Update(_) | Read, Missing, Absent | Failed) => vec![before],
            (Read, Found(value), Present(is)) if is == value => vec![before],
            _ => Vec::new(),
        }
    }
}

/// The kinds of requests by others at the same time.
#[derive(Debug, Default, Clone, Copy)]
struct Beside {
    creates: bool,
    deletes: bool,
    changes: bool,
}

/// Checks that there is an order that begins in one of these states.
pub(crate) fn check(mut events: Vec<Event>, initial: &[State]) -> Result<(), String> {
    events.sort_by_key(|event| event.began);
    let beside: Vec<Beside> = events.iter().map(|event| beside(event, &events)).collect();
    let values = events.iter().filter_map(|event| match (event.asked, event.told) {
        (_, Told::Found(value)) | (Asked::Create(value), Told::Same) => Some(value),
        _ => None,
    });
    let values = values.collect();
    let mut search = Search { events: &events, beside: &beside, values, seen: HashSet::new(), most: 0 };
    let taken = vec![false; events.len()];
    if initial.iter().any(|state| search.fits(*state, &mut taken.clone(), 0)) {
        return Ok(());
    }
    let (most, start) = (search.most, events.first().map(|event| event.began));
    let mut report = format!("no order of the requests fits their answers, and {most} of {} at most do:", events.len());
    for Event { client, asked, told, began, ended, .. } in &events {
        let after = |at: &Instant| start.map(|start| at.duration_since(start).as_micros());
        let (began, ended) = (after(began).unwrap_or_default(), ended.as_ref().and_then(after));
        let ended = ended.map_or_else(|| "?".to_owned(), |ended| ended.to_string());
        _ = write!(report, "\n    {began} to {ended} µs, client {client}: {asked:?} -> {told:?}");
    }
    Err(report)
}

fn beside(event: &Event, all: &[Event]) -> Beside {
    let mut found = Beside::default();
    for other in all.iter().filter(|other| !std::ptr::eq(*other, event) && event.overlaps(other)) {
        found.creates |= matches!(other.asked, Asked::Create(_));
        found.deletes |= other.asked == Asked::Delete;
        found.changes |= other.asked != Asked::Read;
    }
    found
}

struct Search<'a> {
    events: &'a [Event],
    beside: &'a [Beside],
    /// The values that were read.
    values: HashSet<u32>,
    seen: HashSet<(State, Vec<bool>)>,
    most: usize,
}

impl Search<'_> {
    fn fits(&mut self, state: State, taken: &mut Vec<bool>, count: usize) -> bool {
        self.most = self.most.max(count);
        let left = || self.events.iter().zip(&*taken).filter(|(_, taken)| !**taken).map(|(event, _)| event);
        if left().all(|event| event.told == Told::Unknown) {
            return true;
        }
        let first_end = left().filter_map(|event| event.ended).min();
        if !self.seen.insert((state, taken.clone())) {
            return false;
        }
        let can_be_next = |event: &Event| first_end.is_none_or(|end| event.began <= end);
        let next = self.events.iter().take_while(|event| can_be_next(event)).count();
        let next: Vec<usize> = (0..next).filter(|index| !taken[*index]).collect();
        // A request that can change nothing is best taken as soon as its answer fits.
        let effects = |index: usize| self.events[index].effects(state, self.beside[index]);
        let idle = next.iter().find(|index| self.events[**index].is_idle() && !effects(**index).is_empty());
        for index in idle.map_or(next.clone(), |idle| vec![*idle]) {
            // Deletions without an answer are all alike, and so are creations and updates whose values are never seen again.
            let is_like = |other: &usize| self.is_like(*other, index);
            if next.iter().take_while(|other| **other < index).any(is_like) {
                continue;
            }
            taken[index] = true;
            for after in effects(index) {
                let is_skipped = after == state && self.events[index].ended.is_none();
                if !is_skipped && self.fits(after, taken, count + 1) {
                    return true;
                }
            }
            taken[index] = false;
        }
        false
    }

    /// Returns whether two requests without an answer can stand for each other.
    fn is_like(&self, one: usize, other: usize) -> bool {
        let is_unseen = |asked: Asked| match asked {
            Asked::Create(value) | Asked::Update(value) => !self.values.contains(&value),
            Asked::Delete | Asked::Read => true,
        };
        let (one, other) = (&self.events[one], &self.events[other]);
        std::mem::discriminant(&one.asked) == std::mem::discriminant(&other.asked)
            && [one, other]
                .iter()
                .all(|event| event.told == Told::Unknown && event.ended.is_none() && is_unseen(event.asked))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Makes events from (beginning, end, request, answer).
    fn history(events: &[(u64, Option<u64>, Asked, Told)]) -> Result<(), String> {
        let start = Instant::now();
        let at = |millis: u64| start + Duration::from_millis(millis);
        let events = events.iter().map(|&(began, ended, asked, told)| Event {
            client: 0,
            asked,
            told,
            is_polled: false,
            began: at(began),
            ended: ended.map(at),
        });
        check(events.collect(), &[Absent])
    }

    #[test]
    fn an_order_is_found_for_requests_at_the_same_time() {
        let read_both = [
            (0, Some(10), Asked::Create(1), Told::Done),
            (20, Some(40), Asked::Update(2), Told::Done),
            (22, Some(30), Asked::Read, Told::Found(1)),
            (32, Some(38), Asked::Read, Told::Found(2)),
        ];
        assert_eq!(history(&read_both), Ok(()));
        let cancelled = [
            (0, Some(30), Asked::Create(1), Told::Busy),
            (5, Some(60), Asked::Delete, Told::Done),
            (10, Some(50), Asked::Delete, Told::Done),
            (55, Some(70), Asked::Read, Told::Missing),
        ];
        assert_eq!(history(&cancelled), Ok(()));
        let joined = [
            (0, Some(10), Asked::Create(1), Told::Done),
            (20, Some(40), Asked::Delete, Told::Done),
            (25, Some(41), Asked::Delete, Told::Done),
            (30, Some(35), Asked::Update(2), Told::Busy),
        ];
        assert_eq!(history(&joined), Ok(()));
    }

    #[test]
    fn a_request_without_an_answer_may_have_been_done_later() {
        let late = |told| {
            history(&[
                (0, Some(10), Asked::Create(1), Told::Done),
                (20, None, Asked::Update(2), Told::Unknown),
                (30, Some(40), Asked::Read, Told::Found(1)),
                (50, Some(60), Asked::Read, told),
            ])
        };
        assert_eq!((late(Told::Found(1)), late(Told::Found(2))), (Ok(()), Ok(())));
        assert!(late(Told::Missing).is_err());
    }

    #[test]
    fn impossible_histories_are_found() {
        let wrong: [&[_]; 6] = [
            // Created twice.
            &[(0, Some(10), Asked::Create(1), Told::Done), (5, Some(15), Asked::Create(2), Told::Done)],
            // An update is lost.
            &[
                (0, Some(10), Asked::Create(1), Told::Done),
                (20, Some(30), Asked::Update(2), Told::Done),
                (40, Some(50), Asked::Read, Told::Found(1)),
            ],
            // It was read, and then not.
            &[
                (0, Some(10), Asked::Create(1), Told::Done),
                (20, Some(50), Asked::Update(2), Told::Done),
                (22, Some(25), Asked::Read, Told::Found(2)),
                (30, Some(35), Asked::Read, Told::Found(1)),
            ],
            // Deleted twice, one after the other.
            &[
                (0, Some(10), Asked::Create(1), Told::Done),
                (20, Some(30), Asked::Delete, Told::Done),
                (40, Some(50), Asked::Delete, Told::Done),
            ],
            // Nothing else is running.
            &[(0, Some(10), Asked::Create(1), Told::Done), (20, Some(30), Asked::Update(2), Told::Busy)],
            // There is none to conflict with.
            &[(0, Some(10), Asked::Create(1), Told::Conflict)],
        ];
        for events in wrong {
            assert!(history(events).is_err(), "{events:?}");
        }
    }
}
