//! Values that are cheap to clone.

use std::{ops::Deref, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// A value that several owners share.
#[derive(Clone, PartialEq)]
#[cfg_attr(test, derive(Debug))]
pub(crate) struct SharedValue(Arc<Value>);

impl Deref for SharedValue {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0
    }
}

impl From<Value> for SharedValue {
    fn from(value: Value) -> Self {
        Self(Arc::new(value))
    }
}

impl From<SharedValue> for Arc<Value> {
    fn from(SharedValue(value): SharedValue) -> Self {
        value
    }
}

impl Serialize for SharedValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SharedValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from)
    }
}
