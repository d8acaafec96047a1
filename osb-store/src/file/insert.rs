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
        let (keys, records): (Vec<Key>, Vec<Record>) = records.into_iter().unzip();
        let mut taken = None;
        let mut decide = |found: &mut [Option<Record>]| {
            taken = found.iter().position(Option::is_some);
            if taken.is_none() {
                found.iter_mut().zip(&records).for_each(|(place, record)| *place = Some(record.clone()));
            }
        };
        self.decide(&keys, &mut decide).await?;
        match taken {
            Some(at) => Err(InsertError::Exists(keys[at].clone())),
            None => Ok(()),
        }
    }
}
