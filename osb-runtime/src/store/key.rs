//! The keys of records, and their bytes.

use std::fmt;

use super::RecordError;
use crate::protocol::{BindingId, InstanceId, Tenant};

/// The key of a record: of an instance, or of one of its bindings. The tenant is part of it, because platforms don't share
/// instances.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// The platform that the instance belongs to.
    pub tenant: Tenant,
    /// The instance.
    pub instance: InstanceId,
    /// The binding; `None` for the instance itself.
    pub binding: Option<BindingId>,
}

/// Writes the ids without the tenant: `instance i`, or `binding b of instance i`.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(binding) = &self.binding {
            write!(f, "binding {binding} of ")?;
        }
        write!(f, "instance {}", self.instance)
    }
}

impl Key {
    /// Returns the key of the instance that the key belongs to.
    pub fn of_instance(&self) -> Self {
        Self { tenant: self.tenant.clone(), instance: self.instance.clone(), binding: None }
    }

    /// Returns the key of a binding of the instance.
    pub fn of_binding(&self, binding: BindingId) -> Self {
        Self { binding: Some(binding), ..self.of_instance() }
    }

    pub(crate) fn binding_id(&self) -> Option<&str> {
        self.binding.as_ref().map(BindingId::as_str)
    }

    /// Returns tenant, instance and binding, for the log.
    pub(crate) fn ids(&self) -> (Option<&str>, &str, Option<&str>) {
        (self.tenant.non_empty(), self.instance.as_str(), self.binding_id())
    }

    /// Encodes the key as bytes, so that an instance comes before its bindings, and those before the next instance: the
    /// tenant's name, a zero byte, which no name contains, and the instance's id. For a binding, `00 01` and its id follow.
    /// A zero byte in the id of an instance becomes `00 FF`.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (tenant, instance) = (self.tenant.as_str().as_bytes(), self.instance.as_str().as_bytes());
        let binding = self.binding_id().map_or(0, |id| id.len() + 2);
        let mut bytes = Vec::with_capacity(tenant.len() + 1 + instance.len() + binding);
        bytes.extend_from_slice(tenant);
        bytes.push(0);
        for (i, part) in instance.split(|byte| *byte == 0).enumerate() {
            bytes.extend_from_slice(if i == 0 { &[] } else { &[0, 0xFF] });
            bytes.extend_from_slice(part);
        }
        if let Some(binding) = &self.binding {
            bytes.extend_from_slice(&[0, 1]);
            bytes.extend_from_slice(binding.as_str().as_bytes());
        }
        bytes
    }

    /// Reads the bytes that [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    ///
    /// [`RecordError::Key`] if they aren't a key.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RecordError> {
        let text = |bytes: &[u8]| std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| RecordError::Key);
        let end = bytes.iter().position(|byte| *byte == 0).ok_or(RecordError::Key)?;
        let tenant = text(&bytes[..end])?.parse().map_err(|_| RecordError::Key)?;
        let (mut instance, mut rest) = (Vec::new(), &bytes[end + 1..]);
        loop {
            let Some(zero) = rest.iter().position(|byte| *byte == 0) else {
                instance.extend_from_slice(rest);
                return Ok(Self { tenant, instance: text(&instance)?.into(), binding: None });
            };
            instance.extend_from_slice(&rest[..zero]);
            let mark = rest.get(zero + 1);
            rest = rest.get(zero + 2..).unwrap_or_default();
            match mark {
                Some(0xFF) => instance.push(0),
                Some(1) => {
                    let binding = Some(text(rest)?.into());
                    return Ok(Self { tenant, instance: text(&instance)?.into(), binding });
                }
                _ => return Err(RecordError::Key),
            }
        }
    }
}
