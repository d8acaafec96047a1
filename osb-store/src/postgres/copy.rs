//! Copies the records of another store into an empty schema.

use osb_runtime::store::Store;

use super::{ConnectError, Postgres, schema::Statements, statement::encode_all};
use crate::{
    copied::{Copied, CopyError, CountedPages, Progress},
    seal::Keys,
};

impl Postgres {
    /// Copies all records of a store into the tables that a URL names, in one transaction. No broker may use the store
    /// meanwhile.
    ///
    /// # Errors
    ///
    /// As [`connect`](Self::connect), and if the tables have records already or the records can't be read.
    pub async fn copy_from(
        store: &dyn Store,
        url: &str,
        keys: impl Into<Option<Keys>>,
        progress: Progress<'_>,
    ) -> Result<Copied, CopyError> {
        let to = Self::connect(url, keys).await.map_err(CopyError::write)?;
        let failed = |error: tokio_postgres::Error| CopyError::write(ConnectError::from(error));
        // Rolled back by the end of its connection unless it is committed.
        let connection = to.client().await.map_err(|error| CopyError::write(ConnectError::from(error)))?;
        let client = connection.client().map_err(CopyError::write)?;
        client.batch_execute(Statements::begin_long()).await.map_err(failed)?;
        // A broker that starts in the meantime waits.
        client.batch_execute(&to.statements.lock_table).await.map_err(failed)?;
        if !to.statements.rows(client, &to.statements.any, &[]).await.map_err(failed)?.is_empty() {
            return Err(CopyError::NotEmpty(to.location()));
        }
        let mut pages = CountedPages::new(store, progress);
        while let Some(page) = pages.next().await.map_err(CopyError::Read)? {
            let records = encode_all(&to.codec, &page).map_err(CopyError::write)?;
            to.statements
                .write_each(client, &to.statements.insert, &records)
                .await
                .map_err(|(_, error)| failed(error))?;
        }
        client.batch_execute("commit").await.map_err(failed)?;
        connection.release();
        Ok(pages.copied)
    }
}
