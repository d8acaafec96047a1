//! One broker in two releases with different types and the same records.

pub mod first;
pub mod second;

/// The ids, for requests.
pub mod ids {
    /// The service.
    pub const STORES: &str = "9b0d5c1e-54a5-4a3c-9e0a-6b1c4f6f5a01";
    /// A plan whose parameters get other names and tighter bounds.
    pub const BASIC: &str = "9b0d5c1e-54a5-4a3c-9e0a-6b1c4f6f5a02";
    /// A plan that gets a required parameter.
    pub const PLUS: &str = "9b0d5c1e-54a5-4a3c-9e0a-6b1c4f6f5a03";
    /// A plan that the second release retires.
    pub const LEGACY: &str = "9b0d5c1e-54a5-4a3c-9e0a-6b1c4f6f5a04";
}
