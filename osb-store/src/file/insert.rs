//! Inserts imported records.

use osb_runtime::store::{Key, Record};

use super::Redb;
use crate::inserted::InsertError;

impl Redb {
    /// Inserts records, all or none, in one commit.
    ///
    /// # Errors
    ///
    /// If there is already a record with one of the keys, or the file can't be written.
    pub async fn insert_all(&self, records: Vec<(Key, Record)>) -> Result<(), InsertError> {
        let (keys, mut records): (Vec<Key>, Vec<Option<Record>>) =
            records.into_iter().map(|(key, record)| (key, Some(record))).unzip();
        let mut taken = None;
        let mut decide = |found: &mut [Option<Record>]| {
            taken = found.iter().position(Option::is_some);
            if taken.is_none() {
                // Moved, since they can be many: a decision of this store runs once.
                found.iter_mut().zip(&mut records).for_each(|(place, record)| *place = record.take());
            }
        };
        self.decide(&keys, &mut decide).await?;
        match taken {
            Some(at) => Err(InsertError::Exists(keys[at].clone())),
            None => Ok(()),
        }
    }
}
