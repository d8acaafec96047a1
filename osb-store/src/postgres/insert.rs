//! Inserts records that were made elsewhere.

use osb_runtime::store::{Key, Record, StoreError};
use tokio_postgres::{error::SqlState, types::ToSql};

use super::{Columns, Postgres, failed, unavailable};
use crate::{codec::Codec, inserted::InsertError};

impl Postgres {
    /// Inserts records, all or none, in one transaction.
    ///
    /// # Errors
    ///
    /// If there is already a record with one of the keys, or the database can't be written.
    pub async fn insert_all(&self, records: Vec<(Key, Record)>) -> Result<(), InsertError> {
        let mut client = self.client().await.map_err(unavailable)?;
        let transaction = client.transaction().await.map_err(failed)?;
        transaction.batch_execute("set local statement_timeout = 0").await.map_err(failed)?;
        transaction.batch_execute("set local idle_in_transaction_session_timeout = 0").await.map_err(failed)?;
        let insert = transaction.prepare(&self.statements.insert).await.map_err(failed)?;
        for (key, record) in &records {
            let bytes = key.to_bytes();
            let columns = Codec::write(record).and_then(|plain| Columns::of(&self.codec, &bytes, record, &plain));
            let columns = columns.map_err(StoreError::new)?;
            let values: Vec<&(dyn ToSql + Sync)> = columns.values(&bytes).map(|(value, _)| value).into();
            transaction.execute(&insert, &values).await.map_err(|error| match error.code() {
                Some(&SqlState::UNIQUE_VIOLATION) => InsertError::Exists(key.clone()),
                _ => InsertError::Store(failed(error)),
            })?;
        }
        transaction.commit().await.map_err(failed)?;
        Ok(())
    }
}
