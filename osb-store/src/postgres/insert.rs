//! Inserts imported records.

use osb_runtime::store::{Key, Record, StoreError};
use tokio_postgres::error::SqlState;

use super::{Postgres, failed, schema::Statements, statement::Columns, unavailable};
use crate::{codec::Codec, inserted::InsertError};

impl Postgres {
    /// Inserts records, all or none, in one transaction.
    ///
    /// # Errors
    ///
    /// If there is already a record with one of the keys, or the database can't be written.
    pub async fn insert_all(&self, records: Vec<(Key, Record)>) -> Result<(), InsertError> {
        // Rolled back by the end of its connection unless it is committed.
        let connection = self.client().await.map_err(unavailable)?;
        let client = connection.client()?;
        client.batch_execute(Statements::begin_long()).await.map_err(failed)?;
        for (key, record) in &records {
            let bytes = key.to_bytes();
            let columns = Codec::write(record).and_then(|plain| Columns::of(&self.codec, &bytes, record, &plain));
            let columns = columns.map_err(StoreError::new)?;
            let inserted = self.statements.rows(client, &self.statements.insert, &columns.values(&bytes)).await;
            inserted.map_err(|error| match error.code() {
                Some(&SqlState::UNIQUE_VIOLATION) => InsertError::Exists(key.clone()),
                _ => InsertError::Store(failed(error)),
            })?;
        }
        client.batch_execute("commit").await.map_err(failed)?;
        connection.release();
        Ok(())
    }
}
