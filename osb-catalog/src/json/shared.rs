//! Values that are cheap to clone.

use std::{fmt, ops::Deref, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value that several owners share. Serde implements its traits for `Arc` only with the feature `rc`, and a feature applies to
/// the whole program.
#[derive(PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shared<T: ?Sized>(Arc<T>);

impl<T: ?Sized> Shared<T> {
    /// Returns the value as an `Arc`.
    pub fn into_arc(self) -> Arc<T> {
        self.0
    }
}

/// Omits the value, which may be secret.
impl<T: ?Sized> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shared(..)")
    }
}

impl<T: ?Sized> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: ?Sized> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: ?Sized, V: Into<Arc<T>>> From<V> for Shared<T> {
    fn from(value: V) -> Self {
        Self(value.into())
    }
}

impl<T: ?Sized + Serialize> Serialize for Shared<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de, T: ?Sized> Deserialize<'de> for Shared<T>
where
    Box<T>: Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<T>::deserialize(deserializer).map(|value| Self(value.into()))
    }
}
