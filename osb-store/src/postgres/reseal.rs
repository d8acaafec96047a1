//! Re-encrypts all records of a database.

use tokio_postgres::{Row, types::Type};

use super::{
    CHUNK, ConnectError, Postgres, Tables,
    statement::{Columns, Value},
};
use crate::{
    codec::{Codec, CodecError},
    copied::Progress,
    seal::Keys,
};

impl Postgres {
    /// Seals all records that are not sealed with the first key, a part at a time; brokers can continue. Returns their number.
    ///
    /// # Errors
    ///
    /// As [`connect`](Self::connect), and if a record can't be opened.
    pub async fn reseal(url: &str, keys: Keys, progress: Progress<'_>) -> Result<u64, ConnectError> {
        let newest = keys.newest().to_bytes();
        let this = Self::open(url, Codec { keys: Some(keys), reads_unsealed: true }, Tables::Existing).await?;
        let (mut last, mut count) = (Vec::<u8>::new(), 0);
        loop {
            let connection = this.client().await?;
            let client = connection.client().map_err(|error| ConnectError::Database(error.to_string()))?;
            client.batch_execute(this.statements.begin()).await?;
            let values: [Value<'_>; 3] =
                [(&&newest[..], Type::BYTEA), (&last, Type::BYTEA), (&i64::from(CHUNK), Type::INT8)];
            let rows = this.statements.rows(client, &this.statements.unsealed_by, &values).await?;
            let Some(end) = rows.last() else { return Ok(count) };
            let seal = |row: &Row| {
                let (key, stored): (Vec<u8>, &[u8]) = (row.get(0), row.get(1));
                let plain = this.codec.open(&key, stored)?;
                let columns = Columns::of(&this.codec, &key, &Codec::read(&plain)?, &plain)?;
                Ok((key, columns))
            };
            let records: Result<Vec<_>, CodecError> = rows.iter().map(seal).collect();
            let records = records.map_err(ConnectError::record)?;
            let written = this.statements.write_each(client, &this.statements.update, &records).await;
            written.map_err(|(_, error)| error)?;
            count += rows.len() as u64;
            last = end.get(0);
            client.batch_execute("commit").await?;
            connection.release();
            progress(rows.len() as u64);
        }
    }
}
