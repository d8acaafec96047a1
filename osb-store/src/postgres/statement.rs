//! Running statements, prepared or not, and the values that they get.

use deadpool_postgres::Object;
use futures_util::future::join_all;
use osb_runtime::store::{Key, PlanUsage, Record, Timestamp};
use tokio_postgres::{
    Error, Row, Statement,
    types::{ToSql, Type},
};

use super::schema::Statements;
use crate::codec::{Codec, CodecError};

/// A value for a statement, with its type.
pub(super) type Value<'a> = (&'a (dyn ToSql + Sync), Type);

/// A statement that the server has prepared, or that it parses each time.
pub(super) enum Prepared<'a> {
    Statement(Statement),
    Text(&'a str),
}

impl Statements {
    /// Runs a statement, and returns its rows.
    pub(super) async fn rows(&self, client: &Object, sql: &str, values: &[Value<'_>]) -> Result<Vec<Row>, Error> {
        let prepared = self.prepare(client, sql, values).await?;
        prepared.rows(client, values).await
    }

    /// Runs a statement that inserts or updates a record, for each of these, without waiting for the answers in between. Of an
    /// error, it also returns the index of the record.
    pub(super) async fn write_each(
        &self,
        client: &Object,
        sql: &str,
        records: &[(Vec<u8>, Columns)],
    ) -> Result<(), (usize, Error)> {
        let values: Vec<_> = records.iter().map(|(key, columns)| columns.values(key)).collect();
        let Some(first) = values.first() else { return Ok(()) };
        let prepared = self.prepare(client, sql, first).await.map_err(|error| (0, error))?;
        let written = join_all(values.iter().map(|values| prepared.rows(client, values))).await;
        // Those of the statements after the refused one don't say why.
        let refused = written.into_iter().enumerate().find_map(|(index, written)| Some((index, written.err()?)));
        refused.map_or(Ok(()), Err)
    }

    /// Prepares a statement, unless it is prepared already or the pooler offers no sessions.
    pub(super) async fn prepare<'a>(
        &self,
        client: &Object,
        sql: &'a str,
        values: &[Value<'_>],
    ) -> Result<Prepared<'a>, Error> {
        if !self.has_sessions {
            return Ok(Prepared::Text(sql));
        }
        let types: Vec<Type> = values.iter().map(|(_, kind)| kind.clone()).collect();
        client.prepare_typed_cached(sql, &types).await.map(Prepared::Statement)
    }
}

impl Prepared<'_> {
    pub(super) async fn rows(&self, client: &Object, values: &[Value<'_>]) -> Result<Vec<Row>, Error> {
        match self {
            Self::Statement(statement) => {
                let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|(value, _)| *value).collect();
                client.query(statement, &values).await
            }
            Self::Text(sql) => client.query_typed(sql, values).await,
        }
    }
}

/// The columns of a record, without its key.
pub(super) struct Columns {
    record: Vec<u8>,
    sealed_with: Option<Vec<u8>>,
    due: Option<i64>,
    forget_at: Option<i64>,
    service_id: Option<String>,
    plan_ids: Option<Vec<String>>,
    is_binding: bool,
}

impl Columns {
    pub(super) fn of(codec: &Codec, key: &[u8], record: &Record, plain: &[u8]) -> Result<Self, CodecError> {
        let stored = codec.seal(key, plain)?;
        let uses: Vec<PlanUsage> = record.plan_usage().collect();
        Ok(Self {
            sealed_with: codec.keys.as_ref().map(|keys| keys.newest().to_bytes().to_vec()),
            due: record.due().map(signed),
            forget_at: record.forget_at().map(signed),
            is_binding: uses.first().is_some_and(|plan| plan.bindings > 0),
            service_id: uses.first().map(|plan| plan.service_id.clone()),
            plan_ids: (!uses.is_empty()).then(|| uses.into_iter().map(|plan| plan.plan_id).collect()),
            record: stored,
        })
    }

    /// Returns the values of a statement that inserts or updates the record.
    pub(super) fn values<'a>(&'a self, key: &'a (impl ToSql + Sync)) -> [Value<'a>; 8] {
        [
            (key, Type::BYTEA),
            (&self.record, Type::BYTEA),
            (&self.sealed_with, Type::BYTEA),
            (&self.due, Type::INT8),
            (&self.forget_at, Type::INT8),
            (&self.service_id, Type::TEXT),
            (&self.plan_ids, Type::TEXT_ARRAY),
            (&self.is_binding, Type::BOOL),
        ]
    }
}

/// Encodes and seals records.
pub(super) fn encode_all(codec: &Codec, records: &[(Key, Record)]) -> Result<Vec<(Vec<u8>, Columns)>, CodecError> {
    let encode = |(key, record): &(Key, Record)| {
        let key = key.to_bytes();
        let columns = Columns::of(codec, &key, record, &Codec::write(record)?)?;
        Ok((key, columns))
    };
    records.iter().map(encode).collect()
}

pub(super) fn signed(time: Timestamp) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

pub(super) fn unsigned(millis: i64) -> u64 {
    u64::try_from(millis).unwrap_or_default()
}
