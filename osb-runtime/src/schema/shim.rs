//! temporary
use super::*;
use serde_json::Value;
/// t
#[derive(Debug, Clone)]
pub struct Violation;
impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("x")
    }
}
/// t
pub trait CredentialsSchema {
    /// t
    const SCHEMA: Schema;
}
/// t
pub fn decode<T: Parameters>(value: &Value) -> Result<T, Vec<Violation>> {
    T::deserialize(value).map_err(|_| vec![Violation])
}
/// t
pub fn merge(_s: &Schema, _a: &Value, b: &Value) -> Value {
    b.clone()
}
/// t
pub fn with_defaults(_s: &Schema, b: &Value) -> Value {
    b.clone()
}
/// t
pub fn without_secrets(_s: &Schema, b: &Value) -> Value {
    b.clone()
}
