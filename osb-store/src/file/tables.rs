//! The tables of the file: the records, and their indexes. A record and its indexes change in the same transaction.

use std::ops::Bound::{Excluded, Unbounded};

use redb::{Error, ReadTransaction, ReadableTable, Table, TableDefinition, WriteTransaction};

use osb_runtime::store::{Due, Key, PlanUsage, Record, RecordError, Timestamp};

use crate::seal::{KeyId, key_of};

/// The records of instances and bindings, by [`Key::to_bytes`].
const RECORDS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("live");
/// The tombstones, by the same keys, with the times at which they expire.
const TOMBSTONES: TableDefinition<'_, &[u8], (u64, &[u8])> = TableDefinition::new("tombstones");
/// The records of version 1, in which an instance and its bindings were one record.
const FIRST_RECORDS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("records");
/// The time at which each record is due, and its key.
const DUE: TableDefinition<'_, (u64, &[u8]), ()> = TableDefinition::new("due");
/// The number of instances and bindings of each plan, by the ids of service and plan.
const USES: TableDefinition<'_, (&str, &str), (u64, u64)> = TableDefinition::new("uses");
/// The number of records that are sealed with each key, by the key's id; the id is empty for unsealed records.
const SEALS: TableDefinition<'_, &[u8], u64> = TableDefinition::new("seals");
/// Metadata, which is read first.
const ABOUT: TableDefinition<'_, &str, u64> = TableDefinition::new("about");

/// The version of this layout, stored in [`ABOUT`] under the name `layout`.
pub(super) const LAYOUT: u64 = 2;
/// The layout of the first releases, which [`convert`] converts.
const FIRST_LAYOUT: u64 = 1;

/// The error of preparing the tables of a file.
#[derive(Debug)]
pub(super) enum PrepareError {
    /// The tables are those of a newer release, or of another program (`None`).
    UnknownLayout(Option<u64>),
    Redb(Error),
}

impl<E: Into<Error>> From<E> for PrepareError {
    fn from(error: E) -> Self {
        Self::Redb(error.into())
    }
}

/// The tables that a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// None so far; they were made.
    New,
    Current,
    /// Those of version 1.
    First,
}

/// Creates the tables of a new file, or checks the layout of an old one.
pub(super) fn prepare(transaction: &WriteTransaction) -> Result<Found, PrepareError> {
    let is_new = transaction.list_tables()?.next().is_none();
    if is_new {
        make(transaction)?;
    }
    // Without these metadata, the tables are those of another program.
    let about = transaction.open_table(ABOUT)?;
    let layout = about.get("layout")?.map(|layout| layout.value());
    match layout {
        Some(LAYOUT) if is_new => Ok(Found::New),
        Some(LAYOUT) => Ok(Found::Current),
        Some(FIRST_LAYOUT) => Ok(Found::First),
        other => Err(PrepareError::UnknownLayout(other)),
    }
}

fn make(transaction: &WriteTransaction) -> Result<(), Error> {
    transaction.open_table(ABOUT)?.insert("layout", LAYOUT)?;
    transaction.open_table(RECORDS)?;
    transaction.open_table(TOMBSTONES)?;
    transaction.open_table(DUE)?;
    transaction.open_table(USES)?;
    transaction.open_table(SEALS)?;
    Ok(())
}

/// Converts the tables of version 1. `read` returns the records of an entry, sealed, with their keys and facts.
pub(super) fn convert<E: From<Error>>(
    transaction: &WriteTransaction,
    read: impl Fn(&[u8], &[u8]) -> Result<Vec<(Vec<u8>, Vec<u8>, Facts)>, E>,
) -> Result<u64, E> {
    let convert = || -> Result<Result<u64, E>, Error> {
        transaction.delete_table(DUE)?;
        transaction.delete_table(USES)?;
        transaction.delete_table(SEALS)?;
        make(transaction)?;
        let mut count = 0;
        for entry in transaction.open_table(FIRST_RECORDS)?.iter()? {
            let (key, stored) = entry?;
            let records = match read(key.value(), stored.value()) {
                Ok(records) => records,
                Err(error) => return Ok(Err(error)),
            };
            for (key, stored, facts) in records {
                put(transaction, &key, Some(&stored), &Facts::default(), &facts)?;
                count += 1;
            }
        }
        transaction.delete_table(FIRST_RECORDS)?;
        Ok(Ok(count))
    };
    convert().map_err(E::from)?
}

