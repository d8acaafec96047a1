//! Inserts imported records.

use osb_runtime::store::{Key, Record, StoreError};
use tokio_postgres::error::SqlState;

use super::{CHUNK, Postgres, failed, schema::Statements, statement::encode_all, unavailable};
use crate::inserted::InsertError;

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
        for part in records.chunks(CHUNK.into()) {
            let encoded = encode_all(&self.codec, part).map_err(StoreError::new)?;
            let inserted = self.statements.write_each(client, &self.statements.insert, &encoded).await;
            inserted.map_err(|(index, error)| match error.code() {
                Some(&SqlState::UNIQUE_VIOLATION) => InsertError::Exists(part[index].0.clone()),
                _ => InsertError::Store(failed(error)),
            })?;
        }
        client.batch_execute("commit").await.map_err(failed)?;
        connection.release();
        Ok(())
    }
}
