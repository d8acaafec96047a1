//! Until the macros come: what they and the foreign types need.
use super::Schema;
use serde_json::Value;
/// What is in credentials.
pub trait CredentialsSchema {
    /// Their schema.
    const SCHEMA: Schema;
}
#[expect(missing_docs)]
pub fn check_document(_: &Value) -> Result<(), Vec<String>> {
    Ok(())
}
#[expect(missing_docs)]
pub fn fill_foreign(_: &Schema) -> Value {
    Value::Null
}