/// Returns a stored record, as the open transaction sees it.
pub(super) fn current(transaction: &WriteTransaction, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    stored(key, &transaction.open_table(RECORDS)?, || Ok(transaction.open_table(TOMBSTONES)?))
}

/// Returns a stored record, as of the last commit.
pub(super) fn committed(transaction: &ReadTransaction, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    stored(key, &transaction.open_table(RECORDS)?, || Ok(transaction.open_table(TOMBSTONES)?))
}

fn stored<T: ReadableTable<&'static [u8], (u64, &'static [u8])>>(
    key: &[u8],
    records: &impl ReadableTable<&'static [u8], &'static [u8]>,
    tombstones: impl FnOnce() -> Result<T, Error>,
) -> Result<Option<Vec<u8>>, Error> {
    if let Some(found) = records.get(key)? {
        return Ok(Some(found.value().to_vec()));
    }
    let tombstones = tombstones()?;
    let found = tombstones.get(key)?;
    Ok(found.map(|stored| stored.value().1.to_vec()))
}

/// A part of the tombstones, as [`expired`] saw it.
pub(super) struct Expired {
    /// The keys of those that have expired.
    pub(super) expired: Vec<Vec<u8>>,
    /// The last key of the part; `None` after the last of all.
    pub(super) last: Option<Vec<u8>>,
}

/// Looks at the tombstones after a key, as many as one call should, and returns those that have expired. They have no index
/// by time, which would be half of their size.
pub(super) fn expired(transaction: &ReadTransaction, now: Timestamp, after: Option<&[u8]>) -> Result<Expired, Error> {
    const PART: usize = 4096;
    let tombstones = transaction.open_table(TOMBSTONES)?;
    let from = after.map_or(Unbounded, Excluded);
    let mut found = Expired { expired: Vec::new(), last: None };
    for (i, entry) in tombstones.range::<&[u8]>((from, Unbounded))?.take(PART).enumerate() {
        let (key, tombstone) = entry?;
        if tombstone.value().0 <= now.as_millis() {
            found.expired.push(key.value().to_vec());
        }
        if i == PART - 1 {
            found.last = Some(key.value().to_vec());
        }
    }
    Ok(found)
}

/// The indexed facts of a record.
#[derive(Clone, Default, PartialEq)]
pub(super) struct Facts {
    due: Option<Timestamp>,
    uses: Vec<PlanUsage>,
    /// The time at which a tombstone expires.
    forget_at: Option<Timestamp>,
}

impl Facts {
    pub(super) fn of(record: Option<&Record>) -> Self {
        let of = |record: &Record| Self {
            due: record.due(),
            uses: record.plan_usage().collect(),
            forget_at: record.forget_at(),
        };
        record.map(of).unwrap_or_default()
    }
}

/// The key of a record, and the stored record.
pub(super) type Stored = (Vec<u8>, Vec<u8>);

/// Lists at most `limit` records, tombstones too, in key order, starting after `after`.
pub(super) fn records(transaction: &ReadTransaction, after: Option<&[u8]>, limit: usize) -> Result<Vec<Stored>, Error> {
    let from = (after.map_or(Unbounded, Excluded), Unbounded);
    let (records, tombstones) = (transaction.open_table(RECORDS)?, transaction.open_table(TOMBSTONES)?);
    let mut records = records.range::<&[u8]>(from)?.peekable();
    let mut tombstones = tombstones.range::<&[u8]>(from)?.peekable();
    let mut found = Vec::new();
    while found.len() < limit {
        let is_next = match (records.peek(), tombstones.peek()) {
            (Some(Ok((record, _))), Some(Ok((tombstone, _)))) => record.value() < tombstone.value(),
            (record, tombstone) => record.is_some() && !matches!(tombstone, Some(Err(_))),
        };
        let next = if is_next {
            records.next().map(|entry| entry.map(|(key, stored)| (key.value().to_vec(), stored.value().to_vec())))
        } else {
            tombstones.next().map(|entry| entry.map(|(key, stored)| (key.value().to_vec(), stored.value().1.to_vec())))
        };
        match next {
            Some(next) => found.push(next?),
            None => break,
        }
    }
    Ok(found)
}

/// Replaces, adds or removes a record, and updates the indexes.
pub(super) fn put(
    transaction: &WriteTransaction,
    key: &[u8],
    stored: Option<&[u8]>,
    before: &Facts,
    after: &Facts,
) -> Result<(), Error> {
    let (mut records, mut tombstones) = (transaction.open_table(RECORDS)?, transaction.open_table(TOMBSTONES)?);
    let was = match before.forget_at {
        None => records.remove(key)?.map(|old| key_of(old.value())),
        Some(_) => tombstones.remove(key)?.map(|old| key_of(old.value().1)),
    };
    match (stored, after.forget_at) {
        (Some(stored), Some(forget_at)) => drop(tombstones.insert(key, (forget_at.as_millis(), stored))?),
        (Some(stored), None) => drop(records.insert(key, stored)?),
        (None, _) => {}
    }
    let is = stored.map(key_of);
    if was != is {
        let mut seals = transaction.open_table(SEALS)?;
        was.map_or(Ok(()), |seal| count_seal(&mut seals, seal, -1))?;
        is.map_or(Ok(()), |seal| count_seal(&mut seals, seal, 1))?;
    }
    if before.due != after.due {
        let mut due = transaction.open_table(DUE)?;
        if let Some(before) = before.due {
            due.remove((before.as_millis(), key))?;
        }
        if let Some(after) = after.due {
            due.insert((after.as_millis(), key), ())?;
        }
    }
    if before.uses != after.uses {
        let mut uses = transaction.open_table(USES)?;
        before.uses.iter().try_for_each(|plan| count_use(&mut uses, plan, -1))?;
        after.uses.iter().try_for_each(|plan| count_use(&mut uses, plan, 1))?;
    }
    Ok(())
}

/// Changes the number of records that are sealed with a key, or not sealed, by one.
fn count_seal(seals: &mut Table<'_, &[u8], u64>, seal: Option<KeyId>, sign: i64) -> Result<(), Error> {
    let id = seal.map(KeyId::to_bytes);
    let id = id.as_ref().map_or(&[][..], |id| id);
    let count = seals.get(id)?.map(|count| count.value()).unwrap_or_default();
    match count.saturating_add_signed(sign) {
        0 => seals.remove(id)?,
        count => seals.insert(id, count)?,
    };
    Ok(())
}

/// Adds instances and bindings to those of a plan, or subtracts them.
fn count_use(uses: &mut Table<'_, (&str, &str), (u64, u64)>, counted: &PlanUsage, sign: i64) -> Result<(), Error> {
    let plan = (counted.service_id.as_str(), counted.plan_id.as_str());
    let add = |before: u64, change: u64| before.saturating_add_signed(sign * change.cast_signed());
    let (instances, bindings) = uses.get(plan)?.map(|counts| counts.value()).unwrap_or_default();
    match (add(instances, counted.instances), add(bindings, counted.bindings)) {
        (0, 0) => uses.remove(plan)?,
        counts => uses.insert(plan, counts)?,
    };
    Ok(())
}

/// Counts the records that are sealed with each key; `None` stands for unsealed records.
pub(super) fn seals(transaction: &ReadTransaction) -> Result<Vec<(Option<KeyId>, u64)>, Error> {
    let seals = transaction.open_table(SEALS)?;
    let counted = seals.iter()?.map(|entry| {
        let (id, count) = entry?;
        Ok((KeyId::from_bytes(id.value()), count.value()))
    });
    counted.collect()
}

/// Lists the plans in use.
pub(super) fn plan_usage(transaction: &ReadTransaction) -> Result<Vec<PlanUsage>, Error> {
    let uses = transaction.open_table(USES)?;
    let counted = uses.iter()?.map(|entry| {
        let (plan, counts) = entry?;
        let ((service_id, plan_id), (instances, bindings)) = (plan.value(), counts.value());
        Ok(PlanUsage { service_id: service_id.to_owned(), plan_id: plan_id.to_owned(), instances, bindings })
    });
    counted.collect()
}

/// Lists at most `limit` records that are due by `now`, the earliest first, starting after `after`.
pub(super) fn due(
    transaction: &ReadTransaction,
    now: Timestamp,
    after: Option<&Due>,
    limit: usize,
) -> Result<Result<Vec<Due>, RecordError>, Error> {
    let due = transaction.open_table(DUE)?;
    let after = after.map(|due| (due.at.as_millis(), due.key.to_bytes()));
    let from = after.as_ref().map_or(Unbounded, |(at, key)| Excluded((*at, key.as_slice())));
    let mut found = Vec::new();
    for entry in due.range((from, Unbounded))?.take(limit) {
        let (entry, ()) = entry.map(|(key, value)| (key, value.value()))?;
        let (at, key) = entry.value();
        if at > now.as_millis() {
            break;
        }
        match Key::from_bytes(key) {
            Ok(key) => found.push(Due { at: Timestamp::from_millis(at), key }),
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Ok(found))
}
